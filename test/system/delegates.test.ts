/** External agents, as stand-in processes with the same protocols and with child processes. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type DelegateAgent, JobRunner, Jobs, SessionStore } from "coxswain"
import * as Acp from "coxswain/layers/acp"
import * as ClaudeCode from "coxswain/layers/claude-code"
import * as Codex from "coxswain/layers/codex"
import { ScriptedModel } from "coxswain/testing"
import { Chunk, Deferred, Effect, Fiber, Layer, Redacted, Schema, Stream } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

type Options = Pick<ClaudeCode.Options, "args" | "environment">

const program = (name: string) =>
  [process.execPath, path.join(import.meta.dirname, "fixtures/delegates", `${name}.mjs`)] as const

const agents = {
  claude: (options: ClaudeCode.Options = {}) => ClaudeCode.make({ command: program("claude"), ...options }),
  codex: (options: Options = {}) => Codex.make({ command: program("codex"), ...options }),
  acp: (options: Partial<Acp.Options> = {}) => Acp.make({ command: program("acp"), ...options })
}

type Make = Effect.Effect<DelegateAgent.Service, never, NodeContext.NodeContext>

const collect = (make: Make, request: DelegateAgent.Request) =>
  Effect.flatMap(make, (agent) => Effect.map(Stream.runCollect(agent.run(request)), Chunk.toReadonlyArray)).pipe(
    Effect.provide(NodeContext.layer)
  )

const failing = (make: Make, request: DelegateAgent.Request) => Effect.flip(collect(make, request))

const completed = (events: ReadonlyArray<DelegateAgent.Event>) => {
  const last = events.at(-1)
  if (last?._tag !== "Completed") throw new Error(`it ends with ${JSON.stringify(last)}`)
  return last
}

/** Whether a process runs; a zombie does not. */
const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== "linux" || !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

const pidsIn = (event: DelegateAgent.Event): ReadonlyArray<number> =>
  event._tag === "ToolCall" && event.status === "completed" ? event.output!.match(/\d+/g)!.map(Number) : []

/** Runs a task until it reports its processes, then runs `end` on its fiber and returns the processes. */
const processesOf = (
  make: Make,
  input: string,
  end: (task: Fiber.RuntimeFiber<void, DelegateAgent.DelegateFailure>) => Effect.Effect<unknown>
) =>
  Effect.gen(function*() {
    const agent = yield* make
    const told = yield* Deferred.make<ReadonlyArray<number>>()
    const task = yield* agent.run({ input, timeout: "10 seconds" }).pipe(
      Stream.runForEach((event) => {
        const pids = pidsIn(event)
        return pids.length > 0 ? Deferred.succeed(told, pids) : Effect.void
      }),
      Effect.fork
    )
    const pids = yield* Deferred.await(told)
    expect(pids.map(runs)).toEqual(pids.map(() => true))
    yield* end(task)
    return pids
  }).pipe(Effect.provide(NodeContext.layer))

const without = (event: DelegateAgent.Event) => {
  const { number: _, ...rest } = event
  return rest
}

const numbers = (events: ReadonlyArray<DelegateAgent.Event>) => events.map(({ number }) => number)

const skip = process.platform === "win32"

