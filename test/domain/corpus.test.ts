/**
 * Sessions stored by every version of the library, kept as files. They must always load, and the current library must
 * write the format of the newest ones. When it does not, the format of stored sessions has changed: raise
 * `Session.schemaVersion`, add the step from the previous version to `Session.migrate`, and record the new version with
 *
 *   COXSWAIN_CORPUS=record npx vitest run test/domain/corpus.test.ts
 *
 * The files of a released version never change.
 */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as StoredSessions from "../support/StoredSessions.js"

const folder = path.join(import.meta.dirname, "../fixtures/sessions")
const fileOf = (version: string, name: string) => path.join(folder, version, `${name}.json`)
const read = (version: string, name: string) =>
  JSON.parse(fs.readFileSync(fileOf(version, name), "utf8")) as SessionStore.StoredSession

if (process.env.COXSWAIN_CORPUS === "record") {
  fs.mkdirSync(path.join(folder, StoredSessions.newest), { recursive: true })
  describe.each(Object.entries(StoredSessions.conversations))("the conversation %s", (name, conversation) => {
    it.effect("is recorded as a stored session of the newest version", () =>
      Effect.map(
        StoredSessions.record(conversation),
        (stored) => fs.writeFileSync(fileOf(StoredSessions.newest, name), `${StoredSessions.canonical(stored)}\n`)
      ))
  })
} else {
  const versions = fs.readdirSync(folder).filter((name) => fs.statSync(path.join(folder, name)).isDirectory())

  describe.each(versions)("sessions stored by version %s", (version) => {
    const names = fs.readdirSync(path.join(folder, version)).map((file) => path.basename(file, ".json"))

    it("include every stored conversation", () => {
      expect(names.sort()).toEqual(expect.arrayContaining(Object.keys(StoredSessions.conversations).sort()))
    })

    it.effect.each(names)("can be loaded and continued: %s", (name) =>
      Effect.gen(function*() {
        const stored = read(version, name)
        const store = yield* StoredSessions.seed(stored)
        const agent = yield* Effect.provide(StoredSessions.make, [
          StoredSessions.services,
          Layer.succeed(SessionStore.SessionStore, store)
        ])
        const session = yield* agent.session("s").snapshot
        expect(session.version).toBe(stored.version)
        expect(yield* agent.session("s").history).toHaveLength(stored.session.messageCount as number)
        // Nothing is lost when it is decoded.
        if (version === StoredSessions.newest) {
          const encoded = yield* Schema.encode(agent.schemas.session)(session)
          expect(StoredSessions.canonical(encoded)).toBe(StoredSessions.canonical(stored.session))
        }
        const response = yield* agent.respond({ sessionId: "s", message: "hello again" })
        expect(response.message).not.toBe("")
        expect(response.session.version).toBe(stored.version + 1)
      }))
  })

  describe("a session recorded by the current code equals the newest stored session", () => {
    it.effect.each(Object.entries(StoredSessions.conversations))(
      "the conversation %s",
      ([name, conversation]) =>
        Effect.gen(function*() {
          const stored = yield* StoredSessions.record(conversation)
          expect(`${StoredSessions.canonical(stored)}\n`, "stored sessions changed: see the top of this file").toBe(
            fs.readFileSync(fileOf(StoredSessions.newest, name), "utf8")
          )
        })
    )
  })

  it("the stored sessions contain every field of a session", () => {
    const used = new Set(
      Object.keys(StoredSessions.conversations).flatMap((name) =>
        Object.keys(read(StoredSessions.newest, name).session)
      )
    )
    expect([...used].sort()).toEqual([
      "agenda",
      "askedCalls",
      "context",
      "createdAt",
      "currentFlow",
      "currentStep",
      "data",
      "definitionVersion",
      "epoch",
      "expects",
      "flowHistory",
      "id",
      "lastCompleted",
      "messageCount",
      "metadata",
      "pendingApproval",
      "pendingDirective",
      "schemaVersion",
      "signals",
      "summary",
      "suspended",
      "updatedAt",
      "usage",
      "userId",
      "version"
    ])
    const suspended = read(StoredSessions.newest, "suspended-two-deep").session.suspended
    expect(suspended).toHaveLength(2)
    const { decisions, emissions, messageId, records, requests } = read(StoredSessions.newest, "pending-approval")
      .session
      .pendingApproval as Record<string, ReadonlyArray<unknown>>
    expect([decisions, emissions, records, requests].map((all) => all?.length)).toEqual([1, 1, 1, 2])
    expect(messageId).toBe("m0")
    expect(Object.keys(read(StoredSessions.newest, "signals-fired").session.signals as object)).toEqual([
      "busy",
      "thanks"
    ])
  })
}
