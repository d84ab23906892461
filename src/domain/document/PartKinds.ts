/** The form of the options of an agent in a document: each option by its kind, the others by their structure. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { AgentOptions } from "../authored/AgentOptions.js"
import { Choice } from "../authored/Form.js"
import { isSignal, Signal } from "../authored/Signal.js"
import { isToolCall } from "../authored/Tool.js"
import { isJson, isJsonObject, Json, recordOf } from "../base/Json.js"
import * as OptionForm from "../code/OptionForm.js"
import * as Erase from "../definition/Erase.js"
import * as CallArguments from "./CallArguments.js"
import * as DocumentPiece from "./DocumentPiece.js"
import * as FieldShape from "./FieldShape.js"
import * as Kind from "./Kind.js"

const name = Schema.NonEmptyString

/** Reads a tool that is not given by its name. */
const ownTool = (written: unknown, path: string, { handled }: Kind.ReadOperations): unknown =>
  Predicate.isObject(written) ? handled("tools", written, path) : written

/** A tool of a flow or a step: the name of a tool in the registry, or the id of one of the agent's tools. */
const tool: Kind.Kind = {
  schema: name,
  read: (written, path, reading) => {
    if (!Predicate.isString(written)) return ownTool(written, path, reading)
    const found = reading.has("tools", written) ? reading.named("tools", written, path) : written
    // A function is the handler of a tool that the definition declares; a name of such a tool is its id.
    return Predicate.isFunction(found) ? written : found
  },
  write: (value, path, writing) => typeof value === "string" ? value : writing.nameOf("tools", value, path) ?? ""
}

/** A tool of the agent: the name of a tool in the registry. */
const toolOfAgent: Kind.Kind = {
  ...tool,
  read: (written, path, reading) =>
    Predicate.isString(written) && !reading.has("tools", written)
      ? reading.named("tools", written, path) ?? { id: written, handler: () => "" }
      : tool.read(written, path, reading)
}

/**
 * A call of a tool. Its arguments are the result of a hook, or are written in the document, where each string is an
 * expression.
 */
const call: Kind.Kind = {
  schema: Schema.Struct({
    tool: name,
    arguments: Schema.optional(Schema.Record({ key: Schema.String, value: Json })),
    hook: Schema.optional(name)
  }).annotations({ identifier: "Call" }),
  read: (written, path, reading) => {
    if (isToolCall(written)) {
      const { args, tool } = Erase.toolCall(written)
      return { ...written, args, tool: reading.handled("tools", tool, `${path}.tool`) }
    }
    if (!Predicate.isRecord(written) || !Predicate.isString(written.tool)) return written
    const found = reading.named("tools", written.tool, `${path}.tool`)
    const { arguments: given, hook } = written
    const args = Predicate.isString(hook)
      ? reading.named("hooks", hook, `${path}.hook`)
      : CallArguments.read(written.tool, found, isJson(given) ? given : {}, `${path}.arguments`, reading)
    if (!Predicate.isObject(found) || !isJsonObject(written)) return neverCalled
    return DocumentPiece.from(called(found, args), written)
  },
  write: (value, path, writing) => {
    const origin = isToolCall(value) ? DocumentPiece.of(value) : undefined
    if (origin !== undefined || !isToolCall(value)) return origin ?? writing.json(value, path)
    const { args, tool } = Erase.toolCall(value)
    const id = writing.nameOf("tools", tool, `${path}.tool`) ?? ""
    if (typeof args === "function") return { tool: id, hook: writing.nameOf("hooks", args, `${path}.arguments`) ?? "" }
    return { tool: id, arguments: quoted(writing.json(args, `${path}.arguments`)) }
  }
}

/** Replaces a refused call, so that no further issues of this call are reported. */
const unknown = { id: "unknown", handler: () => "" }
const neverCalled = Erase.makeTool(unknown).with({})

/** Returns the call of a tool of the registry; the tool is a literal or was made by a kit. */
const called = (found: object, args: unknown): object => {
  if (Predicate.hasProperty(found, "with") && Predicate.isFunction(found.with)) return found.with(args)
  const { id } = recordOf(found)
  const made = Erase.makeTool({ ...found, id: Predicate.isString(id) ? id : "" })
  return { ...made.with({}), tool: found, args }
}

/** Quotes each text, so that it becomes an expression with this text as its value. */
const quoted = (value: Json): Json =>
  typeof value === "string"
    ? JSON.stringify(value)
    : Array.isArray(value)
    ? value.map(quoted)
    : isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, quoted(one)]))
    : value

const choices = Kind.orRef("hooks", Kind.plain(Schema.Array(Choice)))

const stepChoices = Kind.either(
  Kind.each(choices),
  choices,
  (u) => Predicate.isRecord(u) && !(Object.keys(u).length === 1 && Predicate.isString(u.hook))
)

/** The kind of a Schema, which is written in the form of a field. */
export const field = Kind.schema(FieldShape.FieldShape)

