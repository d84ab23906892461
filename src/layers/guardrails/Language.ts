/** A guardrail for the language of texts, which the package `tinyld` detects. */
import { detectAll } from "tinyld"
import type { Words } from "../../domain/authored/Guardrail.js"

/**
 * Blocks texts in other languages than these. A text passes if it is too short to detect its language, or may be in
 * several languages.
 *
 * @example
 * ```ts
 * import * as Language from "coxswain/layers/guardrails-language"
 *
 * const guardrails = { input: [Language.only(["en", "pt"], { reply: "English or Portuguese, please." })] }
 * ```
 */
export const only = (
  /** Allowed languages, as ISO 639-1 codes. */
  languages: ReadonlyArray<string>,
  options: {
    readonly reply?: Words
    /** Texts with fewer letters than this number are not checked. Default 20. */
    readonly minLength?: number
    /** Detections with a lower accuracy than this, from 0 to 1, are ignored; default 0.6. */
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
