/** The library's own question to the user before a call: the title of the tool, the values, and their origins. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { recordOf } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledTool } from "../../domain/definition/Definition.js"
import * as Locale from "../../domain/language/Locale.js"
import { filled } from "../../domain/language/phrases/Phrases.js"
import { inOneLine, shownValue, type Spoken } from "../../domain/language/phrases/shownValue.js"
import type { Unaccepted } from "../../domain/origin/accept.js"
import type { Origin } from "../../domain/origin/Origin.js"
import type { Opened } from "../state/TurnState.js"
import { ofStrangers } from "./fields.js"
import { phrasesFor } from "./phrases.js"

/** Returns the name of a tool for people; undefined if it has none. Its id is for models. */
export const titleOf = ({ description, title }: CompiledTool, { locale }: Spoken): string | undefined => {
  const own = typeof title === "object" ? Locale.pick({ context: { locale } }, title) : title
  const text = own ?? description
  return text === undefined || text.trim() === "" ? undefined : inOneLine(text)
}

/** Returns the tool of this id, wherever the definition has it. */
const toolNamed = ({ reply, runtime: { definition } }: Opened, id: string): CompiledTool | undefined =>
  [
    ...reply.injectTools,
    ...definition.flows.flatMap(({ steps, tools }) => [
      ...tools,
      ...steps.flatMap(({ call, tools }) => call === undefined ? tools : [call.tool])
    ]),
    ...definition.tools
  ].findLast((tool) => tool.id === id)

/** Returns where a value is from, in words. */
const fromWhere = (turn: Opened, origin: Origin, spoken: Spoken): string => {
  const { from, named } = spoken.phrases
  if (origin.kind === "tool") {
    const tool = toolNamed(turn, origin.tool)
    const title = tool && titleOf(tool, spoken)
    return title === undefined ? from.tool : filled(named.tool, shownValue(title, spoken))
  }
  return origin.kind === "document" && origin.name !== undefined
    ? filled(named.document, shownValue(origin.name, spoken))
    : from[origin.kind]
}

/** Returns the origins of a value in words, without repetitions. */
export const fromAll = (turn: Opened, origins: ReadonlyArray<Origin>, spoken: Spoken): string =>
  Array.from(new Set(origins.map((one) => fromWhere(turn, one, spoken)))).slice(0, 3).join(", ")

/** Returns a sentence about the given fields whose values come only from untrusted text: it names their origins. */
export const noticeOf = (turn: Opened, fields: ReadonlyArray<string>): Effect.Effect<string> => {
  const { session } = turn.state
  const shown = ofStrangers(turn, session).filter((name) => fields.includes(name))
  if (shown.length === 0) return Effect.succeed("")
  return Effect.map(phrasesFor(turn), (spoken) =>
    shown.map((name) => {
      const label = turn.runtime.definition.fields.get(name)?.label ?? name
      return ` (${label}: ${fromAll(turn, ownValue(session.origins!.fields, name)!, spoken)})`
    }).join(""))
}

/** Returns the name of an argument for people. A name that the tool does not declare may be untrusted text. */
const labelOf = ({ arguments: declared, jsonSchema, parameters }: CompiledTool, name: string, spoken: Spoken): string =>
  (declared.get(name) ?? parameters.get(name))?.label ??
    (Object.hasOwn(recordOf(recordOf(jsonSchema).properties), name) ? name : shownValue(name, spoken))

/** The parts of a question. */
interface Asked {
  readonly tool: CompiledTool
  /** The arguments as the model gave them. */
  readonly params: Readonly<Record<string, unknown>>
  /** The arguments as the handler will get them. */
  readonly args: unknown
  readonly refused: ReadonlyArray<Unaccepted>
}

/** Returns the arguments of which the question tells the origins, each with its value. */
const told = (turn: Opened, { args, params, refused, tool }: Asked, spoken: Spoken): ReadonlyArray<string> =>
  refused.map(({ argument, origins }) => {
    if (argument === "") return spoken.phrases.nothing
    const name = tool.arguments.get(argument)?.name ?? argument
    const value = Predicate.isRecord(args) && Object.hasOwn(args, name) ? args[name] : params[argument]
    const from = fromAll(turn, origins, spoken)
    return `${labelOf(tool, argument, spoken)}: ${shownValue(value, spoken)} (${from}).`
  })

/** Returns all arguments with their values, and the origins of those that are not accepted. */
const all = (turn: Opened, { args, refused, tool }: Asked, spoken: Spoken): string => {
  if (!Predicate.isRecord(args)) return shownValue(args, spoken)
  return Object.entries(args).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    const unaccepted = refused.find(({ argument }) => (tool.arguments.get(argument)?.name ?? argument) === name)
    const from = unaccepted === undefined ? "" : ` (${fromAll(turn, unaccepted.origins, spoken)})`
    return [`${labelOf(tool, name, spoken)}: ${shownValue(value, spoken)}${from}`]
  }).join("; ")
}

/**
 * Returns the question before a call. The tool's own question is followed by the values whose origins are not accepted;
 * without one, the library asks in the user's language, and names all values.
 */
export const questionBefore = (turn: Opened, asked: Asked, own: string | undefined): Effect.Effect<string> =>
  Effect.map(phrasesFor(turn), (spoken) => {
    if (own !== undefined) return [own, ...told(turn, asked, spoken)].join(" ")
    const values = all(turn, asked, spoken)
    const what = [titleOf(asked.tool, spoken), values].filter((one) => one !== undefined && one !== "").join(". ")
    const nothing = asked.refused.some(({ argument }) => argument === "") ? [spoken.phrases.nothing] : []
    return [spoken.phrases.ask, ...(what === "" ? [] : [/[.!?]$/.test(what) ? what : `${what}.`]), ...nothing].join(" ")
  })
