import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import { FetchHttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionLock, SessionStore, Understanding } from "coxswain"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Redacted, Schedule, Schema, Stream, TestClock } from "effect"
import { dialects } from "../../layers/models/dialects.js"
import { serve } from "../../layers/models/server.js"
import * as StreamedModel from "../../support/StreamedModel.js"

const kit = Agent.define({ data: Schema.Struct({ booked: Schema.String, city: Schema.String }) })

type Moment =
  | "waiting for the lock"
  | "opening"
  | "understanding"
  | "before the first token"
  | "in the middle of the text"
  | "in a tool that is cancelled"
  | "in a tool that is cancelled, after text"
  | "in a tool that blocks"
  | "in a tool that blocks, after text"
  | "in the commit"

type Way = "abort" | "close the stream" | "interrupt respond"

interface Row {
  readonly moment: Moment
  /** The text said before the moment. */
  readonly said: string
  /** Whether stopping waits until the moment has passed. */
  readonly waits?: boolean
  /** The result of an abort in the store: nothing, the partial text, or, if it is too late, the whole turn. */
  readonly abort: "nothing" | "partial" | "whole"
  /** The events an abort adds to those before. */
  readonly tells: ReadonlyArray<string>
  /** The outcome of the tool call in the response of an abort. */
  readonly outcome?: string
}

const stopped = ["Interrupted", "TurnCompleted"]
const kept = ["DataCollected", ...stopped]

const rows: ReadonlyArray<Row> = [
  { moment: "waiting for the lock", said: "", abort: "nothing", tells: stopped },
  { moment: "opening", said: "", abort: "nothing", tells: stopped },
  { moment: "understanding", said: "", abort: "nothing", tells: stopped },
  { moment: "before the first token", said: "", abort: "nothing", tells: ["ModelCallFinished", ...stopped] },
  { moment: "in the middle of the text", said: "Hello ", abort: "partial", tells: ["ModelCallFinished", ...stopped] },
  {
    moment: "in a tool that is cancelled",
    said: "",
    abort: "nothing",
    tells: ["ToolCallCompleted", ...stopped],
    outcome: "interrupted"
  },
  {
    moment: "in a tool that is cancelled, after text",
    said: "Hello there",
    abort: "partial",
    tells: ["ToolCallCompleted", ...stopped],
    outcome: "interrupted"
  },
  {
    moment: "in a tool that blocks",
    said: "",
    waits: true,
    abort: "nothing",
    tells: ["ToolCallCompleted", ...stopped],
    outcome: "ok"
  },
  {
    moment: "in a tool that blocks, after text",
    said: "Hello there",
    waits: true,
    abort: "partial",
    tells: ["ToolCallCompleted", ...kept],
    outcome: "ok"
  },
  { moment: "in the commit", said: "Hello there", waits: true, abort: "whole", tells: ["TurnCompleted"] }
]

