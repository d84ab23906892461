/**
 * Tools ready to run: ours, and those of `@effect/ai` toolkits.
 *
 * @since 0.1.0
 */
import * as AiTool from "@effect/ai/Tool"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ToolkitLike } from "../AgentOptions.js"
import * as Tool from "../Tool.js"
import type { CompiledTool, Values } from "./Definition.js"

/** A callback's result as an Effect that needs nothing. */
export const effectOf = <A>(result: unknown, services: Context.Context<never>): Effect.Effect<A, unknown> =>
  Effect.isEffect(result)
    // What the callback needs is in `services`: its requirements are part of `make`'s.
    ? Effect.provide(result as Effect.Effect<A, unknown, never>, services)
    : Effect.succeed(result as A)

const flag =
  (given: boolean | ((args: never) => boolean) | undefined, byDefault: (args: unknown) => boolean) =>
  (args: unknown): boolean => typeof given === "function" ? given(args as never) : given ?? byDefault(args)

const no = () => false

/** Makes one of our own tools runnable. */
export const compileTool = (given: object, services: Context.Context<never>): CompiledTool => {
  const tool = Tool.optionsOf(given) as Tool.ToolOptions<Values, Values, never>
  const parameters = Schema.Struct(tool.parameters ?? {}) as never as Schema.Schema<unknown, unknown>
  const isReadOnly = flag(tool.isReadOnly, no)
  const need = tool.needsApproval
  return {
    id: tool.id,
    description: tool.description,
    jsonSchema: AiTool.getJsonSchemaFromSchemaAst(parameters.ast),
    hosted: undefined,
    decode: Schema.decodeUnknown(parameters, { errors: "all" }),
    validateInput: tool.validateInput === undefined
      ? undefined
      : (args, ctx) => Effect.suspend(() => effectOf(tool.validateInput!(args as never, ctx), services)),
    checkPermissions: tool.checkPermissions === undefined
      ? undefined
      : (args, ctx) =>
        Effect.suspend(() => effectOf<Tool.Permission>(tool.checkPermissions!(args as never, ctx), services)),
    needsApproval: (args, ctx) =>
      Effect.suspend(() =>
        effectOf<Tool.ApprovalNeed>(typeof need === "function" ? need(args as never, ctx) : need ?? false, services)
      ),
    handler: (args, ctx) => Effect.suspend(() => effectOf(tool.handler(args as never, ctx), services)),
    encode: tool.success === undefined
      ? Effect.succeed
      : Schema.encodeUnknown(tool.success as Schema.Schema<unknown, unknown>),
    isReadOnly,
    isConcurrencySafe: flag(tool.isConcurrencySafe, isReadOnly),
    isDestructive: flag(tool.isDestructive, no),
    timeout: tool.timeout === undefined ? undefined : Duration.decode(tool.timeout),
    maxResultSizeChars: tool.maxResultSizeChars ?? 20_000,
    interruptBehavior: tool.interruptBehavior ?? "cancel",
    onFailure: tool.onFailure ?? "result"
  }
}

/** Makes a tool of an `@effect/ai` toolkit runnable; its annotations say what kind of tool it is. */
export const fromToolkit = (toolkit: ToolkitLike, tool: AiTool.Any, services: Context.Context<never>): CompiledTool => {
  // Tools that a provider runs have none.
  const annotations: Context.Context<never> = AiTool.isProviderDefined(tool) ? Context.empty() : tool.annotations
  const isReadOnly = Context.get(annotations, AiTool.Readonly)
  const annotated = (ref: typeof AiTool.Readonly | typeof AiTool.Destructive) => annotations.unsafeMap.has(ref.key)
  return {
    id: tool.name,
    description: AiTool.getDescription(tool as never),
    jsonSchema: AiTool.getJsonSchema(tool as never),
    hosted: AiTool.isProviderDefined(tool) && !tool.requiresHandler ? tool : undefined,
    decode: (params) =>
      Effect.as(
        Schema.decodeUnknown(tool.parametersSchema as never as Schema.Schema<unknown, unknown>)(params),
        params
      ),
    validateInput: undefined,
    checkPermissions: undefined,
    needsApproval: () => Effect.succeed(false),
    handler: (params) =>
      Effect.suspend(() =>
        effectOf<{ isFailure: boolean; encodedResult: unknown }>(
          toolkit.handle(tool.name as never, params as never),
          services
        )
      ).pipe(
        Effect.flatMap(({ encodedResult, isFailure }) =>
          isFailure ? Effect.fail(encodedResult) : Effect.succeed(encodedResult)
        )
      ),
    encode: Effect.succeed,
    isReadOnly: () => isReadOnly,
    isConcurrencySafe: () => isReadOnly,
    // `Destructive` defaults to true in `@effect/ai`: only what was said counts.
    isDestructive: () => annotated(AiTool.Destructive) && Context.get(annotations, AiTool.Destructive),
    timeout: undefined,
    maxResultSizeChars: 20_000,
    interruptBehavior: "cancel",
    onFailure: "result"
  }
}
