/**
 * The kinds of values whose form in a document differs from their form in a definition: code, and Schemas. Each kind
 * has the Schema of its form in a document, reads this form as a value of a definition, and writes such a value back.
 */
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { isJsonObject, type Json } from "../base/Json.js"
import { ownValue } from "../base/ownValue.js"
import { at } from "../code/OptionForm.js"
import * as SourceText from "../code/SourceText.js"
import * as DocumentPiece from "./DocumentPiece.js"
import { escaped } from "./Expression.js"
import { keys, type Section } from "./Registry.js"

/** The operations that `Kind.read` uses. */
export interface ReadOperations {
  readonly fault: (path: string, what: string, why: string, fix: string) => void
  /** Returns an entry of the registry; reports a name without an entry. */
  readonly named: (section: Section, name: string, path: string) => unknown
  /** True if the registry has an entry with this name. */
  readonly has: (section: Section, name: string) => boolean
  /** Compiles a condition. A refused condition is reported, and counts as never met. */
  readonly condition: (source: string, path: string, result?: boolean) => object
  /** Compiles a text with placeholders; a text without placeholders stays a string. */
  readonly text: (text: string, path: string) => string | object
  /**
   * Compiles the arguments of a call. Each string in them is an expression. `compiled` is told the type of each argument
   * that is an expression, if it is known.
   */
  readonly args: (
    given: Json,
    path: string,
    compiled: (path: string, type: "string" | "number" | "boolean") => void
  ) => unknown
  /** Makes the Schema of a field. */
  readonly schema: (shape: unknown, path: string) => object
  /** Returns a tool or a signal with its handler, which is in the registry if the part was declared without one. */
  readonly handled: (section: "tools" | "signals", part: object, path: string) => object
}

/** The operations that `Kind.write` uses. */
export interface WriteOperations {
  /** True if the registry has the value. */
  readonly has: (section: Section, value: unknown) => boolean
  /** Returns the name of a value in the registry; reports a value that has no name there. */
  readonly nameOf: (section: Section, value: unknown, path: string) => string | undefined
  /** Writes a Schema. */
  readonly schema: (schema: object, path: string) => Json
  /** Returns a value that is JSON; reports any other value. */
  readonly json: (value: unknown, path: string) => Json
}

/** A kind of values in a document: the Schema of their form, and the conversion in both directions. */
export interface Kind {
  readonly schema: Schema.Schema.AnyNoContext
  readonly read: (written: unknown, path: string, reading: ReadOperations) => unknown
  readonly write: (value: unknown, path: string, writing: WriteOperations) => Json
}

const mapped = <A>(given: object, change: (value: unknown, key: string) => A): Record<string, A> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => value === undefined ? [] : [[key, change(value, key)]])
  )

/** Returns a kind whose values have the same form in a document and in a definition. */
export const plain = (schema: Schema.Schema.AnyNoContext): Kind => ({
  schema,
  read: (written) => written,
  write: (value, path, writing) => writing.json(value, path)
})

/** A reference to an entry of the registry: `{ hook: name }`. */
const ref = (section: Section): Kind => {
  const key = keys[section]
  return {
    schema: Schema.Struct({ [key]: Schema.NonEmptyString }),
    read: (written, path, { named }) =>
      Predicate.isRecord(written) && Predicate.isString(written[key])
        ? named(section, written[key], at(path, key))
        : written,
    write: (value, path, { nameOf }) => ({ [key]: nameOf(section, value, path) ?? "" })
  }
}

/** True if a value is a reference to the section. */
const isRef = (written: unknown, section: Section): boolean =>
  Predicate.isRecord(written) && Predicate.isString(written[keys[section]]) && Object.keys(written).length === 1

/**
 * Returns the kind with one change: a value that was made from a document is written back in the form that it had
 * there.
 */
const known = (kind: Kind): Kind => ({
  ...kind,
  write: (value, path, writing) => {
    const origin = Predicate.isObject(value) ? DocumentPiece.of(value) : undefined
    return origin ?? kind.write(value, path, writing)
  }
})

/**
 * Returns a kind that is either a reference to a section or another kind. Functions and values of the registry are
 * written as references.
 */
export const orRef = (section: Section, other: Kind): Kind =>
  known({
    schema: Schema.Union(other.schema, ref(section).schema),
    read: (written, path, reading) => (isRef(written, section) ? ref(section) : other).read(written, path, reading),
    write: (value, path, writing) =>
      (Predicate.isFunction(value) || writing.has(section, value) ? ref(section) : other).write(value, path, writing)
  })

/** A kind whose values are always references, or were made from a document. */
export const onlyRef = (section: Section): Kind => known(ref(section))

export const list = (item: Kind, isFilled = false): Kind => ({
  schema: isFilled ? Schema.NonEmptyArray(item.schema) : Schema.Array(item.schema),
  read: (written, path, reading) =>
    Array.isArray(written) ? written.map((one, i) => item.read(one, `${path}[${i}]`, reading)) : written,
  write: (value, path, writing) =>
    Array.isArray(value) ? value.map((one, i) => item.write(one, `${path}[${i}]`, writing)) : writing.json(value, path)
})

export const oneOrMany = (item: Kind): Kind => either(item, list(item), (u) => !Array.isArray(u))

/** A record whose values are all of one kind. */
export const each = (item: Kind): Kind => ({
  schema: Schema.Record({ key: Schema.String, value: item.schema }),
  read: (written, path, reading) =>
    Predicate.isRecord(written) ? mapped(written, (one, key) => item.read(one, at(path, key), reading)) : written,
  write: (value, path, writing) =>
    Predicate.isRecord(value)
      ? mapped(value, (one, key) => item.write(one, at(path, key), writing))
      : writing.json(value, path)
})

