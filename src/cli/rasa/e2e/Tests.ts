/** Reads end-to-end tests of Rasa: what each message means, and what is expected after it. */
import { isJson, type Json } from "../../../domain/base/Json.js"
import * as CodeWriter from "../../CodeWriter.js"
import type { Domain, Slot, Variation } from "../Domain.js"
import type { Item, Project } from "../Project.js"
import { meanings } from "./Meaning.js"
import { exampleIn } from "./Play.js"
import type { Values } from "./Results.js"
import type { ProjectIndex, Turn } from "./Turn.js"

export interface Case {
  readonly name: string
  readonly turns: ReadonlyArray<Turn>
  /** The slots that have a value before the first message. */
  readonly before: Readonly<Record<string, Json>>
  /** The results of each action: one for each call, and the last for all later ones. */
  readonly acts: ReadonlyMap<string, ReadonlyArray<Values>>
}

const pattern = (text: string): string =>
  text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+")).join(
    "[\\s\\S]*"
  )

const isText = (text: string): string => `talk.expectReply(${CodeWriter.regExp(pattern(text))})`

/** Matches a variation of a response, whatever the slots hold that it shows. */
const patternOf = ({ parts }: Variation): string =>
  parts.map((part) => typeof part === "string" ? pattern(part) : "[\\s\\S]*").join("")

/** Reads the test cases of a project. */
export const read = (project: Project, known: ProjectIndex): ReadonlyArray<Case> =>
  project.files.flatMap((file) => {
    const fixtures = new Map(file.each("fixtures").flatMap((one) => one.entries))
    return file.each("test_cases").map((item) => caseOf(item, fixtures, known))
  })

type Pair = readonly [slot: string, item: Item | undefined]

const pairs = (item: Item): ReadonlyArray<Pair> =>
  item.items.flatMap((one): ReadonlyArray<Pair> => {
    const name = one.at("name")
    if (name !== undefined) return [[name, one.get("value")]]
    return one.isMap ? one.entries : [[one.text ?? "", undefined]]
  })

/**
 * Returns the values of a test's fixtures: values that the first message states, and values that code wrote before it.
 */
const givenBy = (
  item: Item,
  name: string,
  fixtures: ReadonlyMap<string, Item>,
  { asked, domain, report }: ProjectIndex
) => {
  const stated: Record<string, Json> = {}
  const before: Record<string, Json> = {}
  for (const fixture of item.each("fixtures")) {
    for (const [slot, value] of pairs(fixtures.get(fixture.text ?? "") ?? fixture)) {
      const [json, field] = [value?.value, domain.known(slot)]
      if (field !== undefined && isJson(json)) (asked.has(field) ? stated : before)[field] = json
      else report.add(fixture, `test ${name}: fixture ${fixture.text}`, `There is no slot ${slot}: leave it out`)
    }
  }
  return { stated, before }
}

/** The values that actions set, by action. */
type Acts = Map<string, Record<string, Json>>

type Expecting = (item: Item, turn: Turn, acts: Acts, known: ProjectIndex) => void

const caseOf = (item: Item, fixtures: ReadonlyMap<string, Item>, known: ProjectIndex): Case => {
  const { report } = known
  const turns: Array<Turn> = []
  const acts: Acts = new Map()
  const name = item.at("test_case") ?? "a conversation"
  report.others(item, `test ${name}`, ["test_case", "steps", "fixtures", "metadata"])
  const { before, stated } = givenBy(item, name, fixtures, known)
  for (const step of item.each("steps")) {
    const user = step.at("user")
    if (user !== undefined) turns.push(turnOf(user, step, turns.length === 0 ? stated : {}))
    const turn = turns.at(-1)
    if (turn === undefined) {
      report.add(step, `test ${name}: a step before the user speaks`, "Begin the conversation in the test")
    } else stepOf(step, name, turn, acts, known)
  }
  const results = meanings(turns, before, known, name)
  for (const [action, values] of acts) {
    results.set(action, (results.get(action) ?? [{}]).map((one) => ({ ...one, ...values })))
  }
  return { name, turns, before, acts: results }
}

const turnOf = (user: string, item: Item, fields: Record<string, Json>): Turn => ({
  user,
  item,
  fields,
  expects: [],
  utters: [],
  replies: new Map(),
  mentioned: [],
  words: [],
  calls: [],
  answers: [],
  completes: false,
  withdrawn: [],
  told: {},
  isTold: false,
  cancels: false
})

/** Reads a message that is a command, such as `/SetSlots(size=large)`. */
const commanded = (turn: Turn, known: ProjectIndex): void => {
  const [, all] = /^\/SetSlots\(([^()]*)\)$/.exec(turn.user.trim()) ?? []
  if (all === undefined) return
  for (const one of all.split(",")) {
    const [slot = "", value = ""] = one.split("=").map(bare)
    meant("setslot", slot, value, turn.item, turn, known)
    turn.isTold ||= known.asked.has(known.domain.known(slot) ?? "")
  }
}

