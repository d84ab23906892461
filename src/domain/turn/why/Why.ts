/**
 * Explains a turn by a list of sentences, shown by the page, by `/why` in `coxswain chat` and by a failed test. This
 * file selects the sentences; `Wording.ts` has their texts.
 */
import { ownValue } from "../../base/ownValue.js"
import type { Answer, Fact, Places, Told } from "./Told.js"

export { type Answer, type Fact, ofResponse, type Places, type Told } from "./Told.js"

/** A directive of a turn, and its emitter. */
export interface Emitted {
  readonly source: string
  /** The main field of the directive: `goTo`, `complete`, `reply`, `dataUpdate`, … */
  readonly act: string
  /** The value of the directive's main field: a flow, a step, a text or names of fields. */
  readonly to: string
}

/** One sentence as data, without its text. */
export type Sentence =
  & (
    | { readonly _tag: "Said"; readonly message: string }
    | { readonly _tag: "Happened"; readonly event: string }
    | {
      readonly _tag: "Took"
      readonly field: string
      readonly value: string
      readonly from?: string
      readonly was?: string
    }
    | {
      readonly _tag: "Wrote"
      readonly field: string
      readonly value: string
      readonly source: string
      readonly was?: string
    }
    | { readonly _tag: "Refused"; readonly field: string; readonly value: string; readonly reason: string }
    | { readonly _tag: "Forgot"; readonly field: string; readonly reason: string }
    | { readonly _tag: "Judged"; readonly condition: string; readonly held: boolean; readonly words?: string }
    | {
      readonly _tag: "Noticed"
      readonly signal: string
      /** Empty if no model was asked. */
      readonly reason: string
      /** Why the signal had no effect. */
      readonly failure?: string
    }
    | {
      readonly _tag: "Scored"
      /** `words` are those of the message that ask for the flow. */
      readonly scores: ReadonlyArray<{ readonly flow: string; readonly score: number; readonly words?: string }>
      /** The flow that was then entered; absent if no flow was entered. */
      readonly went?: string
    }
    | { readonly _tag: "Entered"; readonly flow: string; readonly resumed: boolean }
    | { readonly _tag: "Skipped"; readonly step: string; readonly fields: ReadonlyArray<string> }
    | { readonly _tag: "Reached"; readonly step: string }
    | { readonly _tag: "Called"; readonly tool: string; readonly outcome: string }
    | { readonly _tag: "Waits"; readonly tool: string; readonly role?: string }
    | { readonly _tag: "Directed"; readonly by: Emitted }
    | { readonly _tag: "Won"; readonly by: Emitted; readonly over: Emitted; readonly rule: "outranks" | "later" }
    | { readonly _tag: "Dropped"; readonly by: Emitted; readonly reason: string }
    | {
      readonly _tag: "Asked"
      readonly purpose: string
      readonly model: string
      readonly tokens: number
      readonly cost?: number
      readonly failure?: string
    }
    | {
      readonly _tag: "Guarded"
      readonly guardrail: string
      readonly did: "blocked" | "rewritten"
      readonly reason: string
    }
    | { readonly _tag: "Completed"; readonly flow: string }
    | { readonly _tag: "Aborted"; readonly flow?: string; readonly reason: string }
    | { readonly _tag: "HandedOver"; readonly by?: string; readonly reason: string }
    | { readonly _tag: "Noted"; readonly kind: string; readonly source: string; readonly message: string }
    | { readonly _tag: "Ended"; readonly reason: Answer["stoppedReason"] }
    | { readonly _tag: "Stopped" }
    | { readonly _tag: "Failed"; readonly message: string }
  )
  & {
    /** Milliseconds since the beginning of the turn; absent if unknown. */
    readonly at?: number
    /** The part of the graph that the sentence is about: a flow's id, or `flow/step`. */
    readonly place?: string
    /** The fact from which the sentence was made, for inspection. */
    readonly behind?: unknown
  }

/** Returns a value as text; the items of a plain list with commas. */
const shown = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value) && value.every((one) => typeof one !== "object")
    ? value.join(", ")
    : JSON.stringify(value) ?? String(value)

/** Largest number of characters of the message that are quoted before a value. */
const before = 12

