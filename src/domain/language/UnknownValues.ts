/**
 * Finds unknown values in texts: a text that says `undefined`, `null`, `NaN` or `Invalid Date` in place of a field, or
 * that fails because the field is unknown.
 *
 * A text is made from a view of the values, which notes the unknown ones that it reads. Only if there are some and the
 * text is at fault, it is made again with stand-ins in their place: a field without whose stand-in the fault is still
 * there is a cause. So a text that minds the unknown (`data.name ?? "there"`), or that means the word "null", has none.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import { recordOf } from "../base/Json.js"

/** The kind of a turn's trace about a lack. */
export const traced = "text_lacks"

/** A character that no text has. */
const edge = "\u{F0000}"

/** Stands in a text for an expression without a value. */
export const gap = (expression: string): string => `${edge}${expression.trim()}${edge}`

/** A text, choices, or the arguments of a call that use unknown fields. `source` is its name in traces. */
export interface Lack {
  readonly source: string
  readonly fields: ReadonlyArray<string>
}

/** Receives what uses unknown fields. A turn writes it into its trace. */
export class Reporter extends Context.Reference<Reporter>()("coxswain/UnknownValues/Reporter", {
  defaultValue: (): (lack: Lack) => void => () => {}
}) {}

/** Gives a view of an object, which notes the unknown members that are read. `prefix` stands before their names. */
export type View = <A extends object>(of: A, prefix?: string) => A

/** A kind of text or value that is made from values which may be unknown. */
interface Kind<A> {
  /** Returns how many unknown values it uses. */
  readonly count: (made: A) => number
  /** Returns what is left without them. */
  readonly without: (made: A) => A
  /** Stands for what cannot be made because of them; without it, making it fails as the code does. */
  readonly nothing?: A
}

const words = /(?<![\p{L}\p{N}_])(?:undefined|null|NaN|Invalid Date)(?![\p{L}\p{N}_])|\u{F0000}[^\u{F0000}]*\u{F0000}/gu

const gapsIn = (made: unknown): ReadonlyArray<string> =>
  typeof made !== "string" || !made.includes(edge) ? [] : made.split(edge).filter((_, i) => i % 2 === 1)

const isUnknown = (value: unknown): boolean => value === undefined || value === null || Number.isNaN(value)

const inText = (text: string): number => text.match(words)?.length ?? 0

const inValue = (value: unknown): number =>
  isUnknown(value)
    ? 1
    : typeof value === "string"
    ? inText(value)
    : isPlain(value)
    ? Object.values(value).reduce((sum: number, part) => sum + inValue(part), 0)
    : 0

/** True for what the code of a definition may look into: a list, or a record that is not of a class. */
export const isPlain = (value: unknown): value is object =>
  Array.isArray(value) || (Predicate.isRecord(value) && Object.getPrototypeOf(value) === Object.prototype)

const segmenter = new Intl.Segmenter("und", { granularity: "sentence" })

export const sentencesOf = (text: string): ReadonlyArray<string> =>
  Array.from(segmenter.segment(text), ({ segment }) => segment)

const sentences = (text: string): string => sentencesOf(text).filter((one) => inText(one) === 0).join("").trim()

/** A text: the sentences with unknown values are left out. What is no text is left as it is. */
export const text: Kind<unknown> = {
  count: (made) => typeof made === "string" ? inText(made) : 0,
  without: (made) => typeof made === "string" ? sentences(made) : made,
  nothing: ""
}

/** Stands for a question of which no sentence is left. */
export const noQuestion = Symbol.for("coxswain/UnknownValues/noQuestion")

/** A question: as a text, but `noQuestion` if no sentence is left. */
export const question: Kind<unknown> = {
  ...text,
  without: (made) => text.without(made) || noQuestion,
  nothing: noQuestion
}

/** Choices: labels with unknown values, and choices whose value is unknown, are left out. */
export const choices: Kind<unknown> = {
  count: inValue,
  without: (made) =>
    Array.isArray(made)
      ? made.flatMap((one: unknown) => {
        if (inValue(one) === 0) return [one]
        const value = Predicate.isRecord(one) ? one.value : undefined
        return inValue(value) === 0 ? [value] : []
      })
      : made,
  nothing: []
}

const textsOfNeed = ["reason", "pendingReply", "meanwhile"] as const

/** The need of an approval: the sentences of its texts with unknown values are left out. */
export const need: Kind<unknown> = {
  count: (made) => textsOfNeed.reduce((sum, name) => sum + text.count(recordOf(made)[name]), 0),
  without: (made) => ({
    ...recordOf(made),
    ...Object.fromEntries(textsOfNeed.flatMap((name) => {
      const said = recordOf(made)[name]
      return typeof said === "string" ? [[name, sentences(said)]] : []
    }))
  })
}

/** A value that all code can use: its members and results are the same value, and it is a short text or a number. */
export const standIn: unknown = new Proxy(() => {}, {
  get: (_, name) =>
    name === Symbol.toPrimitive
      ? (hint: string) => hint === "string" ? "…" : 7
      : name === Symbol.iterator
      ? function*() {}
      : name === "toJSON"
      ? () => "…"
      : name === "then"
      ? undefined
      : standIn,
  apply: () => standIn
})

