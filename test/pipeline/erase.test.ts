/** Erasing a user removes everything that the agent's layers store about the user, and reports it. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { expect, it } from "@effect/vitest"
import { Agent, BlobStore, Errors, SessionStore, TurnFeed, TurnLog } from "coxswain"
import * as BlobFile from "coxswain/layers/blobs-file"
import * as Sqlite from "coxswain/layers/sqlite"
import * as TurnLogs from "coxswain/layers/turn-log"
import type { Duration } from "effect"
import { Chunk, Context, Effect, Layer, Schema, Stream, TestClock } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Keeping from "../../src/pipeline/agent/Keeping.js"
import { runtimeOf } from "../../src/pipeline/state/agentInternals.js"
import * as Script from "../support/Script.js"

const kit = Agent.define({ data: Schema.Struct({ note: Schema.String }) })
const secret = "Xanthippe4711"
const words = new TextEncoder().encode(`item,${secret}\n`)
const file = { type: "file", mediaType: "text/csv", bytes: words } as const

const make = kit.make({
  name: "Shop",
  files: { accept: ["text/csv"] },
  tools: [kit.tool({
    id: "invoice",
    handler: () => ({
      ok: true,
      outputMessage: secret,
      files: [{ mediaType: "text/csv", name: "invoice.csv", bytes: words }]
    })
  })],
  flows: [{
    title: "Shop",
    steps: [{ id: "shop", prompt: "Sell", tools: ["invoice"], until: () => false }]
  }]
}).pipe(Effect.provide(
  Script.make((asked, i) =>
    asked.tools.includes("invoice") && asked.prompt.content.at(-1)?.role === "user"
      ? [Script.toolCall("invoice", {}, `call-${i}`)]
      : `Here it is, ${secret}.`
  ).layer
))

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-erase-"))),
  (name) => Effect.sync(() => fs.rmSync(name, { recursive: true, force: true }))
)

/** Names and contents of all files in a folder. */
const contentsOf = (name: string): string =>
  fs.readdirSync(name, { recursive: true, encoding: "utf8" }).map((one) => {
    const whole = path.join(name, one)
    return fs.statSync(whole).isFile() ? `${one} ${fs.readFileSync(whole, "latin1")}` : one
  }).join("\n")

const say = (userId: string, sessionId: string, text: string = secret) => ({
  sessionId,
  message: text,
  messageId: `${sessionId}-${text}`,
  principal: { userId },
  parts: [file]
})

const stages = {
  memory: () => Layer.mergeAll(SessionStore.layerMemory, BlobStore.layerMemory, TurnLog.layerMemory),
  files: (name: string) =>
    Layer.mergeAll(
      Sqlite.layer({ filename: path.join(name, "sessions.db") }),
      BlobFile.layer({ folder: path.join(name, "blobs") }),
      TurnLogs.layerFile({ path: path.join(name, "turns.jsonl") })
    ).pipe(Layer.provide(NodeContext.layer)),
  tables: (name: string) =>
    Layer.mergeAll(
      Sqlite.layer({ filename: path.join(name, "sessions.db") }),
      BlobFile.layer({ folder: path.join(name, "blobs") }),
      Sqlite.layerTurnLog({ filename: path.join(name, "sessions.db") })
    ).pipe(Layer.provide(NodeContext.layer))
}

for (const [kind, layer] of Object.entries(stages)) {
  it.scopedLive(
    `${kind}: agent.erase removes all data of one user, no data of others, and reports the removed data`,
    () =>
      Effect.gen(function*() {
        const name = yield* folder
        const services = yield* Layer.build(layer(name))
        const log = Context.get(services, TurnLog.TurnLog)
        const blobs = Context.get(services, BlobStore.BlobStore)
        const agent = yield* Effect.provide(make, services)
        const feed = yield* TurnFeed.make
        Keeping.registerTurns(runtimeOf(agent)!, feed)
        for (const sessionId of ["s1", "s2"]) yield* agent.respond(say("ann", sessionId))
        yield* agent.respond(say("bob", "s3", "Hello"))
        // A cleared session leaves files and logged turns; its id may later belong to another user.
        yield* agent.respond(say("ann", "s4"))
        yield* agent.session("s4").clear
        yield* agent.respond(say("bob", "s4", "Hello"))
        yield* Effect.scoped(Effect.zipRight(
          Effect.flatten(feed.begin({ sessionId: "s1", turnId: "t1", message: secret })),
          Effect.void
        ))

        const exported = yield* agent.export("ann")
        expect(exported.sessions).toHaveLength(2)
        // Files of messages and of the tool, also those of the cleared session.
        expect(exported.files.map(({ bytes, mediaType }) => [mediaType, Buffer.from(bytes, "base64").toString()]))
          .toEqual(
            Array.from({ length: 6 }, () => ["text/csv", `item,${secret}\n`])
          )
        const bobs = yield* agent.export("bob")
        expect(bobs.files).toHaveLength(4)

        const { removed, sessions } = yield* agent.erase("ann")
        expect(sessions.map(({ id }) => id).sort()).toEqual(["s1", "s2"])
        const counts = Object.fromEntries(removed.map(({ count, kind, place }) => [kind, [place !== "", count]]))
        expect(counts).toEqual({
          sessions: [true, 2],
          files: [true, 6],
          "turn log": [true, 3],
          "turn records": [true, 1]
        })

        expect(yield* agent.export("ann")).toEqual({ userId: "ann", sessions: [], files: [] })
        const left = Array.from(yield* Stream.runCollect(log.read()))
        expect(left.map(({ sessionId }) => sessionId)).toEqual(["s3", "s4"])
        for (const { id } of exported.files) expect((yield* blobs.get(id))._tag).toBe("None")
        expect(yield* agent.export("bob")).toEqual(bobs)
        expect(yield* agent.erase("ann")).toMatchObject({ sessions: [], removed: removed.map(() => ({ count: 0 })) })

        // The text is in no file, not even in the database's free pages.
        yield* agent.erase("bob")
        expect(contentsOf(name)).not.toContain(secret)
      })
  )
}

