/** A conversation in a SQLite file: what one process wrote, the next one finds, and of two writers one wins. */
import { FileSystem, Path } from "@effect/platform"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { SessionStore } from "coxswain"
import * as Sqlite from "coxswain/layers/sqlite"
import { Console, DateTime, Effect, Option } from "effect"

const sessionId = "ada"

const say = (store: SessionStore.Service, version: number, text: string, messageId: string) =>
  Effect.gen(function*() {
    const now = DateTime.formatIso(yield* DateTime.now)
    const message = (seq: number, role: string, content: string) => ({
      seq,
      message: { role, content },
      createdAt: now
    })
    yield* store.commit({
      id: sessionId,
      expectedVersion: version,
      session: { id: sessionId, version: version + 1 },
      userId: "ada",
      updatedAt: now,
      messages: [message(2 * version + 1, "user", text), message(2 * version + 2, "assistant", `You said: ${text}`)],
      answered: { messageId, response: `You said: ${text}` }
    })
  })

/** Everything in here is one run of the program: it opens the file, works, and closes it. */
const run = <A, E>(filename: string, work: (store: SessionStore.Service) => Effect.Effect<A, E>) =>
  Effect.flatMap(SessionStore.SessionStore, work).pipe(Effect.provide(Sqlite.layer({ filename })))

const program = Effect.gen(function*() {
  const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
  const filename = (yield* Path.Path).join(folder, "sessions.db")

  yield* run(filename, (store) => say(store, 0, "A room in Lisbon, please", "m1"))

  yield* run(filename, (store) =>
    Effect.gen(function*() {
      const stored = Option.getOrThrow(yield* store.load(sessionId, { messages: 10 }))
      yield* Console.log(`version ${stored.version}, ${stored.messages.length} messages`)

      const answer = yield* store.response(sessionId, "m1")
      yield* Console.log(`m1 was answered: ${Option.getOrElse(answer, () => "no")}`)

      const late = yield* Effect.flip(say(store, 0, "I was slower", "m2"))
      yield* Console.log(late.message)

      yield* say(store, stored.version, "For two, next Friday", "m2")
      const page = yield* store.messages(sessionId, { limit: 3 })
      yield* Console.log(`the last messages: ${page.items.map(({ seq }) => seq).join(", ")}`)

      yield* store.remove(sessionId)
      yield* Console.log(`after remove: ${Option.isNone(yield* store.load(sessionId)) ? "nothing" : "something"}`)
    }))
})

program.pipe(Effect.scoped, Effect.provide(NodeContext.layer), NodeRuntime.runMain)
