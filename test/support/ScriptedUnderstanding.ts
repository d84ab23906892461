/** A scripted understanding: records its questions; the script computes each answer from them. */
import { Errors, Understanding } from "coxswain"
import { Effect, Layer } from "effect"

export type Reply = Partial<Understanding.Answers>
export type Script = (
  questions: Understanding.Questions,
  index: number
) => Reply | Effect.Effect<Reply, Errors.ResponseGenerationError>

/** Answers by message; a message that is not in the table has an empty answer. */
export const table = (answers: Readonly<Record<string, Reply>>): Script => ({ message }) => answers[message] ?? {}

/** Judges conditions true whose text is given. */
export const judging = (...words: ReadonlyArray<string>): Script => ({ conditions }) => ({
  conditions: Object.fromEntries(conditions.map(({ id, when }) => [id, when.some((one) => words.includes(one))]))
})

/** Merges the answers of several scripts. */
export const together = (...scripts: ReadonlyArray<Script>): Script => (questions, index) =>
  Effect.map(
    Effect.forEach(scripts, (script) => {
      const reply = script(questions, index)
      return Effect.isEffect(reply) ? reply : Effect.succeed(reply)
    }),
    (replies) => Object.assign({}, ...replies) as Reply
  )

export const failing = new Errors.ResponseGenerationError({
  phase: "understand",
  reason: "overloaded",
  retryable: true,
  what: "understand",
  why: "the provider is overloaded",
  fix: "Try again later"
})

export const make = (script: Script) => {
  const asked: Array<Understanding.Questions> = []
  const layer = Layer.succeed(Understanding.Understanding, {
    answer: (questions) =>
      Effect.suspend(() => {
        const reply = script(questions, asked.push(questions) - 1)
        const answered = Effect.isEffect(reply) ? reply : Effect.succeed(reply)
        return Effect.map(answered, (given) => ({ ...Understanding.none, ...given }))
      })
  })
  return { asked, layer }
}
