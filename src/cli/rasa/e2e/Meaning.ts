/**
 * Completes what the messages of a test mean where the test does not say it: the fewest statements with which the flows
 * say what is expected.
 */
import * as Arr from "effect/Array"
import type { Json } from "../../../domain/base/Json.js"
import { collected, given, questionOf } from "../FlowDocuments.js"
import type { Graph, Node } from "../FlowGraph.js"
import { begins } from "../RegistryCode.js"
import { answerOf } from "./Answer.js"
import { exampleIn, type Place, play, type Played, type Stage } from "./Play.js"
import { isSaidBy, type Values } from "./Results.js"
import type { ProjectIndex, Turn } from "./Turn.js"

/** The position of a conversation after a message. */
interface Standing {
  known: ReadonlyMap<string, Json>
  place: Place | undefined
  /** The places at which flows wait until another one ends. */
  readonly waiting: Array<Place>
}

/** A meaning that a message may have, with its play. */
interface Meaning {
  readonly fields: Values
  readonly withdrawn?: ReadonlyArray<string>
  readonly flow?: string
  readonly played: Played
  readonly cost: number
}

const cancelled = "utter_flow_cancelled_rasa"
const completed = "utter_can_do_something_else"
const corrected = "utter_corrected_previous_input"

/** Returns the results of actions with which the flows say what is expected, one for each call. */
export const meanings = (
  turns: ReadonlyArray<Turn>,
  before: Record<string, Json>,
  known: ProjectIndex,
  name: string
): Map<string, Array<Values>> => {
  const results = new Map<string, Array<Values>>()
  const sets = (action: string) => known.actions.find((one) => one.name === action)?.sets ?? []
  const stage: Stage = { ...known, sets }
  const initial = Array.from(known.domain.slots.values()).flatMap(({ initial, name }) =>
    initial === undefined ? [] : [[name, initial] as const]
  )
  const standing: Standing = { known: new Map([...initial, ...Object.entries(before)]), place: undefined, waiting: [] }
  for (const [i, turn] of turns.entries()) {
    if (isCorrection(turn, turns[i + 1], standing, known)) continue
    const found = meant(turn, standing, known, stage) ?? both(turn, standing, known, stage)
    if (found === undefined) {
      if (turn.utters.some((utter) => known.says.has(utter))) {
        known.report.add(
          turn.item,
          `test ${name}: no way leads to what is expected`,
          "Say in the test what the message means"
        )
      }
      continue
    }
    for (const [action, values] of found.played.results) {
      if (!calling(turn, action, values, known)) results.set(action, [...results.get(action) ?? [], values])
    }
    lacking(found.played, before, turn, known)
    take(found, turn, standing, known)
  }
  // A result without values is one, too, if a flow asks for them: the action of somebody may give some.
  const decides = (action: string) =>
    known.actions.some(({ checks, name, sets }) => name === action && checks === undefined && sets.length > 0)
  return new Map(
    [...results].filter(([action, all]) => decides(action) || all.some((one) => Object.keys(one).length > 0))
  )
}

/** True if the test tells values, after which only a pattern asks. */
const isAsked = ({ fields, isTold, utters, withdrawn }: Turn, { domain, says }: ProjectIndex): boolean => {
  const [utter = "", ...others] = utters
  const isEmpty = Object.keys(fields).length === 0 && withdrawn.length === 0
  const isQuestion = utter.startsWith("utter_ask_") && domain.responses.has(utter) && !says.has(utter)
  return isTold && !isEmpty && isQuestion && others.length === 0
}

/**
 * True if Rasa asks whether a correction is right before it takes it. The next message then means the correction, or
 * nothing.
 */
const isCorrection = (
  turn: Turn,
  next: Turn | undefined,
  { place }: Standing,
  known: ProjectIndex
): boolean => {
  const { fields, withdrawn } = turn
  if (place === undefined || next === undefined || !isAsked(turn, known)) return false
  if (next.utters.includes(corrected) || next.answers.includes(true)) {
    for (const [slot, value] of Object.entries(fields)) next.fields[slot] ??= value
    next.withdrawn = [...next.withdrawn, ...withdrawn]
    next.isTold = true
  }
  for (const slot of Object.keys(fields)) delete fields[slot]
  turn.withdrawn = []
  return true
}

/** Lets code write an example of each slot that a response shows before anything gives it a value. */
const lacking = ({ lacks }: Played, before: Record<string, Json>, turn: Turn, known: ProjectIndex): void => {
  const begun = known.actions.flatMap(({ name, sets }) => name === begins ? sets : [])
  const have = new Set([...known.asked, ...begun, ...Object.keys(before), ...Object.keys(turn.told)])
  for (const slot of lacks) {
    if (have.has(slot)) continue
    before[slot] = exampleIn(known.domain)(slot)
    known.report.add(
      turn.item,
      `test: ${slot} is shown, and nothing has given it a value`,
      "The test writes an example before the first message; in the conversation the sentence is left out"
    )
  }
}

