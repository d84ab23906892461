/** Imports a Rasa project: its flows as documents, its actions as stubs, its tests, and a report of the rest. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as path from "node:path"
import type { JsonObject } from "../../domain/base/Json.js"
import { write as yaml } from "../../layers/document/Edit.js"
import * as Actions from "./Actions.js"
import * as Condition from "./Condition.js"
import * as Domain from "./Domain.js"
import * as TestCode from "./e2e/TestCode.js"
import * as Tests from "./e2e/Tests.js"
import * as FlowDocuments from "./FlowDocuments.js"
import * as FlowGraph from "./FlowGraph.js"
import * as ImportReport from "./ImportReport.js"
import * as Names from "./Names.js"
import * as Patterns from "./Patterns.js"
import * as Project from "./Project.js"
import * as ReadBack from "./ReadBack.js"
import * as RegistryCode from "./RegistryCode.js"
import * as Speech from "./Speech.js"
import * as SubAgents from "./SubAgents.js"

export interface Imported {
  /** The text of each file, by its name in the new folder. */
  readonly files: ReadonlyMap<string, string>
  readonly notes: ReadonlyArray<ImportReport.Note>
  readonly flows: number
  readonly actions: number
  readonly tests: number
  /** Reads the documents back. Returns the import with what the product refuses in its report. */
  readonly checked: Effect.Effect<Imported>
}

/** The counterparts of Rasa's patterns. */
const patterns: ReadonlyMap<string, string> = new Map(Object.entries({
  pattern_correction: "Corrections are in the runtime: see `onCorrect` of a flow",
  pattern_cancel_flow: "The branch of agent.yaml leaves the flow: what follows from it is `onExit` of a flow",
  pattern_continue_interrupted: "A suspended flow goes on by itself: see `onResume`",
  pattern_completed: "Its words are said when no flow is active; after a flow, they belong to its last reply",
  pattern_clarification: "Ambiguous messages are in the runtime: see `clarify` in the documentation of understanding",
  pattern_cannot_handle: "Write `idle.prompt`",
  pattern_chitchat: "Write `idle.prompt`",
  pattern_search: "Give the agent `knowledge`",
  pattern_human_handoff: "A link to it is the directive { handOff: \"person\" }: see `handOff`",
  pattern_collect_information: "A step that collects asks by itself",
  pattern_skip_question: "Write an instruction, or a branch with `when`",
  pattern_internal_error: "Errors are typed: handle them where the agent is served",
  pattern_user_silence: "Write `after` of a step or a flow",
  pattern_code_change: "A changed definition keeps its sessions"
}))

const begins = "pattern_session_start"

const flowsOf = (project: Project.Project, report: ImportReport.Report) => {
  const flows = new Map<string, FlowGraph.Flow>()
  const own = new Map<string, Project.Item>()
  for (const file of project.files) {
    for (const [id, item] of file.get("flows")?.entries ?? []) {
      if (id.startsWith("pattern_") && id !== begins) {
        report.add(item, `flow ${id}`, patterns.get(id) ?? "It has no counterpart: leave it to the runtime")
        own.set(id, item)
      } else flows.set(report.name(item, "flow", id), { id, item })
    }
  }
  return { flows, own }
}

/** Files without parts of a definition, by file name or top-level key, each with the advice for the report. */
const others: ReadonlyMap<string, string> = new Map(Object.entries({
  nlu: "Messages are understood by a model, by descriptions: keep it for `coxswain eval`",
  stories: "Write a flow",
  rules: "Write a flow",
  pipeline: "Choose a model: see the documentation of models",
  policies: "The runtime decides what comes next",
  action_endpoint: "Actions run in the same process: write the stubs in registry.ts",
  tracker_store: "Choose a SessionStore",
  event_broker: "See `agent.events` and the turn log",
  lock_store: "Choose a SessionStore: it has the locks",
  tracing: "See telemetry in the documentation",
  model_groups: "Choose a model: see the documentation of models",
  mcp_servers: "Give their tools to steps, or call them in stubs: see `Mcp.toolkit`",
  nlg: "Responses are in the documents",
  rest: "Serve the agent: coxswain serve"
}))

const namesAtTop = new Set([
  ...["version", "flows", "slots", "responses", "actions", "intents", "entities", "forms", "session_config"],
  ...["test_cases", "fixtures", "metadata", "e2e_actions"]
])

