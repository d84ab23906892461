/** The form of an option, read from its Schema. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { AgentOptions } from "../../../src/domain/authored/AgentOptions.js"
import { Flow } from "../../../src/domain/authored/Flow.js"
import { DurationSchema, PredicateSchema, WhenSchema } from "../../../src/domain/code/Code.js"
import * as OptionForm from "../../../src/domain/code/OptionForm.js"

/** The kind and the structure of an option of a struct. */
const formOf = (options: Schema.Struct.Fields) => {
  const { structure } = OptionForm.formOf(Schema.Struct(options).ast)
  if (structure._tag !== "Options") return structure._tag
  return structure.options.map(({ ast, isRequired, name }) => {
    const { kind, structure: { _tag } } = OptionForm.formOf(ast)
    return [name, isRequired, kind, _tag]
  })
}

/** The names of the options in a form, each with its kind. */
const kindsIn = (form: OptionForm.Form, seen = new Set<string>(), path = ""): ReadonlySet<string> => {
  const { kind, structure } = form
  if (kind !== undefined) seen.add(`${path} ${kind}`)
  if (structure._tag === "Options") {
    for (const { ast, name } of structure.options) kindsIn(OptionForm.formOf(ast), seen, `${structure.name}.${name}`)
  }
  if (structure._tag === "List") kindsIn(OptionForm.formOf(structure.item), seen, path)
  if (structure._tag === "Record") kindsIn(OptionForm.formOf(structure.value), seen, path)
  if (structure._tag === "Either") { for (const one of structure.members) kindsIn(OptionForm.formOf(one), seen, path) }
  return seen
}

describe("the form of an option", () => {
  it("has the kind of its Schema, whether or not the option is required or refined", () =>
    expect(formOf({
      until: Schema.optional(PredicateSchema),
      when: WhenSchema,
      filled: OptionForm.of("guardrail")(Schema.Struct({ until: PredicateSchema }).pipe(Schema.filter(() => true)))
    })).toEqual([
      ["until", false, "predicate", "Plain"],
      ["when", true, "when", "Plain"],
      ["filled", true, "guardrail", "Options"]
    ]))

  it("is plain without a kind inside, however deep it is", () => {
    const inside = (leaf: Schema.Schema.AnyNoContext) =>
      formOf({
        a: Schema.optional(Schema.Array(Schema.Struct({ b: Schema.Record({ key: Schema.String, value: leaf }) })))
      })
    expect(inside(Schema.String)).toBe("Plain")
    expect(inside(PredicateSchema)).toEqual([["a", false, undefined, "List"]])
  })

  it("keeps the identifier of a Schema that gets a kind", () => {
    const named = Schema.Struct({ a: Schema.String }).annotations({ identifier: "Named" })
    expect(String(OptionForm.of("value")(named))).toBe("Named")
  })

  it("has the default of an option, whatever its kind", () => {
    const options = Schema.Struct({
      span: OptionForm.defaulted(DurationSchema, "5 minutes"),
      flag: OptionForm.defaulted(Schema.Boolean, false),
      count: OptionForm.defaulted(Schema.Int.pipe(Schema.positive()), 3),
      choice: OptionForm.defaulted(Schema.Literal("a", "b"), "b"),
      name: Schema.String,
      none: Schema.optional(Schema.Union(Schema.String, Schema.Number))
    })
    const defaults: {
      readonly flag: boolean
      readonly count: number
      readonly choice: "a" | "b"
      readonly span: unknown
    } = OptionForm.defaultsOf(options)
    expect(defaults).toEqual({ span: "5 minutes", flag: false, count: 3, choice: "b" })
    expect(formOf(options.fields)).toContainEqual(["span", false, "duration", "Plain"])
    // What is decoded stays as it was written.
    expect(Schema.decodeUnknownSync(options)({ name: "x" })).toEqual({ name: "x" })
    expect(() => Schema.decodeUnknownSync(options)({ name: "x", count: 0 })).toThrow("positive")
    expect(OptionForm.defaultsOf(Schema.Struct({ name: Schema.String }))).toEqual({})
  })

  it("of an agent has the defaults of the agent's parts", () => {
    expect(OptionForm.defaultsOf(AgentOptions)).toMatchObject({ flowThreshold: 40, speculate: false, tools: [] })
    expect(OptionForm.defaultsOf(AgentOptions.fields.timeouts.from)).toMatchObject({ lock: "1 minute" })
    expect(OptionForm.defaultsOf(Flow)).toEqual({ reentrant: false, onInterrupt: "suspend" })
  })

  it("of an agent reaches the options of flows, steps and branches", () => {
    const found = kindsIn(OptionForm.formOf(AgentOptions.ast))
    for (
      const one of [
        "Agent.persona text",
        "Flow.requiredFields fields",
        "Step.until predicate",
        "Step.collect fields",
        "StepHooks.finalize hook",
        "ResultBranch.if resultPredicates",
        "Branch.then target",
        "Instruction.when when",
        "Guardrails.input guardrail",
        "Guardrail.timeout duration",
        "Timeouts.lock durationOrZero",
        "Migrations.steps value"
      ]
    ) expect(found).toContain(one)
  })
})
