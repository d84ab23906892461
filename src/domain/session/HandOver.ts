/**
 * A person has the floor, or is to take it: until it is given back, the agent says nothing by itself.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { optional } from "../fields/Fields.js"
import { Actor } from "./Approval.js"

/**
 * Who speaks in the agent's place: an id of 1 to 200 characters, or an id with what the application wants to know of
 * them later.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Person = Schema.Union(Actor.fields.id, Actor).annotations({ identifier: "Person" })

/**
 * @since 0.1.0
 * @category models
 */
export type Person = typeof Person.Type

/**
 * A hand-over as it is stored in the session.
 *
 * @since 0.1.0
 * @category schemas
 */
export const HandOver = Schema.Struct({
  /** Who has the floor; absent while nobody has taken it: the session waits for a person. */
  by: optional(Person),
  /** Why a person was asked for, or took over. */
  reason: optional(Schema.String),
  /** Since when a person has the floor, or is waited for. */
  since: Schema.DateTimeUtc,
  /** Values are read from what the user says meanwhile. */
  listen: optional(Schema.Literal(true))
}).annotations({ identifier: "HandOver" })

/**
 * @since 0.1.0
 * @category models
 */
export type HandOver = typeof HandOver.Type

/**
 * How a person takes over.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TakeOver = Schema.Struct({
  by: Person,
  /** At most 2,000 characters. */
  reason: optional(Schema.String.pipe(Schema.maxLength(2_000))),
  /** Whether values are read from what the user says meanwhile. Default: what the agent's `handOff` says. */
  listen: optional(Schema.Boolean)
}).annotations({ identifier: "TakeOver", parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category models
 */
export type TakeOver = typeof TakeOver.Type

/**
 * Who says something, and under which key: the same key twice says it once.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Saying = Schema.Struct({
  by: Person,
  /** 1 to 200 characters. */
  messageId: optional(Actor.fields.id)
}).annotations({ identifier: "PersonSaying", parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category models
 */
export type Saying = typeof Saying.Type

/**
 * The id of a person.
 *
 * @since 0.1.0
 * @category getters
 */
export const idOf = (person: Person): string => typeof person === "string" ? person : person.id

/** What marks, in the options of a message, who said it in the agent's place. */
const mark = "coxswain"

/**
 * The options of a message that a person said.
 *
 * @internal
 */
export const markOf = (by: Person) => ({ [mark]: { by } })

const isPerson = Schema.is(Person)

/**
 * Who said a message of the assistant in the agent's place; nothing when it was the agent.
 *
 * @since 0.1.0
 * @category getters
 */
export const saidBy = ({ options }: Pick<Prompt.Message, "options">): Person | undefined => {
  const given: unknown = options[mark]
  return Predicate.isRecord(given) && isPerson(given.by) ? given.by : undefined
}

/**
 * A hand-over as it begins. When a person has the floor already, they keep it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  before: HandOver | undefined,
  given: { readonly by?: Person; readonly reason?: string; readonly listen: boolean },
  now: HandOver["since"]
): HandOver => {
  const { by, listen, reason } = { ...before, ...given }
  return {
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
    since: by !== undefined && before?.by !== undefined ? before.since : now,
    ...(listen && { listen })
  }
}
