/**
 * The prompt for understanding a message: the flow it asks for, the values it states, and the conditions that hold.
 *
 * The parts that are the same for an agent come first: task, rules and questions. Then comes the conversation, and
 * after it the changing parts: time, requested fields, known values and the message.
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Arr from "effect/Array"
import * as Predicate from "effect/Predicate"
import type { Term } from "../authored/AgentOptions.js"
import { quote } from "../base/Json.js"
import * as Memo from "../base/Memo.js"
import type { When } from "../definition/When.js"
import type { Understanding as Words } from "../language/Wording.js"
import * as Transcript from "../session/Transcript.js"
import * as Beside from "./Beside.js"
import * as Key from "./Key.js"
import { block, entry, item, lines } from "./Lines.js"
import * as Terms from "./Terms.js"

/** The parts that all prompts of an agent have in common, as one object per agent. */
export interface AgentBrief {
  readonly name: string
  readonly goal?: string | undefined
  readonly terms: ReadonlyArray<Term>
  /** The agent's rules, as texts made by `rule`. */
  readonly rules: ReadonlyArray<string>
  readonly words: Words
  readonly reasoning: "none" | "brief"
  readonly flows: "scores" | "choice"
}

/**
 * A request to understand a message. Questions are written by the application; `history`, `known`, `message` and
 * `reply` are data.
 */
export interface Judging {
  /** The key that marks the library's own parts of this request; see `Key`. */
  readonly key: string
  readonly asking: AgentBrief
  readonly flows: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly description?: string
    readonly when: When
    /** A message that asks for the flow, for an example. Default: the title. */
    readonly example?: string
    /** The names of the fields of the flow, so that an example of their values names the flow. */
    readonly fields?: ReadonlyArray<string>
    /** True if the answer must quote the words of the message that ask for the flow. */
    readonly isQuoted?: true
  }>
  readonly fields: ReadonlyArray<{
    readonly name: string
    /** The author's description, and the constraints of the value. */
    readonly description: string
    /** True if the user may answer that they have no preference. */
    readonly mayBeAny?: true
    /** True if the answer must quote the words of the message that state the value. */
    readonly isQuoted?: true
    /** A value that a message may state, in its words, for an example. */
    readonly sample?: {
      readonly kind: "text" | "number" | "choice"
      readonly value: string | number
      readonly words: string
    }
  }>
  /**
   * The flows, fields and signals to list in the first part of the prompt. The changing part then says which of them are not asked
   * about, and lists the fields that are not among them. Default: those that are asked about.
   */
  readonly listed?: Pick<Judging, "flows" | "fields" | "signals">
  readonly conditions: ReadonlyArray<{
    readonly id: string
    readonly when: When
    /** True if the answer must quote the words of the message that say the condition. */
    readonly isQuoted?: true
  }>
  readonly signals: ReadonlyArray<{
    readonly id: string
    readonly description?: string
    readonly when: When
    /** The values to extract if the signal matches, described in words. */
    readonly extract?: string
  }>
  /** The application's rules for this message. */
  readonly rules: ReadonlyArray<string>
  /** The user's local date and time, with the zone. */
  readonly now?: string
  /** The id of the active flow. */
  readonly active?: string
  /** The names of the requested fields. */
  readonly asked: ReadonlyArray<string>
  /** The names of those known fields that belong to a completed flow. */
  readonly over?: ReadonlyArray<string>
  /** The values of the known fields; `true` for a field whose value is not included. */
  readonly known: Readonly<Record<string, unknown>>
  /** The conversation so far, without tool calls. */
  readonly history: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly text: string }>
  readonly message: string
  /** The attached files. */
  readonly files?: ReadonlyArray<Prompt.FilePart>
  /** The question that the message answers: the flow that asked it, and the agent's last words. */
  readonly waiting?: { readonly flow: string; readonly asked: string }
  /** The agent's reply to the message, if the reply is judged too. */
  readonly reply?: string
}

type Flow = Judging["flows"][number]
type Field = Judging["fields"][number]
type Condition = Judging["conditions"][number]
type Signal = Judging["signals"][number]

