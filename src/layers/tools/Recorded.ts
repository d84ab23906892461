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
 */
import type { PlatformError } from "@effect/platform/Error"
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as ParseResult from "effect/ParseResult"
import * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import * as RecordedTools from "./RecordedTools.js"
import * as RecordingFile from "./RecordingFile.js"

export {
  /** One recorded call. */
  Call as Recording,
  /** The content of the file, in which `RecordedModel` of `coxswain/testing` keeps answers of models. */
  Content as Recordings
} from "./RecordingFile.js"

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
 * An executor that records and replays. In both cases the checks of a call run first: decoding, `validateInput`,
 * policies, `checkPermissions`, origins and approval.
 */
export const make = ({ mode = "auto", path }: Options): Effect.Effect<
  ToolExecutor.Service,
  PlatformError | ParseResult.ParseError,
  FileSystem.FileSystem
> =>
  Effect.map(
    RecordingFile.open(path, { anew: mode === "record" }),
    (file) => RecordedTools.make(file, mode !== "replay")
  )

/** The executor that records and replays tool calls. */
export const layer = (
  options: Options
): Layer.Layer<ToolExecutor.ToolExecutor, PlatformError | ParseResult.ParseError, FileSystem.FileSystem> =>
  Layer.effect(ToolExecutor.ToolExecutor, make(options))
