/** Runs the programs that are named, in one process: a process of its own for each takes longer than all that is tried. */
import { Effect } from "effect"
import { SessionStore } from "../../src/index.js"
import { ScriptedModel } from "../../src/testing.js"

process.on("unhandledRejection", (reason) => console.error(`rejected: ${String(reason)}`))

for (const program of process.argv.slice(2)) {
  if (program === "demo") {
    // The demo talks to somebody at a keyboard; its agent stands in a file of its own.
    const { hotel } = await import("../../demo/hotel.js")
    await Effect.runPromise(Effect.provide(hotel, [ScriptedModel.layer(), SessionStore.layerMemory]))
  } else {
    await import(`../../examples/${program}`)
  }
}