const noteOthers = (project: Project.Project, report: ImportReport.Report): void => {
  for (const { file, line, why } of project.broken) {
    report.add({ file, line }, why, "Correct the file and import again")
  }
  for (const file of project.files.filter((one) => !SubAgents.isAgent(one))) {
    for (const [name, item] of file.entries) {
      if (!namesAtTop.has(name)) report.add(item, name, others.get(name) ?? "It is not known here, and was left out")
    }
  }
}

interface DrawnFlow {
  readonly flow: FlowGraph.Flow
  readonly graph: FlowGraph.Graph
  readonly first: string
}

const nodesOf = (drawn: ReadonlyArray<DrawnFlow>): ReadonlyArray<FlowGraph.Node> =>
  drawn.flatMap(({ graph }) => [...graph.values()])

/** Returns, for each slot that flows ask for, its description and whether its value is kept after the flow. */
const askedIn = (drawn: ReadonlyArray<DrawnFlow>, domain: Domain.Domain) => {
  const asked = new Map<string, { readonly description: string | undefined; readonly isKept: boolean }>()
  for (const { flow, graph } of drawn) {
    const kept = new Set(FlowGraph.keptIn(flow, domain))
    for (const node of graph.values()) {
      const [slot, { item }] = [FlowGraph.statedSlot(node), node]
      if (slot === undefined) continue
      const { description, isKept = false } = asked.get(slot) ?? {}
      asked.set(slot, {
        description: description ?? item.at("description"),
        isKept: isKept || kept.has(slot) || item.get("reset_after_flow_ends")?.value === false
      })
    }
  }
  return asked
}

/** The responses that refuse a value, and that ask again. */
const refusals = (item: Project.Item, slot: Domain.Slot | undefined): ReadonlyArray<string> => [
  ...[...slot?.rejections ?? [], ...item.each("rejections")].flatMap((one) => one.at("utter") ?? []),
  ...(slot?.refill === undefined ? [] : [slot.refill])
]

/** Returns, for each response, the id of the first flow that says it. */
const saidIn = (drawn: ReadonlyArray<DrawnFlow>, { slots }: Domain.Domain): ReadonlyMap<string, string> => {
  const says = new Map<string, string>()
  for (const { flow, graph } of drawn) {
    for (const node of graph.values()) {
      const { does } = node
      const names = does._tag === "Say" ? does.responses : does._tag === "Agent" ? does.said : does._tag === "Collect"
        ? [...does.said, FlowDocuments.questionOf(node), ...refusals(node.item, slots.get(does.slot))]
        : []
      for (const name of names) if (!says.has(name)) says.set(name, flow.id)
    }
  }
  return says
}

/** Lets slots hold values of the types that the project compares them with, or gives them. */
const widen = (
  drawn: ReadonlyArray<DrawnFlow>,
  domain: Domain.Domain,
  parse: FlowDocuments.ImportedProject["parse"]
): void => {
  const nodes = nodesOf(drawn)
  const conditions = [
    ...drawn.flatMap(({ flow }) => flow.item.get("if") ?? []),
    ...nodes.flatMap(({ next }) => typeof next === "string" ? [] : next.flatMap((way) => way.if ?? [])),
    ...[
      ...nodes.map(({ item }) => item.each("rejections")),
      ...Array.from(domain.slots.values(), (slot) => slot.rejections)
    ]
      .flat().flatMap((one) => one.get("if") ?? [])
  ]
  for (const item of conditions) {
    const parsed = parse(item)
    if (parsed._tag === "Left") continue
    for (const [slot, type] of Condition.mistyped(parsed.right, Domain.typeOf(domain))) {
      domain.widen(slot, type, `it is compared in ${item.file}:${item.line} with ${type}`)
    }
  }
  const given = nodes.flatMap(({ does, item }) => does._tag === "Set" ? does.slots.map((pair) => ({ item, pair })) : [])
  for (const { item, pair: [slot, value] } of given) {
    const type = typesOfValues.get(typeof value)
    const own = Domain.typeOf(domain)(slot)
    if (type !== undefined && own !== type && !(own === "categorical" && type === "text")) {
      domain.widen(slot, type, `${item.file}:${item.line} gives it ${type}`)
    }
  }
}

