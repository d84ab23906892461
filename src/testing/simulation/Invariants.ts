/** The invariants of every agent, checked after every turn. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { canonical } from "../../domain/base/Json.js"
import type { Values } from "../../domain/definition/Definition.js"
import * as ListFields from "../../domain/fields/ListFields.js"
import * as Nested from "../../domain/fields/Nested.js"
import type { Session } from "../../domain/session/Session.js"
import { positionOf } from "../conversation/Exchange.js"
import { matches, show } from "../conversation/Match.js"
import type { SeenTurn, SimulatedTurn } from "./Turn.js"

/**
 * An invariant that must hold after every turn. `broken` returns a description of the violation; undefined if the
 * invariant holds.
 */
export interface Invariant<Turn = SimulatedTurn> {
  readonly name: string
  readonly broken: (turn: Turn) => string | undefined
}

/** Returns the kind of invalid decision, if the act is one. */
const strayOf = ({ act }: SeenTurn) => act._tag === "Decide" ? act.stray : undefined

const answers: Invariant<SeenTurn>["broken"] = (turn) => {
  const { failure, response } = turn
  if (strayOf(turn) !== undefined && failure?.tag === "InvalidRequest") return undefined
  if (failure !== undefined) return `the turn failed: ${failure.said}`
  if (response === undefined || response.message !== "") return undefined
  return ["halt", "aborted", "needs_approval", "goto", "reset", "handled", "handed_over"].includes(
      response.stoppedReason
    )
    ? undefined
    : `nothing was said, and the turn ended with ${response.stoppedReason}`
}

const asksForUnknown: Invariant<SeenTurn>["broken"] = ({ askedFor, before, response }) => {
  // A tool, or a step's own code, may clear a field within the turn. So a field counts as known only if it is known
  // before and after the turn.
  const known = Object.keys(before?.data ?? {}).filter((name) =>
    response !== undefined && response.session.data[name] !== undefined && response.completedFlows.length === 0 &&
    response.directiveChain.length === 0 && matches(response.session.data[name], before?.data[name])
  )
  const asked = askedFor.flat().find((name) => known.includes(name))
  return asked === undefined ? undefined : `the model was told to ask for ${asked}, which is known`
}

const decodes: Invariant<SeenTurn>["broken"] = ({ definition, response }) => {
  for (const [name, value] of Object.entries(response?.session.data ?? {})) {
    const field = definition.fields.get(name)
    if (field === undefined) return `the session holds "${name}", which is no field`
    const checked = field.check(value)
    if (Either.isLeft(checked)) return `${name} is ${show(value)}: ${checked.left}`
  }
  return undefined
}

const decidesOnce: Invariant<SeenTurn>["broken"] = (turn) => {
  const { repeated: [repeated], response } = turn
  const stray = strayOf(turn)
  if (repeated !== undefined) return `${repeated} ran twice for one decision`
  if (stray === undefined || response === undefined) return undefined
  return stray === "again"
    ? "a decision that was made before was taken again"
    : "a decision about a call of another session was taken"
}

const exists: Invariant<SeenTurn>["broken"] = ({ definition, response }) => {
  if (response === undefined) return undefined
  const { currentFlow, currentStep, suspended } = response.session
  const places = [...suspended, ...(currentFlow === undefined ? [] : [{ flow: currentFlow, step: currentStep }])]
  const lost = places.find(({ flow, step }) => {
    const found = definition.flows.find(({ id }) => id === flow.id)
    return found === undefined || (step !== undefined && !found.steps.some(({ id }) => id === step.id))
  })
  return lost === undefined
    ? undefined
    : `the session stands at ${lost.flow.id}/${lost.step?.id ?? ""}, which does not exist`
}

const exits = ({ flowHistory }: Session<Values, Values>, id: string): number =>
  flowHistory.filter(({ exitedAt, flowId }) => flowId === id && exitedAt !== undefined).length

const resumes: Invariant<SeenTurn>["broken"] = ({ before, response }) => {
  if (before === undefined || response === undefined) return undefined
  const after = response.session
  const places = [after.currentFlow, ...after.suspended.map(({ flow }) => flow)]
  const gone = before.suspended.find(({ flow: { id } }) =>
    !places.some((flow) => flow?.id === id) && exits(after, id) === exits(before, id)
  )
  return gone === undefined ? undefined : `${gone.flow.id} was suspended, and is gone without having ended`
}

