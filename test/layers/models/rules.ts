/** Vendors' rules for every request: each function returns the vendor's error message, or undefined. */

type Fields = Readonly<Record<string, unknown>>

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? value as Fields : {})
const list = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fields) : [])

/** A message with its calls and results. */
interface Said {
  readonly role: string
  readonly calls: ReadonlyArray<unknown>
  readonly results: ReadonlyArray<unknown>
}

const repeated = (ids: ReadonlyArray<unknown>) => ids.find((id, i) => ids.indexOf(id) !== i)

/** Every call is followed by its result before any other message, and every result has its call. */
const pairs = (said: ReadonlyArray<Said>): string | undefined => {
  let open: ReadonlyArray<unknown> = []
  for (const { calls, results, role } of said) {
    const twice = repeated(results)
    if (twice !== undefined) return `tool call '${String(twice)}' has more than one result`
    const alone = results.find((id) => !open.includes(id))
    if (alone !== undefined) return `No tool call found for function call output with call_id ${String(alone)}.`
    open = open.filter((id) => !results.includes(id))
    if (open.length > 0 && results.length === 0) {
      return `An assistant message with 'tool_calls' must be followed by tool messages: ${open.join()} before ${role}`
    }
    open = [...open, ...calls]
  }
  return open.length === 0 ? undefined : `No tool output found for function call ${open.join()}.`
}

/** Why a body is no UTF-8: a text or a key has a lone surrogate. */
export const malformed = (body: unknown): string | undefined => {
  const all = typeof body === "object" && body !== null ? Object.entries(body).flat() : [body]
  for (const one of all) {
    const why = typeof one !== "string"
      ? one === body ? undefined : malformed(one)
      : /\p{Surrogate}/u.test(one)
      ? `The request body is not valid JSON: lone surrogate in ${JSON.stringify(one)}`
      : undefined
    if (why !== undefined) return why
  }
  return undefined
}

/** Why the arguments of a call are refused: they are a JSON object, written as text. */
const badArguments = (all: ReadonlyArray<unknown>): string | undefined => {
  for (const given of all) {
    try {
      const value: unknown = JSON.parse(String(given))
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return `Invalid 'arguments': expected a JSON object, but got ${String(given)}`
      }
      const why = malformed(value)
      if (why !== undefined) return why
    } catch {
      return `Invalid 'arguments': ${String(given)} is not JSON`
    }
  }
  return undefined
}

const tooLong = (all: ReadonlyArray<unknown>, most: number): string | undefined => {
  const long = all.find((id) => String(id).length > most)
  return long === undefined
    ? undefined
    : `Invalid call id ${String(long)}: string too long. Expected a string with maximum length ${most}`
}

const badName = (names: ReadonlyArray<unknown>): string | undefined => {
  const bad = names.find((name) => typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
  return bad === undefined
    ? undefined
    : `Invalid function name '${
      String(bad)
    }': string does not match pattern. Expected a string that matches '^[a-zA-Z0-9_-]+$'.`
}

const ids = (said: ReadonlyArray<Said>): string | undefined => {
  const all = said.flatMap(({ calls }) => calls)
  if (all.some((id) => typeof id !== "string" || id === "")) return "Invalid tool call id: empty string"
  const twice = repeated(all)
  return twice === undefined ? undefined : `Duplicate tool call id ${String(twice)}`
}

/** Arrays without items, lists of schemas in place of one, and references without a definition. */
const broken = (schema: unknown, definitions: Fields): string | undefined => {
  if (Array.isArray(schema)) {
    for (const each of schema) {
      const why = broken(each, definitions)
      if (why !== undefined) return why
    }
    return undefined
  }
  if (typeof schema !== "object" || schema === null) return undefined
  const { $id, $ref, items, type } = schema as Fields
  if (typeof $id === "string") return `'$id' is not permitted: ${$id}`
  if (type === "array" && items === undefined) return "array schema missing items"
  if (Array.isArray(items)) return `${JSON.stringify(items)} is not of type 'object', 'boolean'`
  if (typeof $ref === "string" && !($ref.replace("#/$defs/", "") in definitions)) return `${$ref} is not defined`
  for (const each of Object.values(schema)) {
    const why = broken(each, definitions)
    if (why !== undefined) return why
  }
  return undefined
}

/** Why the offered tools are refused. */
export const tools = (given: ReadonlyArray<readonly [name: unknown, schema: unknown]>): string | undefined => {
  for (const [name, schema] of given) {
    if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) return `Invalid function name ${String(name)}`
    const { $defs, type } = fields(schema)
    if (type !== "object") {
      return `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'`
    }
    const why = broken(schema, fields($defs))
    if (why !== undefined) return `Invalid schema for function '${name}': ${why}`
  }
  const twice = repeated(given.map(([name]) => name))
  return twice === undefined ? undefined : `Tool names must be unique: ${String(twice)}`
}

