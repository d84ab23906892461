/** Writes the code that the documents of an import name: one stub for each action, texts and conditions in code. */
import type { SlotType } from "./Condition.js"
import type { Domain, Response } from "./Domain.js"
import type { Code } from "./FlowDocuments.js"

/** An action, with the slots that it reads and sets. */
export interface Action {
  readonly name: string
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

const key = (name: string): string => /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)

const struct = (slots: ReadonlyArray<string>, domain: Domain): string =>
  slots.length === 0
    ? "{}"
    : `{ ${
      slots.map((slot) => `${key(slot)}: Schema.optional(${schemas[domain.slots.get(slot)?.type ?? "any"]})`).join(", ")
    } }`

const quoted = (text: string): string => text.replace(/[`\\]|\$\{/g, (part) => `\\${part}`)

/** Writes a text of Rasa as a template literal. */
const literal = (text: string, { slots }: Domain): string =>
  `\`${
    quoted(text.trim()).replace(/\{(\w+)\}/g, (all, name: string) => slots.has(name) ? `\${shown(data.${name})}` : all)
  }\``

const chosen = ({ name, variations }: Response, domain: Domain): string => {
  const [last, ...before] = [...variations].filter(({ when }) => when.length === 0)
  const conditional = variations.filter(({ when }) => when.length > 0)
  const ways = conditional.map(({ text, when }) =>
    `${when.map(([slot, value]) => `data.${slot} === ${JSON.stringify(value)}`).join(" && ")} ? ${
      literal(text, domain)
    } : `
  )
  const others = before.map(({ text }) => `  // Another variation: ${text.replace(/\s+/g, " ")}\n`)
  return `${others.join("")}  ${key(name)}: (data: Data): string => ${ways.join("")}${
    last === undefined ? "\"\"" : literal(last.text, domain)
  }`
}

const templateOf = ({ asked, said }: { readonly said: ReadonlyArray<string>; readonly asked?: string }): string => {
  const texts = `[${said.map((name) => `responses.${name}(data)`).join(", ")}].join("\\n\\n")`
  if (asked === undefined) return texts
  return said.length === 0
    ? `\`Ask: "\${responses.${asked}(data)}"\``
    : `\`Say first: "\${${texts}}" Then ask: "\${responses.${asked}(data)}"\``
}

const block = (name: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `    ${name}: {\n${lines.map((line) => `      ${line}`).join(",\n")}\n    }`

/** Writes registry.ts. */
export const write = (actions: ReadonlyArray<Action>, code: Code, domain: Domain): string => {
  const used = new Set(
    [...code.templates.values()].flatMap(({ asked, said }) => [...said, ...(asked === undefined ? [] : [asked])])
  )
  const responses = [...used].flatMap((name) => domain.responses.get(name) ?? [])
  const parts = [
    block("tools", actions.map(({ name }) => `${key(name)}: toolOf("${name}", slots.${name}, actions.${name})`)),
    block(
      "templates",
      Array.from(code.templates, ([name, parts]) => `${key(name)}: ({ data }) => ${templateOf(parts)}`)
    ),
    block(
      "predicates",
      Array.from(
        code.predicates,
        ([name, source]) =>
          source.includes("data.")
            ? `${key(name)}: (ctx) => {\n        const data: Data = ctx.data\n        return ${source}\n      }`
            : `${key(name)}: () => ${source}`
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
      responses.map((response) => chosen(response, domain)).join(",\n"),
      "}",
      ""
    ]),
    "/** The slots that each action may read and write, as far as the flows tell. */",
    "const slots = {",
    actions.map(({ name, reads, sets }) =>
      `  ${key(name)}: { reads: Schema.Struct(${struct(reads, domain)}), sets: Schema.Struct(${struct(sets, domain)}) }`
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
    actions.map(({ name }) => `  ${key(name)}: () => Effect.succeed({})`).join(",\n"),
    "}",
    "",
    ...(actions.length === 0 ? [] : [
      "const toolOf = <F extends Schema.Struct.Fields, A extends object>(",
      "  id: string,",
      "  { reads }: { readonly reads: Schema.Struct<F> },",
      `  act: (read: Schema.Struct.Type<F>) => Effect.Effect<A>`,
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
