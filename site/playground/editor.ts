/** The editor of the playground: the document, its faults, and the agent beside it in a frame. */
import "../../src/page/style.css"
import type { Exchange } from "./agent.js"
import coffee from "./samples/coffee.yaml?raw"
import damage from "./samples/damage.yaml?raw"
import room from "./samples/room.yaml?raw"
import table from "./samples/table.yaml?raw"
import type { Fault } from "./server.js"
import "./style.css"

const samples: Readonly<Record<string, string>> = {
  "A table": table,
  "A room": room,
  "A coffee": coffee,
  "A damage": damage
}

/** Milliseconds without a key until the document is served. */
const pause = 300

const element = <E extends Element>(selector: string): E => {
  const found = document.querySelector<E>(selector)
  if (found === null) throw new Error(`${selector} is missing`)
  return found
}
const text = element<HTMLTextAreaElement>("#document")
const numbers = element<HTMLPreElement>("#numbers")
const state = element<HTMLParagraphElement>("#state")
const list = element<HTMLUListElement>("#faults")
const sample = element<HTMLSelectElement>("#sample")

/** Puts the cursor at a place of the document. */
const goTo = ({ column, line }: Fault): void => {
  const before = text.value.split("\n").slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  text.focus()
  text.setSelectionRange(before + column - 1, before + column - 1)
}

const itemOf = (fault: Fault): HTMLLIElement => {
  const item = document.createElement("li")
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = `${fault.line}:${fault.column}`
  button.setAttribute("aria-label", `Line ${fault.line}, column ${fault.column}`)
  button.addEventListener("click", () => goTo(fault))
  item.append(button, ` ${fault.message}`)
  return item
}

const number = (faults: ReadonlyArray<Fault>): void => {
  const wrong = new Set(faults.map(({ line }) => line))
  numbers.replaceChildren(
    ...text.value.split("\n").map((_, at) => {
      const line = document.createElement("span")
      line.textContent = `${at + 1}\n`
      line.className = wrong.has(at + 1) ? "wrong" : ""
      return line
    })
  )
}

const show = (faults: ReadonlyArray<Fault>): void => {
  number(faults)
  list.replaceChildren(...faults.map(itemOf))
  text.setAttribute("aria-invalid", String(faults.length > 0))
  state.className = faults.length > 0 ? "error" : "quiet"
  state.textContent = faults.length > 0
    ? `${faults.length} ${faults.length === 1 ? "fault" : "faults"}: the former document still answers.`
    : "This document answers."
}

/** Shows that the document in the editor does not answer yet. */
const pending = (message: string): void => {
  state.className = "quiet"
  state.textContent = message
}

let exchange: Exchange | undefined
let edits = 0

/** Serves the document. Only the answer to the last edit is shown. */
const serve = async (): Promise<void> => {
  const edit = ++edits
  const faults = await exchange?.(text.value)
  if (edit === edits && faults !== undefined) show(faults)
}

const open = (name: string): Promise<void> => {
  text.value = samples[name] ?? ""
  number([])
  return serve()
}

let waiting: ReturnType<typeof setTimeout> | undefined
text.addEventListener("input", () => {
  number([])
  pending("The document is read …")
  clearTimeout(waiting)
  waiting = setTimeout(() => void serve(), pause)
})
text.addEventListener("scroll", () => numbers.scrollTop = text.scrollTop)

sample.replaceChildren(...Object.keys(samples).map((name) => new Option(name)))
sample.addEventListener("change", () => void open(sample.value))

addEventListener("coxswain-ready", (event) => {
  exchange = (event as CustomEvent<Exchange>).detail
  void serve()
})
// The first page of the site links to its own example.
const named = decodeURIComponent(location.hash.slice(1))
if (Object.hasOwn(samples, named)) sample.value = named

pending("The agent is loading …")
void open(sample.value)