const typesOfValues: ReadonlyMap<string, Condition.SlotType> = new Map([
  ["string", "text"],
  ["boolean", "bool"],
  ["number", "float"]
])

/** The fields of the import's own that actions need, and the hook that clears them before each message. */
const ownFields = (
  actions: ReadonlyArray<RegistryCode.Action>,
  cleared: ReadonlyArray<string>,
  { domain, says }: Pick<FlowDocuments.ImportedProject, "domain" | "says">
): RegistryCode.Fields & { readonly data: JsonObject; readonly hooks: JsonObject } => {
  const started = domain.own("session_started")
  const checks = actions.some((action) => action.checks !== undefined)
  const starts = actions.some(({ name }) => name === RegistryCode.begins)
  const forgotten = [...cleared, ...(checks ? [says] : [])]
  return {
    says,
    started,
    forgotten,
    data: {
      ...(checks && { [says]: { type: "string", description: "why a value was refused", extract: "never" } }),
      ...(starts && { [started]: { type: "boolean", description: "the conversation has begun", extract: "never" } })
    },
    hooks: starts
      ? { hooks: { beforeRespond: { hook: RegistryCode.begins } } }
      : forgotten.length > 0
      ? { hooks: { beforeRespond: { clear: forgotten } } }
      : {}
  }
}

/** Reports the buttons that no step offers. */
const noteChoices = (
  { responses }: Domain.Domain,
  { choices }: FlowDocuments.NamedCode,
  report: ImportReport.Report
): void => {
  for (const { choices: all, name } of responses.values()) {
    for (const choice of all) {
      if (choices.has(choice)) continue
      report.add(
        choice.item,
        `response ${name}: button ${choice.label}`,
        "No step offers it, and it was left out: a choice of a step gives its field a value"
      )
    }
  }
}

/** Reports the actions of the domain that no flow runs. */
const noteActions = (
  run: ReadonlySet<string>,
  { actions }: Domain.Domain,
  code: FlowDocuments.NamedCode,
  report: ImportReport.Report
): void => {
  for (const [name, item] of actions) {
    if (run.has(name) || code.templates.has(name) || name.startsWith("utter_") || name === RegistryCode.begins) continue
    report.add(
      item,
      `action ${name}: no flow runs it`,
      "Its stub is in registry.ts: call the tool where it is needed, or leave it out"
    )
  }
}

