/** Batching and backpressure of server-sent events. */
import { expect, it } from "@effect/vitest"
import { Chunk, Effect, Ref, Stream } from "effect"
import * as Sse from "../../../../src/layers/server/streams/Sse.js"

const written = (events: Stream.Stream<string>): Stream.Stream<Uint8Array> => {
  const { body } = Sse.respond(events)
  if (body._tag !== "Stream") throw new Error(`a body of ${body._tag}`)
  return Stream.orDie(body.stream)
}

const texts = (chunks: Iterable<Uint8Array>) => Array.from(chunks, (bytes) => new TextDecoder().decode(bytes))

it.effect("server-sent events that are ready before the client reads are sent in few writes", () =>
  Effect.gen(function*() {
    const all = yield* Stream.runCollect(written(Stream.make("a;", "b;", "c;")))
    expect(texts(all).join("")).toBe(": open\n\na;b;c;")
    expect(Chunk.size(all)).toBeLessThan(4)
  }))

it.effect("a client that does not read slows the event source; a client that disconnects ends the source", () =>
  Effect.gen(function*() {
    const [told, isOver] = [yield* Ref.make(0), yield* Ref.make(false)]
    const events = Stream.repeatEffect(Effect.as(Ref.update(told, (n) => n + 1), "event;")).pipe(
      Stream.rechunk(1),
      Stream.ensuring(Ref.set(isOver, true))
    )
    yield* Effect.scoped(Effect.gen(function*() {
      const pull = yield* Stream.toPull(written(events))
      yield* pull
      yield* Effect.repeatN(Effect.yieldNow(), 200)
      expect(yield* Ref.get(told)).toBeLessThan(40)
    }))
    expect(yield* Ref.get(isOver)).toBe(true)
  }))
