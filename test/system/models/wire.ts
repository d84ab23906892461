/**
 * Recorded answers of real models, played by a server in their original dialect to an agent. The recordings are not in the
 * repository; without them the tests are skipped.
 */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Model, Models, type TurnResponse } from "coxswain"
import { Context, Effect, Either, Layer, Logger, LogLevel, Schema, Stream } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Dialect } from "../../layers/models/dialects.js"
import { dialects } from "../../layers/models/dialects.js"
import { serve } from "../../layers/models/server.js"
import * as CountingStore from "../../support/CountingStore.js"
import { some } from "../../support/Runs.js"
import * as WireJobs from "./wireJobs.js"

/** The vendor's own client's reading of the same bytes. */
interface Answered {
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: ReadonlyArray<{ readonly name?: string; readonly args?: unknown }>
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number } | null
  readonly finish: string
}

export interface Recording {
  readonly id: string
  readonly vendor: string
  readonly status: number
  readonly stream: boolean
  readonly body: string
  readonly expected: Answered | { readonly error: string; readonly reason?: string }
  readonly reach: "plain" | "hosted"
}

const folder = process.env.COXSWAIN_WIRE ?? fileURLToPath(new URL("../../../../shared/wire", import.meta.url))

export const recordings = (file: string): ReadonlyArray<Recording> => {
  const path = `${folder}/${file}.jsonl`
  if (!existsSync(path)) return []
  return readFileSync(path, "utf8").split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line) as Recording
  )
}

/** The library's reading of an answer, or the failure. */
export type Read =
  | {
    readonly text: string
    readonly reasoning: string
    readonly toolCalls: ReadonlyArray<{ readonly name: string; readonly args: unknown }>
    readonly usage: { readonly input: number; readonly output: number; readonly cached: number }
    readonly finish: string
  }
  | { readonly failed: string; readonly why: string }

/** The models, with their answers recorded, because a turn keeps less. */
const listening = (dialect: Dialect, url: string, answers: { readonly push: (answer: Model.ModelAnswer) => void }) =>
  Layer.map(
    Models.layer({ main: dialect.layer(url, "my-own-key-for-tests") }, { attempts: 1, breaker: false }),
    (context) => {
      const model = Context.get(context, Model.Model)
      return Context.add(context, Model.Model, {
        ...model,
        ask: (call) => Effect.tap(model.ask(call), (answer) => void answers.push(answer))
      })
    }
  )

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

