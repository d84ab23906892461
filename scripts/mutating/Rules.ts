/**
 * The files of `src/domain/walk` with all their mutations in one process: a module that hands every call to the original
 * or to the mutation that is on.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { Plugin } from "vite"
import { type Mutation, mutations } from "./list.js"

/** The interpreter of the rules that a mutation is tried in. */
export type Side = "turn" | "checker"

/** The state that the modules and the test runner share. */
export interface Mutating {
  readonly side: Side
  /** The number of the mutation that is on; 0 if none is. */
  on: number
  /** The rules that were called as they are written, such as `choose.ts scan`. */
  readonly called: Set<string>
  /** Calls that are left before the rules count as going round for ever. */
  left: number
}

/** A file with mutations as it is written, and with each of them. */
export interface Variants {
  readonly original: object
  readonly mutated: Readonly<Record<number, object>>
}

/** Thrown by rules that go round for ever; a test cannot catch it by mistake, because it is thrown again by the next call. */
export class Endless extends Error {}

/** The interpreter whose acts these are, if they are acts. */
const sideOf = (acts: unknown): Side | undefined =>
  typeof acts !== "object" || acts === null
    ? undefined
    : "walker" in acts
    ? "checker"
    : "turn" in acts
    ? "turn"
    : undefined

/** The original or the mutated file, for a call with these acts. */
export const variantOf = ({ mutated, original }: Variants, acts: unknown): object => {
  const state = globalThis.mutating
  if (state === undefined || sideOf(acts) !== state.side) return original
  if (state.on === 0) return original
  if (--state.left < 0) throw new Endless("the rules go round for ever")
  return mutated[state.on] ?? original
}

declare global {
  var mutating: Mutating | undefined
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = path.join(root, "src/domain/walk")

const sourceOf = (file: string): string => fs.readFileSync(path.join(folder, file), "utf8")

const exported = (source: string): ReadonlyArray<string> =>
  Array.from(source.matchAll(/^export (?:const|function\*?) (\w+)/gm), ([, name]) => name!)

/** The module that stands in for a file. */
const dispatching = (file: string): string => {
  const own = mutations.flatMap((one, i) => one.file === file ? [i + 1] : [])
  return [
    `import { variantOf } from ${JSON.stringify(fileURLToPath(import.meta.url))}`,
    `import * as original from "./${file}?mutation=0"`,
    ...own.map((n) => `import * as mutated${n} from "./${file}?mutation=${n}"`),
    `const all = { original, mutated: { ${own.map((n) => `${n}: mutated${n}`).join(", ")} } }`,
    ...exported(sourceOf(file)).map((name) =>
      `export const ${name} = (...args) => variantOf(all, args[0]).${name}(...args)`
    )
  ].join("\n")
}

/** The beginning of a rule, up to its body. */
const head = /^(?:export )?function\* (\w+)[^]*? \{$/gm

/** The rule that a mutation breaks, in the form of `Mutating.called`; undefined if it is in a plain function. */
export const ruleOf = ({ file, text }: Mutation): string | undefined => {
  const before = sourceOf(file).split(text)[0]!
  const last = Array.from(before.matchAll(head)).at(-1)
  return last === undefined || before.slice(last.index).includes("\n}\n") ? undefined : `${file} ${last[1]}`
}

/** The file as it is written, with a note of each rule that is called. */
const noting = (file: string): string =>
  sourceOf(file).replaceAll(
    head,
    (start, name: string) => `${start} globalThis.mutating?.called.add("${file} ${name}");`
  )

/** The file with a mutation. */
const mutated = (file: string, number: number): string => {
  const mutation = mutations[number - 1]
  return mutation === undefined ? noting(file) : sourceOf(file).replace(mutation.text, () => mutation.by)
}

/** Puts the mutations into the modules that tests load. */
export const plugin = (): Plugin => ({
  name: "mutations",
  enforce: "pre",
  load(id) {
    const [at = "", query] = id.split("?")
    const file = path.basename(at)
    if (path.dirname(at) !== folder || !mutations.some((one) => one.file === file)) return undefined
    const number = /^mutation=(\d+)$/.exec(query ?? "")?.[1]
    return number === undefined ? dispatching(file) : mutated(file, Number(number))
  }
})
