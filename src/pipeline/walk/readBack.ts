/** Read-back: a step repeats its values to the user, who confirms them before the flow continues. */
import * as Effect from "effect/Effect"
import type { CompiledStep } from "../../domain/definition/Definition.js"
import { knownIn } from "../../domain/fields/Fields.js"
import * as ReadBack from "../../domain/session/ReadBack.js"
import { isSatisfied } from "../../domain/walk/choose.js"
import { contextOf } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { end, paragraph, setSession, tell } from "../state/TurnState.js"

type Values = Record<string, unknown>

/** Returns the digest of the values that the step collects, and of those that its read-back has named. */
const sealOf = (turn: Opened, { collect, id }: CompiledStep, data: Values): string =>
  ReadBack.seal([...collect, ...turn.state.session.currentFlow?.shown?.[id] ?? []], data)

/** True if the step's values are confirmed or need no confirmation. A changed value needs confirmation again. */
export const isConfirmed = (turn: Opened, step: CompiledStep, data: Values): boolean =>
  step.confirm === undefined || turn.state.session.currentFlow?.confirmed?.[step.id] === sealOf(turn, step, data)

/** Returns the data, with the known fields that are read added to `names`. */
const noting = (data: Values, names: Set<string>): Values =>
  new Proxy(data, {
    get: (of, name) => {
      if (typeof name === "string" && of[name] !== undefined) names.add(name)
      return Reflect.get(of, name)
    }
  })

/** Returns the step that has read its values back and waits for the user's answer, if there is one. */
export const readingBack = (turn: Opened): CompiledStep | undefined => {
  const { session } = turn.state
  const position = session.currentStep
  if (position?.confirming === undefined || !position.spoken || position.pending === true) return undefined
  const flow = session.currentFlow && turn.runtime.definition.flowsById.get(session.currentFlow.id)
  const step = flow?.stepsById.get(position.id)
  return step?.confirm !== undefined && isSatisfied(step, knownIn(session.data)) ? step : undefined
}

/** Stores that the user has confirmed the current values. */
export const accept = (turn: Opened, step: CompiledStep): void => {
  const { currentFlow, data } = turn.state.session
  if (currentFlow === undefined) return
  const confirmed = { ...currentFlow.confirmed, [step.id]: sealOf(turn, step, data) }
  setSession(turn, { currentFlow: { ...currentFlow, confirmed } })
  const values = Object.fromEntries(step.collect.map((name) => [name, data[name]]))
  turn.features.written?.(turn, values, "confirmation", turn.state.session)
}

/** Returns the question; if the last answer was unclear, the reason precedes the question. */
export const reasoned = (turn: Opened, question: string): string => {
  const { recognition, unclear } = turn.answer
  if (recognition === undefined || unclear === undefined) return question
  return `${recognition.unclear(unclear, { ...turn.runtime.definition.consent, question })} ${question}`
}

const asked = (turn: Opened, question: string, fields: ReadonlyArray<string>): Effect.Effect<string> =>
  turn.features.question?.(turn, question, fields) ?? Effect.succeed(question)

/**
 * Reads the values back to the user, or asks which value is wrong if the user said no. The text comes from code and not
 * from the model, so that the values are exact.
 */
export const readBack = (turn: Opened, step: CompiledStep): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const refused = turn.answer.verdict === "no"
    const ctx = contextOf(turn)
    const read = new Set<string>()
    const own = refused || step.confirm === undefined || step.confirm === true
      ? undefined
      : yield* step.confirm({ ...ctx, data: noting(ctx.data, read) })
    const question = refused
      ? ReadBack.which(step.collect)
      : yield* asked(turn, own || ReadBack.question(step.collect, ctx.data), step.collect)
    const { currentFlow, currentStep } = turn.state.session
    const shown = Array.from(read).filter((name) => !step.collect.includes(name))
    setSession(turn, {
      currentStep: { ...currentStep!, confirming: refused ? "which" : "asked" },
      ...(currentFlow !== undefined && shown.length > 0 && {
        currentFlow: { ...currentFlow, shown: { ...currentFlow.shown, [step.id]: shown } }
      })
    })
    yield* tell(turn, { _tag: "TextDelta", text: paragraph(turn, reasoned(turn, question)) })
    end(turn, { _tag: "Spoken" })
  })