/** An agent whose turn halts at one moment until `letGo`. */
const halting = (moment: Moment) =>
  Effect.gen(function*() {
    const reached = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    /** The external effects that took place. */
    const world: Array<string> = []
    let armed = true
    const halt = (...moments: ReadonlyArray<Moment>) =>
      Effect.suspend(() =>
        armed && moments.includes(moment)
          ? Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(gate))
          : Effect.void
      )
    const calls = moment.startsWith("in a tool")
      ? [{ call: moment.startsWith("in a tool that blocks") ? "book" : "look" }]
      : []
    const text = moment === "in a tool that is cancelled" || moment === "in a tool that blocks"
      ? []
      : ["Hello ", halt("in the middle of the text"), "there"]
    const voice = StreamedModel.make(() => armed ? [halt("before the first token"), ...text, ...calls] : ["Fine"])
    const memory = yield* SessionStore.makeMemory
    const store = Layer.succeed(SessionStore.SessionStore, {
      ...memory,
      commit: (write) => Effect.zipRight(halt("in the commit"), memory.commit(write))
    })
    const understanding = Layer.succeed(Understanding.Understanding, {
      answer: () => Effect.as(halt("understanding"), Understanding.none)
    })
    const lock = yield* SessionLock.make
    const agent = yield* kit.make({
      name: "Halting",
      hooks: { beforeRespond: () => halt("opening") },
      tools: [
        kit.tool({
          id: "look",
          handler: () =>
            Effect.as(
              Effect.zipRight(
                halt("in a tool that is cancelled", "in a tool that is cancelled, after text"),
                record("looked")
              ),
              "found"
            )
        }),
        kit.tool({
          id: "book",
          interruptBehavior: "block",
          handler: () =>
            Effect.as(
              Effect.zipRight(halt("in a tool that blocks", "in a tool that blocks, after text"), record("booked")),
              { ok: true, outputMessage: "booked", dataUpdate: { booked: "yes" } }
            )
        })
      ],
      flows: [{
        title: "Talk",
        optionalFields: ["city"],
        steps: [{ id: "talk", prompt: "Talk", until: () => false }]
      }]
    }).pipe(
      Effect.provide([voice.layer, store, understanding]),
      Effect.provideService(SessionLock.SessionLock, lock)
    )
    function record(what: string) {
      return Effect.sync(() => void world.push(what))
    }
    const holder = moment === "waiting for the lock"
      ? yield* Effect.fork(
        lock.withLock("u1")(Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(gate)))
      )
      : undefined
    return {
      agent,
      memory,
      world,
      /** Completes when the turn has reached the moment. */
      reached: holder === undefined
        ? Deferred.await(reached)
        : Effect.zipRight(Deferred.await(reached), TestClock.adjust("1 second")),
      letGo: Deferred.succeed(gate, undefined),
      disarm: Effect.sync(() => {
        armed = false
      })
    }
  })

const texts = (messages: ReadonlyArray<{ readonly message: { readonly [key: string]: unknown } }>) =>
  messages.map(({ message: { content, role } }) => [
    role,
    (content as ReadonlyArray<{ readonly text?: string }>).map((part) => part.text ?? "").join("")
  ])

const request = { sessionId: "u1", message: "hi" }

describe("a turn stopped by `abort`, by closing its stream or by interrupting `respond`", () => {
  for (const row of rows) {
    for (const way of ["abort", "close the stream", "interrupt respond"] as ReadonlyArray<Way>) {
      const stored = way === "abort" ? row.abort : "nothing"
      it.effect(`${way} ${row.moment}: the stored part of the turn is: ${stored}`, () =>
        Effect.gen(function*() {
          const { agent, disarm, letGo, memory, reached, world } = yield* halting(row.moment)
          const events: Array<{ readonly _tag: string }> = []
          const see = (event: { readonly _tag: string }) => Effect.sync(() => void events.push(event))
          const turn = way === "abort" ? yield* agent.session("u1").send("hi") : undefined
          const fiber = yield* (turn !== undefined
            ? Stream.runForEach(turn.events, see)
            : way === "close the stream"
            ? Stream.runForEach(agent.stream(request), see)
            : Effect.asVoid(agent.respond(request))).pipe(Effect.fork)
          yield* reached
          yield* TestClock.adjust("1 second")
          const before = events.length

          const stop = yield* Effect.fork(turn === undefined ? Effect.asVoid(Fiber.interrupt(fiber)) : turn.abort)
          yield* TestClock.adjust("1 second")
          // Every way of stopping waits for a blocking tool; only an abort waits for a commit.
          const waits = row.waits === true && (way === "abort" || row.moment !== "in the commit")
          expect(stop.unsafePoll() === null).toBe(waits)
          if (waits) yield* letGo
          yield* Fiber.join(stop)
          expect(world).toEqual(row.moment.startsWith("in a tool that blocks") ? ["booked"] : [])

          const session = yield* memory.load("u1", { messages: 10 })
          const partial = [["user", "hi"], ["assistant", row.said], ["user", "[interrupted by user]"]]
          const whole = [["user", "hi"], ["assistant", row.said]]
          expect(Option.match(session, { onNone: () => "nothing" as const, onSome: ({ messages }) => texts(messages) }))
            .toEqual(stored === "nothing" ? "nothing" : stored === "partial" ? partial : whole)
          if (row.moment !== "waiting for the lock") expect(events.length > 0).toBe(way !== "interrupt respond")

          if (turn !== undefined) {
            yield* Fiber.join(fiber)
            expect(events.slice(before).map(({ _tag }) => _tag)).toEqual(row.tells)
            const response = yield* turn.response
            expect(events.at(-1)).toEqual({ _tag: "TurnCompleted", response })
            expect(response.message).toBe(row.said)
            expect(response.stoppedReason).toBe(stored === "whole" ? "last_step" : "aborted")
            expect(response.session.version).toBe(stored === "nothing" ? 0 : 1)
            expect(response.toolCalls.map(({ outcome }) => outcome)).toEqual(
              row.outcome === undefined ? [] : [row.outcome]
            )
            // The tool's writes are kept together with the partial text, which may mention them.
            const booked = row.outcome === "ok" && stored === "partial" ? { booked: "yes" } : {}
            expect(response.session.data).toEqual(booked)
            expect(response.collected).toEqual(booked)
            const interrupted = events.find(({ _tag }) => _tag === "Interrupted")
            expect(interrupted).toEqual(stored === "whole" ? undefined : { _tag: "Interrupted", message: row.said })
          } else {
            expect(Exit.isInterrupted(yield* Fiber.await(fiber))).toBe(true)
            expect(events.map(({ _tag }) => _tag)).not.toContain("TurnCompleted")
          }

          // The lock is free, and the next turn succeeds.
          yield* disarm
          yield* letGo
          const next = yield* Effect.fork(agent.respond({ sessionId: "u1", message: "still there?" }))
          yield* TestClock.adjust("1 second")
          expect(next.unsafePoll() === null).toBe(false)
          const response = yield* Fiber.join(next)
          expect(response.message).toBe("Fine")
          expect(response.session.version).toBe(stored === "nothing" ? 1 : 2)
          const after = Option.getOrThrow(yield* memory.load("u1", { messages: 10 }))
          expect(texts(after.messages)).toEqual([
            ...(stored === "nothing" ? [] : stored === "partial" ? partial : whole),
            ["user", "still there?"],
            ["assistant", "Fine"]
          ])
        }))
    }
  }
})

