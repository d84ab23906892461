/** The part of each request that a vendor's prompt cache has from earlier turns, in the order in which the vendor reads it. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Effect, Layer, TestClock } from "effect"
import { recordOf } from "../../../src/domain/base/Json.js"
import * as Scenarios from "../../support/Scenarios.js"
import { dialect } from "./asking.js"
import type { Dialect } from "./dialects.js"
import { dialects } from "./dialects.js"
import * as rules from "./rules.js"
import { serve } from "./server.js"

const chat = dialect("openai-compatible")

const profiled = (profile: OpenAiCompatible.Profile, breach: Dialect["breach"]): Dialect => ({
  ...chat,
  name: `chat completions, ${profile}`,
  breach,
  layer: (baseUrl) => OpenAiCompatible.layer({ model: "m", baseUrl, profile })
})

/** A server that accepts system messages anywhere, and a layer configured for it. */
const anywhere: Dialect = {
  ...chat,
  name: "chat completions, system messages anywhere",
  breach: () => undefined,
  layer: (baseUrl) => OpenAiCompatible.layer({ model: "m", baseUrl, laterSystem: "system" })
}

const vendors: ReadonlyArray<Dialect> = [
  ...dialects.filter(({ name }) => name !== "openai-compatible"),
  profiled("openai", rules.chat),
  profiled("mistral", rules.mistral),
  profiled("deepseek", rules.deepseek),
  anywhere
]

const list = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

/** A piece of a request, and whether a cache mark follows it. */
interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

const piece = (value: unknown): Piece => {
  const { cache_control, ...rest } = recordOf(value)
  return { text: JSON.stringify(rest), isMarked: cache_control !== undefined }
}

/** The blocks of a message, each with its role. */
const blocks = (message: unknown): ReadonlyArray<Piece> => {
  const { content, parts = content, role } = recordOf(message)
  return list(parts).map((one) => piece({ role, ...typeof one === "string" ? { text: one } : recordOf(one) }))
}

/** Vendors read tools and the answer's schema before all messages; Google reads the system text before the tools. */
const read = (body: object): ReadonlyArray<Piece> => {
  const { contents, generationConfig, input, messages, response_format, system, systemInstruction, text, tools } =
    recordOf(
      body
    )
  return [
    ...[generationConfig, response_format, text].filter((one) => one !== undefined).map(piece),
    ...list(systemInstruction).flatMap(blocks),
    ...list(tools).map(piece),
    ...list(system).map(piece),
    ...[...list(messages), ...list(input), ...list(contents)].flatMap(blocks)
  ]
}

const textOf = (pieces: ReadonlyArray<Piece>): string => pieces.map(({ text }) => text).join("\n")