/** A signal: written in full, or as a reference to the registry. */
const signal = (): Kind.Kind => {
  const options = kindOf(Signal.ast)
  return Kind.orRef("signals", {
    ...options,
    read: (written, path, reading) =>
      isSignal(written) ? reading.handled("signals", written, path) : options.read(written, path, reading),
    write: (value, path, writing) =>
      options.write(Predicate.isObject(value) ? Erase.signal(value) : value, path, writing)
  })
}

const handlers = Kind.each(Kind.handler)

/** The kinds whose form in a document is not that of their structure, which they may contain. */
const byKind: { readonly [K in OptionForm.Kind]?: (inside: Kind.Kind) => Kind.Kind } = {
  predicate: () => Kind.condition(),
  predicates: () => Kind.oneOrMany(Kind.condition()),
  resultPredicates: () => Kind.oneOrMany(Kind.condition(true)),
  hook: () => Kind.hook,
  interruption: () => Kind.orRef("hooks", Kind.plain(Schema.Literal("suspend", "drop", "complete"))),
  choices: () => stepChoices,
  value: () => Kind.onlyRef("values"),
  valueOrJson: (inside) => Kind.orRef("values", inside),
  text: () => Kind.text,
  texts: () => Kind.texts,
  when: () => Kind.when,
  target: () => Kind.target,
  handlers: () => handlers,
  after: () => handlers,
  tool: () => tool,
  toolOfAgent: () => toolOfAgent,
  toolkit: () => Kind.onlyRef("toolkits"),
  signal,
  guardrail: (inside) => Kind.orRef("guardrails", inside),
  call: () => call,
  earlier: () => Kind.orRef("values", Kind.suspend("Agent", () => agent)),
  schema: () => field,
  duration: () => Kind.duration,
  durationOrZero: () => Kind.duration
}

/** Removes `undefined`, which the Schema of an optional property has. */
const withoutUndefined = (ast: AST.AST): AST.AST =>
  AST.isUnion(ast) && ast.types.some(AST.isUndefinedKeyword)
    ? AST.Union.make(ast.types.filter((one) => !AST.isUndefinedKeyword(one)))
    : ast

/** Returns the kind of an option. */
const kindOf = (ast: AST.AST): Kind.Kind => {
  const { kind, structure } = OptionForm.formOf(ast)
  const inside = structured(structure, withoutUndefined(ast))
  return kind === undefined ? inside : byKind[kind]?.(inside) ?? inside
}

const structured = (structure: OptionForm.Structure, ast: AST.AST): Kind.Kind => {
  switch (structure._tag) {
    case "Plain":
      return Kind.plain(Schema.make(ast))
    case "Options":
      return Kind.part(structure.name, kindsOf(structure), requiredIn(structure))
    case "List":
      return Kind.list(kindOf(structure.item), structure.isFilled)
    case "Record":
      return Kind.each(kindOf(structure.value))
    case "Either":
      return eitherOf(structure.members)
  }
}

const kindsOf = ({ options }: OptionForm.Options): Readonly<Record<string, Kind.Kind>> =>
  Object.fromEntries(options.map(({ ast, byDefault, name }) => [name, withDefault(kindOf(ast), byDefault)]))

/** Tells editors the default of an option, in the JSON Schema; not an empty list or record. */
const withDefault = (kind: Kind.Kind, byDefault: unknown): Kind.Kind =>
  byDefault === undefined || Predicate.isObject(byDefault)
    ? kind
    : { ...kind, schema: kind.schema.annotations({ default: byDefault }) }

const requiredIn = ({ options }: OptionForm.Options): ReadonlyArray<string> =>
  options.flatMap(({ isRequired, name }) => isRequired ? [name] : [])

const hasKind = (ast: AST.AST): boolean => OptionForm.formOf(ast).kind !== undefined

const eitherOf = (members: ReadonlyArray<AST.AST>): Kind.Kind => {
  const ordered = [...members.filter((ast) => !hasKind(ast)), ...members.filter(hasKind)]
  const kinds = new Map(ordered.map((ast) => [ast, kindOf(ast)] as const))
  return Kind.oneOf(Array.from(kinds.values()), (u) => kinds.get(OptionForm.alternativeOf(members, u)!)!)
}

/** The options of an agent. */
export const agent: Kind.Kind = kindOf(AgentOptions.ast)

/** The Schema of a document: the options of an agent, and the given fields. */
export const document = (
  declared: Readonly<Record<string, Schema.Schema.AnyNoContext>>
): Schema.Schema.AnyNoContext => {
  const { structure } = OptionForm.formOf(AgentOptions.ast)
  if (structure._tag !== "Options") return agent.schema
  const kinds = Object.fromEntries(Object.entries(declared).map(([name, schema]) => [name, Kind.plain(schema)]))
  return Kind.part("FlowDocument", { ...kinds, ...kindsOf(structure) }, requiredIn(structure)).schema
}
