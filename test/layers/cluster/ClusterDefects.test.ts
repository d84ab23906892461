/** A front of a cluster whose messages to the node that owns a session die with a defect. */
import { SocketGenericError } from "@effect/platform/Socket"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors } from "coxswain"
import * as Cluster from "coxswain/layers/cluster"
import { Cause, Context, Effect, Either, Exit, Layer, Option, Schema, Stream } from "effect"
import { failing } from "../../../src/layers/cluster/connection.js"
import * as ClusterWire from "../../support/ClusterWire.js"
import * as CountingStore from "../../support/CountingStore.js"
import * as Script from "../../support/Script.js"

class NoCity extends Schema.TaggedError<NoCity>()("NoCity", { city: Schema.String }) {}

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
class Desk extends Context.Tag("Desk")<Desk, Agent.Agent<{ readonly city: string }, {}, NoCity>>() {}

const make = (around?: Parameters<typeof ClusterWire.make>[0]) =>
  Effect.gen(function*() {
    const ran: Array<string> = []
    const options = kit.agent({
      name: "Desk",
      tools: [kit.tool({
        id: "note",
        parameters: {},
        handler: (_, { messageId = "" }) => {
          ran.push(messageId)
          return "noted"
        }
      })],
      hooks: {
        beforeRespond: (ctx) => ctx.message === "nowhere" ? Effect.fail(new NoCity({ city: "nowhere" })) : Effect.void
      }
    })
    const wire = yield* ClusterWire.make(around)
    const store = yield* CountingStore.make
    const model = Script.make(({ prompt }) =>
      Effect.succeed(prompt.content.at(-1)?.role === "tool" ? "Noted" : [Script.toolCall("note", {})])
    )
    yield* Layer.build(
      Cluster.layer(Desk, kit, options, { failures: NoCity }).pipe(
        Layer.provide(wire.node),
        Layer.provide([model.layer, store.layer])
      )
    )
    const front = (failures: Schema.Schema<NoCity, typeof NoCity.Encoded> = NoCity) =>
      Effect.map(
        Layer.build(
          Cluster.layerClient(Desk, kit, options, { failures }).pipe(
            Layer.provide(wire.front),
            Layer.provide(store.layer)
          )
        ),
        Context.get(Desk)
      )
    const desk = yield* front()
    // The owner of the session is found, and no fault is due yet.
    yield* desk.session("s1").snapshot
    return { desk, front, ran, store, wire }
  })
const made = make()

// With these two, writing to a socket whose other end has just died ends a call of @effect/cluster 0.60.
const defects = {
  "a write to a broken pipe": new SocketGenericError({ reason: "Write", cause: new Error("write EPIPE") }),
  "a socket that is gone": new TypeError("Cannot read properties of undefined (reading 'write')")
}
const faults = Object.entries(defects).flatMap(([name, defect]) =>
  (["before", "after"] as const).map((moment) => ({ name, defect, moment }))
)
const ownerLost = new Errors.SessionUnavailable({ sessionId: "s1", reason: "owner_lost" })
const said = { sessionId: "s1", message: "hi" }
const keyed = { ...said, messageId: "m1" }

