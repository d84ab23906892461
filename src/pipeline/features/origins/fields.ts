/** The origins of the data fields: kept in the session beside the data, for agents whose tools check origins. */
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import type { Form } from "../../../domain/authored/Form.js"
import { digest, type Json } from "../../../domain/base/Json.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { Values } from "../../../domain/definition/Definition.js"
import { distinct, isTrusted, type Kept, type Origin, type Origins } from "../../../domain/origin/Origin.js"
import type { KnownValue, Source } from "../../../domain/origin/trace.js"
import type { Session } from "../../../domain/session/Session.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import { jsonOf } from "../../../services/tool/ResultText.js"
import type { GivenBy } from "../../state/parts/Seams.js"
import type { Opened } from "../../state/TurnState.js"
import { setSession } from "../../state/TurnState.js"
import { search } from "./search.js"
import { hasReadStrangers, messageOf, reported, resultOf, seqOf } from "./texts.js"

/** True if the agent keeps origins. */
export const keeps = ({ runtime: { definition } }: Opened): boolean => definition.keepsOrigins

const code: Origin = { kind: "code" }
const model: Origin = { kind: "model" }

const none: Kept = { fields: {} }

/** The search ignores no names, because a field's value may have any properties. */
const names = { has: () => true }

const traced = (value: unknown, sources: ReadonlyArray<Source>, otherwise: Origin): ReadonlyArray<Origin> =>
  distinct(
    search().trace(Option.getOrElse(jsonOf(value), () => null), { sources, known: [], otherwise, byCode: false, names })
      .flat()
  )

/**
 * Returns the origins of the part that the message has added to a list or struct, if this part comes only from
 * untrusted text: they are then the origins of the whole value.
 */
const extended = (turn: Opened, name: string, value: unknown): ReadonlyArray<Origin> | undefined => {
  const { session } = turn.state
  const before = ownValue(session.data, name)
  if (typeof before !== "object" || !ofStrangers(turn, session).includes(name)) return undefined
  const known = knownIn({ [name]: before }, () => ownValue(session.origins!.fields, name)!)
  const places = { sources: [messageOf(turn)], known, otherwise: code, byCode: false, names }
  const untrusted = search().trace(Option.getOrElse(jsonOf(value), () => null), places).find((part) =>
    !part.some(isTrusted)
  )
  return untrusted && distinct(untrusted)
}

/** Largest number of offered values per field that are kept. */
const mostOffered = 200

/** Digest of a decoded value, in 80 bits, so that the session has no copy of it. */
const seal = (value: unknown): string => digest(Option.getOrElse(jsonOf(value), () => null)).slice(0, 20)

/**
 * Adds the values that the agent offers for fields. A later offer for a field replaces the earlier one, so that the
 * user may still choose after a digression.
 */
const offering = (turn: Opened, kept: Kept, { properties, suggestions = [] }: Form): Kept => {
  const { fields } = turn.runtime.definition
  const ofFields = Object.entries(properties).flatMap(([name, { suggestions = [] }]) => {
    const values = suggestions.flatMap(({ value }) => {
      const offered = Option.toArray(Either.getRight(fields.get(name)!.decode(value)))
      // The user may choose elements of several lists.
      return [...offered, ...offered.filter(Array.isArray).flat()]
    })
    return values.length === 0 ? [] : [[name, values] as const]
  })
  const ofStep = suggestions.length === 0 ? [] : [["", suggestions.map(({ value }) => value)] as const]
  const all = [...ofFields, ...ofStep].map(([name, values]) => [name, values.slice(0, mostOffered).map(seal)] as const)
  return all.length === 0 ? kept : { ...kept, offered: { ...kept.offered, ...Object.fromEntries(all) } }
}