describe.skipIf(skip).concurrent.each(Object.entries(agents))("the delegated agent %s", (name, make) => {
  it.live("fails with `timeout` if the task takes too long, even with output meanwhile", () =>
    Effect.gen(function*() {
      const error = yield* failing(make(), { input: "hang", timeout: "3 seconds", idleTimeout: "2500 millis" })
      expect(error).toMatchObject({ _tag: "DelegateFailure", reason: "timeout", sessionId: expect.any(String) })
      expect(error.message).toContain("3s")
    }))

  it.live("fails with `idle` if the agent is silent for too long", () =>
    Effect.gen(function*() {
      const error = yield* failing(make(), { input: "silence", idleTimeout: 2500 })
      expect(error).toMatchObject({ reason: "idle", sessionId: expect.any(String) })
    }))

  it.live("fails with `exit` if the program crashes; the error has the program's last output without secrets", () =>
    Effect.gen(function*() {
      const environment = { SECRET: Redacted.make("sesame-123") }
      const error = yield* failing(make({ environment }), { input: "crash" })
      expect(error.reason).toBe("exit")
      expect(error.message).toContain("ended with code 3")
      expect(error.message).toContain("out of memory, with <redacted>")
    }))

  it.live("fails with `exit` if the program ends without a result or cannot be started", () =>
    Effect.gen(function*() {
      expect((yield* failing(make(), { input: "leave" })).reason).toBe("exit")
      const missing = yield* failing(
        name === "acp" ? Acp.make({ command: "no-such-program" }) : ClaudeCode.make({ command: "no-such-program" }),
        { input: "hello" }
      )
      expect(missing.reason).toBe("exit")
      expect(missing.message).toContain("could not be started")
      expect((yield* failing(make(), { input: "hello", workingDirectory: "/no/such/folder" })).reason).toBe("exit")
    }))

  it.live("fails with `protocol` at a torn or malformed line, even if a result follows", () =>
    Effect.gen(function*() {
      for (const input of ["torn", "wrong", "before"]) {
        expect(yield* failing(make(), { input })).toMatchObject({ reason: "protocol" })
      }
    }))

  it.live("fails without showing a secret, even if the secret is truncated in the message", () =>
    Effect.gen(function*() {
      const environment = { SECRET: Redacted.make("sesame-".repeat(30)) }
      for (const input of ["torn", "wrong", "refuse"]) {
        const error = yield* failing(make({ environment }), { input })
        expect(error.reason).toBe(input === "refuse" ? "refused" : "protocol")
        expect(error.message).not.toContain("sesame")
      }
    }))

  it.live("fails with `protocol` at a line that is nested too deeply", () =>
    Effect.gen(function*() {
      const error = yield* failing(make(), { input: "deep" })
      expect(error).toMatchObject({ reason: "protocol", message: expect.stringContaining("nested too deep") })
    }))

  it.live(
    "completes if the program writes anything, even endlessly, after its result",
    () =>
      Effect.gen(function*() {
        for (const input of ["after", "endless"]) {
          const { output } = completed(yield* collect(make(), { input }))
          expect([input, Number(output) > 0, runs(Number(output))]).toEqual([input, true, false])
        }
      })
  )

  it.live("fails with `refused` if the agent reports that it did not do the task", () =>
    Effect.gen(function*() {
      expect(yield* failing(make(), { input: "refuse" })).toMatchObject({ reason: "refused" })
    }))

  it.live("kills all processes when the task is cancelled, even those that ignore signals", () =>
    Effect.gen(function*() {
      const left = yield* processesOf(make(), "children", Fiber.interrupt)
      expect(left).toHaveLength(3)
      expect(left.filter(runs)).toEqual([])
      const deaf = yield* processesOf(make(), "deaf", Fiber.interrupt)
      expect(deaf.filter(runs)).toEqual([])
    }))

  it.live("kills background processes that the agent leaves running at its end", () =>
    Effect.gen(function*() {
      const left = completed(yield* collect(make(), { input: "background" })).output.match(/\d+/g)!.map(Number)
      expect(left).toHaveLength(2)
      expect(left.filter(runs)).toEqual([])
    }))

  it.live("runs in the given working directory", () =>
    Effect.gen(function*() {
      const folder = fs.realpathSync(os.tmpdir())
      const { output } = completed(yield* collect(make(), { input: "where", workingDirectory: folder }))
      expect(JSON.parse(output)).toMatchObject({ cwd: folder })
    }))
})

