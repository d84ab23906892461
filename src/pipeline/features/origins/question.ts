/** Tells the user the origins of values, in questions. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { CompiledTool } from "../../../domain/definition/Definition.js"
import { filled } from "../../../domain/language/phrases/Phrases.js"
import { shownValue, type Spoken } from "../../../domain/language/phrases/shownValue.js"
import type { Unaccepted } from "../../../domain/origin/accept.js"
import type { Origin } from "../../../domain/origin/Origin.js"
import { labelOf, ownQuestion, titleOf } from "../../speaking/ownQuestion.js"
import { phrasesFor } from "../../speaking/phrases.js"
import type { Opened } from "../../state/TurnState.js"
import { ofStrangers } from "./fields.js"

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

/**
 * Returns the question before a call. The tool's own question is followed by the values whose origins are not accepted;
 * without one, the library asks in the user's language, and names all values.
 */
export const questionBefore = (turn: Opened, asked: Asked, own: string | undefined): Effect.Effect<string> =>
  Effect.map(phrasesFor(turn), (spoken) => {
    if (own !== undefined) return [own, ...told(turn, asked, spoken)].join(" ")
    const { args, refused, tool } = asked
    const nothing = refused.some(({ argument }) => argument === "") ? [spoken.phrases.nothing] : []
    const question = ownQuestion(spoken, tool, args, (name) => {
      const unaccepted = refused.find(({ argument }) => (tool.arguments.get(argument)?.name ?? argument) === name)
      return unaccepted === undefined ? "" : ` (${fromAll(turn, unaccepted.origins, spoken)})`
    })
    return [question, ...nothing].join(" ")
  })
