/** Compiles tools: our own, and those of `@effect/ai` toolkits. */
import * as AiTool from "@effect/ai/Tool"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ParseError } from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as Struct from "effect/Struct"
import type { ToolkitLike } from "../../authored/AgentOptions.js"
import type { ToolContext } from "../../authored/Tool.js"
import { isTool, Tool } from "../../authored/Tool.js"
import { DataValidationError, FlowConfigurationError } from "../../base/error/Errors.js"
import type * as Excerpt from "../../base/error/Excerpt.js"
import { defaults, type Limits } from "../../base/error/Limits.js"
import { recordOf, toJson } from "../../base/Json.js"
import * as CallCode from "../../code/callCode.js"
import * as OptionForm from "../../code/OptionForm.js"
import * as Directive from "../../directive/Directive.js"
import type { Fields } from "../../fields/Fields.js"
import { checkAll, complaints, fromStruct } from "../../fields/Fields.js"
import * as Arguments from "../../fields/schema/Arguments.js"
import { askedSchemaOf } from "../../fields/schema/AskedSchema.js"
import { zoneOf } from "../../language/TimeAndLocale.js"
import * as UnknownValues from "../../language/UnknownValues.js"
import type { Sinking } from "../../origin/accept.js"
import * as Accept from "../../origin/accept.js"
import * as Approval from "../../session/Approval.js"
import * as Defaults from "../Defaults.js"
import type { CompiledTool, Values } from "../Definition.js"
import { listOf } from "../Definition.js"
import * as Erase from "../Erase.js"

/** The services that a tool's code needs, and the fields it may write. */
export interface Surroundings {
  readonly services: Context.Context<never>
  readonly fields: Fields
  readonly contextFields: Fields
  /** The agent's time zone; default UTC. */
  readonly timeZone?: string
  /** The limits on how much of a wrong value errors may quote. */
  readonly excerpts?: Excerpt.Options
  /** The default for `toolResult`, the maximum length of a result, for tools without a limit of their own. */
  readonly limits?: Pick<Limits, "toolResult">
}

/** Returns a function that evaluates a flag. It returns `unclear` if the flag's code does not return a boolean. */
const flag = (
  given: boolean | ((args: unknown) => unknown) | undefined,
  byDefault: (args: unknown) => boolean,
  unclear: boolean
) =>
(args: unknown): boolean => {
  if (typeof given !== "function") return given ?? byDefault(args)
  const said = given(args)
  if (CallCode.refusedKind(said) !== undefined) return unclear
  return typeof said === "boolean" ? said : unclear
}

const no = () => false

const defaultOptions = OptionForm.defaultsOf(Tool)

/** True if a flag is set, or if code decides it. */
const mayBe = (given: unknown): boolean => given === true || typeof given === "function"

const longestResult = ({ limits = defaults }: Surroundings): number => limits.toolResult

/** The value as JSON, without `undefined` parts; None if it cannot be encoded. */
const jsonOf = Option.liftThrowable(toJson)

/** Maps the error of a Schema to text. */
const told = ({ excerpts }: Surroundings) => <A>(read: Effect.Effect<A, ParseError>): Effect.Effect<A, string> =>
  Effect.mapError(read, (error) => complaints(error, excerpts))

/** Returns the time zone in which the arguments of a call are read. */
const zone = ({ timeZone = "UTC" }: Surroundings, context: Values = {}): string => zoneOf(context, timeZone)

const encoder = (success: Schema.Schema<unknown, unknown>, surroundings: Surroundings) => {
  const encode = Schema.encodeUnknown(success)
  return (value: unknown) => told(surroundings)(encode(value))
}

/** Returns a function that computes a value on first use, because most tools never need approval. */
const memo = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/**
 * Returns the Schema of parameters: they are given as a record of fields or, for a tool that was described elsewhere,
 * as one Schema.
 */
const parametersOf = (given: Schema.Struct.Fields | undefined): Schema.Schema<unknown, unknown> =>
  Schema.make(Schema.isSchema(given) ? given.ast : Schema.Struct(given ?? {}).ast)

const fieldsOf = (given: Schema.Struct.Fields | undefined): Schema.Struct.Fields =>
  given === undefined || Schema.isSchema(given) ? {} : given

/** Returns the names that parameters have in the arguments of the model, for those that `Schema.fromKey` renames. */
const renamed = (ast: AST.AST): ReadonlyMap<string, string> => {
  if (AST.isRefinement(ast)) return renamed(ast.from)
  if (!AST.isTransformation(ast) || !AST.isTypeLiteralTransformation(ast.transformation)) return new Map()
  return new Map(
    ast.transformation.propertySignatureTransformations.map(({ from, to }) => [String(to), String(from)])
  )
}