const first = (...checks: ReadonlyArray<() => string | undefined>): string | undefined => {
  for (const check of checks) {
    const why = check()
    if (why !== undefined) return why
  }
  return undefined
}

const known = (said: ReadonlyArray<Said>, roles: ReadonlyArray<string>): string | undefined => {
  const other = said.find(({ role }) => !roles.includes(role))
  return other === undefined ? undefined : `Invalid value: '${other.role}'. Supported values are: ${roles.join()}`
}

const strictKeywords = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref", "$defs"],
  ...["title", "description", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum"],
  ...["exclusiveMaximum", "minItems", "maxItems"]
])

const strictFormats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]

interface Counted {
  properties: number
  values: number
}

/** Why OpenAI's strict mode refuses a schema, according to its guide to structured outputs. */
const strictly = (given: unknown, at: string, levels: number, counted: Counted): string | undefined => {
  const schema = fields(given)
  const unknown = Object.keys(schema).find((keyword) => !strictKeywords.has(keyword))
  const names = Object.keys(fields(schema.properties))
  counted.properties += names.length
  counted.values += Array.isArray(schema.enum) ? schema.enum.length : 0
  if (unknown !== undefined) return `In context=(${at}), '${unknown}' is not permitted`
  if (schema.type === undefined && schema.anyOf === undefined && schema.$ref === undefined) {
    return `In context=(${at}), schema must have a 'type' key`
  }
  if (typeof schema.format === "string" && !strictFormats.includes(schema.format)) {
    return `In context=(${at}), '${schema.format}' is not a valid format`
  }
  if ([schema.type].flat().includes("object")) {
    if (levels >= 10) return `${levels + 1} levels of nesting exceeds limit of 10`
    if (schema.additionalProperties !== false) {
      return `In context=(${at}), 'additionalProperties' is required to be supplied and to be false`
    }
    const required = Array.isArray(schema.required) ? schema.required : []
    const optional = [
      ...names.filter((name) => !required.includes(name)),
      ...required.filter((name) => !names.includes(name))
    ]
    if (optional.length > 0) {
      return `In context=(${at}), 'required' is required to be supplied and to be an array including every key in properties. Missing '${
        optional[0]
      }'`
    }
  }
  if ([schema.type].flat().includes("array") && typeof schema.items !== "object") {
    return `In context=(${at}), array schema missing items`
  }
  const below = [
    ...Object.entries(fields(schema.properties)),
    ...(Array.isArray(schema.anyOf) ? schema.anyOf.map((one, i) => [`anyOf${i}`, one] as const) : []),
    ...(schema.items === undefined ? [] : [["items", schema.items] as const])
  ]
  for (const [name, one] of below) {
    const why = strictly(one, `${at}.${name}`, levels + (names.length > 0 ? 1 : 0), counted)
    if (why !== undefined) return why
  }
  return undefined
}

