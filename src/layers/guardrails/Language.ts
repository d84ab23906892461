/**
 * A guardrail for the languages of texts, as `tinyld` tells them apart.
 *
 * @since 0.1.0
 */
import { detectAll } from "tinyld"
import type { Words } from "../../domain/authored/Guardrail.js"

/**
 * Blocks texts in other languages than these. A text that is too short to tell, or could be of several languages, passes.
 *
 * @example
 * ```ts
 * import * as Language from "coxswain/layers/guardrails-language"
 *
 * const guardrails = { input: [Language.only(["en", "pt"], { reply: "English or Portuguese, please." })] }
 * ```
 *
 * @since 0.1.0
 * @category guardrails
 */
export const only = (
  /** ISO 639-1. */
  languages: ReadonlyArray<string>,
  options: {
    readonly reply?: Words
    /** Texts with fewer letters than this are not judged; default 20. */
    readonly minLength?: number
    /** Judgements that are less sure than this, from 0 to 1, are ignored; default 0.6. */
    readonly accuracy?: number
  } = {}
) => ({
  id: "language",
  per: "message" as const,
  ...(options.reply !== undefined && { reply: options.reply }),
  check: (text: string): { readonly reason: string } | undefined => {
    if (text.replace(/[^\p{L}]/gu, "").length < (options.minLength ?? 20)) return undefined
    const [best] = detectAll(text)
    return best === undefined || best.accuracy < (options.accuracy ?? 0.6) || languages.includes(best.lang)
      ? undefined
      : { reason: `it is in "${best.lang}"` }
  }
})