/**
 * Returns the part of the message that contains the value, with the word before it; undefined if the message does not
 * contain the value.
 */
const excerpt = (message: string, value: unknown): string | undefined => {
  const text = shown(value)
  const at = text === "" ? -1 : message.toLowerCase().indexOf(text.toLowerCase())
  if (at < 0) return undefined
  const end = at + text.length
  const space = message.lastIndexOf(" ", Math.max(0, at - 2))
  const begin = space < 0 || at - space > before ? Math.max(0, at - before) : space + 1
  return message.slice(at < before ? 0 : begin, end).trim()
}

const text = (u: unknown): string => typeof u === "string" ? u : ""
const record = (u: unknown): Readonly<Record<string, unknown>> => typeof u === "object" && u !== null ? { ...u } : {}

/** The fields of a directive in the order in which they are reported: first those that move the conversation. */
const acts = ["abort", "complete", "goTo", "goToStep", "reset", "handOff", "reply", "halt", "run", "schedule", "cancel"]
const tiers: Readonly<Record<string, number>> = { abort: 4, complete: 3, goTo: 2, goToStep: 2, reset: 1 }

const targetOf = (act: string, u: unknown): string => {
  if (typeof u === "string") return u
  if (act === "dataUpdate" || act === "contextUpdate") return Object.keys(record(u)).join(", ")
  const { flow, id, reason, step } = record(u)
  return [text(flow), text(step)].filter((part) => part !== "").join("/") || text(id) || text(reason)
}

const emitted = ({ directive, source }: Answer["directiveChain"][number]): Emitted => {
  const given = record(directive)
  const act = acts.find((one) => given[one] !== undefined) ?? Object.keys(given)[0] ?? ""
  return { source, act, to: targetOf(act, given[act]) }
}

type Chain = Answer["directiveChain"]

/**
 * Returns the sentence about a directive that was not applied: another directive outranked its position, or it has a
 * `reason`.
 */
const lost = (loser: Chain[number], chain: Chain): Sentence => {
  const over = emitted(loser)
  const winner = chain.findLast((one) =>
    one.applied && one.phase === loser.phase && tiers[emitted(one).act] !== undefined
  )
  if (winner === undefined || tiers[over.act] === undefined) {
    return { _tag: "Dropped", by: over, reason: loser.reason ?? "", behind: loser.directive }
  }
  const by = emitted(winner)
  const rule = tiers[by.act] === tiers[over.act] ? "later" : "outranks"
  return { _tag: "Won", by, over, rule, behind: [winner.directive, loser.directive] }
}

/** True if a directive only writes data: other sentences already report its values. */
const isWriteOnly = (by: Emitted): boolean => by.act === "dataUpdate"

const directed = (chain: Chain): ReadonlyArray<Sentence> =>
  chain.flatMap((one): ReadonlyArray<Sentence> => {
    if (!one.applied) return [lost(one, chain)]
    const by = emitted(one)
    return isWriteOnly(by) || by.act === "" ? [] : [{ _tag: "Directed", by, behind: one.directive }]
  })

/** The context of a fact: the turn, the names of the parts, the response, and the entered flows. */
interface Around {
  readonly told: Told
  readonly places: Places
  readonly answer: Answer | undefined
  readonly entered: ReadonlyArray<string>
  /** The words of the message that state values. */
  readonly words: Readonly<Record<string, string>>
}

type Words = Readonly<Record<string, string>>

/** The words of the message for a name, if the model quoted some. */
const quotedAs = (words: Words | undefined, name: string): { readonly words?: string } => {
  const found = words === undefined ? undefined : ownValue(words, name)
  return found === undefined ? {} : { words: found }
}

const titleOf = ({ flows }: Places, id: string): string => flows.find((flow) => flow.id === id)?.title ?? id

const sourceOf = ({ answer }: Around, field: string): string | undefined =>
  answer?.directiveChain.findLast(({ applied, directive }) =>
    applied && Object.hasOwn(record(record(directive).dataUpdate), field)
  )
    ?.source

