/**
 * What the checks of a definition share.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { toArray } from "./Callback.js"
import { checkAll, type Fields } from "./Fields.js"
import * as Tool from "./Tool.js"

export type Rec = Record<string, unknown>

/** The records of what should be a list of them; the Schema reports the rest. */
export const records = (u: unknown): ReadonlyArray<Rec> => Array.isArray(u) ? u.filter(Predicate.isRecord) : []
export const strings = (u: unknown): ReadonlyArray<string> => Array.isArray(u) ? u.filter(Predicate.isString) : []

export const duplicates = (ids: ReadonlyArray<string>): ReadonlyArray<number> =>
  ids.flatMap((id, i) => ids.indexOf(id) < i ? [i] : [])

export interface World {
  readonly flows: ReadonlyArray<{ readonly id: string; readonly title: string; readonly steps: ReadonlyArray<string> }>
  readonly agentTools: ReadonlySet<string>
  readonly fields: Fields
  readonly provided: ReadonlySet<string>
  readonly report: (path: string, what: string, why: string, fix: string) => void
}

export const checkFieldNames = ({ fields, report }: World, names: unknown, path: string): void =>
  strings(names).forEach((name, i) => {
    if (!fields.has(name)) {
      report(
        `${path}[${i}]`,
        `unknown field "${name}"`,
        `the data schema has ${Array.from(fields.keys(), (key) => `"${key}"`).join(", ") || "no fields"}`,
        "Correct the name or add the field to the data schema"
      )
    }
  })

export const checkData = ({ fields, report }: World, data: unknown, path: string): void => {
  if (!Predicate.isRecord(data)) return
  for (const { field, message } of checkAll(fields, data)) {
    report(`${path}.${field}`, `initial value of "${field}"`, message, "Give a value that the data schema accepts")
  }
}

export const checkWhen = ({ report }: World, owner: Rec, path: string): void =>
  toArray(owner.when).forEach((when, i) => {
    if (typeof when === "function") {
      report(
        Array.isArray(owner.when) ? `${path}.when[${i}]` : `${path}.when`,
        "a function in when",
        "when is judged by the model and must be words",
        "Move the function to if"
      )
    }
  })

export const checkTools = (world: World, tools: unknown, path: string, alsoTaken: ReadonlyArray<string> = []): void => {
  const list = Array.isArray(tools) ? tools : []
  const ids = [
    ...alsoTaken,
    ...list.map((tool) => typeof tool === "string" ? tool : Predicate.isRecord(tool) ? String(tool.id) : "")
  ]
  for (const i of duplicates(ids)) {
    world.report(
      `${path}[${i - alsoTaken.length}].id`,
      `duplicate tool id "${ids[i]}"`,
      "the model calls a tool by its id",
      "Give one of them its own id"
    )
  }
  list.forEach((tool, i) => {
    if (typeof tool === "string") {
      if (!world.agentTools.has(tool)) {
        world.report(
          `${path}[${i}]`,
          `unknown tool "${tool}"`,
          "a name refers to one of the agent's tools",
          "Add it to the agent's tools or toolkits, or pass the tool itself"
        )
      }
    } else if (!Predicate.isRecord(tool)) {
      world.report(
        `${path}[${i}]`,
        "not a tool",
        "a tool is a literal, a kit.tool or the id of an agent's tool",
        "Pass one of these"
      )
    } else {
      reportSchema(world, Tool.Tool, Tool.optionsOf(tool), `${path}[${i}]`)
    }
  })
}

/** What a part's own Schema says, except where a plainer issue was reported already. */
export const reportSchema = (world: World, schema: Schema.Schema.AnyNoContext, value: unknown, path: string): void => {
  const result = Schema.decodeUnknownEither(schema, { errors: "all" })(value)
  if (Either.isRight(result)) return
  const seen = new Set<string>()
  for (const issue of ParseResult.ArrayFormatter.formatErrorSync(result.left)) {
    const at = [path, ...issue.path.map(String)].join(".")
    if (seen.has(at) || issue.path[0] === "when") continue
    seen.add(at)
    world.report(at, at, issue.message.replace(/\.$/, ""), issue._tag === "Missing" ? "Add it" : "Correct its value")
  }
}
