/** Warnings about tool calls: refusals that no branch handles, and read-only tools whose arguments go to strangers. */
import * as AiTool from "@effect/ai/Tool"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { recordOf } from "../../base/Json.js"
import type { ErasedAgent, ErasedTool } from "../../definition/Erase.js"
import { warning } from "../Case.js"
import type { Finding } from "../Finding.js"
import type { Shape } from "../shape/Shape.js"
import * as ToolPlaces from "../shape/ToolPlaces.js"

/** Warns about call steps that a check can refuse and that do not say what follows. */
export const deniedUnhandled = ({ steps }: Shape): ReadonlyArray<Finding> =>
  steps.flatMap(({ id, path, refusedBy }) =>
    refusedBy === undefined ? [] : warning(
      "denied-unhandled",
      `${path}.then`,
      `step "${id}" does not say what follows if its call is refused`,
      `${refusedBy} can refuse it, and then.failed is not for refusals`,
      "Name a step or flow in then.denied; without it, the agent says that it may not do this, and stays"
    )
  )

/** Names of parameters that have an address: `url`, `imageUrl`, `page_url`, `links`. */
const addressed =
  /(?:^|[_-])(?:url|uri|href|link|webhook|endpoint)s?$|(?:Url|Uri|URL|URI|Href|Link|Webhook|Endpoint)s?$/

/** True if a part of a JSON Schema has the format of an address. */
const hasAddress = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.some(hasAddress)
  const { format } = recordOf(schema)
  return (typeof format === "string" && /^(?:uri|iri|url)/.test(format)) ||
    Object.values(recordOf(schema)).some((part) => typeof part === "object" && hasAddress(part))
}

const sample = new URL("https://example.org")

/** True for the type of `Schema.URL`, also in a list or a union. */
const isUrl = (ast: AST.AST): boolean =>
  AST.isDeclaration(ast)
    ? Schema.is(Schema.make(ast))(sample)
    : AST.isUnion(ast)
    ? ast.types.some(isUrl)
    : AST.isTupleType(ast) && ast.rest.some(({ type }) => isUrl(type))

/** Returns the parameters of a tool that have an address. */
const addressesOf = ({ parameters }: ErasedTool): ReadonlyArray<string> => {
  const schema: Schema.Schema.Any = Schema.isSchema(parameters) ? parameters : Schema.Struct(parameters ?? {})
  const described = Either.try(() => recordOf(AiTool.getJsonSchemaFromSchemaAst(schema.ast)))
  const encoded = recordOf(Either.getOrUndefined(Either.map(described, ({ properties }) => properties)))
  const decoded = AST.getPropertySignatures(AST.typeAST(schema.ast))
  return decoded.flatMap(({ name, type }) =>
    addressed.test(String(name)) || isUrl(type) || hasAddress(encoded[String(name)]) ? [String(name)] : []
  )
}

/** Warns about tools that only read, with an address as argument: whoever runs the address reads the arguments. */
export const openChannels = (options: ErasedAgent, { steps }: Shape): ReadonlyArray<Finding> => {
  const called = steps.flatMap(({ makes, path }) =>
    makes === undefined ? [] : [{ path: `${path}.call`, id: makes.tool.id, options: makes.tool }]
  )
  return [...ToolPlaces.all(options), ...called].flatMap(({ id, options: tool, path }) => {
    if (tool === undefined || (tool.isReadOnly ?? false) === false || tool.sends !== undefined) return []
    const { accepts } = tool
    const open = addressesOf(tool).find((name) => accepts === undefined || (accepts !== "any" && !(name in accepts)))
    return open === undefined ? [] : warning(
      "open-channel",
      path,
      `tool "${id}" only reads, and its argument "${open}" goes to whoever runs that address`,
      "a text that the model has read can have it call an address that contains what the model knows",
      `Add sends: true, or say in accepts where "${open}" may come from`
    )
  })
}
