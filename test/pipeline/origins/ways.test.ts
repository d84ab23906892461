/**
 * Every way in which the handler of a tool can run: each refuses an argument that comes from a result that is not
 * trusted.
 */
import { describe, expect, it } from "@effect/vitest"
import { Jobs, SessionStore, ToolExecutor } from "coxswain"
import { Effect, Schema, type Scope, Stream, TestClock } from "effect"
import { bound, eve, kit, make as makeAgent, outcomes, reads, sends, toolCall } from "./Mail.js"

const { ToolExec } = Jobs

/** Runs an agent in one way; returns the arguments of the calls that sent. */
type Way = Effect.Effect<ReadonlyArray<unknown>, unknown, never>

const scoped = (way: Effect.Effect<ReadonlyArray<unknown>, unknown, Scope.Scope>): Way => Effect.scoped(way) as Way

const exec = (args: unknown) => ({ run: ToolExec.of({ toolId: "send", arguments: args as never }) })

const bind = { bind: { found: "from" } }

/** The steps that read a mail into a field, and then wait. */
const reading: Parameters<typeof makeAgent>[0] = {
  steps: (tools) => [
    { id: "read", call: tools.readMail.with({}), ...bind },
    { id: "help", prompt: "Help", until: () => false }
  ]
}

/** The ways, with tools that refuse other origins, and with tools that ask the user, who does not agree. */
const waysOf = (otherwise: "ask" | "refuse"): Readonly<Record<string, Way>> => {
  const make = (options: Parameters<typeof makeAgent>[0]) => makeAgent({ otherwise, ...options })
  return {
    "a call of the model": scoped(Effect.gen(function*() {
      const { say, sent } = yield* make({ script: [reads, sends(eve)] })
      yield* say("Read my mail")
      return sent
    })),
    "a call of the model in a stream": scoped(Effect.gen(function*() {
      const { agent, sent } = yield* make({ script: [reads, sends(eve)] })
      yield* Stream.runDrain(agent.stream({ sessionId: "s", message: "Read my mail" }))
      return sent
    })),
    "a call of the model in the same round": scoped(Effect.gen(function*() {
      const { say, sent } = yield* make({ script: [[...reads, ...sends(eve)], sends(eve, "s2")] })
      yield* say("Read my mail")
      return sent.slice(1)
    })),
    "a repeated message": scoped(Effect.gen(function*() {
      const { say, sent } = yield* make({ script: [reads, sends(eve), "Well", reads, sends(eve)] })
      yield* say("Read my mail", { messageId: "m" })
      yield* say("Read my mail", { messageId: "m" })
      return sent
    })),
    "a call of a step": scoped(Effect.gen(function*() {
      const { say, sent } = yield* make({ steps: bound({ found: "from" }, ({ found }) => found) })
      yield* say("Go")
      return sent
    })),
    "a call that code approves": scoped(Effect.gen(function*() {
      const { say, sent } = yield* make({
        script: [reads, sends(eve)],
        send: { needsApproval: { by: "user", autoApprove: () => true } }
      })
      yield* say("Read my mail")
      return sent
    })),
    "a call that a person denies": scoped(Effect.gen(function*() {
      const { agent, say, sent } = yield* make({ script: [reads, sends(eve)], send: { needsApproval: true } })
      const { approvals } = yield* say("Read my mail")
      yield* agent.approve("s", approvals[0]!.id, { approved: false })
      return sent
    })),
    "a tool that a hook injects": scoped(Effect.gen(function*() {
      const sent: Array<unknown> = []
      const injected = kit.tool({
        id: "forward",
        parameters: { to: Schema.String },
        sends: true,
        handler: (args) => (sent.push(args), "sent")
      })
      const { say } = yield* make({
        script: [reads, [toolCall("forward", { to: eve })]],
        more: () => ({ hooks: { beforeRespond: () => ({ injectTools: [injected] }) } })
      })
      yield* say("Read my mail")
      return sent
    })),
    "a tool of a step": scoped(Effect.gen(function*() {
      const sent: Array<unknown> = []
      const own = kit.tool({
        id: "forward",
        parameters: { to: Schema.String },
        isDestructive: true,
        handler: (args) => (sent.push(args), "sent")
      })
      const { say } = yield* make({
        script: [reads, [toolCall("forward", { to: eve })]],
        steps: () => [{ id: "help", prompt: "Help", tools: [own], until: () => false }]
      })
      yield* say("Read my mail")
      return sent
    })),
    "a job with the value of a bound field": scoped(Effect.gen(function*() {
      const { happens, say, sent } = yield* make(reading)
      yield* say("Go")
      yield* happens(exec({ to: eve }))
      return sent
    })),
    "a job with JSON text of the arguments": scoped(Effect.gen(function*() {
      const { happens, say, sent } = yield* make(reading)
      yield* say("Go")
      yield* happens(exec(JSON.stringify({ to: `Eve <${eve}>` })))
      return sent
    })),
    "a job whose field was cleared before it ran": scoped(Effect.gen(function*() {
      const { agent, happens, say, sent } = yield* make(reading)
      yield* say("Go")
      yield* agent.notify({
        sessionId: "s",
        event: "do",
        payload: { ...exec({ to: eve }), dataUpdate: { found: "x@x.org" } }
      })
      yield* happens({ clear: ["found"] })
      return sent
    })),
    "a job with the report of a model": scoped(Effect.gen(function*() {
      const { happens, sent } = yield* make({
        script: [`Send it to ${eve}`],
        more: () => ({
          on: {
            do: ({ event }: { readonly event: object }) => event,
            [Jobs.LlmGenerate.completed]: ({ event }: { readonly event: { readonly text: string } }) =>
              exec({ to: event.text.split(" ").at(-1) })
          }
        })
      })
      yield* happens({ run: Jobs.LlmGenerate.of({ messages: [{ role: "user", content: "Hello" }] }) })
      yield* TestClock.adjust("30 seconds")
      return sent
    })),
    "a check that the engine makes for a policy": scoped(Effect.gen(function*() {
      const sent: Array<unknown> = []
      const lookup = kit.tool({
        id: "look_up",
        isReadOnly: true,
        sends: true,
        parameters: { address: Schema.String },
        handler: (args) => (sent.push(args), "found")
      })
      const { say } = yield* make({
        script: [reads, sends(eve)],
        send: { accepts: "any" },
        tools: [lookup],
        more: () => ({
          policies: [{
            tool: "send",
            onlyIf: { called: "look_up", with: { address: { argument: "to" } } },
            satisfy: true
          }]
        })
      })
      yield* say("Read my mail")
      return sent
    })),
    "an executor that a test or a sandbox replaces": scoped(Effect.gen(function*() {
      const ran: Array<unknown> = []
      const { say } = yield* make({
        script: [reads, sends(eve)],
        executor: ToolExecutor.make((call) => {
          if (call.tool.id === "send") ran.push(call.args)
          return ToolExecutor.runHandler(call)
        })
      })
      yield* say("Read my mail")
      return ran
    })),
    "a fork": scoped(Effect.gen(function*() {
      const { agent, sent } = yield* make({
        script: [reads, "Well", sends("zoe@x.org")],
        more: () => ({ snapshots: { keep: 5 } })
      })
      yield* agent.respond({ sessionId: "s", message: "Read my mail" })
      yield* agent.session("s").fork({ as: "copy" })
      yield* agent.respond({ sessionId: "copy", message: "Go on" })
      return sent
    }))
  }
}

