/**
 * Lines from a person at a terminal, or from a pipe until it ends. The terminal is listened to for as long as the
 * conversation lasts, so that what is typed ahead is not lost, and Ctrl+C works while the agent is answering.
 */
import { Terminal } from "@effect/platform"
import type { Error as PlatformError } from "@effect/platform"
import { NodeStream } from "@effect/platform-node"
import type { Scope } from "effect"
import { Deferred, Effect, Mailbox, Option, Stream } from "effect"

export interface Lines {
  /** The next line; none when there are no more. */
  readonly next: Effect.Effect<Option.Option<string>, PlatformError.PlatformError>
  /** Done when the person wants to leave at once. */
  readonly quit: Effect.Effect<void>
}

const piped = (terminal: Terminal.Terminal): Effect.Effect<Lines, never, Scope.Scope> =>
  Effect.gen(function*() {
    const lines = yield* NodeStream.stdin.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      // Chunks of one, so that a line is asked for only when the one before has been answered.
      Stream.rechunk(1),
      Stream.toPull
    )
    const next = lines.pipe(
      Effect.map((chunk) => Option.fromIterable(chunk)),
      Effect.catchAll(Option.match({ onNone: () => Effect.succeedNone, onSome: Effect.die }))
    )
    return {
      // Nobody sees what goes through a pipe: it is shown, so that the output reads as a conversation.
      next: Effect.tap(
        next,
        Option.match({
          onNone: () => Effect.void,
          onSome: (line) => terminal.display(`> ${line}\n`)
        })
      ),
      quit: Effect.never
    }
  })

const typed = (terminal: Terminal.Terminal): Effect.Effect<Lines, never, Scope.Scope> =>
  Effect.gen(function*() {
    const input = yield* terminal.readInput
    const keys = yield* Mailbox.make<Terminal.UserInput>()
    const quit = yield* Deferred.make<void>()
    yield* Mailbox.toStream(input).pipe(
      Stream.runForEach((event) =>
        event.key.ctrl && event.key.name === "c" ? Deferred.succeed(quit, undefined) : keys.offer(event)
      ),
      Effect.ensuring(keys.end),
      Effect.forkScoped
    )
    const edit = (line: string): Effect.Effect<Option.Option<string>, PlatformError.PlatformError> =>
      Effect.flatMap(Effect.option(keys.take), (event) => {
        if (Option.isNone(event)) return Effect.as(terminal.display("\n"), Option.none())
        const { input, key } = event.value
        if (key.name === "return" || key.name === "enter") return Effect.as(terminal.display("\n"), Option.some(line))
        if (key.name === "backspace") {
          const shorter = Array.from(line).slice(0, -1).join("")
          return shorter === line ? edit(line) : Effect.zipRight(terminal.display("\b \b"), edit(shorter))
        }
        const text = key.ctrl || key.meta ? "" : Option.getOrElse(input, () => "")
        return text === "" ? edit(line) : Effect.zipRight(terminal.display(text), edit(line + text))
      })
    return { next: Effect.zipRight(terminal.display("> "), edit("")), quit: Deferred.await(quit) }
  })

export const lines: Effect.Effect<Lines, never, Scope.Scope | Terminal.Terminal> = Effect.flatMap(
  Terminal.Terminal,
  (terminal) => process.stdin.isTTY ? typed(terminal) : piped(terminal)
)
