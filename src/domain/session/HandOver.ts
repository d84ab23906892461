/** Hand-over to a person: while a person has the conversation or the agent waits for one, the agent is silent. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { optional } from "../fields/Fields.js"
import { Actor } from "./Approval.js"

/**
 * The person who speaks in the agent's place: an id of 1 to 200 characters, or an id with data that the application
 * wants to keep about them.
 */
export const Person = Schema.Union(Actor.fields.id, Actor).annotations({ identifier: "Person" })

export type Person = typeof Person.Type

/** A hand-over as stored in the session. */
export const HandOver = Schema.Struct({
  /** The person who has the conversation; absent while the agent waits for one. */
  by: optional(Person),
  /** Reason for asking for a person, or for taking over. */
  reason: optional(Schema.String),
  /** Time at which the person took over, or at which the wait for a person began. */
  since: Schema.DateTimeUtc,
  /** True if values are extracted from the user's messages during the hand-over; otherwise absent. */
  listen: optional(Schema.Literal(true))
}).annotations({ identifier: "HandOver" })

export type HandOver = typeof HandOver.Type

/** The options with which a person takes a conversation over. */
export const TakeOver = Schema.Struct({
  by: Person,
  /** The reason for taking over. At most 2,000 characters. */
  reason: optional(Schema.String.pipe(Schema.maxLength(2_000))),
  /**
   * True if values are extracted from the user's messages during the hand-over. Default: as in the agent's `handOff`.
   */
  listen: optional(Schema.Boolean)
}).annotations({ identifier: "TakeOver", parseOptions: { onExcessProperty: "error" } })

export type TakeOver = typeof TakeOver.Type

/**
 * The options of a person's message: the person, and an idempotency key. A message with a repeated key is stored once.
 */
export const Saying = Schema.Struct({
  by: Person,
  /** Idempotency key of 1 to 200 characters. */
  messageId: optional(Actor.fields.id)
}).annotations({ identifier: "PersonSaying", parseOptions: { onExcessProperty: "error" } })

export type Saying = typeof Saying.Type

/** Returns the id of a person. */
export const idOf = (person: Person): string => typeof person === "string" ? person : person.id

/** Key in a message's options under which the person who said the message is stored. */
const mark = "coxswain"

/**
 * Returns the options of a message that a person said.
 *
 * @internal
 */
export const markOf = (by: Person) => ({ [mark]: { by } })

const isPerson = Schema.is(Person)

/** Returns the person who said an assistant message in the agent's place; undefined if the agent said it. */
export const saidBy = ({ options }: Pick<Prompt.Message, "options">): Person | undefined => {
  const given: unknown = options[mark]
  return Predicate.isRecord(given) && isPerson(given.by) ? given.by : undefined
}

/** Starts a hand-over. A person who already has the conversation keeps it. */
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
