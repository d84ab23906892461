/** The record of a user's values: written by several sessions, exported, erased, replayed, and read by later versions. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Replay, SessionStore, TurnLog } from "coxswain"
import * as Encrypted from "coxswain/layers/encrypted"
import * as Sqlite from "coxswain/layers/sqlite"
import { Chunk, DateTime, Effect, Encoding, Layer, Redacted, Schema, Stream, TestClock } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as UserRecord from "../../../src/domain/fields/UserRecord.js"
import * as OtherProcess from "../../support/OtherProcess.js"
import * as Users from "./Users.js"

const { recorded, say, states } = Users

/** A store that runs an effect once, before the first write of a user record. */
const racing = (store: SessionStore.Service, rival: Effect.Effect<unknown, unknown>): SessionStore.Service => {
  let isRun = false
  return {
    ...store,
    commit: (write) =>
      Effect.suspend(() => {
        if (isRun || !UserRecord.isRecord(write.id)) return store.commit(write)
        isRun = true
        return Effect.zipRight(Effect.orDie(rival), store.commit(write))
      })
  }
}

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-users-"))),
  (name) => Effect.sync(() => fs.rmSync(name, { recursive: true, force: true }))
)

const stores = {
  memory: () => SessionStore.makeMemory,
  sqlite: (name: string) =>
    Effect.map(
      Layer.build(Sqlite.layer({ filename: path.join(name, "sessions.db") })),
      (context) => Effect.runSync(Effect.provide(SessionStore.SessionStore, context))
    )
}

