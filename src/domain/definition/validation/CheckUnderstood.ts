/** Checks the option `understood` of a request against the definition. */
import * as Either from "effect/Either"
import * as ErrorMessage from "../../base/error/ErrorMessage.js"
import { InvalidRequest } from "../../base/error/Errors.js"
import * as Excerpt from "../../base/error/Excerpt.js"
import type { JsonObject } from "../../base/Json.js"
import { complaints } from "../../fields/Fields.js"
import * as Decode from "../../fields/schema/Decode.js"
import type { Judgement } from "../../session/Understood.js"
import { Understood } from "../../session/Understood.js"
import type { CompiledSignal, Definition } from "../Definition.js"
import { findFlow } from "../Definition.js"

const decode = Decode.either(Understood, { errors: "all" })

const refused = (what: string, why: string, fix: string) =>
  Either.left(new InvalidRequest({ what: `understood.${what}`, why, fix }))

/**
 * Checks and decodes `understood` of a message to this agent. Every name must be in the definition and every value must
 * fit its Schema. Returns the flow as its id.
 */
export const check = (u: unknown, definition: Definition): Either.Either<Understood, InvalidRequest> =>
  Either.gen(function*() {
    const given = yield* decoded(u, definition)
    const flow = given.flow === undefined ? undefined : yield* flowOf(given.flow, definition)
    yield* checkValues(given.values ?? {}, definition)
    yield* checkConditions(Object.keys(given.conditions ?? {}), definition)
    for (const [id, judgement] of Object.entries(given.signals ?? {})) yield* checkSignal(id, judgement, definition)
    return { ...given, ...(flow !== undefined && { flow }) }
  })

const decoded = (u: unknown, { excerpts }: Definition): Either.Either<Understood, InvalidRequest> =>
  Either.mapLeft(decode(u), (error) =>
    new InvalidRequest({
      what: "understood",
      why: complaints(error, excerpts),
      fix: "Pass { flow?, values?, conditions?, signals? }, or leave it out"
    }))

const flowOf = (name: string, { excerpts, flows }: Definition): Either.Either<string, InvalidRequest> => {
  const flow = findFlow(flows, name)
  return flow === undefined
    ? refused(
      "flow",
      `there is no flow ${Excerpt.of(name, excerpts)}; the flows are ${ErrorMessage.names(flows.map(({ id }) => id))}`,
      "Correct the name, or leave it out"
    )
    : Either.right(flow.id)
}

const checkValues = (values: JsonObject, { excerpts, fields }: Definition): Either.Either<void, InvalidRequest> => {
  for (const [name, value] of Object.entries(values)) {
    const field = fields.get(name)
    const what = `values.${Excerpt.of(name, excerpts)}`
    if (field === undefined) {
      return refused(what, "the data has no such field", `Name one of ${ErrorMessage.names(fields.keys())}`)
    }
    if (field.extract === "never") return refused(what, "only code writes this field", "Leave it out")
    const one = field.decode(value)
    if (Either.isLeft(one)) return refused(what, one.left, "Pass a value that the data's Schema takes, or leave it out")
  }
  return Either.void
}

/** Ids of the definition's conditions in words. */
const conditionsOf = ({ branches, flows }: Definition): ReadonlyArray<string> =>
  [
    ...branches,
    ...flows.flatMap((flow) => [
      ...flow.branches,
      ...flow.steps.flatMap((step) => [{ id: step.ref, when: step.when }, ...step.branches])
    ])
  ].flatMap(({ id, when }) => when.length === 0 ? [] : [id])

const checkConditions = (
  ids: ReadonlyArray<string>,
  definition: Definition
): Either.Either<void, InvalidRequest> => {
  const known = ids.length === 0 ? [] : conditionsOf(definition)
  const unknown = ids.find((id) => !known.includes(id))
  return unknown === undefined ? Either.void : refused(
    `conditions.${Excerpt.of(unknown, definition.excerpts)}`,
    `there is no such condition in words; they are ${ErrorMessage.names(known)}`,
    "Correct the name, or leave it out"
  )
}

/** True if the signal judges messages, before the model speaks. */
const isJudged = ({ extract, phases, when }: CompiledSignal): boolean =>
  phases.has("pre") && (when.length > 0 || extract !== undefined)

const checkSignal = (
  id: string,
  judgement: Judgement,
  { excerpts, signals }: Definition
): Either.Either<void, InvalidRequest> => {
  const what = `signals.${Excerpt.of(id, excerpts)}`
  const judged = signals.filter(isJudged)
  const signal = judged.find((one) => one.id === id)
  if (signal === undefined) {
    return refused(
      what,
      `no such signal is judged before the model speaks; those that are: ${
        ErrorMessage.names(judged.map((one) => one.id))
      }`,
      "Correct the name, or leave it out"
    )
  }
  if (typeof judgement === "boolean" || judgement.extracted === undefined) return Either.void
  if (signal.extract === undefined) return refused(what, "the signal extracts nothing", "Leave extracted out")
  return Either.match(Decode.either(signal.extract)(judgement.extracted), {
    onLeft: (error) =>
      refused(what, complaints(error, excerpts), "Pass a value that the signal's extract takes, or leave it out"),
    onRight: () => Either.void
  })
}
