/** The part of a directive that is stored, journaled and recorded. */
import { write } from "../fields/Fields.js"
import * as Directive from "./Directive.js"
import { isPlain } from "./DirectiveShape.js"
import * as Timer from "./Timer.js"

/**
 * Returns the serializable part of a directive: leaves out code, and the fields that only `PreDirective` has. A field
 * written as `undefined` is named in `clear` instead.
 */
export const storable = (directive: Directive.SignalDirective): Directive.Directive => {
  const { appendPrompt: _a, clear, halt: _h, injectTools: _i, replyWith: _r, stopOtherSignals: _s, ...rest } = directive
  const unset = Object.entries(Directive.dataOf(directive)).flatMap(([name, value]) =>
    value === undefined ? [name] : []
  )
  const cleared = unset.length === 0 ? clear : Directive.joinCleared(clear ?? [], unset)
  return Object.fromEntries(
    Object.entries(write({}, { ...rest, clear: cleared })).map(([key, value]) => [key, storablePart(key, value)])
  )
}

const storablePart = (key: string, part: unknown): unknown => {
  if (key === "schedule") return Timer.storable(part)
  if (!isPlain(part)) return part
  const inner = (value: Record<string, unknown>) =>
    key === "complete" ? storable(value) : key.startsWith("goTo") ? write({}, value) : value
  return Object.fromEntries(
    Object.entries(write({}, part)).map(([name, value]) => [name, isPlain(value) ? inner(value) : value])
  )
}
