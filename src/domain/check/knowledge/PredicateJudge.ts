/**
 * Determines the possible results of predicates. Calls a predicate only if its source text uses only its parameters.
 */
import type { Fields } from "../../fields/Fields.js"
import type { Test } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"
import * as Samples from "./Samples.js"

/** The result of a predicate. `Needs`: it depends on whether `field` is known. `Open`: it may be true or false. */
type Verdict =
  | { readonly _tag: "Certain"; readonly holds: boolean }
  | { readonly _tag: "Needs"; readonly field: string }
  | { readonly _tag: "Open" }

/**
 * The fields that a predicate has read so far, and its results by the state of these fields: known, unknown or
 * undecided.
 */
interface Answers {
  readonly asked: Set<string>
  readonly said: Map<string, Verdict>
}

class Needs {
  constructor(readonly field: string) {}
}

class Beyond {}

const open: Verdict = { _tag: "Open" }

/** Maximum number of value combinations tried with a predicate. */
const tries = 200

/** Returns a context with the known properties; access to any other property throws. */
export const contextOf = (known: object): unknown =>
  new Proxy(known, {
    get: (target, name) => {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown
      throw new Beyond()
    }
  })

/** Calls a predicate with data that throws an error when the predicate reads a field whose state is undecided. */
const ask = (
  test: Test,
  known: ReadonlyMap<string, unknown>,
  absent: ReadonlySet<string>,
  read: Set<string>,
  asked: Set<string> = new Set()
): Verdict => {
  const data = new Proxy({}, {
    get: (_, name) => {
      if (typeof name !== "string") throw new Beyond()
      asked.add(name)
      if (absent.has(name)) return undefined
      if (!known.has(name)) throw new Needs(name)
      read.add(name)
      return known.get(name)
    },
    has: () => {
      throw new Beyond()
    },
    ownKeys: () => {
      throw new Beyond()
    }
  })
  try {
    const held: unknown = test.run(contextOf({ data }) as never)
    return typeof held === "boolean" || held === undefined ? { _tag: "Certain", holds: held === true } : open
  } catch (error) {
    // At run time a predicate that throws counts as false, but here the sample values may have caused the error.
    return error instanceof Needs ? { _tag: "Needs", field: error.field } : open
  }
}

export interface Judge {
  /**
   * Returns the result that the predicate has in every case if the fields in `known` are known and those in `absent`
   * are unknown; else `Open` or `Needs`.
   */
  readonly certain: (test: Test, known: ReadonlySet<string>, absent: ReadonlySet<string>) => Verdict
  /** Returns the result for these values; `undefined` if it cannot be determined. */
  readonly holds: (test: Test, values: ReadonlyMap<string, unknown>) => boolean | undefined
  /** Returns values of a field to try, including those that predicates compare it with. */
  readonly samples: (field: string) => ReadonlyArray<Samples.Sample>
}

/** Makes a judge of the predicates of one definition. */
export const make = (fields: Fields, tests: ReadonlyArray<Test>): Judge => {
  const constants = new Map<string, Set<string | number>>()
  for (const { run } of tests) {
    const source = Source.of(run)
    for (const name of fields.keys()) {
      if (!Source.mentions(source, name)) continue
      const found = constants.get(name) ?? new Set()
      for (const one of Source.constants(source)) found.add(one)
      constants.set(name, found)
    }
  }
  const sampled = new Map<string, ReadonlyArray<Samples.Sample>>()
  const samples = (field: string) => {
    const cached = sampled.get(field)
    if (cached !== undefined) return cached
    const one = fields.get(field)
    // Plain values come first, because witnesses show them.
    const plain = one === undefined ? [] : Samples.of(one)
    const also = one === undefined ? [] : Samples.of(one, Array.from(constants.get(field) ?? []))
    const seen = new Set(plain.map(({ encoded }) => JSON.stringify(encoded)))
    const found = [...plain, ...also.filter(({ encoded }) => !seen.has(JSON.stringify(encoded)))]
    sampled.set(field, found)
    return found
  }
  const isClosed = ({ run }: Test): boolean => Source.isClosed(Source.of(run))
  const firstOf = (names: Iterable<string>): ReadonlyMap<string, unknown> => {
    const first = new Map<string, unknown>()
    for (const name of names) {
      const sample = samples(name)[0]
      if (sample !== undefined) first.set(name, sample.value)
    }
    return first
  }
  const answers = new Map<Test["run"], Answers>()
  /** Returns the certain result; caches it by the state of all fields that the predicate has read so far. */
  const certain: Judge["certain"] = (test, known, absent) => {
    if (!isClosed(test)) return open
    const { asked, said } = answers.get(test.run) ?? { asked: new Set<string>(), said: new Map<string, Verdict>() }
    answers.set(test.run, { asked, said })
    const stands = () => Array.from(asked, (name) => known.has(name) ? 1 : absent.has(name) ? 0 : 2).join("")
    const before = asked.size
    const kept = said.get(stands())
    if (kept !== undefined) return kept
    const verdict = decided(test, known, absent, asked)
    if (asked.size > before) said.clear()
    said.set(stands(), verdict)
    return verdict
  }
  const decided = (
    test: Test,
    known: ReadonlySet<string>,
    absent: ReadonlySet<string>,
    asked: Set<string>
  ): Verdict => {
    const first = firstOf(known)
    const read = new Set<string>()
    const verdict = ask(test, first, absent, read, asked)
    if (isLost(verdict, known)) return open
    if (verdict._tag !== "Certain" || read.size === 0) return verdict
    const names = Array.from(read)
    for (const chosen of Samples.combinations(names.map(samples), tries)) {
      const values = new Map(first)
      chosen.forEach((sample, i) => sample && values.set(names[i]!, sample.value))
      const also = new Set<string>()
      const other = ask(test, values, absent, also, asked)
      if (other._tag === "Needs" && !known.has(other.field)) return other
      // `Open` if other samples give another result, or if the predicate then reads further fields: there are too many
      // combinations to try.
      if (!isSame(other, verdict) || looksFurther(also, read)) return open
    }
    return verdict
  }
  const holds: Judge["holds"] = (test, values) => {
    if (!isClosed(test)) return undefined
    const absent = new Set(Array.from(fields.keys()).filter((name) => !values.has(name)))
    const verdict = ask(test, values, absent, new Set())
    return verdict._tag === "Certain" ? verdict.holds : undefined
  }
  return { certain, holds, samples }
}

/** True if the predicate needs a known field for which no sample value was found. */
const isLost = (verdict: Verdict, known: ReadonlySet<string>): boolean =>
  verdict._tag === "Needs" && known.has(verdict.field)

const looksFurther = (also: ReadonlySet<string>, read: ReadonlySet<string>): boolean =>
  Array.from(also).some((name) => !read.has(name))

const isSame = (a: Verdict, b: Verdict): boolean => a._tag === "Certain" && b._tag === "Certain" && a.holds === b.holds
