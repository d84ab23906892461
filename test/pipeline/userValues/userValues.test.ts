/** Values that are kept by user are known in the user's other sessions, and in nobody else's. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, SessionStore } from "coxswain"
import { Effect, Redacted, Schema } from "effect"
import * as UserRecord from "../../../src/domain/fields/UserRecord.js"
import * as Users from "./Users.js"

const { say, states } = Users
const opened = Effect.gen(function*() {
  const store = yield* SessionStore.makeMemory
  const agent = yield* Users.make(store)
  return { store, agent, say: say(agent), recorded: Users.recorded(store) }
})

describe("a value that is kept by user", () => {
  it.effect("is known in the user's next session, where no step asks for it", () =>
    Effect.gen(function*() {
      const { agent, recorded, say } = yield* opened
      const first = yield* say("s1", states({ address: "Elm 1" }))
      expect(first.message).toBe("Hello")
      expect(first.session.currentStep?.id).toBe("dish")
      expect(yield* recorded).toEqual({ address: "Elm 1" })
      const next = yield* say("s2", states({ dish: "Soup" }))
      expect(next.message).toBe("Soup to Elm 1.")
      expect(next.collected).toEqual({ dish: "Soup" })
      expect(next.trace).toContainEqual({
        kind: "user_values",
        source: "user",
        message: "known from other sessions of the user: address"
      })
      expect((yield* agent.session("s2").snapshot).data).toEqual({ address: "Elm 1", dish: "Soup" })
      expect(yield* recorded).toEqual({ address: "Elm 1" })
    }))

  it.effect("is known when the agent speaks first, after an event, and as a secret", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* opened
      yield* say("s1", states({ address: "Elm 1", code: "4711" }))
      const begun = yield* agent.begin("s2", { principal: { userId: "ann" }, flow: "Order" })
      expect(begun.session.currentStep?.id).toBe("dish")
      expect(Redacted.value(begun.session.data.code!)).toBe("4711")
      // The secret that did not change is not news, and its text is in no trace.
      const again = yield* say("s2", states({}))
      expect(JSON.stringify([begun.trace, again.trace])).not.toContain("4711")
      expect(again.trace.filter(({ kind }) => kind === "user_values")).toEqual([])
    }))

  it.effect("that the user corrects changes for the other sessions, with what depends on it", () =>
    Effect.gen(function*() {
      const { recorded, say } = yield* opened
      yield* say("s1", states({ address: "Elm 1", shop: "North" }))
      const corrected = yield* say("s2", states({ address: "Oak 2" }))
      expect(corrected.session.data).toEqual({ address: "Oak 2" })
      expect(yield* recorded).toEqual({ address: "Oak 2" })
      yield* say("s2", states({ zone: "west" }))
      const back = yield* say("s1", states({ dish: "Soup" }))
      expect(back.message).toBe("Soup to Oak 2.")
      expect(back.session.data).toEqual({ address: "Oak 2", zone: "west", dish: "Soup" })
    }))

  it.effect("that the user withdraws is gone in the record and in the other sessions", () =>
    Effect.gen(function*() {
      const { recorded, say } = yield* opened
      yield* say("s1", states({ address: "Elm 1", diet: "vegan" }))
      yield* say("s2", states({ dish: "Soup" }))
      const withdrawn = yield* say("s1", states({}, "address"))
      expect(withdrawn.session.data).toEqual({ diet: "vegan" })
      expect(yield* recorded).toEqual({ diet: "vegan" })
      expect((yield* say("s2", states({}))).session.data).toEqual({ diet: "vegan" })
      expect((yield* say("s3", states({ dish: "Rice" }))).session.currentStep?.id).toBe("address")
    }))

  it.effect("is kept when its parts are stated one by one, once it is complete", () =>
    Effect.gen(function*() {
      const { recorded, say } = yield* opened
      yield* say("s1", states({ address: "Elm 1", contact: { name: "Ann" } }))
      expect(yield* recorded).toEqual({ address: "Elm 1" })
      // The other session states the whole; the parts that this session knows do not come back.
      yield* say("s2", states({ contact: { name: "Annabel", phone: "1" } }))
      const whole = yield* say("s1", states({ dish: "Soup" }))
      expect(whole.session.data.contact).toEqual({ name: "Annabel", phone: "1" })
      expect(whole.session.partial).toBeUndefined()
      yield* say("s1", states({ contact: { phone: "2" } }))
      expect(yield* recorded).toEqual({ address: "Elm 1", contact: { name: "Annabel", phone: "2" } })
    }))

  it.effect("is written by code, too: by an event, and by a directive from outside", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store, {
        on: { moved: ({ event }) => ({ dataUpdate: { address: event.to } }) }
      })
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      yield* agent.notify({ sessionId: "s1", event: "moved", payload: { to: "Ash 3" } })
      expect(yield* Users.recorded(store)).toEqual({ address: "Ash 3" })
      yield* agent.dispatch("s1", { dataUpdate: { visits: 2 } })
      yield* say(agent)("s1", "Hello")
      expect(yield* Users.recorded(store)).toEqual({ address: "Ash 3", visits: 2 })
    }))

  it.effect("survives the next run of its flow and every move; only who names it clears it", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store)
      yield* say(agent)("s1", states({ address: "Elm 1", dish: "Soup" }))
      const again = yield* say(agent)("s1", states({}))
      expect(again.session.currentStep?.id).toBe("dish")
      expect(again.session.data).toEqual({ address: "Elm 1" })
      for (
        const directive of [
          { goTo: { flow: "Order", carry: "reset" } },
          { reset: { clearData: true } },
          { abort: { reason: "over", stack: true, clearSession: true } }
        ] as const
      ) {
        yield* say(agent)("s1", states({ shop: "North" }))
        yield* agent.dispatch("s1", directive)
        expect((yield* say(agent)("s1", "Hello")).session.data).toEqual({ address: "Elm 1" })
      }
      expect(yield* Users.recorded(store)).toEqual({ address: "Elm 1" })
      yield* agent.dispatch("s1", { clear: ["address"] })
      yield* say(agent)("s1", "Hello")
      expect(yield* Users.recorded(store)).toEqual({})
    }))

  it.effect("is read back in each session by a step that confirms it", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store, {
        flows: [{
          title: "Order",
          steps: [
            { id: "address", prompt: "Ask", collect: ["address"], confirm: ({ data }) => `To ${data.address}?` },
            { id: "done", reply: ({ data }) => `Sent to ${data.address}.` }
          ]
        }]
      })
      expect((yield* say(agent)("s1", states({ address: "Elm 1" }))).message).toBe("To Elm 1?")
      expect((yield* say(agent)("s1", "Yes")).message).toBe("Sent to Elm 1.")
      const next = yield* say(agent)("s2", states({}))
      expect(next.message).toBe("To Elm 1?")
      // Another session changes what was read back here: a yes is no answer to the new value.
      yield* say(agent)("s3", states({ address: "Oak 2" }))
      expect((yield* say(agent)("s2", "Yes")).message).toBe("To Oak 2?")
      expect((yield* say(agent)("s2", "Yes")).message).toBe("Sent to Oak 2.")
    }))

  it.effect("goes along with a fork, and a rewind does not bring an old one back", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const agent = yield* Users.make(store, { snapshots: { keep: 5 } })
      yield* say(agent)("s1", states({ address: "Elm 1" }))
      yield* say(agent)("s1", states({ address: "Oak 2" }))
      yield* agent.rewind("s1", 1)
      expect(yield* Users.recorded(store)).toEqual({ address: "Oak 2" })
      expect((yield* say(agent)("s1", states({ dish: "Soup" }))).message).toBe("Soup to Oak 2.")
      const copy = yield* agent.fork("s1", { toTurn: 1 })
      yield* say(agent)("s1", states({}, "address"))
      expect((yield* say(agent)(copy.id, states({}))).session.data).toEqual({})
    }))

  it.effect("costs an agent without such fields no access to the store", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.makeMemory
      const ids: Array<string> = []
      const kit = Agent.define({ data: Schema.Struct({ dish: Schema.String }) })
      const agent = yield* kit.make({
        name: "Kitchen",
        flows: [{ title: "Order", steps: [{ prompt: "Ask", collect: ["dish"] }, { reply: "Done." }] }]
      }).pipe(Effect.provide(Users.services({
        ...store,
        load: (id, options) => Effect.zipRight(Effect.sync(() => ids.push(id)), store.load(id, options))
      })))
      yield* say(agent)("s1", states({ dish: "Soup" }))
      expect(ids).toEqual(["s1"])
    }))
})

describe("a value that is kept by user stays with its user:", () => {
  it.effect("other users, other agents and anonymous sessions do not know it", () =>
    Effect.gen(function*() {
      const { say, store } = yield* opened
      yield* say("s1", states({ address: "Elm 1" }))
      expect((yield* say("s2", states({}), "bob")).session.data).toEqual({})
      expect((yield* say("s3", states({}), "")).session.data).toEqual({})
      const other = yield* Users.make(store, { name: "Bakery" })
      expect((yield* Users.say(other)("s4", states({}))).session.data).toEqual({})
      // A principal that differs only in its form is another user.
      for (const [i, user] of ["Ann", "ann ", "ann\u0000", "~user~"].entries()) {
        expect((yield* say(`other-${i}`, states({}), user)).session.data).toEqual({})
      }
      // The person who decides or the application that names nobody does not change whose session it is.
      const anonymous = yield* say("s1", states({ dish: "Soup" }), "")
      expect(anonymous.message).toBe("Soup to Elm 1.")
      expect(yield* Effect.flip(say("s1", states({}), "bob"))).toBeInstanceOf(Errors.InvalidRequest)
    }))

  it.effect("an anonymous session keeps its values; they do not reach the record of whoever signs in", () =>
    Effect.gen(function*() {
      const { recorded, say } = yield* opened
      // Somebody prepares a session whose id the user then opens.
      yield* say("s1", states({ address: "Trap 9", diet: "vegan" }), "")
      const signedIn = yield* say("s1", states({ dish: "Soup" }))
      expect(signedIn.message).toBe("Soup to Trap 9.")
      expect(yield* recorded).toBeUndefined()
      yield* say("s2", states({ address: "Elm 1" }))
      const after = yield* say("s1", states({}))
      expect(after.session.data).toMatchObject({ address: "Elm 1", diet: "vegan" })
      expect(yield* recorded).toEqual({ address: "Elm 1" })
      // The session keeps what is only its own, and the user may state it.
      yield* say("s1", states({ diet: "no fish" }))
      expect(yield* recorded).toEqual({ address: "Elm 1", diet: "no fish" })
    }))

  it.effect("no conversation can have the id of a record, in no method", () =>
    Effect.gen(function*() {
      const { agent, recorded, say, store } = yield* opened
      yield* say("s1", states({ address: "Elm 1" }))
      const id = UserRecord.idOf("Kitchen", "ann")
      const plain = yield* Agent.define({ data: Schema.Struct({ address: Schema.String }) }).make({
        name: "Plain",
        flows: [{ title: "Order", steps: [{ prompt: "Ask", collect: ["address"] }] }]
      }).pipe(Effect.provide(Users.services(store)))
      const user = { by: { id: "olga" } }
      for (
        const attempt of [
          say(id, states({ address: "Trap 9" })),
          say(id, states({ address: "Trap 9" }), ""),
          Users.say(plain)(id, states({ address: "Trap 9" }), ""),
          agent.begin(id),
          agent.notify({ sessionId: id, event: "moved", payload: { to: "Trap 9" } }),
          agent.wake(id),
          agent.dispatch(id, { dataUpdate: { address: "Trap 9" } }),
          agent.rewind(id, 0),
          agent.fork(id),
          agent.fork("s1", { as: UserRecord.idOf("Kitchen", "bob") }),
          agent.approve(id, "call", { approved: true }),
          agent.takeOver(id, user),
          agent.say(id, "Hello", user),
          agent.release(id),
          agent.session(id).snapshot,
          agent.session(id).history,
          agent.session(id).calls,
          agent.session(id).clear
        ]
      ) {
        const error = yield* Effect.flip(attempt as Effect.Effect<unknown, unknown>)
        expect(String(error)).toContain("ids that begin with \"~user~\" belong to the values that are kept by user")
      }
      expect(yield* recorded).toEqual({ address: "Elm 1" })
    }))

  it.effect("a record that names another user is refused", () =>
    Effect.gen(function*() {
      const { say, store } = yield* opened
      yield* say("s1", states({ address: "Elm 1" }))
      const { session } = (yield* store.load(UserRecord.idOf("Kitchen", "ann"))).pipe((found) =>
        found._tag === "Some" ? found.value : expect.fail()
      )
      yield* store.commit({
        id: UserRecord.idOf("Kitchen", "bob"),
        expectedVersion: 0,
        session,
        userId: "bob",
        updatedAt: "2027-01-01T00:00:00.000Z",
        messages: []
      })
      expect(yield* Effect.flip(say("s2", states({}), "bob"))).toMatchObject({
        _tag: "SessionCorrupt",
        why: "the record of a user's values names another user"
      })
    }))
})
