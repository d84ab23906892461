/** Races of turns: with clients that disconnect or rejoin, with the server's shutdown, and with a record that lags behind. */
import { describe, expect, it } from "@effect/vitest"
import { Errors, Session, SessionStore, TurnFeed } from "coxswain"
import { Context, Effect, Exit, Fiber, Layer, Option, Schema, Stream, TestClock } from "effect"
import * as Turns from "../../../../src/layers/server/turns/Turns.js"
import * as TurnSlots from "../../../../src/layers/server/turns/TurnSlots.js"
import { send } from "../../../../src/pipeline/agent/handle.js"
import { runtimeOf } from "../../../../src/pipeline/state/agentInternals.js"
import * as SessionLock from "../../../../src/services/session/SessionLock.js"
import * as Desk from "../../../support/Desk.js"

/** A tool that needs approval; once it is approved, it waits until the latch `gate` opens. */
const slowPay = (held: Effect.Effect<void>) =>
  Desk.kit.tool({
    id: "pay",
    parameters: { euros: Schema.Number },
    needsApproval: true,
    handler: () => Effect.as(held, "paid")
  })

const flows = [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]

interface Making {
  readonly whileBusy?: "queue" | "cancel" | "reject"
  readonly onDisconnect?: "continue" | "abort"
  readonly most?: number
  /** Overrides of the in-memory feed. */
  readonly feed?: (memory: TurnFeed.Service) => Partial<TurnFeed.Service>
}

const make = Effect.fnUntraced(function*({ feed, most = 4, onDisconnect = "continue", whileBusy = "queue" }: Making) {
  const gate = yield* Effect.makeLatch()
  const atGate = yield* Effect.makeLatch()
  const held = Effect.zipRight(atGate.open, gate.await)
  const services = yield* Layer.build(Layer.merge(Desk.services(held), SessionStore.layerMemory))
  const agent = yield* Desk.kit.make({
    name: "Desk",
    flows,
    tools: [slowPay(held)],
    on: { paid: () => Effect.as(held, { reply: "Thank you." }) }
  }).pipe(Effect.provide(services))
  const memory = yield* TurnFeed.make
  const all = { ...memory, ...feed?.(memory) }
  let ids = 0
  const turns = Turns.make({
    // The routes do not need the types of what an agent collects.
    agent: agent as never,
    feed: all,
    whileBusy,
    onDisconnect,
    generateId: Effect.sync(() => `t${++ids}`),
    places: TurnSlots.make(most),
    order: yield* SessionLock.make
  })
  const find = (id = "s1") =>
    Effect.map(Effect.orDie(agent.session(id).snapshot), (session) => ({
      id,
      session,
      epoch: session.version > 0 ? Session.epochOf(session) : undefined,
      owner: "ann"
    }))
  const say = (message: string, { messageId, sessionId = "s1" }: { messageId?: string; sessionId?: string } = {}) =>
    Effect.flatMap(find(sessionId), (found) =>
      turns.say({
        found,
        userId: "ann",
        message,
        messageId,
        check: Effect.void,
        send: (before) =>
          send(runtimeOf(agent)!, {
            _tag: "Message",
            sessionId,
            message,
            principal: { userId: "ann" },
            ...(messageId && { messageId }),
            ...(before !== undefined && { unanswered: { _tag: "Message", sessionId, message: before } })
          })
      }))
  const answered = (message: string, options?: { messageId?: string; sessionId?: string }) =>
    Effect.flatMap(say(message, options), ({ response }) => response)
  const said = Effect.map(
    agent.session("s1").history,
    (messages) => messages.flatMap(({ content, role }) => role === "user" ? [JSON.stringify(content)] : [])
  )
  const join = (after?: Parameters<typeof turns.join>[1]) => Effect.flatMap(find(), (found) => turns.join(found, after))
  // The same agent in another process: the same sessions, with its own lock.
  const elsewhere = yield* Desk.kit.make({ name: "Desk", flows }).pipe(
    Effect.provide(Layer.merge(
      Desk.services(),
      Layer.succeed(SessionStore.SessionStore, {
        ...Context.get(services, SessionStore.SessionStore),
        lock: yield* SessionLock.make
      })
    ))
  )
  return { agent, answered, atGate, elsewhere, find, gate, join, said, say, turns, memory }
})

