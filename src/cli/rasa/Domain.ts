/** Slots and responses of a Rasa domain. */
import type { Json, JsonObject } from "../../domain/base/Json.js"
import { isJson } from "../../domain/base/Json.js"
import { escaped } from "../../domain/document/Expression.js"
import type { SlotType } from "./Condition.js"
import type { Report } from "./ImportReport.js"
import * as Names from "./Names.js"
import { Item, type Project } from "./Project.js"

export interface Slot {
  /** The name of its field. */
  readonly name: string
  /** The name in the project. */
  readonly title: string
  readonly type: SlotType
  readonly item: Item
  readonly values: ReadonlyArray<Json>
  readonly initial: Json | undefined
  /** Types that the declaration lacks, of values that the project compares it with or gives it. */
  readonly also: ReadonlyArray<SlotType>
  /** The conditions that refuse a value, in the order in which they are asked. */
  readonly rejections: ReadonlyArray<Item>
  /** The response that asks again after one of them. */
  readonly refill: string | undefined
}

/** The words of a text, and the slots whose values it shows, by their fields. */
type Part = string | { readonly slot: string }

/** A variation of a response. */
export interface Variation {
  readonly parts: ReadonlyArray<Part>
  /** Values that slots must have. */
  readonly when: ReadonlyArray<readonly [slot: string, value: Json]>
}

export interface Response {
  readonly name: string
  readonly item: Item
  readonly variations: readonly [Variation, ...ReadonlyArray<Variation>]
  readonly isRephrased: boolean
  /** The instructions for the model instead, if the project writes the prompt of the rephraser. */
  readonly rephrasing?: Variation
  readonly choices: ReadonlyArray<Choice>
}

/** A button that gives a slot a value. */
export interface Choice {
  readonly label: string
  /** The slot that the payload names; undefined if the payload is the words of an answer. */
  readonly slot: string | undefined
  readonly value: string
  readonly item: Item
}

export interface Domain {
  /** The slots, by their fields. */
  readonly slots: ReadonlyMap<string, Slot>
  /** Returns the field of a slot. A slot that the domain does not declare gets one, which may hold any value. */
  readonly fieldOf: (slot: string, at: Item) => string
  /** Returns the field of a slot that the domain declares. */
  readonly known: (slot: string) => string | undefined
  readonly responses: ReadonlyMap<string, Response>
  readonly actions: ReadonlyMap<string, Item>
  /** Returns the name of a field of the import's own, which no slot has. */
  readonly own: (name: string) => string
  /** Declares a slot of the import's own, which is true or has no value. Returns its field. */
  readonly flag: (name: string, at: Item) => string
  /** Lets a slot also hold values of another type. */
  readonly widen: (slot: string, type: SlotType, why: string) => void
}

const types: ReadonlyArray<SlotType> = ["text", "bool", "categorical", "float", "list", "any"]

const slotKeys = [
  "type",
  "values",
  "initial_value",
  "mappings",
  "influence_conversation",
  "min_value",
  "max_value",
  "validation"
]

const mappings: ReadonlyMap<string, string> = new Map([
  ["from_intent", "Understanding reads messages: describe the field, or write it with a hook"],
  ["from_entity", "Understanding reads messages: describe the field"],
  ["from_text", "Understanding reads messages: describe the field"],
  ["from_trigger_intent", "Write the field with a hook of the flow"]
])

const noteMapping = (name: string, mapping: Item, report: Report): void => {
  const type = mapping.at("type") ?? ""
  const fix = mappings.get(type)
  if (fix !== undefined) report.add(mapping, `slot ${name}: mapping ${type}`, fix)
  const action = mapping.get("run_action_every_turn") ?? mapping.get("action")
  if (action !== undefined) {
    report.add(action, `slot ${name}: action ${action.text}`, "Write the field with the agent's hook beforeRespond")
  }
}

const declared = (name: string, item: Item, report: Report): SlotType => {
  const given = item.at("type") ?? "any"
  const type = types.find((one) => one === given)
  if (type !== undefined) return type
  report.add(item, `slot ${name}: type ${given}`, "It holds any value: give the field its type")
  return "any"
}