const stepOf = (step: Item, name: string, turn: Turn, acts: Acts, known: ProjectIndex): void => {
  if (step.get("user") === undefined) return expectation(step, turn, acts, known)
  commanded(turn, known)
  known.report.others(step, `test ${name}`, ["user", "assertions", "assertion_order_enabled", "metadata"])
  for (const assertion of step.each("assertions")) expectation(assertion, turn, acts, known)
}

/** Returns the value of a slot in the test as JSON; undefined if the test gives none. */
const valueOf = (item: Item | undefined): Json | undefined => {
  const value = item?.value
  return value !== null && isJson(value) ? value : undefined
}

const wasSet: Expecting = (item, turn, acts, known) => {
  for (const [title, given] of pairs(item)) {
    const slot = known.domain.known(title)
    if (slot !== undefined) slotWasSet(slot, item, given, turn, acts, known)
    else known.report.add(item, `test: slot_was_set ${title}`, "There is no such slot: leave it out")
  }
}

const slotWasSet = (
  slot: string,
  item: Item,
  given: Item | undefined,
  turn: Turn,
  acts: Acts,
  { actions, asked, domain, ofAgents, report }: ProjectIndex
): void => {
  // A slot that has become empty is nothing that the user said.
  if (given?.value === null) {
    return void turn.expects.push(`talk.expectData(${CodeWriter.record([[slot, "undefined"]])})`)
  }
  const value = valueOf(given)
  if (value !== undefined) {
    const holds = CodeWriter.record([[slot, CodeWriter.value(value)]])
    turn.expects.push(asked.has(slot) ? `took(response, ${holds})` : `talk.expectData(${holds})`)
  }
  const action = actions.find(({ sets }) => sets.includes(slot))
  if (asked.has(slot)) stating(turn, slot, value)
  else if (ofAgents.has(slot)) {
    turn.told[slot] = value ?? exampleIn(domain)(slot)
  } else if (action === undefined) {
    report.add(item, `test: slot_was_set ${slot}`, "No action sets it: check it in the test")
  } else if (value !== undefined) {
    turn.told[slot] = value
    acts.set(action.name, { ...acts.get(action.name), [slot]: value })
  }
}

const stating = (turn: Turn, slot: string, value: Json | undefined): void => {
  if (value === undefined) turn.mentioned.push(slot)
  else turn.fields[slot] = value
}

const uttered = (item: Item, name: string, turn: Turn, { domain, report, says }: ProjectIndex): void => {
  const variations = domain.responses.get(name)?.variations ?? []
  turn.utters.push(name)
  if (!says.has(name)) {
    report.add(item, `test: utter ${name}`, "No imported flow says it, but a pattern of Rasa: check it in the test")
  } else if (variations.length > 0) {
    const { rephrasing } = domain.responses.get(name)!
    const said = rephrasing === undefined ? variations : [rephrasing]
    const reply = `talk.expectReply(${CodeWriter.regExp(said.map(patternOf).join("|"))})`
    turn.replies.set(name, reply)
    turn.expects.push(reply)
  }
}

/** Characters that separate the parts of a command, and that quote its value. */
const separators = new Set(" \t\n,()=\"'")

/** Removes separators from both ends of a text. */
const bare = (text: string): string => {
  let [from, to] = [0, text.length]
  while (from < to && separators.has(text[from]!)) from++
  while (from < to && separators.has(text[to - 1]!)) to--
  return text.slice(from, to)
}

/** Reads a command as a text, such as `SetSlot(amount, 50)` or `start flow transfer`. */
const toldIn = (text: string) => {
  const verb = /^(?:start|set|correct|cancel)[_ ]?(?:flow|slot)/i.exec(text)?.[0]
  if (verb === undefined) return undefined
  const rest = bare(text.slice(verb.length))
  const [name = ""] = /^[^\s,()=]*/.exec(rest) ?? []
  return { kind: verb.replace(/[_ ]/, "").toLowerCase(), name, value: bare(rest.slice(name.length)) }
}

/** Takes the meaning of a message from a command. */
const command = (item: Item, turn: Turn, known: ProjectIndex): void => {
  const told = toldIn(item.text ?? "")
  if (told !== undefined) return meant(told.kind, told.name, told.value, item, turn, known)
  for (const [kind, given] of item.entries) {
    const plain = kind.replaceAll("_", "").toLowerCase()
    if (!plain.endsWith("slot")) meant(plain, given.text ?? "", undefined, given, turn, known)
    else for (const [slot, one] of pairs(given)) meant(plain, slot, one?.text, given, turn, known)
  }
}

