/**
 * Everything that can be wrong with a definition, found at once.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { AgentOptions } from "./AgentOptions.js"
import { checkAutoCycles, checkFlow } from "./CheckFlow.js"
import type { Rec, World } from "./CheckParts.js"
import { checkData, checkTools, checkWhen, duplicates, records, reportSchema, strings } from "./CheckParts.js"
import { flowId, stepId } from "./Definition.js"
import { ConfigurationIssue } from "./Errors.js"
import type { Fields } from "./Fields.js"
import * as Migrations from "./Migrations.js"
import * as Signal from "./Signal.js"

/**
 * The problems of a definition. Empty when it may be compiled.
 *
 * @since 0.1.0
 * @category validation
 */
export const definition = (
  options: unknown,
  fields: Fields,
  toolkitTools: ReadonlyArray<string>
): ReadonlyArray<ConfigurationIssue> => {
  const found: Array<ConfigurationIssue> = []
  const report: World["report"] = (path, what, why, fix) =>
    void found.push(new ConfigurationIssue({ path, what, why, fix }))
  const agent = Predicate.isRecord(options) ? options : {}
  const flows = records(agent.flows)
  const world: World = {
    flows: flows.map((flow) => ({
      id: flowId(flow),
      title: String(flow.title ?? ""),
      steps: records(flow.steps).map(stepId)
    })),
    agentTools: new Set([...records(agent.tools).map((tool) => String(tool.id)), ...toolkitTools]),
    fields,
    provided: new Set([
      ...Object.keys(agent.initialData ?? {}),
      ...flows.flatMap((flow) => [
        ...Object.keys(flow.initialData ?? {}),
        ...records(flow.steps).flatMap((step) => strings(step.collect))
      ])
    ]),
    report
  }
  checkFlowNames(world)
  checkTools(world, agent.tools, "tools", toolkitTools)
  checkSignals(world, agent.signals)
  checkInstructionIds(world, agent, flows)
  checkData(world, agent.initialData, "initialData")
  checkTimeouts(world, agent.timeouts)
  checkMigrations(world, agent.migrations)
  flows.forEach((flow, i) => checkFlow(world, flow, `flows[${i}]`))
  checkAutoCycles(world, flows)
  const known = new Set(found.map(({ path }) => path))
  return [...structural(options).filter(({ path }) => !known.has(path)), ...found]
}

/** What the Schema of the options says, one issue a path. */
const structural = (options: unknown): ReadonlyArray<ConfigurationIssue> => {
  const result = Schema.decodeUnknownEither(AgentOptions, { errors: "all", onExcessProperty: "error" })(options)
  if (Either.isRight(result)) return []
  const byPath = new Map<string, ConfigurationIssue>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(result.left)) {
    const path = issue.path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("").replace(
      /^\./,
      ""
    )
    if (byPath.has(path)) continue
    byPath.set(
      path,
      new ConfigurationIssue({
        path,
        what: path === "" ? "definition" : path,
        why: issue.message.replace(/\.$/, ""),
        fix: issue._tag === "Unexpected"
          ? "Remove it or correct its name"
          : issue._tag === "Missing"
          ? "Add it"
          : "Correct its value"
      })
    )
  }
  return Array.from(byPath.values())
}

const checkFlowNames = ({ flows, report }: World): void => {
  for (const i of duplicates(flows.map(({ id }) => id))) {
    report(
      `flows[${i}].id`,
      `duplicate flow id "${flows[i]!.id}"`,
      "another flow has the same id (ids default to the slug of the title)",
      "Give one of them its own id"
    )
  }
  for (const i of duplicates(flows.map(({ title }) => title))) {
    report(
      `flows[${i}].title`,
      `duplicate flow title "${flows[i]!.title}"`,
      "a flow may be referred to by its title",
      "Give one of them another title"
    )
  }
}

const checkSignals = (world: World, signals: unknown): void => {
  const list = records(signals)
  const all = list.map(Signal.optionsOf).filter(Predicate.isRecord)
  for (const i of duplicates(all.map(({ id }) => String(id)))) {
    world.report(
      `signals[${i}].id`,
      `duplicate signal id "${String(all[i]!.id)}"`,
      "the session remembers a signal by its id",
      "Give one of them its own id"
    )
  }
  all.forEach((signal, i) => {
    const path = `signals[${i}]`
    checkWhen(world, signal, path)
    reportSchema(world, Signal.Signal, signal, path)
    if (signal.behavior === "cooldown" && signal.cooldown === undefined) {
      world.report(
        `${path}.cooldown`,
        `signal "${String(signal.id)}" without cooldown`,
        "behavior is \"cooldown\" but no time is given",
        "Add cooldown, for example \"10 minutes\""
      )
    }
    checkDuration(world, signal.cooldown, `${path}.cooldown`)
  })
}

const checkDuration = ({ report }: World, value: unknown, path: string): void => {
  if (value === undefined) return
  const duration = Duration.decodeUnknown(value)
  if (Option.isNone(duration) || Duration.lessThanOrEqualTo(duration.value, Duration.zero)) {
    report(path, "not a positive duration", `got ${JSON.stringify(value)}`, "Give a duration such as \"30 seconds\"")
  }
}

const checkTimeouts = (world: World, timeouts: unknown): void => {
  if (!Predicate.isRecord(timeouts)) return
  for (const [name, value] of Object.entries(timeouts)) checkDuration(world, value, `timeouts.${name}`)
}

const checkMigrations = ({ report }: World, migrations: unknown): void => {
  if (!Schema.is(Migrations.Migrations)(migrations)) return
  for (const { fix, step, why } of Migrations.check(migrations)) {
    report(`migrations.steps.${step}`, `migration from version ${step}`, why, fix)
  }
}

const checkInstructionIds = ({ report }: World, agent: Rec, flows: ReadonlyArray<Rec>): void => {
  const all = [
    ...records(agent.instructions).map((one, i) => [`instructions[${i}]`, one] as const),
    ...flows.flatMap((flow, f) => [
      ...records(flow.instructions).map((one, i) => [`flows[${f}].instructions[${i}]`, one] as const),
      ...records(flow.steps).flatMap((step, s) =>
        records(step.instructions).map((one, i) => [`flows[${f}].steps[${s}].instructions[${i}]`, one] as const)
      )
    ])
  ].filter(([, one]) => one.id !== undefined)
  for (const i of duplicates(all.map(([, one]) => String(one.id)))) {
    const [path, one] = all[i]!
    report(
      `${path}.id`,
      `duplicate instruction id "${String(one.id)}"`,
      "the response names applied instructions by id",
      "Give one of them its own id"
    )
  }
}
