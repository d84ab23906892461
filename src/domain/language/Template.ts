/**
 * Texts that go into a prompt as instructions. Values interpolated from the conversation are quoted, so that user input
 * cannot act as an instruction.
 *
 * A template gets plain values, so that it can compare, count and format them as usual. Afterwards, the values that it
 * has read are searched for in its text.
 *
 * @example
 * ```ts
 * import { Agent, Template } from "coxswain"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({
 *   data: Schema.Struct({ city: Schema.String }),
 *   context: Schema.Struct({ house: Schema.String })
 * })
 *
 * // "Confirm the room in "Lisbon"", whatever the guest calls a city.
 * export const confirm = kit.step({ prompt: ({ data }) => `Confirm the room in ${data.city}` })
 *
 * // Instructions that the application keeps in its context.
 * export const rules = kit.step({ prompt: ({ context }) => Template.raw(context).house })
 *
 * // A value from outside the context.
 * declare const notes: string
 * export const told = kit.step({ prompt: () => `Mind the notes on the guest: ${Template.quote(notes)}` })
 * ```
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import { quote as quoteJson } from "../base/Json.js"
import { partsOf, textOf } from "../session/Transcript.js"
import { quoted } from "./Interpolated.js"
import { originals } from "./UnknownValues.js"

/**
 * Formats a value as one line of JSON, for values that do not come from the template's context. Values from the context
 * are quoted automatically.
 */
export const quote: (value: unknown) => string = quoteJson

/** Returns the agent's last message; `undefined` if it has not said anything yet. Use it to repeat a message. */
export const lastSaid = (ctx: { readonly history: ReadonlyArray<Prompt.Message> }): string | undefined =>
  ctx.history.filter(({ role }) => role === "assistant").map(textOf).findLast((text) => text !== "")

/**
 * Returns the context of a template or hook, or its `data`, `context` or `session`, with automatic quoting turned off:
 * its values then act as instructions. Only for values that users cannot have written.
 */
export const raw = <A extends object>(given: A): A =>
  // Safe: the proxy has the type of its target.
  (originals.get(given) ?? given) as A

/**
 * The fields whose values are fixed by the definition, such as literals; they are not quoted.
 *
 * @internal
 */
export interface Closed {
  readonly data: ReadonlySet<string>
  readonly context: ReadonlySet<string>
}

/**
 * A context that records the values read from it.
 *
 * @internal
 */
export interface Watched<Ctx> {
  readonly ctx: Ctx
  /** Quotes all values read so far in the text. */
  readonly quoted: (text: string) => string
}

/** The properties of a context that come from the conversation. */
const said = ["message", "lastUserMessage", "reason", "extracted"]

/** The properties of a session that come from outside the definition. */
const outside = new Set(["id", "userId", "metadata", "summary"])

/**
 * @internal
 */
export const watch = <Ctx extends object>(ctx: Ctx, closed: Closed): Watched<Ctx> => {
  const read = new Set<unknown>()
  const note = <A>(value: A): A => {
    read.add(value)
    return value
  }
  const view = (of: unknown, isData: (name: string) => boolean, parts: object = {}): unknown => {
    if (!Predicate.isRecord(of)) return of
    const proxy = new Proxy({ ...of, ...parts }, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        return typeof name === "string" && isData(name) ? note(value) : value
      }
    })
    originals.set(proxy, of)
    return proxy
  }
  const seen: Record<string, unknown> = Object.fromEntries(Object.entries(ctx))
  seen.data = view(seen.data, (name) => !closed.data.has(name))
  seen.context = view(seen.context, (name) => !closed.context.has(name))
  for (const part of ["stated", "corrected"]) {
    if (part in seen) seen[part] = view(seen[part], (name) => !closed.data.has(name))
  }
  if (Predicate.isRecord(seen.session)) {
    const { session } = seen
    const parts = { data: seen.data, ...("context" in session && { context: seen.context }) }
    seen.session = view(session, (name) => outside.has(name), parts)
  }
  for (const name of said) {
    const value = seen[name]
    if (name in seen) Object.defineProperty(seen, name, { enumerable: true, get: () => note(value) })
  }
  if (Array.isArray(seen.history)) {
    const history: ReadonlyArray<Prompt.Message> = seen.history
    Object.defineProperty(seen, "history", {
      enumerable: true,
      get: () => (note(new ConversationValues(history)), history)
    })
  }
  originals.set(seen, ctx)
  return {
    // Safe: the proxy has the type of the context, and only records which values are read.
    ctx: seen as Ctx,
    quoted: (text) =>
      read.size === 0 || typeof text !== "string" ? text : quoted(text, Array.from(read).flatMap((one) => textsIn(one)))
  }
}

/** A conversation whose messages a template has read: their texts, call arguments and results. */
class ConversationValues {
  readonly parts: ReadonlyArray<unknown>
  constructor(history: ReadonlyArray<Prompt.Message>) {
    this.parts = history.flatMap(partsOf).map((part) =>
      part.type === "text" || part.type === "reasoning"
        ? part.text
        : part.type === "tool-call"
        ? part.params
        : part.type === "tool-result"
        ? part.result
        : undefined
    )
  }
}

/** Largest depth at which texts are searched inside a value. */
const deepest = 8

/** The texts in a value, including record keys that are not identifiers. */
const textsIn = (value: unknown, depth = 0): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth > deepest) return []
  if (value instanceof ConversationValues) return value.parts.flatMap((part) => textsIn(part, depth + 1))
  if (Predicate.isIterable(value)) return Array.from(value).flatMap((part) => textsIn(part, depth + 1))
  return Object.entries(value).flatMap(([key, part]) => [
    ...(/^[\w$]{1,40}$/.test(key) ? [] : [key]),
    ...textsIn(part, depth + 1)
  ])
}