/** Lets all ready fibers run. */
const settle = Effect.repeatN(Effect.yieldNow(), 200)

const tags = (events: Iterable<TurnFeed.NumberedEvent>) => Array.from(events, ({ event }) => event._tag)

/**
 * Returns an effect. Its first run opens the latch `at` and waits until the latch `gate` opens; later runs do nothing.
 */
const firstAt = (at: Effect.Latch, gate: Effect.Latch): Effect.Effect<void> => {
  let isFirst = true
  return Effect.suspend(() => {
    const wait = isFirst
    isFirst = false
    return wait ? Effect.zipRight(at.open, gate.await) : Effect.void
  })
}

/** A feed whose first call of `what` waits until the latch `gate` opens. */
const held = (at: Effect.Latch, gate: Effect.Latch, what: "begin" | "stop") => {
  const hold = firstAt(at, gate)
  return ({ begin, stop }: TurnFeed.Service): Partial<TurnFeed.Service> =>
    what === "begin"
      ? { begin: (...about) => Effect.zipRight(hold, begin(...about)) }
      : { stop: (...turn) => Effect.zipRight(hold, stop(...turn)) }
}

const latches = Effect.all([Effect.makeLatch(), Effect.makeLatch()])

/** A first turn runs, and a second message is about to stop it: it continues when `go` opens. */
const stopping = Effect.gen(function*() {
  const [at, go] = yield* latches
  const made = yield* make({ whileBusy: "cancel", feed: held(at, go, "stop") })
  const first = yield* Effect.fork(made.answered("wait: one"))
  yield* made.atGate.await
  const second = yield* Effect.fork(made.answered("two"))
  yield* at.await
  return { ...made, go, first, second }
})

describe("a stopping server", () => {
  it.scoped("waits for a turn that was already starting", () =>
    Effect.gen(function*() {
      const [at, go] = yield* latches
      const { answered, turns } = yield* make({
        feed: held(at, go, "begin")
      })
      const answer = yield* Effect.fork(answered("Hi"))
      yield* at.await
      const stopping = yield* Effect.fork(turns.stop("30 seconds"))
      yield* settle
      expect(Option.isNone(yield* Fiber.poll(stopping))).toBe(true)
      yield* go.open
      expect(yield* Fiber.join(answer)).toMatchObject({ message: "You said it." })
      yield* Fiber.join(stopping)
    }))

  it.scoped("refuses a turn that would start after the time limit, and leaves no record of it", () =>
    Effect.gen(function*() {
      const [at, go] = yield* latches
      const { answered, memory, said, turns } = yield* make({
        feed: held(at, go, "begin")
      })
      const answer = yield* Effect.fork(Effect.flip(answered("Hi")))
      yield* at.await
      const stopping = yield* Effect.fork(turns.stop("5 seconds"))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(stopping)
      yield* go.open
      expect(yield* Fiber.join(answer)).toMatchObject({ status: 503, tag: "ServerStopping" })
      expect(yield* memory.running("s1")).toEqual([])
      expect(yield* said).toEqual([])
    }))

  it.scoped("waits until the records of its aborted turns are written", () =>
    Effect.gen(function*() {
      const written = yield* Effect.makeLatch()
      const { atGate, say, turns } = yield* make({
        feed: ({ begin }) => ({
          begin: (...about) => Effect.tap(begin(...about), () => Effect.addFinalizer(() => written.await))
        })
      })
      yield* say("wait: for it")
      yield* atGate.await
      const stopping = yield* Effect.fork(turns.stop("5 seconds"))
      yield* TestClock.adjust("6 seconds")
      yield* settle
      expect(Option.isNone(yield* Fiber.poll(stopping))).toBe(true)
      yield* written.open
      yield* Fiber.join(stopping)
    }))

  it.scoped("also interrupts the handling of an event after the time limit, and stores nothing of the event", () =>
    Effect.gen(function*() {
      const { agent, atGate, turns } = yield* make({})
      const told = yield* Effect.fork(
        Effect.flip(turns.aside(agent.notify({ sessionId: "s1", event: "paid", payload: { amount: 1 } })))
      )
      yield* atGate.await
      const stopping = yield* Effect.fork(turns.stop("5 seconds"))
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(stopping)
      expect(yield* Fiber.join(told)).toMatchObject({ status: 503, tag: "Interrupted" })
      expect((yield* agent.session("s1").snapshot).version).toBe(0)
    }))
})