for (const [kind, make] of Object.entries(stores)) {
  describe(`${kind}: the record of a user`, () => {
    it.scopedLive("loses nothing of two sessions that write it at the same moment; the later statement wins", () =>
      Effect.gen(function*() {
        const store = yield* make(yield* folder)
        const other = yield* Users.make(OtherProcess.view(store))
        yield* say(other)("s0", states({ address: "Elm 1", diet: "vegan" }))
        const rival = say(other)("s2", states({ address: "Oak 2", visits: 3 }, "diet"))
        const agent = yield* Users.make(racing(OtherProcess.view(store), rival))
        yield* say(agent)("s1", states({ address: "Ash 3", contact: { name: "Ann", phone: "1" } }))
        expect(yield* recorded(store)).toEqual({ address: "Ash 3", contact: { name: "Ann", phone: "1" } })
        const next = yield* say(other)("s2", states({ dish: "Soup" }))
        expect(next.message).toBe("Soup to Ash 3.")
      }))

    it.scopedLive("has the items that two sessions add to one list, change and remove in it at the same moment", () =>
      Effect.gen(function*() {
        const store = yield* make(yield* folder)
        const other = yield* Users.make(OtherProcess.view(store))
        const lamp = { name: "lamp", room: "hall" }
        const radio = { name: "radio", room: "hall" }
        yield* say(other)("s0", states({ likes: ["rice"], devices: [lamp, radio] }))
        const rival = say(other)("s2", states({ likes: ["beans"], devices: [{ name: "Lamp", room: "attic" }] }))
        const agent = yield* Users.make(racing(OtherProcess.view(store), rival))
        yield* say(agent)("s1", states({ likes: ["leek"], devices: [{ name: "clock", room: "den" }] }))
        const devices = [{ name: "lamp", room: "attic" }, radio, { name: "clock", room: "den" }]
        expect(yield* recorded(store)).toEqual({ likes: ["rice", "beans", "leek"], devices })
        expect((yield* say(other)("s2", states({}))).session.data).toEqual({
          likes: ["rice", "beans", "leek"],
          devices
        })
      }))

    it.scopedLive("keeps away the items that another session has cleared, and has those that are added meanwhile", () =>
      Effect.gen(function*() {
        const store = yield* make(yield* folder)
        const other = yield* Users.make(OtherProcess.view(store))
        yield* say(other)("s0", states({ likes: ["rice"] }))
        const agent = yield* Users.make(racing(OtherProcess.view(store), say(other)("s2", states({}, "likes"))))
        yield* say(agent)("s1", states({ likes: ["leek"] }))
        expect(yield* recorded(store)).toEqual({ likes: ["leek"] })
      }))

    it.scopedLive("is written once by a turn that another process overtakes", () =>
      Effect.gen(function*() {
        const store = yield* make(yield* folder)
        const log = yield* TurnLog.TurnLog
        const other = yield* Users.make(OtherProcess.view(store))
        let isDue = false
        const overtaking = Effect.suspend(() => {
          if (!isDue) return Effect.void
          isDue = false
          return Effect.orDie(say(other)("s1", states({ shop: "North" })))
        })
        const agent = yield* Users.make(
          OtherProcess.view(store),
          { hooks: { beforeRespond: ({ data }) => ({ dataUpdate: { visits: (data.visits ?? 0) + 1 } }) } },
          overtaking
        )
        yield* say(agent)("s1", states({ address: "Elm 1" }))
        isDue = true
        const { session } = yield* say(agent)("s1", states({ likes: ["leek"] }))
        expect(isDue).toBe(false)
        const kept = { address: "Elm 1", likes: ["leek"], visits: 2 }
        expect(session.data).toEqual({ ...kept, shop: "North" })
        expect(yield* recorded(store)).toEqual(kept)
        const entries = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read()))
        const overtaken = entries.filter(({ end }) => end === "SessionConflict")
        expect((yield* Replay.run(overtaken, agent)).reproduced).toBe(1)
      }).pipe(Effect.provide(TurnLog.layerMemory)))

    it.scopedLive("has the values of many sessions that write it together", () =>
      Effect.gen(function*() {
        const store = yield* make(yield* folder)
        const agents = yield* Effect.forEach([1, 2, 3], () => Users.make(OtherProcess.view(store)))
        const texts = [
          states({ address: "Elm 1" }),
          states({ diet: "vegan" }),
          states({ code: "4711" }),
          states({ contact: { name: "Ann", phone: "1" } })
        ]
        yield* Effect.forEach(
          Array.from({ length: 12 }, (_, i) => i),
          (i) => say(agents[i % 3]!)(`s${i}`, texts[i % 4]!),
          { concurrency: "unbounded", discard: true }
        )
        expect(yield* recorded(store)).toEqual({
          address: "Elm 1",
          diet: "vegan",
          code: "4711",
          contact: { name: "Ann", phone: "1" }
        })
      }))

    it.scopedLive("is exported and erased with the user, and with no other", () =>
      Effect.gen(function*() {
        const store = yield* make(yield* folder)
        const agent = yield* Users.make(store)
        yield* say(agent)("s1", states({ address: "Elm 1" }))
        yield* say(agent)("s2", states({ address: "Oak 2" }), "bob")
        // What the agent of an earlier session has kept is erased by any agent over the store.
        yield* say(yield* Users.make(store, { name: "Bakery" }))("s3", states({ address: "Elm 1" }))
        const { sessions } = yield* agent.export("ann")
        const [record, ...more] = sessions.filter(({ session }) => session.id === UserRecord.idOf("Kitchen", "ann"))
        expect(more).toEqual([])
        expect(record).toMatchObject({ session: { userId: "ann", data: { address: "Elm 1" } }, messages: [] })
        const erased = yield* agent.erase("ann")
        expect(erased.sessions).toHaveLength(4)
        expect(JSON.stringify(yield* agent.export("ann"))).not.toContain("Elm")
        expect(yield* recorded(store)).toBeUndefined()
        expect(yield* recorded(store, "bob")).toEqual({ address: "Oak 2" })
        expect((yield* say(agent)("s4", states({}))).session.data).toEqual({})
      }))
  })
}

describe("a turn that runs while its user is erased", () => {
  for (
    const [what, stated] of [["changes nothing", { dish: "Soup" }], ["changes a value", { diet: "vegan" }]] as const
  ) {
    it.effect(`and ${what} is repeated, and does not bring back what was erased`, () =>
      Effect.gen(function*() {
        const store = yield* SessionStore.makeMemory
        const agents: Array<{ readonly erase: (user: string) => Effect.Effect<unknown, unknown> }> = []
        let isDue = false
        const speaking = Effect.suspend(() => {
          if (!isDue) return Effect.void
          isDue = false
          return Effect.orDie(agents[0]!.erase("ann"))
        })
        const agent = yield* Users.make(store, {
          flows: [{
            title: "Order",
            optionalFields: ["address", "diet", "dish"],
            steps: [{ id: "talk", prompt: "Talk", until: () => false }]
          }]
        }, speaking)
        agents.push(agent)
        yield* say(agent)("s1", states({ address: "Elm 1" }))
        isDue = true
        const next = yield* say(agent)("s2", states(stated))
        expect(isDue).toBe(false)
        expect(next.session.data).toEqual(stated)
        expect(yield* recorded(store)).toEqual("diet" in stated ? stated : undefined)
        expect(JSON.stringify(yield* agent.export("ann"))).not.toContain("Elm")
      }))
  }
})