/** Lets the model call the tools of an agent with the values that it sets; false if the results are of an action. */
const calling = (turn: Turn, gate: string, values: Values, { setters }: ProjectIndex): boolean => {
  const tools = [...setters].filter(([, { step }]) => step === gate)
  for (const [tool, { isFlag, slot }] of tools) {
    const value = values[slot]
    if (value !== undefined) turn.calls.push({ tool, args: isFlag ? {} : { value } })
  }
  return tools.length > 0
}

const isCancelled = ({ completes, isTold, utters }: Turn, goals: ReadonlyArray<string>): boolean =>
  !isTold && (utters.includes(cancelled) || (!completes && goals.length === 0 && utters.includes(completed)))

/** Returns the meaning with which the flows say what is expected; undefined if a message means nothing for them. */
const meant = (turn: Turn, standing: Standing, known: ProjectIndex, stage: Stage): Meaning | undefined => {
  const goals = turn.utters.filter((utter) => known.says.has(utter))
  turn.cancels ||= standing.place !== undefined && isCancelled(turn, goals)
  if (turn.cancels) {
    end(standing, known)
    return undefined
  }
  const isTold = turn.isTold || turn.flow !== undefined || Object.keys(turn.fields).length > 0
  // A message to which only a pattern of Rasa answers is no answer to the flow's question.
  const isOther = !isTold && !turn.completes && turn.utters.length > 0 && goals.length === 0
  const again = asksAgain(standing, known)
  const trials = [...within(turn, goals, standing, known), ...entering(turn, goals, standing, known)]
  const found = trials.flatMap(({ cost, means, ...trial }): ReadonlyArray<Meaning> => {
    const own = new Set(means.flow === undefined ? goals : goals.filter((goal) => goal !== again))
    const { completes, told } = turn
    const played = play({ ...trial, told, completes, goals: own }, stage, example(turn, known))
    if (played === undefined || (isOther && !asksByCode(played, known))) return []
    return [{ ...means, played, cost: cost + played.cost }]
  })
  return found.sort((a, b) => a.cost - b.cost)[0]
}

/** True if an action asks the question at which a play ends: the test tells words of the action. */
const asksByCode = ({ place }: Played, { domain, graphs }: ProjectIndex): boolean => {
  const node = place === undefined ? undefined : graphs.get(place.flow)?.get(place.node)
  return node !== undefined && domain.actions.has(`action_ask_${node.item.at("collect")}`)
}

/** Returns the meaning of a message that asks for two flows, of which the first ends in the turn. */
const both = (turn: Turn, standing: Standing, known: ProjectIndex, stage: Stage): Meaning | undefined => {
  if (turn.cancels || (turn.isTold && turn.then === undefined)) return undefined
  const goals = turn.utters.filter((utter) => known.says.has(utter))
  const firsts = turn.flow === undefined ? flowsSaying(goals, known) : [turn.flow]
  return firsts.flatMap((first) => followed(first, goals, turn, standing, known, stage))[0]
}

/** The meanings of a message that asks for a flow, and for another one that says the rest of what is expected. */
const followed = (
  first: string,
  goals: ReadonlyArray<string>,
  turn: Turn,
  standing: Standing,
  known: ProjectIndex,
  stage: Stage
): ReadonlyArray<Meaning> => {
  const [others, own] = Arr.partition(goals, (goal) => flowsSaying([goal], known).includes(first))
  const then = turn.then ?? flowsSaying(others, known)[0]
  if (then === undefined) return []
  return entering({ ...turn, flow: first }, own, standing, known).flatMap(({ cost, means, ...trial }) => {
    const { completes, told } = turn
    const played = play({ ...trial, told, completes, goals: new Set(own) }, stage, example(turn, known))
    if (played === undefined || played.place !== undefined) return []
    turn.then = then
    for (const goal of others) {
      drop(turn, goal, known, "Its flow begins at the next message, because the first has spoken")
    }
    return [{ ...means, played, cost }]
  })
}

/** Removes the expectation of a response, and reports it. */
const drop = (turn: Turn, response: string, { report }: ProjectIndex, fix: string, instead?: string): void => {
  if (!replace(turn, turn.replies.get(response), instead)) return
  report.add(turn.item, `test: ${response} is said at the next message`, fix)
}

/** Replaces an expectation, or removes it; false if the turn has no such expectation. */
const replace = ({ expects }: Turn, expected: string | undefined, instead?: string): boolean => {
  const at = expected === undefined ? -1 : expects.indexOf(expected)
  if (at >= 0) expects.splice(at, 1, ...(instead === undefined ? [] : [instead]))
  return at >= 0
}

