/** Writes the flows of a Rasa project as documents. */
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import { isJson, type Json, type JsonObject } from "../../domain/base/Json.js"
import { escaped } from "../../domain/document/Expression.js"
import * as Condition from "./Condition.js"
import { type Choice, type Domain, isChosen, shapeOf, shows, type Slot, textOf, typeOf } from "./Domain.js"
import {
  type Agent,
  type Doing,
  end,
  type Flow,
  free,
  type Graph,
  handOff,
  inOrder,
  knownBefore,
  type Node,
  statedSlot
} from "./FlowGraph.js"
import type { Report } from "./ImportReport.js"
import { plain } from "./Names.js"
import type { Item } from "./Project.js"
import type { SubAgents } from "./SubAgents.js"

/** A text in code: it says the responses one after the other, and then the question. */
export class Template extends Data.Class<{
  readonly said: ReadonlyArray<string>
  /** The response that asks. */
  readonly asked: string | undefined
  /** The value to ask for, if no response asks. */
  readonly what: string | undefined
  /** The field with what the action that checked the value says. */
  readonly says: string | undefined
}> {}

/** A question: a response, or what to ask for. */
interface Question {
  readonly response?: string
  readonly what?: string
  readonly says?: string
}

/** A tool with which the model sets a slot. */
export class Setter extends Data.Class<{
  readonly slot: string
  /** The step that comes next. */
  readonly step: string
  /** True if the slot becomes true. */
  readonly isFlag: boolean
}> {}

/** The code that the documents name. */
export interface NamedCode {
  /** Texts whose variations code chooses. */
  readonly templates: Map<string, Template>
  /** Conditions in TypeScript. */
  readonly predicates: Map<string, string>
  /** The tools of agents, by id. */
  readonly setters: Map<string, Setter>
  /** The choices that steps offer. */
  readonly choices: Set<Choice>
}

export interface ImportedProject {
  readonly domain: Domain
  readonly flows: ReadonlyMap<string, Flow>
  readonly agents: SubAgents
  /** The names of the actions that flows run. */
  readonly acts: ReadonlySet<string>
  readonly report: Report
  readonly code: NamedCode
  /** The ids of the steps of the flow that is written. */
  readonly taken: Set<string>
  /** Reads a condition of the project. */
  readonly parse: (item: Item) => Either.Either<Condition.Condition, string>
  /** The field with what an action that checks a value says. */
  readonly says: string
}

/** Adds a value under a name. Returns the name, with a number if another value has it. */
const nameIn = <A>(map: Map<string, A>, wanted: string, value: A): string => {
  for (let n = 1;; n++) {
    const name = n === 1 ? wanted : `${wanted}_${n}`
    const before = map.get(name)
    if (before !== undefined && !Equal.equals(before, value)) continue
    map.set(name, value)
    return name
  }
}

/** Returns a condition as an expression. A condition that cannot be translated becomes a predicate in code. */
const conditionOf = (item: Item, name: string, { code, domain, parse, report }: ImportedProject): Json => {
  const text = item.text ?? ""
  const parsed = parse(item)
  const cel = Either.flatMap(parsed, (condition) => Condition.toCel(condition, typeOf(domain)))
  if (Either.isRight(cel)) return cel.right
  const written = Either.flatMap(parsed, Condition.toTypeScript)
  const predicate = nameIn(code.predicates, plain(name), Either.getOrElse(written, () => "false"))
  report.add(
    item,
    `condition ${text}: ${cel.left}`,
    Either.isRight(written)
      ? `It is the predicate ${predicate} in registry.ts: check its pattern`
      : `Write the predicate ${predicate} in registry.ts; it is false until then`
  )
  return { predicate }
}

/** The name of the response that asks for the slot of a step. */
export const questionOf = ({ item }: Node): string => item.at("utter") ?? `utter_ask_${item.at("collect")}`

const firstText = (name: string, { responses }: Domain): string | undefined => {
  const response = responses.get(name)
  return response === undefined ? undefined : textOf(response.variations[0])
}

/**
 * Returns the responses and the question as one text; if code must choose between variations, as a template. Responses
 * that the project does not have say nothing.
 */
