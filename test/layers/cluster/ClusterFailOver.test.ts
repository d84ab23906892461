/** Turns whose node leaves the cluster while they run. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import * as Cluster from "coxswain/layers/cluster"
import { Context, Deferred, type Duration, Effect, Exit, Fiber, Layer, Schema, Scope, Stream } from "effect"
import * as ClusterWire from "../../support/ClusterWire.js"
import * as CountingStore from "../../support/CountingStore.js"
import * as Script from "../../support/Script.js"
import * as StreamedModel from "../../support/StreamedModel.js"

const kit = Agent.define({ data: Schema.Struct({}) })
class Desk extends Context.Tag("Desk")<Desk, Agent.Agent<{}, {}>>() {}
const options = kit.agent({ name: "Desk", timeouts: { lock: "10 seconds" } })

/**
 * A front, and the nodes of its sessions, one after another. Their model does not answer "Wait" before `answer`, by
 * default never. A node that leaves lets its turns end for `termination`.
 */
const making = (
  { answer = Effect.never, termination }: {
    readonly answer?: Effect.Effect<void>
    readonly termination?: Duration.DurationInput
  } = {}
) =>
  Effect.gen(function*() {
    const wire = yield* ClusterWire.make(undefined, termination)
    const store = yield* CountingStore.make
    /** Starts a node. `asked` completes when its model was asked to wait. */
    const start = Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const model = Script.make(({ prompt }) =>
        JSON.stringify(prompt.content.findLast(({ role }) => role === "user")).includes("Wait")
          ? Effect.as(Effect.zipRight(Deferred.succeed(asked, undefined), answer), "Waited")
          : Effect.succeed("Here")
      )
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      yield* Layer.buildWithScope(
        Cluster.layer(Desk, kit, options).pipe(Layer.provide(wire.node), Layer.provide([model.layer, store.layer])),
        scope
      )
      return { asked: Deferred.await(asked), leave: Scope.close(scope, Exit.void) }
    })
    const front = Layer.build(
      Cluster.layerClient(Desk, kit, options).pipe(Layer.provide(wire.front), Layer.provide(store.layer))
    )
    const first = yield* start
    return { desk: Context.get(yield* front, Desk), first, start, store }
  })

const made = making()

const wait = { sessionId: "s1", message: "Wait", messageId: "m1" }
const next = { sessionId: "s1", message: "hi", messageId: "m2" }

describe("a hanging turn whose node leaves the cluster", () => {
  it.scopedLive("is interrupted on the next node when the caller closes the turn's stream", () =>
    Effect.gen(function*() {
      const { desk, first, start, store } = yield* made
      const reading = yield* Effect.fork(Stream.runDrain(desk.stream(wait)))
      yield* first.asked
      yield* first.leave
      const second = yield* start
      yield* second.asked
      yield* Fiber.interrupt(reading)
      expect((yield* desk.respond(next)).message).toBe("Here")
      expect(store.writes.length).toBe(1)
    }))

  it.scopedLive("does not block the session on the next node if the caller closed the turn's stream before", () =>
    Effect.gen(function*() {
      const { desk, first, start, store } = yield* made
      const reading = yield* Effect.fork(Stream.runDrain(desk.stream(wait)))
      yield* first.asked
      yield* first.leave
      yield* Fiber.interrupt(reading)
      yield* start
      expect((yield* desk.respond(next)).message).toBe("Here")
      expect(store.writes.length).toBe(1)
    }))

  it.scopedLive("can be aborted on the next node", () =>
    Effect.gen(function*() {
      const { desk, first, start } = yield* made
      const turn = yield* desk.session("s1").send("Wait", { messageId: "m1" })
      yield* first.asked
      yield* first.leave
      const second = yield* start
      yield* second.asked
      yield* turn.abort
      expect((yield* turn.response).stoppedReason).toBe("aborted")
      expect((yield* desk.respond(next)).message).toBe("Here")
    }))
})

describe("a streamed turn that ends while its node leaves the cluster", () => {
  for (
    const [by, read] of Object.entries({
      stream: (desk: Agent.Agent<{}, {}>) => Stream.runCollect(desk.stream(wait)),
      send: (desk: Agent.Agent<{}, {}>) =>
        Effect.flatMap(desk.session("s1").send("Wait", { messageId: "m1" }), ({ events }) => Stream.runCollect(events))
    })
  ) {
    it.scopedLive(`is stored before the session moves, and its reader gets the end from the next node: ${by}`, () =>
      Effect.gen(function*() {
        const go = yield* Deferred.make<void>()
        const { desk, first, start, store } = yield* making({ answer: Deferred.await(go), termination: "1 minute" })
        const reading = yield* Effect.fork(read(desk))
        yield* first.asked
        const leaving = yield* Effect.fork(first.leave)
        yield* Effect.sleep("300 millis")
        yield* Deferred.succeed(go, undefined)
        // A reader without a connection is given up after 15 seconds, and the turns of a node after `termination`.
        yield* Effect.timeout(Fiber.join(leaving), "10 seconds")
        expect(store.writes.length).toBe(1)
        yield* start
        const events = Array.from(yield* Fiber.join(reading))
        expect(events.at(-1)).toMatchObject({ _tag: "TurnCompleted", response: { message: "Waited" } })
        expect(store.writes.length).toBe(1)
      }))
  }
})

describe("a message that is sent again from another process", () => {
  it.scopedLive("resumes the turn of a process that died while it read the turn's events", () =>
    Effect.gen(function*() {
      const words = Array.from({ length: 300 }, (_, i) => `word ${i}, `)
      let [connections, isDead, asked] = [0, false, 0]
      // The first front sends nothing after its death, and its connection stays open.
      const wire = yield* ClusterWire.make((protocol) => {
        const isFirst = ++connections === 1
        return {
          ...protocol,
          send: (request, transferables) =>
            Effect.suspend(() => isFirst && isDead ? Effect.never : protocol.send(request, transferables))
        }
      })
      const store = yield* CountingStore.make
      const model = StreamedModel.make(() => {
        asked++
        return words
      })
      yield* Layer.build(
        Cluster.layer(Desk, kit, options).pipe(Layer.provide(wire.node), Layer.provide([model.layer, store.layer]))
      )
      const front = Effect.map(
        Layer.build(
          Cluster.layerClient(Desk, kit, options).pipe(Layer.provide(wire.front), Layer.provide(store.layer))
        ),
        (context) => Context.get(context, Desk)
      )
      const first = yield* front
      const begun = yield* first.session("s1").send("Go", { messageId: "m1" })
      yield* Stream.runHead(Stream.filter(begun.events, ({ _tag }) => _tag === "TextDelta"))
      isDead = true
      const second = yield* front
      const turn = yield* second.session("s1").send("Go", { messageId: "m1" })
      const said = Array.from(yield* Stream.runCollect(turn.events)).flatMap((event) =>
        event._tag === "TextDelta" ? [event.text] : []
      )
      // With the stored answer alone it would have got no words.
      expect(said.join("")).toBe(words.join(""))
      expect(asked).toBe(1)
      expect(store.writes.length).toBe(1)
    }))
})
