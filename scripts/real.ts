/**
 * Talks with a real server for chat completions, and says what it could do: `OPENAI_BASE_URL=http://localhost:8080/v1 npm run
 * real`. A dialogue, a streamed answer, a tool call, a call that waits for a person, and an answer that is stopped. Needs a
 * running server; `COXSWAIN_MODEL` names its model, which not every server needs. A small model may fail in what it is told
 * to do; what is printed as FAILED without an error is the model's, not the server's. `-- --record` keeps the answers, which
 * the tests play again; `-- --later-system` sends system messages behind the conversation too, for templates that take them.
 * Names of parts choose these.
 */
import { Console, Duration, Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as RealServer from "../test/support/RealServer.js"

const baseUrl = process.env.OPENAI_BASE_URL ?? ""
if (baseUrl === "") {
  console.error(
    "There is no address: start a server for chat completions, such as llama.cpp's, and set OPENAI_BASE_URL, for example to " +
      "http://localhost:8080/v1. See docs/local-models.md."
  )
  process.exit(2)
}
const model = process.env.COXSWAIN_MODEL ?? "default"
const server = {
  baseUrl,
  model,
  ...(process.argv.includes("--later-system") && { laterSystem: "system" as const })
}
const json = Schema.parseJson(RealServer.Recording, { space: 2 })
const format = { encode: Schema.encodeSync(json), decode: Schema.decodeSync(json) }
const file = new URL("../test/fixtures/real.json", import.meta.url)

/** Runs a part, and prints whether it did what it should. */
const tried = (part: string) =>
  Effect.suspend(() => {
    const exchanges: Array<typeof RealServer.Exchange.Type> = []
    return Effect.timed(RealServer.run(part, RealServer.recording(exchanges), server)).pipe(
      Effect.tap(([took, { isRight, what }]) =>
        Console.log(`${isRight ? "ok" : "FAILED"}: ${part} (${Duration.format(took)}): ${what}`)
      ),
      Effect.map(([, done]) => ({ part, ...done, exchanges })),
      Effect.catchAll((error) =>
        Effect.as(Console.log(`FAILED: ${part}: ${String(error)}`), {
          part,
          isRight: false,
          what: String(error),
          exchanges
        })
      )
    )
  })

const main = Effect.gen(function*() {
  const chosen = RealServer.names.filter((name) => process.argv.includes(name))
  const parts = yield* Effect.forEach(chosen.length === 0 ? RealServer.names : chosen, tried)
  if (process.argv.includes("--record")) {
    const before = chosen.length === 0 ? [] : format.decode(fs.readFileSync(file, "utf8")).parts
    const all = RealServer.names.flatMap((name) => [...parts, ...before].find(({ part }) => part === name) ?? [])
    const text = format.encode({ model, parts: all })
    yield* Effect.sync(() => fs.writeFileSync(file, `${text}\n`))
  }
  const right = parts.filter(({ isRight }) => isRight).length
  yield* Console.log(`${right} of ${parts.length} at ${baseUrl}`)
  return right === parts.length
})

Effect.runPromise(main).then(
  (isRight) => process.exit(isRight ? 0 : 1),
  (error) => {
    console.error(String(error))
    process.exit(1)
  }
)