const meant = (
  kind: string,
  name: string,
  value: string | undefined,
  item: Item,
  turn: Turn,
  known: ProjectIndex
): void => {
  const { asked, domain } = known
  if (kind === "cancelflow") turn.cancels = true
  if (kind === "startflow") starting(name, item, turn, known)
  const slot = kind.endsWith("slot") ? domain.slots.get(domain.known(name) ?? "") : undefined
  if (slot === undefined || value === undefined) return
  if (!asked.has(slot.name)) turn.answers.push(coerced(value, slot))
  else if (/^(?:none|null|undefined)$/i.test(value)) turn.withdrawn = [...turn.withdrawn, slot.name]
  else turn.fields[slot.name] = coerced(value, slot)
}

/** A message may ask for two flows. */
const starting = (flow: string, item: Item, turn: Turn, { flows, report }: ProjectIndex): void => {
  if (!flows.has(flow)) {
    turn.isTold = false
    return report.add(
      item,
      `test: start_flow ${flow}`,
      "There is no such flow: the message means what the test expects"
    )
  }
  if (turn.flow !== undefined && turn.flow !== flow) turn.then ??= flow
  turn.flow ??= flow
}

const coerced = (value: string, { also, type }: Slot): Json => {
  const types = [type, ...also]
  if (type === "bool" || (types.includes("bool") && /^(true|false)$/i.test(value))) return /^(true|yes)$/i.test(value)
  return types.includes("float") && Number.isFinite(Number(value)) ? Number(value) : value
}

/** Largest number of slots in a response that is looked for in a text, because each of them may be any words. */
const mostSlots = 3

/** Returns the response whose words a text is. */
const saidAs = (text: string, { responses }: Domain): ReadonlyArray<string> =>
  Array.from(responses.values()).flatMap(({ name, variations }) =>
    variations.some((variation) =>
        variation.parts.filter((part) => typeof part !== "string").length <= mostSlots &&
        variation.parts.some((part) => typeof part === "string") &&
        new RegExp(`^(?:${patternOf(variation)})$`).test(text)
      )
      ? [name]
      : []
  ).slice(0, 1)

const flowOf = (item: Item): string | undefined => item.text ?? item.at("flow_id") ?? item.each("flow_ids")[0]?.text

const expectations: ReadonlyMap<string, Expecting> = new Map(Object.entries<Expecting>({
  commands: (item, turn, _, known) => {
    turn.isTold = true
    for (const one of item.items) command(one, turn, known)
  },
  utter: (item, turn, _, known) => uttered(item, item.text ?? "", turn, known),
  bot: (item, turn, _, { domain }) => {
    const text = (item.text ?? "").trim()
    turn.expects.push(isText(text))
    const names = saidAs(text, domain)
    for (const name of names) turn.utters.push(name)
    if (names.length === 0) turn.words.push(isText(text))
  },
  slot_was_set: wasSet,
  slot_was_not_set: (item, turn, _, { asked, domain, report }) => {
    for (const [title, given] of pairs(item)) {
      const slot = domain.known(title)
      if (slot === undefined) continue
      // Rasa looks at what the message set; an earlier value may stay.
      const isStated = given === undefined && asked.has(slot)
      if (isStated) turn.expects.push(`took(response, ${CodeWriter.record([[slot, "undefined"]])})`)
      else if (given === undefined) report.add(item, `test: slot_was_not_set ${title}`, "Check it in the test by hand")
      else report.add(given, `test: slot_was_not_set ${slot} with a value`, "Check it in the test by hand")
    }
  },
  flow_started: (item, turn, _, { flows, report }) => {
    const flow = flowOf(item)
    if (flow !== undefined && flows.has(flow)) turn.flow = flow
    else report.add(item, `test: flow_started ${flow}`, "The flow was not imported: check it in the test")
  },
  flow_completed: (_, turn) => {
    turn.completes = true
    turn.expects.push("talk.expectFlow(undefined)")
  },
  action_executed: (item, turn, _, known) => {
    const name = item.text ?? ""
    if (name.startsWith("utter_") || known.domain.responses.has(name)) return uttered(item, name, turn, known)
    const action = known.actions.find((one) => one.name === name)
    if (action !== undefined) turn.expects.push(`talk.expectTool(${CodeWriter.text(action.tool)})`)
    else known.report.add(item, `test: action_executed ${name}`, "It is no action of a flow: check it in the test")
  },
  bot_uttered: (item, turn, _, known) => {
    known.report.others(item, "test: bot_uttered", ["utter_name", "text_matches"])
    const [name, text] = [item.at("utter_name"), item.at("text_matches")]
    if (name !== undefined) uttered(item, name, turn, known)
    if (text === undefined) return
    turn.expects.push(isText(text.trim()))
    turn.words.push(isText(text.trim()))
  }
}))

const expectation: Expecting = (item, turn, acts, known) => {
  for (const [name, value] of item.entries) {
    const expecting = expectations.get(name)
    if (expecting === undefined) known.report.add(value, `test: ${name}`, "Check it in the test by hand")
    else expecting(value, turn, acts, known)
  }
}
