/** The keyboard shortcuts of the page. They are off while a person types in a field. */
import { showKeys } from "../views/Keys.js"
import { current } from "./current.js"
import { go, isEmbedded, type Route, route, tabs, toDesk } from "./pageAddress.js"

const isWriting = (at: EventTarget | null): boolean =>
  at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName))

/** Focuses a field. A narrow window shows the field's pane first. */
const focus = (id: string, pane: Route["pane"]) => (): void => {
  const field = document.getElementById(id)
  if (field === null || field.offsetParent !== null) return field?.focus()
  go({ pane })
  requestAnimationFrame(() => document.getElementById(id)?.focus())
}

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
  "/": focus("message", "talk"),
  j: () => turn(1),
  k: () => turn(-1),
  ".": () => current.value?.busy.value === true && void current.value.stop(),
  "?": () => showKeys.value = true,
  "g s": focus("search", "list"),
  "g d": () => location.hash = toDesk(),
  ...Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => go({ tab, pane: "side" })]))
}

/** A frame shows the conversation alone, so that keys for other views have no effect. */
const embeddedKeys = new Set(["/", "."])

/** Returns the action of a key, unless the key is part of a shortcut of the browser, or of a text. */
const actionOf = ({ altKey, ctrlKey, key, metaKey, target }: KeyboardEvent): (() => void) | undefined => {
  if (isWriting(target) || ctrlKey || metaKey || altKey) return undefined
  const run = keys[before === "g" ? `g ${key}` : key]
  before = key
  return isEmbedded.value && !embeddedKeys.has(key) ? undefined : run
}

export const listen = (): void =>
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isWriting(event.target)) (event.target as HTMLElement).blur()
    const run = actionOf(event)
    if (run === undefined) return
    event.preventDefault()
    run()
  })
