/**
 * Writes `schema/agent.json`, the JSON Schema of documents, with the docstrings of the options as descriptions. It is
 * part of the package and not of the repository.
 */
import { JSONSchema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import ts from "typescript"
import { FlowDocument } from "../src/domain/document/FlowDocument.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const src = path.join(root, "src/domain")

/** The interfaces with the docstrings of a definition, by its name in the schema. */
const sources: Readonly<Record<string, ReadonlyArray<readonly [file: string, name: string]>>> = {
  FlowDocument: [["authored/AgentOptions", "AgentOptions"], ["document/FlowDocument", "Declarations"], [
    "code/ToolChoice",
    "ToolLimits"
  ]],
  Flow: [["authored/Flow", "Flow"], ["code/ToolChoice", "ToolLimits"]],
  Step: [["authored/Step", "Step"], ["code/ToolChoice", "ToolLimits"]],
  Branch: [["authored/Step", "Branch"]],
  ResultBranch: [["authored/Step", "CallBranch"]],
  Then: [["authored/Step", "CallBranches"]],
  StepHooks: [["authored/Step", "StepHooks"]],
  FlowHooks: [["authored/Flow", "FlowHooks"]],
  AgentHooks: [["authored/AgentOptions", "AgentHooks"]],
  HandOff: [["authored/AgentOptions", "HandOff"]],
  Understanding: [["authored/AgentOptions", "Understanding"]],
  Instruction: [["authored/Instruction", "Instruction"]],
  Signal: [["authored/Signal", "SignalOptions"]],
  Guardrail: [["authored/Guardrail", "Guardrail"]],
  Guardrails: [["authored/Guardrail", "Guardrails"]],
  Timeouts: [["code/Timing", "Timeouts"]],
  Term: [["language/Term", "Term"]],
  Migrations: [["code/Migrations", "Migrations"]],
  Files: [["session/part/Part", "Options"]],
  ConsentOptions: [["language/consent/ConsentOptions", "Options"]],
  Field: [
    ["document/FieldShape", "flat"],
    ["document/FieldShape", "FieldShape"],
    ["fields/Annotations", "annotations"],
    ["fields/Annotations", "values"]
  ]
}

const textOf = (node: ts.Node): string | undefined => {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const text = doc === undefined ? undefined : ts.getTextOfJSDocComment(doc.comment)
  return text?.replace(/\s+/g, " ").trim()
}

/** The docstrings of an interface's members, or of the properties of a constant. */
const docstrings = (file: string, name: string): Readonly<Record<string, string>> => {
  const source = ts.createSourceFile(
    file,
    fs.readFileSync(path.join(src, `${file}.ts`), "utf8"),
    ts.ScriptTarget.Latest,
    true
  )
  const found: Record<string, string> = {}
  const add = (member: ts.Node & { readonly name?: ts.Node | undefined }) => {
    const text = textOf(member)
    if (text !== undefined && member.name !== undefined) found[member.name.getText(source).replace(/^"|"$/g, "")] = text
  }
  ts.forEachChild(source, (node) => {
    if (ts.isInterfaceDeclaration(node) && node.name.text === name) node.members.forEach(add)
    if (!ts.isVariableStatement(node)) return
    for (const { initializer, name: declared } of node.declarationList.declarations) {
      if (declared.getText(source) === name && initializer !== undefined && ts.isObjectLiteralExpression(initializer)) {
        initializer.properties.forEach(add)
      }
    }
  })
  return found
}

interface Definition {
  readonly properties?: Readonly<Record<string, object>>
}

const described = (name: string, definition: Definition): Definition => {
  const texts = Object.assign({}, ...(sources[name] ?? []).map(([file, of]) => docstrings(file, of))) as Record<
    string,
    string
  >
  const { properties } = definition
  return properties === undefined ? definition : {
    ...definition,
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, schema]) => [
        key,
        texts[key] === undefined
          ? schema
          : "$ref" in schema
          ? { allOf: [schema], description: texts[key] }
          : { ...schema, description: texts[key] }
      ])
    )
  }
}

/** The text of `schema/agent.json`. */
export const text = (): string => {
  const { $defs = {}, ...schema } = JSONSchema.make(FlowDocument)
  const definitions = Object.fromEntries(
    Object.entries($defs).map(([name, one]) => [name, described(name, one as Definition)])
  )
  const made = {
    ...schema,
    title: "Agent",
    description:
      "An agent of Coxswain as a document. Code stands in it by name; conditions are CEL, placeholders {{data.city}}.",
    $defs: definitions
  }
  return `${JSON.stringify(made, undefined, 1)}\n`
}

const file = path.join(root, "schema/agent.json")

if (pathToFileURL(process.argv[1] ?? "").href === import.meta.url) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text())
}
