/** Writes the code that the documents of an import name: one stub for each action, texts and conditions in code. */
import * as Arr from "effect/Array"
import * as CodeWriter from "../CodeWriter.js"
import type { SlotType } from "./Condition.js"
import type { Domain, Response, Slot, Variation } from "./Domain.js"
import type { NamedCode, Setter, Template } from "./FlowDocuments.js"

/** An action, with the slots that it reads and sets. */
export interface Action {
  readonly name: string
  /** The id of its tool. */
  readonly tool: string
  /** The slots that it reads, by the parameters that get them. */
  readonly reads: ReadonlyArray<readonly [parameter: string, slot: string]>
  readonly sets: ReadonlyArray<string>
  /** The slot whose value the action checks. */
  readonly checks: string | undefined
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

const readBy = ({ reads }: Action, domain: Domain): string =>
  CodeWriter.record(
    reads.map(([parameter, slot]) => [parameter, `Schema.optional(${schemaOf(domain.slots.get(slot))})`] as const)
  )

/** Writes the slots that an action sets. Null takes a value away. */
const setBy = ({ checks, sets }: Action, domain: Domain, { says }: Fields): string =>
  CodeWriter.record([
    ...sets.map((slot) => [slot, `Schema.optional(Schema.NullOr(${schemaOf(domain.slots.get(slot))}))`] as const),
    ...(checks === undefined ? [] : [[says, "Schema.optional(Schema.String)"] as const])
  ])

/** The fields of the import's own, and those that each message clears. */
export interface Fields {
  /** The field with the reason why an action refused a value. */
  readonly says: string
  /** True after the first message. */
  readonly started: string
  readonly forgotten: ReadonlyArray<string>
}

/** The action that runs when a conversation begins. */
export const begins = "action_session_start"

const toolOf = ({ checks, name, tool }: Action): string => {
  const [slots, act] = [CodeWriter.member("slots", name), CodeWriter.member("actions", name)]
  if (checks === undefined) return `toolOf(${CodeWriter.text(tool)}, ${slots}, ${act})`
  // The checker reads in the text of a handler which values it may clear.
  const cleared = `${CodeWriter.member("sets", checks)} === null ? { clear: [${CodeWriter.text(checks)}] } : {}`
  return `kit.tool(${
    CodeWriter.record([
      ["id", CodeWriter.text(tool)],
      ["description", CodeWriter.text(tool)],
      ["parameters", `${slots}.reads.fields`],
      ["handler", `(read) => Effect.map(${act}(read), (sets) => resultOf(sets, ${cleared}))`]
    ])
  })`
}

/** The parameter of a tool with which the model sets a slot; undefined if the tool sets it to true. */
const setterSchema = (slot: Slot | undefined): string => {
  const texts = slot?.values.filter((value) => typeof value === "string") ?? []
  if (slot?.type === "categorical" && texts.length > 0 && texts.length === slot.values.length) {
    return `Schema.Literal(${texts.map(CodeWriter.text).join(", ")})`
  }
  const schema = schemaOf(slot)
  return schema === schemas.any ? "Schema.Union(Schema.String, Schema.Number, Schema.Boolean)" : schema
}

/** Writes a tool with which the model sets a slot. The step's conditions then decide what comes next. */
const setterOf = (id: string, { isFlag, slot, step }: Setter, domain: Domain): string => {
  const title = domain.slots.get(slot)?.title ?? slot
  return `kit.tool(${
    CodeWriter.record([
      ["id", CodeWriter.text(id)],
      ["description", CodeWriter.text(isFlag ? "Says that this task is done" : `Sets ${title.replaceAll("_", " ")}`)],
      ["parameters", isFlag ? "{}" : `{ value: ${setterSchema(domain.slots.get(slot))} }`],
      [
        "handler",
        `(${isFlag ? "" : "{ value }"}) => { const dataUpdate: {} = ${
          CodeWriter.record([[slot, isFlag ? "true" : "value"]])
        }; return { ok: true, outputMessage: "done", dataUpdate, directive: { goToStep: ${CodeWriter.text(step)} } } }`
      ]
    ])
  })`
}

/** Writes the hook that runs an action before the first message of a conversation. */
const beginning = (action: string, { forgotten, started }: Fields): string => {
  const clear = `clear: ${CodeWriter.value([...forgotten])}`
  return [
    `${CodeWriter.key(action)}: (ctx) => {`,
    "        const data: Data = ctx.data",
    `        if (${CodeWriter.member("data", started)} === true) return { ${clear} }`,
    `        return Effect.map(${CodeWriter.member("actions", action)}({}), (sets) => {`,
    `          const dataUpdate: {} = { ...resultOf(sets, {}).dataUpdate, ${CodeWriter.key(started)}: true }`,
    `          return { ${clear}, dataUpdate }`,
    "        })",
    "      }"
  ].join("\n")
}

/** Writes a text of Rasa as a template literal. */
const literal = ({ parts }: Variation): string =>
  CodeWriter.template(
    parts.map((part) => typeof part === "string" ? part : { source: `shown(${CodeWriter.member("data", part.slot)})` })
  )

const chosen = ({ name, variations }: Response): string => {
  const [last, ...before] = [...variations].filter(({ when }) => when.length === 0)
  const conditional = variations.filter(({ when }) => when.length > 0)
  const ways = conditional.map((variation) =>
    `${
      variation.when.map(([slot, value]) => `${CodeWriter.member("data", slot)} === ${CodeWriter.value(value)}`).join(
        " && "
      )
    } ? ${literal(variation)} : `
  )
  const others = before.map(({ parts }) =>
    `  ${
      CodeWriter.comment(
        `Another variation: ${parts.map((part) => typeof part === "string" ? part : `{${part.slot}}`).join("")}`
      )
    }\n`
  )
  return `${others.join("")}  ${CodeWriter.key(name)}: (data: Data): string => ${ways.join("")}${
    last === undefined ? "\"\"" : literal(last)
  }`
}

const templateOf = ({ asked, said, says, what }: Template): string => {
  const one = (name: string) => `${CodeWriter.member("responses", name)}(data)`
  const texts = said.length === 1 ? one(said[0]!) : `[${said.map(one).join(", ")}].join("\\n\\n")`
  if (asked === undefined && what === undefined) return texts
  return CodeWriter.template([
    ...beginOf(said.length === 0 ? undefined : texts, says),
    ...(asked === undefined ? [`sk for ${what}`] : ["sk: \"", { source: one(asked) }, "\""])
  ])
}

/** Returns the parts of a question's template before its verb. */
const beginOf = (texts: string | undefined, says: string | undefined): Parameters<typeof CodeWriter.template>[0] => {
  if (says !== undefined) return [{ source: `told(data, ${texts ?? `""`})` }, "A"]
  return texts === undefined ? ["A"] : ["Say first: \"", { source: texts }, "\" Then a"]
}

const block = (name: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `    ${name}: {\n${lines.map((line) => `      ${line}`).join(",\n")}\n    }`

const telling = ({ says }: Fields): ReadonlyArray<string> => [
  "/** Says first why the last answer was refused; if it was not, the other words. */",
  "const told = (data: Data, otherwise: string): string => {",
  `  const words = String(${CodeWriter.member("data", says)} ?? otherwise)`,
  "  return words === \"\" ? \"\" : `Say first: \"${words}\" `",
  "}",
  ""
]

const resulting = [
  "/** The result of an action: values are written, and null takes a value away. */",
  "const resultOf = <A extends object>(sets: object, directive: A) => {",
  "  const dataUpdate: {} = Object.fromEntries(Object.entries(sets).filter(([, value]) => value !== null))",
  `  return { ok: true, outputMessage: "done", dataUpdate, directive }`,
  "}",
  ""
]

const making = [
  "const cleared = (sets: object) => {",
  "  const clear = Object.entries(sets).flatMap(([slot, value]) => value === null ? [slot] : [])",
  "  return clear.length === 0 ? {} : { clear }",
  "}",
  "",
  "const toolOf = <F extends Schema.Struct.Fields, A extends object>(",
  "  id: string,",
  "  { reads }: { readonly reads: Schema.Struct<F> },",
  `  act: (read: Schema.Struct<F>["Type"]) => Effect.Effect<A>`,
  ") =>",
  "  kit.tool({",
  "    id,",
  "    description: id,",
  "    parameters: reads.fields,",
  "    handler: (read) => Effect.map(act(read), (sets) => resultOf(sets, cleared(sets)))",
  "  })",
  ""
]

/** Writes registry.ts. */
export const write = (actions: ReadonlyArray<Action>, code: NamedCode, domain: Domain, fields: Fields): string => {
  const [starting, tools] = Arr.partition(actions, ({ name }) => name !== begins)
  const used = new Set(
    [...code.templates.values()].flatMap(({ asked, said }) => [...said, ...(asked === undefined ? [] : [asked])])
  )
  const responses = [...used].flatMap((name) => domain.responses.get(name) ?? [])
  const isTold = Array.from(code.templates.values()).some(({ says }) => says !== undefined)
  const parts = [
    block(
      "tools",
      [
        ...tools.map((action) => `${CodeWriter.key(action.name)}: ${toolOf(action)}`),
        ...Array.from(code.setters, ([id, setter]) => `${CodeWriter.key(id)}: ${setterOf(id, setter, domain)}`)
      ]
    ),
    block("hooks", starting.map(({ name }) => beginning(name, fields))),
    block(
      "templates",
      Array.from(code.templates, ([name, parts]) => `${CodeWriter.key(name)}: ({ data }) => ${templateOf(parts)}`)
    ),
    block(
      "predicates",
      Array.from(
        code.predicates,
        ([name, source]) =>
          source.includes("data")
            ? `${
              CodeWriter.key(name)
            }: (ctx) => {\n        const data: Data = ctx.data\n        return ${source}\n      }`
            : `${CodeWriter.key(name)}: () => ${source}`
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
    ...(responses.length + code.predicates.size + starting.length + Number(isTold) === 0
      ? []
      : ["type Data = Readonly<Record<string, unknown>>", ""]),
    ...(responses.length === 0 ? [] : [
      ...(responses.some(({ variations }) =>
          variations.some(({ parts }) => parts.some((part) => typeof part !== "string"))
        )
        ? [`const shown = (value: unknown): string => value === undefined || value === null ? "" : String(value)`, ""]
        : []),
      "/** Responses whose words depend on slots, or that have several variations. */",
      "const responses = {",
      responses.map(chosen).join(",\n"),
      "}",
      ""
    ]),
    ...(isTold ? telling(fields) : []),
    "/** The slots that each action may read and write, as far as the flows tell. */",
    "const slots = {",
    actions.map((action) =>
      `  ${CodeWriter.key(action.name)}: { reads: Schema.Struct(${readBy(action, domain)}), sets: Schema.Struct(${
        setBy(action, domain, fields)
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
    actions.map(({ name }) => `  ${CodeWriter.key(name)}: () => Effect.succeed({})`).join(",\n"),
    "}",
    "",
    ...(actions.length === 0 ? [] : resulting),
    ...(tools.some(({ checks }) => checks === undefined) ? making : []),
    `export const registryOf = (${actions.length === 0 ? "_actions" : "actions"}: Actions) =>`,
    "  kit.registry({",
    parts.join(",\n"),
    "  })",
    "",
    "export default registryOf(stubs)",
    ""
  ].join("\n")
}