/** Why a schema with `strict: true` is refused. */
const strict = ({ name, parameters, schema = parameters, strict }: Fields): string | undefined => {
  if (strict !== true) return undefined
  const counted = { properties: 0, values: 0 }
  const why = fields(schema).type !== "object"
    ? "schema must be a JSON Schema of 'type: \"object\"'"
    : strictly(schema, "", 0, counted) ??
      (counted.properties > 5000 || counted.values > 1000
        ? "exceeds the limit of properties or enum values"
        : undefined)
  return why === undefined ? undefined : `Invalid schema for '${String(name)}': ${why}`
}

const anyStrict = (schemas: ReadonlyArray<Fields>): string | undefined => {
  for (const schema of schemas) {
    const why = strict(schema)
    if (why !== undefined) return why
  }
  return undefined
}

/** The Responses API: a flat list of items. */
export const openai = (body: unknown): string | undefined => {
  const { input, text, tools: offered } = fields(body)
  const items = list(input)
  const said = items.filter(({ type }) => type !== "reasoning").map((item): Said =>
    item.type === "function_call"
      ? { role: "assistant", calls: [item.call_id], results: [] }
      : item.type === "function_call_output"
      ? { role: "tool", calls: [], results: [item.call_id] }
      : { role: String(item.role ?? "assistant"), calls: [], results: [] }
  )
  // Calls of one answer stand next to each other.
  const joined = said.reduce<Array<Said>>((all, each) => {
    const last = all[all.length - 1]
    if (last === undefined || last.calls.length === 0 || each.calls.length === 0) return [...all, each]
    return [...all.slice(0, -1), { ...last, calls: [...last.calls, ...each.calls] }]
  }, [])
  const lonely = items.find(({ type }, i) =>
    type === "reasoning" && (items[i + 1]?.role ?? "assistant") !== "assistant"
  )
  return first(
    () => malformed(body),
    () => items.length === 0 ? "One of 'input' must be provided." : undefined,
    () =>
      items.some(({ content }) => content === "" || (Array.isArray(content) && content.length === 0)) ||
        items.some(({ content }) => list(content).some(({ text }) => text === ""))
        ? "Invalid 'input': a message has no content"
        : undefined,
    () => badArguments(items.flatMap((item) => item.type === "function_call" ? [item.arguments] : [])),
    () => tooLong(items.flatMap(({ call_id }) => call_id === undefined ? [] : [call_id]), 64),
    () => known(said, ["system", "developer", "user", "assistant", "tool"]),
    () => ids(said),
    () => badName(items.flatMap(({ name, type }) => type === "function_call" ? [name] : [])),
    () => pairs(joined),
    () =>
      lonely === undefined ? undefined : "Item of type 'reasoning' was provided without its required following item.",
    () => tools(list(offered).filter(({ type }) => type === "function").map((tool) => [tool.name, tool.parameters])),
    () => anyStrict([...list(offered).filter(({ type }) => type === "function"), fields(fields(text).format)])
  )
}

/** Chat completions: the results of a message's calls follow it. */
export const chat = (body: unknown): string | undefined => {
  const { messages, tools: offered } = fields(body)
  const all = list(messages)
  const said = all.map((message): Said => ({
    role: String(message.role),
    calls: list(message.tool_calls).map(({ id }) => id),
    results: message.role === "tool" ? [message.tool_call_id] : []
  }))
  const late = all.findIndex(({ role }, i) => role === "system" && i > 0)
  const silent = all.findIndex(({ content, role, tool_calls }) =>
    role !== "tool" && tool_calls === undefined &&
    (content === undefined || content === null || content === "" || (Array.isArray(content) && content.length === 0))
  )
  return first(
    () => malformed(body),
    () => all.length === 0 ? "[] is too short - 'messages'" : undefined,
    () => badArguments(all.flatMap(({ tool_calls }) => list(tool_calls).map(({ function: f }) => fields(f).arguments))),
    () => tooLong(said.flatMap(({ calls, results }) => [...calls, ...results]), 40),
    () => known(said, ["system", "user", "assistant", "tool"]),
    () => late < 0 ? undefined : `System message must be at the beginning, found at messages[${late}]`,
    () => silent < 0 ? undefined : `Invalid value for 'content': expected a string, got null at messages[${silent}]`,
    () => ids(said),
    () => badName(all.flatMap(({ tool_calls }) => list(tool_calls).map(({ function: f }) => fields(f).name))),
    () => pairs(said),
    () =>
      tools(
        list(offered).filter(({ type }) => type === "function").map(({ function: f }) => [
          fields(f).name,
          fields(f).parameters
        ])
      )
  )
}

