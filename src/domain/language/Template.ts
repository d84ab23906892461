/**
 * Text that goes to the model among instructions: what a template puts in of the conversation is quoted, so that nobody
 * who types a value gives an instruction.
 *
 * A template reads plain values, which compare, count and format as always. What it has read is looked for in the text
 * that it wrote.
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
 * // A value that the template has from elsewhere.
 * declare const notes: string
 * export const told = kit.step({ prompt: () => `Mind the notes on the guest: ${Template.quote(notes)}` })
 * ```
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import { quote as quoteJson } from "../base/Json.js"
import { textOf } from "../session/Transcript.js"
import { quoted } from "./Interpolated.js"

/**
 * A value as one line of JSON, for values that a template has from elsewhere than its context. What a template has read
 * of its context is quoted anyway.
 *
 * @since 0.1.0
 * @category rendering
 */
export const quote: (value: unknown) => string = quoteJson

/**
 * What the agent said last, as it was said; `undefined` where it has not said anything. For who asks to hear it again.
 *
 * @since 0.1.0
 * @category getters
 */
export const lastSaid = (ctx: { readonly history: ReadonlyArray<Prompt.Message> }): string | undefined =>
  ctx.history.filter(({ role }) => role === "assistant").map(textOf).findLast((text) => text !== "")

const originals = new WeakMap<object, object>()

/**
 * The context of a template or a hook, or its `data`, `context` or `session`, in such a way that what is read of it is
 * put into the prompt as it is: as instructions. Only for values that no user can have written.
 *
 * @since 0.1.0
 * @category getters
 */
export const raw = <A extends object>(given: A): A =>
  // A proxy has the type of the object that it stands for.
  (originals.get(given) ?? given) as A

/**
 * The fields whose values are the definition's own words, such as literals: they are not quoted.
 *
 * @internal
 */
export interface Closed {
  readonly data: ReadonlySet<string>
  readonly context: ReadonlySet<string>
}

/**
 * A context that remembers what was read of it.
 *
 * @internal
 */
export interface Watched<Ctx> {
  readonly ctx: Ctx
  /** The text with everything quoted that was read so far. */
  readonly quoted: (text: string) => string
}

/** Parts of a context that are what somebody said. */
const said = ["message", "lastUserMessage", "reason", "extracted"]

/** Parts of a session that come from outside of the definition. */
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
    Object.defineProperty(seen, "history", { enumerable: true, get: () => (note(new Told(history)), history) })
  }
  originals.set(seen, ctx)
  return {
    // The same parts under the same names; the proxy only remembers what is read.
    ctx: seen as Ctx,
    quoted: (text) =>
      read.size === 0 || typeof text !== "string" ? text : quoted(text, Array.from(read).flatMap((one) => textsIn(one)))
  }
}

/** A conversation that was read: of its messages, what was said, asked of tools and answered by them. */
class Told {
  readonly parts: ReadonlyArray<unknown>
  constructor(history: ReadonlyArray<Prompt.Message>) {
    this.parts = history.flatMap(({ content }): ReadonlyArray<unknown> =>
      typeof content === "string" ?
        [content] :
        content.map((part: Prompt.Part) =>
          part.type === "text" || part.type === "reasoning"
            ? part.text
            : part.type === "tool-call"
            ? part.params
            : part.type === "tool-result"
            ? part.result
            : undefined
        )
    )
  }
}

/** How deep texts are looked for inside a value. */
const deepest = 8

/** The texts in a value, with the keys of records that are no names of fields. */
const textsIn = (value: unknown, depth = 0): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth > deepest) return []
  if (value instanceof Told) return value.parts.flatMap((part) => textsIn(part, depth + 1))
  if (Predicate.isIterable(value)) return Array.from(value).flatMap((part) => textsIn(part, depth + 1))
  return Object.entries(value).flatMap(([key, part]) => [
    ...(/^[\w$]{1,40}$/.test(key) ? [] : [key]),
    ...textsIn(part, depth + 1)
  ])
}