describe("a turn that begins a session while its user is erased", () => {
  it.effect("is repeated though another session has stated values anew in the same moment", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const other = yield* Users.make(store)
      let isDue = false
      const erasing = Effect.suspend(() => {
        if (!isDue) return Effect.void
        isDue = false
        return Effect.orDie(Effect.zipRight(other.erase("ann"), say(other)("s3", states({ diet: "vegan" }))))
      })
      const agent = yield* Users.make(store, {
        flows: [{
          title: "Order",
          optionalFields: ["address", "diet", "dish"],
          steps: [{ id: "talk", prompt: "Talk", until: () => false }]
        }]
      }, erasing)
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      isDue = true
      expect((yield* say(agent)("s2", states({ dish: "Soup" }))).session.data).toEqual({ diet: "vegan", dish: "Soup" })
      expect(yield* recorded(store)).toEqual({ diet: "vegan" })
      expect(JSON.stringify(yield* agent.export("ann"))).not.toContain("Elm")
    }))

  it.live("leaves nothing of the values in the turn log", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const log = yield* TurnLog.TurnLog
      const other = yield* Users.make(store)
      let isDue = false
      const erasing = Effect.suspend(() => {
        if (!isDue) return Effect.void
        isDue = false
        return Effect.orDie(other.erase("ann"))
      })
      const agent = yield* Users.make(store, {}, erasing)
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      isDue = true
      yield* say(agent)("s2", states({}))
      expect(isDue).toBe(false)
      const entries = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read()))
      expect(entries.map(({ end, sessionId }) => [sessionId, end])).toEqual([["s2", "answered"]])
      expect(JSON.stringify(entries)).not.toContain("Elm")
      expect(Replay.render(yield* Replay.run(log, agent))).toBe("Kitchen: 1 of 1 turn as they were, in 1 session.")
    }).pipe(Effect.provide(TurnLog.layerMemory)))
})

describe("the turn log", () => {
  it.live("has what a turn read of its user, so that a replay does not read today's values", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const log = yield* TurnLog.TurnLog
      const agent = yield* Users.make(store)
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      yield* say(agent)("s2", states({ dish: "Soup" }))
      yield* say(agent)("s2", states({}, "address"))
      yield* say(agent)("s1", states({ address: "Oak 2", shop: "North" }))
      yield* say(agent)("s3", states({}), "")
      const entries = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read()))
      expect(entries.map(({ user }) => user?.data)).toEqual([
        undefined,
        { address: "Elm 1" },
        { address: "Elm 1" },
        {},
        undefined
      ])
      expect(entries.map(({ written }) => written.map(({ session }) => session.id))).toEqual([
        ["s1"],
        ["s2"],
        ["s2"],
        ["s1"],
        ["s3"]
      ])
      expect(Replay.render(yield* Replay.run(log, agent))).toBe(
        "Kitchen: 5 of 5 turns as they were, in 3 sessions."
      )
      // Without what was read, the turn would be another one: the test can fail.
      const without = entries.map(({ user: _, ...entry }) => entry)
      expect((yield* Replay.run(without, agent)).reproduced).toBeLessThan(5)
      expect(yield* recorded(store)).toEqual({ address: "Oak 2" })
      expect(yield* Replay.toTest(log, "s2", agent)).toContain(
        "were known from other sessions, which this test does not have"
      )
    }).pipe(Effect.provide(TurnLog.layerMemory)))
})

