/** Every dialect through an agent, with and without streaming. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Models, type TurnEvent } from "coxswain"
import { Chunk, Effect, Logger, LogLevel, Schema, Stream } from "effect"
import type { Dialect, Said } from "../../layers/models/dialects.js"
import { dialects } from "../../layers/models/dialects.js"
import { failures } from "../../layers/models/failures.js"
import type { Behaviour } from "../../layers/models/server.js"
import { serve } from "../../layers/models/server.js"
import * as CountingStore from "../../support/CountingStore.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const chat = kit.flow({ title: "Chat", steps: [{ id: "a", prompt: "Chat", until: () => false }] })
const trip = kit.flow({ title: "Trip", steps: [{ id: "city", collect: ["city"] }, { id: "bye", prompt: "Say bye" }] })

const say = (said: Said): Behaviour => ({ _tag: "Say", said })

type Timeouts = NonNullable<Parameters<typeof kit.make>[0]["timeouts"]>

/** One agent, its server and its store; `turn` runs the same turn in the given mode. */
const setup = (dialect: Dialect, mode: "respond" | "stream", options: {
  readonly flow?: typeof chat | typeof trip
  readonly timeouts?: Timeouts
} = {}) =>
  Effect.gen(function*() {
    const server = yield* serve(dialect)
    const store = yield* CountingStore.make
    const ran: Array<string> = []
    const agent = yield* kit.make({
      name: "Test",
      flows: [options.flow ?? chat],
      tools: [kit.tool({
        id: "lookup",
        description: "Looks up",
        parameters: { q: Schema.String },
        handler: ({ q }) => {
          ran.push(q)
          return `found ${q}`
        }
      })],
      ...(options.timeouts !== undefined && { timeouts: options.timeouts })
    }).pipe(
      Effect.provide([
        Models.layer({ main: dialect.layer(server.url, "my-own-key-4711") }, { attempts: 1, breaker: false }),
        store.layer
      ])
    )
    const events: Array<TurnEvent.TurnEvent<{ readonly city: string }, {}>> = []
    const request = { sessionId: "s1", message: "hello from Lisbon" }
    const turn = mode === "respond"
      ? agent.respond(request)
      : Effect.flatMap(
        Stream.runCollect(Stream.tap(agent.stream(request), (event) => Effect.sync(() => void events.push(event)))),
        (all) => {
          const last = Chunk.unsafeLast(all)
          return last._tag === "TurnCompleted" ? Effect.succeed(last.response) : Effect.dieMessage("no response")
        }
      )
    return { agent, events, ran, server, store, turn }
  })

/** The parts of a turn that do not depend on time or on generated ids. */
const essence = (dialect: Dialect, mode: "respond" | "stream", flow: typeof chat | typeof trip, ...said: Array<Said>) =>
  Effect.gen(function*() {
    const { agent, events, ran, server, turn } = yield* setup(dialect, mode, { flow })
    server.does = said.map(say)
    const response = yield* turn
    const history = yield* agent.session("s1").history
    expect(server.requests).toHaveLength(said.length)
    const text = events.map((event) => event._tag === "TextDelta" ? event.text : "").join("")
    if (mode === "stream") expect(text).toBe(response.message)
    return {
      ran,
      message: response.message,
      stoppedReason: response.stoppedReason,
      collected: response.collected,
      usage: response.usage,
      used: response.session.usage,
      calls: response.toolCalls.map(({ output, params, toolId }) => ({ toolId, params, output })),
      history: history.map(({ content, role }) => [
        role,
        typeof content === "string"
          ? content
          : content.map((part) =>
            "text" in part ? [part.type, part.text] : "name" in part ? [part.type, part.name] : []
          )
      ])
    }
  })

const call = (n: number) => ({ id: `call_${n}`, name: "lookup", params: { q: `x${n}` } })

