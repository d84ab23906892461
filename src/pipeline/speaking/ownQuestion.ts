/** The library's own question to the user before a call: the title of the tool, and the values. */
import * as Predicate from "effect/Predicate"
import { recordOf } from "../../domain/base/Json.js"
import type { CompiledTool } from "../../domain/definition/Definition.js"
import * as Locale from "../../domain/language/Locale.js"
import { inOneLine, shownValue, type Spoken } from "../../domain/language/phrases/shownValue.js"

/** Returns the name of a tool for people; undefined if it has none. Its id is for models. */
export const titleOf = ({ description, title }: CompiledTool, { locale }: Spoken): string | undefined => {
  const own = typeof title === "object" ? Locale.pick({ context: { locale } }, title) : title
  const text = own ?? description
  return text === undefined || text.trim() === "" ? undefined : inOneLine(text)
}

/** Returns the name of an argument for people. A name that the tool does not declare may be untrusted text. */
export const labelOf = (
  { arguments: declared, jsonSchema, parameters }: CompiledTool,
  name: string,
  spoken: Spoken
): string =>
  (declared.get(name) ?? parameters.get(name))?.label ??
    (Object.hasOwn(recordOf(recordOf(jsonSchema).properties), name) ? name : shownValue(name, spoken))

/** Returns all arguments with their values. `noteOf` is what follows the value of an argument. */
const valuesOf = (spoken: Spoken, tool: CompiledTool, args: unknown, noteOf: (name: string) => string): string =>
  !Predicate.isRecord(args) ?
    shownValue(args, spoken) :
    Object.entries(args).flatMap(([name, value]) =>
      value === undefined || value === null
        ? []
        : [`${labelOf(tool, name, spoken)}: ${shownValue(value, spoken)}${noteOf(name)}`]
    ).join("; ")

/** Returns the question in the user's language, with all values of the call. */
export const ownQuestion = (
  spoken: Spoken,
  tool: CompiledTool,
  args: unknown,
  noteOf: (name: string) => string = () => ""
): string => {
  const values = valuesOf(spoken, tool, args, noteOf)
  const what = [titleOf(tool, spoken), values].filter((one) => one !== undefined && one !== "").join(". ")
  return [spoken.phrases.ask, ...(what === "" ? [] : [/[.!?]$/.test(what) ? what : `${what}.`])].join(" ")
}