describe.skipIf(skip).concurrent("the delegated agent Claude Code", () => {
  const told = [
    { _tag: "Started", sessionId: "5f0c-new", model: "sonnet" },
    { _tag: "Progress", tokens: 115 },
    { _tag: "Message", delta: "I look at ", messageId: "msg_1" },
    { _tag: "Progress", tokens: 230 },
    { _tag: "Message", delta: "the tests.", messageId: "msg_2" }
  ]

  it.live("emits all events in order", () =>
    Effect.gen(function*() {
      const events = yield* collect(agents.claude(), { input: "fix the build" })
      expect(numbers(events)).toEqual(events.map((_, i) => i + 1))
      const said = events.map(without).filter(({ _tag }) => _tag !== "Progress")
      expect(said).toEqual([
        ...told.filter(({ _tag }) => _tag !== "Progress"),
        { _tag: "ToolCall", status: "started", callId: "toolu_1", name: "read", input: { path: "a.test.ts" } },
        { _tag: "ToolCall", status: "completed", callId: "toolu_1", name: "read", output: "2 tests" },
        { _tag: "ToolCall", status: "started", callId: "toolu_2", name: "run", input: { command: "npm test" } },
        { _tag: "ToolCall", status: "failed", callId: "toolu_2", name: "run", output: "1 failed" },
        { _tag: "Message", delta: "Done: ünïcode 🎉", messageId: "msg_7" },
        {
          _tag: "Completed",
          output: "Done: ünïcode 🎉",
          sessionId: "5f0c-new",
          usage: { inputTokens: 300, outputTokens: 50, cachedInputTokens: 100, cost: 0.25 }
        }
      ])
      const tokens = events.flatMap((event) => event._tag === "Progress" ? [event.tokens] : [])
      expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
      expect(tokens.at(-1)).toBe(7 * 115)
    }))

  it.live("streams text in pieces, each piece once, with `partialMessages`", () =>
    Effect.gen(function*() {
      const events = yield* collect(agents.claude({ partialMessages: true }), { input: "fix the build" })
      const words = events.flatMap((event) => event._tag === "Message" ? [event.delta] : [])
      expect(words).toEqual(["I ", "look ", "at ", "the ", "tests.", "Done: ", "ünïcode ", "🎉"])
    }))

  it.live("passes all options to the program", () =>
    Effect.gen(function*() {
      const request = {
        input: "where",
        model: "opus",
        sessionId: "5f0c-old",
        maxTurns: 3,
        allowedTools: ["Read", "Bash(git log:*)"]
      }
      const events = yield* collect(agents.claude({ args: ["--permission-mode", "plan"] }), request)
      expect(events[0]).toMatchObject({ _tag: "Started", sessionId: "5f0c-old", model: "opus" })
      const { args } = JSON.parse(completed(events).output)
      expect(args.join(" ")).toBe(
        "-p --output-format stream-json --verbose --model opus --resume 5f0c-old --max-turns 3 " +
          "--allowedTools Read Bash(git log:*) --permission-mode plan"
      )
      const none = completed(yield* collect(agents.claude(), { input: "where", allowedTools: [] })).output
      expect(JSON.parse(none).args.slice(-2)).toEqual(["--tools", ""])
    }))

  it.live("fails if the session to resume does not exist", () =>
    Effect.gen(function*() {
      const error = yield* failing(agents.claude(), { input: "hello", sessionId: "gone" })
      expect(error).toMatchObject({ reason: "exit" })
      expect(error.message).toContain("No conversation found with session ID: gone")
    }))

  it.live("passes a long input completely, and handles a program that ends before it has read it", () =>
    Effect.gen(function*() {
      const input = `fix ${"a long story ".repeat(200_000)}`
      expect(completed(yield* collect(agents.claude(), { input })).output).toContain("Done")
      expect((yield* failing(agents.claude({ args: ["--nonsense"] }), { input })).message).toContain("unknown option")
    }))
})

