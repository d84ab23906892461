/**
 * Checks around a conversation: of what the user says, of what the agent is about to say, of what tools answer. A check
 * that fails, or takes too long, blocks.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Code, TextsSchema, WhenSchema } from "../code/Code.js"
import { optional } from "../fields/Fields.js"
import type { Predicate, Returned, Template, Texts, TurnContext, Written } from "./Callback.js"

/**
 * What a check has found; a check that finds nothing returns nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Finding {
  /** For the response and the event; the user does not see it. */
  readonly reason: string
  /** What the agent says instead; default: the guardrail's `reply`. */
  readonly reply?: string
}

/**
 * What a check sees beside the text: the turn, and what the agent has said in it before.
 *
 * @since 0.1.0
 * @category models
 */
export interface GuardContext<D, C> extends TurnContext<D, C> {
  /** What the agent has said in this turn up to now; empty where it has not spoken yet. */
  readonly said: string
}

/**
 * One guardrail: `check` in code, `when` in words for a model, or `rewrite`, which takes out what must not be passed on and
 * lets the rest through. Exactly one of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Guardrail<D = unknown, C = unknown> {
  readonly id: string
  /** Returns a finding to block the text, and nothing to let it pass. */
  readonly check?: (text: string, ctx: GuardContext<D, C>) => Returned<Finding | undefined | void>
  /**
   * In words, judged by a model: true blocks. Any entry is enough; with `{ all }` each must be so, and its predicates are
   * asked first. An entry that starts with `!` excludes.
   */
  readonly when?: Written<Predicate<D, C>>
  /** The model alias that judges `when`; default: the one for the purpose `guard`. */
  readonly model?: string
  /** The text as it may be passed on. */
  readonly rewrite?: (text: string) => Returned<string>
  /** How long it may take; default 5 seconds, 20 for `when`. */
  readonly timeout?: Duration.DurationInput
  /**
   * What the agent says when it blocks. One text, or one by locale: `{ en: "Not here.", pt: "Aqui não." }`. A function that
   * fails, takes too long or gives nothing is answered by the library's own words.
   */
  readonly reply?: Template<D, C> | Texts<D, C>
  /**
   * Of what the agent says: sentence by sentence while it streams, or the whole answer at once, which is then held back
   * until it is complete. Default: `"message"` for `when`, else `"sentence"`.
   */
  readonly per?: "sentence" | "message"
}

/**
 * The guardrails of an agent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Guardrails<D, C> {
  /** Of the user's messages, beside understanding; nothing is collected and nothing is done until they pass. */
  readonly input?: ReadonlyArray<Guardrail<D, C>>
  /** Of what the model says, before anybody sees it. Texts that the author wrote, such as a `reply`, are not checked. */
  readonly output?: ReadonlyArray<Guardrail<D, C>>
  /** Of what tools answer, before the model sees it. */
  readonly toolResults?: ReadonlyArray<Guardrail<D, C>>
  /** What the agent says when a guardrail blocks that has no `reply`: one text, or one by locale. */
  readonly reply?: Template<D, C> | Texts<D, C>
}

/**
 * A guardrail that did something.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Tripped = Schema.Struct({
  id: Schema.String,
  of: Schema.Literal("input", "output", "toolResult"),
  /** `blocked`: the agent said something else, or the tool's answer was withheld. `rewritten`: the rest was passed on. */
  did: Schema.Literal("blocked", "rewritten"),
  /** Whether the guardrail found something, or failed or took too long. */
  because: Schema.Literal("found", "failed", "timed_out"),
  reason: Schema.String,
  /** Of a tool's answer: the call that gave it. */
  callId: optional(Schema.String)
}).annotations({ identifier: "Tripped" })

/**
 * @since 0.1.0
 * @category models
 */
export type Tripped = typeof Tripped.Type

const Reply = Schema.Union(Schema.NonEmptyString, Code, TextsSchema)

const One = Schema.Struct({
  id: Schema.NonEmptyString,
  check: Schema.optional(Code),
  when: Schema.optional(WhenSchema),
  model: Schema.optional(Schema.NonEmptyString),
  rewrite: Schema.optional(Code),
  timeout: Schema.optional(Schema.Unknown),
  reply: Schema.optional(Reply),
  per: Schema.optional(Schema.Literal("sentence", "message"))
}).pipe(
  Schema.filter(({ check, rewrite, when }) =>
    [check, rewrite, when].filter((one) => one !== undefined).length === 1
      ? undefined
      : "a guardrail has exactly one of check, when and rewrite"
  )
).annotations({ identifier: "Guardrail" })

/**
 * @since 0.1.0
 * @category schemas
 */
export const Guardrails = Schema.Struct({
  input: Schema.optional(Schema.Array(One)),
  output: Schema.optional(Schema.Array(One)),
  toolResults: Schema.optional(Schema.Array(One)),
  reply: Schema.optional(Reply)
}).annotations({ identifier: "Guardrails" })

/**
 * What one of the ready guardrails says when it blocks: one text, or one by locale.
 *
 * @since 0.1.0
 * @category models
 */
export type Words = string | Readonly<Record<string, string>>

/**
 * Blocks texts of more than so many characters.
 *
 * @since 0.1.0
 * @category guardrails
 */
export const length = (options: { readonly max: number; readonly reply?: Words }) => ({
  id: "length",
  ...(options.reply !== undefined && { reply: options.reply }),
  per: "message" as const,
  check: (text: string): Finding | undefined =>
    text.length > options.max ? { reason: `it has ${text.length} characters, ${options.max} are allowed` } : undefined
})

/** Phrases of texts that try to give a model orders. An honest result of a tool contains none of them. */
const phrases: ReadonlyArray<RegExp> = [
  /\b(ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(previous|prior|above|earlier|preceding|all|any|your)\b[^.\n]{0,30}\b(instructions?|prompts?|rules?|directions?|guidelines?)\b/i,
  /\b(new|updated|real|actual) (system )?(instructions?|prompt) ?(:|are|is|follow)/i,
  /\byou (are now|must now|will now) (a|an|in|act|the)\b/i,
  /\b(reveal|print|repeat|show|output)\b[^.\n]{0,30}\b(system prompt|your (instructions|prompt)|hidden instructions)\b/i,
  /<\/?(system|assistant|instructions?)>|\[\/?INST\]|<\|(im_start|im_end|system|assistant)\|>/i,
  /\bdo not (tell|inform|mention (this|it) to|let) the user\b/i,
  /\b(act|behave|respond|pretend) as (if|though) you (are|were|have)\b/i,
  /\bdeveloper mode\b|\bjailbreak\b|\bDAN mode\b/i
]

/**
 * Blocks texts with phrases that tell a model to leave its instructions, for the results of tools that read what strangers
 * wrote. A phrase is found wherever it stands in a text; the same order in other words is not found.
 *
 * @since 0.1.0
 * @category guardrails
 */
export const injection = (options: { readonly also?: ReadonlyArray<RegExp>; readonly reply?: Words } = {}) => ({
  id: "injection",
  ...(options.reply !== undefined && { reply: options.reply }),
  check: (text: string): Finding | undefined => {
    const plain = text.normalize("NFKC").replace(/[\u200b-\u200f\u2060\ufeff]/g, "").replace(/\s+/g, " ")
    // A pattern with the flag "g" would begin its next search where the last one stopped.
    const found = [...phrases, ...options.also ?? []].map((phrase) => plain.search(phrase)).find((at) => at >= 0)
    return found === undefined ? undefined : { reason: `a phrase that tells the model what to do, at ${found}` }
  }
})