describe("a client that disconnects", () => {
  it.scoped("interrupts the handling of its event only with `onDisconnect: \"abort\"`", () =>
    Effect.gen(function*() {
      for (const onDisconnect of ["continue", "abort"] as const) {
        const { agent, atGate, gate, turns } = yield* make({ onDisconnect })
        const told = yield* Effect.fork(
          turns.aside(agent.notify({ sessionId: "s1", event: "paid", payload: { amount: 1 } }))
        )
        yield* atGate.await
        yield* Fiber.interrupt(told)
        yield* settle
        yield* gate.open
        yield* settle
        expect((yield* agent.session("s1").snapshot).version).toBe(onDisconnect === "continue" ? 1 : 0)
      }
    }))

  it.scoped("still has its message answered if it disconnects while the message cancels a running turn", () =>
    Effect.gen(function*() {
      const { answered, gate, go, said, second } = yield* stopping
      const third = yield* Effect.fork(answered("three"))
      yield* settle
      yield* Effect.forEach([second, third], Fiber.interruptFork)
      yield* go.open
      yield* settle
      yield* gate.open
      yield* settle
      expect((yield* said).at(-1)).toContain("two\\nthree")
    }))
})

describe("messages that cancel the running turn", () => {
  it.scoped("are all answered together, however fast they arrive", () =>
    Effect.gen(function*() {
      const { answered, first, gate, go, said, second } = yield* stopping
      const third = yield* Effect.fork(answered("three"))
      yield* settle
      yield* go.open
      expect(yield* Fiber.join(first)).toMatchObject({ stoppedReason: "aborted" })
      expect(yield* Fiber.join(second)).toMatchObject({ stoppedReason: "aborted" })
      yield* gate.open
      expect(yield* Fiber.join(third)).toMatchObject({ message: "One two three." })
      expect((yield* said).at(-1)).toContain("wait: one\\ntwo\\nthree")
    }))

  it.scoped("do not cancel the turn if they are refused", () =>
    Effect.gen(function*() {
      const { answered, atGate, gate, turns } = yield* make({ whileBusy: "cancel" })
      const first = yield* Effect.fork(answered("wait: one"))
      yield* atGate.await
      const stopping = yield* Effect.fork(turns.stop("30 seconds"))
      yield* settle
      expect(yield* Effect.flip(answered("two"))).toMatchObject({ tag: "ServerStopping" })
      yield* gate.open
      expect(yield* Fiber.join(first)).toMatchObject({ message: "One two three." })
      yield* Fiber.join(stopping)
    }))

  it.scoped("use the cancelled turn's place in the limit of concurrent turns", () =>
    Effect.gen(function*() {
      const { answered, atGate, gate } = yield* make({ whileBusy: "cancel", most: 1 })
      const first = yield* Effect.fork(answered("wait: one"))
      yield* atGate.await
      expect(yield* Effect.flip(answered("Hi", { sessionId: "s2" }))).toMatchObject({ tag: "TooManyTurns" })
      const second = yield* Effect.fork(answered("two"))
      expect(yield* Fiber.join(first)).toMatchObject({ stoppedReason: "aborted" })
      yield* gate.open
      expect(yield* Fiber.join(second)).toMatchObject({ message: "One two three." })
    }))

  it.scoped("wait for an approved tool call instead of cancelling the call", () =>
    Effect.gen(function*() {
      const { agent, answered, atGate, find, gate, turns } = yield* make({ whileBusy: "cancel" })
      const asked = yield* answered("pay 40")
      const { response } = yield* turns.go({
        found: yield* find(),
        userId: "ann",
        launch: agent.session("s1").approve(asked.approvals[0]!.id, { approved: true }) as never
      })
      yield* atGate.await
      const second = yield* Effect.fork(answered("Are you there?"))
      yield* settle
      yield* gate.open
      expect(yield* response).toMatchObject({ toolCalls: [{ outcome: "ok" }] })
      expect(yield* Fiber.join(second)).toMatchObject({ message: "You said it." })
    }))

  it.scoped("can be aborted while they wait for the cancelled turn to end", () =>
    Effect.gen(function*() {
      const { find, go, second, turns } = yield* stopping
      const aborting = yield* Effect.fork(Effect.flatMap(find(), turns.abort))
      yield* settle
      yield* go.open
      yield* Fiber.join(aborting)
      expect(yield* Fiber.join(second)).toMatchObject({ stoppedReason: "aborted" })
    }))
})