/** An agent and its server, which answers the first request of a turn with the given bytes, and later ones with a word. */
const player = (dialect: Dialect, tools: ReadonlyArray<string> = []) =>
  Effect.gen(function*() {
    const server = yield* serve(dialect)
    const store = yield* CountingStore.make
    let answers: Array<Model.ModelAnswer> = []
    const agent = yield* kit.make({
      name: "Test",
      flows: [{ title: "Chat", steps: [{ id: "a", prompt: "Chat", until: () => false }] }],
      tools: [...new Set(tools)].map((id) => ({ id, handler: () => "done" }))
    }).pipe(
      Effect.provide([
        listening(dialect, server.url, { push: (answer) => answers.push(answer) }),
        store.layer
      ])
    )
    let sessions = 0
    return (
      given: { readonly body: string; readonly stream: boolean; readonly status?: number }
    ): Effect.Effect<Read> =>
      Effect.gen(function*() {
        answers = []
        server.does = [
          { _tag: "Send", text: given.body, status: given.status ?? 200 },
          { _tag: "Say", said: { text: "Done." } }
        ]
        const request = { sessionId: `s${++sessions}`, message: "hello" }
        let streamed = ""
        let completed: TurnResponse.TurnResponse<{ readonly city: string }> | undefined
        const turn = given.stream
          ? Stream.runForEach(agent.stream(request), (event) =>
            Effect.sync(() => {
              if (event._tag === "TextDelta") streamed += event.text
              if (event._tag === "TurnCompleted") completed = event.response
            }))
          : Effect.map(agent.respond(request), (response) => void (completed = response))
        const outcome = yield* Effect.either(turn)
        if (Either.isLeft(outcome)) {
          const error = outcome.left
          return error._tag === "ResponseGenerationError"
            ? { failed: error.reason, why: error.why }
            : { failed: error._tag, why: String(error) }
        }
        const response = completed!
        if (given.stream) expect(streamed).toBe(response.message)
        const history = yield* Effect.orDie(agent.session(request.sessionId).history)
        const said = history.filter((message) => message.role === "assistant")[0]!
        const joined = (type: "text" | "reasoning") =>
          said.content.map((part) => part.type === type ? part.text : "").join("")
        const call = response.usage.calls[0]!
        // The response's usage repeats the metadata of the answer.
        const { cacheWriteTokens, finishReason, reasoning, reasoningTokens, responseId, sources } = answers[0]!
        expect(call).toMatchObject({ finishReason })
        expect([call.responseId, call.reasoning, call.sources, call.reasoningTokens, call.cacheWriteTokens]).toEqual(
          [responseId, reasoning, sources, reasoningTokens, cacheWriteTokens]
        )
        return {
          text: joined("text"),
          reasoning: joined("reasoning"),
          toolCalls: said.content.flatMap((part) =>
            part.type === "tool-call" && !part.providerExecuted ? [{ name: part.name, args: part.params }] : []
          ),
          usage: { input: call.inputTokens, output: call.outputTokens, cached: call.cachedInputTokens },
          finish: answers[0]!.finishReason
        }
      })
  }).pipe(Effect.orDie)

/** Plays one answer. */
export const play = (dialect: Dialect, given: {
  readonly body: string
  readonly stream: boolean
  readonly status?: number
  readonly tools?: ReadonlyArray<string>
}): Effect.Effect<Read> =>
  Effect.flatMap(player(dialect, given.tools), (play) => play(given)).pipe(
    Effect.scoped,
    Logger.withMinimumLogLevel(LogLevel.None)
  )

/** Intended differences by recording id: what is read instead, and why. */
export type Explained = Record<string, { readonly read: object; readonly because: string }>

export const isAnswer = (expected: Recording["expected"]): expected is Answered => !("error" in expected)

const valid = /^[A-Za-z0-9_-]{1,64}$/

/** The tools that an answer calls and whose names are valid. */
export const namesOf = ({ toolCalls }: Answered): ReadonlyArray<string> =>
  toolCalls.flatMap(({ name }) => name !== undefined && valid.test(name) ? [name] : [])

/** Thoughts in tags, which may not end, and marks of the end of an answer: no part of what the model says. */
const thoughts = /<(think|reasoning)>([\s\S]*?)(?:<\/\1>\s*|$)|<\|im_end\|>/g

export const expectedOf = (expected: Recording["expected"]): object => {
  if (!isAnswer(expected)) return expected.reason === undefined ? {} : { failed: expected.reason }
  const toolCalls = expected.toolCalls.filter((call) => call.name !== undefined)
  const text = expected.text.replace(thoughts, "")
  // A turn fails for an empty answer.
  if (text.trim() === "" && toolCalls.length === 0) {
    return { failed: expected.finish === "content-filter" ? "content_filter" : "empty" }
  }
  return {
    text,
    reasoning: expected.reasoning +
      Array.from(expected.text.matchAll(thoughts), ([, , thought]) => thought).join(""),
    toolCalls: toolCalls.map(({ args, name }) => ({ name, args })),
    finish: expected.finish,
    ...(expected.usage !== null && { usage: expected.usage })
  }
}