describe("a later version of the agent", () => {
  const kitOf = <A, I>(visits: Schema.Schema<A, I>) =>
    Agent.define({
      data: Schema.Struct({
        address: Schema.String.annotations({ scope: "user" }),
        visits: visits.annotations({ scope: "user" })
      })
    })
  const flows = [{
    title: "Order",
    optionalFields: ["address", "visits"],
    steps: [{ id: "talk", prompt: "Talk", until: () => false }]
  }] as const
  const texts = kitOf(Schema.String)
  const counts = kitOf(Schema.Int)

  const begun = Effect.gen(function*() {
    const store = yield* SessionStore.makeMemory
    const before = yield* texts.make({ name: "Kitchen", flows }).pipe(Effect.provide(Users.services(store)))
    yield* say(before)("s1", states({ address: "Elm 1", visits: "3" }))
    return { store, before }
  })

  it.effect("drops a value that its Schema does not accept, with a trace; the others stay", () =>
    Effect.gen(function*() {
      const { before, store } = yield* begun
      const after = yield* counts.make({ name: "Kitchen", flows }).pipe(Effect.provide(Users.services(store)))
      const first = yield* say(after)("s2", states({}))
      expect(first.session.data).toEqual({ address: "Elm 1" })
      expect(first.trace).toContainEqual(
        expect.objectContaining({
          kind: "user_value_dropped",
          source: "visits",
          message: expect.stringContaining("number")
        })
      )
      // The earlier version, which may still run, keeps it until the user states another.
      expect((yield* say(before)("s3", states({}))).session.data).toEqual({ address: "Elm 1", visits: "3" })
      yield* say(after)("s2", states({ visits: 4 }))
      expect(yield* recorded(store)).toEqual({ address: "Elm 1", visits: 4 })
    }))

  it.effect("shows nothing of a secret that its Schema does not accept", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agentOf = <A, I>(pin: Schema.Schema<A, I>) =>
        Agent.define({ data: Schema.Struct({ pin: pin.annotations({ scope: "user" }) }) }).make({
          name: "Kitchen",
          flows: [{ title: "Order", optionalFields: ["pin"], steps: [{ prompt: "Talk", until: () => false }] }]
        }).pipe(Effect.provide(Users.services(store)))
      yield* say(yield* agentOf(Schema.Redacted(Schema.String)))("s1", states({ pin: "sesame" }))
      const wrong = Schema.Redacted(Schema.Int)
      for (const schema of [wrong, Schema.Struct({ pin: wrong }), Schema.Array(wrong), Schema.NullOr(wrong)]) {
        const { session, trace } = yield* say(yield* agentOf(schema as Schema.Schema<unknown, unknown>))("s2", "Hello")
        expect(session.data).toEqual({})
        expect(trace).toContainEqual(expect.objectContaining({ kind: "user_value_dropped", source: "pin" }))
        expect(JSON.stringify(trace)).not.toContain("sesame")
      }
    }))

  it.effect("reads the record by its migrations, and an earlier version reads what it understands of a later record", () =>
    Effect.gen(function*() {
      const { before, store } = yield* begun
      const after = yield* counts.make({
        name: "Kitchen",
        flows,
        migrations: {
          version: 2,
          steps: { 1: (session) => ({ ...session, data: { ...session.data, visits: Number(session.data.visits) } }) }
        }
      }).pipe(Effect.provide(Users.services(store)))
      expect((yield* say(after)("s2", states({}))).session.data).toEqual({ address: "Elm 1", visits: 3 })
      yield* say(after)("s2", states({ address: "Oak 2" }))
      expect(yield* Users.record(store)).toMatchObject({ definitionVersion: 2, data: { address: "Oak 2", visits: 3 } })
      expect((yield* say(before)("s3", states({}))).session.data).toEqual({ address: "Oak 2" })
    }))
})

