/** Checks a whole definition and returns all issues together. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { AgentOptions, type ToolkitLike } from "../../authored/AgentOptions.js"
import { isTool } from "../../authored/Tool.js"
import { ConfigurationIssue } from "../../base/error/Errors.js"
import { arrayOf, recordOf } from "../../base/Json.js"
import * as Migrations from "../../code/Migrations.js"
import type { Fields } from "../../fields/Fields.js"
import * as Decode from "../../fields/schema/Decode.js"
import * as Job from "../../job/Job.js"
import * as Compaction from "../../language/Compaction.js"
import * as Defaults from "../Defaults.js"
import type { ErasedAgent } from "../Erase.js"
import * as Erase from "../Erase.js"
import { boundBy } from "../shorthand/CallWays.js"
import { checkAnnotated } from "./CheckChoices.js"
import { checkDependencies, checkRelations } from "./CheckFields.js"
import { checkAutoCycles, checkInitialFlow } from "./CheckFlow.js"
import { checkJobs } from "./CheckJobs.js"
import { checkOptions } from "./CheckOptions.js"
import type { Rec, World } from "./CheckParts.js"
import {
  duplicates,
  entries,
  flowsOf,
  hasJsonSchema,
  noOption,
  records,
  reportDuplicates,
  strings,
  structural
} from "./CheckParts.js"
import { checkPolicies } from "./CheckPolicies.js"
import { checkEvents } from "./CheckTargets.js"
import { checkTool, checkToolIds, checkToolLimits } from "./CheckTools.js"
import * as Misplaced from "./Misplaced.js"

/**
 * Returns the issues of a definition; empty if it can be compiled. `toolkits` are the results of its toolkits' Effects.
 */
export const definition = (
  options: unknown,
  fields: Fields,
  toolkits: ReadonlyArray<unknown>,
  { events, jobs, mistyped = {}, unknown = [] }: Erase.Happening = { events: {}, jobs: [] }
): ReadonlyArray<ConfigurationIssue> => {
  const found: Array<ConfigurationIssue> = []
  const report: World["report"] = (path, what, why, fix) =>
    void found.push(new ConfigurationIssue({ path, what, why, fix }))
  const agent = recordOf(options)
  const flows = flowsOf(agent)
  const toolkitTools = toolkits.filter(isToolkit).flatMap(({ tools }) => Object.keys(tools))
  const world: World = {
    flows,
    agentTools: new Set([...records(agent.tools).map(({ id }) => id).filter(Predicate.isString), ...toolkitTools]),
    fields,
    events: new Set([...Object.keys(events), ...jobs.filter(Job.isJob).flatMap(Job.eventNames)]),
    provided: new Set([
      ...Object.keys(agent.initialData ?? {}),
      ...handlersOf(agent, flows.map(({ written }) => ({ on: written.on, steps: records(written.steps) }))).flatMap((
        handler
      ) => writtenBy(handler, fields)),
      ...flows.flatMap(({ written }) => [
        ...Object.keys(written.initialData ?? {}),
        ...records(written.steps).flatMap((step) => [...strings(step.collect), ...boundBy(step)])
      ])
    ]),
    report
  }
  checkFields(world)
  for (const name of unknown) {
    const { fix, why } = noOption(name, ["data", "context", "events", "jobs"])
    report(`define.${name}`, `${name} of Agent.define`, why, fix)
  }
  for (const [name, value] of Object.entries(mistyped)) {
    report(`define.${name}`, `${name} of Agent.define`, "it is missing or has another type", `Write ${value}`)
  }
  checkEvents(world, events)
  checkJobs(world, jobs, events)
  checkToolkits(world, toolkits)
  checkFlowNames(world)
  checkToolIds(world, agent.tools, "tools", toolkitTools)
  checkToolLimits(world, agent, "", world.agentTools)
  checkPolicies(world, agent, toolkits)
  checkSignalIds(world, agent.signals)
  checkInstructionIds(world, agent)
  checkCompaction(world, agent)
  checkMigrations(world, agent)
  checkOptions(world, AgentOptions.ast, agent, "")
  checkInitialFlow(world, agent.initialFlow)
  checkAutoCycles(world)
  // Toolkits are given as Effects, which have run by now.
  const written = Predicate.hasProperty(options, "toolkits") ? { ...options, toolkits } : options
  return Misplaced.folded(written, [
    ...structural(
      Decode.either(AgentOptions, { errors: "all", onExcessProperty: "error" })(options),
      "definition",
      found
    ),
    ...found
  ])
}

