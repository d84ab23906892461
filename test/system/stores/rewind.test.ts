/** Rewind over stores on disk: one agent rewinds the turns of another that uses the same file. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Encrypted from "coxswain/layers/encrypted"
import * as Sqlite from "coxswain/layers/sqlite"
import { Context, Effect, Layer, Redacted } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Transcript from "../../../src/domain/session/Transcript.js"
import * as Stage from "../../support/Stage.js"
import { trip, understand } from "../../support/TripFlow.js"

const plain = (filename: string) => Sqlite.layer({ filename })
const encrypted = (filename: string) =>
  Encrypted.layer({ keys: { current: { id: "k1", key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) } } }).pipe(
    Layer.provide(plain(filename))
  )

const file = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-rewind-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => path.join(folder, "sessions.db")))

for (const [name, layer] of [["SQLite", plain], ["an encrypted SQLite", encrypted]] as const) {
  describe(name, () => {
    it.scopedLive("an agent can rewind, fork and continue a session that another agent stored", () =>
      Effect.gen(function*() {
        const filename = yield* file
        const agent = Effect.gen(function*() {
          const stage = yield* Stage.make({ understand })
          const service = Context.get(yield* Layer.build(layer(filename)), SessionStore.SessionStore)
          return yield* Stage.kit.make({ name: "Bot", flows: [trip], snapshots: { keep: 5 } }).pipe(
            Effect.provideService(SessionStore.SessionStore, service),
            Effect.provide(stage.layer)
          )
        })
        const [first, second] = [yield* agent, yield* agent]
        for (const message of ["Hello", "Lisbon", "Ada"]) yield* first.respond({ sessionId: "s1", message })
        const back = yield* second.rewind("s1", 2)
        expect(back).toMatchObject({ version: 4, data: { city: "Lisbon" } })
        const copy = yield* second.fork("s1", { as: "s2" })
        expect(copy.messageCount).toBe(4)
        const { session } = yield* first.respond({ sessionId: "s1", message: "Wait" })
        expect(session.data).toEqual({ city: "Lisbon" })
        const said = Effect.map(first.session("s1").history, (all) => all.map(Transcript.textOf))
        expect((yield* said).join()).not.toContain("Ada")
        expect(yield* said).toHaveLength(6)
        expect((yield* first.rewind("s2", 2)).data).toEqual({ city: "Lisbon" })
      }))
  })
}
