/** Run-time checks of directive fields, for code that is not type-checked. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ErrorMessage from "../base/error/ErrorMessage.js"
import * as Excerpt from "../base/error/Excerpt.js"
import { nearest } from "../base/error/Nearest.js"
import { isShallow, OwnKey } from "../base/Json.js"
import { loose, optional } from "../fields/Fields.js"
import * as JobCall from "../job/JobCall.js"
import * as Timer from "./Timer.js"

type Rec = Record<string, unknown>
type Test = (u: unknown) => boolean

/** True for an object literal; false for an array or a class instance such as a Promise, a Date or an Effect. */
export const isPlain = (u: unknown): u is Rec => {
  if (!Predicate.isRecord(u)) return false
  const prototype: unknown = Object.getPrototypeOf(u)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const text = Predicate.isString
const flag = Predicate.isBoolean
const is = (value: unknown): Test => (u) => u === value
const either = (...tests: ReadonlyArray<Test>): Test => (u) => tests.some((test) => test(u))
const listOf = (test: Test): Test => (u) => Array.isArray(u) && u.every(test)

/** Returns a test for a plain object with only these fields; undefined fields count as absent. */
const parts = (fields: Record<string, Test>, needed: ReadonlyArray<string> = []): Test => (u) =>
  isPlain(u) &&
  Object.entries(u).every(([key, value]) =>
    value === undefined || (Object.hasOwn(fields, key) && fields[key]!(value))
  ) &&
  needed.every((key) => u[key] !== undefined)

/** Tests the values to write. Deeply nested values would overflow the stack when they are checked or stored. */
const values: Test = (u) => isPlain(u) && isShallow(u)

const target = { flow: text, step: text, data: values, reason: text }

const shapes: Readonly<Record<string, readonly [holds: Test, says: string]>> = {
  goTo: [
    either(text, parts({ ...target, carry: either(is("preserve"), is("reset")) })),
    "the name of a flow or { flow?, step?, data?, reason?, carry? }"
  ],
  goToStep: [either(text, parts(target, ["step"])), "the id of a step or { step, flow?, data?, reason? }"],
  // `next` is checked as a separate directive.
  complete: [either(is(true), parts({ next: () => true, reason: text })), "true or { next?, reason? }"],
  abort: [
    either(text, parts({ reason: text, stack: flag, clearSession: flag }, ["reason"])),
    "a reason or { reason, stack?, clearSession? }"
  ],
  reset: [
    either(is(true), parts({ step: text, clearData: flag, reason: text })),
    "true or { step?, clearData?, reason? }"
  ],
  handOff: [is("person"), "\"person\""],
  reason: [text, "a string"],
  reply: [
    either(text, (u) => isPlain(u) && Object.keys(u).length > 0 && Object.values(u).every(text)),
    "a string, or strings by locale: { en: \"…\" }"
  ],
  clear: [
    either(listOf(text), parts({ fields: listOf(text), also: is("stated") }, ["fields"])),
    "a list of fields or { fields, also?: \"stated\" }"
  ],
  dataUpdate: [values, "an object of fields"],
  contextUpdate: [values, "an object of fields"],
  schedule: [
    Timer.isSchedule,
    "{ id, in or at, event, payload? } with a span or an instant with its offset, or a list of them"
  ],
  cancel: [either(text, listOf(text)), "the id of a scheduled event or of a job, or a list of them"],
  run: [JobCall.isCall, "what Job.of makes, { job, payload? }, or a list of them"],
  appendPrompt: [listOf(text), "a list of strings"],
  injectTools: [Array.isArray, "a list of tools"],
  halt: [flag, "a boolean"],
  stopOtherSignals: [flag, "a boolean"],
  replyWith: [either(text, Predicate.isFunction), "a string or a function that makes one"]
}

/** The keys inside fields, used to suggest the right key for a misspelled one. */
const inner: Readonly<Record<string, ReadonlyArray<string>>> = {
  goTo: [...Object.keys(target), "carry"],
  goToStep: Object.keys(target),
  complete: ["next", "reason"],
  abort: ["reason", "stack", "clearSession"],
  reset: ["step", "clearData", "reason"],
  schedule: ["id", "in", "at", "event", "payload"]
}

/** True if a directive has a field of this name. */
export const isField = (name: string): boolean => Object.hasOwn(shapes, name)

/** The fields with invalid values, each with its expected shape. */
const misshapen = (d: Rec): ReadonlyArray<{ readonly field: string; readonly expected: string }> =>
  Object.entries(shapes).flatMap(([field, [holds, expected]]) =>
    d[field] === undefined || holds(d[field]) ? [] : [{ field, expected }]
  )

/** Names the kind of an invalid value in an error. */
export const kindOf = (u: unknown): string =>
  u === null
    ? "null"
    : Array.isArray(u)
    ? "a list"
    : Predicate.isFunction(u)
    ? "a function"
    : Predicate.isPromiseLike(u)
    ? "a Promise"
    : typeof u === "object"
    ? "an instance of a class"
    : `a ${typeof u}`

/** Reports one problem. */
export type Report = (what: string, why: string, fix: string, at?: string) => void

/** A suggestion of similar names, appended to a reason. */
const near = (names: ReadonlyArray<string>, known: ReadonlyArray<string>): string => {
  const meant = Array.from(new Set(names.flatMap((name) => nearest(name, known) ?? [])))
  return meant.length === 0 ? "" : `; ${ErrorMessage.quoted(meant)} is near`
}

/**
 * Reports fields that are unknown, have an invalid shape, or exclude each other. Returns true if all shapes are valid.
 */
export const reportShape = (
  u: Rec,
  positions: ReadonlyArray<string>,
  path: string,
  report: Report
): boolean => {
  const unknown = Object.keys(u).filter((key) => !isField(key)).map((key) => Excerpt.start(key, Excerpt.maxLength))
  if (unknown.length > 0) {
    report(
      "unknown directive field",
      `"${unknown.join("\", \"")}" means nothing in a directive${near(unknown, Object.keys(shapes))}`,
      "Remove it or correct its name"
    )
  }
  const wrong = misshapen(u)
  for (const { expected, field } of wrong) {
    const names = inner[field] ?? []
    const unknown = isPlain(u[field]) ? Object.keys(u[field]).filter((name) => !names.includes(name)) : []
    report(`wrong ${field}`, `${field} is ${expected}${near(unknown, names)}`, "Correct its value", `${path}.${field}`)
  }
  const given = positions.filter((key) => u[key] !== undefined)
  if (given.length > 1) {
    report(
      "several position fields",
      `${given.join(" and ")} would move the conversation to two places`,
      "Keep one of them"
    )
  }
  return wrong.length === 0
}

/**
 * Reports problems of fields that have valid shapes: fields that contradict each other, and values that make no sense.
 */
export const reportContradictions = (
  d: { readonly [K in "goTo" | "reason" | "handOff" | "reply" | "abort"]?: unknown },
  report: Report
): void => {
  if (Predicate.isRecord(d.goTo) && d.goTo.flow === undefined && d.goTo.step === undefined) {
    report("empty goTo", "it names neither a flow nor a step", "Name a flow, a step, or both")
  }
  if (d.reason !== undefined && d.handOff === undefined) {
    report("reason without handOff", "it says why a person is wanted", "Add handOff: \"person\", or drop it")
  }
  if (d.reply !== undefined && d.abort !== undefined) {
    report(
      "reply with abort",
      "an aborted flow has nothing more to say",
      "Drop reply, or say it first and abort in the next turn"
    )
  }
}

/** A stored directive with unknown fields is refused; the fields are not dropped silently. */
const strict = { parseOptions: { onExcessProperty: "error" as const } }

const Abort = Schema.Union(
  Schema.String,
  Schema.Struct({
    reason: Schema.String,
    stack: optional(Schema.Boolean),
    clearSession: optional(Schema.Boolean)
  }).annotations(strict)
)

const Reset = Schema.Union(
  Schema.Literal(true),
  Schema.Struct({
    step: optional(Schema.String),
    clearData: optional(Schema.Boolean),
    reason: optional(Schema.String)
  }).annotations(strict)
)

const Clear = Schema.Union(
  Schema.Array(Schema.String),
  Schema.Struct({
    fields: Schema.Array(Schema.String),
    also: optional(Schema.Literal("stated"))
  }).annotations(strict)
)

/** The fields that move to a flow or a step, and the data to write. */
const places = <D, DI>(data: Schema.Schema<D, DI>) => ({
  goTo: optional(Schema.Union(
    Schema.String,
    Schema.Struct({
      flow: optional(Schema.String),
      step: optional(Schema.String),
      data: optional(data),
      reason: optional(Schema.String),
      carry: optional(Schema.Literal("preserve", "reset"))
    }).annotations(strict)
  )),
  goToStep: optional(Schema.Union(
    Schema.String,
    Schema.Struct({
      step: Schema.String,
      flow: optional(Schema.String),
      data: optional(data),
      reason: optional(Schema.String)
    }).annotations(strict)
  ))
})

/** The fields that hand over to a person, with the reason. */
const HandOff = { handOff: optional(Schema.Literal("person")), reason: optional(Schema.String) }

/** The Schema of a directive with the given data and context, and at most one nested `complete.next`. */
export const shapeOf = <D, DI, C, CI>(dataSchema: Schema.Schema<D, DI>, contextSchema: Schema.Schema<C, CI>) => {
  const data = loose(dataSchema)
  const context = loose(contextSchema)
  const flat = {
    ...places(data),
    abort: optional(Abort),
    reset: optional(Reset),
    ...HandOff,
    reply: optional(Schema.Union(Schema.String, Schema.Record({ key: OwnKey, value: Schema.String }))),
    dataUpdate: optional(data),
    clear: optional(Clear),
    contextUpdate: optional(context),
    schedule: optional(Schema.Union(Timer.Schedule, Schema.Array(Timer.Schedule))),
    cancel: optional(Schema.Union(Schema.String, Schema.Array(Schema.String))),
    run: optional(Schema.Union(JobCall.Call, Schema.Array(JobCall.Call)))
  }
  const completing = (next: Schema.Schema.AnyNoContext) =>
    Schema.Struct({
      ...flat,
      complete: optional(Schema.Union(
        Schema.Literal(true),
        Schema.Struct({ next: optional(next), reason: optional(Schema.String) }).annotations(strict)
      ))
    }).annotations(strict)
  const leaf = Schema.Struct({ ...flat, complete: optional(Schema.Literal(true)) }).annotations(strict)
  return completing(leaf)
}