/** The parts of an agent or flow that may have handlers. */
interface Handling {
  readonly on?: unknown
  readonly steps?: ReadonlyArray<{ readonly on?: unknown }>
}

/** The event handlers of the whole definition. */
const handlersOf = (agent: Handling, flows: ReadonlyArray<Handling>): ReadonlyArray<unknown> =>
  [agent, ...flows.flatMap((flow) => [flow, ...(flow.steps ?? [])])]
    .flatMap(({ on }) => Predicate.isRecord(on) ? Object.values(on) : [])

/** The fields that a handler may write: for code, any field. */
const writtenBy = (handler: unknown, fields: Fields): ReadonlyArray<string> =>
  Predicate.isFunction(handler)
    ? Array.from(fields.keys())
    : Predicate.isRecord(handler) && Predicate.isRecord(handler.dataUpdate)
    ? Object.keys(handler.dataUpdate)
    : []

/**
 * Returns the fields of the data that no flow declares: no flow collects, requires or lists them or has initial data
 * for them, and no event handler can write them. No message states them, and no flow clears them when it is entered
 * again, so each deserves a warning.
 */
export const undeclared = (options: ErasedAgent, fields: Fields): ReadonlyArray<string> => {
  const { flows = [], initialData = {} } = options
  const parts = flows.map((written): Handling => ({ on: written.on, steps: written.steps }))
  const declared = new Set([
    ...handlersOf(options, parts).flatMap((handler) => writtenBy(handler, fields)),
    ...Object.keys(initialData),
    ...flows.flatMap((flow) => [
      ...Object.keys(flow.initialData ?? {}),
      ...(flow.requiredFields ?? []),
      ...(flow.optionalFields ?? []),
      ...flow.steps.flatMap((step) => [...(step.collect ?? []), ...(step.requires ?? []), ...boundBy(step)])
    ])
  ])
  return flows.length === 0 ?
    [] :
    Array.from(fields.values()).flatMap(({ extract, name }) => extract === "never" || declared.has(name) ? [] : [name])
}

const isToolkit = (u: unknown): u is ToolkitLike =>
  Predicate.isRecord(u) && Predicate.isRecord(u.tools) && Predicate.isFunction(u.handle)

const checkToolkits = (world: World, toolkits: ReadonlyArray<unknown>): void =>
  toolkits.forEach((toolkit, i) => {
    if (isToolkit(toolkit)) {
      for (const [id, tool] of Object.entries(toolkit.tools)) {
        if (isTool(tool)) checkTool(world, tool, `toolkits[${i}].${id}`)
      }
    } else {
      world.report(
        `toolkits[${i}]`,
        "not a toolkit",
        "it is no Effect of a toolkit's tools and handlers",
        "Pass a Toolkit of @effect/ai"
      )
    }
  })

const checkFlowNames = ({ flows, report }: World): void => {
  const sameTitle = new Set(duplicates(flows.map(({ title }) => title)).filter((i) => flows[i]!.title !== ""))
  for (const i of duplicates(flows.map(({ id }) => id))) {
    const { id, path, title, written } = flows[i]!
    // Two flows with the same title and without ids have the same id. This is one mistake; it is reported below.
    if (id === "" || (sameTitle.has(i) && written.id === undefined)) continue
    report(
      `${path}.id`,
      `duplicate flow id "${id}"`,
      `another flow has the same id (ids default to the slug of the title, here "${title}")`,
      "Give one of them its own id"
    )
  }
  for (const i of sameTitle) {
    report(
      `${flows[i]!.path}.title`,
      `duplicate flow title "${flows[i]!.title}"`,
      "a flow may be referred to by its title",
      "Give one of them another title"
    )
  }
}

