/** The conversation that the page's address names. */
import { effect, signal } from "@preact/signals"
import { profile } from "./agent.js"
import type { Conversation } from "./conversation.js"
import { make } from "./conversation.js"
import * as Desk from "./desk.js"
import { isEmbedded, route, toNew } from "./pageAddress.js"
import * as Sessions from "./sessions.js"

export const current = signal<Conversation>()

/** The forked conversation that is shown beside the current one. */
export const fork = signal<Conversation>()

const follow = (name: "session" | "fork", into: typeof current): void => {
  effect(() => {
    const id = profile.value === undefined ? undefined : route.value[name]
    const before = into.peek()
    if (before?.id === id) return
    before?.close()
    into.value = id === undefined ? undefined : make(id)
    void into.value?.open()
  })
}

follow("session", current)
follow("fork", fork)

/** Changes the entry of the current conversation in the list of sessions after each turn. */
effect(() => {
  const session = current.value?.session.value
  if (session === undefined || isEmbedded.value) return
  const last = current.value?.talk.peek().items.findLast((item) => item.kind !== "tool" && item.kind !== "note")
  Sessions.show(session, last)
})

/** Loads the waiting calls again if a call of the current conversation begins or ceases to wait. */
let waiting = ""
effect(() => {
  const session = current.value?.session.value
  const now = JSON.stringify([
    session?.pendingApproval?.requests,
    session?.pendingApproval?.decisions,
    session?.handOver
  ])
  if (profile.value === undefined || isEmbedded.value || now === waiting) return
  waiting = now
  void Desk.load()
})

/** Milliseconds after which the page reads the changes in other sessions again. */
const interval = 20_000

setInterval(() => {
  if (profile.value === undefined || isEmbedded.value || document.visibilityState === "hidden") return
  void Desk.load()
  void Sessions.refresh()
}, interval)

effect(() => {
  if (isEmbedded.value && profile.value !== undefined && route.value.session === undefined) {
    location.replace(toNew())
  }
})
