/** Slots and responses of a Rasa domain. */
import type { Json, JsonObject } from "../../domain/base/Json.js"
import { isJson } from "../../domain/base/Json.js"
import { escaped } from "../../domain/document/Expression.js"
import type { SlotType } from "./Condition.js"
import type { Report } from "./ImportReport.js"
import type { Item, Project } from "./Project.js"

export interface Slot {
  readonly name: string
  readonly type: SlotType
  readonly item: Item
  readonly values: ReadonlyArray<Json>
  readonly initial: Json | undefined
}

/** A variation of a response. */
interface Variation {
  readonly text: string
  /** Values that slots must have. */
  readonly when: ReadonlyArray<readonly [slot: string, value: Json]>
}

export interface Response {
  readonly name: string
  readonly item: Item
  readonly variations: readonly [Variation, ...ReadonlyArray<Variation>]
  readonly isRephrased: boolean
  readonly choices: ReadonlyArray<{ readonly label: string; readonly slot: string; readonly value: string }>
}

export interface Domain {
  readonly slots: ReadonlyMap<string, Slot>
  readonly responses: ReadonlyMap<string, Response>
  readonly actions: ReadonlySet<string>
}

const types: ReadonlyArray<SlotType> = ["text", "bool", "categorical", "float", "list", "any"]

const slotKeys = ["type", "values", "initial_value", "mappings", "influence_conversation", "min_value", "max_value"]

const mappings: Readonly<Record<string, string>> = {
  from_intent: "Understanding reads messages: describe the field, or write it with a hook",
  from_entity: "Understanding reads messages: describe the field",
  from_text: "Understanding reads messages: describe the field",
  from_trigger_intent: "Write the field with a hook of the flow"
}

const noteMapping = (name: string, mapping: Item, report: Report): void => {
  const type = mapping.at("type") ?? ""
  const fix = mappings[type]
  if (fix !== undefined) report.add(mapping, `slot ${name}: mapping ${type}`, fix)
  const action = mapping.get("run_action_every_turn") ?? mapping.get("action")
  if (action !== undefined) {
    report.add(action, `slot ${name}: action ${action.text}`, "Write the field with the agent's hook beforeRespond")
  }
}

const typeOf = (name: string, item: Item, report: Report): SlotType => {
  const given = item.at("type") ?? "any"
  const type = types.find((one) => one === given)
  if (type !== undefined) return type
  report.add(item, `slot ${name}: type ${given}`, "It holds any value: give the field its type")
  return "any"
}

const slotOf = (name: string, item: Item, report: Report): Slot => {
  const type = typeOf(name, item, report)
  report.others(item, `slot ${name}`, slotKeys)
  for (const mapping of item.each("mappings")) noteMapping(name, mapping, report)
  if (item.get("min_value") !== undefined || item.get("max_value") !== undefined) {
    report.add(item, `slot ${name}: limits`, "They did not restrict the value: add minimum and maximum if they should")
  }
  const initial = item.get("initial_value")?.value
  return {
    name,
    item,
    type,
    values: item.each("values").map(({ value }) => value).filter(isJson),
    initial: initial !== null && isJson(initial) ? initial : undefined
  }
}

const responseKeys = ["text", "buttons", "condition", "metadata", "id"]

/** Reads `/SetSlots(slot=value)`, the payload of a button. */
const payload = /^\/SetSlots\((\w+)=([^,()]*)\)$/