const speech = (
  given: ReadonlyArray<string>,
  question: Question | undefined,
  { code, domain }: ImportedProject
): Json => {
  const said = given.filter((name) => domain.responses.has(name))
  const { response: asked, says, what } = question ?? {}
  const all = [...said, ...(asked === undefined ? [] : [asked])]
  // Words that are said before the question are not repeated when the answer was refused.
  const isTold = says !== undefined && said.length > 0
  if (isTold || all.some((name) => isChosenIn(domain, name))) {
    const template = new Template({ said: Data.array(said), asked, what, says })
    return { template: nameIn(code.templates, all.join("_and_"), template) }
  }
  const texts = said.flatMap((name) => firstText(name, domain) ?? [])
  return question === undefined ? texts.join("\n\n") : asking(texts, question, domain)
}

const asking = (texts: ReadonlyArray<string>, { response, says, what = "" }: Question, domain: Domain): string => {
  const first = texts.length === 0 ? "" : `Say first: "${texts.join(" ")}" Then `
  const ask = response === undefined ? `ask for ${escaped(what)}` : `ask: "${firstText(response, domain)}"`
  return `${told(says)}${first === "" ? `A${ask.slice(1)}` : `${first}${ask}`}`
}

/** Returns the beginning of a question: what the action says that checked the last answer. */
const told = (field: string | undefined): string =>
  field === undefined ? "" : `{{has(data.${field}) ? 'Say first: "' + data.${field} + '" ' : ""}}`

const isChosenIn = ({ responses }: Domain, name: string): boolean => {
  const response = responses.get(name)
  return response !== undefined && isChosen(response)
}

/** Returns a question for which the project has no response: a template in code for an action, else what to ask for. */
const worded = (
  node: Node,
  slot: string,
  said: ReadonlyArray<string>,
  says: string | undefined,
  writing: ImportedProject
): Json => {
  const { code, domain, report } = writing
  const { id, item } = node
  const [action, response] = [`action_ask_${item.at("collect")}`, `utter_ask_${item.at("collect")}`]
  const what = item.at("description") ?? (domain.slots.get(slot)?.title ?? slot).replaceAll("_", " ")
  if (!domain.actions.has(action)) {
    report.add(item, `step ${id}: no response ${response}`, "The model asks in its own words: check the prompt")
    return speech(said, { what, ...(says !== undefined && { says }) }, writing)
  }
  const present = Data.array(said.filter((name) => domain.responses.has(name)))
  const template = nameIn(code.templates, action, new Template({ said: present, asked: undefined, what, says }))
  report.add(item, `step ${id}: ${action}`, `Write the question into the template ${template} of registry.ts`)
  return { template }
}

/** Returns the question for a slot: its response, or a text for the model if the project has none. */
const prompt = (
  node: Node,
  { checked, slot }: Doing<"Collect">,
  said: ReadonlyArray<string>,
  writing: ImportedProject
): Json => {
  const { domain } = writing
  const asked = questionOf(node)
  const response = domain.responses.get(asked)
  const says = checked ? writing.says : undefined
  if (response === undefined) return worded(node, slot, said, says, writing)
  return response.isRephrased && said.length === 0 && !isChosen(response)
    ? `${told(says)}Ask in your own words: ${firstText(asked, domain)}`
    : speech(said, { response: asked, ...(says !== undefined && { says }) }, writing)
}

const goes = (to: string): Json => to === end ? { complete: true } : to

/** Returns the keys of a step that decide what follows it: the branches, or `ends`. */
const leaving = (
  node: Node,
  following: string | undefined,
  writing: ImportedProject,
  before: ReadonlyArray<Json> = []
): JsonObject => {
  const { next } = node
  if (typeof next === "string") {
    const branches = [...before, ...(next === following || next === end ? [] : [{ then: next }])]
    return {
      ...(next === end && { ends: true }),
      ...(branches.length > 0 && { branches })
    }
  }
  return {
    branches: [
      ...before,
      ...next.map((way, i) =>
        way.if === undefined
          ? { then: goes(way.to) }
          : { if: conditionOf(way.if, `${node.id}_${i + 1}`, writing), then: goes(way.to) }
      )
    ]
  }
}

/** Returns the choices of a question whose buttons set the slot. */
const choicesOf = (asked: string, slot: Slot | undefined, { code, domain }: ImportedProject): ReadonlyArray<Json> =>
  (domain.responses.get(asked)?.choices ?? []).flatMap((choice) => {
    const value = slot === undefined || (choice.slot ?? slot.name) !== slot.name
      ? undefined
      : valueIn(slot, choice.value)
    if (value === undefined) return []
    code.choices.add(choice)
    return [{ value, label: choice.label }]
  })