/** Replays every recording of a file through an agent, streamed if the recording is a stream. */
export const replay = (file: string, dialectName: string, explained: Explained = {}): void => {
  const dialect = dialects.find(({ name }) => name === dialectName)!
  const all = recordings(file)
  describe.skipIf(all.length === 0)(`recorded answers: ${file}`, () => {
    if (all.length === 0) it("these tests are skipped if the recordings are absent", () => {})
    for (const recording of all) {
      const { body, expected, id, status, stream, vendor } = recording
      const because = explained[id]?.because
      const name = `${vendor} ${id} ${stream ? "streamed" : "not streamed"} ${status}${because ? `: ${because}` : ""}`
      it.live(name, () =>
        Effect.gen(function*() {
          const tools = isAnswer(expected) ? namesOf(expected) : []
          const read = yield* play(dialect, { body, stream, status, tools })
          if (!isAnswer(expected)) expect(read).toHaveProperty("failed")
          expect(read).toMatchObject({ ...expectedOf(expected), ...explained[id]?.read })
        }))
    }
    it.scopedLive(
      "a model job returns the expected answer of each recording as its result",
      () =>
        Effect.gen(function*() {
          const ask = yield* WireJobs.asking(dialect)
          for (const recording of all) {
            const { expected, id } = recording
            // A job's result has no reasoning.
            const { reasoning: _, ...wanted } = { ...expectedOf(expected), ...explained[id]?.read } as Record<
              string,
              unknown
            >
            const read = yield* ask(recording, isAnswer(expected) ? namesOf(expected) : [])
            if (!isAnswer(expected)) {
              expect([id, read]).toEqual([id, expect.objectContaining({ failed: expect.any(String) })])
            }
            expect({ id, ...read }).toMatchObject({ id, ...wanted })
          }
        }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
    )
    it("every known deviation in the test's list belongs to an existing recording", () => {
      const ids = new Set(all.map(({ id }) => id))
      expect(Object.keys(explained).filter((id) => !ids.has(id))).toEqual([])
    })
  })
}

/** An answer changed in one place. */
export interface Mutant {
  readonly where: string
  readonly value: unknown
}

const unknownKey = "x_added_later"

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** All variants of a value with one place replaced by a result of `change`. */
const places = (
  value: unknown,
  change: (
    value: unknown,
    key: string | undefined
  ) => ReadonlyArray<{ readonly what: string; readonly value: unknown }>,
  at = "",
  key?: string
): ReadonlyArray<Mutant> => {
  const here = change(value, key).map(({ value, what }) => ({ where: `${at || "/"}: ${what}`, value }))
  if (Array.isArray(value)) {
    return [
      ...here,
      ...value.flatMap((each, i) =>
        places(each, change, `${at}/${i}`, key).map((mutant) => ({ ...mutant, value: value.with(i, mutant.value) }))
      )
    ]
  }
  if (!isRecord(value)) return here
  return [
    ...here,
    ...Object.entries(value).flatMap(([name, each]) =>
      places(each, change, `${at}/${name}`, name).map((mutant) => ({
        ...mutant,
        value: { ...value, [name]: mutant.value }
      }))
    )
  ]
}

/** Additions that a provider may make without notice. `enums`: keys whose set of values may grow. */
export const mutants = (answer: unknown, enums: ReadonlyArray<string>, added: {
  /** Elements that a later version may add to the list of that name. */
  readonly elements: Record<string, ReadonlyArray<unknown>>
}): ReadonlyArray<Mutant> =>
  places(answer, (value, key) => [
    ...(isRecord(value) ? [{ what: "another key", value: { ...value, [unknownKey]: { a: [1, null] } } }] : []),
    ...(key !== undefined && enums.includes(key) && typeof value === "string"
      ? [{ what: "an unknown value", value: "added_later" }]
      : []),
    ...(key !== undefined && Array.isArray(value) && added.elements[key] !== undefined
      ? added.elements[key].flatMap((element) => [
        { what: "an unknown element first", value: [element, ...value] },
        { what: "an unknown element last", value: [...value, element] }
      ])
      : [])
  ])

/** Plays mutants of a good answer: each must be read like the original, except for what `same` leaves out. */
export const harmless = (
  name: string,
  dialectName: string,
  good: { readonly body: string; readonly stream: boolean; readonly tools?: ReadonlyArray<string> },
  bodies: ReadonlyArray<{ readonly where: string; readonly body: string }>,
  same: (read: Read) => unknown = (read) => read
): void => {
  const dialect = dialects.find(({ name }) => name === dialectName)!
  it.scopedLive(
    `${name}: an answer with an unknown addition at one of ${bodies.length} places is read like the original`,
    () =>
      Effect.gen(function*() {
        const play = yield* player(dialect, good.tools)
        const before = yield* play(good)
        expect(before).not.toHaveProperty("failed")
        const differences: Array<object> = []
        for (const { body, where } of some(bodies)) {
          const after = yield* play({ ...good, body })
          if (JSON.stringify(same(after)) !== JSON.stringify(same(before))) differences.push({ where, after })
        }
        expect(differences).toEqual([])
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )
}

/** Each scalar of an answer replaced by an object. */
export const broken = (answer: unknown): ReadonlyArray<Mutant> =>
  places(answer, (value) =>
    isRecord(value) || Array.isArray(value)
      ? []
      : [{ what: "an object", value: { later: [1] } }])

/** Plays broken answers: each is read, or fails with the reason "empty" or "network". */
export const survived = (
  name: string,
  dialectName: string,
  stream: boolean,
  bodies: ReadonlyArray<{ readonly where: string; readonly body: string }>
): void => {
  const dialect = dialects.find((each) => each.name === dialectName)!
  it.scopedLive(
    `${name}: an answer with a value of the wrong type (one of ${bodies.length}) is read, or fails with reason "empty" or "network"`,
    () =>
      Effect.gen(function*() {
        const play = yield* player(dialect, ["lookup"])
        const lost: Array<object> = []
        for (const { body, where } of some(bodies)) {
          const read = yield* play({ body, stream })
          if ("failed" in read && !["empty", "network"].includes(read.failed)) lost.push({ where, read })
        }
        expect(lost).toEqual([])
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )
}

/** A good answer of a vendor, and possible additions without notice. */
interface Answer {
  readonly whole: object
  readonly pieces: ReadonlyArray<object>
  readonly written: (pieces: ReadonlyArray<unknown>) => string
  readonly enums: ReadonlyArray<string>
  readonly elements: Record<string, ReadonlyArray<unknown>>
  /** Streams with a chunk of an unknown type. */
  readonly inserted: ReadonlyArray<{ readonly where: string; readonly body: string }>
  /** Places whose content the model writes, to which the vendor does not add. */
  readonly own: RegExp
}

/** Ignores the finish reason, which may have new values in a later version. */
const unlessStopped = (read: Read): unknown => ({ ...read, finish: "" })

/** Tests the vendor's possible additions, and values of another type, with and without streaming. */
export const vendor = (
  name: string,
  dialectName: string,
  { elements, enums, inserted, own, pieces, whole, written }: Answer
): void => {
  describe(`provider answers with unknown additions: ${name}`, () => {
    const atOnce = ({ value, where }: Mutant) => ({ where, body: JSON.stringify(value) })
    const streamed = ({ value, where }: Mutant) => ({ where, body: written(value as ReadonlyArray<object>) })
    const added = (answer: unknown) => mutants(answer, enums, { elements }).filter(({ where }) => !own.test(where))
    const tools = ["lookup"]
    const good = { body: JSON.stringify(whole), stream: false, tools }
    const stream = { body: written(pieces), stream: true, tools }
    harmless("not streamed", dialectName, good, added(whole).map(atOnce), unlessStopped)
    harmless("streamed", dialectName, stream, [...added(pieces).map(streamed), ...inserted], unlessStopped)
    survived("not streamed", dialectName, false, broken(whole).map(atOnce))
    survived("streamed", dialectName, true, broken(pieces).map(streamed))
  })
}
