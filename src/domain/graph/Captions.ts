/**
 * Makes the labels that a graph shows for the parts of a definition. A label shows a condition in words, or the source
 * of its code.
 */
import * as Predicate from "effect/Predicate"
import type { Written } from "../authored/Callback.js"
import * as Source from "../check/shape/Source.js"
import * as SourceText from "../code/SourceText.js"
import { listOf } from "../definition/Definition.js"
import type { Rec } from "../definition/validation/CheckParts.js"
import * as When from "../definition/When.js"

/** The conditions in words of a part, without code. */
export const words = ({ when }: Rec): ReadonlyArray<string> =>
  When.told(When.read(when as Written<unknown>).words.filter(Predicate.isString))

export const conditions = ({ if: given, when }: Rec): ReadonlyArray<string> =>
  codes([...listOf(given), ...When.read(when as Written<unknown>).code])

/** The sources of predicates, or their names in a definition apart from its code. */
export const codes = (given: unknown): ReadonlyArray<string> =>
  listOf(given).flatMap((one) => {
    if (typeof one === "function") return [code(one)]
    return Predicate.hasProperty(one, "predicate") && Predicate.isString(one.predicate) ? [one.predicate] : []
  })

const bodyOf = (run: unknown): string =>
  /=>\s*(?:\{\s*return\s+)?(.*?);?\s*\}?$/.exec(String(run).replace(/\s+/g, " "))?.[1] ?? ""

/** Puts spaces around operators, which some compilers leave out. */
const spaced = (code: string): string =>
  code.replace(/ ?(=>|[!=]==?|[<>]=?|&&|\|\||\?\?) ?/g, " $1 ").replace(/,(?=\S)/g, ", ")

/** Returns the source of a predicate if it is short; otherwise "code says so". */
const code = (run: unknown): string => {
  const body = (typeof run === "function" ? SourceText.written(run) : undefined)?.replace(/\s+/g, " ") ?? bodyOf(run)
  const said = body.includes("{") ? "" : spaced(body.replaceAll("void 0", "undefined").replace(/\bdata\./g, ""))
  return said !== "" && said.length <= 48 ? said : "code says so"
}

/** True if a step never finishes by itself, because of `neverCompletes` or `until: () => false`. */
export const doesStay = (step: Rec): boolean =>
  step.neverCompletes === true ||
  (typeof step.until === "function" && /=>\s*(?:false|!1)$/.test(Source.of(step.until).code.trim()))

/** The condition of a branch. */
export const labelOf = (branch: Rec): string => {
  const when = words(branch)
  return [
    ...(when.length > 0 ? [when.join(" or ")] : []),
    ...conditions(branch).map((one) => `if ${one}`)
  ].join(", ")
}
