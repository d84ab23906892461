/** The page's state, kept in the fragment of its address: `#/s/ann/t/2?tab=why`. */
import { computed, signal } from "@preact/signals"

export const tabs = ["where", "why", "data", "whatif", "test"] as const
export type Tab = typeof tabs[number]

export interface Route {
  readonly view: "home" | "session" | "desk"
  readonly session?: string
  /** The sequence number of the message that began the chosen turn. */
  readonly turn?: number
  readonly tab: Tab
  /** The step that the graph shows. */
  readonly at?: string
  /** The forked conversation that is shown beside this one. */
  readonly fork?: string
  /** The pane that a narrow window shows. */
  readonly pane: "list" | "talk" | "side"
}

const isTab = (text: string | null): text is Tab => tabs.some((tab) => tab === text)

const given = <K extends string>(name: K, text: string | null): { readonly [P in K]?: string } =>
  text === null ? {} : { [name]: text } as { readonly [P in K]: string }

const placeOf = ([view, id = "", , turn]: ReadonlyArray<string>): Pick<Route, "view" | "session" | "turn"> => {
  if (view === "desk") return { view }
  if (view !== "s" || id === "") return { view: "home" }
  const at = Number(turn)
  return { view: "session", session: id, ...(Number.isInteger(at) && { turn: at }) }
}

/** Decodes a part of a path. A part that is not encoded, as a person may type it, is taken as it is. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const read = (hash: string): Route => {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2)
  const query = new URLSearchParams(search)
  const tab = query.get("tab")
  const pane = query.get("pane")
  return {
    ...placeOf(path.split("/").map(decoded)),
    ...given("at", query.get("at")),
    ...given("fork", query.get("fork")),
    tab: isTab(tab) ? tab : "why",
    pane: pane === "list" || pane === "side" ? pane : "talk"
  }
}

/** The parts of an address that may be absent; one that is `undefined` is left out. */
type Optional = { readonly [K in "session" | "turn" | "at" | "fork"]?: Route[K] | undefined }
type Always = Pick<Route, "view" | "tab" | "pane">

const write = ({ at, fork, pane, session, tab, turn, view }: Always & Optional): string => {
  const path = view === "desk"
    ? "desk"
    : session === undefined
    ? ""
    : `s/${encodeURIComponent(session)}${turn === undefined ? "" : `/t/${turn}`}`
  const query = new URLSearchParams()
  if (view === "session" && tab !== "why") query.set("tab", tab)
  if (at !== undefined) query.set("at", at)
  if (fork !== undefined) query.set("fork", fork)
  if (pane !== "talk") query.set("pane", pane)
  const search = query.toString()
  return `#/${path}${search === "" ? "" : `?${search}`}`
}

export const route = signal<Route>(read(location.hash))
addEventListener("hashchange", () => route.value = read(location.hash))

/** Returns the current address with some parts changed. A part that is `undefined` is removed. */
export const linkTo = (change: Partial<Always> & Optional): string => write({ ...route.value, ...change })

export const go = (change: Partial<Always> & Optional): void => {
  location.hash = linkTo(change)
  route.value = read(location.hash)
}

/** The address of the desk. */
export const toDesk = (): string =>
  linkTo({ view: "desk", session: undefined, turn: undefined, at: undefined, fork: undefined, pane: "talk" })

export const toSession = (id: string): string =>
  write({ view: "session", session: id, tab: route.value.tab, pane: "talk" })

/** The conversations that this page has named itself. */
const named = new Set<string>()

/** Returns the address of a new conversation with a random name. */
export const toNew = (): string => {
  const name = `chat-${crypto.randomUUID().slice(0, 8)}`
  named.add(name)
  return toSession(name)
}

/** True if the page itself gave the conversation its name, so that it need not exist. */
export const isNamedHere = (name: string): boolean => named.has(name)

/** `?embed=conversation` shows the conversation alone, for a frame in another page. */
export const isEmbedded = computed(() => new URLSearchParams(location.search).get("embed") === "conversation")
