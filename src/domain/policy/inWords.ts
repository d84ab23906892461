/** Policies in words, for the model and for people. */
import type { Called, Condition, Ref } from "./Policy.js"
import { sinceOf } from "./reads.js"

/** Returns a reference in words, as a part of a sentence. */
export const refInWords = (ref: Ref): string => {
  if ("value" in ref) return JSON.stringify(ref.value)
  if ("argument" in ref) return `this call's ${ref.argument}`
  if ("field" in ref) return (ref.path === undefined ? "" : `${ref.path} of `) + `the field ${ref.field}`
  if ("now" in ref) return "the time"
  if ("calc" in ref) return `(${refInWords(ref.calc[0])} ${ref.calc[1]} ${refInWords(ref.calc[2])})`
  if ("between" in ref) return `the ${ref.unit} from ${refInWords(ref.between[0])} to ${refInWords(ref.between[1])}`
  const given = equalities(ref.with)
  return (ref.path === undefined ? "" : `${ref.path} of `) + `the result of "${ref.result}"` +
    (given.length === 0 ? "" : ` with ${given.join(" and ")}`) + sinceInWords(ref)
}

const sinceInWords = (one: Pick<Called, "since">): string => {
  const tools = sinceOf(one).map((tool) => `"${tool}"`)
  return tools.length === 0 ? "" : `, after the last ${tools.join(" and ")}`
}

const equalities = (refs: Readonly<Record<string, Ref>> = {}): ReadonlyArray<string> =>
  Object.entries(refs).map(([name, ref]) => `${name === "" ? "it" : name} = ${refInWords(ref)}`)

const calledInWords = ({ called, result, with: args, ...time }: Called): string => {
  const given = equalities(args)
  const gave = equalities(result)
  return `"${called}" was called` +
    (given.length === 0 ? "" : ` with ${given.join(" and ")}`) +
    (gave.length === 0 ? "" : `, with a result where ${gave.join(" and ")}`) +
    sinceInWords(time)
}

const comparisons = {
  "==": "equals",
  "!=": "differs from",
  "<": "is less than",
  "<=": "is at most",
  ">": "is more than",
  ">=": "is at least",
  in: "is one of"
}

const joined = (parts: ReadonlyArray<Condition>, by: string): string =>
  parts.map((part) => "all" in part || "any" in part ? `(${inWords(part)})` : inWords(part)).join(` ${by} `)

/** Returns a condition as the end of a sentence that begins with "only if". */
export const inWords = (condition: Condition): string => {
  if ("called" in condition) return calledInWords(condition)
  if ("compare" in condition) {
    const [left, by, right] = condition.compare
    return `${refInWords(left)} ${comparisons[by]} ${refInWords(right)}`
  }
  if ("all" in condition) return joined(condition.all, "and")
  if ("any" in condition) return joined(condition.any, "or")
  if ("not" in condition) return `it is not so that ${inWords(condition.not)}`
  if ("holds" in condition) {
    const values = equalities(condition.of)
    return `${condition.holds} holds${values.length === 0 ? "" : ` for ${values.join(" and ")}`}`
  }
  return condition.inOrder.map(calledInWords).join(", then ")
}
