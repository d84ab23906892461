/** The list of sessions, loaded page by page. */
import { signal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { ask, problem } from "../net/api.js"
import type { Page, Summary } from "../net/wire.js"

export const items = signal<ReadonlyArray<Summary>>()
export const next = signal<string>()
export const search = signal("")
export const failure = signal<Failed>()

const query = (cursor?: string): string => {
  const params = new URLSearchParams({ limit: "30", details: "true" })
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

export const more = async (): Promise<void> => {
  if (next.value === undefined) return
  const page = await ask<Page<Summary>>(query(next.value))
  items.value = [...items.value ?? [], ...page.items]
  next.value = page.next
}

let pause: ReturnType<typeof setTimeout> | undefined

export const find = (text: string): void => {
  search.value = text
  clearTimeout(pause)
  pause = setTimeout(() => void load(), 150)
}
