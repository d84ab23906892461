/** Runs the command line in this process. */
import * as PlatformFiles from "@effect/platform/FileSystem"
import * as PlatformPath from "@effect/platform/Path"
import * as PlatformTerminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as CommandLine from "./CommandLine.js"
import * as Package from "./Package.js"
import * as Screen from "./Screen.js"

type Host = PlatformFiles.FileSystem | PlatformPath.Path | PlatformTerminal.Terminal

const prompting = Effect.dieMessage(`Prompts need @effect/platform-node: ${Package.install("@effect/platform-node")}`)

/**
 * The file, path and terminal services of the command line. They work without `@effect/platform-node`, except for the
 * parser's prompts, because `new` must run without other packages.
 */
const bare: Layer.Layer<Host> = Layer.mergeAll(
  PlatformFiles.layerNoop({}),
  PlatformPath.layer,
  Layer.succeed(
    PlatformTerminal.Terminal,
    PlatformTerminal.Terminal.of({
      columns: Effect.succeed(80),
      rows: Effect.succeed(25),
      isTTY: Effect.succeed(false),
      readInput: prompting,
      readLine: prompting,
      display: (text) => Effect.sync(() => void process.stdout.write(text))
    })
  )
)

const host: Promise<Layer.Layer<Host>> = import("@effect/platform-node/NodeContext").then(
  (module) => module.layer,
  () => bare
)

const fiber = Effect.runFork(
  CommandLine.run(process.argv).pipe(Effect.provide(Layer.merge(await host, Screen.layer)))
)

/**
 * Ends the process although a file system does not answer. Such a call keeps its thread, for which `process.exit` waits
 * as well. The timer itself does not keep the process, and everything has been closed before it starts.
 */
const leave = Effect.sync(() => void setTimeout(() => process.kill(process.pid, "SIGKILL"), 1000).unref())

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => Effect.runFork(Effect.zipRight(Fiber.interrupt(fiber), leave)))
}
fiber.addObserver((exit) => {
  process.exitCode = exit._tag === "Success" ? exit.value : 130
})
