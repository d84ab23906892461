/**
 * Migrations of stored sessions from older versions, step by step to the next version.
 *
 * The library's own steps are in `Session.ts`; an application's are the `migrations` of its agent:
 *
 * ```ts
 * import { Agent, type Migrations } from "coxswain"
 * import { Schema } from "effect"
 *
 * // Sessions of version 1 held `guests` as text.
 * const migrations: Migrations.Migrations = {
 *   version: 2,
 *   steps: { 1: (session) => ({ ...session, data: { ...session.data, guests: Number(session.data.guests) } }) }
 * }
 *
 * const program = Agent.define({ data: Schema.Struct({ guests: Schema.Int }) }).make({ name: "Hotel", migrations })
 * ```
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { reasonOf } from "../base/error/ErrorMessage.js"
import * as Excerpt from "../base/error/Excerpt.js"
import { isJsonObject, type Json, type JsonObject } from "../base/Json.js"
import { CodeSchema } from "./Code.js"
import * as OptionForm from "./OptionForm.js"

/** A stored session, as JSON. */
export type EncodedSession = JsonObject & { readonly data: JsonObject }

/** The migrations of an application's sessions. */
export interface Migrations {
  /** Current version of sessions, from 1. Sessions stored without migrations have version 1. */
  readonly version: number
  /** Steps by the version from which they migrate to the next. Sessions older than the first step are refused. */
  readonly steps: { readonly [from: number]: (session: EncodedSession) => JsonObject }
  /**
   * Earlier definitions, declared with `kit.agent` of the same kit, each with another version. Default: none; each
   * session is then migrated at its next turn.
   */
  readonly earlier?: ReadonlyArray<object>
  /**
   * How long a session keeps the earlier definition of its version. `"flow"`: while a flow is current or suspended; the
   * session's turns then run with that definition, and the session is migrated afterwards. `"none"`: not at all.
   * Default: `"flow"`.
   */
  readonly pin?: "flow" | "none"
}

export const Migrations = Schema.Struct({
  version: Schema.Int.pipe(Schema.positive()).annotations({ message: () => "must be a positive whole number" }),
  steps: Schema.Record({ key: Schema.String, value: CodeSchema }),
  earlier: Schema.optional(Schema.Array(OptionForm.of("earlier")(Schema.Object))),
  pin: Schema.optional(Schema.Literal("flow", "none"))
}).annotations({ identifier: "Migrations" })

/**
 * The version of a definition's sessions.
 *
 * @internal
 */
export const versionOf = (migrations: { readonly version: number } | undefined): number => migrations?.version ?? 1

/**
 * Returns the problems of the steps: a step without a target version, and a missing step.
 *
 * @internal
 */
export const check = (
  { steps, version }: { readonly version: number; readonly steps: object }
): ReadonlyArray<{ readonly step: string; readonly why: string; readonly fix: string }> => {
  const given = Object.keys(steps)
  const versions = given.map(Number).filter((from) => Number.isInteger(from) && from >= 1 && from < version)
  const known = new Set(versions)
  const first = Math.min(...versions, version)
  return [
    ...given.filter((key) => !known.has(Number(key)) || String(Number(key)) !== key).map((step) => ({
      step,
      why: `no session of that version can become one of version ${version}`,
      fix: version > 1 ? `Steps begin at the versions 1 to ${version - 1}` : "Raise migrations.version"
    })),
    ...Array.from({ length: version - first }, (_, i) => first + i).filter((from) => !known.has(from)).map((from) => ({
      step: String(from),
      why: `it is missing, and sessions of version ${first} need it to become ones of version ${version}`,
      fix: `Add the step from version ${from} to ${from + 1}, or drop the steps before it`
    }))
  ]
}

/** The reason why a session could not be migrated. */
export interface Refusal {
  readonly why: string
  readonly cause?: unknown
  /** The name of the version field, if the session's version is newer than the versions that are known. */
  readonly newer?: string
}

/**
 * A sequence of versions: the session's version field, and the steps from each version to the next.
 *
 * @internal
 */
export interface Ladder<S> {
  /** The session's version field. */
  readonly field: string
  /** The version of a session without the version field; if absent, such a session is refused. */
  readonly unmarked?: number
  readonly version: number
  readonly steps: { readonly [from: number]: (session: S) => JsonObject }
  /** The owner of the versions as error messages name it, such as `the library`. */
  readonly of: string
  /** Returns the advice that an error gives for a missing step. */
  readonly missing: (from: number) => string
}

const markOf = <S extends JsonObject>(
  stored: JsonObject,
  { field, of, unmarked, version }: Ladder<S>
): Either.Either<number, Refusal> => {
  const found: Json | undefined = Object.hasOwn(stored, field) ? stored[field] : unmarked
  if (typeof found !== "number" || !Number.isInteger(found) || found < 1) {
    return Either.left({ why: `its ${field} is ${Excerpt.of(found)}, which is no version of ${of}` })
  }
  return found > version
    ? Either.left({
      why: `it has ${field} ${found}, which is newer than the ${version} that ${of} knows`,
      newer: field
    })
    : Either.right(found)
}

/**
 * Migrates a session to the newest version. The stored session is not changed: steps get a copy.
 *
 * @internal
 */
export const climb = <S extends JsonObject>(
  stored: JsonObject,
  ladder: Ladder<S>
): Either.Either<JsonObject, Refusal> => {
  const { field, steps, version } = ladder
  const start = markOf(stored, ladder)
  if (Either.isLeft(start)) return Either.left(start.left)
  const found = start.right
  let session: JsonObject = stored
  for (let from = found; from < version; from++) {
    const step = Object.hasOwn(steps, from) ? steps[from] : undefined
    if (step === undefined) {
      return Either.left({
        why: `it has ${field} ${found}, and there is no step from ${from} to ${from + 1}: ${ladder.missing(from)}`
      })
    }
    const next = take(step, session, `the step from ${field} ${from} to ${from + 1}`)
    if (Either.isLeft(next)) return next
    session = { ...next.right, [field]: from + 1 }
  }
  return Either.right(session)
}

/** Runs one step. It is the application's code: it may throw or return anything. */
const take = <S extends JsonObject>(
  step: (session: S) => unknown,
  session: JsonObject,
  name: string
): Either.Either<JsonObject, Refusal> => {
  try {
    const next = step(structuredClone(session) as S)
    return isJsonObject(next) ? Either.right(next) : Either.left({ why: `${name} did not return a session in JSON` })
  } catch (cause) {
    return Either.left({ why: `${name} threw: ${reasonOf(cause)}`, cause })
  }
}