const noteSlot = (name: string, item: Item, report: Report): void => {
  report.others(item, `slot ${name}`, slotKeys)
  const validation = item.get("validation")
  if (validation !== undefined) report.others(validation, `slot ${name}: validation`, ["rejections", "refill_utter"])
  for (const mapping of item.each("mappings")) noteMapping(name, mapping, report)
  if (item.get("min_value") !== undefined || item.get("max_value") !== undefined) {
    report.add(item, `slot ${name}: limits`, "They did not restrict the value: add minimum and maximum if they should")
  }
}

const slotOf = (title: string, name: string, item: Item, report: Report): Slot => {
  if (name !== title) report.add(item, `slot ${title}`, `Its field is ${name}: no expression reads another name`)
  const type = declared(name, item, report)
  noteSlot(name, item, report)
  const [initial, validation] = [item.get("initial_value")?.value, item.get("validation")]
  return {
    name,
    title,
    item,
    type,
    values: item.each("values").map(({ value }) => value).filter(isJson),
    initial: initial !== null && isJson(initial) ? initial : undefined,
    also: [],
    rejections: validation?.each("rejections") ?? [],
    refill: validation?.at("refill_utter")
  }
}

/** The fields of the slots, by the names of the slots in the project. */
interface Reading {
  readonly fields: ReadonlyMap<string, string>
  readonly report: Report
}

const responseKeys = ["text", "buttons", "condition", "metadata", "id", "channel"]

/** Reads `/SetSlots(slot=value)`, the payload of a button. */
const payload = /^\/SetSlots\(([^=,()]+)=([^,()]*)\)$/

