/** Writes end-to-end tests of Rasa as tests whose understanding is scripted. */
import { isJson, type Json } from "../../domain/base/Json.js"
import * as Code from "../CodeWriter.js"
import { type Domain, exampleOf, type Variation } from "./Domain.js"
import type { Report } from "./ImportReport.js"
import type { Item, Project } from "./Project.js"
import type { Action } from "./RegistryCode.js"

/** A message of a test: its meaning, and the expectations after it. */
interface Turn {
  readonly user: string
  flow?: string | undefined
  readonly fields: Record<string, Json>
  readonly expects: Array<string>
  readonly utters: Array<string>
}

interface ProjectIndex {
  readonly domain: Domain
  readonly actions: ReadonlyArray<Action>
  /** The slots that flows ask for. */
  readonly asked: ReadonlySet<string>
  /** For each response, the id of the first flow that says it. */
  readonly says: ReadonlyMap<string, string>
  readonly flows: ReadonlySet<string>
  readonly report: Report
}

interface Case {
  readonly name: string
  readonly turns: ReadonlyArray<Turn>
  /** The slots that have a value before the first message. */
  readonly before: Readonly<Record<string, Json>>
  /** Values that actions set, by action. */
  readonly acts: ReadonlyMap<string, Record<string, Json>>
}

const pattern = (text: string): string =>
  text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+")).join(
    "[\\s\\S]*"
  )

const isText = (text: string): string => `talk.expectReply(${Code.regExp(pattern(text))})`

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
    if (user !== undefined) turns.push({ user, fields: turns.length === 0 ? stated : {}, expects: [], utters: [] })
    const turn = turns.at(-1)
    if (turn === undefined) {
      report.add(step, `test ${name}: a step before the user speaks`, "Begin the conversation in the test")
    } else stepOf(step, name, turn, acts, known)
  }
  const [first] = turns
  if (first !== undefined && entered(first, known) === undefined) {
    report.add(item, `test ${name}: which flow begins`, "Say in the test what the message means")
  }
  return { name, turns, before, acts }
}

const stepOf = (step: Item, name: string, turn: Turn, acts: Acts, known: ProjectIndex): void => {
  if (step.get("user") === undefined) return expectation(step, turn, acts, known)
  known.report.others(step, `test ${name}`, ["user", "assertions", "assertion_order_enabled", "metadata"])
  for (const assertion of step.each("assertions")) expectation(assertion, turn, acts, known)
}

/**
 * Returns the flow that the first message enters: the flow that says the first of the expected responses which any flow
 * says.
 */
const entered = (first: Turn, { says }: ProjectIndex): string | undefined => {
  first.flow ??= first.utters.map((utter) => says.get(utter)).find((flow) => flow !== undefined)
  return first.flow
}

/** Returns the value of a slot in the test as JSON; undefined if the test gives none. */
const valueOf = (item: Item | undefined): Json | undefined => {
  const value = item?.value
  return value !== null && isJson(value) ? value : undefined
}

const wasSet: Expecting = (item, turn, acts, { actions, asked, domain, report }) => {
  for (const [title, given] of pairs(item)) {
    const [value, slot] = [valueOf(given), domain.known(title)]
    if (slot === undefined) {
      report.add(item, `test: slot_was_set ${title}`, "There is no such slot: leave it out")
      continue
    }
    if (value !== undefined) {
      const holds = Code.record([[slot, Code.value(value)]])
      turn.expects.push(asked.has(slot) ? `took(response, ${holds})` : `talk.expectData(${holds})`)
    }
    const declared = domain.slots.get(slot)
    const action = actions.find(({ sets }) => sets.includes(slot))
    if (asked.has(slot)) turn.fields[slot] = value ?? (declared === undefined ? "something" : exampleOf(declared))
    else if (action === undefined) {
      report.add(item, `test: slot_was_set ${slot}`, "No action sets it: check it in the test")
    } else if (value !== undefined) acts.set(action.name, { ...acts.get(action.name), [slot]: value })
  }
}

const uttered = (name: string, turn: Turn, { domain }: ProjectIndex): void => {
  const variations = domain.responses.get(name)?.variations ?? []
  turn.utters.push(name)
  if (variations.length > 0) {
    turn.expects.push(`talk.expectReply(${Code.regExp(variations.map(patternOf).join("|"))})`)
  }
}

const flowOf = (item: Item): string | undefined => item.text ?? item.at("flow_id") ?? item.each("flow_ids")[0]?.text

const expectations: ReadonlyMap<string, Expecting> = new Map(Object.entries<Expecting>({
  utter: (item, turn, _, known) => uttered(item.text ?? "", turn, known),
  bot: (item, turn) => void turn.expects.push(isText((item.text ?? "").trim())),
  slot_was_set: wasSet,
  slot_was_not_set: (item, turn, _, { domain, report }) => {
    for (const [title, given] of pairs(item)) {
      const slot = domain.known(title)
      if (slot === undefined) continue
      if (given === undefined) turn.expects.push(`talk.expectData(${Code.record([[slot, "undefined"]])})`)
      else report.add(given, `test: slot_was_not_set ${slot} with a value`, "Check it in the test by hand")
    }
  },
  flow_started: (item, turn, _, { flows, report }) => {
    const flow = flowOf(item)
    if (flow !== undefined && flows.has(flow)) turn.flow = flow
    else report.add(item, `test: flow_started ${flow}`, "The flow was not imported: check it in the test")
  },
  flow_completed: (_, turn) => void turn.expects.push("talk.expectFlow(undefined)"),
  action_executed: (item, turn, _, known) => {
    const name = item.text ?? ""
    if (known.domain.responses.has(name)) return uttered(name, turn, known)
    const action = known.actions.find((one) => one.name === name)
    if (action !== undefined) turn.expects.push(`talk.expectTool(${Code.text(action.tool)})`)
    else known.report.add(item, `test: action_executed ${name}`, "It is no action of a flow: check it in the test")
  },
  bot_uttered: (item, turn, _, known) => {
    known.report.others(item, "test: bot_uttered", ["utter_name", "text_matches"])
    const [name, text] = [item.at("utter_name"), item.at("text_matches")]
    if (name !== undefined) uttered(name, turn, known)
    if (text !== undefined) turn.expects.push(isText(text.trim()))
  }
}))