describe("with `whileBusy: \"reject\"`", () => {
  it.scoped("the next message after an answer is accepted even if the server still writes the turn's record", () =>
    Effect.gen(function*() {
      const written = yield* Effect.makeLatch()
      const { answered } = yield* make({
        whileBusy: "reject",
        feed: ({ begin }) => ({
          begin: (...about) => Effect.tap(begin(...about), () => Effect.addFinalizer(() => written.await))
        })
      })
      const both = yield* Effect.fork(Effect.zipRight(answered("Hi"), answered("And?")))
      yield* settle
      yield* written.open
      expect(yield* Fiber.join(both)).toMatchObject({ message: "You said it." })
    }))

  it.scoped("readers of the turn's events get the last event only when the server can accept the next message", () =>
    Effect.gen(function*() {
      const written = yield* Effect.makeLatch()
      const { say } = yield* make({
        whileBusy: "reject",
        feed: ({ begin }) => ({
          begin: (...about) => Effect.tap(begin(...about), () => Effect.addFinalizer(() => written.await))
        })
      })
      const { events } = yield* say("Hi")
      const read: Array<TurnFeed.NumberedEvent> = []
      const reading = yield* Effect.fork(Stream.runForEach(events, (event) => Effect.sync(() => read.push(event))))
      yield* settle
      expect(tags(read)).not.toContain("TurnCompleted")
      yield* written.open
      yield* Fiber.join(reading)
      expect(tags(read).at(-1)).toBe("TurnCompleted")
    }))

  it.scoped("a message sent twice at the same time has one answer", () =>
    Effect.gen(function*() {
      const [at, go] = yield* latches
      const { answered, gate } = yield* make({
        whileBusy: "reject",
        feed: held(at, go, "begin")
      })
      const first = yield* Effect.fork(answered("wait: for it", { messageId: "m1" }))
      yield* at.await
      const second = yield* Effect.fork(answered("wait: for it", { messageId: "m1" }))
      yield* settle
      yield* go.open
      yield* settle
      expect(yield* Effect.flip(answered("Else"))).toMatchObject({ tag: "SessionBusy" })
      yield* gate.open
      const answer = { message: "One two three.", session: { version: 1 } }
      expect(yield* Fiber.join(first)).toMatchObject(answer)
      expect(yield* Fiber.join(second)).toMatchObject(answer)
    }))
})

