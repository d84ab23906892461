/** The origin of a value: who said it, or which call, document or code gave it. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { canonical, isJson, type JsonObject, OwnKey, recordOf } from "../base/Json.js"
import { ownValue } from "../base/ownValue.js"
import { optional } from "../fields/Fields.js"

const Count = Schema.NonNegativeInt

/**
 * One origin of a value: a reference to the place where the value was found, not a copy of the value. `message` is the
 * sequence number of a message in the conversation, `from` and `to` are positions of characters in its text.
 */
export const Origin = Schema.Union(
  /** The user said the value. */
  Schema.Struct({ kind: Schema.Literal("user"), message: optional(Count), from: optional(Count), to: optional(Count) }),
  /** The user said yes to a question that showed the value. */
  Schema.Struct({ kind: Schema.Literal("confirmed") }),
  /** A person of the application said, approved or changed the value. */
  Schema.Struct({ kind: Schema.Literal("person"), by: optional(Schema.String), message: optional(Count) }),
  /** Code wrote the value: a hook, a handler, the definition, or the context. */
  Schema.Struct({ kind: Schema.Literal("code") }),
  /** The value is in the result of a tool call. `trusted` is set if the tool is marked as trusted. */
  Schema.Struct({
    kind: Schema.Literal("tool"),
    tool: Schema.String,
    call: optional(Schema.String),
    trusted: optional(Schema.Literal(true))
  }),
  /** The value is in a file of the user's message, or in the payload of an event. */
  Schema.Struct({ kind: Schema.Literal("document"), name: optional(Schema.String), message: optional(Count) }),
  /** A job reported the value, for example a job that gives a task to another agent. */
  Schema.Struct({ kind: Schema.Literal("agent"), job: Schema.String, id: optional(Schema.String) }),
  /** The model wrote the value, and no text that the model has read contains it. */
  Schema.Struct({ kind: Schema.Literal("model") }),
  /** The value has more than eight origins; the others are not listed. */
  Schema.Struct({ kind: Schema.Literal("several") })
).annotations({ identifier: "Origin" })

export type Origin = typeof Origin.Type

/** The kind of an origin. */
export type Kind = Origin["kind"]

/** The results of one tool. A template literal of Effect would add its parser to every bundle. */
const OfTool = Schema.declare((u): u is `tool:${string}` => Predicate.isString(u) && u.startsWith("tool:"), {
  title: "`tool:${string}`",
  jsonSchema: {
    type: "string",
    title: "`tool:${string}`",
    description: "a template literal",
    pattern: "^tool:[\\s\\S]*?$"
  }
})

/** An origin that an argument may have: a kind, or the results of one tool as `tool:search`. */
export const Accepted = Schema.Union(
  Schema.Literal("user", "confirmed", "person", "code", "tool", "document", "agent", "model"),
  OfTool
)

export type Accepted = typeof Accepted.Type

/** The origins of values by name, such as the arguments of a call. */
export const Origins = Schema.Record({ key: OwnKey, value: Schema.Array(Origin) })

export type Origins = typeof Origins.Type

/** The origins of the parts of each argument: at most eight kinds of parts of one argument. */
export const Parts = Schema.Record({ key: OwnKey, value: Schema.Array(Schema.Array(Origin)) })

export type Parts = typeof Parts.Type

/**
 * The origins that a session keeps: the origins of its data fields, and whether the model has read untrusted text. A
 * field without an entry was written by an earlier version, or by an agent that keeps no origins.
 */
export const Kept = Schema.Struct({
  fields: Origins,
  /** True after the model has read a result or document that is not trusted; otherwise absent. */
  untrusted: optional(Schema.Literal(true)),
  /**
   * Digests of the values that the agent has offered, by field; `""` has the values that a step with several fields or
   * none has offered. A message that chooses one of them makes the user its origin.
   */
  offered: optional(Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }))
}).annotations({ identifier: "KeptOrigins" })

export type Kept = typeof Kept.Type

/** The session field of the origins; absent if the agent keeps none. */
export const sessionFields = { origins: optional(Kept) }

/** Largest number of origins of one value. */
const most = 8

/** Removes repeated origins; if there are more than eight, keeps the first eight and adds the origin `several`. */
export const distinct = (origins: ReadonlyArray<Origin>): ReadonlyArray<Origin> => {
  const all = Array.from(new Map(origins.map((one) => [JSON.stringify(one), one])).values())
  return all.length <= most ? all : [...all.slice(0, most), { kind: "several" }]
}

/**
 * Removes parts with the same origins. If more than eight parts are left, keeps the first eight and adds a part with
 * the origin `several`, which is refused for an argument with restricted origins.
 */
export const distinctParts = (parts: ReadonlyArray<ReadonlyArray<Origin>>): ReadonlyArray<ReadonlyArray<Origin>> => {
  const all = Array.from(new Map(parts.map(distinct).map((one) => [JSON.stringify(one), one])).values())
  return all.length <= most ? all : [...all.slice(0, most), [{ kind: "several" }]]
}

/** True for the user, a person, code and trusted tools: these count as trusted. */
export const isTrusted = (origin: Origin): boolean =>
  origin.kind === "tool" ? origin.trusted === true : ["user", "confirmed", "person", "code"].includes(origin.kind)

const decodeKept = Schema.decodeUnknownOption(Kept)

/**
 * Returns a migrated session with new origins of its fields, because a migration may move untrusted text to another
 * field. If the session has such text and the migration does not change its origins, the fields that the migration
 * changes or adds count as written by the model.
 */
export const migrated = (before: JsonObject, after: JsonObject): JsonObject => {
  if (before.data === after.data || !isEqual(before.origins, after.origins)) return after
  return Option.match(decodeKept(after.origins), {
    onNone: () => after,
    onSome: (kept) => {
      const ofStrangers = new Set(Object.keys(kept.fields).filter((name) => !kept.fields[name]!.some(isTrusted)))
      if (ofStrangers.size === 0) return after
      const was = recordOf(before.data)
      const changed = Object.entries(recordOf(after.data)).flatMap(([name, value]) =>
        ofStrangers.has(name) || isEqual(ownValue(was, name), value) ? [] : [[name, [{ kind: "model" }]] as const]
      )
      return { ...after, origins: { ...kept, fields: { ...kept.fields, ...Object.fromEntries(changed) } } }
    }
  })
}

const isEqual = (a: unknown, b: unknown): boolean => isJson(a) && isJson(b) ? canonical(a) === canonical(b) : a === b

/** Returns an origin in words, such as `the result of "read_mail"`. */
export const inWords = (origin: Origin): string => {
  switch (origin.kind) {
    case "tool":
      return `the result of "${origin.tool}"`
    case "document":
      return origin.name === undefined ? "a document" : `the document "${origin.name}"`
    case "agent":
      return `the report of the job "${origin.job}"`
    default:
      return words[origin.kind]
  }
}

/**
 * The kinds of origins that name no place, in words.
 *
 * @internal
 */
export const words: Readonly<Record<Exclude<Kind, "tool" | "document" | "agent">, string>> = {
  user: "the user",
  confirmed: "the user's confirmation",
  person: "a person",
  code: "the application",
  model: "the model",
  several: "several places"
}