describe("`abort` of a turn", () => {
  const talker = (voice: ReturnType<typeof StreamedModel.make>) =>
    kit.make({
      name: "Talker",
      flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
    }).pipe(Effect.provide([voice.layer, SessionStore.layerMemory]))

  it.effect("can be called by the reader of the event stream while unread events are left", () =>
    Effect.gen(function*() {
      const words = Array.from({ length: 500 }, (_, i) => `w${i} `)
      const agent = yield* talker(StreamedModel.make(() => words))
      const turn = yield* agent.session("u1").send("hi")
      const reader = yield* turn.events.pipe(
        Stream.runForEach(({ _tag }) => _tag === "TextDelta" ? turn.abort : Effect.void),
        Effect.fork
      )
      yield* TestClock.adjust("1 second")
      expect(reader.unsafePoll() === null).toBe(false)
      const { message, stoppedReason } = yield* turn.response
      expect(stoppedReason).toBe("aborted")
      expect(words.join("").startsWith(message)).toBe(true)
      expect(message.length).toBeLessThan(words.join("").length)
    }))

  it.effect("can be called before the turn begins and repeatedly, and has no effect after the turn's end", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make(() => ["Hi"])
      const session = (yield* talker(voice)).session("u1")
      const early = yield* session.send("hi")
      yield* early.abort
      yield* early.abort
      expect(yield* early.response).toMatchObject({ stoppedReason: "aborted", message: "" })
      expect(voice.calls()).toBe(0)
      const late = yield* session.send("hi")
      const response = yield* late.response
      yield* late.abort
      expect(yield* late.response).toEqual(response)
      expect((yield* session.snapshot).version).toBe(1)
    }))

  it.effect("frees the `messageId` if nothing was stored; otherwise a repeated request gets the partial response", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const voice = StreamedModel.make((n) =>
        n === 0 ? [Effect.never] : n === 1 ? ["Half ", Deferred.await(gate)] : ["Whole"]
      )
      const session = (yield* talker(voice)).session("u1")
      const send = (abortAt: string) =>
        Effect.gen(function*() {
          const turn = yield* session.send("hi", { messageId: "m1" })
          yield* Stream.runDrain(Stream.takeUntil(turn.events, ({ _tag }) => _tag === abortAt))
          yield* turn.abort
          return yield* turn.response
        })
      expect((yield* send("StepEntered")).message).toBe("")
      const half = yield* send("TextDelta")
      expect(half.message).toBe("Half ")
      const again = yield* session.send("hi", { messageId: "m1" })
      expect(yield* again.response).toEqual(half)
      expect(voice.calls()).toBe(2)
    }))

  it.effect("ends the running model call, which still counts in the usage", () =>
    Effect.gen(function*() {
      const turn = yield* (yield* talker(StreamedModel.make(() => ["Half ", Effect.never]))).session("u1").send("hi")
      yield* Stream.runDrain(Stream.takeUntil(turn.events, ({ _tag }) => _tag === "TextDelta"))
      yield* turn.abort
      expect((yield* turn.response).usage.modelCalls).toBe(1)
      const finished = Array.from(yield* Stream.runCollect(turn.events)).find(({ _tag }) =>
        _tag === "ModelCallFinished"
      )
      expect(finished).toMatchObject({ finishReason: "interrupted" })
    }))

  it.effect("waits for tools with `interruptBehavior: 'block'`, and cancels the other concurrent tools", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const done: Array<string> = []
      const agent = yield* kit.make({
        name: "Parallel",
        tools: [
          kit.tool({
            id: "block",
            interruptBehavior: "block",
            isConcurrencySafe: true,
            handler: (_, ctx) =>
              Deferred.await(gate).pipe(
                // More events than the buffer of an absent reader holds.
                Effect.zipRight(Effect.forEach(Array.from({ length: 50 }, (_, i) => i), (i) => ctx.progress(i))),
                Effect.zipRight(Effect.sync(() => void done.push("block")))
              )
          }),
          kit.tool({
            id: "cancel",
            isConcurrencySafe: true,
            handler: () => Effect.zipRight(Deferred.await(gate), Effect.sync(() => void done.push("cancel")))
          })
        ],
        flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk" }] }]
      }).pipe(
        Effect.provide([
          StreamedModel.make(() => [{ call: "cancel" }, { call: "block" }]).layer,
          SessionStore.layerMemory
        ])
      )

      const turn = yield* agent.session("u1").send("hi")
      yield* TestClock.adjust("1 second")
      const abort = yield* Effect.fork(turn.abort)
      yield* TestClock.adjust("1 second")
      expect(abort.unsafePoll() === null).toBe(true)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(abort)
      expect(done).toEqual(["block"])
      expect((yield* turn.response).toolCalls.map(({ outcome, toolId }) => [toolId, outcome])).toEqual([
        ["cancel", "interrupted"],
        ["block", "ok"]
      ])
    }))

  it.effect("does not wait for the permission check of a blocking tool, nor longer than the tool's timeout", () =>
    Effect.gen(function*() {
      const agentOf = (where: "gate" | "handler") =>
        kit.make({
          name: "Stuck",
          tools: [
            kit.tool({
              id: "stuck",
              interruptBehavior: "block",
              timeout: "10 seconds",
              checkPermissions: () => where === "gate" ? Effect.never : Effect.succeed(true),
              handler: () => Effect.never
            })
          ],
          flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk" }] }]
        }).pipe(Effect.provide([StreamedModel.make(() => [{ call: "stuck" }]).layer, SessionStore.layerMemory]))
      for (const [where, outcome] of [["gate", "interrupted"], ["handler", "timed_out"]] as const) {
        const turn = yield* (yield* agentOf(where)).session("u1").send("hi")
        yield* TestClock.adjust("1 second")
        const abort = yield* Effect.fork(turn.abort)
        yield* TestClock.adjust("8 seconds")
        expect(abort.unsafePoll() === null).toBe(where === "handler")
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(abort)
        expect((yield* turn.response).toolCalls.map((call) => call.outcome)).toEqual([outcome])
      }
    }))
})