describe.each(faults)(
  "a broken connection in a cluster ($name), $moment the message reached the node",
  ({ defect, moment }) => {
    const dying = (rpc: string, ...more: ReadonlyArray<string>) =>
      Effect.tap(made, ({ wire }) =>
        Effect.sync(() => {
          for (const one of [rpc, ...more]) wire.faults.push({ rpc: one, moment, defect })
        }))

    it.scopedLive("a message with a `messageId` is answered, and its turn runs once", () =>
      Effect.gen(function*() {
        const { desk, ran, store, wire } = yield* dying("Keyed", "Notify")
        expect((yield* desk.respond(keyed)).message).toBe("Noted")
        expect((yield* desk.respond(keyed)).session.version).toBe(1)
        expect(ran).toEqual(["m1"])
        expect(store.writes.length).toBe(1)
        expect(wire.faults.length).toBeLessThan(2)
      }))

    it.scopedLive("a message without a `messageId` fails with `owner_lost`, and its turn runs at most once", () =>
      Effect.gen(function*() {
        const { desk, ran, store } = yield* dying("Turn")
        expect(yield* Effect.flip(desk.respond(said))).toEqual(ownerLost)
        yield* desk.respond(keyed)
        const runs = moment === "before" ? 1 : 2
        expect(ran.length).toBe(runs)
        expect(store.writes.length).toBe(runs)
      }))

    it.scopedLive("the event stream of a message with a `messageId` continues, and the turn is stored once", () =>
      Effect.gen(function*() {
        const { desk, store } = yield* dying("Stream")
        const events = Array.from(yield* Stream.runCollect(desk.stream(keyed)), ({ _tag }) => _tag)
        expect(events.at(-1)).toBe("TurnCompleted")
        expect((yield* desk.respond({ ...said, messageId: "m2" })).session.version).toBe(2)
        expect(store.writes.length).toBe(2)
      }))

    it.scopedLive("a turn begun by `send` with a `messageId` continues, runs once, and can be aborted", () =>
      Effect.gen(function*() {
        const { desk, ran, store } = yield* dying("Stream", "Abort")
        const turn = yield* desk.session("s1").send("hi", { messageId: "m1" })
        expect((yield* turn.response).message).toBe("Noted")
        yield* turn.abort
        expect(ran).toEqual(["m1"])
        expect(store.writes.length).toBe(1)
      }))

    it.scopedLive("the event stream of a message without a `messageId` fails with `owner_lost`", () =>
      Effect.gen(function*() {
        const { desk } = yield* dying("Stream")
        expect(yield* Effect.flip(Stream.runDrain(desk.stream(said)))).toEqual(ownerLost)
      }))

    it.scopedLive("the event feed of a session fails with a `SessionFeedError`", () =>
      Effect.gen(function*() {
        const { desk } = yield* dying("Feed")
        expect(yield* Effect.flip(Stream.runDrain(desk.session("s1").feed))).toBeInstanceOf(Errors.SessionFeedError)
      }))

    it.scopedLive("the client asks again which node owns the session, and the message is answered", () =>
      Effect.gen(function*() {
        const { desk, ran, wire } = yield* dying("Hello")
        expect((yield* desk.respond(said)).message).toBe("Noted")
        expect(ran.length).toBe(1)
        expect(wire.faults).toEqual([])
      }))

    it.scopedLive("reads and changes of a session fail with the typed error `owner_lost`", () =>
      Effect.gen(function*() {
        const { desk } = yield* dying("Snapshot", "History", "Change", "Wake", "Suggest", "Clear")
        const session = desk.session("s1")
        expect(yield* Effect.flip(session.snapshot)).toEqual(ownerLost)
        expect(yield* Effect.flip(session.history)).toEqual(ownerLost)
        expect(yield* Effect.flip(desk.takeOver("s1", { by: "ann" }))).toEqual(ownerLost)
        expect(yield* Effect.flip(desk.wake("s1"))).toEqual(ownerLost)
        expect(yield* Effect.flip(Stream.runDrain(desk.suggest("s1")))).toEqual(ownerLost)
        expect(yield* Effect.flip(session.clear)).toEqual(ownerLost)
      }))
  }
)

describe.each(faults)(
  "a broken connection of NodeCluster ($name), $moment a message reached the node",
  ({ defect, moment }) => {
    // Without it, the stream ends in the engine, and its reader is not told: a defect that follows an element is lost there.
    it.scopedLive("an event stream that breaks at an acknowledgement continues, and its turn is stored once", () =>
      Effect.gen(function*() {
        const { desk, store, wire } = yield* make(failing)
        wire.faults.push({ rpc: "Ack", moment, defect })
        const events = Array.from(yield* Stream.runCollect(desk.stream(keyed)), ({ _tag }) => _tag)
        expect(wire.faults).toEqual([])
        expect(events.at(-1)).toBe("TurnCompleted")
        expect(store.writes.length).toBe(1)
      }))

    it.scopedLive("a message with a `messageId` runs once, and a message without a `messageId` at most once", () =>
      Effect.gen(function*() {
        const { desk, ran, wire } = yield* make(failing)
        for (const rpc of ["Keyed", "Notify", "Hello", "Reading", "Turn"]) wire.faults.push({ rpc, moment, defect })
        expect((yield* desk.respond(keyed)).session.version).toBe(1)
        expect((yield* desk.respond(keyed)).session.version).toBe(1)
        expect(ran).toEqual(["m1"])
        const plain = yield* Effect.either(desk.respond(said))
        expect(ran.length).toBeLessThanOrEqual(2)
        if (Either.isLeft(plain)) expect(plain.left).toEqual(ownerLost)
      }))
  }
)

describe("an answer from the cluster that does not decode", () => {
  it.scopedLive("is a defect for the caller, and the message is not sent again", () =>
    Effect.gen(function*() {
      const { front, wire } = yield* made
      const desk = yield* front(NoCity.pipe(Schema.filter(({ city }) => city !== "nowhere")))
      for (const rpc of ["Turn", "Keyed"]) {
        const key = rpc === "Keyed" ? { messageId: "m1" } : {}
        const exit = yield* Effect.exit(desk.respond({ ...said, ...key, message: "nowhere" }))
        expect(Exit.isFailure(exit) && Option.isSome(Cause.dieOption(exit.cause))).toBe(true)
        expect(wire.sent.filter((name) => name === rpc).length).toBe(1)
      }
    }))
})