describe.skipIf(skip).concurrent("the delegated agent Codex", () => {
  it.live("emits all events in order", () =>
    Effect.gen(function*() {
      const events = yield* collect(agents.codex(), { input: "fix the build" })
      expect(numbers(events)).toEqual(events.map((_, i) => i + 1))
      const run = { callId: "item_3", name: "command_execution" }
      expect(events.map(without)).toEqual([
        { _tag: "Started", sessionId: "0199-new" },
        { _tag: "Message", delta: "I look at ", messageId: "item_1" },
        { _tag: "Message", delta: "the tests.", messageId: "item_1" },
        { _tag: "ToolCall", status: "started", callId: "item_2", name: "files.read", input: { path: "a.test.ts" } },
        {
          _tag: "ToolCall",
          status: "completed",
          callId: "item_2",
          name: "files.read",
          output: `[{"type":"text","text":"2 tests"}]`
        },
        { _tag: "ToolCall", status: "started", ...run, input: { command: "npm test" } },
        { _tag: "ToolCall", status: "failed", ...run, output: "1 failed" },
        { _tag: "Message", delta: "Done: ünïcode 🎉", messageId: "item_4" },
        {
          _tag: "ToolCall",
          status: "started",
          callId: "item_5",
          name: "file_change",
          input: { changes: [{ path: "a.ts", kind: "update" }] }
        },
        { _tag: "ToolCall", status: "completed", callId: "item_5", name: "file_change", output: "" },
        { _tag: "Progress", tokens: 350 },
        {
          _tag: "Completed",
          output: "Done: ünïcode 🎉",
          sessionId: "0199-new",
          usage: { inputTokens: 300, outputTokens: 50, cachedInputTokens: 100 }
        }
      ])
    }))

  it.live("passes its options to the program, and resumes a session", () =>
    Effect.gen(function*() {
      const codex = agents.codex({ args: ["--sandbox", "read-only"] })
      const events = yield* collect(codex, { input: "where", model: "o9", sessionId: "0199-old" })
      expect(events[0]).toMatchObject({ _tag: "Started", sessionId: "0199-old" })
      expect(JSON.parse(completed(events).output).args.join(" ")).toBe(
        "exec --json --model o9 --sandbox read-only resume 0199-old -"
      )
    }))

  it.live("refuses unsupported options before anything runs", () =>
    Effect.gen(function*() {
      const codex = Codex.make({ command: "no-such-program" })
      const error = yield* failing(codex, { input: "hello", allowedTools: ["Read"], maxTurns: 3 })
      expect(error.reason).toBe("unsupported")
      expect(error.message).toContain("allowedTools (codex does not have it), maxTurns")
    }))
})

describe.skipIf(skip).concurrent("a delegated agent over the Agent Client Protocol", () => {
  const can = (abilities: object) => ({ environment: { CAN: JSON.stringify(abilities) } })

  it.live("emits all events in order", () =>
    Effect.gen(function*() {
      const events = yield* collect(agents.acp(can({ usage: true })), { input: "fix the build" })
      expect(numbers(events)).toEqual(events.map((_, i) => i + 1))
      expect(events.map(without)).toEqual([
        { _tag: "Started", sessionId: "acp-new" },
        { _tag: "Message", delta: "I look at ", messageId: "m0" },
        { _tag: "Message", delta: "the tests.", messageId: "m0" },
        { _tag: "ToolCall", status: "started", callId: "call_1", name: "read", input: { path: "a.test.ts" } },
        { _tag: "ToolCall", status: "completed", callId: "call_1", name: "read", output: "2 tests" },
        { _tag: "ToolCall", status: "started", callId: "call_2", name: "run", input: { command: "npm test" } },
        { _tag: "ToolCall", status: "failed", callId: "call_2", name: "run", output: "1 failed" },
        { _tag: "Message", delta: "Done: ünïcode 🎉", messageId: "m2" },
        { _tag: "Progress", tokens: 350 },
        {
          _tag: "Completed",
          output: "Done: ünïcode 🎉",
          sessionId: "acp-new",
          usage: { inputTokens: 300, outputTokens: 50, cachedInputTokens: 100, cost: 0.25 }
        }
      ])
    }))

  const edit = (events: ReadonlyArray<DelegateAgent.Event>) =>
    events.flatMap((event) => event._tag === "ToolCall" && event.callId === "call_2" ? [event.status] : [])

  it.live("denies permission requests by default", () =>
    Effect.gen(function*() {
      const events = yield* collect(agents.acp(), { input: "example" })
      expect(edit(events)).toEqual(["started", "failed"])
      expect(completed(events)).toMatchObject({ output: " I left the file as it was (reject)." })
      expect(completed(events)).not.toHaveProperty("usage")
    }))

  it.live("grants a permission once if `permit` returns true", () =>
    Effect.gen(function*() {
      const asked: Array<Acp.Permission> = []
      const permit: Acp.Options["permit"] = (one) => Effect.as(Effect.sync(() => asked.push(one)), true)
      const events = yield* collect(agents.acp({ permit }), { input: "example" })
      expect(asked).toEqual([{ callId: "call_2", title: "Changing a file", kind: "edit", input: { path: "/a" } }])
      expect(edit(events)).toEqual(["started", "completed"])
      expect(completed(events).output).toBe(" The file is changed.")
    }))

  it.live("resumes by `session/load` or `session/resume`, without events of the earlier conversation", () =>
    Effect.gen(function*() {
      for (const abilities of [{ load: true }, { resume: true }]) {
        const events = yield* collect(agents.acp(can(abilities)), { input: "where", sessionId: "acp-old" })
        expect(events[0]).toMatchObject({ _tag: "Started", sessionId: "acp-old" })
        expect(events.map(({ _tag }) => _tag)).toEqual(["Started", "Message", "Progress", "Completed"])
      }
    }))

  it.live("refuses requests that the agent does not support", () =>
    Effect.gen(function*() {
      expect((yield* failing(agents.acp(), { input: "hello", sessionId: "acp-old" })).reason).toBe("unsupported")
      const large = { input: "where", model: "large" }
      expect((yield* failing(agents.acp(), large)).reason).toBe("unsupported")
      expect((yield* collect(agents.acp(can({ models: true })), large))[0]).toMatchObject({ model: "large" })
      expect((yield* failing(agents.acp(), { input: "hello", maxTurns: 3 })).reason).toBe("unsupported")
      expect((yield* failing(agents.acp(can({ version: 2 })), { input: "hello" })).reason).toBe("protocol")
      const locked = yield* failing(agents.acp(can({ locked: true })), { input: "hello" })
      expect([locked.reason, locked.message]).toEqual(["refused", expect.stringContaining("Authentication required")])
    }))
})