/** Imports the project of a folder. */
export const run = (folder: string): Imported => {
  const project = Project.read(folder)
  const report = new ImportReport.Report()
  noteOthers(project, report)
  const domain = Domain.read(project, report)
  const { flows, own } = flowsOf(project, report)
  const shown = (response: string) => domain.responses.get(response)?.variations.flatMap(Domain.slotsOf) ?? []
  const agents = SubAgents.read(project, report, (agent, at) => domain.flag(`${agent}_done`, at))
  const hasValue = (slot: string, at: Project.Item) => {
    const { title } = domain.slots.get(slot)!
    return /^[\w-]+$/.test(title) ? Project.Item.written(at, `slots.${title} is not null`) : undefined
  }
  const parse = (item: Project.Item) =>
    Condition.parse(item.text ?? "", {
      fieldOf: (slot, isBare) => isBare && domain.known(slot) === undefined ? undefined : domain.fieldOf(slot, item)
    })
  const unknownIf = (item: Project.Item, holds: boolean) =>
    Either.match(parse(item), { onLeft: () => [], onRight: (condition) => Condition.unknownIf(condition, holds) })
  const kept = new Set([...flows.values()].flatMap((flow) => FlowGraph.keptIn(flow, domain)))
  const hasInitial = (slot: string) => {
    const { initial, rejections } = domain.slots.get(slot)!
    return initial !== undefined && rejections.length === 0
  }
  const readBy = (item: Project.Item) =>
    Either.match(parse(item), { onLeft: () => [], onRight: (condition) => Condition.slotsOf(condition) })
  const led = new Set([...flows.values()].flatMap(FlowGraph.leadsTo))
  const isUsed = (flow: FlowGraph.Flow) => !FlowDocuments.isInner(flow) || led.has(flow.id)
  for (const flow of flows.values()) {
    if (!isUsed(flow)) report.add(flow.item, `flow ${flow.id}`, "No flow calls or links it, and it was left out")
  }
  const drawn = [...flows.values()].filter(isUsed).map((flow): DrawnFlow => {
    const { actions, fieldOf, responses } = domain
    const parts = { flows, responses, actions, agents, fieldOf, readBy, report }
    const graph = FlowGraph.build(flow, parts)
    const [entry = FlowGraph.end] = graph.keys()
    FlowGraph.askOnlyForUnknown(graph, hasInitial, report)
    FlowGraph.clearAtEnd(graph, kept)
    const inline = (node: FlowGraph.Node, taken: Set<string>) => {
      const first = FlowGraph.inline(graph, taken, node, parts)
      FlowGraph.askOnlyForUnknown(graph, hasInitial, report)
      FlowGraph.clearAtEnd(graph, kept)
      return first
    }
    return { flow, graph, first: Speech.join(entry, { graph, report, shown, inline, unknownIf, hasValue }) }
  })
  report.check()
  const asked = askedIn(drawn, domain)
  widen(drawn, domain, parse)
  const code: FlowDocuments.NamedCode = {
    templates: new Map(),
    predicates: new Map(),
    setters: new Map(),
    choices: new Set()
  }
  const nodes = nodesOf(drawn)
  const acts = new Set(nodes.flatMap(({ does }) => does._tag === "Act" ? [does.action] : []))
  const ofAgents = new Set(drawn.flatMap(({ graph }) => FlowDocuments.setByAgents(graph)))
  const writing = { domain, flows, agents, acts, report, code, parse, says: domain.own("says") }
  const files = new Map<string, string>()
  const links = new Set(nodes.flatMap(({ does }) => does._tag === "Link" ? [does.flow] : []))
  const names = new Names.Forms(Names.file, flows.keys())
  for (const { first, flow, graph } of drawn) {
    if (FlowDocuments.isInner(flow) && !links.has(flow.id)) {
      report.add(
        flow.item,
        `flow ${flow.id}`,
        "Its steps stand in the flows that call it: there is no flow of this name"
      )
    } else if (graph.size === 0) report.add(flow.item, `flow ${flow.id}: no steps`, "Write its steps")
    else files.set(`flows/${names.of(flow.id)}.yaml`, yaml(FlowDocuments.flowOf(flow, graph, first, writing)))
  }
  const name = path.basename(path.resolve(folder))
  const { data, ...leaving } = Patterns.write(own, domain, report)
  const actions = Actions.of(drawn.map(({ graph }) => graph), writing, new Set(asked.keys()))
  const fields = ownFields(actions, Object.keys(data), writing)
  const agent: JsonObject = {
    coxswain: 1,
    name,
    data: { ...FlowDocuments.fieldsOf(domain, asked, ofAgents), ...data, ...fields.data },
    ...fields.hooks,
    ...leaving,
    ...(flows.has(begins) && { initialFlow: begins })
  }
  files.set("agent.yaml", yaml(agent))
  noteChoices(domain, code, report)
  noteActions(acts, domain, code, report)
  files.set("registry.ts", RegistryCode.write(actions, code, domain, fields))
  const cases = Tests.read(project, {
    domain,
    actions,
    asked: new Set(asked.keys()),
    ofAgents,
    setters: code.setters,
    says: saidIn(drawn, domain),
    flows: new Set(flows.keys()),
    graphs: new Map(drawn.map(({ flow, graph }) => [flow.id, graph])),
    firsts: new Map(drawn.map(({ first, flow }) => [flow.id, first])),
    entered: new Set(drawn.flatMap(({ flow }) => FlowDocuments.isInner(flow) || flow.id === begins ? [] : [flow.id])),
    kept: new Set([...asked].flatMap(([slot, { isKept }]) => isKept ? [slot] : [])),
    parse,
    report
  })
  const tests = TestCode.write(cases)
  if (tests !== undefined) files.set("test/imported.test.ts", tests)
  report.check()
  const written = (refused: ReadonlyArray<ImportReport.Note>): Imported => {
    const notes = [...report.notes, ...refused]
    return {
      files: new Map([...files, ["IMPORT.md", ImportReport.render(name, notes)]]),
      notes,
      flows: [...files.keys()].filter((name) => name.startsWith("flows/")).length,
      actions: actions.length,
      tests: cases.length,
      checked: Effect.map(ReadBack.check(files, actions, code), written)
    }
  }
  return written([])
}