const taken = (around: Around, field: string, value: unknown, written?: string): Sentence => {
  const { before = {}, message = "" } = around.told
  const source = sourceOf(around, field) ?? written
  const was = ownValue(before, field) === undefined || shown(before[field]) === shown(value)
    ? {}
    : { was: shown(before[field]) }
  const common = { field, value: shown(value), ...was, behind: { field, value } }
  if (source !== undefined) return { _tag: "Wrote", ...common, source }
  const from = ownValue(around.words, field) ?? excerpt(message, value)
  return { _tag: "Took", ...common, ...(from !== undefined && { from }) }
}

const scored = (
  { entered, places }: Around,
  scores: Readonly<Record<string, number>>,
  words: Words | undefined
): ReadonlyArray<Sentence> => {
  const asked = Object.entries(scores).sort(([, one], [, other]) => other - one)
  if (asked.length === 0) return []
  const went = asked.find(([flow]) => entered.includes(flow))?.[0]
  return [{
    _tag: "Scored",
    scores: asked.map(([flow, score]) => ({ flow: titleOf(places, flow), score, ...quotedAs(words, flow) })),
    ...(went !== undefined && { went: titleOf(places, went), place: went }),
    behind: scores
  }]
}

/**
 * Returns a sentence for each earlier step of the flow that was skipped because all its fields were known, at least one
 * of them since this turn.
 */
const skipped = ({ answer, places, told }: Around, flowId: string, stepId: string): ReadonlyArray<Sentence> => {
  const own = places.steps.filter(({ flow }) => flow === flowId)
  const spoken = new Set(answer?.executedSteps.map((step) => `${step.flowId}/${step.stepId}`))
  const known = { ...told.before, ...answer?.collected }
  return own.slice(0, Math.max(0, own.findIndex(({ id }) => id === `${flowId}/${stepId}`)))
    .filter(({ collect, id }) =>
      !spoken.has(id) && collect.length > 0 && collect.every((field) => ownValue(known, field) !== undefined) &&
      collect.some((field) => answer?.collected[field] !== undefined)
    )
    .map(({ collect, id }) => ({ _tag: "Skipped", step: id, fields: collect, place: id }))
}

type Of<T extends Fact["_tag"]> = Extract<Fact, { readonly _tag: T }>

const person = (by: Of<"HandedOver">["by"]): string | undefined => typeof by === "string" ? by : by?.name ?? by?.id

/** True for entries of the trace that the sentences about values, flows and conditions repeat. */
const isQuotation = (kind: string): boolean => kind.endsWith("_quoted")

const sentencesOf: { readonly [T in Fact["_tag"]]?: (fact: Of<T>, around: Around) => ReadonlyArray<Sentence> } = {
  TurnStarted: ({ event }, { told: { message } }) =>
    event !== undefined
      ? [{ _tag: "Happened", event }]
      : message === undefined
      ? []
      : [{ _tag: "Said", message }],
  Understood: ({ conditionWords, conditions, flowScores, flowWords }, around) => [
    ...Object.entries(conditions).map(([id, held]): Sentence => ({
      _tag: "Judged",
      condition: around.places.edges.find((edge) => edge.id === id)?.label ?? id,
      held,
      ...quotedAs(conditionWords, id)
    })),
    ...scored(around, flowScores, flowWords)
  ],
  DataCollected: ({ data, sources = {} }, around) =>
    Object.entries(data).map(([field, value]) => taken(around, field, value, ownValue(sources, field))),
  DataCleared: ({ fields, reason }) => fields.map((field) => ({ _tag: "Forgot", field, reason })),
  SignalFired: ({ firing }) => {
    const failure = firing.extractionError ?? firing.handlerError
    return [{
      _tag: "Noticed",
      signal: firing.signalId,
      reason: firing.reason,
      ...(failure !== undefined && { failure }),
      behind: firing
    }]
  },
  FlowEntered: ({ flowId, resumed, title }) => [{ _tag: "Entered", flow: title, resumed, place: flowId }],
  StepEntered: ({ flowId, stepId }, around) => [
    ...skipped(around, flowId, stepId),
    { _tag: "Reached", step: `${flowId}/${stepId}`, place: `${flowId}/${stepId}` }
  ],
  ToolCallCompleted: (call) => [{ _tag: "Called", tool: call.name, outcome: call.outcome, behind: call }],
  ApprovalRequested: ({ request }) => [{
    _tag: "Waits",
    tool: request.toolId,
    ...(request.role !== undefined && { role: request.role }),
    behind: request
  }],
  ModelCallFinished: ({ cost, failure, model, purpose, usage, ...rest }) => [{
    _tag: "Asked",
    purpose,
    model,
    tokens: usage.inputTokens + usage.outputTokens,
    ...(cost !== undefined && { cost }),
    ...(failure !== undefined && { failure: failure.message }),
    behind: { ...rest, ...usage }
  }],
  GuardrailTripped: ({ tripped }) => [{
    _tag: "Guarded",
    guardrail: tripped.id,
    did: tripped.did,
    reason: tripped.reason,
    behind: tripped
  }],
  FlowCompleted: ({ flowId }, { places }) => [{ _tag: "Completed", flow: titleOf(places, flowId), place: flowId }],
  FlowAborted: ({ flowId, reason }, { places }) => [{
    _tag: "Aborted",
    reason,
    ...(flowId !== undefined && { flow: titleOf(places, flowId), place: flowId })
  }],
  HandedOver: ({ by, reason = "" }) => {
    const name = person(by)
    return [{ _tag: "HandedOver", reason, ...(name !== undefined && { by: name }) }]
  },
  Interrupted: () => [{ _tag: "Stopped" }],
  TurnFailed: ({ error }) => [{ _tag: "Failed", message: error.message, behind: error }],
  TurnCompleted: ({ response }) => [
    ...response.rejected.map(({ field, message, value }): Sentence => ({
      _tag: "Refused",
      field,
      value: shown(value),
      reason: message
    })),
    ...directed(response.directiveChain),
    ...response.trace.filter(({ kind }) => !isQuotation(kind)).map((entry): Sentence => ({ _tag: "Noted", ...entry })),
    { _tag: "Ended", reason: response.stoppedReason }
  ]
}

