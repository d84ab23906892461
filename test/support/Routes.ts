/** The routes of the API, read from the API itself, further routes, and a valid body of each. */
import { HttpApi } from "@effect/platform"
import * as Server from "coxswain/layers/server"
import { Schema } from "effect"

export interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
}

const anything: Server.Schemas<unknown, unknown>["session"] = Schema.Unknown as never

export const routes: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(Server.api({ session: anything, response: anything }), {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => found.push({ name: endpoint.name, method: endpoint.method, path: endpoint.path })
  })
  return found
})()

/** Every way into an agent over HTTP: the routes of the API, and the Model Context Protocol. */
export const doors: ReadonlyArray<Route> = [...routes, { name: "mcp", method: "POST", path: "/mcp" }]

/** A valid body of each route; a route that is missing here fails the tests. */
export const bodies: Readonly<Record<string, unknown>> = {
  turn: { message: "Hi" },
  stream: { message: "Hi" },
  begin: { flow: "Talk" },
  beginStream: { flow: "Talk" },
  decide: { approved: true },
  notify: { payload: { amount: 1 } },
  dispatch: { target: "Talk" },
  rewind: { toTurn: 0 },
  fork: { as: "copy" },
  takeover: { reason: "asked for" },
  say: { text: "Hi" },
  release: {},
  suggest: {},
  upload: {},
  replay: {},
  advance: { advance: 1 },
  openaiFile: {},
  chat: { id: "anns", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hi" }] }] },
  completions: { model: "Desk", messages: [{ role: "user", content: "Hi" }] },
  run: { threadId: "anns", runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] },
  responses: { model: "Desk", input: "Hi", conversation: "anns" },
  mcp: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "talk", arguments: { message: "Hi" }, _meta: {} }
  }
}

export const fill = (path: string, values: Readonly<Record<string, string>>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? "missing"))
