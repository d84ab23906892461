/** The options for recognizing yes and no. */
import * as Schema from "effect/Schema"
import { CodeSchema } from "../../code/Code.js"
import * as OptionForm from "../../code/OptionForm.js"
import type { Language } from "./ConsentLanguage.js"
import { english } from "./English.js"

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

export const Options = Schema.Struct({
  languages: Schema.optional(Schema.Array(Schema.Struct(
    {
      code: Schema.NonEmptyString,
      ...Object.fromEntries(
        Object.keys(english).filter((key) =>
          !["code", "relates", "classes", "both", "all", "numerals", "pays", "means", "money", "compounds", "unclear"]
            .includes(key)
        ).map((
          key
        ) => [key, Schema.String])
      ),
      ...Object.fromEntries(
        ["relates", "classes", "both", "all", "numerals", "pays", "means", "money", "cases"].map((
          key
        ) => [key, Schema.optional(Schema.String)])
      ),
      prefixes: Schema.optional(Schema.String),
      particles: Schema.optional(Schema.String),
      compounds: Schema.optional(Schema.Boolean),
      ordinals: Schema.optional(Schema.Boolean),
      verbLast: Schema.optional(Schema.Boolean),
      unclear: Schema.Struct(
        Object.fromEntries(Object.keys(english.unclear).map((key) => [key, Schema.NonEmptyString]))
      )
    }
  ))),
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
