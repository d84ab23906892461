/** The requests that Anthropic refuses, according to its documentation and reports of users. */

import { malformed, tools as offers } from "./rules.js"

interface Block {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly text?: string
  readonly name?: string
  readonly input?: unknown
}

interface Message {
  readonly role: string
  readonly content: ReadonlyArray<Block>
}

interface Schema {
  readonly type?: unknown
  readonly additionalProperties?: unknown
  readonly [keyword: string]: unknown
}

interface Body {
  readonly model?: string
  readonly max_tokens?: number
  readonly system?: ReadonlyArray<Block>
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<{ readonly type?: string; readonly name: string; readonly input_schema?: Schema }>
  readonly tool_choice?: { readonly type: string; readonly name?: string }
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number }
  readonly output_config?: { readonly format?: { readonly type: string; readonly schema: Schema } }
}

type Rule = (body: Body) => string | undefined

const first = <A>(all: ReadonlyArray<A>, rule: (each: A, i: number) => string | undefined): string | undefined => {
  for (const [i, each] of all.entries()) {
    const objection = rule(each, i)
    if (objection !== undefined) return objection
  }
  return undefined
}

const roles: Rule = ({ messages }) =>
  messages.length === 0
    ? "messages: at least one message is required"
    : messages[0]!.role !== "user"
    ? "messages: first message must use the \"user\" role"
    : first(messages, ({ content, role }, i) =>
      content.length === 0
        ? `messages.${i}: content must not be empty`
        : role === "assistant" && /thinking$/.test(content.at(-1)!.type)
        ? `messages.${i}: The final block in an assistant message cannot be \`thinking\`.`
        : role === "assistant" && content.some(({ type }) => type === "image" || type === "document")
        ? `messages.${i}.content: only a user's message may have images and documents`
        : role === "assistant" && i === messages.length - 1
        ? "This model does not support assistant message prefill. The conversation must end with a user message."
        : messages[i - 1]?.role === role
        ? `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`
        : undefined)

const words: Rule = ({ messages, system = [] }) =>
  first(
    [...messages.flatMap(({ content }) => content), ...system],
    (block) =>
      block.type === "text" && (block.text ?? "").trim() === ""
        ? "text content blocks must contain non-whitespace text"
        : undefined
  )

const ofType = (message: Message | undefined, type: string) =>
  (message?.content ?? []).filter((block) => block.type === type)

const pairs: Rule = ({ messages }) => {
  const seen = new Set<string>()
  return first(messages, (message, i) => {
    const results = ofType(messages[i + 1], "tool_result").map(({ tool_use_id }) => tool_use_id)
    const calls = ofType(messages[i - 1], "tool_use").map(({ id }) => id)
    return first(ofType(message, "tool_use"), ({ id = "", input }) => {
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) return `messages.${i}: tool_use.id: String should match pattern`
      if (seen.has(id)) return "messages: `tool_use` ids must be unique"
      seen.add(id)
      if (typeof input !== "object" || input === null || Array.isArray(input)) {
        return `messages.${i}: tool_use.input: Input should be a valid dictionary`
      }
      return results.includes(id)
        ? undefined
        : `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}`
    }) ?? first(ofType(message, "tool_result"), ({ tool_use_id }) =>
      calls.includes(tool_use_id)
        ? undefined
        : `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}`) ??
      (message.content.findLastIndex(({ type }) => type === "tool_result") >= ofType(message, "tool_result").length
        ? `messages.${i}: \`tool_result\` blocks must come first`
        : undefined)
  })
}

const offered: Rule = ({ messages, tool_choice, tools = [] }) => {
  if (tools.length === 0) {
    if (tool_choice !== undefined) return "tool_choice: may only be specified while providing tools"
    return messages.some((message) => ofType(message, "tool_use").length > 0)
      ? "Requests which include `tool_use` or `tool_result` blocks must define tools"
      : undefined
  }
  const own = tools.filter(({ type }) => type === undefined)
  const refused = offers(own.map(({ input_schema, name }) => [name, input_schema]))
  if (refused !== undefined) return refused
  if (tool_choice?.type === "tool" && !tools.some(({ name }) => name === tool_choice.name)) {
    return `Tool '${tool_choice.name}' not found in provided tools`
  }
  return first(own, ({ input_schema: schema = {} }, i) =>
    "anyOf" in schema || "oneOf" in schema || "allOf" in schema
      ? `tools.${i}.input_schema: does not support oneOf, allOf, or anyOf at the top level`
      : undefined)
}

const thinking: Rule = ({ max_tokens = 0, messages, thinking, tool_choice }) => {
  if (thinking === undefined || thinking.type === "disabled") return undefined
  if (tool_choice?.type === "any" || tool_choice?.type === "tool") {
    return "Thinking may not be enabled when tool_choice forces tool use."
  }
  if (thinking.type !== "enabled") return undefined
  const { budget_tokens = 0 } = thinking
  if (budget_tokens < 1024) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
  if (max_tokens <= budget_tokens) return "`max_tokens` must be greater than `thinking.budget_tokens`"
  const [last, results] = messages.slice(-2)
  if (last?.role !== "assistant" || ofType(results, "tool_result").length === 0) return undefined
  return /thinking$/.test(last.content[0]!.type)
    ? undefined
    : "When `thinking` is enabled, a final `assistant` message must start with a thinking block"
}

const supported = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref", "$defs"],
  ...["format", "title", "description", "default", "pattern", "minItems"]
])

const formats = ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]

const grammar = (schema: unknown): string | undefined => {
  if (typeof schema !== "object" || schema === null) return undefined
  if (Array.isArray(schema)) return first(schema, grammar)
  const { properties, ...rest } = schema as Schema
  const keyword = Object.keys(schema).find((keyword) => !supported.has(keyword))
  if (keyword !== undefined) return `output_config.format.schema: '${keyword}' is not supported`
  if (typeof rest.format === "string" && !formats.includes(rest.format)) {
    return `'${rest.format}' format is not supported`
  }
  if (rest.type === "object" && rest.additionalProperties !== false) {
    return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
  }
  return first([rest.items, rest.anyOf], grammar) ?? first(Object.values(properties ?? {}), grammar)
}

/** How many properties of a schema are unions, and how many are optional. */
const counts = (schema: unknown): { readonly unions: number; readonly optional: number } => {
  if (typeof schema !== "object" || schema === null) return { unions: 0, optional: 0 }
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: Array<string> }
  const entries = Array.isArray(schema) ? [] : Object.entries(properties)
  const own = {
    unions: entries.filter(([, one]) => Array.isArray(one.type) || "anyOf" in one).length,
    optional: entries.filter(([name]) => !required.includes(name)).length
  }
  return Object.values(schema).map(counts).reduce((all, one) => ({
    unions: all.unions + one.unions,
    optional: all.optional + one.optional
  }), own)
}

const size = (schema: unknown): string | undefined => {
  const { optional, unions } = counts(schema)
  return unions > 16
    ? `Schemas contains too many parameters with union types (${unions}, limit: 16)`
    : optional > 24
    ? `Schemas contains too many optional parameters (${optional}, limit: 24)`
    : undefined
}

const limits: Rule = ({ max_tokens, output_config }) =>
  max_tokens === undefined
    ? "max_tokens: Field required"
    : grammar(output_config?.format?.schema) ?? size(output_config?.format?.schema)

const rules: ReadonlyArray<Rule> = [malformed, roles, words, pairs, offered, thinking, limits]

/** Anthropic's error message; undefined if it accepts the request. */
export const breach = (body: unknown): string | undefined => first(rules, (rule) => rule(body as Body))
