/** The kinds of the parts of a document. Fields without a kind have the same form as in a definition. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { AgentOptions } from "../authored/AgentOptions.js"
import { Flow } from "../authored/Flow.js"
import { Choice } from "../authored/Form.js"
import { Guardrail } from "../authored/Guardrail.js"
import { Instruction } from "../authored/Instruction.js"
import { Signal } from "../authored/Signal.js"
import { Branch, Step } from "../authored/Step.js"
import { isToolCall } from "../authored/Tool.js"
import { isJson, isJsonObject, Json, recordOf } from "../base/Json.js"
import * as Migrations from "../code/Migrations.js"
import * as Erase from "../definition/Erase.js"
import * as ConsentOptions from "../language/consent/ConsentOptions.js"
import * as Part from "../session/part/Part.js"
import * as CallArguments from "./CallArguments.js"
import * as DocumentPiece from "./DocumentPiece.js"
import * as FieldShape from "./FieldShape.js"
import * as Kind from "./Kind.js"

const conditions = Kind.oneOrMany(Kind.condition())
const name = Schema.NonEmptyString

const instruction = Kind.part("Instruction", Instruction.fields, { if: conditions, when: Kind.when })

const instructions = Kind.list(Kind.either(instruction, Kind.plain(name), Predicate.isRecord))

/** A tool of a flow or a step: the name of a tool in the registry, or the id of one of the agent's tools. */
const tool: Kind.Kind = {
  schema: name,
  read: (written, path, { has, named }) =>
    Predicate.isString(written) && has("tools", written) ? named("tools", written, path) : written,
  write: (value, path, writing) => typeof value === "string" ? value : writing.nameOf("tools", value, path) ?? ""
}

/** A tool of the agent: the name of a tool in the registry. */
const agentTool: Kind.Kind = {
  ...tool,
  read: (written, path, { named }) =>
    Predicate.isString(written) ? named("tools", written, path) ?? { id: written, handler: () => "" } : written
}

const branches = Kind.list(
  Kind.part("Branch", Branch.fields, { if: conditions, when: Kind.when, then: Kind.target }, ["then"])
)

const handlers = Kind.each(Kind.handler)

const resultBranch = Kind.part(
  "ResultBranch",
  { id: Branch.fields.id },
  { if: Kind.oneOrMany(Kind.condition(true)), then: Kind.target },
  ["then"]
)

const resultTarget = Kind.either(Kind.list(resultBranch), Kind.target, Array.isArray)

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

const interruption = Kind.orRef("hooks", Kind.plain(Schema.Literal("suspend", "drop", "complete")))

const stepHooks = { onEnter: Kind.hook, onResume: Kind.hook, prepare: Kind.hook, finalize: Kind.hook }

const step = Kind.part("Step", Step.fields, {
  prompt: Kind.text,
  choices: stepChoices,
  tools: Kind.list(tool),
  until: Kind.condition(),
  reply: Kind.texts,
  confirm: Kind.either(Kind.plain(Schema.Literal(true)), Kind.texts, (u) => u === true),
  call,
  then: Kind.part("Then", {}, { ok: resultTarget, denied: resultTarget, invalid: resultTarget, failed: resultTarget }),
  when: Kind.when,
  if: conditions,
  skip: conditions,
  instructions,
  branches,
  on: handlers,
  after: handlers,
  onInterrupt: interruption,
  hooks: Kind.part("StepHooks", {}, { ...stepHooks, onExit: Kind.hook }),
  ...stepHooks
})