/** Returns the part of a value that the agent has not offered: the other elements of a list, else the whole value. */
const notOffered = (turn: Opened, name: string, value: unknown): unknown => {
  const { offered = {} } = turn.state.session.origins ?? none
  const seals = new Set([...ownValue(offered, name) ?? [], ...offered[""] ?? []])
  if (seals.has(seal(value))) return null
  return Array.isArray(value) ? value.filter((one) => !seals.has(seal(one))) : value
}

/**
 * The origins of a value that the message states. If the text of the message does not contain the value, it was derived
 * from the message or from its files.
 */
const stated = (turn: Opened, name: string, value: unknown): ReadonlyArray<Origin> => {
  const user: Origin = { kind: "user", message: seqOf(turn) }
  // A file of the message may have chosen among what was offered.
  const open = turn.files.length > 0 ? value : notOffered(turn, name, value)
  const said = traced(open, [messageOf(turn)], model)
  if (!said.some((origin) => origin === model)) return said.length === 0 ? [user] : said
  const kept = extended(turn, name, value)
  if (kept !== undefined) return kept
  if (turn.files.length > 0) {
    return turn.files.map(({ stored: { fileName } }): Origin => ({
      kind: "document",
      ...(fileName !== undefined && { name: fileName }),
      message: seqOf(turn)
    }))
  }
  const before = turn.history.filter(({ role }) => role === "assistant").map((message): Source => ({
    text: search().textOf(Transcript.textOf(message)),
    at: () => model
  }))
  // The agent's earlier messages can contain untrusted text that the model has read. If such a message contains the
  // value, a plain yes does not make the user its origin.
  const isEchoed = traced(open, before, user).includes(model)
  return isEchoed && isUntrusted(turn) ? [model] : [user]
}

/** Returns the origins of the values that the message states. */
const ofMessage = (turn: Opened, values: Values): Origins => {
  const isForm = turn.input._tag === "Message" ? turn.input.values ?? {} : {}
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Object.hasOwn(isForm, name) ? [{ kind: "user", message: seqOf(turn) }] : stated(turn, name, value)
    ])
  )
}

/** Returns the report that began this turn, if its text comes from another agent or a model; else an empty list. */
export const foreignReport = (turn: Opened): ReadonlyArray<Source> => {
  const report = turn.occurrence?.isForeign === true ? reported(turn) : undefined
  return report === undefined ? [] : [report]
}

/**
 * Returns the origins of a value that code writes. If a report of another agent, or a field with untrusted text,
 * contains the value, its origins are those of the report or field.
 */
const written = (turn: Opened, name: string, value: unknown): ReadonlyArray<Origin> => {
  const bound = turn.bound.get(name)
  if (bound !== undefined && Equal.equals(bound.value, value)) return [resultOf(turn, bound.toolId, bound.callId)]
  // Flags and very short values may be equal by chance.
  if (typeof value === "boolean" || (typeof value !== "object" && String(value).length < search().trivial)) {
    return [code]
  }
  const sources = foreignReport(turn)
  const copied = strange(turn)
  if (sources.length === 0 && copied.length === 0) return [code]
  const places = { sources, known: copied, otherwise: code, byCode: true, names }
  const parts = search().trace(Option.getOrElse(jsonOf(value), () => null), places)
  return distinct(parts.find((part) => !part.some(isTrusted)) ?? [code, ...parts.flat()])
}

/** Keeps the origins of written or confirmed fields. */
export const keep = (turn: Opened, data: Values, by: GivenBy, before: Session): void => {
  const names = Object.keys(data)
  if (names.length === 0 || !keeps(turn)) return
  const { fields, ...rest } = turn.state.session.origins ?? none
  const stated = by === "message" ? ofMessage({ ...turn, state: { ...turn.state, session: before } }, data) : {}
  const originOf = (name: string): ReadonlyArray<Origin> =>
    by === "confirmation"
      ? distinct([{ kind: "confirmed" }, ...ownValue(fields, name) ?? []])
      : ownValue(stated, name) ?? written(turn, name, ownValue(data, name))
  const more = Object.fromEntries(names.map((name) => [name, originOf(name)]))
  setSession(turn, { origins: { ...rest, fields: { ...fields, ...more } } })
}

