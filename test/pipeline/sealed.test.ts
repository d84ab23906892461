/** With an encrypting session store, blobs, turn logs and turn feeds are encrypted too. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { expect, it } from "@effect/vitest"
import { Agent, BlobStore, Replay, SessionStore, TurnFeed, TurnLog } from "coxswain"
import * as BlobFile from "coxswain/layers/blobs-file"
import * as Encrypted from "coxswain/layers/encrypted"
import * as Sqlite from "coxswain/layers/sqlite"
import * as TurnLogs from "coxswain/layers/turn-log"
import { Chunk, Context, Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Sealed from "../../src/services/storage/Sealed.js"
import * as Script from "../support/Script.js"

const kit = Agent.define({ data: Schema.Struct({ note: Schema.String }) })
const secret = "Xanthippe4711"
const words = new TextEncoder().encode(`item,${secret}\n`)
const key = (fill: number): Encrypted.Options => ({
  keys: { current: { id: `key-${fill}`, key: Redacted.make(Buffer.alloc(32, fill).toString("base64")) } }
})

const make = kit.make({
  name: "Shop",
  files: { accept: ["text/csv"] },
  tools: [
    kit.tool({
      id: "invoice",
      handler: () => ({
        ok: true,
        outputMessage: secret,
        files: [{ mediaType: "text/csv", name: "invoice.csv", bytes: words }]
      })
    }),
    kit.tool({ id: "refund", needsApproval: true, handler: () => "refunded" })
  ],
  flows: [{
    title: "Shop",
    steps: [{ id: "shop", prompt: "Sell", tools: ["invoice", "refund"], until: () => false }]
  }]
}).pipe(Effect.provide(
  Script.make((asked, i) =>
    asked.tools.includes("invoice") && asked.prompt.content.at(-1)?.role === "user"
      ? [Script.toolCall(asked.text.includes("money back") ? "refund" : "invoice", {}, `call-${i}`)]
      : `Here it is, ${secret}.`
  ).layer
))

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-sealed-"))),
  (name) => Effect.sync(() => fs.rmSync(name, { recursive: true, force: true }))
)

const contentsOf = (name: string): string =>
  fs.readdirSync(name, { recursive: true, encoding: "utf8" }).map((one) => {
    const whole = path.join(name, one)
    return fs.statSync(whole).isFile() ? `${one} ${fs.readFileSync(whole, "latin1")}` : one
  }).join("\n")

const say = (sessionId: string, message: string = secret) => ({
  sessionId,
  message,
  principal: { userId: "ann" },
  parts: [{ type: "file", mediaType: "text/csv", bytes: words }] as const
})

const stage = (name: string, options: Encrypted.Options) =>
  Layer.mergeAll(
    Encrypted.layer(options).pipe(Layer.provide(Sqlite.layer({ filename: path.join(name, "sessions.db") }))),
    BlobFile.layer({ folder: path.join(name, "blobs") }),
    TurnLogs.layerFile({ path: path.join(name, "turns.jsonl") })
  ).pipe(Layer.provide(NodeContext.layer))

it.scopedLive(
  "with encryption no plaintext is on disk; export, approvals, replay and erase still work",
  () =>
    Effect.gen(function*() {
      const name = yield* folder
      const services = yield* Layer.build(stage(name, key(1)))
      const log = Context.get(services, TurnLog.TurnLog)
      const agent = yield* Effect.provide(make, services)
      yield* agent.respond(say("s1"))
      yield* agent.respond(say("s2", `I want my money back, ${secret}`))
      // A log has a message's text but not its files, so only this turn can be reproduced.
      yield* agent.respond({ sessionId: "s3", message: secret, principal: { userId: "ann" } })
      const disk = contentsOf(name)
      for (const word of [secret, "text/csv", "item,", Buffer.from(words).toString("base64"), "refund", "Here it is"]) {
        expect([word, disk.includes(word)]).toEqual([word, false])
      }
      const { files } = yield* agent.export("ann")
      expect(files.map(({ bytes, mediaType }) => [mediaType, Buffer.from(bytes, "base64").toString()])).toEqual(
        Array.from({ length: 4 }, () => ["text/csv", `item,${secret}\n`])
      )
      expect((yield* agent.approvals()).items).toMatchObject([{ id: "s2", waiting: [{ toolId: "refund" }] }])
      const { sessions, turns } = yield* Replay.run(log, agent)
      expect(turns).toBe(3)
      expect(sessions.find(({ sessionId }) => sessionId === "s3")).toMatchObject({ turns: 1, reproduced: 1 })
      expect((yield* agent.erase("ann")).removed).toMatchObject([{ count: 3 }, { count: 4 }, { count: 3 }])
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(log.read()))).toEqual([])
    })
)

it.scopedLive("reading refuses a blob sealed with another key, a blob copied to another id, and an unencrypted blob", () =>
  Effect.gen(function*() {
    const store = yield* SessionStore.makeMemory
    const memory = BlobStore.makeMemory()
    const cipherOf = (options: Encrypted.Options) => Effect.map(Encrypted.make(store, options), ({ cipher }) => cipher!)
    const [one, other] = [yield* cipherOf(key(1)), yield* cipherOf(key(2))]
    const blobs = Sealed.blobs(one, memory)
    yield* blobs.put("a", { mediaType: "text/csv", bytes: words })
    expect(Buffer.from(Option.getOrThrow(yield* blobs.get("a")).bytes).toString()).toContain(secret)
    const found = Option.getOrThrow(yield* memory.get("a"))
    yield* memory.put("moved", found)
    yield* memory.put("plain", { mediaType: "text/csv", bytes: words })
    for (const [reader, id] of [[Sealed.blobs(other, memory), "a"], [blobs, "moved"], [blobs, "plain"]] as const) {
      expect(yield* Effect.flip(reader.get(id))).toMatchObject({ _tag: "BlobStoreError", operation: "get" })
    }
    const lenient = Sealed.blobs(yield* cipherOf({ ...key(1), acceptPlain: true }), memory)
    expect(Option.getOrThrow(yield* lenient.get("plain")).mediaType).toBe("text/csv")
    expect(yield* blobs.get("none")).toEqual(Option.none())
  }))

it.scopedLive("an encrypted turn feed outside the process stores no plaintext, and readers need the key", () =>
  Effect.gen(function*() {
    const store = yield* SessionStore.makeMemory
    const { cipher } = yield* Encrypted.make(store, key(1))
    const { cipher: other } = yield* Encrypted.make(store, key(2))
    const kept: TurnFeed.Service = { ...yield* TurnFeed.make, place: "Redis" }
    const feed = Sealed.feed(cipher!, kept)
    const turn = { sessionId: "s1", turnId: "t1", message: secret }
    const events = Array.from({ length: 5 }, (_, n) => ({ _tag: "TextDelta", text: `${secret} ${n}` }))
    yield* Effect.scoped(Effect.gen(function*() {
      const { append } = Option.getOrThrow(yield* feed.begin(turn))
      yield* append(events.slice(0, 2))
      yield* append(events.slice(2))
      expect(JSON.stringify(yield* kept.running("s1"))).not.toContain(secret)
      expect(yield* feed.running("s1")).toEqual([turn])
    }))
    const read = (from: TurnFeed.Service) =>
      Effect.flatMap(from.follow("s1", "t1", 1), (found) => Stream.runCollect(Option.getOrThrow(found)))
    expect(JSON.stringify(yield* read(kept))).not.toContain(secret)
    expect(Array.from(yield* read(feed))).toEqual(events.slice(1).map((event, i) => ({ seq: i + 2, event })))
    expect(yield* Effect.flip(read(Sealed.feed(other!, kept)))).toMatchObject({ _tag: "SessionFeedError" })
  }))