const expectsFlow = (flow: string): string => `talk.expectFlow(${JSON.stringify(flow)})`

const example = (turn: Turn, { domain }: ProjectIndex) => (slot: string): Json => {
  const declared = domain.slots.get(slot)
  const named = declared === undefined || declared.type === "text" ? undefined : answerOf(turn.user, declared)
  return named ?? exampleIn(domain)(slot)
}

/** The fields that the test tells, and those of which it says only that they get a value. */
const toldIn = (turn: Turn, { known }: Standing, index: ProjectIndex, waits?: string): Values => ({
  ...Object.fromEntries(
    turn.mentioned.flatMap((slot) => known.has(slot) || slot === waits ? [] : [[slot, example(turn, index)(slot)]])
  ),
  ...turn.fields
})

const merged = (known: ReadonlyMap<string, Json>, fields: Values): ReadonlyMap<string, Json> =>
  new Map([...known, ...Object.entries(fields)])

const without = (known: ReadonlyMap<string, Json>, slot: string): ReadonlyMap<string, Json> =>
  new Map([...known].filter(([name]) => name !== slot))

/** A meaning to try: where the flow goes on, and with which values. */
interface Trial {
  readonly from: Place
  readonly known: ReadonlyMap<string, Json>
  readonly mayState: boolean
  readonly changed?: string
  readonly cost: number
  readonly means: Pick<Meaning, "fields" | "flow" | "withdrawn">
}

/** A flow that waits for an answer to a message. */
interface Waiting {
  readonly turn: Turn
  readonly place: Place
  readonly graph: Graph
  /** The slot that was asked for. */
  readonly slot: string
  readonly known: ReadonlyMap<string, Json>
  /** The values that the test tells. */
  readonly fields: Values
  readonly goals: ReadonlyArray<string>
}

/** The message answers the question, or says nothing new. */
const answering = ({ fields, known, place, slot, turn }: Waiting, { domain }: ProjectIndex): ReadonlyArray<Trial> => {
  const isTold = Object.keys(fields).length > 0
  const trial = (more: Values, cost: number, mayState: boolean): Trial => {
    const all = { ...fields, ...more }
    return { from: place, known: merged(known, all), mayState, cost, means: { fields: all } }
  }
  const plain = trial({}, isTold || turn.isTold ? 0 : 2, !turn.isTold && !isTold)
  if (turn.isTold) return [plain]
  const declared = domain.slots.get(slot)
  const answer = declared === undefined || slot in fields ? undefined : answerOf(turn.user, declared)
  return [
    plain,
    ...(answer === undefined ? [] : [trial({ [slot]: answer }, 1, true)]),
    ...(isTold ? [trial({}, 3, true)] : [])
  ]
}

/** Rasa asks again for a slot that it asks for before it is filled. */
const askingAgain = (
  { fields, goals, known }: Waiting,
  node: Node,
  from: Place,
  slot: string
): ReadonlyArray<Trial> => {
  if (node.does._tag !== "Collect" || !node.does.forgets || !goals.includes(questionOf(node))) return []
  const { [slot]: _, ...others } = fields
  return [{
    from,
    known: without(merged(known, others), slot),
    mayState: false,
    cost: 3,
    means: { fields: others, withdrawn: [slot] }
  }]
}

/** The message gives another value to a slot that was asked for before, or takes its value back. */
const correcting = (waits: Waiting, other: string): ReadonlyArray<Trial> => {
  const { fields, goals, graph, known, place, slot, turn } = waits
  const node = [...graph.values()].find(({ does }) => does._tag === "Collect" && does.slot === other)
  if (node === undefined || other === slot || !known.has(other)) return []
  const from: Place = { flow: place.flow, node: node.id, isAsked: true }
  if (other in fields) {
    return [
      { from, known: merged(known, fields), mayState: !turn.isTold, cost: 1, means: { fields } },
      ...askingAgain(waits, node, from, other)
    ]
  }
  if (turn.isTold || Object.keys(fields).length > 0) return []
  const trial = { from, known: without(known, other), mayState: false }
  return [
    ...(goals.includes(questionOf(node)) ? [{ ...trial, cost: 5, means: { fields, withdrawn: [other] } }] : []),
    { ...trial, changed: other, cost: 6, means: { fields } }
  ]
}

/** The message is for the agent that speaks. */
const toAgent = ({ fields, isTold }: Turn, from: Place, known: Standing["known"]): Trial => ({
  from,
  known: merged(known, fields),
  mayState: !isTold,
  cost: 0,
  means: { fields }
})

