/** The conversation that the page's address names. */
import { effect, signal } from "@preact/signals"
import { profile } from "./agent.js"
import type { Conversation } from "./conversation.js"
import { make } from "./conversation.js"
import * as Desk from "./desk.js"
import { isEmbedded, route, toSession } from "./route.js"
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

/** Loads the list of sessions and the waiting calls again after each turn, because a turn changes both. */
effect(() => {
  void current.value?.session.value
  if (profile.value === undefined) return
  void Sessions.load()
  void Desk.load()
})

effect(() => {
  if (isEmbedded.value && profile.value !== undefined && route.value.session === undefined) {
    location.replace(toSession(`chat-${crypto.randomUUID().slice(0, 8)}`))
  }
})
