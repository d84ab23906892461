/** Tools of `@modelcontextprotocol/server-everything`, over stdio and HTTP, as tools of an agent. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Mcp from "coxswain/layers/mcp"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Schema, Stream } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as net from "node:net"
import * as path from "node:path"
import { afterAll } from "vitest"
import * as limits from "../setup/limits.js"

const { call, say, understand } = ScriptedModel

const everything = path.join(
  import.meta.dirname,
  "../node_modules/@modelcontextprotocol/server-everything/dist/index.js"
)
const stdio = { command: process.execPath, args: [everything, "stdio"] }

const started: Array<ChildProcess> = []
afterAll(() => started.forEach((child) => child.kill("SIGKILL")))

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })

const startHttp = async (port: number): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [everything, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"]
  })
  started.push(child)
  await new Promise<void>((resolve, reject) => {
    child.stderr!.setEncoding("utf8").on("data", (text: string) => /listening/i.test(text) && resolve())
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
    setTimeout(() => reject(new Error("the server does not listen")), limits.child).unref()
  })
  return child
}

const kit = Agent.define({ data: Schema.Struct({}) })

const agentWith = (toolkit: Mcp.Toolkit) =>
  kit.make({
    name: "Desk",
    toolkits: [Effect.succeed(toolkit)],
    flows: [{ title: "Help", steps: [{ id: "help", prompt: "Help", until: () => false }] }]
  })

/** A conversation whose model calls tools of a server. */
const talking = (options: Mcp.Options) =>
  Effect.flatMap(
    Mcp.toolkit(options),
    (toolkit) =>
      Effect.map(Effect.flatMap(agentWith(toolkit), (agent) => Conversation.make(agent)), (talk) => ({ talk, toolkit }))
  )

const live = <A, E>(
  name: string,
  test: Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof talking>> | ScriptedModel.ScriptedModel>
) =>
  it.scopedLive(
    name,
    () => test.pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory]))
  )

