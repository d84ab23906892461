/** Checks texts that are written by locale. */
import * as Predicate from "effect/Predicate"
import * as Locale from "../../language/Locale.js"
import type { World } from "./CheckParts.js"

/**
 * The canonical form of a locale; undefined for an invalid one. `Intl` also takes longer words as languages, such as
 * "english", but every language has a code of two or three letters.
 */
const canonical = (locale: string): string | undefined => {
  const name = Locale.known(locale)
  return name !== undefined && /^[a-z]{2,3}(?:-|$)/.test(name) ? name : undefined
}

/** Reports locales under which a text is never found. A value that is no record has no texts by locale. */
export const checkLocales = ({ report }: Pick<World, "report">, texts: unknown, path: string): void => {
  if (!Predicate.isRecord(texts)) return
  const locales = Object.keys(texts)
  if (locales.length === 0) {
    report(
      path,
      "texts for no locale",
      "there is nothing to say",
      "Write a text by its locale, { en: \"…\" }; the first is said where none fits"
    )
  }
  for (const locale of locales) {
    const known = canonical(locale)
    if (known === locale) continue
    report(
      `${path}.${locale}`,
      `text for locale "${locale}"`,
      known === undefined ? "that is no locale" : "locales are written in one way, so that it would never be found",
      known === undefined ? "Name a language, \"de\", or a language and a region, \"pt-PT\"" : `Write "${known}"`
    )
  }
}
