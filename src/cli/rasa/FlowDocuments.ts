/** Writes the flows of a Rasa project as documents. */
import * as Either from "effect/Either"
import { isJson, type Json, type JsonObject } from "../../domain/base/Json.js"
import * as Condition from "./Condition.js"
import { type Domain, isChosen, shapeOf, shows, type Slot, textOf } from "./Domain.js"
import { end, type Flow, type Graph, handOff, type Node } from "./FlowGraph.js"
import type { Report } from "./ImportReport.js"
import type { Item } from "./Project.js"

/** The code that the documents name. */
export interface Code {
  /** Templates: each says the responses one after the other, and then the question; code chooses between variations. */
  readonly templates: Map<string, { readonly said: ReadonlyArray<string>; readonly asked?: string }>
  /** Conditions in TypeScript. */
  readonly predicates: Map<string, string>
  readonly actions: Set<string>
}

export interface ImportedProject {
  readonly domain: Domain
  readonly flows: ReadonlyMap<string, Flow>
  readonly report: Report
  readonly code: Code
}

const typeOf = ({ slots }: Domain) => (name: string): Condition.SlotType => slots.get(name)?.type ?? "any"

/** Returns a condition as an expression. A condition that cannot be translated becomes a predicate in code. */
const conditionOf = (item: Item, name: string, { code, domain, report }: ImportedProject): Json => {
  const text = item.text ?? ""
  const parsed = Condition.parse(text)
  const cel = Either.flatMap(parsed, (condition) => Condition.toCel(condition, typeOf(domain)))
  if (Either.isRight(cel)) return cel.right
  const predicate = name.replace(/\W/g, "_")
  const written = Either.flatMap(
    parsed,
    (condition) => Either.try({ try: () => Condition.toTypeScript(condition), catch: String })
  )
  code.predicates.set(predicate, Either.getOrElse(written, () => "false"))
  report.add(
    item,
    `condition ${text}: ${cel.left}`,
    Either.isRight(written)
      ? `It is the predicate ${predicate} in registry.ts: check its pattern`
      : `Write the predicate ${predicate} in registry.ts; it is false until then`
  )
  return { predicate }
}

const questionOf = (node: Node, slot: string): string => node.item.at("utter") ?? `utter_ask_${slot}`

const firstText = (name: string, { responses, slots }: Domain): string | undefined => {
  const response = responses.get(name)
  return response === undefined ? undefined : textOf(response.variations[0].text, slots)
}

/** Returns the responses and the question as one text; if code must choose between variations, as a template. */
const speech = (said: ReadonlyArray<string>, asked: string | undefined, { code, domain }: ImportedProject): Json => {
  const all = [...said, ...(asked === undefined ? [] : [asked])]
  if (all.some((name) => isChosenIn(domain, name))) {
    const name = all.join("_and_")
    code.templates.set(name, { said, ...(asked !== undefined && { asked }) })
    return { template: name }
  }
  const texts = said.flatMap((name) => firstText(name, domain) ?? [])
  if (asked === undefined) return texts.join("\n\n")
  const question = `Ask: "${firstText(asked, domain) ?? asked}"`
  return texts.length === 0
    ? question
    : `Say first: "${texts.join(" ")}" Then ask: "${firstText(asked, domain) ?? asked}"`
}

const isChosenIn = ({ responses }: Domain, name: string): boolean => {
  const response = responses.get(name)
  return response !== undefined && isChosen(response)
}