const criterion = ({ all, any, none }: When): string =>
  [
    ...(any.length > 0 ? [any.join(", or ")] : []),
    ...(all.length > 0 ? [`all of: ${all.join("; ")}`] : []),
    ...(none.length > 0 ? [`never if ${none.join(", or ")}`] : [])
  ].join("; ")

/** Joins texts, each with a full stop at its end. */
const sentences = (...parts: ReadonlyArray<string | undefined>): string =>
  parts.flatMap((part) => part === undefined || part === "" ? [] : [/[.!?]$/.test(part) ? part : `${part}.`]).join(" ")

const when = (one: When): string => {
  const text = criterion(one)
  return text === "" ? "" : `When: ${text}`
}

const flowItem = Memo.weak((flow: Flow) =>
  item(`${flow.id}: ${sentences(flow.title, flow.description, when(flow.when))}`)
)
const fieldItem = Memo.weak(({ description, mayBeAny, name }: Field) =>
  item(`${name}${mayBeAny === true ? " (may be any)" : ""}: ${description}`)
)
const conditionItem = ({ id, when }: Condition): string => item(`${id}: ${criterion(when)}`)
const signalItem = Memo.weak(({ description, extract, id, when: about }: Signal) =>
  item(`${id}: ${sentences(description, when(about), extract === undefined ? "" : `extracted: ${extract}, or null`)}`)
)

/** An answer to the questions, in the order of its JSON schema. */
type Answer = Readonly<Record<string, unknown>>

/** The choice of a model for words that ask for none of the flows, or say none of the conditions. */
export const noneOf = "none"

/** A message with the parts of the answer to it that are not empty. */
interface Example {
  readonly message: string
  readonly answer: Answer
}

/** A part of the prompt, with the parts of the answer to a message that states nothing, and with examples. */
interface Section {
  readonly text: string
  readonly empty: (message: string) => Answer
  /** Messages that ask for a flow, with its fields. */
  readonly asking?: ReadonlyArray<Example & { readonly fields: ReadonlyArray<string> }>
  /** Messages that state a value of a field. */
  readonly stating?: ReadonlyArray<Example & { readonly field: string }>
  /** The part of the answer to a message that states a value: the flow of the field. */
  readonly within?: (field: string, message: string) => Answer
}

const listed = <A>(words: ReadonlyArray<string>, items: ReadonlyArray<A>, item: (one: A) => string): string => {
  const [lead = "", ...rules] = words
  return lines(lead, ...items.map(item), ...rules)
}

/** Maximum number of flows with an example. */
const mostExamples = 8

/** Writes an entry of an answer about flows. */
const flowEntry = (isScored: boolean, words: string, flow: string): Answer => ({
  flow,
  words,
  ...(isScored && { sure: "yes" })
})

/** Describes the question about flows, with examples made by `answer`: models are prone to name a flow that has one. */
const flowsSection = (
  flows: ReadonlyArray<Flow>,
  words: ReadonlyArray<string>,
  empty: Section["empty"],
  answer: (flow: Flow, message: string) => Answer
): Section => ({
  text: listed(words, flows, flowItem),
  empty,
  asking: flows.slice(0, mostExamples).map((flow) => {
    const message = flow.example ?? flow.title
    return { message, answer: answer(flow, message), fields: flow.fields ?? [] }
  }),
  within: (field, message) => {
    const flow = flows.find(({ fields }) => fields?.includes(field) === true)
    return flow === undefined ? {} : answer(flow, message)
  }
})

/** The question about flows where the model quotes the words that ask for them: `none` is among the choices. */
const quotedFlows = ({ flows: how, words }: AgentBrief, flows: ReadonlyArray<Flow>): Section => {
  const isScored = how === "scores"
  const entryOf = (message: string, id: string): Answer => ({ flows: [flowEntry(isScored, message, id)] })
  const question = sentences(words.quotedFlows, isScored ? words.sure : "")
  return flowsSection(
    flows,
    [question, words.flowCases],
    (message) => entryOf(message, noneOf),
    ({ id }, message) => entryOf(message, id)
  )
}