const truths: ReadonlyMap<string, boolean> = new Map([["true", true], ["yes", true], ["false", false], ["no", false]])

/** Returns the value that a text gives a slot; undefined if the slot does not hold it. */
const valueIn = ({ type, values }: Slot, text: string): Json | undefined => {
  switch (type) {
    case "bool":
      return truths.get(text.toLowerCase())
    case "float":
      return text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text)
    case "categorical":
      return values.find((one) => String(one).toLowerCase() === text.toLowerCase())
    case "list":
      return undefined
    default:
      return text
  }
}

const collecting = (
  node: Node,
  does: Doing<"Collect">,
  following: string | undefined,
  writing: ImportedProject
): ReadonlyArray<JsonObject> => {
  const { domain, report, taken } = writing
  const { item } = node
  const { forgets, said, slot } = does
  const id = forgets ? free(taken, `${node.id}_ask`) : node.id
  if (item.is("force_slot_filling")) {
    report.add(
      item,
      `step ${node.id}: force_slot_filling`,
      "Every message is read as usual: the user may ask something else"
    )
  }
  const declared = domain.slots.get(slot)
  const rejections = [...declared?.rejections ?? [], ...item.each("rejections")].map((rejection, i) => ({
    rejection,
    id: free(taken, `${id}_rejected_${i + 1}`),
    condition: rejection.get("if"),
    refill: i < (declared?.rejections.length ?? 0) ? declared?.refill : undefined
  }))
  const refusing = rejections.flatMap(({ condition, id }) =>
    condition === undefined
      ? []
      : [{ if: conditionOf(condition, id, writing), then: { clear: [slot], goToStep: id } }]
  )
  const choices = choicesOf(questionOf(node), declared, writing)
  const asking = (
    own: string,
    first: ReadonlyArray<string>,
    after: string | undefined,
    again?: string
  ): JsonObject => ({
    id: own,
    prompt: again === undefined ? prompt(node, does, first, writing) : speech(first, { response: again }, writing),
    collect: [slot],
    // A correction leads back to the step: all that follows is decided anew, and the actions run again.
    ...(own === id && { dependsOn: [slot] }),
    ...(choices.length > 0 && { choices }),
    ...leaving(node, after, writing, refusing)
  })
  return [
    ...(forgets ? [{ id: node.id, auto: true, onEnter: { clear: [slot] } }] : []),
    asking(id, said, rejections.length === 0 ? following : undefined),
    ...rejections.map(({ id, refill, rejection }) => asking(id, [rejection.at("utter") ?? ""], undefined, refill))
  ]
}

const setting = (slots: ReadonlyArray<readonly [string, unknown]>): JsonObject => {
  const written = slots.filter(([, value]) => value !== null && isJson(value)) as ReadonlyArray<readonly [string, Json]>
  const forgotten = slots.filter(([, value]) => value === null).map(([slot]) => slot)
  return {
    ...(written.length > 0 && { dataUpdate: Object.fromEntries(written) }),
    ...(forgotten.length > 0 && { clear: forgotten })
  }
}

const linked = ({ flow, said = [] }: Doing<"Link">, node: Node, writing: ImportedProject): Json => {
  if (writing.flows.has(flow)) return { goTo: flow }
  if (flow === handOff) {
    const reply = said.flatMap((name) => firstText(name, writing.domain) ?? []).join("\n\n")
    return { handOff: "person", reason: "a flow asks for a person", ...(reply !== "" && { reply }) }
  }
  writing.report.add(node.item, `step ${node.id}: link ${flow}`, "There is no such flow: the flow ends here")
  return { complete: true }
}

/** Writes a tool call. A second step has the branches, because a call step does not speak or wait. */
const acting = (
  node: Node,
  { action, mapping }: Doing<"Act">,
  following: string | undefined,
  known: ReadonlyArray<string>,
  writing: ImportedProject
): ReadonlyArray<JsonObject> => {
  const left = leaving(node, following, writing)
  const reads = mapping?.reads ?? known.map((slot) => [slot, slot] as const)
  const given = Object.fromEntries(reads.map(([parameter, slot]) => [parameter, `data.${slot}`]))
  return [
    { id: node.id, call: { tool: action, arguments: given } },
    ...(Object.keys(left).length === 0 ? [] : [{ id: free(writing.taken, `${node.id}_then`), auto: true, ...left }])
  ]
}