/** The meanings of a message for the flow that waits for an answer. */
const within = (
  turn: Turn,
  goals: ReadonlyArray<string>,
  standing: Standing,
  index: ProjectIndex
): ReadonlyArray<Trial> => {
  const { known, place } = standing
  if (place === undefined || (turn.flow ?? place.flow) !== place.flow) return []
  const graph = index.graphs.get(place.flow) ?? new Map<string, Node>()
  const does = graph.get(place.node)?.does
  if (does?._tag !== "Collect") return does?._tag === "Agent" ? [toAgent(turn, place, known)] : []
  const { slot } = does
  const waits: Waiting = { turn, place, graph, slot, known, goals, fields: toldIn(turn, standing, index, slot) }
  return [...answering(waits, index), ...collected(graph).flatMap((other) => correcting(waits, other))]
}

/** The meanings of a message that enters a flow. */
const entering = (
  turn: Turn,
  goals: ReadonlyArray<string>,
  standing: Standing,
  index: ProjectIndex
): ReadonlyArray<Trial> => {
  const fields = toldIn(turn, standing, index)
  const flows = turn.flow === undefined ? (turn.isTold ? [] : flowsSaying(goals, index)) : [turn.flow]
  return flows.flatMap((flow): ReadonlyArray<Trial> => {
    const node = index.firsts.get(flow)
    if (node === undefined || flow === standing.place?.flow) return []
    return [{
      from: { flow, node, isAsked: false },
      known: merged(standing.known, fields),
      mayState: !turn.isTold,
      cost: turn.flow === undefined ? 4 : 0,
      means: { fields, flow }
    }]
  })
}

/** The flows that a message can enter and that say one of the responses. */
const flowsSaying = (responses: ReadonlyArray<string>, { entered, graphs }: ProjectIndex): ReadonlyArray<string> => {
  const isSaid = (node: Node) => responses.some((response) => isSaidBy(node, response))
  return [...entered].filter((flow) => [...graphs.get(flow)?.values() ?? []].some(isSaid))
}

/** The question of the flow that waits, which is not asked again in the turn in which another flow ends. */
const asksAgain = ({ place }: Standing, { graphs }: ProjectIndex): string | undefined => {
  const node = place === undefined ? undefined : graphs.get(place.flow)?.get(place.node)
  return node === undefined ? undefined : questionOf(node)
}

/** Forgets what a flow that has ended does not keep. */
const end = (standing: Standing, { graphs, kept }: ProjectIndex, flow = standing.place?.flow): void => {
  const gone = new Set(given(graphs.get(flow ?? "") ?? new Map()).filter((slot) => !kept.has(slot)))
  standing.known = new Map([...standing.known].filter(([slot]) => !gone.has(slot)))
  standing.place = standing.waiting.pop()
}

const take = (
  { fields, flow, played, withdrawn = [] }: Meaning,
  turn: Turn,
  standing: Standing,
  known: ProjectIndex
) => {
  Object.assign(turn.fields, fields, played.stated)
  turn.withdrawn = Arr.dedupe([...turn.withdrawn, ...withdrawn])
  for (const slot of turn.withdrawn) delete turn.fields[slot]
  const { place } = standing
  dropWords(turn, played, known)
  if (flow !== undefined) {
    turn.flow = flow
    if (place !== undefined) {
      standing.waiting.push(place)
      goesOn(turn, place, known)
    }
  }
  standing.known = played.known
  if (played.place === undefined) ending(turn, standing, known, flow ?? place?.flow)
  else standing.place = played.place
}

/** Ends a flow. The one that waited for its end is current then. */
const ending = (turn: Turn, standing: Standing, known: ProjectIndex, flow: string | undefined): void => {
  end(standing, known, flow)
  if (standing.place !== undefined) replace(turn, "talk.expectFlow(undefined)", expectsFlow(standing.place.flow))
}

/** Removes expectations of words that an agent chooses. */
const dropWords = (turn: Turn, { place }: Played, { graphs, report }: ProjectIndex): void => {
  const speaks = place === undefined ? undefined : graphs.get(place.flow)?.get(place.node)
  if (speaks?.does._tag !== "Agent") return
  for (const words of turn.words) {
    replace(turn, words)
    report.add(turn.item, "test: words of an agent", "The model chooses them: check them in the test")
  }
}

/** Replaces the question that Rasa asks again after another flow by the expectation that its flow is current. */
const goesOn = (turn: Turn, { flow, node }: Place, known: ProjectIndex): void => {
  const waits = known.graphs.get(flow)?.get(node)
  if (waits === undefined) return
  const fix = "Its flow is current, and asks again at the next message"
  drop(turn, questionOf(waits), known, fix, expectsFlow(flow))
}
