/** A `ToolExecutor` that answers calls from a file of recordings. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ToolExecutionError } from "../../domain/base/error/Errors.js"
import { canonical, isJson, type Json } from "../../domain/base/Json.js"
import type { Directive } from "../../domain/directive/Directive.js"
import * as RecordedCall from "../../services/tool/RecordedCall.js"
import * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import * as Writing from "../../services/tool/Writing.js"
import * as RecordingFile from "./RecordingFile.js"

const isRecording = Schema.is(RecordingFile.Call)

/**
 * Makes the executor. With `runs`, a call that the file does not contain is run, and its result is added to the file.
 */
export const make = (file: RecordingFile.RecordingFile, runs: boolean): ToolExecutor.Service => {
  const counts = new Map<string, number>()

  const record = (call: ToolExecutor.AdmittedCall, params: Json, nth: number) =>
    Effect.gen(function*() {
      const emitted: Array<Directive> = []
      const { context, tool: { id: tool } } = call
      const ran = yield* ToolExecutor.runHandler({ ...call, context: Writing.watched(context, emitted) })
      const recording = { tool, params, call: nth, ...RecordedCall.encode(ran, emitted, (directive) => directive) }
      if (isRecording(recording)) yield* Effect.mapError(file.calls.add(recording), unwritable(tool, file.path))
      else yield* Effect.logWarning(`A call of tool "${tool}" was not recorded: what it wrote is not JSON`)
      return ran
    })

  return ToolExecutor.make((call) =>
    Effect.suspend(() => {
      const params = isJson(call.params) ? file.cleaned(call.params) : null
      const text = canonical(params)
      const key = `${call.tool.id} ${text}`
      const nth = (counts.get(key) ?? 0) + 1
      counts.set(key, nth)
      const found = file.calls.take((one) =>
        one.tool === call.tool.id && one.call === nth && canonical(one.params) === text
      )
      if (found === undefined) {
        return runs ? record(call, params, nth) : Effect.succeed(
          ToolExecutor.failure("not_recorded", file.missing(`call ${nth} of tool "${call.tool.id}" with ${text}`))
        )
      }
      const result = Effect.succeed({ _tag: "ToolResult" as const, ...found.result })
      return Effect.catchAll(
        RecordedCall.again(call.context, found.dispatched, result, Effect.succeed),
        (refused) => Effect.succeed(ToolExecutor.failure("failed", refused.message))
      )
    })
  )
}

const unwritable = (tool: string, path: string) => (cause: Error) =>
  new ToolExecutionError({
    toolId: tool,
    cause,
    what: `recording of tool "${tool}"`,
    why: cause.message,
    fix: `Make "${path}" writable, or replay instead of recording`
  })