/** Returns the names of the tools with which an agent sets its slots; the first of them has the name of the slot. */
const settersOf = ({ agent, gate, isOpen, sets }: Agent, { acts, code, domain }: ImportedProject) =>
  sets.map((slot): string => {
    const words = isOpen ? `${agent}_completed` : `set_${domain.slots.get(slot)?.title ?? slot}`
    const name = plain(words).slice(0, 50)
    const isTaken = acts.has(name) || domain.actions.has(name)
    return nameIn(code.setters, isTaken ? `own_${name}` : name, new Setter({ slot, step: gate, isFlag: isOpen }))
  })

/** Writes the step of an agent: the model speaks until it has set the slots. */
const conversing = (
  node: Node,
  does: Agent,
  following: string | undefined,
  writing: ImportedProject
): ReadonlyArray<JsonObject> => {
  const { agents, domain } = writing
  const tools = settersOf(does, writing)
  const words = agents.description(does.agent) ?? node.item.at("description") ?? does.agent.replaceAll("_", " ")
  const task = /[.!?]$/.test(words.trim()) ? words.trim() : `${words.trim()}.`
  const texts = does.said.flatMap((name) => firstText(name, domain) ?? [])
  const first = texts.length === 0 ? "" : `When you begin, say first: "${texts.join(" ")}" `
  const last = does.isOpen
    ? `When it is done, say what came of it, and call ${tools.join(", ")}.`
    : `When the user has settled it, call ${tools.join(", ")}.`
  return [{
    id: node.id,
    prompt: `${first}Your task now: ${escaped(task)} ${last}`,
    tools,
    until: conditionOf(does.until, does.gate, writing),
    ...leaving(node, following, writing)
  }]
}

/** Returns the key of a step that says responses: a reply, or a prompt if one of them is to be said in other words. */
const saying = (responses: ReadonlyArray<string>, writing: ImportedProject): JsonObject => {
  const { domain, report } = writing
  const all = responses.flatMap((name) => domain.responses.get(name) ?? [])
  if (!all.some(({ isRephrased }) => isRephrased)) return { reply: speech(responses, undefined, writing) }
  const chosen = all.find(isChosen)
  if (chosen !== undefined) {
    report.add(
      chosen.item,
      `response ${chosen.name}: rephrase`,
      "Code chooses its words, and they are said as they stand"
    )
    return { reply: speech(responses, undefined, writing) }
  }
  const parts = all.map((response) =>
    response.rephrasing !== undefined
      ? textOf(response.rephrasing)
      : `${response.isRephrased ? "Say in your own words" : "Say"}: "${textOf(response.variations[0])}"`
  )
  return { prompt: parts.length === 1 ? parts[0]! : parts.map((part) => `First ${part}`).join("\n\nThen:\n") }
}

const stepsOf = (
  node: Node,
  following: string | undefined,
  known: ReadonlyArray<string>,
  writing: ImportedProject
): ReadonlyArray<JsonObject> => {
  const { does, id } = node
  switch (does._tag) {
    case "Collect":
      return collecting(node, does, following, writing)
    case "Say":
      return [{ id, ...saying(does.responses, writing), ...leaving(node, following, writing) }]
    case "Agent":
      return conversing(node, does, following, writing)
    case "Act":
      return acting(node, does, following, known, writing)
    case "Set":
      return [{ id, auto: true, onEnter: setting(does.slots), ...leaving(node, following, writing) }]
    case "Link":
      return [{ id, auto: true, branches: [{ then: linked(does, node, writing) }] }]
    case "Wait":
      writing.report.add(
        node.item,
        `step ${id}: action_listen`,
        "The model answers, and the flow goes on at the next message"
      )
      return [{ id, prompt: "Answer the user", ...leaving(node, following, writing) }]
    case "Pass":
      return [{ id, auto: true, ...leaving(node, following, writing) }]
  }
}

/** The slots that the nodes of a graph take from messages. */
export const collected = (graph: Graph): ReadonlyArray<string> => [
  ...new Set([...graph.values()].flatMap((node) => statedSlot(node) ?? []))
]

/** The slots that the agents of a graph set. */
export const setByAgents = (graph: Graph): ReadonlyArray<string> => [
  ...new Set([...graph.values()].flatMap(({ does }) => does._tag === "Agent" ? does.sets : []))
]