describe.skipIf(skip).concurrent("a delegated task of a conversation", () => {
  const { AgentSession } = Jobs
  const kit = Agent.define({
    data: Schema.Struct({ pids: Schema.String }),
    events: { begin: Schema.Null, stop: Schema.String },
    jobs: [AgentSession]
  })

  it.live("leaves no process behind when its job is cancelled", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make({
        name: "Desk",
        on: {
          begin: () => ({ run: AgentSession.of({ adapter: "claude-code", input: "children" }) }),
          stop: ({ event }) => ({ cancel: event }),
          [AgentSession.progress]: ({ event }) =>
            event._tag === "ToolCall" && event.status === "completed"
              ? { dataUpdate: { pids: event.output ?? "" } }
              : {}
        }
      })
      const store = yield* SessionStore.SessionStore
      const jobs = JobRunner.layer([agent]).pipe(
        Layer.provide([AgentSession.layer(agents.claude()), Layer.succeed(SessionStore.SessionStore, store)])
      )
      yield* Layer.build(jobs)
      const { snapshot } = agent.session("s1")
      const { session } = yield* agent.notify({ sessionId: "s1", event: "begin", payload: null })
      const told = yield* Effect.repeat(Effect.delay(snapshot, "50 millis"), {
        until: ({ data }) => data.pids !== undefined
      }).pipe(Effect.timeout("15 seconds"))
      const pids = told.data.pids!.match(/\d+/g)!.map(Number)
      expect(pids.filter(runs)).toHaveLength(3)
      yield* agent.notify({ sessionId: "s1", event: "stop", payload: session.jobs![0]!.id })
      const left = Effect.sync(() => pids.filter(runs))
      yield* Effect.repeat(Effect.delay(left, "50 millis"), { until: (still) => still.length === 0 }).pipe(
        Effect.timeout("10 seconds")
      )
      expect((yield* snapshot).jobs).toBeUndefined()
    }).pipe(
      Effect.scoped,
      Effect.provide([NodeContext.layer, SessionStore.layerMemory, ScriptedModel.layer()])
    ))
})
