/**
 * What a model is told when it is to judge a message: which flow it wants, which values it states, what is true of it.
 *
 * What is the same for an agent comes first: the task, the rules, and what is asked. Then comes the conversation, and behind
 * it what changes with each message: the time, what was asked for, what is known, and the message.
 *
 * @since 0.1.0
 */
import * as Prompt from "@effect/ai/Prompt"
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

/**
 * What the prompts of an agent have in common. The same agent gives the same object.
 *
 * @since 0.2.0
 * @category models
 */
export interface Asking {
  readonly name: string
  readonly goal?: string | undefined
  readonly terms: ReadonlyArray<Term>
  /** Written by `rule`. */
  readonly rules: ReadonlyArray<string>
  readonly words: Words
  readonly reasoning: "none" | "brief"
  readonly flows: "scores" | "choice"
}

/**
 * A request to judge. Questions are written by the application; `history`, `known`, `message` and `reply` are data.
 *
 * @since 0.1.0
 * @category models
 */
export interface Judging {
  /** Marks what the library itself says of this request; see `Key`. */
  readonly key: string
  readonly asking: Asking
  readonly flows: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly description?: string
    readonly when: When
  }>
  readonly fields: ReadonlyArray<{
    readonly name: string
    /** The author's description, and what the value must be. */
    readonly description: string
    /** It may be left open. */
    readonly mayBeAny?: true
  }>
  readonly conditions: ReadonlyArray<{ readonly id: string; readonly when: When }>
  readonly signals: ReadonlyArray<{
    readonly id: string
    readonly description?: string
    readonly when: When
    /** What is taken from the message when it matches, in words. */
    readonly extract?: string
  }>
  /** What the application says of this message. */
  readonly rules: ReadonlyArray<string>
  /** Day and time for the user, with the zone. */
  readonly now?: string
  /** The id of the flow under way. */
  readonly active?: string
  /** The names of the fields that were asked for. */
  readonly asked: ReadonlyArray<string>
  /** The names of the known fields whose flow is over. */
  readonly over?: ReadonlyArray<string>
  /** The values of the fields that are known; of those that have no value here, `true`. */
  readonly known: Readonly<Record<string, unknown>>
  /** What was said before, without tool calls. */
  readonly history: ReadonlyArray<{ readonly role: "user" | "assistant"; readonly text: string }>
  readonly message: string
  /** What came with the message. */
  readonly files?: ReadonlyArray<Prompt.FilePart>
  /** What the message answers: the flow that asked, and what was said last. */
  readonly waiting?: { readonly flow: string; readonly asked: string }
  /** What was answered to it, when that is judged too. */
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

/** Texts one after the other, each ended by a full stop. */
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

/** A part of the prompt, and the part of the example that answers it. */
interface Section {
  readonly text: string
  readonly example: string
}

const section = <A>(
  { example, words }: { readonly example: string; readonly words: ReadonlyArray<string> },
  items: ReadonlyArray<A>,
  item: (one: A) => string
): Section => {
  const [lead = "", ...rules] = words
  return { text: lines(lead, ...items.map(item), ...rules), example }
}

const each = <A extends { readonly id: string }>(items: ReadonlyArray<A>, answer: (one: A) => unknown): string =>
  quote(Object.fromEntries(items.map((one) => [one.id, answer(one)])))

// What does not change from turn to turn is asked as the same objects, in the same lists: it is written once.
const aboutFlows = Memo.weak(({ flows: how, words }: Asking) =>
  Memo.list((flows: ReadonlyArray<Flow>): Section =>
    how === "choice"
      ? section({ words: [words.choice, words.flowCases], example: `"flows":[]` }, flows, flowItem)
      : section(
        { words: [words.flows, words.flowCases], example: `"flowScores":${each(flows, () => 0)}` },
        flows,
        flowItem
      )
  )
)

const aboutFields = Memo.weak(({ words }: Asking) =>
  Memo.list((fields: ReadonlyArray<Field>): Section => {
    const isOpen = fields.some(({ mayBeAny }) => mayBeAny === true)
    const none = quote(Object.fromEntries(fields.map(({ name }) => [name, null])))
    const example = `"fields":${none},"withdrawn":[]${isOpen ? ",\"dontCare\":[]" : ""}`
    const asked = [words.fields, words.fieldCases, words.withdrawn, ...(isOpen ? [words.dontCare] : [])]
    return section({ words: asked, example }, fields, fieldItem)
  })
)

const aboutSignals = ({ signalsOfReply, signals: ofMessage }: Words, signals: Judging["signals"], withReply: boolean) =>
  section(
    {
      words: [withReply ? signalsOfReply : ofMessage],
      example: `"signals":${
        each(
          signals,
          ({ extract }) => ({ matched: false, reason: "", ...(extract !== undefined && { extracted: null }) })
        )
      }`
    },
    signals,
    signalItem
  )

/** Conditions belong to the step that waits, so they stand with what changes. */
const aboutConditions = ({ asking: { words }, conditions }: Judging): string =>
  conditions.length === 0 ? "" : lines(words.conditions, ...conditions.map(conditionItem))

/** The beginning, which depends on the agent alone. */
const beginning = Memo.weak(({ goal, name, reasoning, rules, terms, words }: Asking): string =>
  lines(
    words.task,
    entry("The program", sentences(name, goal)),
    words.input,
    Terms.list(terms),
    ...rules.map(item),
    reasoning === "brief" && `\n${words.reasoning}`
  )
)

/** So many questions have an example of their answer. With more, it would be longer than all rules. */
const fewQuestions = 40

const constant = (brief: Judging): string => {
  const { asking, fields, flows, reply, signals } = brief
  const sections = [
    ...(flows.length > 0 ? [aboutFlows(asking)(flows)] : []),
    ...(fields.length > 0 ? [aboutFields(asking)(fields)] : []),
    ...(signals.length > 0 ? [aboutSignals(asking.words, signals, reply !== undefined)] : [])
  ]
  const isFew = sections.length > 0 && flows.length + fields.length + signals.length <= fewQuestions
  const reasons = asking.reasoning === "brief" ? ["\"reasoning\":\"The message is a greeting.\""] : []
  const example = [...reasons, ...sections.map(({ example }) => example)].join(",")
  return lines(
    beginning(asking),
    ...sections.map(({ text }) => `\n${text}`),
    asking.words.answer !== "" && `\n${asking.words.answer}`,
    isFew && asking.words.example !== "" && `${asking.words.example} {${example}}`
  )
}

/** What holds for this message. */
const changing = (brief: Judging): string => {
  const { active, asked, asking, key, now, over = [], rules } = brief
  return lines(
    entry("Now", now),
    entry("Under way", active),
    entry("Asked for", asked.join(", ")),
    entry("Over", over.join(", ")),
    over.length > 0 && asking.words.over,
    ...rules.map(item),
    aboutConditions(brief),
    entry("Key", key)
  )
}

const beside = Beside.make<Judging>()

/**
 * The brief that a prompt to judge was made from; `undefined` for any other prompt.
 *
 * @since 0.2.0
 * @category getters
 */
export const judgingOf = beside.of

/**
 * The prompt. Its first system message depends on the questions only.
 *
 * @since 0.1.0
 * @category rendering
 */
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

/**
 * The same prompt once more, after an answer that could not be read.
 *
 * @since 0.1.0
 * @category rendering
 */
export const asAgain = (prompt: Prompt.Prompt, why: string): Prompt.Prompt =>
  Prompt.fromMessages([
    ...prompt.content,
    Transcript.user(`Your last answer was not accepted: ${why} Answer with the JSON object only.`)
  ])
