/** Writes the code that the documents of an import name: one stub for each action, texts and conditions in code. */
import * as Code from "../CodeWriter.js"
import type { SlotType } from "./Condition.js"
import type { Domain, Response, Slot, Variation } from "./Domain.js"
import type { NamedCode, Template } from "./FlowDocuments.js"

/** An action, with the slots that it reads and sets. */
export interface Action {
  readonly name: string
  /** The id of its tool. */
  readonly tool: string
  readonly reads: ReadonlyArray<string>
  readonly sets: ReadonlyArray<string>
}

const schemas: { readonly [T in SlotType]: string } = {
  text: "Schema.String",
  bool: "Schema.Boolean",
  categorical: "Schema.String",
  float: "Schema.Number",
  list: "Schema.Array(Schema.Unknown)",
  any: "Schema.Unknown"
}

const schemaOf = (slot: Slot | undefined): string => {
  if (slot === undefined) return schemas.any
  if (slot.also.length > 0) return `Schema.Union(${[slot.type, ...slot.also].map((type) => schemas[type]).join(", ")})`
  return slot.type === "categorical" && slot.values.some((value) => typeof value !== "string")
    ? schemas.any
    : schemas[slot.type]
}

const struct = (slots: ReadonlyArray<string>, domain: Domain): string =>
  Code.record(
    slots.map((slot) => [slot, `Schema.optional(${schemaOf(domain.slots.get(slot))})`] as const)
  )

/** Writes a text of Rasa as a template literal. */
const literal = ({ parts }: Variation): string =>
  Code.template(
    parts.map((part) => typeof part === "string" ? part : { source: `shown(${Code.member("data", part.slot)})` })
  )

const chosen = ({ name, variations }: Response): string => {
  const [last, ...before] = [...variations].filter(({ when }) => when.length === 0)
  const conditional = variations.filter(({ when }) => when.length > 0)
  const ways = conditional.map((variation) =>
    `${variation.when.map(([slot, value]) => `${Code.member("data", slot)} === ${Code.value(value)}`).join(" && ")} ? ${
      literal(variation)
    } : `
  )
  const others = before.map(({ parts }) =>
    `  ${
      Code.comment(
        `Another variation: ${parts.map((part) => typeof part === "string" ? part : `{${part.slot}}`).join("")}`
      )
    }\n`
  )
  return `${others.join("")}  ${Code.key(name)}: (data: Data): string => ${ways.join("")}${
    last === undefined ? "\"\"" : literal(last)
  }`
}

const templateOf = ({ asked, said, what }: Template): string => {
  const one = (name: string) => `${Code.member("responses", name)}(data)`
  const texts = said.length === 1 ? one(said[0]!) : `[${said.map(one).join(", ")}].join("\\n\\n")`
  if (asked === undefined && what === undefined) return texts
  const first = said.length === 0 ? ["A"] : ["Say first: \"", { source: texts }, "\" Then a"]
  return Code.template([
    ...first,
    ...(asked === undefined ? [`sk for ${what}`] : ["sk: \"", { source: one(asked) }, "\""])
  ])
}

const block = (name: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `    ${name}: {\n${lines.map((line) => `      ${line}`).join(",\n")}\n    }`

/** Writes registry.ts. */
export const write = (actions: ReadonlyArray<Action>, code: NamedCode, domain: Domain): string => {
  const used = new Set(
    [...code.templates.values()].flatMap(({ asked, said }) => [...said, ...(asked === undefined ? [] : [asked])])
  )
  const responses = [...used].flatMap((name) => domain.responses.get(name) ?? [])
  const parts = [
    block(
      "tools",
      actions.map(({ name, tool }) =>
        `${Code.key(name)}: toolOf(${Code.text(tool)}, ${Code.member("slots", name)}, ${Code.member("actions", name)})`
      )
    ),
    block(
      "templates",
      Array.from(code.templates, ([name, parts]) => `${Code.key(name)}: ({ data }) => ${templateOf(parts)}`)
    ),
    block(
      "predicates",
      Array.from(
        code.predicates,
        ([name, source]) =>
          source.includes("data")
            ? `${Code.key(name)}: (ctx) => {\n        const data: Data = ctx.data\n        return ${source}\n      }`
            : `${Code.key(name)}: () => ${source}`
      )
    )
  ].filter((part) => part !== "")
  return [
    "/** The code that the documents beside this file name. Each action is a stub: write it. */",
    `import { Agent } from "coxswain"`,
    `import { Effect, Schema } from "effect"`,
    "",
    "const kit = Agent.define({ data: Schema.Struct({}) })",
    "",
    ...(responses.length + code.predicates.size === 0 ? [] : ["type Data = Readonly<Record<string, unknown>>", ""]),
    ...(responses.length === 0 ? [] : [
      `const shown = (value: unknown): string => value === undefined || value === null ? "" : String(value)`,
      "",
      "/** Responses whose words depend on slots, or that have several variations. */",
      "const responses = {",
      responses.map((response) => chosen(response)).join(",\n"),
      "}",
      ""
    ]),
    "/** The slots that each action may read and write, as far as the flows tell. */",
    "const slots = {",
    actions.map(({ name, reads, sets }) =>
      `  ${Code.key(name)}: { reads: Schema.Struct(${struct(reads, domain)}), sets: Schema.Struct(${
        struct(sets, domain)
      }) }`
    ).join(",\n"),
    "}",
    "",
    "/** An action: from the slots that it reads to those that it sets. */",
    "export type Actions = {",
    "  readonly [K in keyof typeof slots]: (",
    `    read: typeof slots[K]["reads"]["Type"]`,
    `  ) => Effect.Effect<typeof slots[K]["sets"]["Type"]>`,
    "}",
    "",
    "/** Stubs: each sets nothing. Write here what the action server did. */",
    "export const stubs: Actions = {",
    actions.map(({ name }) => `  ${Code.key(name)}: () => Effect.succeed({})`).join(",\n"),
    "}",
    "",
    ...(actions.length === 0 ? [] : [
      "const toolOf = <F extends Schema.Struct.Fields, A extends object>(",
      "  id: string,",
      "  { reads }: { readonly reads: Schema.Struct<F> },",
      `  act: (read: Schema.Struct<F>["Type"]) => Effect.Effect<A>`,
      ") =>",
      "  kit.tool({",
      "    id,",
      "    description: id,",
      "    parameters: reads.fields,",
      "    handler: (read) =>",
      "      Effect.map(act(read), (sets) => {",
      "        const dataUpdate: {} = sets",
      `        return { ok: true, outputMessage: "done", dataUpdate }`,
      "      })",
      "  })",
      ""
    ]),
    `export const registryOf = (${actions.length === 0 ? "_actions" : "actions"}: Actions) =>`,
    "  kit.registry({",
    parts.join(",\n"),
    "  })",
    "",
    "export default registryOf(stubs)",
    ""
  ].join("\n")
}