const flow = Kind.part("Flow", Flow.fields, {
  when: Kind.when,
  if: conditions,
  instructions,
  tools: Kind.list(tool),
  isComplete: conditions,
  steps: Kind.list(step, true),
  branches,
  onComplete: Kind.either(Kind.plain(name), Kind.hook, Predicate.isString),
  onCorrect: Kind.either(Kind.plain(Schema.Literal("update", "reopen")), Kind.hook, Predicate.isString),
  onInterrupt: interruption,
  onResume: Kind.hook,
  on: handlers,
  after: handlers,
  hooks: Kind.part("FlowHooks", {}, {
    onEnter: Kind.hook,
    onResume: Kind.hook,
    onExit: Kind.hook,
    onComplete: Kind.hook,
    onDataUpdate: Kind.hook,
    onContextUpdate: Kind.hook
  })
}, ["steps"])

/** The kind of a Schema, which is written in the form of a field. */
export const field = Kind.schema(FieldShape.FieldShape)

const written = Kind.part("Signal", Signal.fields, {
  when: Kind.when,
  if: conditions,
  extract: field,
  cooldown: Kind.duration,
  handler: Kind.hook
}, ["handler"])

/** A signal: written in full, or as a reference to the registry. */
const signal: Kind.Kind = Kind.orRef("signals", {
  ...written,
  write: (value, path, writing) =>
    Predicate.isRecord(value) && "options" in value && Predicate.isObject(value.options)
      ? written.write(value.options, path, writing)
      : written.write(value, path, writing)
})

const code = Kind.onlyRef("values")

const guardrail = Kind.orRef(
  "guardrails",
  Kind.part("Guardrail", Guardrail.fields, {
    check: code,
    when: Kind.when,
    rewrite: code,
    timeout: Kind.duration,
    reply: Kind.texts
  })
)

const guardrails = Kind.list(guardrail)

const durations = Object.fromEntries(
  ["firstToken", "model", "tool", "turn", "lock", "store"].map((of) => [of, Kind.duration])
)

const kinds = {
  persona: Kind.text,
  instructions,
  understanding: Kind.part("Understanding", {
    reasoning: Schema.optional(Schema.Literal("none", "brief")),
    flows: Schema.optional(Schema.Literal("scores", "choice"))
  }, { instructions: Kind.text }),
  knowledge: Kind.orRef("values", Kind.plain(Json)),
  tools: Kind.list(agentTool),
  policyPredicates: Kind.each(code),
  toolkits: Kind.list(Kind.onlyRef("toolkits")),
  flows: Kind.list(flow),
  branches,
  signals: Kind.list(signal),
  contextProvider: code,
  on: handlers,
  handOff: Kind.part("HandOff", { listen: Schema.optional(Schema.Boolean) }, { after: handlers }),
  hooks: Kind.part("AgentHooks", {}, {
    beforeRespond: Kind.hook,
    onContextUpdate: Kind.hook,
    onDataUpdate: Kind.hook
  }),
  shortlist: code,
  idle: Kind.either(
    Kind.plain(Schema.Literal("silent")),
    Kind.part("Idle", {}, { prompt: Kind.text }),
    Predicate.isString
  ),
  timeouts: Kind.part("Timeouts", {}, durations),
  guardrails: Kind.part("Guardrails", {}, {
    input: guardrails,
    output: guardrails,
    toolResults: guardrails,
    reply: Kind.texts
  }),
  consent: Kind.part("Consent", ConsentOptions.Options.fields, { recognise: code }),
  files: Kind.part("Files", Part.Options.fields, { caption: code }),
  retention: Kind.duration,
  migrations: Kind.part("Migrations", Migrations.Migrations.fields, {
    steps: Kind.each(code),
    earlier: Kind.list(Kind.orRef("values", Kind.suspend("Agent", (): Kind.Kind => agent)))
  }, ["steps"])
}
/** The options of an agent. */
export const agent: Kind.Kind = Kind.part("Agent", AgentOptions.fields, kinds)

/** The Schema of a document: the options of an agent, and the given fields. */
export const document = (declared: Schema.Struct.Fields): Schema.Schema.AnyNoContext =>
  Kind.part("FlowDocument", { ...declared, ...AgentOptions.fields }, kinds).schema
