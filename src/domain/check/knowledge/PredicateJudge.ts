/**
 * What a predicate says, as far as it can be told: it is asked when its text names nothing but the turn.
 *
 * @since 0.1.0
 */
import type { Fields } from "../../fields/Fields.js"
import type { Test } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"
import * as Samples from "./Samples.js"

/** `Needs`: it depends on whether a field is known. `Open`: it may be either. */
export type Verdict =
  | { readonly _tag: "Certain"; readonly holds: boolean }
  | { readonly _tag: "Needs"; readonly field: string }
  | { readonly _tag: "Open" }

/** What a predicate has asked for so far, and what it said by how that stands. */
interface Answers {
  readonly asked: Set<string>
  readonly said: Map<string, Verdict>
}

class Needs {
  constructor(readonly field: string) {}
}

class Beyond {}

const open: Verdict = { _tag: "Open" }

/** How many combinations of values a predicate is tried with. */
const tries = 200

/** What code is asked with; what else it asks for is out of reach. */
export const contextOf = (known: object): unknown =>
  new Proxy(known, {
    get: (target, name) => {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown
      throw new Beyond()
    }
  })

/** Asks it with data that says which field it is missing. */
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
    // What a predicate throws by itself counts as false at run time, but a sample may be what made it throw.
    return error instanceof Needs ? { _tag: "Needs", field: error.field } : open
  }
}

export interface Judge {
  /** What is certain of a predicate when these fields are known and those are not. */
  readonly certain: (test: Test, known: ReadonlySet<string>, absent: ReadonlySet<string>) => Verdict
  /** Whether it holds for these values; `undefined` when that cannot be told. */
  readonly holds: (test: Test, values: ReadonlyMap<string, unknown>) => boolean | undefined
  /** The values of a field worth trying, with those that predicates compare it with. */
  readonly samples: (field: string) => ReadonlyArray<Samples.Sample>
}

/** A judge of the predicates of one definition. */
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
    // Plain values first: they are what a witness shows.
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
  /** A predicate says the same as long as the fields that it has ever asked for stand the same. */
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
      // It may look at more as soon as one value is another: too much to try.
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

/** It needs a field that is known, but of no value that could be tried. */
const isLost = (verdict: Verdict, known: ReadonlySet<string>): boolean =>
  verdict._tag === "Needs" && known.has(verdict.field)

const looksFurther = (also: ReadonlySet<string>, read: ReadonlySet<string>): boolean =>
  Array.from(also).some((name) => !read.has(name))

const isSame = (a: Verdict, b: Verdict): boolean => a._tag === "Certain" && b._tag === "Certain" && a.holds === b.holds
