/** Checks the options of a definition by their kinds, and by the rules of the structs that they are in. */
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { Signal } from "../../authored/Signal.js"
import { isTool } from "../../authored/Tool.js"
import { recordOf } from "../../base/Json.js"
import * as OptionForm from "../../code/OptionForm.js"
import * as SourceText from "../../code/SourceText.js"
import * as Erase from "../Erase.js"
import { checkBranches, checkFlow, checkStep } from "./CheckFlow.js"
import type { FlowPart, Rec, World } from "./CheckParts.js"
import {
  checkData,
  checkDuration,
  checkFieldNames,
  checkLocales,
  checkPredicates,
  checkWhen,
  hasJsonSchema,
  passSchema,
  reportSchema
} from "./CheckParts.js"
import { checkAfter, checkHandlers, checkThen } from "./CheckTargets.js"
import { checkToolRef } from "./CheckTools.js"

/** Checks a value; `flow` is the flow that it is in. */
type Check = (world: World, value: unknown, path: string, flow: FlowPart | undefined) => void

const checkSignal: Check = (world, given, path) => {
  if (isTool(given)) return world.report(path, "not a signal", "it is a tool", "Write it among the tools")
  if (!Predicate.isRecord(given)) {
    return world.report(path, "not a signal", "a signal is a literal or a kit.signal", "Pass one of these")
  }
  const signal = Erase.signal(given)
  const found: Array<string> = []
  const report: World["report"] = (at, ...told) => {
    found.push(at)
    world.report(at, ...told)
  }
  checkOptions({ ...world, report }, Signal.ast, signal, path)
  reportSchema(world, Signal, signal, path, "signals", found)
  if (signal.behavior === "cooldown" && signal.cooldown === undefined) {
    const why = "behavior is \"cooldown\" but no time is given"
    const fix = "Add cooldown, for example \"10 minutes\""
    world.report(`${path}.cooldown`, `signal "${String(signal.id)}" without cooldown`, why, fix)
  }
}

const checkExtract: Check = (world, schema, path) => {
  if (!Schema.isSchema(schema)) {
    world.report(path, "not a Schema", "extract says what to read from the message", passSchema)
  } else if (!hasJsonSchema(schema)) {
    world.report(
      path,
      "extract without a JSON schema",
      "the model is told what to read as JSON schema, and this Schema has none",
      "Use a Schema whose encoded side is JSON"
    )
  }
}

const isZero = (u: unknown): boolean => Option.exists(Duration.decodeUnknown(u), Duration.isZero)

const byKind: { readonly [K in OptionForm.Kind]?: Check } = {
  after: checkAfter,
  data: checkData,
  duration: checkDuration,
  durationOrZero: (world, value, path) => isZero(value) ? undefined : checkDuration(world, value, path),
  fields: checkFieldNames,
  handlers: checkHandlers,
  // A hook of a document may be a directive.
  hook: (world, value, path, flow) =>
    Predicate.isFunction(value) ? checkThen(world, flow, SourceText.constantOf(value), path) : undefined,
  predicate: checkPredicates,
  predicates: checkPredicates,
  schema: checkExtract,
  signal: checkSignal,
  target: (world, value, path, flow) => checkThen(world, flow, value, path),
  texts: checkLocales,
  tool: checkToolRef,
  toolOfAgent: checkToolRef,
  when: checkWhen
}

/** The checks of a whole struct. */
const byName: Readonly<Record<string, (world: World, value: Rec, path: string, flow: FlowPart | undefined) => void>> = {
  Agent: (world, agent) => checkBranches(world, agent.branches, "branches", "agent"),
  Flow: checkFlow,
  Step: checkStep
}

/** Checks an option and all options inside. Values of a wrong type are left to the Schema. */
export const checkOptions = (
  world: World,
  ast: AST.AST,
  value: unknown,
  path: string,
  flow?: FlowPart
): void => {
  if (value === undefined) return
  const { kind, structure } = OptionForm.formOf(ast)
  if (kind !== undefined) byKind[kind]?.(world, value, path, flow)
  if (structure._tag === "Options") {
    if (Predicate.isRecord(value)) checkStruct(world, structure, value, path, flow)
    return
  }
  for (const one of OptionForm.inside(structure, value, path)) checkOptions(world, one.ast, one.value, one.path, flow)
}

/** True for a list of flows or steps. */
const isPart = (ast: AST.AST): boolean => {
  const { structure } = OptionForm.formOf(ast)
  const item = structure._tag === "List" ? OptionForm.formOf(structure.item).structure : structure
  return item._tag === "Options" && Object.hasOwn(byName, item.name)
}

const checkStruct = (
  world: World,
  { name, options, rules }: OptionForm.Options,
  struct: Rec,
  path: string,
  around: FlowPart | undefined
): void => {
  const flow = name === "Flow" ? world.flows.find((one) => one.path === path) : around
  byName[name]?.(world, struct, path, flow)
  for (const rule of rules) checkRule(world, rule, struct, path)
  checkTwice(world, options, struct, path, name.toLowerCase())
  // The parts of a struct that have a check of their own come after its options.
  for (const { ast, name } of Arr.partition(options, ({ ast }) => isPart(ast)).flat()) {
    checkOptions(world, ast, struct[name], OptionForm.at(path, name), flow)
  }
}

/** Reports hooks that a part and its `hooks` both have. */
const checkTwice = (
  { report }: World,
  options: OptionForm.Options["options"],
  struct: Rec,
  path: string,
  part: string
): void => {
  const hooks = recordOf(struct.hooks)
  for (const { name } of options) {
    if (struct[name] === undefined || hooks[name] === undefined) continue
    report(
      OptionForm.at(path, name),
      `${name} given twice`,
      `the ${part} and its hooks both have it`,
      "Keep one of them"
    )
  }
}

/** True for an option that has a value; hooks of a struct may also stand in its `hooks`. */
const isGiven = (struct: Rec, name: string): boolean => (struct[name] ?? recordOf(struct.hooks)[name]) !== undefined

const isFilled = (struct: Rec, name: string): boolean =>
  isGiven(struct, name) && !(Array.isArray(struct[name]) && struct[name].length === 0)

const checkRule = (
  { report }: World,
  { fix, isNeed, options, others, value, what, why }: OptionForm.Rule,
  struct: Rec,
  path: string
): void => {
  const isKept = isNeed
    ? others.some((name) => isFilled(struct, name) && (value === undefined || struct[name] === value))
    : !others.some((name) => isGiven(struct, name) && struct[name] !== false)
  if (isKept) return
  for (const name of options.filter((name) => isGiven(struct, name))) {
    report(OptionForm.at(path, name), `${name} ${what}`, why, fix)
  }
}