const expectation: Expecting = (item, turn, acts, known) => {
  for (const [name, value] of item.entries) {
    const expecting = expectations.get(name)
    if (expecting === undefined) known.report.add(value, `test: ${name}`, "Check it in the test by hand")
    else expecting(value, turn, acts, known)
  }
}

const meaningOf = ({ fields, flow }: Turn): string =>
  Code.value({ ...(flow !== undefined && { flow }), ...(Object.keys(fields).length > 0 && { fields }) })

const testOf = ({ acts, before, name, turns }: Case): string => {
  const actions = Code.record(
    Array.from(acts, ([action, sets]) => [action, `() => Effect.succeed(${Code.value(sets)})`] as const)
  )
  return [
    "test(",
    `  ${Code.text(name)},`,
    `  run(${actions}, ${Code.value(before)}, [`,
    turns.map((turn) =>
      `    { user: ${Code.text(turn.user)}, means: ${meaningOf(turn)}, expect: (talk, response) => [${
        turn.expects.map((one) => `\n      ${one}`).join(",")
      }${turn.expects.length === 0 ? "" : "\n    "}] }`
    ).join(",\n"),
    "  ])",
    ")"
  ].join("\n")
}

/** Writes the tests as a file; undefined if there are none. */
export const write = (cases: ReadonlyArray<Case>): string | undefined =>
  cases.length === 0 ? undefined : [
    "/** The end-to-end tests of the project that was imported. What each message means stands beside it. */",
    `import { NodeContext } from "@effect/platform-node"`,
    `import { SessionStore } from "coxswain"`,
    `import * as Document from "coxswain/layers/document"`,
    `import { Conversation, ScriptedModel } from "coxswain/testing"`,
    `import { Effect } from "effect"`,
    `import assert from "node:assert/strict"`,
    `import { test } from "node:test"`,
    `import { fileURLToPath } from "node:url"`,
    `import { type Actions, registryOf, stubs } from "../registry.js"`,
    "",
    "const { sayTask, understand } = ScriptedModel",
    "",
    "type Talk = Effect.Effect.Success<ReturnType<typeof begin>>",
    `type Response = Effect.Effect.Success<ReturnType<Talk["user"]>>`,
    "",
    "interface Turn {",
    "  readonly user: string",
    "  readonly means: Parameters<typeof understand>[0]",
    "  readonly expect: (",
    "    talk: Talk,",
    "    response: Response",
    "  ) => ReadonlyArray<Effect.Effect<unknown, Conversation.ExpectationFailed>>",
    "}",
    "",
    "/** Begins a conversation in which code has written values before the first message. */",
    "const begin = (actions: Partial<Actions>, before: Readonly<Record<string, unknown>>) =>",
    "  Effect.gen(function*() {",
    `    const source = yield* Document.read(fileURLToPath(new URL("..", import.meta.url)))`,
    "    const agent = yield* Document.agent(source, registryOf({ ...stubs, ...actions }))",
    "    const talk = yield* Conversation.make(agent)",
    "    if (Object.keys(before).length > 0) yield* agent.dispatch(talk.sessionId, { dataUpdate: before })",
    "    return talk",
    "  })",
    "",
    "/** The message stated these values. */",
    "const took = ({ collected }: Response, values: Readonly<Record<string, unknown>>) =>",
    "  Effect.sync(() => {",
    "    for (const [field, value] of Object.entries(values)) assert.deepEqual(collected[field], value, field)",
    "  })",
    "",
    "/** Plays a conversation; the model says what it is told to say. */",
    "const run = (",
    "  actions: Partial<Actions>,",
    "  before: Readonly<Record<string, unknown>>,",
    "  turns: ReadonlyArray<Turn>",
    ") =>",
    "() => {",
    "  let at = 0",
    "  const model = ScriptedModel.layer((question) =>",
    `    question._tag === "Understand" ? understand(turns[at]!.means) : sayTask`,
    "  )",
    "  return Effect.runPromise(",
    "    Effect.gen(function*() {",
    "      const talk = yield* begin(actions, before)",
    "      for (const [i, turn] of turns.entries()) {",
    "        at = i",
    "        const response = yield* talk.user(turn.user)",
    "        for (const expected of turn.expect(talk, response)) yield* expected",
    "      }",
    "    }).pipe(Effect.provide([model, SessionStore.layerMemory, NodeContext.layer]))",
    "  )",
    "}",
    "",
    cases.map(testOf).join("\n\n"),
    ""
  ].join("\n")
