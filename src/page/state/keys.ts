/** The keyboard shortcuts of the page. They are off while a person types in a field. */
import { showKeys } from "../views/Keys.js"
import { current } from "./current.js"
import { go, route, tabs } from "./route.js"

const isWriting = (at: EventTarget | null): boolean =>
  at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName))

const focus = (id: string): void => document.getElementById(id)?.focus()

/** Selects the turn before (-1) or after (1) the chosen one. */
const turn = (by: 1 | -1): void => {
  const turns = [...new Set(current.value?.talk.value.items.map(({ turn }) => turn) ?? [])]
  const at = route.value.turn === undefined ? (by > 0 ? -1 : turns.length) : turns.indexOf(route.value.turn)
  const next = turns[Math.min(turns.length - 1, Math.max(0, at + by))]
  if (next === undefined) return
  go({ turn: next, at: undefined })
  document.querySelector(`[data-turn="${next}"]`)?.scrollIntoView({ block: "nearest" })
}

let before = ""

const keys: Readonly<Record<string, () => void>> = {
  "/": () => focus("message"),
  j: () => turn(1),
  k: () => turn(-1),
  ".": () => current.value?.busy.value === true && void current.value.stop(),
  "?": () => showKeys.value = true,
  "g s": () => focus("search"),
  "g d": () => go({ view: "desk", session: undefined, turn: undefined, fork: undefined, at: undefined, pane: "talk" }),
  ...Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => go({ tab, pane: "side" })]))
}

export const listen = (): void =>
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isWriting(event.target)) (event.target as HTMLElement).blur()
    if (isWriting(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    const run = keys[before === "g" ? `g ${event.key}` : event.key]
    before = event.key
    if (run === undefined) return
    event.preventDefault()
    run()
  })
