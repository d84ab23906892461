/** The options for recognizing yes and no. */
import * as Schema from "effect/Schema"
import { CodeSchema } from "../../code/Code.js"
import * as OptionForm from "../../code/OptionForm.js"
import type { Language, Reason } from "./ConsentLanguage.js"

/**
 * The author's own recognition, called before the library's. `"neither"` means that the message is no answer;
 * `undefined` leaves the decision to the library.
 */
export type Recogniser = (message: string, question: string) => "yes" | "no" | "neither" | undefined

/** The options for recognizing answers. */
export interface Options {
  /** Additional languages; one with the code of a built-in language replaces it. Default: none. */
  readonly languages?: ReadonlyArray<Language>
  /** The author's recognition, called first. Its yes is final. */
  readonly recognise?: Recogniser
}

const texts = [
  ...["agrees", "refuses", "beside", "leads", "explains", "links", "prepositions", "from", "to", "denies"] as const,
  ...["conditions", "hesitates", "quotes", "asks", "more", "verbs", "same", "wishes", "generic", "future"] as const,
  ...["requests", "joins", "or", "endings", "finite", "past"] as const
] satisfies ReadonlyArray<keyof Language>

const furtherTexts = [
  ...["actions", "things", "relates", "classes", "both", "all", "numerals", "pays", "means", "makes"] as const,
  ...["takes", "covers", "money", "amounts", "cases", "prefixes", "particles"] as const
] satisfies ReadonlyArray<keyof Language>

const flags = ["compounds", "capitals", "ordinals", "verbLast"] satisfies ReadonlyArray<keyof Language>

const reasons = ["asks", "quotes", "condition", "denies", "hesitates", "more", "silent"] satisfies ReadonlyArray<Reason>

const each = <A>(names: ReadonlyArray<string>, schema: A) => Object.fromEntries(names.map((name) => [name, schema]))

export const Options = Schema.Struct({
  languages: Schema.optional(Schema.Array(Schema.Struct({
    code: Schema.NonEmptyString,
    ...each(texts, Schema.String),
    ...each(furtherTexts, Schema.optional(Schema.String)),
    ...each(flags, Schema.optional(Schema.Boolean)),
    radicals: Schema.optional(Schema.Struct({ prefixes: Schema.String, weak: Schema.String })),
    unclear: Schema.Struct(each(reasons, Schema.NonEmptyString))
  }))),
  recognise: Schema.optional(CodeSchema)
}).pipe(OptionForm.named("ConsentOptions"))

/**
 * The answers that count as a yes. `"plain"`: only those that code recognizes; `"judged"`: also those that the model
 * judges as a yes, unless code recognizes a no.
 */
export const Consent = Schema.Literal("plain", "judged").annotations({
  identifier: "Consent",
  message: () => ({ message: "must be \"plain\" or \"judged\"", override: true })
})

export type Consent = typeof Consent.Type

/** How answers are recognized, and the question to which they belong. */
export interface Asked extends Options {
  /** The question in the form in which it was asked; the answer may repeat its words. Default: not known. */
  readonly question?: string
}