describe("the record of a user", () => {
  it.effect("of an agent with `retention` stays while the user comes back", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store, { retention: "10 days" })
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      for (let i = 2; i < 6; i++) {
        yield* TestClock.adjust("6 days")
        yield* agent.purge
        expect((yield* say(agent)(`s${i}`, states({ dish: "Soup" }))).message).toBe("Soup to Elm 1.")
      }
      yield* TestClock.adjust("11 days")
      yield* agent.purge
      expect(yield* recorded(store)).toBeUndefined()
    }))

  it.effect("stays while the user comes back when the application itself removes old sessions", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store)
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      for (let i = 2; i < 6; i++) {
        yield* TestClock.adjust("9 days")
        const now = yield* DateTime.now
        yield* store.purge({ olderThan: DateTime.formatIso(DateTime.subtract(now, { days: 10 })) })
        expect((yield* say(agent)(`s${i}`, states({ dish: "Soup" }))).message).toBe("Soup to Elm 1.")
      }
    }))

  it.effect("that is no longer stored clears nothing in the sessions that are", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store)
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      yield* store.remove(UserRecord.idOf("Kitchen", "ann"))
      expect((yield* say(agent)("s1", states({ dish: "Soup" }))).message).toBe("Soup to Elm 1.")
      // It is the session's own then: nobody brings it back for the other sessions.
      expect((yield* say(agent)("s2", states({ diet: "vegan" }))).session.data).toEqual({ diet: "vegan" })
      expect((yield* say(agent)("s1", "Hello")).session.data).toMatchObject({ address: "Elm 1", diet: "vegan" })
      expect(yield* recorded(store)).toEqual({ diet: "vegan" })
    }))

  it.effect("is written at most once a day for being used", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store)
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      const version = Effect.map(Users.record(store), (found) => found?.version)
      const versions = []
      for (const hours of [1, 20, 6, 1, 20, 6]) {
        yield* TestClock.adjust(`${hours} hours`)
        yield* say(agent)("s1", "Hello")
        versions.push(yield* version)
      }
      expect(versions).toEqual([1, 1, 2, 2, 2, 3])
    }))

  it.scopedLive("is encrypted by a store that encrypts", () =>
    Effect.gen(function*() {
      const plain = yield* SessionStore.makeMemory
      const keys = { current: { id: "a", key: Redacted.make(Encoding.encodeBase64(new Uint8Array(32).fill(7))) } }
      const store = yield* Effect.provide(
        SessionStore.SessionStore,
        Encrypted.layer({ keys }).pipe(Layer.provide(Layer.succeed(SessionStore.SessionStore, plain)))
      )
      const agent = yield* Users.make(store)
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      expect((yield* say(agent)("s2", states({ dish: "Soup" }))).message).toBe("Soup to Elm 1.")
      expect(JSON.stringify(yield* Users.record(plain))).not.toContain("Elm")
    }))

  it.effect("gets what an approved call changes; the call goes on with the values that the person saw", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store, {
        flows: [{
          title: "Order",
          steps: [
            { id: "address", prompt: "Ask for the address", collect: ["address"] },
            {
              id: "count",
              call: Users.kit.tool({
                id: "count",
                needsApproval: true,
                handler: () => ({ ok: true, outputMessage: "done", directive: { dataUpdate: { visits: 1 } } })
              }).with({})
            },
            { id: "done", reply: ({ data }) => `To ${data.address}, ${data.visits} times.` }
          ]
        }]
      })
      const [request] = (yield* say(agent)("s1", states({ address: "Elm 1" }))).approvals
      yield* say(agent)("s2", states({ address: "Oak 2" }))
      // The suspended turn goes on with the values that the person saw; it does not write them over newer ones.
      const decided = yield* agent.approve("s1", request!.id, { approved: true })
      expect(decided.message).toBe("To Elm 1, 1 times.")
      expect(yield* recorded(store)).toEqual({ address: "Oak 2", visits: 1 })
      expect((yield* say(agent)("s1", states({}))).session.data).toEqual({ address: "Oak 2", visits: 1 })
    }))

  it.effect("gets what the user says while a person has the floor", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store, { handOff: { listen: true } })
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      yield* agent.takeOver("s1", { by: { id: "olga" } })
      yield* say(agent)("s1", states({ diet: "vegan" }))
      expect(yield* recorded(store)).toEqual({ address: "Elm 1", diet: "vegan" })
    }))

  it.effect("has the origins of its values, so that untrusted text stays untrusted in the next session", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const sent: Array<string> = []
      const flow = (title: string, ...steps: ReadonlyArray<object>) => ({
        title,
        when: `asks for ${title}`,
        reentrant: "keep" as const,
        steps
      })
      const send = Users.kit.tool({
        id: "send",
        sends: true,
        parameters: { address: Schema.String },
        handler: ({ address }) => Effect.as(Effect.sync(() => sent.push(address)), "sent")
      })
      const agent = yield* Users.make(store, {
        flows: [
          flow(
            "Mail",
            {
              id: "read",
              call: Users.kit.tool({ id: "mail", isReadOnly: true, handler: () => "Trap street 99" }).with({}),
              bind: "address"
            },
            { id: "done", reply: "Read." }
          ),
          flow("Say", { id: "say", prompt: "Ask for the address", collect: ["address"] }),
          flow(
            "Send",
            { id: "send", call: send.with(({ data }) => ({ address: data.address! })) },
            { id: "done", reply: "Sent." }
          )
        ] as never
      })
      const asks = (sessionId: string, flow: string, fields: object = {}) =>
        say(agent)(sessionId, JSON.stringify({ fields, flowScores: { [flow]: 100 } }))
      yield* asks("s1", "mail")
      const next = yield* asks("s2", "send")
      expect(next.session.data.address).toBe("Trap street 99")
      expect(next.session.origins?.fields.address).toEqual([{ kind: "tool", tool: "mail" }])
      expect(next.message).toContain("Trap street 99")
      expect(sent).toEqual([])
      const message = JSON.stringify({ fields: { address: "Elm street 1" }, flowScores: { say: 100 } })
      yield* say(agent)("s3", message)
      const trusted = yield* asks("s4", "send")
      expect(trusted.session.origins?.fields.address).toEqual([{ kind: "user" }])
      expect(sent).toEqual(["Elm street 1"])
    }))
})
