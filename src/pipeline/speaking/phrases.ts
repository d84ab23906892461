/** Chooses the language of the library's own sentences to the user. */
import * as Effect from "effect/Effect"
import * as Later from "../../domain/base/Later.js"
import * as Locale from "../../domain/language/Locale.js"
import { english, languageOf, ofLocale } from "../../domain/language/phrases/Phrases.js"
import type { Spoken } from "../../domain/language/phrases/shownValue.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { Opened } from "../state/TurnState.js"

/** All languages. They are loaded when a process first says one of the sentences: bundlers write them to a separate file. */
const languages = Later.make(() =>
  import("../../domain/language/phrases/OtherPhrases.js").then(({ otherPhrases }) => [english, ...otherPhrases])
)

/**
 * Returns the sentences in the language of the context's locale; without one, in the language of the user's message, or
 * of an earlier one; else in that of the agent's locale, else in English.
 */
export const phrasesFor = (turn: Opened): Effect.Effect<Spoken> =>
  Effect.map(languages.load, (all) => {
    const { context } = turn.state
    const { locale: ofAgent } = turn.runtime.definition
    const given = Locale.known(context.locale)
    const said = given !== undefined ? [] : [
      turn.message,
      ...turn.history.filter(({ role }) => role === "user").map(Transcript.textOf).toReversed()
    ]
    const phrases = given === undefined ? languageOf(said, all) ?? ofLocale(ofAgent, all) : ofLocale(given, all)
    return { phrases: phrases ?? english, locale: given ?? phrases?.code ?? ofAgent ?? english.code }
  })