const namedFlows = ({ flows: how, words }: AgentBrief, flows: ReadonlyArray<Flow>): Section =>
  how === "choice"
    ? flowsSection(flows, [words.choice, words.flowCases], () => ({ flows: [] }), ({ id }) => ({ flows: [id] }))
    : flowsSection(
      flows,
      [words.flows, words.flowCases],
      () => ({ flowScores: {} }),
      ({ id }) => ({ flowScores: { [id]: "yes" } })
    )

// Questions that did not change are the same objects in the same lists, so their texts can be cached.
const aboutFlows = Memo.weak((brief: AgentBrief) =>
  Memo.list((flows: ReadonlyArray<Flow>): Section =>
    flows.some(({ isQuoted }) => isQuoted === true) ? quotedFlows(brief, flows) : namedFlows(brief, flows)
  )
)

const aboutFields = Memo.weak(({ words }: AgentBrief) =>
  Memo.list((fields: ReadonlyArray<Field>): Section => {
    const isOpen = fields.some(({ mayBeAny }) => mayBeAny === true)
    const asked = [
      words.fields,
      ...(fields.some(({ isQuoted }) => isQuoted === true) ? [words.evidence] : []),
      words.fieldCases,
      words.withdrawn,
      ...(isOpen ? [words.dontCare] : [])
    ]
    const samples = fields.flatMap(({ isQuoted, name, sample }) =>
      sample === undefined ? [] : [{ isQuoted, name, ...sample }]
    )
    return {
      text: listed(asked, fields, fieldItem),
      empty: () => ({ fields: {}, withdrawn: [], ...(isOpen && { dontCare: [] }) }),
      stating: Arr.dedupeWith(samples, (a, b) => a.kind === b.kind).map(({ isQuoted, name, value, words }) => ({
        field: name,
        message: words,
        answer: { fields: { [name]: isQuoted === true ? { words, value } : value } }
      }))
    }
  })
)

const aboutSignals = (
  { signalsOfReply, signals: ofMessage }: Words,
  signals: Judging["signals"],
  withReply: boolean
): Section => ({
  text: listed([withReply ? signalsOfReply : ofMessage], signals, signalItem),
  empty: () => ({ signals: {} })
})

/** Conditions depend on the waiting step, so they are among the changing parts. */
const aboutConditions = ({ asking: { words }, conditions }: Judging): string => {
  if (conditions.length === 0) return ""
  const isQuoted = conditions.some((one) => one.isQuoted === true)
  const none = { conditions: [{ id: noneOf, words: words.nothing }] }
  return lines(
    isQuoted ? words.quotedConditions : words.conditions,
    ...conditions.map(conditionItem),
    isQuoted && words.example !== "" && words.nothing !== "" && `${quote(words.nothing)}: ${quote(none)}`
  )
}

/** Shows how an answer to the open question goes on with the flow under way. */
const goingOn = ({ active, asking: { flows: how, words }, flows }: Judging): string =>
  active !== undefined && words.example !== "" && flows.some(({ id, isQuoted }) => id === active && isQuoted === true)
    ? `${words.goingOn} ${quote({ flows: [flowEntry(how === "scores", "…", active)] })}`
    : ""

/** The first part of the prompt, which depends only on the agent. */
const beginning = Memo.weak(({ goal, name, reasoning, rules, terms, words }: AgentBrief): string =>
  lines(
    words.task,
    entry("The program", sentences(name, goal)),
    words.input,
    Terms.list(terms),
    ...rules.map(item),
    reasoning === "brief" && `\n${words.reasoning}`
  )
)

/** Joins examples into one, whose message does all that theirs do. */
const joined = (examples: ReadonlyArray<Example>): ReadonlyArray<Example> =>
  examples.length === 0
    ? []
    : [{
      message: examples.map(({ message }) => message).join(", "),
      answer: Object.assign({}, ...examples.map(({ answer }) => answer))
    }]