const sinking = (
  { accepts: given, isDestructive, sends, trusted }: Erase.ErasedTool,
  nameOf: (parameter: string) => string
): Sinking => {
  const { accepts, otherwise } = Accept.read(given, nameOf)
  return {
    sends: flag(sends, no, true),
    hasEffect: mayBe(isDestructive) || mayBe(sends),
    isTrusted: trusted === true,
    accepts,
    otherwise,
    isSink: accepts !== "any" && (accepts !== undefined || mayBe(isDestructive) || mayBe(sends))
  }
}

type AnyToolContext = ToolContext<Values, Values>

/** The `autoApprove` of an approval need. If it is not a function it is ignored, so that a person is asked. */
const autoApproveOf = (need: unknown): ((args: unknown, ctx: AnyToolContext) => unknown) | undefined =>
  Predicate.isRecord(need) && typeof need.autoApprove === "function"
    ? need.autoApprove as (args: unknown, ctx: AnyToolContext) => unknown
    : undefined

/**
 * Returns the parts of an approval need that a decision depends on: its data and its code. If they change, the decision
 * is no longer valid.
 */
const approvalCode = (need: unknown): ReadonlyArray<unknown> => {
  const auto = autoApproveOf(need)
  return auto === undefined ? [need] : [Struct.omit(recordOf(need), "autoApprove"), auto]
}

/** Compiles one of our own tools. */
export const compileTool = (given: object, surroundings: Surroundings): CompiledTool => {
  const tool = Erase.tool(given)
  const call = CallCode.make(surroundings.services)
  const named = (part: string) => `tool:${tool.id}.${part}`
  const parameters = parametersOf(tool.parameters)
  const jsonSchema = askedSchemaOf(parameters)
  const read = Arguments.decode(parameters, jsonSchema)
  const fields = fromStruct(Schema.Struct(fieldsOf(tool.parameters)), { excerpts: surroundings.excerpts ?? {} })
  const names = renamed(parameters.ast)
  const nameOf = (parameter: string) => names.get(parameter) ?? parameter
  const isReadOnly = flag(tool.isReadOnly, no, false)
  const { checkPermissions, confirmation, needsApproval, validateInput } = tool
  const coded = (part: string, f: ((args: unknown, ctx: AnyToolContext) => unknown) | undefined) =>
    f && ((args: unknown, ctx: AnyToolContext) => call(named(part), () => f.call(tool, args, ctx)))
  /** Code that words a question from arguments and data that may be unknown. */
  const worded = (
    part: string,
    kind: typeof UnknownValues.text,
    f: (args: unknown, ctx: AnyToolContext) => unknown
  ) =>
  (args: unknown, ctx: AnyToolContext) =>
    UnknownValues.checked(named(part), kind, (view) => {
      const seen = UnknownValues.isPlain(args) ? view(args, `${tool.id}.`) : args
      return call(named(part), () => f.call(tool, seen, UnknownValues.within(ctx, view)))
    })
  return {
    ...Defaults.applied(tool, defaultOptions),
    id: tool.id,
    title: tool.title,
    description: tool.description,
    jsonSchema,
    hosted: undefined,
    decode: (params, context) =>
      told(surroundings)(Effect.map(read(params, zone(surroundings, context)), ({ args }) => args)),
    validateInput: coded("validateInput", validateInput),
    checkPermissions: coded("checkPermissions", checkPermissions),
    needsApproval: (args, ctx) =>
      Effect.flatMap(
        typeof needsApproval === "function"
          ? worded("needsApproval", UnknownValues.need, needsApproval)(args, ctx)
          : Effect.succeed(needsApproval ?? false),
        (need) => {
          const auto = autoApproveOf(need)
          if (auto === undefined) return Effect.succeed(need)
          const freed = call(named("needsApproval.autoApprove"), () => auto.call(need, args, ctx))
          return Effect.map(freed, (free) => free === true ? false : need)
        }
      ),
    confirmation: typeof confirmation === "function"
      ? worded("confirmation", UnknownValues.question, confirmation)
      : confirmation === undefined
      ? undefined
      : () => Effect.succeed(confirmation),
    paramsOf: (args) =>
      Effect.orElseSucceed(Schema.encodeUnknown(parameters)(args), () => args).pipe(
        Effect.map((params) => Option.getOrElse(jsonOf(params), () => null))
      ),
    parameters: fields,
    arguments: new Map(Array.from(fields, ([name, field]) => [nameOf(name), field])),
    fingerprint: memo(() =>
      Approval.fingerprint({
        id: tool.id,
        description: tool.description,
        jsonSchema: toJson(jsonSchema),
        code: [
          tool.handler,
          validateInput,
          checkPermissions,
          ...approvalCode(needsApproval),
          ...listOf(confirmation)
        ]
      })
    ),
    handler: (args, ctx) => call(named("handler"), () => tool.handler(args, ctx)),
    encode: tool.success === undefined ? Effect.succeed : encoder(tool.success, surroundings),
    refuses: refuses(named("handler"), surroundings),
    isReadOnly,
    isConcurrencySafe: flag(tool.isConcurrencySafe, isReadOnly, false),
    isDestructive: flag(tool.isDestructive, no, true),
    ...sinking(tool, nameOf),
    timeout: tool.timeout === undefined ? undefined : Duration.decode(tool.timeout),
    maxResultSizeChars: tool.maxResultSizeChars ?? longestResult(surroundings),
    files: tool.files
  }
}