it.scoped("`agent.erase` fails with the name of the failing store, and the next `erase` removes the rest", () =>
  Effect.gen(function*() {
    const memory = BlobStore.makeMemory()
    let isDown = true
    const blobs: BlobStore.Service = {
      ...memory,
      list: (prefix) =>
        Effect.suspend(() =>
          isDown
            ? Effect.fail(new Errors.BlobStoreError({ operation: "list", why: "the disk is gone" }))
            : memory.list(prefix)
        )
    }
    const agent = yield* Effect.provide(
      make,
      Layer.merge(SessionStore.layerMemory, Layer.succeed(BlobStore.BlobStore, blobs))
    )
    yield* agent.respond(say("ann", "s1"))
    const error = yield* Effect.flip(Effect.asVoid(agent.erase("ann")))
    expect(error).toMatchObject({ _tag: "SessionStoreError", operation: "erase" })
    expect(error.message).toContain("what is kept as files (memory) was not erased")
    isDown = false
    expect((yield* agent.erase("ann")).removed).toContainEqual({ kind: "files", place: "memory", count: 2 })
  }))

for (
  const [kind, layer] of Object.entries({
    file: (name: string, retention: Duration.DurationInput) =>
      TurnLogs.layerFile({ path: path.join(name, "turns.jsonl"), retention }).pipe(Layer.provide(NodeContext.layer)),
    table: (name: string, retention: Duration.DurationInput) =>
      Sqlite.layerTurnLog({ filename: path.join(name, "turns.db"), retention })
  })
) {
  it.scoped(`a turn log in a ${kind} removes entries older than its retention`, () =>
    Effect.gen(function*() {
      const name = yield* folder
      const log = Context.get(yield* Layer.build(layer(name, "30 hours")), TurnLog.TurnLog)
      const agent = yield* Effect.provide(
        Effect.provideService(make, TurnLog.TurnLog, log),
        Layer.merge(SessionStore.layerMemory, BlobStore.layerMemory)
      )
      yield* agent.respond(say("ann", "old"))
      yield* TestClock.adjust("20 hours")
      yield* agent.respond(say("ann", "new", "Hello"))
      const all = Effect.map(Stream.runCollect(log.read()), (entries) =>
        Array.from(entries, ({ sessionId }) => sessionId))
      expect(yield* all).toEqual(["old", "new"])
      yield* TestClock.adjust("11 hours")
      // The TestClock does not wait for file writes, so time goes on only while the removal sleeps.
      const asleep = Effect.map(TestClock.sleeps(), Chunk.isNonEmpty)
      const forgotten = Effect.iterate(yield* all, {
        while: (ids) =>
          ids.length > 1,
        body: () => Effect.zipRight(Effect.whenEffect(TestClock.adjust("10 minutes"), asleep), all)
      })
      expect(yield* forgotten).toEqual(["new"])
      expect(contentsOf(name)).not.toContain("old-")
    }))
}

it.scoped("the file stores create files and folders that only the owner can access", () =>
  Effect.gen(function*() {
    const name = yield* folder
    const services = yield* Layer.build(stages.files(name))
    const agent = yield* Effect.provide(make, services)
    yield* agent.respond(say("ann", "s1"))
    for (const one of fs.readdirSync(name, { recursive: true, encoding: "utf8" })) {
      const { mode } = fs.statSync(path.join(name, one))
      expect([one, (mode & 0o777).toString(8)]).toEqual([
        one,
        fs.statSync(path.join(name, one)).isDirectory() ? "700" : "600"
      ])
    }
  }))