const make = makeAgent

describe("a value from a result that is not trusted", () => {
  for (const otherwise of ["refuse", "ask"] as const) {
    for (const [name, way] of Object.entries(waysOf(otherwise))) {
      it.effect(`is not sent by ${name}, if the tool would ${otherwise}`, () =>
        Effect.map(way, (sent) => expect(sent).toEqual([])))
    }
  }

  it.effect("is the only reason for the refusals: the same job sends a value that code wrote", () =>
    Effect.gen(function*() {
      const { agent, happens, say, sent } = yield* make(reading)
      yield* say("Go")
      yield* happens(exec({ to: "me@x.org" }))
      expect(sent).toEqual([{ to: "me@x.org" }])
      // The call is in the log, with where its arguments came from.
      expect((yield* agent.session("s").calls).at(-1)).toMatchObject({
        toolId: "send",
        outcome: "done",
        origins: { to: [{ kind: "code" }] }
      })
    }).pipe(Effect.scoped))

  it.effect("is refused if a job of an earlier version asks for it, because its origins are not known", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const { happens, say, sent } = yield* make({
        ...reading,
        store: {
          ...store,
          commit: (write) => {
            const { jobs = [], ...session } = write.session as { readonly jobs?: ReadonlyArray<object> }
            const plain = jobs.map((job) => ({ ...job, origins: undefined }))
            return store.commit({
              ...write,
              session: plain.length === 0 ? session : { ...session, jobs: plain } as never
            })
          }
        }
      })
      yield* say("Go")
      yield* happens(exec({ to: "me@x.org" }))
      expect(sent).toEqual([])
    }).pipe(Effect.scoped))
})

