/** The calls and conversations that wait for a person, in all sessions. */
import { computed, signal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { ask, problem } from "../net/api.js"
import type { Page, WaitingSession } from "../net/wire.js"
import { isOperator } from "./agent.js"
import * as Sessions from "./sessions.js"

export const items = signal<ReadonlyArray<WaitingSession>>()
export const failure = signal<Failed>()
export const count = computed(() =>
  (items.value ?? []).filter(({ forkedFrom }) => forkedFrom === undefined).reduce(
    (sum, { waiting }) => sum + waiting.length,
    0
  )
)

export const load = async (): Promise<void> => {
  if (!isOperator.value) return
  try {
    const known = new Set([
      ...(items.peek() ?? []).map(({ sessionId }) => sessionId),
      ...(Sessions.items.peek() ?? []).map(({ id }) => id)
    ])
    const { items: found } = await ask<Page<WaitingSession>>("approvals?limit=200")
    items.value = found.toSorted((one, other) => one.updatedAt < other.updatedAt ? -1 : 1)
    failure.value = undefined
    if (found.some(({ sessionId }) => !known.has(sessionId))) void Sessions.refresh()
  } catch (cause) {
    failure.value = problem(cause)
  }
}