/** Returns the examples of all that a message may do, each with the parts of its answer that are not empty. */
const combined = (sections: ReadonlyArray<Section>, { correcting, nothing }: Words): ReadonlyArray<Example> => {
  const [first, ...others] = sections.flatMap(({ asking = [] }) => asking)
  const stating = sections.flatMap(({ stating = [] }) => stating)
  const stated = stating.find(({ field }) => first?.fields.includes(field) === true) ?? stating[0]
  const within = (field: string, message: string): Answer =>
    Object.assign({}, ...sections.map((one) => one.within?.(field, message)))
  return [
    ...joined([first, stated].filter(Predicate.isNotUndefined)),
    ...(nothing === "" ? [] : [{ message: nothing, answer: {} }]),
    ...others,
    ...stating.slice(-1).map(({ answer, field, message }) => ({
      message: `${correcting}${message}`,
      answer: { ...within(field, `${correcting}${message}`), ...answer }
    }))
  ]
}

const examplesOf = ({ reasoning, words }: AgentBrief, sections: ReadonlyArray<Section>): string => {
  const empty = (message: string): Answer =>
    Object.assign(
      reasoning === "brief" ? { reasoning: "…" } : {},
      ...sections.map((one) => one.empty(message))
    )
  return lines(
    words.example,
    ...combined(sections, words).map(({ answer, message }) =>
      item(`${quote(message)}: ${quote({ ...empty(message), ...answer })}`)
    )
  )
}

const constant = (brief: Judging): string => {
  const { asking, reply } = brief
  const { fields, flows, signals } = brief.listed ?? brief
  const sections = [
    ...(flows.length > 0 ? [aboutFlows(asking)(flows)] : []),
    ...(fields.length > 0 ? [aboutFields(asking)(fields)] : []),
    ...(signals.length > 0 ? [aboutSignals(asking.words, signals, reply !== undefined)] : [])
  ]
  return lines(
    beginning(asking),
    ...sections.map(({ text }) => `\n${text}`),
    asking.words.answer !== "" && `\n${asking.words.answer}`,
    sections.length > 0 && asking.words.example !== "" && `\n${examplesOf(asking, sections)}`
  )
}

const without = (names: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Set(others)
  return names.filter((name) => !left.has(name))
}

/** Tells how the questions differ from those in the first part of the prompt. */
const differences = ({ fields, flows, listed, signals }: Judging): string => {
  if (listed === undefined) return ""
  const asked = [...flows, ...signals].map(({ id }) => id).concat(fields.map(({ name }) => name))
  const ids = [...listed.flows, ...listed.signals].map(({ id }) => id)
  const names = listed.fields.map(({ name }) => name)
  const more = new Set(without(fields.map(({ name }) => name), names))
  return lines(
    entry("Not asked now", without([...ids, ...names], asked).join(", ")),
    more.size > 0 && "Further fields:",
    ...fields.filter(({ name }) => more.has(name)).map(fieldItem)
  )
}

/** Returns the instructions that depend on this message. */
const changing = (brief: Judging): string => {
  const { active, asked, asking, key, now, over = [], rules } = brief
  return lines(
    entry("Now", now),
    entry("Under way", active),
    goingOn(brief),
    entry("Asked for", asked.join(", ")),
    entry("Over", over.join(", ")),
    over.length > 0 && asking.words.over,
    differences(brief),
    ...rules.map(item),
    aboutConditions(brief),
    entry("Key", key)
  )
}

const beside = Beside.make<Judging>()

/** Returns the request (brief) from which an understanding prompt was made; `undefined` for any other prompt. */
export const judgingOf = beside.of

/** Renders the prompt. Its first system message depends only on the questions. */
export const renderJudging = (brief: Judging): Prompt.Prompt => {
  const { files, history, key, known, message, reply, waiting } = brief
  const data = lines(
    Object.keys(known).length > 0 && block("known", known),
    waiting !== undefined && block("waiting", waiting),
    block("message", message),
    reply !== undefined && block("reply", reply)
  )
  return Prompt.fromMessages([
    Transcript.system(constant(brief)),
    ...history.map(({ role, text }) => role === "user" ? Transcript.user(text) : Transcript.assistantText(text)),
    Transcript.system(changing(brief)),
    beside.put(Transcript.user(Key.mark(key, data), files), brief)
  ])
}

/** Repeats the prompt, with the reason, after an answer that could not be parsed. */
export const asAgain = (prompt: Prompt.Prompt, why: string): Prompt.Prompt =>
  Prompt.fromMessages([
    ...prompt.content,
    Transcript.user(`Your last answer was not accepted: ${why} Answer with the JSON object only.`)
  ])