/** The originals of the contexts, and of the parts of contexts, of which code gets another form. */
export const originals = new WeakMap<object, object>()

/**
 * Lets `Template.raw` return for another form of a context, or of a part of it, what it returns for the original.
 */
const standFor = (form: object, original: object): void => {
  originals.set(form, originals.get(original) ?? original)
}

/** Makes a view in which the unknown members that `isFilled` names have a stand-in. Adds the names that are read to `read`. */
const viewing = (read: Set<string>, isFilled: (name: string) => boolean): View => {
  const view: View = (of, prefix = "") => {
    const parts = new Map<unknown, object>()
    // A proxy must give the members of a frozen object as they are, so the proxy is one of a copy.
    const target = Object.isFrozen(of) ? (Array.isArray(of) ? [...of] : { ...of }) : of
    const proxy = new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(of, name)
        if (typeof name !== "string" || name === "toJSON" || name === "then") return value
        if (isUnknown(value)) {
          if (Array.isArray(of) && !/^\d+$/.test(name)) return value
          read.add(`${prefix}${name}`)
          return isFilled(`${prefix}${name}`) ? standIn : value
        }
        if (!isPlain(value)) return value
        const part = parts.get(value) ?? view(value, `${prefix}${name}.`)
        parts.set(value, part)
        return part
      }
    })
    standFor(proxy, of)
    // Safe: the proxy has the members of its target.
    return proxy as typeof of
  }
  return view
}

/**
 * Makes something from a view. If it uses unknown values, reports the fields and gives what is left without them.
 *
 * @internal
 */
export const checked = <A, E>(
  source: string,
  kind: Kind<A>,
  make: (view: View) => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const read = new Set<string>()
  const once = (isFilled: (name: string) => boolean) => Effect.suspend(() => make(viewing(read, isFilled)))
  const report = (fields: ReadonlyArray<string>, left: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(Reporter, (tell) => {
      tell({ source, fields })
      return left
    })
  const faultsWith = (isFilled: (name: string) => boolean): Effect.Effect<number> =>
    Effect.map(Effect.exit(once(isFilled)), (exit) => Exit.isFailure(exit) ? Infinity : kind.count(exit.value))
  /** Finds the causes of so many faults, reports them, and gives what is `left`. Without a cause, all is as it is. */
  const causes = (
    faults: number,
    gaps: ReadonlyArray<string>,
    asIs: Effect.Effect<A, E>,
    left: Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    Effect.gen(function*() {
      const names = Array.from(read)
      const least = yield* faultsWith(() => true)
      if (least >= faults) return yield* gaps.length === 0 ? asIs : report(gaps, left)
      const lacking: Array<string> = []
      for (const name of names) if ((yield* faultsWith((one) => one !== name)) > least) lacking.push(name)
      return yield* report(lacking.length > 0 ? lacking : names, left)
    })
  const ended = Effect.flatMap(once(() => false), (made): Effect.Effect<A, E> => {
    const gaps = gapsIn(made)
    const faults = read.size + gaps.length === 0 ? 0 : kind.count(made)
    const asIs = Effect.succeed(made)
    return faults === 0 ? asIs : causes(faults, gaps, asIs, Effect.sync(() => kind.without(made)))
  })
  return Effect.catchAllCause(
    ended,
    (cause) =>
      read.size > 0 && Cause.isDie(cause)
        ? causes(
          Infinity,
          [],
          Effect.failCause(cause),
          "nothing" in kind ? Effect.succeed(kind.nothing) : Effect.failCause(cause)
        )
        : Effect.failCause(cause)
  )
}

/**
 * Makes texts, and returns the fields that they lack, as `city` for `city.name`. They are reported to `tell`, too.
 *
 * @internal
 */
export const lackedBy = <E>(
  made: Effect.Effect<unknown, E>,
  tell: (lack: Lack) => void = () => {}
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.suspend(() => {
    const found: Array<string> = []
    const add = (lack: Lack): void => {
      tell(lack)
      for (const name of lack.fields) if (!name.startsWith(ofContext)) found.push(name.split(".")[0]!)
    }
    // What fails here fails again when it is said.
    return Effect.as(Effect.exit(Effect.provideService(made, Reporter, add)), found)
  })

/**
 * Returns the unknown fields that the arguments of a call need: those that an argument is, or has in its text.
 *
 * @internal
 */
export const neededBy = <A, E>(make: (view: View) => Effect.Effect<A, E>): Effect.Effect<ReadonlyArray<string>> =>
  lackedBy(checked<unknown, E>("", { count: inValue, without: (made) => made }, make))

const ofContext = "context."

/**
 * Returns a context with a view of its data and its context.
 *
 * @internal
 */
export const within = <Ctx extends { readonly data: object; readonly context?: unknown }>(
  ctx: Ctx,
  view: View
): Ctx => {
  // The other members may be getters, which note that they are read.
  const seen = Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors(ctx),
    data: { enumerable: true, value: view(ctx.data) },
    ...(Predicate.isRecord(ctx.context) && { context: { enumerable: true, value: view(ctx.context, ofContext) } })
  })
  standFor(seen, ctx)
  // Safe: the copy has the members of the context.
  return seen as Ctx
}