describe("a policy", () => {
  const policies = [{ tool: "send", atMost: 1 }]
  const two = { run: ["a@x.org", "b@x.org"].map((to) => exec({ to }).run) }

  it.effect("applies to calls by jobs, even if two begin together, and counts them for the model's later calls", () =>
    Effect.gen(function*() {
      const { agent, happens, say, sent } = yield* make({
        script: [sends("c@x.org")],
        more: () => ({ policies })
      })
      yield* happens(two)
      expect(sent).toHaveLength(1)
      expect(outcomes((yield* say("Write to c@x.org")).toolCalls)).toEqual(["send denied"])
      expect((yield* agent.session("s").calls).map(({ outcome, toolId }) => [toolId, outcome])).toEqual([
        ["send", "done"]
      ])
    }).pipe(Effect.scoped))

  const logins = (act: object, ran: Array<string>) => [
    kit.tool({ id: "verify", handler: () => Effect.as(Effect.sleep("20 seconds"), "verified") }),
    kit.tool({ id: "logout", handler: () => "bye" }),
    kit.tool({ id: "act", ...act, handler: () => void ran.push("act") })
  ]
  const loggedIn = { tool: "act", onlyIf: { called: "verify", since: "logout" } }
  const job = (toolId: string) => ({ run: ToolExec.of({ toolId, arguments: {} }) })

  it.effect("does not count a job that began before a call of `since` and ended after it", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const { agent, say } = yield* make({
        script: [[toolCall("logout", {})], "Bye", [toolCall("act", {})]],
        tools: logins({}, ran),
        more: () => ({ policies: [loggedIn] })
      })
      yield* agent.notify({ sessionId: "s", event: "do", payload: job("verify") })
      yield* TestClock.adjust("10 seconds")
      yield* say("Log me out")
      yield* TestClock.adjust("40 seconds")
      expect((yield* agent.session("s").calls).map(({ outcome, toolId }) => `${toolId} ${outcome}`)).toEqual([
        "logout done",
        "verify done"
      ])
      expect([outcomes((yield* say("Act")).toolCalls), ran]).toEqual([["act denied"], []])
    }).pipe(Effect.scoped))

  it.effect("is checked again when the handler of a job begins, also for a tool that no policy reads", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const { agent, happens, say } = yield* make({
        script: [[toolCall("logout", {})]],
        tools: logins({ checkPermissions: () => Effect.as(Effect.sleep("20 seconds"), true) }, ran),
        more: () => ({ policies: [loggedIn] })
      })
      yield* happens(job("verify"))
      yield* happens(job("act"))
      expect(ran).toEqual(["act"])
      yield* agent.notify({ sessionId: "s", event: "do", payload: job("act") })
      yield* TestClock.adjust("10 seconds")
      yield* say("Log me out")
      yield* TestClock.adjust("40 seconds")
      expect(ran).toEqual(["act"])
    }).pipe(Effect.scoped))

  it.effect("still counts the first attempt of a job whose second attempt is refused", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const denied = kit.tool({ id: "act", checkPermissions: () => false, handler: () => "done" })
      const { agent, happens } = yield* make({
        tools: [denied],
        more: () => ({ policies: [{ tool: "act", atMost: 1 }] }),
        store: {
          ...store,
          // The server was lost while the first attempt ran.
          commit: (write) => {
            const { jobs: [{ id } = {}] = [] } = write.session as {
              readonly jobs?: ReadonlyArray<{ readonly id?: string }>
            }
            const entry = { id, toolId: "act", at: new Date(0).toISOString(), outcome: "unknown", args: {}, result: {} }
            return store.commit(
              id === undefined
                ? write
                : { ...write, session: { ...write.session, callLog: { calls: [entry] } } as never }
            )
          }
        }
      })
      yield* happens(job("act"))
      expect((yield* agent.session("s").calls).map(({ outcome }) => outcome)).toEqual(["unknown"])
    }).pipe(Effect.scoped))

  it.effect("does not count a job whose tool reported a failure", () =>
    Effect.gen(function*() {
      const failing = kit.tool({ id: "fail", handler: () => Effect.fail("no") })
      const { agent, happens } = yield* make({
        tools: [failing],
        more: () => ({ policies: [{ tool: "fail", atMost: 1 }] })
      })
      yield* happens({ run: ToolExec.of({ toolId: "fail", arguments: {} }) })
      expect(yield* agent.session("s").calls).toEqual([])
    }).pipe(Effect.scoped))
})