describe("a client that rejoins", () => {
  it.scoped("after the end of its turn follows the turn that has started meanwhile", () =>
    Effect.gen(function*() {
      const [at, go] = yield* latches
      let isHeld = false
      const held = firstAt(at, go)
      const { answered, atGate, gate, join, memory, say } = yield* make({
        feed: ({ running }) => ({ running: (id) => Effect.tap(running(id), () => isHeld ? held : Effect.void) })
      })
      yield* answered("Hi")
      const { length } = yield* Stream.runCollect(Option.getOrThrow(yield* memory.follow("s1", "t1", 0)))
      isHeld = true
      const joining = yield* Effect.fork(join({ turnId: "t1", seq: length }))
      yield* at.await
      yield* say("wait: for it")
      yield* atGate.await
      yield* go.open
      expect(Option.getOrThrow(yield* Fiber.join(joining)).turnId).toBe("t2")
      yield* gate.open
    }))

  it.scoped("gets no event a second time if the turn ends while the client rejoins", () =>
    Effect.gen(function*() {
      const [at, go] = yield* latches
      let isHeld = false
      const held = firstAt(at, go)
      const { atGate, gate, join, memory, say } = yield* make({
        feed: ({ running }) => ({ running: (id) => Effect.tap(running(id), () => isHeld ? held : Effect.void) })
      })
      const { response } = yield* say("wait: for it")
      yield* atGate.await
      isHeld = true
      const joining = yield* Effect.fork(join({ turnId: "t1", seq: 1000 }))
      yield* at.await
      yield* gate.open
      yield* response
      yield* settle
      expect(yield* memory.running("s1")).toEqual([])
      yield* go.open
      const joined = yield* Fiber.join(joining)
      const again = Option.isNone(joined) ? [] : yield* Stream.runCollect(joined.value.events)
      expect(tags(again)).toEqual([])
    }))

  it.scoped("gets a `SessionFeedError` if the server could not store all events of the turn", () =>
    Effect.gen(function*() {
      const lost = new Errors.SessionFeedError({ sessionId: "s1", what: "it", why: "away", fix: "wait" })
      let appended = 0
      const { atGate, gate, join, say } = yield* make({
        feed: ({ begin }) => ({
          begin: (...about) =>
            Effect.map(
              begin(...about),
              Option.map((recording) => ({
                ...recording,
                append: (events) => appended++ === 0 ? recording.append(events) : Effect.fail(lost)
              }))
            )
        })
      })
      const { response } = yield* say("wait: for it")
      yield* atGate.await
      const joined = Option.getOrThrow(yield* join())
      yield* gate.open
      expect(yield* response).toMatchObject({ message: "One two three." })
      expect(yield* Effect.flip(Stream.runDrain(joined.events))).toMatchObject({ tag: "SessionFeedError" })
    }))
})

it.scoped("after an answer, a client may send the next message even if the server still writes the turn's record", () =>
  Effect.gen(function*() {
    const written = yield* Effect.makeLatch()
    const { answered } = yield* make({
      most: 1,
      feed: ({ begin }) => ({
        begin: (...about) => Effect.tap(begin(...about), () => Effect.addFinalizer(() => written.await))
      })
    })
    yield* answered("Hi")
    expect(yield* Effect.exit(answered("And?"))).toSatisfy(Exit.isSuccess)
    yield* written.open
  }))

describe("a session that another process removes during a turn", () => {
  const removed = Effect.gen(function*() {
    const made = yield* make({ whileBusy: "cancel" })
    const { answered, atGate, elsewhere, memory, say } = made
    yield* answered("Hi")
    const old = yield* say("wait: for it", { messageId: "m1" })
    yield* atGate.await
    yield* elsewhere.session("s1").clear
    yield* TestClock.adjust("1 second")
    const wasStopped = Effect.map(
      Effect.flatMap(memory.follow("s1", old.turnId, 0), (events) => Stream.runCollect(Option.getOrThrow(events))),
      (events) => tags(events).includes("Interrupted")
    )
    return { ...made, old, wasStopped }
  })

  it.scoped("no longer exists, and its running turn can be neither stopped nor joined", () =>
    Effect.gen(function*() {
      const { find, gate, join, old, turns, wasStopped } = yield* removed
      yield* turns.abort(yield* find())
      expect(yield* join({ turnId: old.turnId, seq: 0 })).toEqual(Option.none())
      expect(yield* join()).toEqual(Option.none())
      yield* gate.open
      yield* Effect.exit(old.response)
      expect(yield* wasStopped).toBe(false)
    }))

  it.scoped("is separate, when it is re-created with the same id, from the turns and records of the removed session", () =>
    Effect.gen(function*() {
      const { answered, elsewhere, find, gate, join, memory, old, turns, wasStopped } = yield* removed
      yield* elsewhere.respond({ sessionId: "s1", message: "a new life", principal: { userId: "ann" } })
      yield* turns.abort(yield* find())
      expect(yield* join({ turnId: old.turnId, seq: 0 })).toEqual(Option.none())
      // The same message neither gets the answer of the old life's turn nor stops it.
      const again = yield* Effect.fork(answered("wait: for it", { messageId: "m1" }))
      yield* settle
      expect((yield* memory.running("s1")).length).toBe(2)
      yield* gate.open
      yield* Effect.exit(old.response)
      expect(yield* wasStopped).toBe(false)
      expect(yield* Fiber.join(again)).toMatchObject({ message: "One two three." })
      // Records are removed per life.
      const found = yield* find()
      yield* turns.forget({ ...found, epoch: "another" })
      expect(yield* memory.remove("s1", found.epoch)).toBeGreaterThan(0)
    }))
})

