/** Compares a definition with an earlier one, and with stored sessions: finds positions that no longer exist. */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

import type { JsonObject } from "../domain/base/Json.js"
import type { Finding } from "../domain/check/Finding.js"
import * as Session from "../domain/session/Session.js"
import type { Runtime } from "../pipeline/state/TurnState.js"
import { decodeSession, runtimeFor, type Unreadable } from "../pipeline/stored/loading.js"
import type * as AgentFile from "./AgentFile.js"
import * as Sessions from "./Sessions.js"

/** A position that a definition does not have; without `step`, a whole flow. */
interface LostPosition {
  readonly flow: string
  readonly step?: string
}

/**
 * Returns the current and suspended positions of a session that do not exist in the definition with which the session
 * continues.
 */
const lost = (session: Session.Session, runtime: Runtime): ReadonlyArray<LostPosition> => {
  const { currentFlow, currentStep, suspended } = session
  const { flows } = runtimeFor(runtime, session).definition
  return [...(currentFlow === undefined ? [] : [{ flow: currentFlow, step: currentStep }]), ...suspended].flatMap(
    ({ flow: { id }, step }): ReadonlyArray<LostPosition> => {
      const flow = flows.find((flow) => flow.id === id)
      if (flow === undefined) return [{ flow: id }]
      return step === undefined || flow.steps.some(({ id }) => id === step.id) ? [] : [{ flow: id, step: step.id }]
    }
  )
}

const move = "keep the earlier definition in `migrations.earlier`, " +
  "or let a step of `migrations` move the sessions to where they go on"

/** The finding for a lost position; `who` names the sessions at that position. */
const homeless = ({ flow, step }: LostPosition, who: string): Finding =>
  step === undefined
    ? {
      severity: "error",
      code: "lost-position",
      path: flow,
      what: `the flow "${flow}" is gone`,
      why: `${who} loses its place: its next turn begins outside of the flow`,
      fix: `Keep the flow until no session is in it, ${move}`
    }
    : {
      severity: "warning",
      code: "lost-position",
      path: `${flow}/${step}`,
      what: `the step "${step}" of the flow "${flow}" is gone`,
      why: `${who} goes on at the first step of the flow that has something left to do`,
      fix: `Keep the step until no session is at it, ${move}`
    }

const unreadable = (path: string, who: string, why: string): Finding => ({
  severity: "error",
  code: "unreadable-session",
  path,
  what: `${who} cannot be read`,
  why,
  fix: "Correct `migrations`, or keep the fields as they were"
})

const whyOf = (error: Unreadable): string => error._tag === "SessionCorrupt" ? error.why : error.message

/** Returns a session at a position of an earlier definition, in its stored form. */
const standing = (
  { definition, session }: Runtime,
  flow: { readonly id: string; readonly title: string },
  step: string
) =>
  Effect.flatMap(DateTime.now, (now) =>
    Schema.encode(session)({
      ...Session.make({ id: "a session", now, data: {}, definitionVersion: definition.migrations?.version }),
      version: 1,
      currentFlow: { id: flow.id, title: flow.title, enteredAt: now },
      currentStep: { id: step, enteredAt: now, spoken: true }
    }))

const foundIn = (runtime: Runtime, at: LostPosition, stored: JsonObject) =>
  Effect.map(Effect.either(decodeSession(runtime, "a session", stored)), (read): ReadonlyArray<Finding> => {
    const who = `a session at ${at.flow}/${at.step}`
    return Either.isLeft(read)
      ? [unreadable(`${at.flow}/${at.step}`, who, whyOf(read.left))]
      : lost(read.right, runtime).map((one) => homeless(one, who))
  })

const isSame = (a: Finding, b: Finding): boolean => a.code === b.code && a.path === b.path

/**
 * Returns findings for the positions of an earlier definition that the present definition lacks, even after its
 * migrations.
 */
export const definition = ({ runtime: before }: AgentFile.LoadedAgent, { runtime }: AgentFile.LoadedAgent) =>
  Effect.map(
    Effect.forEach(
      before.definition.flows,
      (flow) =>
        Effect.forEach(
          flow.steps,
          ({ id }) =>
            Effect.flatMap(Effect.orDie(standing(before, flow, id)), (stored) =>
              foundIn(runtime, { flow: flow.id, step: id }, stored))
        )
    ),
    (all) => Arr.dedupeWith(all.flat(2), isSame)
  )

/** Returns the first five names, and the number of the others. */
export const named = (names: ReadonlyArray<string>): string =>
  `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`

/** The sessions of a store that the definition cannot continue: their position is lost, or they cannot be read. */
interface StoredFindings {
  readonly positions: ReadonlyArray<LostPosition & { readonly ids: ReadonlyArray<string> }>
  readonly unreadable: ReadonlyArray<{ readonly id: string; readonly why: string }>
}

/** Finds the sessions that the definition cannot continue, among the sessions updated last; checks at most `limit`. */
export const stored = (runtime: Runtime, limit: number) =>
  Effect.gen(function*() {
    const positions = new Map<string, LostPosition & { readonly ids: Array<string> }>()
    const unreadable: Array<{ readonly id: string; readonly why: string }> = []
    for (const { id } of yield* Sessions.summaries(runtime.store, { limit })) {
      const found = yield* runtime.store.load(id)
      if (Option.isNone(found)) continue
      const read = yield* Effect.either(decodeSession(runtime, id, found.value.session))
      if (Either.isLeft(read)) {
        unreadable.push({ id, why: whyOf(read.left) })
        continue
      }
      const keys = new Map(lost(read.right, runtime).map((one) => [`${one.flow}/${one.step ?? ""}`, one]))
      for (const [key, one] of keys) {
        const { ids } = positions.get(key) ?? positions.set(key, { ...one, ids: [] }).get(key)!
        ids.push(id)
      }
    }
    return { positions: [...positions.values()], unreadable } satisfies StoredFindings
  })

/** Returns findings for the stored sessions that the definition cannot continue at their position. */
export const store = (runtime: Runtime) =>
  Effect.map(stored(runtime, Infinity), ({ positions, unreadable: broken }): ReadonlyArray<Finding> => [
    ...broken.map(({ id, why }) => unreadable(`session ${id}`, `session "${id}"`, why)),
    ...positions.map(({ ids, ...at }) => homeless(at, `each of ${ids.length} stored sessions (${named(ids)})`))
  ])