/** The server's answers to the requests of one turn, and the expected result. */
const successes: ReadonlyArray<{
  readonly name: string
  readonly flow?: typeof trip
  readonly said: ReadonlyArray<Said>
  readonly expected: Record<string, unknown>
  /** The stream is ended at a call of an unknown tool, so the tokens, which come at its end, are lost. */
  readonly uncounted?: true
  /** The dialect that cannot express this. */
  readonly except?: string
}> = [
  {
    name: "text and usage",
    said: [{ text: "Hello, wörld. How are you?" }],
    expected: {
      message: "Hello, wörld. How are you?",
      usage: { modelCalls: 1, inputTokens: 11, outputTokens: 7, cachedInputTokens: 4 },
      used: { inputTokens: 11, outputTokens: 7, cachedInputTokens: 4, cost: 0 }
    }
  },
  { name: "reasoning", said: [{ reasoning: "Let me think.", text: "Yes." }], expected: { message: "Yes." } },
  {
    name: "a tool call, and its result",
    said: [{ text: "One moment.", calls: [call(1)] }, { text: "Found." }],
    expected: { message: "One moment.\n\nFound.", ran: ["x1"], calls: [{ toolId: "lookup", output: "found x1" }] }
  },
  {
    name: "several tools in one answer",
    said: [{ calls: [call(1), call(2), call(3)] }, { text: "All found." }],
    expected: { message: "All found.", ran: ["x1", "x2", "x3"], usage: { modelCalls: 2, inputTokens: 22 } }
  },
  {
    name: "a made-up tool",
    said: [{ calls: [{ id: "call_1", name: "made_up", params: {} }] }, { text: "Sorry." }],
    expected: { message: "Sorry.", ran: [], calls: [{ toolId: "made_up" }] },
    uncounted: true
  },
  {
    name: "structured output",
    flow: trip,
    said: [{ json: { fields: { city: { words: "Lisbon", value: "Lisbon" } } } }, { text: "Bye." }],
    expected: { message: "Bye.", collected: { city: "Lisbon" } }
  },
  {
    name: "structured output that is asked for once more",
    flow: trip,
    said: [{ text: "Lisbon, I think" }, { json: { fields: { city: { words: "Lisbon", value: "Lisbon" } } } }, {
      text: "Bye."
    }],
    expected: { message: "Bye.", collected: { city: "Lisbon" }, usage: { modelCalls: 3 } },
    // It is forced to call a tool, whose arguments are always an object.
    except: "anthropic"
  },
  {
    name: "text cut off at the limit",
    said: [{ text: "Once upon", stop: "length" }],
    expected: { message: "Once upon" }
  }
]

for (const dialect of dialects) {
  describe(`an agent with a model of ${dialect.name}`, () => {
    for (const { except, expected, flow = chat, name, said, uncounted } of successes) {
      if (except === dialect.name) continue
      it.scopedLive(`${name}: the response is the same with and without streaming`, () =>
        Effect.gen(function*() {
          const responded = yield* essence(dialect, "respond", flow, ...said)
          expect(responded).toMatchObject(expected)
          const streamed = yield* essence(dialect, "stream", flow, ...said)
          const { usage: _, used: __, ...rest } = responded
          if (uncounted) expect(streamed).toMatchObject(rest)
          else expect(streamed).toEqual(responded)
        }))
    }

    for (const mode of ["respond", "stream"] as const) {
      for (const { does, expected, limits, name } of failures(dialect, mode === "stream")) {
        it.scopedLive(`${mode} fails the turn: ${name}`, () =>
          Effect.gen(function*() {
            const { server, store, turn } = yield* setup(dialect, mode, {
              ...(limits !== undefined && { timeouts: limits })
            })
            server.does = [does]
            expect(yield* Effect.flip(turn)).toMatchObject({
              _tag: "ResponseGenerationError",
              phase: "speak",
              ...expected
            })
            expect(server.requests).toHaveLength(1)
            expect(store.writes).toEqual([])
          }).pipe(Logger.withMinimumLogLevel(LogLevel.None)))
      }

      it.scopedLive(`${mode} continues the turn after one answer with text and tool calls`, () =>
        Effect.gen(function*() {
          const { agent, server, turn } = yield* setup(dialect, mode, { flow: trip })
          server.does = [
            say({ json: { fields: {} } }),
            say({ reasoning: "Let me see.", text: "One moment.", calls: [call(1), call(2)] }),
            say({ text: "Found. Where to?" }),
            say({ json: { fields: { city: { words: "Lisbon", value: "Lisbon" } } } }),
            say({ text: "Bye." })
          ]
          expect((yield* turn).message).toBe("One moment.\n\nFound. Where to?")
          const next = yield* agent.respond({ sessionId: "s1", message: "Lisbon" })
          expect(next).toMatchObject({ message: "Bye.", collected: { city: "Lisbon" } })
        }))

      it.scopedLive(`${mode} fails the turn if the understanding call fails`, () =>
        Effect.gen(function*() {
          const { server, store, turn } = yield* setup(dialect, mode, { flow: trip })
          server.does = [{ _tag: "Refuse", status: 401, message: "bad key" }]
          expect(yield* Effect.flip(turn)).toMatchObject({ phase: "understand", reason: "auth" })
          expect(store.writes).toEqual([])
        }))
    }
  })
}
