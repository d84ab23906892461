/** The work of the port for every adapter: it checks requests, keeps limits and numbers events. */
import { describe, expect, it } from "@effect/vitest"
import { DelegateAgent } from "coxswain"
import { Chunk, Effect, FastCheck as fc, Fiber, Ref, Schema, Stream, TestClock } from "effect"

const all = { sessionId: true, model: true, workingDirectory: true, allowedTools: true, maxTurns: true }

const agentOf = (
  run: DelegateAgent.Adapter["run"],
  capabilities: Partial<DelegateAgent.Capabilities> = {}
) => DelegateAgent.make({ name: "helper", capabilities: { ...all, ...capabilities }, run })

const started = { _tag: "Started", sessionId: "s1" } as const
const done = { _tag: "Completed", sessionId: "s1", output: "42" } as const
const call = { _tag: "ToolCall", callId: "c1", name: "read" } as const

const tellAll = (...said: ReadonlyArray<DelegateAgent.Said>) => agentOf(() => Stream.make(said))

const collect = (agent: DelegateAgent.Service, request: DelegateAgent.Request = { input: "go" }) =>
  Effect.map(Stream.runCollect(agent.run(request)), Chunk.toReadonlyArray)

const never = agentOf(() => Stream.concat(Stream.make([started]), Stream.never))

describe("DelegateAgent (runs a task in another agent)", () => {
  it.effect("numbers the events, and ends the stream with the result", () =>
    Effect.gen(function*() {
      const late = { _tag: "Message", delta: "too late" } as const
      const said: ReadonlyArray<ReadonlyArray<DelegateAgent.Said>> = [
        [started],
        [],
        [{ _tag: "Message", delta: "hm" }],
        [done, late]
      ]
      const agent = agentOf(() => Stream.fromIterable(said))
      const events = yield* collect(agent)
      expect(events).toEqual([
        { ...started, number: 1 },
        { _tag: "Message", delta: "hm", number: 2 },
        { ...done, number: 3 }
      ])
      const encoded = yield* Schema.encode(Schema.Array(DelegateAgent.Event))(events)
      expect(yield* Schema.decode(Schema.Array(DelegateAgent.Event))(JSON.parse(JSON.stringify(encoded)))).toEqual(
        events
      )
    }))

  it.effect("fails with the reason `protocol` when the adapter ends without a result", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(collect(tellAll(started)))
      expect(error).toMatchObject({ reason: "protocol", adapter: "helper", sessionId: "s1" })
      expect(error.message).toMatch(/^\[DelegateFailure\] the task for "helper": .+\. .+\.$/)
    }))

  it.effect("times out after 5 minutes by default, or after the request's `timeout`", () =>
    Effect.gen(function*() {
      for (
        const [timeout, before] of [[undefined, "299 seconds"], ["2 hours", "7199 seconds"], [
          2000,
          "1 second"
        ]] as const
      ) {
        const task = yield* Effect.fork(Effect.flip(collect(never, { input: "go", ...(timeout && { timeout }) })))
        yield* TestClock.adjust(before)
        expect(yield* Fiber.poll(task)).toMatchObject({ _tag: "None" })
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(task)).toMatchObject({ reason: "timeout", sessionId: "s1" })
      }
    }))

  it.effect("restarts the idle timeout at every batch from the adapter, even an empty one", () =>
    Effect.gen(function*() {
      const alive = agentOf(() =>
        Stream.concat(Stream.make([started], [], []).pipe(Stream.tap(() => Effect.sleep("9 seconds"))), Stream.never)
      )
      const task = yield* Effect.fork(Effect.flip(collect(alive, { input: "go", idleTimeout: "10 seconds" })))
      yield* TestClock.adjust("36 seconds")
      expect(yield* Fiber.poll(task)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(task)).toMatchObject({ reason: "idle", sessionId: "s1" })
    }))

  it.effect("releases the adapter's resources when the reader of the events stops or is interrupted", () =>
    Effect.gen(function*() {
      const held = yield* Ref.make(0)
      const agent = agentOf(() =>
        Stream.acquireRelease(Ref.update(held, (n) => n + 1), () => Ref.update(held, (n) => n - 1)).pipe(
          Stream.flatMap(() => Stream.concat(Stream.make([started]), Stream.never))
        )
      )
      expect(yield* Stream.runHead(agent.run({ input: "go" }))).toMatchObject({ value: { _tag: "Started" } })
      const task = yield* Effect.fork(collect(agent))
      yield* TestClock.adjust("1 minute")
      expect(yield* Ref.get(held)).toBe(1)
      yield* Fiber.interrupt(task)
      expect(yield* Ref.get(held)).toBe(0)
    }))

  it.effect("refuses each option that the adapter does not support, without running the adapter", () =>
    Effect.gen(function*() {
      const options = { sessionId: "s", model: "m", workingDirectory: "/", allowedTools: [], maxTurns: 1 }
      for (const [option, value] of Object.entries(options)) {
        const agent = agentOf(() => Stream.dieMessage("it runs"), { [option]: false })
        const error = yield* Effect.flip(collect(agent, { input: "go", [option]: value }))
        expect(error).toMatchObject({ reason: "unsupported" })
        expect(error.message).toContain(option)
      }
    }))

  it.effect("refuses an invalid request", () =>
    Effect.gen(function*() {
      const agent = agentOf(() => Stream.dieMessage("it runs"))
      const wrong: ReadonlyArray<object> = [
        {},
        { input: " " },
        { input: "go", sessionId: "" },
        { input: "go", sessionId: "--dangerously-skip-permissions" },
        { input: "go", model: "-m" },
        { input: "go", allowedTools: ["Read", "--verbose"] },
        { input: "go", timeout: "soon" },
        { input: "go", timeout: 0 },
        { input: "go", idleTimeout: Infinity },
        { input: "go", maxTurns: 0 },
        { input: "go", maxTurns: 1.5 },
        { input: "go", colour: "red" }
      ]
      for (const request of wrong) {
        const error = yield* Effect.flip(collect(agent, request as DelegateAgent.Request))
        expect([request, error.reason]).toEqual([request, "refused"])
      }
    }))

  it.prop("accepts no model name that begins with a dash or white space", [fc.string()], ([word]) => {
    const accepted = Schema.is(DelegateAgent.Request)({ input: "go", model: word })
    if (accepted) expect(word).toMatch(/^[^-\s]/)
    return true
  })

  it.effect("truncates tool inputs and outputs to 5000 characters", () =>
    Effect.gen(function*() {
      const long = "x".repeat(6000)
      const [, begun, ended] = yield* collect(tellAll(
        started,
        { ...call, status: "started", input: { text: long } },
        { ...call, status: "completed", output: long },
        done
      ))
      expect((begun as { input: string }).input).toMatch(/\[Truncated: 6011 chars total, showing first 5000\]$/)
      expect((ended as { output: string }).output).toMatch(/\[Truncated: 6000 chars total, showing first 5000\]$/)
    }))

  it.effect("splits a long message into parts without splitting a character", () =>
    Effect.gen(function*() {
      const text = `x${"🎉".repeat(9000)}`
      const events = yield* collect(tellAll(started, { _tag: "Message", delta: text, messageId: "m" }, done))
      const deltas = events.flatMap((event) => event._tag === "Message" ? [event.delta] : [])
      expect(deltas).toHaveLength(3)
      expect(deltas.join("")).toBe(text)
      for (const delta of deltas) expect(Buffer.from(delta).toString()).toBe(delta)
      expect(events.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
    }))
})
