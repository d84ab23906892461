/**
 * A model of rules and templates instead of a language model: it needs no network, key or server, and is deterministic.
 * For demos, tutorials and tests. It does not understand language: it compares words, and finds dates, numbers, names
 * and places. It logs this when it starts.
 *
 * The field's Schema determines the kind of a value, the field's name and description its meaning. It finds:
 *
 * - numbers: "2", "two", "a couple", "half a dozen", "1,200", "minus five", "3 1/2", with the unit or label of the field; "two adults and
 *   one child" are three guests, and so is "we are 3"; "one way" and "one moment" count nothing;
 * - dates, also as strings that are called a date: "2027-03-15", "next Friday", "tomorrow", "the 15th", "from March
 *   15 to March 18", "two days after Easter", "tomorrow at 2pm CET"; encoded as the Schema expects;
 * - strings called a city, place, country, origin or destination: known places, capitalised words in the position of
 *   a place, short answers to the question; names of several words stay whole ("Las Vegas", "St. Louis");
 * - strings called a name: "my name is …", "I am …", words that look like a person's name, short answers to the
 *   question;
 * - strings called a time: "7pm", "19:30", "7 in the evening", "half past seven", "noon"; "7" while the step asks
 *   only for the time;
 * - strings called e-mail, phone, link, number, code or id: words of that form, even within a sentence if the Schema
 *   is a pattern ("R17"); "1017 AB" if the pattern takes two words;
 * - literals and enums: their words, apart or together ("one way", "one-way", "oneway"), and those of their
 *   description, `"double (two beds)"`; of an array of literals all that are named;
 * - booleans: a yes or no, or their subject ("without breakfast"), only while the step asks for them;
 * - any other string: "change the title to …", or the whole of a short message while the step asks for nothing else;
 * - structs: their fields, if all required ones were found.
 *
 * A flow scores by the words that the message shares with its `when`, title and description, without endings and words
 * like "wants" or "please". The intents cancel, book, opening hours, price, help, change, buy, yes, no, greetings,
 * thanks and complaints have synonyms. A denied word ("I don't want to cancel") does not count; alternatives count by
 * themselves. The active flow scores 60 for an answer to its question, 45 for a correction. A condition or signal holds
 * when a message has most words of one of its entries; "yes" meets "the guest confirms the booking".
 *
 * @example
 * ```ts
 * import * as Prompt from "@effect/ai/Prompt"
 * import { Effect, Schema } from "effect"
 * import { Understanding } from "coxswain"
 * import * as Offline from "coxswain/layers/offline"
 *
 * const program = Effect.gen(function*() {
 *   const { answer } = yield* Understanding.Understanding
 *   const { fields } = yield* answer({
 *     sessionId: "u1",
 *     message: "A room in Lisbon, please",
 *     history: Prompt.empty,
 *     flows: [],
 *     fields: [{ name: "city", schema: Schema.String, known: false, asked: false }],
 *     conditions: [],
 *     signals: []
 *   })
 *   return fields // { city: "Lisbon" }
 * })
 *
 * program.pipe(Effect.provide(Offline.layer), Effect.runPromise)
 * ```
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Service } from "../../services/understanding/Understanding.js"
import { Understanding } from "../../services/understanding/Understanding.js"
import { judge } from "./OfflineUnderstanding.js"
import { readDays } from "./ReadDays.js"
import { make } from "./RuleModel.js"

export {
  /** Lets an understanding find the words for days and times, and reads by rules which day and time they are. */
  readDays
}

export interface Options {
  /** Delay after each streamed word, to look like typing. Default: no wait. */
  readonly wordDelay?: Duration.DurationInput
}

const understanding: Service = {
  answer: (questions) => Effect.map(Clock.currentTimeMillis, (now) => judge(questions, new Date(now)))
}

export const layerWith = (options: Options): Layer.Layer<Understanding | LanguageModel.LanguageModel> =>
  Layer.mergeAll(
    Layer.succeed(Understanding, understanding),
    Layer.effect(LanguageModel.LanguageModel, make(options.wordDelay)),
    Layer.effectDiscard(
      Effect.logInfo("The offline model is answering: rules and templates, not a language model.")
    )
  )

/**
 * Provides an `Understanding` and a `LanguageModel` that work by rules. Time comes from `Clock`; days and times are those
 * of the user's time zone, by default UTC.
 */
export const layer: Layer.Layer<Understanding | LanguageModel.LanguageModel> = layerWith({})