/**
 * The order of the sentences: understanding comes first; sentences with the same rank stay in the order of the events.
 */
const ranks: { readonly [T in Sentence["_tag"]]?: number } = {
  Said: 0,
  Happened: 0,
  Took: 1,
  Refused: 1,
  Judged: 2,
  Scored: 3,
  Directed: 5,
  Won: 5,
  Dropped: 5,
  Noted: 6,
  Stopped: 7,
  Failed: 7,
  Ended: 8
}

const rank = (sentence: Sentence): number =>
  sentence._tag === "Asked" && sentence.purpose === "understand" ? 0 : ranks[sentence._tag] ?? 4

const isAnswer = (fact: Fact): fact is Of<"TurnCompleted"> => fact._tag === "TurnCompleted"
const isEntry = (fact: Fact): fact is Of<"FlowEntered"> => fact._tag === "FlowEntered"
const isUnderstood = (fact: Fact): fact is Of<"Understood"> => fact._tag === "Understood"

/** True if the sentence says that a flow was entered, and the sentence about the scores says it already. */
const isRepeated = (sentence: Sentence, all: ReadonlyArray<Sentence>): boolean =>
  sentence._tag === "Entered" && !sentence.resumed &&
  all.some((one) => one._tag === "Scored" && one.went === sentence.flow)

/** True if a sentence says that a condition did not hold; readers are told how many there are. */
export const isNotHeld = (sentence: Sentence): boolean => sentence._tag === "Judged" && !sentence.held

/** Returns the sentences of a turn: first what was understood, then what happened, last how the turn ended. */
export const sentences = (
  told: Told,
  places: Places = { flows: [], steps: [], edges: [] }
): ReadonlyArray<Sentence> => {
  const around: Around = {
    told,
    places,
    answer: told.facts.find(isAnswer)?.response,
    entered: told.facts.filter(isEntry).map(({ flowId }) => flowId),
    words: Object.assign({}, ...told.facts.filter(isUnderstood).map(({ words }) => words))
  }
  const all = told.facts.flatMap((fact) => {
    const make = sentencesOf[fact._tag] as
      | ((fact: Fact, around: Around) => ReadonlyArray<Sentence>)
      | undefined
    const { at } = fact
    return (make?.(fact, around) ?? []).map((sentence) => at === undefined ? sentence : { ...sentence, at })
  })
  return all.filter((sentence) => !isRepeated(sentence, all)).toSorted((one, other) => rank(one) - rank(other))
}