describe("a message that is sent again", () => {
  const lost = new Errors.SessionFeedError({ sessionId: "s1", what: "the turn", why: "its process is gone", fix: "-" })
  const about = { sessionId: "s1", turnId: "dead", userId: "ann", message: "Hi", messageId: "m1" }
  const begun = [{ _tag: "TurnStarted", sessionId: "s1" }, { _tag: "TextDelta", text: "Hel" }]

  /** The record of a turn whose process is gone, with these events; `end` is how a reader learns of it. */
  const dead = (
    events: ReadonlyArray<typeof begun[number]>,
    end: Stream.Stream<never, Errors.SessionFeedError>,
    asked: Array<boolean | undefined>
  ) =>
  (memory: TurnFeed.Service): Partial<TurnFeed.Service> => {
    let isRunning = true
    return {
      running: (id) => Effect.map(memory.running(id), (others) => isRunning ? [about, ...others] : others),
      follow: (id, turnId, after, options) => {
        if (turnId !== "dead") return memory.follow(id, turnId, after, options)
        asked.push(options?.takesOver)
        const rest = Stream.suspend(() => {
          isRunning = false
          return end
        })
        const numbered = events.map((event, i) => ({ seq: i + 1, event }))
        return Effect.succeedSome(Stream.concat(Stream.fromIterable(numbered), rest))
      }
    }
  }

  for (const whileBusy of ["queue", "cancel", "reject"] as const) {
    for (const events of [[], begun.slice(0, 1), begun]) {
      it.scoped(`is answered here if the process that runs its turn dies (${whileBusy}, ${events.length} events)`, () =>
        Effect.gen(function*() {
          const asked: Array<boolean | undefined> = []
          const { answered, said, say } = yield* make({ whileBusy, feed: dead(events, Stream.fail(lost), asked) })
          const { events: all } = yield* say("Hi", { messageId: "m1" })
          const read = Array.from(yield* Stream.runCollect(all))
          const words = events.length > 1 ? ["MessageReplaced"] : []
          expect(tags(read).slice(0, events.length + words.length)).toEqual([
            ...tags(read).slice(0, events.length),
            ...words
          ])
          expect(tags(read).slice(0, events.length)).toEqual(events.map(({ _tag }) => _tag))
          expect(read.map(({ seq }) => seq)).toEqual(read.map((_, i) => i + 1))
          expect(read.at(-1)?.event).toMatchObject({ _tag: "TurnCompleted", response: { message: "You said it." } })
          expect(asked).toEqual([true])
          // Sent once more, it gets the stored answer, and the session has it once.
          expect(yield* answered("Hi", { messageId: "m1" })).toMatchObject({ message: "You said it." })
          expect((yield* said).length).toBe(1)
        }))
    }
  }

  it.scoped("waits for no dead process either if it is not streamed", () =>
    Effect.gen(function*() {
      const { answered } = yield* make({ feed: dead(begun, Stream.fail(lost), []) })
      expect(yield* answered("Hi", { messageId: "m1" })).toMatchObject({ message: "You said it." })
    }))

  it.scoped("another message stops the turn of a dead process without waiting for it, with `whileBusy: \"cancel\"`", () =>
    Effect.gen(function*() {
      const { answered } = yield* make({ whileBusy: "cancel", feed: dead(begun, Stream.fail(lost), []) })
      expect(yield* answered("And?", { messageId: "m2" })).toMatchObject({ message: "You said it." })
    }))

  it.scoped("is not answered here if its record was removed with the session", () =>
    Effect.gen(function*() {
      const { answered, said } = yield* make({ feed: dead(begun, Stream.empty, []) })
      expect(yield* Effect.flip(answered("Hi", { messageId: "m1" }))).toMatchObject({ tag: "SessionFeedError" })
      expect(yield* said).toEqual([])
    }))
})