const choiceOf = (name: string, button: Item, { fields, report }: Reading): Response["choices"] => {
  const label = button.at("title") ?? ""
  const [, slot, value] = payload.exec(button.at("payload") ?? "") ?? []
  const field = slot === undefined ? undefined : fields.get(slot.trim())
  if (field !== undefined && value !== undefined) {
    return [{ label, slot: field, value: value.trim().replace(/^["']|["']$/g, ""), item: button }]
  }
  const words = button.at("payload") ?? label
  if (words !== "" && !words.startsWith("/")) return [{ label, slot: undefined, value: words, item: button }]
  report.add(
    button,
    `response ${name}: button ${label}`,
    "It sets no slot, and was left out: a choice of a step gives its field a value"
  )
  return []
}

const conditionsOf = (name: string, item: Item, { fields, report }: Reading): Variation["when"] =>
  item.items.flatMap((one) => {
    const [slot, value] = [fields.get(one.at("name") ?? ""), one.get("value")?.value]
    if (one.at("type") === "slot" && slot !== undefined && isJson(value)) return [[slot, value] as const]
    report.add(one, `response ${name}: a condition`, "Only values of slots are conditions: write it into the template")
    return []
  })

const isRephrased = (item: Item): boolean => item.get("metadata")?.is("rephrase") === true

/** A part of a text that may stand for a value: its place, and the name of a slot if it has the form of one. */
interface Mark {
  readonly from: number
  readonly to: number
  readonly name: string | undefined
}

/** Finds the names of slots in braces. */
const bracesIn = (text: string): ReadonlyArray<Mark> =>
  Array.from(
    text.matchAll(/\{([^\n{}]+)\}/g),
    ({ 0: all, 1: name, index }) => ({ from: index, to: index + all.length, name })
  )

const ends: Readonly<Record<string, string>> = { "{{": "}}", "{%": "%}", "{#": "#}" }

/** Finds what a template of Jinja replaces. It shows a slot in two braces, and may have anything else in braces. */
const jinjaIn = (text: string): ReadonlyArray<Mark> => {
  const found: Array<Mark> = []
  const begin = /\{[{%#]/g
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const { 0: opening, index: from } = match
    const inside = from + opening.length
    const close = text.indexOf(ends[opening]!, inside)
    if (close === -1) break
    const shown = opening === "{{" ? text.slice(inside, close).trim() : ""
    found.push({ from, to: close + 2, name: /^(?:slots\.)?([^\s{}|.()]+)$/.exec(shown)?.[1] })
    begin.lastIndex = close + 2
  }
  return found
}

const partsIn = (
  text: string,
  marks: ReadonlyArray<Mark>,
  partOf: (all: string, name: string | undefined) => Part
): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let from = 0
  for (const mark of marks) {
    parts.push(text.slice(from, mark.from), partOf(text.slice(mark.from, mark.to), mark.name))
    from = mark.to
  }
  return joined([...parts, text.slice(from)])
}

const partsOf = (name: string, item: Item, text: string, { fields, report }: Reading): ReadonlyArray<Part> => {
  const shown = (slot = ""): Part | undefined => fields.has(slot) ? { slot: fields.get(slot)! } : undefined
  if (item.get("metadata")?.at("template") !== "jinja") {
    return partsIn(text, bracesIn(text), (all, slot) => {
      const part = shown(slot)
      if (part === undefined && /^[A-Za-z_]\w*$/.test(slot ?? "")) {
        report.add(item, `response ${name}: ${all}`, "No slot has this name: it is said as it stands")
      }
      return part ?? all
    })
  }
  return partsIn(text, jinjaIn(text), (all, slot) => {
    const part = shown(slot)
    if (part === undefined) report.add(item, `response ${name}: ${all}`, "It was left out: write it into the text")
    return part ?? ""
  })
}

/** Joins texts that follow one another. */
const joined = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.reduce<ReadonlyArray<Part>>((before, part) => {
    const last = before.at(-1)
    if (typeof part !== "string" || typeof last !== "string") return part === "" ? before : [...before, part]
    return [...before.slice(0, -1), last + part]
  }, [])

/** The names that a rephraser's prompt may have beside slots, with words for what the model sees anyhow. */
const seen: ReadonlyMap<string, string> = new Map([
  ["history", "(see the conversation)"],
  ["current_input", "(see the user's last message)"]
])

/** Reads the prompt of the rephraser, with the response's own words in their place. */
const rephrasingOf = (
  name: string,
  item: Item,
  said: Variation,
  { fields, report }: Reading
): Variation | undefined => {
  const prompt = item.items.flatMap((one) => one.get("metadata")?.get("rephrase_prompt") ?? [])[0]
  if (prompt?.text === undefined) return undefined
  const pieces = prompt.text.trim().split(/\{\{\s*suggested_response\s*\}\}/).map((text) =>
    partsIn(text, jinjaIn(text), (all, slot = "") => {
      const field = fields.get(slot)
      if (field !== undefined) return { slot: field }
      const words = seen.get(slot)
      if (words === undefined) {
        report.add(prompt, `response ${name}: ${all}`, "It was left out: write it into the prompt")
      }
      return words ?? ""
    })
  )
  return { when: [], parts: joined(pieces.flatMap((parts, i) => i === 0 ? parts : [...said.parts, ...parts])) }
}

const variationOf = (name: string, item: Item, reading: Reading): ReadonlyArray<Variation> => {
  const { report } = reading
  report.others(item, `response ${name}`, responseKeys)
  const [text, condition] = [item.at("text"), item.get("condition")]
  if (text !== undefined) {
    return [{
      parts: partsOf(name, item, text.trim(), reading),
      when: condition === undefined ? [] : conditionsOf(name, condition, reading)
    }]
  }
  report.add(item, `response ${name}: no text`, "Send what is no text from the application")
  return []
}

/** The variations of a response that are not for one channel alone; all, if each is for one. */
const forAnyChannel = (name: string, item: Item, { report }: Reading): ReadonlyArray<Item> => {
  const any = item.items.filter((one) => one.get("channel") === undefined)
  for (const one of item.items) {
    const channel = one.get("channel")
    if (channel === undefined) continue
    report.add(
      channel,
      `response ${name}: only for the channel ${channel.text}`,
      any.length === 0 ? "It is said in each channel" : "It was left out: choose by the channel in the application"
    )
  }
  return any.length === 0 ? item.items : any
}

const responseOf = (name: string, item: Item, reading: Reading): Response | undefined => {
  const { report } = reading
  const all = forAnyChannel(name, item, reading).flatMap((one) => variationOf(name, one, reading))
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
  const rephrasing = item.items.some(isRephrased) ? rephrasingOf(name, item, first, reading) : undefined
  return {
    name,
    item,
    variations: [first, ...rest],
    isRephrased: item.items.some(isRephrased),
    ...(rephrasing !== undefined && { rephrasing }),
    choices: item.items.flatMap((one) => one.each("buttons")).flatMap((one) => choiceOf(name, one, reading))
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
  const actions = new Map<string, Item>()
  const named = (name: string) => project.files.flatMap((file) => file.get(name)?.entries ?? [])
  const given = named("slots")
  const forms = new Names.Forms(Names.field, given.map(([name]) => name))
  const fields = new Map<string, string>()
  const declare = (name: string, item: Item): string => {
    const field = forms.of(report.name(item, "slot", name))
    slots.set(field, slotOf(name, field, item, report))
    fields.set(name, field)
    return field
  }
  for (const [name, item] of given) declare(name, item)
  for (const [name, item] of named("responses")) {
    const response = responseOf(report.name(item, "response", name), item, { fields, report })
    if (response !== undefined) responses.set(name, response)
  }
  for (const item of project.files.flatMap((file) => file.each("actions"))) {
    const name = item.text ?? item.entries[0]?.[0]
    if (name !== undefined) actions.set(report.name(item, "action", name), item)
  }
  for (const [key, fix] of Object.entries(unused)) {
    for (const item of project.files.flatMap((file) => file.get(key) ?? [])) report.add(item, `domain: ${key}`, fix)
  }
  const fieldOf = (name: string, at: Item): string => {
    const known = fields.get(name)
    if (known !== undefined) return known
    report.add(at, `slot ${name}: not in the domain`, "Its field holds any value: give it a type")
    return declare(name, Item.none(at))
  }
  const widen = (name: string, type: SlotType, why: string): void => {
    const slot = slots.get(name)
    if (slot === undefined || slot.type === type || slot.type === "any" || slot.also.includes(type)) return
    slots.set(name, { ...slot, also: [...slot.also, type] })
    report.add(
      slot.item,
      `slot ${slot.title}: ${slot.type}, but ${why}`,
      `Its field also holds ${type}: correct the type`
    )
  }
  const own = (name: string): string => fields.has(name) ? own(`own_${name}`) : forms.of(name)
  const flag = (name: string, at: Item): string => {
    const field = own(name)
    slots.set(field, { ...slotOf(field, field, Item.none(at), report), type: "bool" })
    fields.set(field, field)
    return field
  }
  return { slots, responses, actions, fieldOf, widen, flag, own, known: (name) => fields.get(name) }
}

/** Writes the parts of a response as a text with the placeholders of documents. */
export const textOf = ({ parts }: Variation): string =>
  parts.map((part, i) => {
    if (typeof part !== "string") return `{{data.${part.slot}}}`
    // A brace before a placeholder would belong to it.
    return parts[i + 1] !== undefined && part.endsWith("{") ? `${escaped(part.slice(0, -1))}{{ "{" }}` : escaped(part)
  }).join("")

/** The slots on which the words of a variation depend. */
export const slotsOf = ({ parts, when }: Variation): ReadonlyArray<string> => [
  ...parts.flatMap((part) => typeof part === "string" ? [] : [part.slot]),
  ...when.map(([slot]) => slot)
]

/** True if the words of a response depend on the value of a slot. */
export const shows = ({ responses }: Domain, name: string, slot: string): boolean =>
  responses.get(name)?.variations.some((variation) => slotsOf(variation).includes(slot)) ?? false

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
export const shapeOf = (slot: Slot): JsonObject => {
  const shape = shapes[slot.type](slot)
  return slot.also.length === 0
    ? shape
    : { anyOf: [shape, ...slot.also.map((type) => shapes[type]({ ...slot, values: [] }))] }
}

/** The type of a slot in conditions. */
export const typeOf = ({ slots }: Domain) => (name: string): SlotType => {
  const slot = slots.get(name)
  if (slot === undefined || slot.also.length > 0) return "any"
  if (slot.type !== "categorical") return slot.type
  const kinds = new Set(slot.values.map((value) => typeof value))
  return kinds.size > 1 ? "any" : kinds.has("number") ? "float" : kinds.has("boolean") ? "bool" : "categorical"
}

/** A value that the slot may have, for tests. */
export const exampleOf = ({ type, values: [first = "something"] }: Slot): Json =>
  ({ text: "something", bool: true, categorical: first, float: 1, list: ["something"], any: "something" })[type]