/** Returns a kind of records: each option has its kind. `required` names the options that must be present. */
export const part = (
  identifier: string,
  kinds: Readonly<Record<string, Kind>>,
  required: ReadonlyArray<string>
): Kind => ({
  schema: Schema.make(
    Schema.Struct(
      Record.map(kinds, ({ schema }, key) => required.includes(key) ? schema : Schema.optional(schema))
    ).annotations({ identifier }).ast
  ),
  read: (written, path, reading) =>
    Predicate.isRecord(written)
      ? mapped(written, (one, key) => {
        const read = ownValue(kinds, key)?.read(one, at(path, key), reading)
        return read === undefined ? one : read
      })
      : written,
  write: (value, path, writing) =>
    Predicate.isRecord(value)
      ? mapped(value, (one, key) =>
        ownValue(kinds, key)?.write(one, at(path, key), writing) ?? writing.json(one, at(path, key)))
      : writing.json(value, path)
})

/** A kind that contains itself; `identifier` names it in the JSON Schema. */
export const suspend = (identifier: string, kind: () => Kind): Kind => ({
  schema: Schema.suspend(() => kind().schema).annotations({ identifier }),
  read: (written, path, reading) => kind().read(written, path, reading),
  write: (value, path, writing) => kind().write(value, path, writing)
})

/** Returns a kind of alternatives. `of` decides between them, for a value and for its form in a document. */
export const oneOf = (kinds: ReadonlyArray<Kind>, of: (u: unknown) => Kind): Kind => ({
  schema: Schema.Union(...kinds.map(({ schema }) => schema)),
  read: (written, path, reading) => of(written).read(written, path, reading),
  write: (value, path, writing) => of(value).write(value, path, writing)
})

/** Returns a kind of two alternatives. */
export const either = (one: Kind, other: Kind, isOne: (u: unknown) => boolean): Kind =>
  oneOf([one, other], (u) => isOne(u) ? one : other)

const words = Schema.NonEmptyString

/** A condition: an expression, or a reference to a predicate. */
export const condition = (result = false): Kind =>
  orRef("predicates", {
    schema: words,
    read: (written, path, { condition }) =>
      Predicate.isString(written) ? DocumentPiece.from(condition(written, path, result), written) : written,
    write: (value, path, writing) => writing.json(value, path)
  })

/**
 * An entry of `{ all: [...] }`: a text, or a condition in code. A condition in code is written as `{ if: … }`, because
 * a model judges a bare string.
 */
const amongWords: Kind = known({
  schema: Schema.Union(words, Schema.Struct({ if: words }), ref("predicates").schema),
  read: (written, path, reading) =>
    Predicate.isRecord(written) && Predicate.isString(written.if)
      ? DocumentPiece.from(reading.condition(written.if, `${path}.if`), { if: written.if })
      : ref("predicates").read(written, path, reading),
  write: (value, path, writing) =>
    Predicate.isFunction(value) ? ref("predicates").write(value, path, writing) : writing.json(value, path)
})

/**
 * The value of `when`: a text, a list of texts (one match is enough), or `{ all: [...] }` with texts and conditions in
 * code that must all hold.
 */
export const when: Kind = either(
  part("All", { all: list(amongWords, true) }, ["all"]),
  plain(Schema.Union(words, Schema.Array(words))),
  Predicate.isRecord
)

/** A text with placeholders, or a reference to a template. */
export const text: Kind = orRef("templates", {
  schema: Schema.String,
  read: (written, path, reading) => {
    if (!Predicate.isString(written)) return written
    const made = reading.text(written, path)
    return typeof made === "string" ? made : DocumentPiece.from(made, written)
  },
  write: (value, path, writing) => typeof value === "string" ? escaped(value) : writing.json(value, path)
})

/** A text, or texts by locale, which become one template each. */
export const texts: Kind = either(
  each(text),
  text,
  (u) => Predicate.isRecord(u) && !isRef(u, "templates")
)

/** A directive that a definition may state as a literal. */
const directive: Kind = plain(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** A step, a flow, or a directive. */
export const target: Kind = plain(Schema.Union(words, Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** A handler of an event or a timer: a target, or a reference to a hook. */
export const handler: Kind = orRef("hooks", target)

/** A hook: a reference, or a directive that it always returns. */
export const hook: Kind = known({
  schema: Schema.Union(directive.schema, ref("hooks").schema),
  read: (written, path, reading) => {
    if (isRef(written, "hooks") || !isJsonObject(written)) return ref("hooks").read(written, path, reading)
    return DocumentPiece.from(SourceText.constant(written), written)
  },
  write: (value, path, writing) => ref("hooks").write(value, path, writing)
})

/** The Schema of a value: JSON Schema with annotations, or a reference. */
export const schema = (shape: Schema.Schema.AnyNoContext): Kind =>
  known({
    schema: shape,
    read: (written, path, reading) => Predicate.isRecord(written) ? reading.schema(written, path) : written,
    write: (value, path, writing) => Predicate.isObject(value) ? writing.schema(value, path) : writing.json(value, path)
  })

/** A time span: in words, or in milliseconds. */
export const duration: Kind = {
  ...plain(Schema.Union(Schema.String, Schema.NonNegative)),
  write: (value, path, writing) => Duration.isDuration(value) ? Duration.toMillis(value) : writing.json(value, path)
}