const moves: Invariant<SeenTurn>["broken"] = ({ held, patience, response }) =>
  response === undefined || held < patience
    ? undefined
    : `the user has done what they were asked for ${held} turns, and still stands at ${positionOf(response.session)}`

const reloads: Invariant<SeenTurn>["broken"] = ({ first, left, reloaded, response }) => {
  // A repeated message changes no state.
  if (response === undefined || first !== undefined) return undefined
  if (typeof left === "string") return `the session does not encode: ${left}`
  if (typeof reloaded === "string") return reloaded
  if (canonical(left) === canonical(reloaded)) return undefined
  const keys = [...new Set([...Object.keys(left), ...Object.keys(reloaded)])]
  const key = keys.find((one) => canonical(left[one] ?? null) !== canonical(reloaded[one] ?? null)) ?? ""
  return `${key} was ${show(left[key])}, and is ${show(reloaded[key])} when it is loaded again`
}

/** True if code may have written the value in this turn; code may write any value. */
const written = ({ before, definition, response }: SeenTurn, name: string, value: unknown): boolean =>
  value === undefined ||
  response?.directiveChain.some(({ directive }) => JSON.stringify(directive).includes(JSON.stringify(name))) === true ||
  (before !== undefined && matches(before.data[name], value)) ||
  [definition.initialData, ...definition.flows.map(({ initialData }) => initialData)]
    .some((initial) => Object.hasOwn(initial, name))

/** True if the understanding of the message contains the value. */
const meant = ({ before, definition, heard }: SeenTurn, name: string, value: unknown): boolean => {
  const said = heard?.fields[name]
  const field = definition.fields.get(name)
  if (said === undefined || field === undefined) return false
  const decoded = field.decode(said)
  // For a list that is filled over several messages, a message states only a part of the list.
  const merged = Either.flatMap(decoded, (given) => ListFields.merge(field, before?.data[name], given))
  // The values that a message states for a struct are merged into the known ones.
  const known = before === undefined ? {} : Nested.known(before, field)
  const { whole } = Nested.change(field, known, { given: said, withdrawn: [], takes: () => true })
  if (Option.isSome(whole) && matches(whole.value, value)) return true
  return [decoded, merged].some((one) => Either.isRight(one) && matches(one.right, value))
}

const stores: Invariant<SeenTurn>["broken"] = (turn) => {
  const { first, heard, response } = turn
  // A repeated message gets its earlier answer, without a second understanding.
  if (response === undefined || first !== undefined) return undefined
  const wrong = Object.entries(response.collected).find(([name, value]) =>
    !meant(turn, name, value) && !written(turn, name, value)
  )
  return wrong &&
    `${wrong[0]} is ${show(wrong[1])}, which nobody has said: the user said ${show(heard?.fields[wrong[0]])}`
}

const repeats: Invariant<SeenTurn>["broken"] = ({ first, response }) =>
  first === undefined || response === undefined || first.message === response.message &&
      first.session.version === response.session.version
    ? undefined
    : `the same message was answered ${show(response.message)}, and before ${show(first.message)}`

/** The invariants of every agent. */
export const invariants: ReadonlyArray<Invariant<SeenTurn>> = [
  { name: "every turn answers or says why not", broken: answers },
  { name: "no step asks for what is known", broken: asksForUnknown },
  { name: "no tool runs on undecoded data or without its gates", broken: ({ ungated }) => ungated[0] },
  { name: "a decision is carried out once, and in its session", broken: decidesOnce },
  { name: "data always decodes", broken: decodes },
  { name: "only what was said or written is stored", broken: stores },
  { name: "the position always exists", broken: exists },
  { name: "a suspended flow resumes or ends", broken: resumes },
  { name: "no flow is stuck while the user cooperates", broken: moves },
  { name: "the session reloads to the same state", broken: reloads },
  { name: "a message that is sent again gets the same answer", broken: repeats }
]

/** An invariant that is checked separately: when it is violated, the simulation continues and counts the defects. */
export const survives: Invariant<SeenTurn> = {
  name: "no code dies",
  broken: ({ defects: [first] }) => first && `${first.what} died: ${first.said}`
}
