/**
 * Guardrails: checks of user messages, model replies and tool results. If a check fails or times out, the text is
 * blocked.
 */
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { CodeSchema, DurationSchema, FilledTextsSchema, PredicatesSchema, WhenSchema } from "../code/Code.js"
import * as OptionForm from "../code/OptionForm.js"
import { optional } from "../fields/Fields.js"
import type { OneOrMany, Predicate, Returned, Template, Texts, TurnContext, Written } from "./Callback.js"

/** The reason why a check blocks a text. A check returns undefined to let the text pass. */
export interface Finding {
  /** Shown in the response and the event, not to the user. */
  readonly reason: string
  /** The reply that the user gets instead. Default: the guardrail's `reply`. */
  readonly reply?: string
}

/** The view of the turn that a check gets in addition to the text. */
export interface GuardContext<D, C> extends TurnContext<D, C> {
  /** The agent's text in this turn so far; empty if it has not spoken yet. */
  readonly said: string
}

/**
 * One guardrail. It has exactly one of `check` (code), `when` (a condition in words) and `rewrite` (code that replaces
 * parts of the text and lets the rest pass).
 */
export interface Guardrail<D = unknown, C = unknown> {
  /** Id of the guardrail in responses and events. */
  readonly id: string
  /** Returns a finding to block the text, undefined to let it pass. */
  readonly check?: (text: string, ctx: GuardContext<D, C>) => Returned<Finding | undefined | void>
  /**
   * Conditions in words, judged by a model; a match blocks. One match is enough; with `{ all }` every entry must hold,
   * and predicates run first. Entries that begin with `!` exclude.
   */
  readonly when?: Written<Predicate<D, C>>
  /** Conditions in code: the guardrail is skipped unless all of them hold. A condition that dies blocks the text. */
  readonly if?: OneOrMany<Predicate<D, C>>
  /** Alias of the model that judges `when`; default: the model for the purpose `guard`. */
  readonly model?: string
  /** Returns the changed text, which replaces the original text. */
  readonly rewrite?: (text: string) => Returned<string>
  /** Time limit; default 5 seconds, 20 for `when`. */
  readonly timeout?: Duration.DurationInput
  /**
   * The agent's reply when the guardrail blocks: one text, or texts by locale: `{ en: "Not here.", pt: "Aqui não." }`.
   * If a function fails, times out or returns no text, the library's own text is used.
   */
  readonly reply?: Template<D, C> | Texts<D, C>
  /**
   * For model output: check each sentence while it streams, or hold the reply back and check it as a whole. Default:
   * `"message"` for `when`, else `"sentence"`.
   */
  readonly per?: "sentence" | "message"
}

/** The guardrails of an agent. */
export interface Guardrails<D, C> {
  /**
   * Checks of user messages. They run concurrently with understanding; values are collected and actions run only after
   * they pass.
   */
  readonly input?: ReadonlyArray<Guardrail<D, C>>
  /**
   * Checks of the model's replies before the user sees them. Texts by the author, such as a `reply`, are not checked.
   */
  readonly output?: ReadonlyArray<Guardrail<D, C>>
  /** Checks of tool results before the model sees them. */
  readonly toolResults?: ReadonlyArray<Guardrail<D, C>>
  /** The agent's reply when a guardrail without its own `reply` blocks: one text, or texts by locale. */
  readonly reply?: Template<D, C> | Texts<D, C>
}

/** Record of a guardrail that blocked or rewrote a text. */
export const Tripped = Schema.Struct({
  id: Schema.String,
  of: Schema.Literal("input", "output", "toolResult"),
  /** `blocked`: the reply was replaced, or the tool result withheld. `rewritten`: a changed text was passed on. */
  did: Schema.Literal("blocked", "rewritten"),
  /** Why it took effect: it found something, it failed, or it timed out. */
  because: Schema.Literal("found", "failed", "timed_out"),
  reason: Schema.String,
  /** For a tool result: the id of the call. */
  callId: optional(Schema.String)
}).annotations({ identifier: "Tripped" })

export type Tripped = typeof Tripped.Type

/** The Schema of one guardrail. */
export const Guardrail = Schema.Struct({
  id: Schema.NonEmptyString,
  check: Schema.optional(CodeSchema),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicatesSchema),
  model: Schema.optional(Schema.NonEmptyString),
  rewrite: Schema.optional(CodeSchema),
  timeout: Schema.optional(DurationSchema),
  reply: Schema.optional(FilledTextsSchema),
  per: Schema.optional(Schema.Literal("sentence", "message"))
}).annotations({ identifier: "Guardrail" })

const Checks = Schema.Array(
  OptionForm.of("guardrail")(
    Guardrail.pipe(
      Schema.filter(({ check, rewrite, when }) =>
        [check, rewrite, when].filter((one) => one !== undefined).length === 1
          ? undefined
          : "a guardrail has exactly one of check, when and rewrite"
      )
    ).annotations({ identifier: "Guardrail" })
  )
)

export const Guardrails = Schema.Struct({
  input: Schema.optional(Checks),
  output: Schema.optional(Checks),
  toolResults: Schema.optional(Checks),
  reply: Schema.optional(FilledTextsSchema)
}).annotations({ identifier: "Guardrails" })

/** The reply of a built-in guardrail when it blocks: one text, or texts by locale. */
export type Words = string | Readonly<Record<string, string>>

/** Returns a guardrail that blocks texts longer than `max` characters. */
export const length = (options: { readonly max: number; readonly reply?: Words }) => ({
  id: "length",
  ...(options.reply !== undefined && { reply: options.reply }),
  per: "message" as const,
  check: (text: string): Finding | undefined =>
    text.length > options.max ? { reason: `it has ${text.length} characters, ${options.max} are allowed` } : undefined
})

/** Phrases of prompt injection attempts. Genuine tool results do not contain them. */
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
 * Returns a guardrail that blocks texts with known phrases of prompt injection, anywhere in the text. Use it for
 * results of tools that read untrusted text. It does not detect the same instruction in other words.
 */
export const injection = (options: { readonly also?: ReadonlyArray<RegExp>; readonly reply?: Words } = {}) => ({
  id: "injection",
  ...(options.reply !== undefined && { reply: options.reply }),
  check: (text: string): Finding | undefined => {
    const plain = text.normalize("NFKC").replace(/[\u200b-\u200f\u2060\ufeff]/g, "").replace(/\s+/g, " ")
    // `search` ignores `lastIndex`, so patterns with the flag "g" work too.
    const found = [...phrases, ...options.also ?? []].map((phrase) => plain.search(phrase)).find((at) => at >= 0)
    return found === undefined ? undefined : { reason: `a phrase that tells the model what to do, at ${found}` }
  }
})