const choiceOf = (name: string, button: Item, report: Report): Response["choices"] => {
  const label = button.at("title") ?? ""
  const [, slot, value] = payload.exec(button.at("payload") ?? "") ?? []
  if (slot !== undefined && value !== undefined) return [{ label, slot, value: value.replace(/^["']|["']$/g, "") }]
  report.add(
    button,
    `response ${name}: button ${label}`,
    "It sets no slot, and was left out: a choice of a step gives its field a value"
  )
  return []
}

const conditionsOf = (name: string, item: Item, report: Report): Variation["when"] =>
  item.items.flatMap((one) => {
    const [slot, value] = [one.at("name"), one.get("value")?.value]
    if (one.at("type") === "slot" && slot !== undefined && isJson(value)) return [[slot, value] as const]
    report.add(one, `response ${name}: a condition`, "Only values of slots are conditions: write it into the template")
    return []
  })

const isRephrased = (item: Item): boolean => item.get("metadata")?.is("rephrase") === true

const variationOf = (name: string, item: Item, report: Report): ReadonlyArray<Variation> => {
  report.others(item, `response ${name}`, responseKeys)
  const [text, condition] = [item.at("text"), item.get("condition")]
  if (text !== undefined) {
    return [{ text, when: condition === undefined ? [] : conditionsOf(name, condition, report) }]
  }
  report.add(item, `response ${name}: no text`, "Send what is no text from the application")
  return []
}

const responseOf = (name: string, item: Item, report: Report): Response | undefined => {
  const all = item.items.flatMap((one) => variationOf(name, one, report))
  const plain = all.filter(({ when }) => when.length === 0)
  const [first, ...rest] = [...all.filter(({ when }) => when.length > 0), ...plain]
  if (first === undefined) return undefined
  if (plain.length > 1) {
    report.add(
      item,
      `response ${name}: ${plain.length} variations`,
      "The first is said; the others are in registry.ts: choose there"
    )
  }
  return {
    name,
    item,
    variations: [first, ...rest],
    isRephrased: item.items.some(isRephrased),
    choices: item.items.flatMap((one) => one.each("buttons")).flatMap((one) => choiceOf(name, one, report))
  }
}

const unused: Readonly<Record<string, string>> = {
  intents: "Flows are chosen by their `when` in words",
  entities: "Fields are read from messages by their descriptions",
  forms: "A form is a flow whose steps collect fields: write one",
  e2e_actions: "Leave them out",
  session_config: "Set `retention` of the agent, and `idle`"
}

/** Reads the domain of all files. */
export const read = (project: Project, report: Report): Domain => {
  const slots = new Map<string, Slot>()
  const responses = new Map<string, Response>()
  const actions = new Set<string>()
  const named = (name: string) => project.files.flatMap((file) => file.get(name)?.entries ?? [])
  for (const [name, item] of named("slots")) slots.set(name, slotOf(name, item, report))
  for (const [name, item] of named("responses")) {
    const response = responseOf(name, item, report)
    if (response !== undefined) responses.set(name, response)
  }
  for (const item of project.files.flatMap((file) => file.each("actions"))) {
    const name = item.text ?? item.entries[0]?.[0]
    if (name !== undefined) actions.add(name)
  }
  for (const [key, fix] of Object.entries(unused)) {
    for (const item of project.files.flatMap((file) => file.get(key) ?? [])) report.add(item, `domain: ${key}`, fix)
  }
  return { slots, responses, actions }
}

const placeholder = /\{(\w+)\}/g

/** Converts a text of Rasa to a text with the placeholders of documents. */
export const textOf = (text: string, slots: Domain["slots"]): string =>
  escaped(text).replace(placeholder, (all, name: string) => slots.has(name) ? `{{data.${name}}}` : all).trim()

/** True if the words of a response depend on the value of a slot. */
export const shows = ({ responses }: Domain, name: string, slot: string): boolean =>
  responses.get(name)?.variations.some(({ text, when }) =>
    when.some(([of]) => of === slot) || Array.from(text.matchAll(placeholder)).some(([, of]) => of === slot)
  ) ?? false

/** True if code chooses between the variations of a response. */
export const isChosen = ({ variations: [first, ...rest] }: Response): boolean =>
  first.when.length > 0 || rest.length > 0

const shapes: { readonly [T in SlotType]: (slot: Slot) => JsonObject } = {
  text: () => ({ type: "string" }),
  bool: () => ({ type: "boolean" }),
  categorical: ({ values: [first, ...rest] }) => first === undefined ? { type: "string" } : { enum: [first, ...rest] },
  float: () => ({ type: "number" }),
  list: () => ({ type: "array" }),
  any: () => ({ type: ["string", "number", "boolean", "array", "object"] })
}

/** Returns the type of a slot as JSON Schema. */
export const shapeOf = (slot: Slot): JsonObject => shapes[slot.type](slot)

/** A value that the slot may have, for tests. */
export const exampleOf = ({ type, values: [first = "something"] }: Slot): Json =>
  ({ text: "something", bool: true, categorical: first, float: 1, list: ["something"], any: "something" })[type]