/** The slots that messages or agents give values in a graph. */
export const given = (graph: Graph): ReadonlyArray<string> => [
  ...new Set([...collected(graph), ...setByAgents(graph)])
]

const isNever = (guard: Item | undefined): boolean => guard?.value === false || guard?.text?.toLowerCase() === "false"

const flowKeys = ["name", "description", "if", "nlu_trigger", "persisted_slots", "steps"]

const notesOf = ({ id, item }: Flow, report: Report): void => {
  report.others(item, `flow ${id}`, [...flowKeys, "always_include_in_prompt", "run_pattern_completed"])
  const trigger = item.get("nlu_trigger")
  if (trigger !== undefined) {
    report.add(
      trigger,
      `flow ${id}: nlu_trigger`,
      "The flow is chosen by its `when`: add the words of the intent's examples there"
    )
  }
}

/** Returns the initial values of the slots that steps ask for or read, or that responses chosen in code read. */
const initialIn = (steps: string, asked: ReadonlyArray<string>, { code, domain }: ImportedProject) => {
  const inCode = Array.from(code.templates).flatMap(([name, { asked: question = [], said }]) =>
    steps.includes(`"template":${JSON.stringify(name)}`) ? said.concat(question) : []
  )
  const isRead = (slot: string) => steps.includes(`data.${slot}`) || inCode.some((name) => shows(domain, name, slot))
  return Array.from(domain.slots.values()).flatMap(({ initial, name }) =>
    initial !== undefined && (asked.includes(name) || isRead(name)) ? [[name, initial] as const] : []
  )
}

/** True if only other flows lead to a flow. */
export const isInner = ({ item }: Flow): boolean => isNever(item.get("if"))

const guardOf = (flow: Flow, writing: ImportedProject): JsonObject => {
  const guard = flow.item.get("if")
  if (isInner(flow)) return { if: "false" }
  const description = flow.item.at("description") ?? flow.item.at("name") ?? flow.id
  return {
    ...(!flow.id.startsWith("pattern_") && { when: description }),
    ...(guard !== undefined && { if: conditionOf(guard, `${flow.id}_guard`, writing) })
  }
}

/** Writes a flow as a document. `first` is its first node. */
export const flowOf = (
  flow: Flow,
  graph: Graph,
  first: string,
  project: Omit<ImportedProject, "taken">
): JsonObject => {
  const writing: ImportedProject = { ...project, taken: new Set(graph.keys()) }
  const { id, item } = flow
  notesOf(flow, writing.report)
  const reads = given(graph)
  const asked = collected(graph)
  // A flow clears at its end what it declares.
  const optional = [
    ...[...graph.values()].flatMap(({ optional }) => optional ?? []),
    ...reads.filter((slot) => !asked.includes(slot))
  ]
  const nodes = inOrder(graph, first)
  // A call leads back to the step that asks for an argument without a value, which Rasa does not.
  const known = knownBefore(nodes)
  const steps = nodes.flatMap((node, i) =>
    stepsOf(node, nodes[i + 1]?.id, reads.filter((slot) => known.get(node.id)!.has(slot)), writing)
  )
  const initial = initialIn(JSON.stringify(steps), reads, writing)
  return {
    id,
    title: item.at("name") ?? id.replaceAll("_", " "),
    ...guardOf(flow, writing),
    // A flow of Rasa can begin again, and keeps what its slots keep.
    ...(!isInner(flow) && { reentrant: "keep" }),
    ...(optional.length > 0 && { optionalFields: [...new Set(optional)] }),
    ...(initial.length > 0 && { initialData: Object.fromEntries(initial) }),
    steps
  }
}

/** Writes the fields of all slots. */
export const fieldsOf = (
  { slots }: Domain,
  asked: ReadonlyMap<string, { readonly description: string | undefined; readonly isKept: boolean }>,
  ofAgents: ReadonlySet<string>
): JsonObject =>
  Object.fromEntries(Array.from(slots.values(), (slot: Slot) => {
    const asks = asked.get(slot.name)
    return [slot.name, {
      ...shapeOf(slot),
      description: asks?.description ?? slot.title.replaceAll("_", " "),
      ...(asks === undefined && { extract: "never" }),
      ...((asks === undefined ? ofAgents.has(slot.name) : !asks.isKept) && { scope: "flow" })
    }]
  }))