const initialOf = ({ runtime: { definition } }: Opened, name: string): ReadonlyArray<unknown> =>
  [definition, ...definition.flows].flatMap(({ initialData }) => initialData[name] ?? [])

/**
 * Returns the origins of a field. Initial data comes from code. A field without an entry counts as written by the
 * model, because its origin is unknown.
 */
const originsOf = (turn: Opened, { data, origins = none }: Session, name: string): ReadonlyArray<Origin> => {
  const kept = Object.hasOwn(origins.fields, name) ? origins.fields[name]! : []
  if (initialOf(turn, name).some((one) => Equal.equals(one, ownValue(data, name)))) return [code, ...kept]
  return kept.length === 0 ? [model] : kept
}

const knownIn = (values: Values, origins: (name: string) => ReadonlyArray<Origin>): ReadonlyArray<KnownValue> =>
  Object.entries(values).flatMap(([name, value]): ReadonlyArray<KnownValue> => {
    const json: Json | undefined = value === undefined ? undefined : Option.getOrUndefined(jsonOf(value))
    return json === undefined ? [] : [{ value: json, origins: origins(name) }]
  })

/** Returns the known values of fields and context, with their origins. */
export const known = (turn: Opened): ReadonlyArray<KnownValue> => {
  const { context, session } = turn.state
  return [...knownIn(session.data, (name) => originsOf(turn, session, name)), ...knownIn(context, () => [code])]
}

const strangeIn = (turn: Opened, session: Session): ReadonlyArray<KnownValue> => {
  const fields = ofStrangers(turn, session)
  if (fields.length === 0) return []
  return knownIn(Struct.pick(session.data, ...fields), (name) => ownValue(session.origins!.fields, name)!)
}

/**
 * Returns the values of fields that come only from untrusted text: as they are now, as they were before the turn, and
 * as steps of the turn have bound them. A hook may copy a value and clear its field immediately, so the present values
 * are not enough.
 */
export const strange = (turn: Opened): ReadonlyArray<KnownValue> => {
  const { session } = turn.state
  const values = Array.from(turn.bound, ([name, { callId, toolId, value }]) => ({
    name,
    value,
    origins: [resultOf(turn, toolId, callId)]
  })).filter(({ origins }) => !origins.some(isTrusted))
  return [
    ...strangeIn(turn, session),
    ...strangeIn(turn, turn.stored),
    ...values.flatMap(({ name, origins, value }) => knownIn({ [name]: value }, () => origins))
  ]
}

/** Returns the fields whose values come only from untrusted text. */
export const ofStrangers = (turn: Opened, { origins }: Session): ReadonlyArray<string> =>
  origins === undefined || !keeps(turn)
    ? []
    : Object.keys(origins.fields).filter((name) => !origins.fields[name]!.some(isTrusted))

/**
 * True if the model may have read untrusted text: in a result, file, event or report, or in a field that a prompt of
 * this turn can show.
 */
export const isUntrusted = (turn: Opened): boolean => {
  const { session } = turn.state
  return hasReadStrangers(turn) || ofStrangers(turn, session).some((name) => ownValue(session.data, name) !== undefined)
}

/** Returns the origins of the session's fields that the commit stores. */
export const committed = (turn: Opened): Kept => {
  // From now on origins are not recorded. If a later version of the agent keeps origins again, the model of this
  // session counts as having read untrusted text.
  if (!keeps(turn)) return { fields: {}, untrusted: true }
  const { session: { origins = none } } = turn.state
  const { expects } = turn.reply
  const { fields, offered } = expects === undefined ? origins : offering(turn, origins, expects)
  return {
    fields,
    ...(isUntrusted(turn) && { untrusted: true as const }),
    ...(offered !== undefined && { offered })
  }
}
