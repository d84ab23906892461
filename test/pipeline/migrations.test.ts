/** Migrating sessions that an older definition stored. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, type Migrations, SessionStore } from "coxswain"
import { Effect, Layer, Option, Schema } from "effect"
import * as Script from "../support/Script.js"
import * as Stage from "../support/Stage.js"

/** In version 1 the number of guests was text, and the flow was called "Rooms". */
const first = Agent.define({ data: Schema.Struct({ guests: Schema.String }) })
const now = Agent.define({ data: Schema.Struct({ guests: Schema.Int }) })

const flows = (title: string) => [{ title, steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]

const toNumber: Migrations.Migrations["steps"][number] = (session) => ({
  ...session,
  data: { guests: Number(session.data.guests) },
  currentFlow: { ...(session.currentFlow as object), id: "booking", title: "Booking" }
})

const stage = Effect.map(SessionStore.makeMemory, (store) => {
  const services = Layer.merge(Layer.succeed(SessionStore.SessionStore, store), Script.make(() => "Hello").layer)
  return {
    store,
    services,
    stored: Effect.map(store.load("s", { messages: 100 }), (stored) => JSON.stringify(Option.getOrThrow(stored))),
    before: first.make({
      name: "Hotel",
      flows: [{
        title: "Rooms",
        steps: [{ id: "talk", prompt: "Talk", until: () => false, prepare: () => ({ dataUpdate: { guests: "2" } }) }]
      }]
    }).pipe(Effect.provide(services)),
    after: (migrations?: Migrations.Migrations) =>
      now.make({ name: "Hotel", flows: flows("Booking"), ...(migrations && { migrations }) }).pipe(
        Effect.provide(services)
      )
  }
})

/** The effect's error; a success fails the test with a short text instead of the whole value. */
const failure = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(Effect.as(effect, "it did not fail"))

const request = { sessionId: "s", message: "hi" }

describe("a session of an older definition", () => {
  it.effect("is migrated when read, and stored in its new form by the next commit", () =>
    Effect.gen(function*() {
      const { after, before, store, stored } = yield* stage
      yield* (yield* before).respond(request)
      const row = yield* stored
      const agent = yield* after({ version: 2, steps: { 1: toNumber } })
      const snapshot = yield* agent.session("s").snapshot
      expect(snapshot).toMatchObject({
        version: 1,
        definitionVersion: 2,
        data: { guests: 2 },
        currentFlow: { id: "booking" },
        currentStep: { id: "talk" }
      })
      expect(yield* stored).toBe(row)
      const response = yield* agent.respond(request)
      expect(response.executedSteps).toEqual([{ flowId: "booking", stepId: "talk" }])
      expect(Option.getOrThrow(yield* store.load("s")).session).toMatchObject({
        version: 2,
        definitionVersion: 2,
        data: { guests: 2 }
      })
      // It is not migrated again.
      expect((yield* agent.respond(request)).session.data.guests).toBe(2)
    }))

  it.effect("is migrated version by version; a new session gets the newest version", () =>
    Effect.gen(function*() {
      const { after, before } = yield* stage
      yield* (yield* before).respond(request)
      const climbed: Array<unknown> = []
      const agent = yield* after({
        version: 4,
        steps: {
          1: toNumber,
          2: (session) => (climbed.push(session.definitionVersion), session),
          3: ({ data, definitionVersion, ...session }) => {
            climbed.push(definitionVersion)
            return { ...session, data: { ...data, guests: Number(data.guests) + 1 } }
          }
        }
      })
      expect((yield* agent.respond(request)).session).toMatchObject({ definitionVersion: 4, data: { guests: 3 } })
      expect(climbed).toEqual([2, 3])
      const fresh = yield* agent.respond({ ...request, sessionId: "new" })
      expect(fresh.session).toMatchObject({ definitionVersion: 4, data: {} })
      expect(climbed).toEqual([2, 3])
    }))

  it.effect("counts as version 1 if the agent had no migrations", () =>
    Effect.gen(function*() {
      const { after, before } = yield* stage
      const { session } = yield* (yield* before).respond(request)
      expect("definitionVersion" in session).toBe(false)
      const error = yield* failure((yield* after()).respond(request))
      expect(error).toMatchObject({ _tag: "SessionCorrupt" })
      expect(error.message).toContain("guests")
    }))

  it.effect("needs no migration for a field that was added or removed", () =>
    Effect.gen(function*() {
      const { before, services, store } = yield* stage
      yield* (yield* before).respond(request)
      const later = Agent.define({ data: Schema.Struct({ name: Schema.String }) })
      const agent = yield* later.make({ name: "Hotel", flows: flows("Booking") }).pipe(Effect.provide(services))
      expect((yield* agent.respond(request)).session).toMatchObject({ version: 2, data: {} })
      expect(Option.getOrThrow(yield* store.load("s")).session.data).toEqual({})
    }))

  const refused = (migrations: Migrations.Migrations, ...words: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { after, before, stored } = yield* stage
      yield* (yield* before).respond(request)
      const row = yield* stored
      const agent = yield* after(migrations)
      for (
        const attempt of [
          agent.respond(request),
          agent.session("s").snapshot,
          agent.dispatch("s", "Booking"),
          agent.approve("s", "c1", { approved: true })
        ]
      ) {
        const error = yield* failure(attempt as Effect.Effect<unknown, Errors.TurnError>)
        expect(error).toBeInstanceOf(Errors.SessionCorrupt)
        for (const word of words) expect(error.message).toContain(word)
      }
      expect(yield* stored).toBe(row)
    })

  it.effect("is refused if the migration step is missing, and the error names the missing step", () =>
    refused({ version: 2, steps: {} }, "definitionVersion 1", "from 1 to 2", "migrations.steps[1]"))

  it.effect("is refused when it is older than the oldest migration step", () =>
    refused({ version: 3, steps: { 2: (session) => session } }, "definitionVersion 1", "migrations.steps[1]"))

  it.effect("is refused when the migration step throws", () =>
    refused(
      {
        version: 2,
        steps: {
          1: () => {
            throw new Error("no such guest")
          }
        }
      },
      "from definitionVersion 1 to 2",
      "no such guest"
    ))

  it.effect("is refused when the migrated session does not decode", () =>
    refused({ version: 2, steps: { 1: (session) => session } }, "guests"))

  for (
    const [what, junk] of Object.entries({ null: null, text: "x", list: [], date: new Date(0), nothing: undefined })
  ) {
    it.effect(`is refused when the migration step returns no JSON object: ${what}`, () =>
      refused({ version: 2, steps: { 1: () => junk as never } }, "did not return a session"))
  }

  it.effect("is copied, so that a migration step that mutates its argument does not change the stored session", () =>
    refused(
      {
        version: 3,
        steps: {
          1: (session) => {
            Object.assign(session.data, { guests: 7 })
            return session
          },
          2: (session) => {
            Object.assign(session.data, { guests: "lost" })
            throw new Error("too late")
          }
        }
      },
      "too late"
    ))

  it.effect("is refused by an agent whose definition is older than the session's", () =>
    Effect.gen(function*() {
      const { after, before, stored } = yield* stage
      yield* (yield* before).respond(request)
      const migrations = { version: 2, steps: { 1: toNumber } }
      yield* (yield* after(migrations)).respond(request)
      const row = yield* stored
      for (const agent of [yield* after(), yield* after({ version: 1, steps: {} })]) {
        const error = yield* failure(agent.respond(request))
        expect(error).toMatchObject({ _tag: "SessionUnavailable", reason: "newer_version" })
        expect(error.message).toContain("a newer version of the agent has stored it")
      }
      expect(yield* stored).toBe(row)
    }))

  it.effect("can be cleared even if no migration step can read it", () =>
    Effect.gen(function*() {
      const { after, before } = yield* stage
      yield* (yield* before).respond(request)
      const agent = yield* after({ version: 2, steps: {} })
      yield* agent.session("s").clear
      expect((yield* agent.respond(request)).session.version).toBe(1)
    }))

  it.effect("still answers an old `messageId` with the stored response after the migration", () =>
    Effect.gen(function*() {
      const { after, before, store, stored } = yield* stage
      const asked = { ...request, messageId: "m1" }
      const then = yield* (yield* before).respond(asked)
      expect(then.collected).toEqual({ guests: "2" })
      const row = yield* stored
      const agent = yield* after({ version: 2, steps: { 1: toNumber } })
      const again = yield* agent.respond(asked)
      expect(again).toMatchObject({ message: "Hello", session: { version: 1, data: { guests: 2 } } })
      // Values in the old data's shape are left out.
      expect([again.collected, again.directiveChain]).toEqual([{}, []])
      expect(yield* stored).toBe(row)
      expect(Option.isSome(yield* store.response("s", "m1"))).toBe(true)
    }))
})