/** Checks the fields of the data. A field without a JSON Schema could not be extracted by a model or stored. */
const checkFields = (world: World): void => {
  const { fields, report } = world
  checkDependencies(world)
  for (const field of fields.values()) {
    checkRelations(world, field)
    const { check, dontCare, name, schema } = field
    checkAnnotated(world, field)
    if (name in Object.prototype) {
      report(
        `data.${name}`,
        `field "${name}"`,
        "every object has something of this name",
        "Give the field another name"
      )
    }
    const wrong = dontCare === undefined ? Either.right(undefined) : check(dontCare.value)
    if (Either.isLeft(wrong)) {
      report(
        `data.${name}`,
        `dontCare of field "${name}"`,
        wrong.left,
        "Give a value that the field's own Schema accepts"
      )
    }
    if (!hasJsonSchema(schema)) {
      report(
        `data.${name}`,
        `field "${name}" without a JSON schema`,
        "fields are asked of a model and stored as JSON, and this Schema's encoded side is not JSON",
        "Use a Schema whose encoded side is JSON, for example Schema.Date instead of Schema.DateFromSelf"
      )
    }
  }
}

const checkSignalIds = (world: World, signals: unknown): void => {
  const ids = arrayOf(signals).map((signal) => Predicate.isRecord(signal) ? Erase.signal(signal).id : undefined)
  reportDuplicates(world, ids, (i) => `signals[${i}].id`, "signal", ["the session remembers a signal by its id"])
}

/** The preserved messages must leave room for messages to summarize; otherwise every turn would need a summary. */
const checkCompaction = (
  { report }: World,
  { compaction, historyLimit = Defaults.options.historyLimit }: Rec
): void => {
  if (!Schema.is(Compaction.Options)(compaction) || typeof historyLimit !== "number") return
  const { preserveRecent } = Compaction.resolve(compaction)
  if (preserveRecent > historyLimit / 2) {
    report(
      "compaction.preserveRecent",
      `${preserveRecent} of ${historyLimit} messages`,
      "more than half of historyLimit would never be summarised",
      "Lower it, or raise historyLimit"
    )
  }
}

const checkMigrations = (world: World, { migrations, name }: Rec): void => {
  if (!Schema.is(Migrations.Migrations)(migrations)) return
  for (const { fix, step, why } of Migrations.check(migrations)) {
    world.report(`migrations.steps.${step}`, `migration from version ${step}`, why, fix)
  }
  checkEarlier(world, name, migrations)
}

/** Checks that the earlier definitions belong to the same agent, and that their versions differ. */
const checkEarlier = (
  { report }: World,
  name: unknown,
  { earlier = [], version: latest }: typeof Migrations.Migrations.Type
): void => {
  const versions = earlier.map(recordOf).map(({ migrations }) =>
    Migrations.versionOf(Schema.is(Migrations.Migrations)(migrations) ? migrations : undefined)
  )
  versions.forEach((version, i) => {
    const path = `migrations.earlier[${i}]`
    if (recordOf(earlier[i]).name !== name) {
      report(
        `${path}.name`,
        "name of an earlier definition",
        "its sessions belong to another agent",
        "Give both the same name"
      )
    }
    if (version < latest && versions.indexOf(version) === i) return
    report(
      path,
      `earlier definition of version ${version}`,
      version < latest
        ? "another one has this version too, so a session would not know its own"
        : `it is not older than this definition, which has version ${latest}`,
      "Give each definition a version of its own in its migrations, and this one the highest"
    )
  })
}

const checkInstructionIds = (world: World, agent: Rec): void => {
  const within = (owner: Rec, path: string) =>
    entries(owner.instructions).map(([i, one]) => ({ path: `${path}instructions[${i}]`, id: one.id }))
  const all = [
    ...within(agent, ""),
    ...world.flows.flatMap(({ path, written }) => [
      ...within(written, `${path}.`),
      ...entries(written.steps).flatMap(([s, step]) => within(step, `${path}.steps[${s}].`))
    ])
  ]
  reportDuplicates(world, all.map(({ id }) => id), (i) => `${all[i]!.path}.id`, "instruction", [
    "the response names applied instructions by id"
  ])
}