describe("the tools of an MCP server over stdio", () => {
  live(
    "are tools of the agent; arguments are checked against the server's schemas",
    Effect.gen(function*() {
      const { talk, toolkit } = yield* talking({ ...stdio, prefix: "all" })
      expect(toolkit.server.name).toContain("everything")
      expect(Object.keys(toolkit.tools)).toContain("all_echo")
      yield* talk.user("Sum", understand({}), call("all_get-sum", { a: 2, b: 3 }), say("Five."))
      yield* talk.expectTool("all_get-sum", { outcome: "ok", output: /5/ })
      yield* talk.user("Sum", understand({}), call("all_get-sum", { a: "two", b: 3 }), say("No."))
      yield* talk.expectTool("all_get-sum", { outcome: "invalid" })
      yield* talk.user(
        "Weather",
        understand({}),
        call("all_get-structured-content", { location: "Chicago" }),
        say("Fine.")
      )
      yield* talk.expectTool("all_get-structured-content", { outcome: "ok", output: /temperature/ })
      yield* talk.user("Image", understand({}), call("all_get-tiny-image", {}), say("Seen."))
      yield* talk.expectTool("all_get-tiny-image", { outcome: "ok", output: /\[image image\/png, \d+ bytes\]/ })
    })
  )

  live(
    "can need approval, be refused by a permission check, and be excluded with `only`",
    Effect.gen(function*() {
      const { talk } = yield* talking({
        ...stdio,
        prefix: "all",
        only: ["echo", "get-env"],
        needsApproval: ({ name }) => name === "echo",
        checkPermissions: ({ name }) => ({ allowed: name !== "get-env", reason: "the environment is private" })
      })
      yield* talk.user("Echo", understand({}), call("all_echo", { message: "hi" }))
      yield* talk.expectStopped("needs_approval")
      yield* talk.approve({}, say("Done."))
      yield* talk.expectTool("all_echo", { outcome: "ok", output: /hi/ })
      yield* talk.user("Env", understand({}), call("all_get-env", {}), say("No."))
      yield* talk.expectTool("all_get-env", { outcome: "denied", output: { message: /private/ } })
      yield* talk.user("Sum", understand({}), call("all_get-sum", { a: 1, b: 2 }), say("No."))
      yield* talk.expectTool("all_get-sum", { outcome: "unknown_tool" })
    })
  )

  live(
    "report their progress, and stop when the turn is aborted",
    Effect.gen(function*() {
      const toolkit = yield* Mcp.toolkit({ ...stdio, prefix: "all", only: ["trigger-long-running-operation"] })
      const agent = yield* agentWith(toolkit)
      const script = yield* ScriptedModel.ScriptedModel
      yield* script.play([
        understand({}),
        call("all_trigger-long-running-operation", { duration: 1, steps: 4 }),
        say("Done.")
      ])
      const seen: Array<unknown> = []
      const turn = yield* agent.session("u1").send("Go")
      yield* Effect.forkScoped(turn.events.pipe((events) =>
        Effect.ignore(
          Effect.flatMap(Effect.void, () =>
            Stream.runForEach(events, (event) =>
              Effect.sync(() =>
                event._tag === "ToolProgress" && seen.push(event.progress)
              )))
        )
      ))
      expect((yield* turn.response).toolCalls[0]?.outcome).toBe("ok")
      expect(seen).toContainEqual(expect.objectContaining({ total: 4 }))

      yield* script.play([
        understand({}),
        call("all_trigger-long-running-operation", { duration: 20, steps: 40 }),
        say("-")
      ])
      const long = yield* agent.session("u2").send("Go")
      yield* Stream.runHead(Stream.filter(long.events, ({ _tag }) => _tag === "ToolProgress"))
      // The tool would report progress forty times.
      yield* long.abort
      const told = yield* Stream.runCount(Stream.filter(long.events, ({ _tag }) => _tag === "ToolProgress"))
      expect(told).toBeGreaterThan(0)
      expect(told).toBeLessThan(40)
      expect((yield* long.response).stoppedReason).toBe("aborted")
    })
  )

  live(
    "can ask the user a question, which the model asks in the conversation",
    Effect.gen(function*() {
      const { talk } = yield* talking({ ...stdio, prefix: "all", only: ["trigger-elicitation-request"] })
      const tool = "all_trigger-elicitation-request"
      yield* talk.user("Register me", understand({}), call(tool, {}), say("What is your name?"))
      yield* talk.expectTool(tool, { outcome: "failed", output: /Ask the user.*answers_for_server/s })
      yield* talk.user("Ada", understand({}), call(tool, { answers_for_server: { name: "Ada" } }), say("Thanks."))
      yield* talk.expectTool(tool, { outcome: "ok", output: /Ada/ })
    })
  )

  live(
    "can ask the application a question if the application provides `elicit`",
    Effect.gen(function*() {
      const asked: Array<string> = []
      const { talk } = yield* talking({
        ...stdio,
        prefix: "all",
        elicit: ({ message }) =>
          Effect.sync((): Mcp.Answer => {
            asked.push(message)
            return { action: "accept", content: { name: "Grace" } }
          })
      })
      yield* talk.user("Register me", understand({}), call("all_trigger-elicitation-request", {}), say("Thanks."))
      yield* talk.expectTool("all_trigger-elicitation-request", { outcome: "ok", output: /Grace/ })
      expect(asked).toHaveLength(1)
    })
  )

  live(
    "cannot be loaded if the server is missing, silent, or lacks a named tool; the error says why",
    Effect.gen(function*() {
      const missing = yield* Effect.flip(Mcp.toolkit({ command: "/nowhere/server" }))
      expect(missing).toMatchObject({ _tag: "McpError", what: "no connection to the server /nowhere/server" })
      const silent = yield* Effect.flip(
        Mcp.toolkit({
          command: process.execPath,
          args: ["-e", "setInterval(() => {}, 1000)"],
          connectTimeout: "300 millis"
        })
      )
      expect(silent.why).toMatch(/did not answer|timed out/i)
      const unknown = yield* Effect.flip(Mcp.toolkit({ ...stdio, only: ["nope"] }))
      expect(unknown.message).toContain("has no tool \"nope\"")
    })
  )
})

describe("the tools of an MCP server over HTTP", () => {
  live(
    "work again after the server has crashed and restarted",
    Effect.gen(function*() {
      const port = yield* Effect.promise(freePort)
      const first = yield* Effect.promise(() => startHttp(port))
      const { talk } = yield* talking({ url: `http://127.0.0.1:${port}/mcp`, prefix: "all" })
      yield* talk.user("Echo", understand({}), call("all_echo", { message: "one" }), say("One."))
      yield* talk.expectTool("all_echo", { outcome: "ok", output: /one/ })
      yield* Effect.promise(() => new Promise((resolve) => first.once("exit", resolve) && first.kill("SIGKILL")))
      yield* talk.user("Echo", understand({}), call("all_echo", { message: "two" }), say("Nobody."))
      yield* talk.expectTool("all_echo", { outcome: "failed" })
      yield* Effect.promise(() => startHttp(port))
      yield* talk.user("Echo", understand({}), call("all_echo", { message: "three" }), say("Three."))
      yield* talk.expectTool("all_echo", { outcome: "ok", output: /three/ })
    })
  )
})