describe("a session of another version of the library", () => {
  const seeded = (schemaVersion: unknown) =>
    Effect.gen(function*() {
      const { after, store } = yield* stage
      const agent = yield* after()
      const { session } = yield* agent.respond(request)
      yield* store.commit({
        id: "s",
        expectedVersion: 1,
        session: {
          ...yield* Schema.encode(agent.schemas.session)(session),
          schemaVersion: schemaVersion as never
        },
        updatedAt: "2026-01-01T00:00:00.000Z",
        messages: []
      })
      return yield* failure(agent.respond(request))
    })

  it.effect("is refused when its schemaVersion is newer", () =>
    Effect.gen(function*() {
      const error = yield* seeded(2)
      expect(error).toBeInstanceOf(Errors.SessionCorrupt)
      expect(error.message).toContain("schemaVersion 2, which is newer than the 1")
    }))

  for (const junk of [0, -1, 1.5, "1", null, undefined, {}, Number.NaN]) {
    it.effect(`is refused when its schemaVersion is invalid: ${JSON.stringify(junk)}`, () =>
      Effect.gen(function*() {
        const error = yield* seeded(junk)
        expect(error).toBeInstanceOf(Errors.SessionCorrupt)
        expect(error.message).toContain("schemaVersion")
      }))
  }
})

