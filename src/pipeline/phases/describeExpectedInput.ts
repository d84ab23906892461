/**
 * Describes the input that the agent expects after the turn: the form of the step that has spoken, and the progress of
 * its flow.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Form from "../../domain/authored/Form.js"
import * as Memo from "../../domain/base/Memo.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import type { Field, Fields } from "../../domain/fields/Fields.js"
import * as Nested from "../../domain/fields/Nested.js"
import type { Session } from "../../domain/session/Session.js"
import { contextOf } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { trace } from "../state/TurnState.js"
import { expectingStep } from "../walk/conditions.js"
import { currentFlow, flowOf } from "../walk/TurnGround.js"

/** Sets the expected input and the progress in the turn's state. */
export const describeExpectedInput = Effect.fnUntraced(function*(turn: Opened) {
  measure(turn)
  const { _tag } = turn.state.ending
  if (_tag === "Waiting" || _tag === "HandedOver") return
  const expecting = expectingStep(turn)
  // If the last step of a flow has just spoken, no step waits, but the choices of the last step are still offered.
  const step = expecting ?? lastSpeaker(turn)
  if (step === undefined) return
  const fields = expecting === undefined ? [] : needed(turn, expecting)
  const offered = new Map<string, ReadonlyArray<Form.Suggestion>>()
  for (const name of [...fields.map(({ name }) => name), ""]) {
    const suggestions = yield* offer(turn, step, name)
    if (suggestions !== undefined) offered.set(name, suggestions)
  }
  const ofStep = offered.get("") ?? []
  if (fields.length + ofStep.length === 0) return
  const { session } = turn.state
  const parts = new Map(fields.map((field) => [field.name, Nested.known(session, field)]))
  turn.reply.expects = Form.make(fields, { title: step.description, parts, ofField: offered, ofStep })
})

/** The fields that a flow needs: its `requiredFields` or, without any, the fields that its steps collect. */
const neededIn = ({ requiredFields, steps }: CompiledFlow): ReadonlyArray<string> =>
  Array.from(new Set(requiredFields.length > 0 ? requiredFields : steps.flatMap(({ collect }) => collect)))

/** Returns the fields for which a flow asks the user. A struct with required parts is represented by these parts. */
const requiredIn = Memo.weak((fields: Fields) =>
  Memo.weak((flow: CompiledFlow) => {
    const asked = neededIn(flow).map((name) => {
      const field = fields.get(name)
      const parts = field === undefined ? [] : Nested.missing(field, {}).map((leaf) => leaf.field.name)
      return parts.length === 0 ? { name, parts: [name] } : { name, parts, struct: field }
    })
    return { asked, required: asked.flatMap(({ parts }) => parts) }
  })
)

/** Sets the progress of the current flow. */
const measure = (turn: Opened): void => {
  const { session } = turn.state
  const flow = currentFlow(turn, session)
  if (flow === undefined) return
  const { asked, required } = requiredIn(turn.runtime.definition.fields)(flow)
  const known = new Set(Object.keys(session.data).filter((name) => session.data[name] !== undefined))
  const completed = asked.flatMap(({ name, parts, struct }) =>
    known.has(name) ? parts : struct === undefined ? [] : toldOf(session, struct, parts)
  )
  turn.reply.progress = { flow: flow.id, completed, required }
}

/** Returns the given parts of a struct that are known. */
const toldOf = (session: Session, struct: Field, parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const missing = Nested.missing(struct, Nested.known(session, struct)).map((leaf) => leaf.field.name)
  return parts.filter((part) => !missing.includes(part))
}

const needed = (turn: Opened, { collect }: CompiledStep): ReadonlyArray<Field> => {
  const { data } = turn.state.session
  return collect.flatMap((name) =>
    ownValue(data, name) === undefined ? turn.runtime.definition.fields.get(name) ?? [] : []
  )
}

const lastSpeaker = (turn: Opened): CompiledStep | undefined => {
  const { speaker } = turn.reply
  if (speaker === undefined || speaker === "idle" || turn.state.session.currentStep !== undefined) return undefined
  return flowOf(turn, speaker.flowId)?.steps
    .find(({ id }) => id === speaker.stepId)
}

/** The choices that the step offers for a field; if it offers none, the choices of the field itself. */
const offer = (
  turn: Opened,
  step: CompiledStep,
  name: string
): Effect.Effect<ReadonlyArray<Form.Suggestion> | undefined, Failure> => {
  const field = turn.runtime.definition.fields.get(name)
  const choices = step.choices.get(name)
  if (choices === undefined) {
    const own = field?.choices
    return Effect.succeed(own === undefined ? own : Form.suggestions(own, { context: turn.state.context }))
  }
  return Effect.map(
    Effect.suspend(() => choices(contextOf(turn))),
    (suggestions) =>
      field === undefined ? suggestions : suggestions.filter(({ value }) =>
        Either.match(field.decode(value), {
          onLeft: (why) => {
            trace(turn, "choice_refused", `step:${step.id}.choices`, `${name}: ${why}`)
            return false
          },
          onRight: () => true
        })
      )
  )
}
