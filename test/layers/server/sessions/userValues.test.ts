/** Values that are kept by user, over HTTP: the principal is the user, and the record is no session of a list. */
import { expect, it } from "@effect/vitest"
import { Agent, SessionStore, Understanding } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Effect, Layer, Schema } from "effect"
import * as UserRecord from "../../../../src/domain/fields/UserRecord.js"
import * as Desk from "../../../support/Desk.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String.annotations({ scope: "user" }) }) })

class Trips extends kit.Service<Trips>()("Trips", {
  name: "Trips",
  flows: [{ title: "Talk", optionalFields: ["city"], steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
}) {}

const understanding = Layer.succeed(Understanding.Understanding, {
  answer: ({ message }) =>
    Effect.succeed({
      ...Understanding.none,
      fields: message.includes("Lisbon") ? { city: "Lisbon" } : {}
    })
})

it.scoped("the principal's values are known in the principal's sessions; lists have no records, and no path reaches one", () =>
  Effect.gen(function*() {
    const trips = Trips.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(Desk.services(), understanding, SessionStore.layerMemory))
    )
    const { ask } = yield* Desk.serve(
      Layer.provide(Server.layer(Trips, { authenticate: Desk.authenticate, docs: false }), trips)
    )
    const say = (as: string, id: string, message: string) =>
      ask("POST", `/sessions/${id}/turns`, { as, body: { message } })
    yield* say("ann", "one", "To Lisbon")
    expect((yield* say("ann", "two", "Hello")).json.session.data).toEqual({ city: "Lisbon" })
    expect((yield* say("bob", "two", "Hello")).json.session.data).toEqual({})
    // A client cannot name another user.
    const named = yield* ask("POST", "/sessions/three/turns", {
      as: "bob",
      body: { message: "Hello", metadata: { userId: "ann" } }
    })
    expect(named.status).toBe(400)

    const olga = { as: "olga operator" }
    for (const query of ["", "?details=true", "?userId=ann", "?search=user", "?limit=1"]) {
      const ids: Array<string> = []
      let cursor: string | undefined
      do {
        const next = cursor === undefined ? "" : `${query === "" ? "?" : "&"}cursor=${encodeURIComponent(cursor)}`
        const { json } = yield* ask("GET", `/sessions${query}${next}`, olga)
        for (const { id } of json.items) ids.push(id)
        cursor = json.next
      } while (cursor !== undefined)
      expect(ids.filter(UserRecord.isRecord)).toEqual([])
      expect(ids.length > 0).toBe(query !== "?search=user")
    }
    expect((yield* ask("GET", "/sessions", { as: "ann" })).json.items).toHaveLength(2)

    const id = encodeURIComponent(UserRecord.idOf("Trips", "ann"))
    for (const as of ["ann", "bob", olga.as]) {
      for (
        const [method, path] of [
          ["GET", ""],
          ["GET", "/messages"],
          ["POST", "/rewind"],
          ["POST", "/fork"],
          ["DELETE", ""]
        ] as const
      ) {
        const body = method === "POST" ? { body: { toTurn: 0 } } : {}
        const { status, text } = yield* ask(method, `/sessions/${id}${path}`, { as, ...body })
        expect([status >= 400 && status < 500, text.includes("Lisbon")]).toEqual([true, false])
      }
    }
    // A name that looks like a record is a session of the user's own.
    expect((yield* say("bob", id, "To Lisbon")).status).toBeLessThan(500)
    expect((yield* say("ann", "four", "Hello")).json.session.data).toEqual({ city: "Lisbon" })
    const { fields } = (yield* ask("GET", "/definition", olga)).json
    expect(fields).toMatchObject([{ name: "city", scope: "user" }])
  }))
