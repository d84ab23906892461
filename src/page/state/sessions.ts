/** The list of sessions, loaded page by page. */
import { signal } from "@preact/signals"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import type { Failed } from "../net/api.js"
import { ask, problem } from "../net/api.js"
import type { Page, Session, Summary } from "../net/wire.js"
import type { MessageItem } from "./items.js"
import { openOf } from "./items.js"

export const items = signal<ReadonlyArray<Summary>>()
export const next = signal<string>()
export const search = signal("")
export const failure = signal<Failed>()

const pageSize = 30

const query = (cursor?: string): string => {
  const params = new URLSearchParams({ limit: String(pageSize), details: "true" })
  if (search.value !== "") params.set("search", search.value)
  if (cursor !== undefined) params.set("cursor", cursor)
  return `sessions?${params}`
}

let asked = 0

/** Loads the first page again. Ignores the response if a newer request has been sent meanwhile. */
export const load = async (): Promise<void> => {
  const mine = ++asked
  try {
    const page = await ask<Page<Summary>>(query())
    if (mine !== asked) return
    items.value = page.items
    next.value = page.next
    failure.value = undefined
  } catch (cause) {
    if (mine === asked) failure.value = problem(cause)
  }
}

/** Loads the first page again, unless the reader has already loaded further pages. */
export const refresh = (): Promise<void> => (items.value?.length ?? 0) > pageSize ? Promise.resolve() : load()

export const more = async (): Promise<void> => {
  if (next.value === undefined) return
  try {
    const page = await ask<Page<Summary>>(query(next.value))
    items.value = [...items.value ?? [], ...page.items]
    next.value = page.next
  } catch (cause) {
    failure.value = problem(cause)
  }
}

type Details = NonNullable<Summary["details"]>

const longest = 200

const placeOf = ({ currentFlow, currentStep, forkedFrom }: Session): Pick<Details, "flow" | "step" | "forkedFrom"> => ({
  ...(currentFlow !== undefined && { flow: { id: currentFlow.id, title: currentFlow.title } }),
  ...(currentStep !== undefined && { step: currentStep.id }),
  ...(forkedFrom !== undefined && { forkedFrom: forkedFrom.sessionId })
})

const detailsOf = (
  session: Session,
  { name, waits }: Pick<Details, "name" | "waits">,
  said: MessageItem | undefined
): Details => {
  const { handOver } = session
  const open = openOf(session)
  const isWanted = handOver !== undefined && handOver.by === undefined
  const wanted = isWanted ? waits.filter(({ handOff }) => handOff === true).slice(0, 1) : []
  return {
    name,
    state: isWanted || open.length > 0 ? "waiting" : handOver === undefined ? "agent" : "person",
    waits: [...wanted, ...open],
    ...placeOf(session),
    ...(handOver?.by !== undefined && { person: handOver.by }),
    ...(said !== undefined && {
      last: { role: said.kind, text: Excerpt.start(said.text, longest), at: said.at ?? session.updatedAt }
    })
  }
}

/**
 * Shows a session's present state in its entry of the list, and moves the entry up. Without such an entry, loads the
 * list again.
 */
export const show = (session: Session, said: MessageItem | undefined): void => {
  const all = items.peek()
  const before = all?.find(({ id }) => id === session.id)
  if (all === undefined || (before !== undefined && before.version >= session.version)) return
  if (before?.details === undefined) return void load()
  const { messageCount, updatedAt, version } = session
  const entry = { ...before, messageCount, updatedAt, version, details: detailsOf(session, before.details, said) }
  items.value = [entry, ...all.filter((one) => one !== before)]
}

let pause: ReturnType<typeof setTimeout> | undefined

export const find = (text: string): void => {
  search.value = text
  clearTimeout(pause)
  pause = setTimeout(() => void load(), 150)
}