const common = (one: string, other: string): number => {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

/** The length of the longest prefix that a request shares with an earlier one. */
const byItself = (pieces: ReadonlyArray<Piece>, before: ReadonlyArray<ReadonlyArray<Piece>>): number =>
  Math.max(0, ...before.map((one) => common(textOf(one), textOf(pieces))))

/** Anthropic caches the prefix at each mark, and looks for a cached one up to twenty blocks before each mark. */
const byMarks = (pieces: ReadonlyArray<Piece>, before: ReadonlyArray<ReadonlyArray<Piece>>): number => {
  const until = (all: ReadonlyArray<Piece>, end: number) => textOf(all.slice(0, end + 1))
  const kept = new Set(before.flatMap((one) => one.flatMap(({ isMarked }, i) => isMarked ? [until(one, i)] : [])))
  const found = pieces.flatMap(({ isMarked }, mark) =>
    isMarked
      ? Array.from({ length: Math.min(20, mark + 1) }, (_, i) => until(pieces, mark - i)).filter((one) => kept.has(one))
      : []
  )
  return Math.max(0, ...found.map(({ length }) => length))
}

type Request = ReadonlyArray<Piece>

/** The cached part of the requests, except for the first of each kind. */
const share = (kinds: ReadonlyArray<ReadonlyArray<Request>>, cached: typeof byItself): number => {
  const sum = (measure: (one: Request, before: ReadonlyArray<Request>) => number): number =>
    kinds.flatMap((all) => all.slice(1).map((one, i) => measure(one, all.slice(0, i + 1))))
      .reduce((total, one) => total + one, 0)
  return sum(cached) / sum((one) => textOf(one).length)
}

const isLater = ({ text }: Piece): boolean =>
  /<system-note>.Now: |"role":"(system|developer)","text":"Now: /.test(text.replaceAll("\\n", "."))

/** The same request with the content of this turn only in front of the conversation. */
const inFront = (request: Request): Request => {
  const begin = request.findIndex(({ text }) => /"role":"(user|model|assistant)"/.test(text))
  const rest = request.slice(begin)
  return [...request.slice(0, begin), ...rest.filter(isLater), ...rest.filter((one) => !isLater(one))]
}

const reply =
  "I have written that down, and I will come back to it. Is there anything else that you would like to tell me?"

/** Further messages that make the conversation long. */
const smallTalk = Array.from(
  { length: 14 },
  (_, i) => `thank you for the ${i + 1}. time, that is very kind of all of you`
)

const stringsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(stringsIn)
    : []

/** The kind of an understanding request: its constant text, and the schema of its answer. Undefined to speak. */
const askedIn = (texts: ReadonlyArray<string>, body: object): string | undefined => {
  const constant = texts.find((text) => text.includes("You read the last message"))
  const { generationConfig, output_config, response_format, text, tools } = recordOf(body)
  return constant && constant + JSON.stringify([generationConfig, output_config, response_format, text, tools])
}

/** The requests of a conversation: those to speak, and those to understand, grouped by kind. */
const requestsOf = (vendor: Dialect, name: "S2" | "S3" | "S4" | "S5") =>
  Effect.gen(function*() {
    const { make, messages, more } = Scenarios.all[name]
    const server = yield* serve(vendor)
    const spoken: Array<Request> = []
    const judged = new Map<string, Array<Request>>()
    server.does = (body) => {
      const texts = stringsIn(body)
      const asked = askedIn(texts, body)
      const kind = asked === undefined ? spoken : judged.get(asked) ?? []
      kind.push(read(body))
      if (asked === undefined) return { _tag: "Say", said: { text: reply } }
      judged.set(asked, kind)
      return { _tag: "Say", said: { json: Scenarios.understood(texts.join("\n")) } }
    }
    const agent = yield* Effect.provide(
      make,
      Layer.merge(Layer.orDie(vendor.layer(server.url, "a key")), SessionStore.layerMemory)
    )
    for (const message of [...messages, ...more, ...smallTalk]) {
      yield* agent.respond({ sessionId: name, message })
      yield* TestClock.adjust("1 minute")
    }
    return { spoken, judged: Array.from(judged.values()) }
  })

describe("prompt caching: more than 80 % of the prompt text is cached, and less if the changing part came first", () => {
  for (const vendor of vendors) {
    for (const name of ["S2", "S3", "S4", "S5"] as const) {
      it.scoped(`at ${vendor.name}, in the conversation ${name}`, () =>
        Effect.gen(function*() {
          const { judged, spoken } = yield* requestsOf(vendor, name)
          const cached = vendor.name === "anthropic" ? byMarks : byItself
          expect(spoken.length).toBeGreaterThan(10)
          // In S2 only the first message has values to extract.
          const kinds = name === "S2" ? [[spoken]] : [[spoken], judged]
          for (const kind of kinds) {
            const front = share(kind.map((all) => all.map(inFront)), byItself)
            expect(share(kind, cached)).toBeGreaterThan(Math.max(0.8, front))
            // In few requests the constant part dominates.
            if (kind.flat().length > 10) expect(front).toBeLessThan(0.8)
          }
        }))
    }
  }
})