/** Returns the question for a slot: its response, or a text for the model if the project has none. */
const prompt = (node: Node, slot: string, said: ReadonlyArray<string>, writing: ImportedProject): Json => {
  const { domain, report } = writing
  const asked = questionOf(node, slot)
  if (domain.responses.has(asked)) {
    return domain.responses.get(asked)?.isRephrased === true && said.length === 0 && !isChosenIn(domain, asked)
      ? `Ask in your own words: ${firstText(asked, domain)}`
      : speech(said, asked, writing)
  }
  if (domain.actions.has(`action_ask_${slot}`)) {
    report.add(
      node.item,
      `step ${node.id}: action_ask_${slot}`,
      "Let a template of registry.ts ask, or a hook `prepare`"
    )
  } else {report.add(
      node.item,
      `step ${node.id}: no response ${asked}`,
      "The model asks in its own words: check the prompt"
    )}
  const what = node.item.at("description") ?? slot.replaceAll("_", " ")
  const before = speech(said, undefined, writing)
  return before === "" || typeof before !== "string" ? `Ask for ${what}` : `Say first: "${before}" Then ask for ${what}`
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
const choicesOf = (asked: string, slot: string, { responses, slots }: Domain): ReadonlyArray<Json> =>
  (responses.get(asked)?.choices ?? []).flatMap(({ label, slot: of, value }) =>
    of === slot ? [{ value: valueIn(slots.get(slot)?.type, value), label }] : []
  )

const valueIn = (type: Condition.SlotType | undefined, value: string): Json =>
  type === "bool" ? value.toLowerCase() === "true" : type === "float" ? Number(value) : value

const collecting = (
  node: Node,
  does: Extract<Node["does"], { readonly _tag: "Collect" }>,
  following: string | undefined,
  writing: ImportedProject
): ReadonlyArray<JsonObject> => {
  const { domain, report } = writing
  const { item } = node
  const { forgets, said, slot } = does
  const id = forgets ? `${node.id}_ask` : node.id
  if (item.is("force_slot_filling")) {
    report.add(
      item,
      `step ${node.id}: force_slot_filling`,
      "Every message is read as usual: the user may ask something else"
    )
  }
  const rejections = item.each("rejections").map((rejection, i) => ({
    rejection,
    id: `${id}_rejected_${i + 1}`,
    condition: rejection.get("if")
  }))
  const refusing = rejections.flatMap(({ condition, id }) =>
    condition === undefined
      ? []
      : [{ if: conditionOf(condition, id, writing), then: { clear: [slot], goToStep: id } }]
  )
  const choices = choicesOf(questionOf(node, slot), slot, domain)
  const asking = (own: string, first: ReadonlyArray<string>, after: string | undefined): JsonObject => ({
    id: own,
    prompt: prompt(node, slot, first, writing),
    collect: [slot],
    ...(choices.length > 0 && { choices }),
    ...leaving(node, after, writing, refusing)
  })
  return [
    ...(forgets ? [{ id: node.id, auto: true, onEnter: { clear: [slot] } }] : []),
    asking(id, said, rejections.length === 0 ? following : undefined),
    ...rejections.map(({ id, rejection }) => asking(id, [rejection.at("utter") ?? ""], undefined))
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

type Link = Extract<Node["does"], { readonly _tag: "Link" }>

const linked = ({ flow, said = [] }: Link, node: Node, writing: ImportedProject): Json => {
  if (writing.flows.has(flow)) return { goTo: flow }
  if (flow === handOff) {
    const reply = said.flatMap((name) => firstText(name, writing.domain) ?? []).join("\n\n")
    return { handOff: "person", reason: "a flow asks for a person", ...(reply !== "" && { reply }) }
  }
  writing.report.add(node.item, `step ${node.id}: link ${flow}`, "There is no such flow: the flow ends here")
  return { complete: true }
}

/** Writes a tool call. A second step has the branches, because a call step does not speak or wait. */
const calling = (
  node: Node,
  tool: string,
  following: string | undefined,
  reads: ReadonlyArray<string>,
  writing: ImportedProject
): ReadonlyArray<JsonObject> => {
  const left = leaving(node, following, writing)
  return [
    { id: node.id, call: { tool, arguments: Object.fromEntries(reads.map((slot) => [slot, `data.${slot}`])) } },
    ...(Object.keys(left).length === 0 ? [] : [{ id: `${node.id}_then`, auto: true, ...left }])
  ]
}

const stepsOf = (
  node: Node,
  following: string | undefined,
  reads: ReadonlyArray<string>,
  writing: ImportedProject
): ReadonlyArray<JsonObject> => {
  const { does, id } = node
  switch (does._tag) {
    case "Collect":
      return collecting(node, does, following, writing)
    case "Say":
      return [{ id, reply: speech(does.responses, undefined, writing), ...leaving(node, following, writing) }]
    case "Act":
      writing.code.actions.add(does.action)
      return calling(node, does.action, following, reads, writing)
    case "Set":
      return [{ id, auto: true, onEnter: setting(does.slots), ...leaving(node, following, writing) }]
    case "Link":
      return [{ id, auto: true, branches: [{ then: linked(does, node, writing) }] }]
    case "Pass":
      return [{ id, auto: true, ...leaving(node, following, writing) }]
  }
}

/** The slots that the nodes of a graph ask for. */
export const collected = (graph: Graph): ReadonlyArray<string> => [
  ...new Set([...graph.values()].flatMap(({ does }) => does._tag === "Collect" ? [does.slot] : []))
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

/**
 * Returns the initial values of the slots that steps read, or that responses chosen in code read. A slot that a step
 * asks for has no initial value, because the step would then never ask for it.
 */
const initialIn = (steps: string, asked: ReadonlyArray<string>, { code, domain }: ImportedProject) => {
  const inCode = Array.from(code.templates).flatMap(([name, { asked: question = [], said }]) =>
    steps.includes(`"template":"${name}"`) ? said.concat(question) : []
  )
  const isRead = (slot: string) => steps.includes(`data.${slot}`) || inCode.some((name) => shows(domain, name, slot))
  return Array.from(domain.slots.values()).flatMap(({ initial, name }) =>
    initial !== undefined && !asked.includes(name) && isRead(name) ? [[name, initial] as const] : []
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
export const flowOf = (flow: Flow, graph: Graph, first: string, writing: ImportedProject): JsonObject => {
  const { id, item } = flow
  notesOf(flow, writing.report)
  const nodes = [...graph.values()].sort((a, b) => Number(b.id === first) - Number(a.id === first))
  const reads = collected(graph)
  const steps = nodes.flatMap((node, i) => stepsOf(node, nodes[i + 1]?.id, reads, writing))
  const initial = initialIn(JSON.stringify(steps), reads, writing)
  return {
    id,
    title: item.at("name") ?? id.replaceAll("_", " "),
    ...guardOf(flow, writing),
    ...(initial.length > 0 && { initialData: Object.fromEntries(initial) }),
    steps
  }
}

/** Writes the fields of all slots. */
export const fieldsOf = (
  { slots }: Domain,
  asked: ReadonlyMap<string, { readonly description: string | undefined; readonly isKept: boolean }>
): JsonObject =>
  Object.fromEntries(Array.from(slots.values(), (slot: Slot) => {
    const asks = asked.get(slot.name)
    return [slot.name, {
      ...shapeOf(slot),
      description: asks?.description ?? slot.name.replaceAll("_", " "),
      ...(asks === undefined ? { extract: "never" } : asks.isKept ? {} : { scope: "flow" })
    }]
  }))
