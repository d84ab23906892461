/** An understanding that plays a script: what it was asked is recorded, what it answers is a function of that. */
import { Errors, Understanding } from "coxswain"
import { Effect, Layer } from "effect"

export type Reply = Partial<Understanding.Answers>
export type Script = (
  questions: Understanding.Questions,
  index: number
) => Reply | Effect.Effect<Reply, Errors.ResponseGenerationError>

/** Answers by the message; what is not in the table says nothing. */
export const table = (answers: Readonly<Record<string, Reply>>): Script => ({ message }) => answers[message] ?? {}

/** Judges the named conditions true; a condition's words are its name. */
export const judging = (...words: ReadonlyArray<string>): Script => ({ conditions }) => ({
  conditions: Object.fromEntries(conditions.map(({ id, when }) => [id, when.some((one) => words.includes(one))]))
})

/** All of several scripts, each on the part it answers. */
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
