/** The requests that Gemini refuses, according to its documentation and reports of users. */
import { malformed } from "./rules.js"

interface Called {
  readonly id?: string
  readonly name: string
  readonly args?: unknown
  readonly response?: unknown
}

interface Part {
  readonly text?: string
  readonly thoughtSignature?: string
  readonly functionCall?: Called
  readonly functionResponse?: Called
  readonly [kind: string]: unknown
}

interface Content {
  readonly role: string
  readonly parts: ReadonlyArray<Part>
}

interface Declared {
  readonly name: string
  readonly parameters?: unknown
  readonly parametersJsonSchema?: { readonly type?: string }
}

interface Body {
  readonly contents: ReadonlyArray<Content>
  readonly tools?: ReadonlyArray<{ readonly functionDeclarations?: ReadonlyArray<Declared> }>
  readonly toolConfig?: { readonly functionCallingConfig?: { readonly mode?: string } }
  readonly generationConfig?: { readonly responseSchema?: unknown; readonly responseJsonSchema?: unknown }
}

type Rule = (body: Body, url: string) => string | undefined

const first = <A>(all: ReadonlyArray<A>, rule: (each: A, i: number) => string | undefined): string | undefined => {
  for (const [i, each] of all.entries()) {
    const objection = rule(each, i)
    if (objection !== undefined) return objection
  }
  return undefined
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)

const kinds = ["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode"]
  .concat("codeExecutionResult")

const shapes: Rule = ({ contents }) =>
  contents.length === 0
    ? "contents are required"
    : contents[0]!.role !== "user"
    ? "Please ensure that multiturn requests begin with a user turn"
    : first(contents, ({ parts, role }, i) =>
      role !== "user" && role !== "model"
        ? "Please use a valid role: user, model."
        : parts.length === 0
        ? `contents[${i}].parts must not be empty`
        : first(parts, (part) =>
          kinds.filter((kind) => kind in part).length === 1 && (part.text !== "" || part.thoughtSignature !== undefined)
            ? undefined
            : `contents[${i}].parts: required oneof field 'data' must have one initialized field`))

const calls = (content: Content | undefined) =>
  (content?.parts ?? []).flatMap(({ functionCall }) => functionCall === undefined ? [] : [functionCall])
const results = (content: Content | undefined) =>
  (content?.parts ?? []).flatMap(({ functionResponse }) => functionResponse === undefined ? [] : [functionResponse])

const pairs: Rule = ({ contents }) =>
  first(contents, (content, i) => {
    const called = calls(content)
    const answered = results(content)
    const before = calls(contents[i - 1])
    if (called.length > 0 && contents[i - 1]?.role !== "user") {
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
    }
    if (called.length > 0 && results(contents[i + 1]).length !== called.length) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of " +
        "the function call turn."
    }
    if (answered.length > 0 && answered.length !== before.length) {
      return "Please ensure that function response turn comes immediately after a function call turn."
    }
    return first(answered, ({ id, name, response }, n) =>
      !isObject(response)
        ? "Invalid value at 'function_response.response' (type.googleapis.com/google.protobuf.Struct)"
        : before[n]!.name !== name || before[n]!.id !== id
        ? `function response ${id ?? ""} ${name} does not match function call ${before[n]!.id ?? ""} ${before[n]!.name}`
        : undefined) ??
      first(called, ({ args }) =>
        isObject(args)
          ? undefined
          : "Invalid value at 'function_call.args' (type.googleapis.com/google.protobuf.Struct)")
  })

/** In the current turn, the first call of each answer needs a signature. */
const signatures: Rule = ({ contents }, url) => {
  if (/gemini-[12]/.test(url)) return undefined
  const turn = contents.findLastIndex(({ parts, role }) =>
    role === "user" && parts.some(({ text }) => text !== undefined)
  )
  return first(contents.slice(turn + 1), ({ parts }) => {
    const call = parts.find(({ functionCall }) => functionCall !== undefined)
    return call === undefined || call.thoughtSignature !== undefined
      ? undefined
      : "Function call is missing a thought_signature in functionCall parts."
  })
}

const openapi = new Set([
  ...["type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties"],
  ...["required", "propertyOrdering", "minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf"]
])

const json = new Set([
  ...["type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum"],
  ...["maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required", "propertyOrdering"]
])

/** In OpenAPI, enum values are strings, and `properties` is not empty. */
const values = (at: string, value: object, known: ReadonlySet<string>): string | undefined => {
  const { enum: listed, properties, type } = value as Record<string, unknown>
  const kinds = known === openapi ? ["string"] : ["string", "number"]
  if (Array.isArray(listed) && !listed.every((one) => kinds.includes(typeof one))) {
    return `Invalid value at '${at}.enum[0]' (TYPE_STRING), ${String(listed[0])}`
  }
  if (known === openapi && listed !== undefined && type !== "STRING") return `${at}.enum: only allowed for STRING type`
  return known === openapi && isObject(properties) && Object.keys(properties as object).length === 0
    ? `${at}.properties: should be non-empty for OBJECT type`
    : undefined
}

const schema = (at: string, value: unknown, known: ReadonlySet<string>): string | undefined => {
  if (!isObject(value)) return undefined
  const refused = values(at, value as object, known)
  if (refused !== undefined) return refused
  return first(Object.entries(value as Record<string, unknown>), ([keyword, of]) => {
    if (!known.has(keyword)) {
      return `Invalid JSON payload received. Unknown name "${keyword}" at '${at}': Cannot find field.`
    }
    if (keyword === "properties") return first(Object.values(of as object), (each) => schema(at, each, known))
    if (Array.isArray(of)) return first(of, (each) => schema(at, each, known))
    return ["items", "additionalProperties"].includes(keyword) ? schema(at, of, known) : undefined
  })
}

const schemas: Rule = ({ generationConfig: { responseJsonSchema, responseSchema } = {}, tools = [] }) => {
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
  return schema("generation_config.response_schema", responseSchema, openapi) ??
    schema("generation_config.response_json_schema", responseJsonSchema, json) ??
    first(declared, ({ name, parameters, parametersJsonSchema }) =>
      !/^[a-zA-Z_][\w.:-]{0,63}$/.test(name)
        ? `Invalid function name: ${name}`
        : parametersJsonSchema !== undefined && parametersJsonSchema.type !== "object"
        ? "parameters schema should be of type OBJECT"
        : schema("parameters", parameters, openapi) ?? schema("parameters_json_schema", parametersJsonSchema, json))
}

const choice: Rule = ({ toolConfig, tools = [] }) =>
  toolConfig?.functionCallingConfig !== undefined && !tools.some((tool) => tool.functionDeclarations !== undefined)
    ? "Function calling config is set without function_declarations."
    : undefined

const rules: ReadonlyArray<Rule> = [malformed, shapes, pairs, signatures, schemas, choice]

/** Gemini's error message; undefined if it accepts the request. */
export const breach = (body: unknown, url: string): string | undefined =>
  first(rules, (rule) => rule(body as Body, url))