/** A server whose chat template refuses two messages of the user, or of the model, in a row. */
export const templated = (rules: (body: unknown) => string | undefined) => (body: unknown): string | undefined => {
  const all = list(fields(body).messages)
  const wrong = all.findIndex(({ role }, i) => (role === "user" || role === "assistant") && all[i - 1]?.role === role)
  return rules(body) ??
    (wrong < 0
      ? undefined
      : `Conversation roles must alternate user/assistant/user/assistant/..., ${String(all[wrong]!.role)} at ${wrong}`)
}

/** Mistral's chat completions: a stricter order, ids of nine characters, and no unknown fields. */
export const mistral = (body: unknown): string | undefined => {
  const { messages, stream_options } = fields(body)
  const all = list(messages)
  const after: Record<string, ReadonlyArray<string>> = {
    system: ["system", "user", "assistant"],
    user: ["user", "assistant", "system"],
    assistant: ["user", "assistant", "tool"],
    tool: ["tool", "assistant"]
  }
  const wrong = all.findIndex(({ role }, i) => i > 0 && !after[String(all[i - 1]!.role)]!.includes(String(role)))
  const ids = all.flatMap(({ tool_call_id, tool_calls }) => [
    ...list(tool_calls).map(({ id }) => id),
    ...tool_call_id === undefined ? [] : [tool_call_id]
  ])
  const id = ids.find((one) => !/^[a-zA-Z0-9]{9}$/.test(String(one)))
  const last = String(all.at(-1)?.role)
  const extra = all.flatMap(Object.keys).find((key) =>
    !["role", "content", "tool_calls", "tool_call_id", "name"].includes(key)
  )
  const part = all.flatMap(({ content }) => list(content)).find(({ type }) =>
    !["text", "image_url", "document_url", "input_audio", "thinking"].includes(String(type))
  )
  return first(
    () =>
      wrong < 0
        ? undefined
        : `Unexpected role '${String(all[wrong]!.role)}' after role '${String(all[wrong - 1]!.role)}'`,
    () =>
      id === undefined ? undefined : `Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with a length of 9.`,
    () =>
      last === "user" || last === "tool"
        ? undefined
        : `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`,
    () => extra === undefined ? undefined : `Extra inputs are not permitted: messages.${extra}`,
    () => stream_options === undefined ? undefined : "Extra inputs are not permitted: stream_options",
    () => part === undefined ? undefined : `Input tag '${String(part.type)}' found using 'type' does not match`,
    () => chat(body)
  )
}

/** DeepSeek's chat completions: only text, alternating roles, JSON without a schema. */
export const deepseek = (body: unknown): string | undefined => {
  const { messages, response_format } = fields(body)
  const all = list(messages)
  const twice = all.find(({ role, tool_calls }, i) =>
    i > 0 && role !== "tool" && role === all[i - 1]!.role && tool_calls === undefined &&
    all[i - 1]!.tool_calls === undefined
  )
  const part = all.flatMap(({ content }) => list(content)).find(({ type }) => type !== "text")
  const format = fields(response_format).type
  return first(
    () => twice === undefined ? undefined : "does not support successive user or assistant messages",
    () => part === undefined ? undefined : `unknown variant \`${String(part.type)}\`, expected \`text\``,
    () => format === "json_schema" ? "This response_format type is unavailable now" : undefined,
    () =>
      format === "json_object" && !/json/i.test(JSON.stringify(messages))
        ? "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'."
        : undefined,
    () => chat(body)
  )
}
