/** Whose values are kept: ids of users in odd forms, sessions whose user comes later, and what a user states again. */
import { describe, expect, it } from "@effect/vitest"
import { Errors, SessionStore } from "coxswain"
import { Effect, Option, Schema } from "effect"
import * as UserRecord from "../../../src/domain/fields/UserRecord.js"
import * as Users from "./Users.js"

const { recorded, say, states } = Users

const opened = Effect.gen(function*() {
  const store = yield* SessionStore.makeMemory
  const agent = yield* Users.make(store, {
    on: { moved: ({ event }) => ({ dataUpdate: { address: event.to } }) }
  })
  return { store, agent, say: say(agent) }
})

const all = (store: SessionStore.Service) => store.list({ records: true, limit: 100 })

describe("the id of a user", () => {
  for (
    const [what, id] of [
      ["is empty", ""],
      ["is too long", "a".repeat(33_000)],
      ["has half of an emoji", "ann\ud83d"]
    ] as const
  ) {
    it.effect(`that ${what} is refused by every request, and nothing is stored`, () =>
      Effect.gen(function*() {
        const { agent, say, store } = yield* opened
        yield* say("s1", states({ address: "Elm 1" }))
        const before = yield* all(store)
        const metadata = { userId: id }
        const moved = { event: "moved", payload: { to: "Trap 9" } } as const
        for (
          const attempt of [
            say("s2", states({ address: "Trap 9" }), id === "" ? undefined : id),
            agent.respond({ sessionId: "s2", message: states({ address: "Trap 9" }), metadata }),
            agent.respond({ sessionId: "s2", message: "Hello", principal: { userId: id } }),
            agent.begin("s2", { metadata }),
            agent.begin("s2", { principal: { userId: id } }),
            agent.notify({ sessionId: "s2", ...moved, metadata }),
            agent.approve("s1", "call", { approved: true }, { metadata })
          ].slice(id === "" ? 1 : 0)
        ) {
          const refused = Effect.match(attempt as Effect.Effect<unknown, unknown>, {
            onFailure: (error) => error instanceof Errors.InvalidRequest,
            onSuccess: () => false
          })
          expect(yield* refused).toBe(true)
        }
        const told = Effect.match(agent.respond({ sessionId: "s2", message: "Hello", metadata }), {
          onFailure: String,
          onSuccess: () => "answered"
        })
        expect(yield* told).toContain("metadata.userId: it has ")
        expect(yield* all(store)).toEqual(before)
      }))
  }

  it.effect("that an earlier version has stored empty is nobody's: it has no record", () =>
    Effect.gen(function*() {
      const { say, store } = yield* opened
      for (const id of ["s1", "s2"]) {
        yield* say(id, states({ dish: "Soup" }), "")
        const { session, version } = Option.getOrThrow(yield* store.load(id))
        const owned = { ...session, userId: "", version: version + 1 }
        yield* store.commit({
          id,
          expectedVersion: version,
          session: owned,
          userId: "",
          updatedAt: "2027-01-01T00:00:00.000Z",
          messages: []
        })
      }
      yield* say("s1", states({ address: "Elm 1" }), "")
      expect((yield* say("s2", states({}), "")).session.data).toEqual({ dish: "Soup" })
      expect((yield* all(store)).items.map(({ id }) => id).sort()).toEqual(["s1", "s2"])
    }))

  it.effect("that looks like another one, or is written like a part of a key, is another user", () =>
    Effect.gen(function*() {
      const { say, store } = yield* opened
      const ids = [
        "ann",
        "ANN",
        " ann",
        "ann\u200b",
        "\u0430nn",
        "ann\u0000",
        "\u00e1nn",
        "a\u0301nn",
        "ann\",\"agent\":\"Kitchen",
        "{\"agent\":\"Kitchen\",\"userId\":\"ann\"}",
        UserRecord.idOf("Kitchen", "ann"),
        "~user~",
        "__proto__",
        "constructor",
        `${"a".repeat(199)}b`,
        "a".repeat(200)
      ]
      for (const [i, id] of ids.entries()) {
        expect((yield* say(`s${i}`, states({}), id)).session.data).toEqual({})
        yield* say(`s${i}`, states({ address: `Elm ${i}` }), id)
      }
      for (const [i, id] of ids.entries()) {
        expect((yield* say(`again-${i}`, states({}), id)).session.data).toEqual({ address: `Elm ${i}` })
        expect(yield* recorded(store, id)).toEqual({ address: `Elm ${i}` })
      }
    }))

  it.prop(
    "and the agent's name make one id of a record, however they are cut",
    [Schema.String, Schema.String, Schema.String],
    ([a, b, c]) => {
      expect(UserRecord.idOf(a, b + c) === UserRecord.idOf(a + b, c)).toBe(b === "")
    }
  )
})

describe("a session that begins without a user", () => {
  it.effect("gives the user's record only the items that the user adds to its lists", () =>
    Effect.gen(function*() {
      const { say, store } = yield* opened
      const radio = { name: "radio", room: "hall" }
      yield* say("s1", states({ likes: ["poison"], devices: [{ name: "trap", room: "den" }] }), "")
      yield* say("s1", states({ likes: ["leek"], devices: [radio] }))
      expect(yield* recorded(store)).toEqual({ likes: ["leek"], devices: [radio] })
      expect((yield* say("s2", states({}))).session.data).toEqual({ likes: ["leek"], devices: [radio] })
    }))

  it.effect("gives it no empty list when the user takes items back", () =>
    Effect.gen(function*() {
      const { agent, say, store } = yield* opened
      yield* say("s1", states({ likes: ["rice", "poison"] }), "")
      yield* agent.dispatch("s1", { dataUpdate: { likes: ["rice"] } })
      const next = yield* say("s1", "Hello")
      expect(next.session.data).toEqual({ likes: ["rice"] })
      expect(yield* recorded(store)).toEqual({})
      // They are still the session's own.
      expect((yield* say("s1", "Hello")).session.data).toEqual({ likes: ["rice"] })
      expect((yield* say("s2", "Hello")).session.data).toEqual({})
    }))

  it.effect("gives it a value that the user states again, though it is the same", () =>
    Effect.gen(function*() {
      const { say, store } = yield* opened
      yield* say("s1", states({ diet: "vegan", address: "Trap 9" }), "")
      yield* say("s1", "Hello")
      expect(yield* recorded(store)).toBeUndefined()
      yield* say("s1", states({ diet: "vegan" }))
      expect(yield* recorded(store)).toEqual({ diet: "vegan" })
      expect((yield* say("s2", states({}))).session.data).toEqual({ diet: "vegan" })
    }))

  it.effect("gives it what the user confirms, a list with all its items", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store, {
        flows: [{
          title: "Order",
          steps: [
            { id: "likes", prompt: "Ask", collect: ["likes"], confirm: ({ data }) => `${data.likes?.join()}?` },
            { id: "done", reply: "Noted." }
          ]
        }]
      })
      yield* say(agent)("s1", states({ likes: ["rice", "leek"] }), "")
      yield* say(agent)("s1", "Yes")
      expect(yield* recorded(store)).toEqual({ likes: ["rice", "leek"] })
      expect((yield* say(agent)("s2", "Hello")).session.data).toEqual({ likes: ["rice", "leek"] })
    }))
})
