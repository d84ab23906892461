/**
 * The Model Context Protocol in both directions: the tools of a server as tools of an agent, and an agent as a server.
 * Needs `@modelcontextprotocol/client` and `re2js` for the first, `@modelcontextprotocol/server` for the second.
 *
 * ```ts
 * import { Agent } from "coxswain"
 * import * as Mcp from "coxswain/layers/mcp"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ file: Schema.String }) })
 *
 * export const librarian = kit.make({
 *   name: "Librarian",
 *   toolkits: [Mcp.toolkit({ command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/books"] })],
 *   flows: [{ title: "Books", steps: [{ id: "find", prompt: "Find what is asked for", until: () => false }] }]
 * })
 * ```
 */
export type { Answer, Asked } from "./Asking.js"
export type { Address, Command, Url } from "./Connection.js"
export { McpError } from "./McpError.js"
export type { Described, Gates } from "./RemoteTool.js"
export { type HttpOptions, layerHttp, serveStdio } from "./Serve.js"
export { type Options, type Toolkit, toolkit } from "./Toolkit.js"
