/**
 * The built-in languages of consent. All but English are loaded when a process first reads the answer to a question:
 * bundlers write them to a separate file.
 */
import * as Effect from "effect/Effect"
import type { Language } from "../../domain/language/consent/ConsentLanguage.js"
import { english } from "../../domain/language/consent/English.js"

let loaded: ReadonlyArray<Language> | undefined

export const builtIn = (): Effect.Effect<ReadonlyArray<Language>> =>
  loaded !== undefined ? Effect.succeed(loaded) : Effect.map(
    Effect.promise(() => import("../../domain/language/consent/languages/Others.js")),
    ({ others }) => loaded = [english, ...others]
  )
