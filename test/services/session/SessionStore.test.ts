import { it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect } from "effect"
import { expect } from "vitest"

sessionStoreConformance("memory", SessionStore.layerMemory)

it.effect("a session id has 1 to 200 characters", () =>
  Effect.gen(function*() {
    yield* SessionStore.checkId("a")
    yield* SessionStore.checkId("x".repeat(200))
    for (const id of ["", "x".repeat(201)]) {
      expect(yield* Effect.flip(SessionStore.checkId(id))).toMatchObject({ _tag: "InvalidRequest", what: "sessionId" })
    }
  }))
