/** Reads lines from a terminal, or from a pipe until it ends. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as readline from "node:readline"
import { Screen } from "./Screen.js"

export interface Service {
  /**
   * Shows a prompt if the input is a terminal, and returns the next line; `None` at the end of the input. Lines that
   * were typed before the prompt are kept.
   */
  readonly next: (prompt: string) => Effect.Effect<Option.Option<string>>
  /** Waits until the user presses Ctrl+C; each press ends one wait. */
  readonly interrupted: Effect.Effect<void>
}

export class Lines extends Context.Tag("coxswain/cli/Lines")<Lines, Service>() {}

/** Reads standard input. */
export const layer: Layer.Layer<Lines, never, Screen> = Layer.scoped(
  Lines,
  Effect.gen(function*() {
    const screen = yield* Screen
    const terminal = process.stdin.isTTY === true && screen.isTerminal
    const lines = yield* Mailbox.make<string>()
    const interrupts = yield* Queue.sliding<void>(1)
    const input = yield* Effect.acquireRelease(
      Effect.sync(() =>
        readline.createInterface({ input: process.stdin, terminal, ...(terminal && { output: process.stdout }) })
      ),
      (open) => Effect.sync(() => open.close())
    )
    input.on("line", (line) => lines.unsafeOffer(line))
    input.on("close", () => lines.unsafeDone(Exit.void))
    input.on("SIGINT", () => Queue.unsafeOffer(interrupts, undefined))
    return {
      next: (prompt) =>
        Effect.suspend(() => {
          if (terminal) {
            input.setPrompt(prompt)
            input.prompt()
          }
          return Effect.tap(Effect.option(lines.take), (line) =>
            // Lines from a pipe are printed, because no terminal echoes them; the output then reads as a conversation.
            terminal || Option.isNone(line) ? Effect.void : screen.line(`${prompt}${line.value}`))
        }),
      interrupted: Queue.take(interrupts)
    }
  })
)
