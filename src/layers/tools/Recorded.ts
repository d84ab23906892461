/**
 * A `ToolExecutor` that writes the results of tools to a file, and returns results from the file instead of running the
 * tools: for tests and demos without a network, and for repeating a conversation exactly.
 *
 * @example
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import * as Recorded from "coxswain/layers/recorded"
 * import { Layer } from "effect"
 *
 * // The first run calls the tools and writes their answers, every later run repeats them.
 * const executor = Recorded.layer({ path: "weather.json" }).pipe(Layer.provide(NodeFileSystem.layer))
 * ```
 *
 * @since 0.1.0
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ToolExecutionError } from "../../domain/base/error/Errors.js"
import { canonical, isJson, Json, JsonObject } from "../../domain/base/Json.js"
import type { Directive } from "../../domain/directive/Directive.js"
import { returned } from "../../domain/session/ToolCall.js"
import * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import * as Writing from "../../services/tool/Writing.js"
import * as RecordingFile from "./RecordingFile.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The file. It is created if missing; its folder must exist. */
  readonly path: string
  /**
   * `"record"` runs every call and begins a new file; `"replay"` runs no call; `"auto"` (default) runs the calls that
   * are not in the file, and adds them.
   */
  readonly mode?: "record" | "replay" | "auto"
}

/**
 * One recorded call.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Recording = Schema.Struct({
  tool: Schema.String,
  /** The arguments as the model gave them. */
  params: Json,
  /** The position of this call among the calls of this tool with the same arguments, from 1. */
  call: Schema.Int,
  result: Schema.Struct(returned),
  /** The directives that the handler dispatched or wrote, in order. */
  dispatched: Schema.Array(JsonObject)
}).annotations({ identifier: "Recording" })

/**
 * @since 0.1.0
 * @category models
 */
export type Recording = typeof Recording.Type

/**
 * The content of the file.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Recordings = Schema.Struct({ version: Schema.Literal(1), calls: Schema.Array(Recording) }).annotations({
  identifier: "Recordings"
})

const keyOf = (tool: string, params: Json, call: number): string => `${tool} ${call} ${canonical(params)}`

/**
 * An executor that records and replays. In both cases the checks of a call run first: decoding, `validateInput`,
 * policies, `checkPermissions`, origins and approval.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ mode = "auto", path }: Options): Effect.Effect<
  ToolExecutor.Service,
  PlatformError | ParseResult.ParseError,
  FileSystem.FileSystem
> =>
  Effect.gen(function*() {
    const file = yield* RecordingFile.open(path, Recordings, { anew: mode === "record" })
    const recordings = new Map((file.stored?.calls ?? []).map((one) => [keyOf(one.tool, one.params, one.call), one]))
    const counts = new Map<string, number>()

    const save = (recording: Recording): Effect.Effect<void, ToolExecutionError> =>
      Effect.suspend(() => {
        recordings.set(keyOf(recording.tool, recording.params, recording.call), recording)
        return file.save(() => ({ version: 1, calls: Array.from(recordings.values()) }))
      }).pipe(
        Effect.mapError((cause) =>
          new ToolExecutionError({
            toolId: recording.tool,
            cause,
            what: `recording of tool "${recording.tool}"`,
            why: cause.message,
            fix: `Make "${path}" writable, or replay instead of recording`
          })
        )
      )

    const record = (call: ToolExecutor.AdmittedCall, params: Json, nth: number) =>
      Effect.gen(function*() {
        const dispatched: Array<Directive> = []
        const context = Writing.watched(call.context, dispatched)
        const ran = yield* ToolExecutor.runHandler({ ...call, context })
        const { _tag: _, ...result } = ran
        const recording = { tool: call.tool.id, params, call: nth, result, dispatched }
        if (Schema.is(Recording)(recording)) yield* save(recording)
        else yield* Effect.logWarning(`A call of tool "${call.tool.id}" was not recorded: what it wrote is not JSON`)
        return ran
      })

    return ToolExecutor.make((call) =>
      Effect.suspend(() => {
        const params = isJson(call.params) ? call.params : null
        const name = `${call.tool.id} ${canonical(params)}`
        const nth = (counts.get(name) ?? 0) + 1
        counts.set(name, nth)
        const found = recordings.get(keyOf(call.tool.id, params, nth))
        if (mode === "record" || (found === undefined && mode === "auto")) return record(call, params, nth)
        if (found === undefined) {
          return Effect.succeed(ToolExecutor.failure(
            "not_recorded",
            `call ${nth} of tool "${call.tool.id}" with ${canonical(params)} is not recorded in "${path}"`
          ))
        }
        // Reads the latest data first, because the recorded writes may be based on writes of other calls.
        const replayed = Effect.zipRight(
          call.context.latest ?? Effect.void,
          Effect.forEach(found.dispatched, (directive) => call.context.dispatch(directive), { discard: true })
        )
        return Effect.match(
          replayed,
          {
            onFailure: (refused) => ToolExecutor.failure("failed", refused.message),
            onSuccess: () => ({ _tag: "ToolResult" as const, ...found.result })
          }
        )
      })
    )
  })

/**
 * The executor that records and replays tool calls.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options
): Layer.Layer<ToolExecutor.ToolExecutor, PlatformError | ParseResult.ParseError, FileSystem.FileSystem> =>
  Layer.effect(ToolExecutor.ToolExecutor, make(options))
