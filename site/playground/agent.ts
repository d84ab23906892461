/** The page of a server (`src/page`), whose requests a server within the browser answers. */
import { effect } from "@preact/signals"
import { transport } from "../../src/page/net/api.js"
import * as Agent from "../../src/page/state/agent.js"
import { theme } from "../../src/page/state/preferences.js"
import type { Fault } from "./server.js"
import { make } from "./server.js"

/** Serves the text of a document, and returns its faults. */
export type Exchange = (text: string) => Promise<ReadonlyArray<Fault>>

const server = make()
transport.send = (address, init) => server.answer(new Request(address, init))

const exchange: Exchange = async (text) => {
  const faults = await server.exchange(text)
  if (faults.length === 0) await Agent.load()
  return faults
}

// The editor around this page has the same theme.
effect(() => {
  if (theme.value === "auto") delete window.parent.document.documentElement.dataset.theme
  else window.parent.document.documentElement.dataset.theme = theme.value
})

window.parent.dispatchEvent(new CustomEvent<Exchange>("coxswain-ready", { detail: exchange }))
await import("../../src/page/main.js")