describe("the check of the option `migrations` by `make`", () => {
  const issues = (migrations: unknown) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const error = yield* failure(
        Stage.kit.make({ name: "Bot", migrations: migrations as never }).pipe(Effect.provide(stage.layer))
      )
      expect(error).toBeInstanceOf(Errors.FlowConfigurationError)
      return error.issues.map(({ path }) => path)
    })

  const step = (session: Migrations.EncodedSession) => session

  it.effect("names every unreachable step and every missing step", () =>
    Effect.gen(function*() {
      expect(yield* issues({ version: 5, steps: { 0: step, 1: step, 3: step, 5: step, "01": step, x: step } })).toEqual(
        [
          "migrations.steps.0",
          "migrations.steps.5",
          "migrations.steps.01",
          "migrations.steps.x",
          "migrations.steps.2",
          "migrations.steps.4"
        ]
      )
    }))

  it.effect("names invalid versions and steps", () =>
    Effect.gen(function*() {
      expect(yield* issues({ version: 0, steps: {} })).toEqual(["migrations.version"])
      expect(yield* issues({ version: 1.5, steps: {} })).toEqual(["migrations.version"])
      expect(yield* issues({ version: 2, steps: { 1: "step" } })).toEqual(["migrations.steps.1"])
      expect(yield* issues({ version: 2 })).toEqual(["migrations.steps"])
    }))

  it.effect("accepts steps up to the version, also if older steps or all steps are missing", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      for (const migrations of [{ version: 4, steps: { 2: step, 3: step } }, { version: 9, steps: {} }]) {
        yield* Stage.kit.make({ name: "Bot", migrations }).pipe(Effect.provide(stage.layer))
      }
    }))
})