/** The error for a malformed directive, or for one that writes invalid values. */
const refuses = (emitter: string, { contextFields, fields }: Surroundings): CompiledTool["refuses"] => (directive) => {
  const [first, ...rest] = Directive.issues(directive, emitter)
  if (first !== undefined) return new FlowConfigurationError({ issues: [first, ...rest] })
  const wrong = [
    ...checkAll(fields, Directive.dataOf(directive)),
    ...checkAll(contextFields, directive.contextUpdate ?? {})
  ]
  return wrong.length === 0 ? undefined : DataValidationError.of(emitter, wrong, "nothing of this was written")
}

/** Compiles a tool of a toolkit: one of our own, or one of `@effect/ai`. */
export const fromToolkit = (
  toolkit: ToolkitLike,
  tool: ToolkitLike["tools"][string],
  surroundings: Surroundings
): CompiledTool => isTool(tool) ? compileTool(tool, surroundings) : foreign(toolkit, tool, surroundings)

/** Compiles a tool of `@effect/ai`, with its properties read from the tool's annotations. */
const foreign = (toolkit: ToolkitLike, tool: AiTool.Any, surroundings: Surroundings): CompiledTool => {
  const call = CallCode.make(surroundings.services)
  // Tools that a provider runs have no annotations.
  const annotations: Context.Context<never> = AiTool.isProviderDefined(tool) ? Context.empty() : tool.annotations
  const isReadOnly = Context.get(annotations, AiTool.Readonly)
  const annotated = (ref: typeof AiTool.Readonly | typeof AiTool.Destructive) => annotations.unsafeMap.has(ref.key)
  // `Destructive` defaults to true in `@effect/ai`: only an explicit annotation counts.
  const isDestructive = annotated(AiTool.Destructive) && Context.get(annotations, AiTool.Destructive)
  const parameters = Schema.make<unknown, unknown>(tool.parametersSchema.ast)
  const jsonSchema = AiTool.getJsonSchemaFromSchemaAst(parameters.ast)
  const read = Arguments.decode(parameters, jsonSchema)
  return {
    ...defaultOptions,
    id: tool.name,
    title: Option.getOrUndefined(Context.getOption(annotations, AiTool.Title)),
    description: tool.description ?? AiTool.getDescriptionFromSchemaAst(parameters.ast),
    jsonSchema,
    hosted: AiTool.isProviderDefined(tool) && !tool.requiresHandler ? tool : undefined,
    decode: (params, context) =>
      told(surroundings)(Effect.map(read(params, zone(surroundings, context)), ({ params }) => params)),
    validateInput: undefined,
    checkPermissions: undefined,
    needsApproval: () => Effect.succeed(false),
    confirmation: undefined,
    paramsOf: (args) => Effect.succeed(Option.getOrElse(jsonOf(args), () => null)),
    parameters: new Map(),
    arguments: new Map(),
    fingerprint: memo(() =>
      Approval.fingerprint({
        id: tool.name,
        description: tool.description,
        jsonSchema: toJson(jsonSchema),
        code: []
      })
    ),
    handler: (params) =>
      Effect.flatMap(
        call(`tool:${tool.name}`, () => toolkit.handle(tool.name, params)),
        (result) =>
          !Predicate.isRecord(result)
            ? Effect.fail("its toolkit gave no result")
            : result.isFailure === true
            ? Effect.fail(result.encodedResult)
            : Effect.succeed(result.encodedResult)
      ),
    encode: Effect.succeed,
    refuses: refuses(`tool:${tool.name}`, surroundings),
    isReadOnly: () => isReadOnly,
    isConcurrencySafe: () => isReadOnly,
    isDestructive: () => isDestructive,
    sends: no,
    hasEffect: isDestructive,
    isTrusted: false,
    accepts: undefined,
    otherwise: "ask",
    isSink: isDestructive,
    timeout: undefined,
    maxResultSizeChars: longestResult(surroundings),
    files: undefined
  }
}