describe("a turn whose model is called over HTTP", () => {
  const openai = dialects.find(({ name }) => name === "openai")!

  const start = Effect.gen(function*() {
    const server = yield* serve(openai)
    const model = OpenAiLanguageModel.layer({ model: "gpt-x" }).pipe(
      Layer.provide(OpenAiClient.layer({ apiKey: Redacted.make("sk-test"), apiUrl: server.url })),
      Layer.provide(FetchHttpClient.layer)
    )
    const agent = yield* kit.make({
      name: "Wired",
      flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
    }).pipe(Effect.provide([model, SessionStore.layerMemory]))
    // Sends the first words, then hangs with the connection open.
    server.does = [{ _tag: "Break", said: { text: "Hello, world and all" }, events: 6, how: "hang" }]
    const closed = Effect.suspend(() => Effect.succeed(server.requests.at(-1)?.aborted === true)).pipe(
      Effect.repeat({ until: (yes) => yes, schedule: Schedule.spaced("5 millis") }),
      Effect.timeout("10 seconds")
    )
    const arrived = Effect.suspend(() => Effect.succeed(server.requests.length > 0)).pipe(
      Effect.repeat({ until: (yes) => yes, schedule: Schedule.spaced("5 millis") }),
      Effect.timeout("10 seconds")
    )
    const healthy = Effect.gen(function*() {
      server.does = [{ _tag: "Say", said: { text: "Still here" } }]
      expect((yield* agent.respond({ sessionId: "u1", message: "and now?" })).message).toBe("Still here")
    })
    return { agent, arrived, closed, healthy, server }
  })

  it.scopedLive("`abort` closes the connection and stores the partial text", () =>
    Effect.gen(function*() {
      const { agent, closed, healthy, server } = yield* start
      const session = agent.session("u1")
      const turn = yield* session.send("hi")
      let said = ""
      const heard = yield* Deferred.make<void>()
      const reader = yield* turn.events.pipe(
        Stream.runForEach((event) => {
          if (event._tag !== "TextDelta") return Effect.void
          said += event.text
          return Deferred.succeed(heard, undefined)
        }),
        Effect.fork
      )
      yield* Deferred.await(heard)
      expect(server.requests[0]!.aborted).toBe(false)
      yield* turn.abort
      yield* closed
      yield* Fiber.join(reader)
      expect("Hello, world and all".startsWith(said)).toBe(true)
      expect(yield* turn.response).toMatchObject({ message: said, stoppedReason: "aborted" })
      expect((yield* session.history).map(({ content }) => content)).toMatchObject([
        [{ text: "hi" }],
        [{ text: said }],
        [{ text: "[interrupted by user]" }]
      ])
      yield* healthy
      const sent = JSON.stringify(server.requests.at(-1)!.body)
      expect(sent).toContain("[interrupted by user]")
    }))

  it.scopedLive("closing the stream closes the connection and stores nothing", () =>
    Effect.gen(function*() {
      const { agent, closed, healthy } = yield* start
      yield* agent.stream(request).pipe(
        Stream.takeUntil(({ _tag }) => _tag === "TextDelta"),
        Stream.runDrain
      )
      yield* closed
      expect((yield* agent.session("u1").snapshot).version).toBe(0)
      yield* healthy
    }))

  it.scopedLive("interrupting the reader's fiber closes the connection and stores nothing", () =>
    Effect.gen(function*() {
      const { agent, closed, healthy } = yield* start
      const heard = yield* Deferred.make<void>()
      const fiber = yield* agent.stream(request).pipe(
        Stream.runForEach(({ _tag }) => _tag === "TextDelta" ? Deferred.succeed(heard, undefined) : Effect.void),
        Effect.fork
      )
      yield* Deferred.await(heard)
      yield* Fiber.interrupt(fiber)
      yield* closed
      expect((yield* agent.session("u1").snapshot).version).toBe(0)
      yield* healthy
    }))

  it.scopedLive("interrupting `respond` closes the connection and stores nothing", () =>
    Effect.gen(function*() {
      const { agent, arrived, closed, healthy, server } = yield* start
      server.does = [{ _tag: "Hang" }]
      const fiber = yield* Effect.fork(agent.respond(request))
      yield* arrived
      expect(server.requests[0]!.aborted).toBe(false)
      yield* Fiber.interrupt(fiber)
      yield* closed
      expect((yield* agent.session("u1").snapshot).version).toBe(0)
      yield* healthy
    }))
})
