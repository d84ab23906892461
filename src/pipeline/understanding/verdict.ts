/**
 * Understands the message as the answer to a yes-or-no question of the agent: whether a call is to be made, or whether the
 * values that a step has read back are right. What follows from the answer is not decided here.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import {
  canonical,
  isJson,
  isJsonObject,
  type Json,
  type JsonObject,
  recordOf,
  toJson
} from "../../domain/base/Json.js"
import * as Later from "../../domain/base/Later.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledTool } from "../../domain/definition/Definition.js"
import type { Field } from "../../domain/fields/Fields.js"
import type { Reason } from "../../domain/language/consent/ConsentLanguage.js"
import type { Asked } from "../../domain/language/consent/ConsentOptions.js"
import type * as Recognition from "../../domain/language/consent/Recognition.js"
import { agreement as yes } from "../../domain/session/ReadBack.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import { type AskedCall, askedCall, isForUser, isGone, toolOf } from "../speaking/question.js"
import type { Verdict } from "../state/parts/AnswerState.js"
import { type Request, suspendedKey } from "../state/parts/SuspendedTurn.js"
import type { Opened } from "../state/TurnState.js"
import { trace } from "../state/TurnState.js"
import { branchesHere } from "../walk/conditions.js"
import { readingBack } from "../walk/readBack.js"

const no = "confirm.no"
const named = (toolId: string, parameter: string) => `${toolId}.${parameter}`

/** Recognises answers. Bundlers write it to a separate file, because it has the phrases of all languages. */
const recognition = Later.make(() => import("../../domain/language/consent/Recognition.js"))

/** Loads the recognition of answers, then runs; has no effect if the agent has not asked a question. */
const ifAsking = (
  turn: Opened,
  run: (recognition: typeof Recognition, asked: Asked) => void
): Effect.Effect<void> => {
  const call = askedCall(turn)
  if (call === undefined && readingBack(turn) === undefined) return Effect.void
  return Effect.map(recognition.load, (found) => {
    turn.answer.recognition = found
    const question = call?.request.question ??
      Transcript.textOf(turn.history.findLast(({ role }) => role === "assistant"))
    run(found, { ...turn.runtime.definition.consent, question })
  })
}

/**
 * True if a message such as "forget it" may mean more than that the values are wrong: the definition has other flows or
 * branches with `when`, and the model judges the message for them. Code still recognises a no in the message.
 */
const mayLeave = (turn: Opened, { bareAnswer }: typeof Recognition): boolean =>
  readingBack(turn) !== undefined && bareAnswer(turn.message) !== "no" &&
  (turn.runtime.definition.flows.length > 1 || branchesHere(turn).some(({ when }) => when.length > 0))

/** Recognises a plain yes or no without the model. */
const hear = (turn: Opened): Effect.Effect<void> =>
  ifAsking(turn, (recognition, asked) => {
    const verdict = recognition.answerOf(turn.message, asked)
    if (verdict === undefined || (verdict === "no" && mayLeave(turn, recognition))) return
    const isReadBack = readingBack(turn) !== undefined
    // After the question which value is wrong, a plain yes is no answer, so the values count as refused.
    const isWhich = isReadBack && turn.state.session.currentStep?.confirming === "which"
    turn.answer.verdict = isWhich ? "no" : verdict
    turn.routing.messageConsumed = true
  })

/**
 * True if the call that waits for the user's decision still waits, so that this message may answer the question about
 * it. If the process that should run a decided call died, the call runs only after a message that answers the
 * question.
 */
export const isOpenFor = (turn: Opened, moved: boolean): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const suspended = turn.state.session[suspendedKey]
    const isElsewhere = moved || turn.state.session.pendingDirective !== undefined
    const isClosed = suspended !== undefined && (!isForUser(suspended) || isGone(turn, suspended))
    if (isElsewhere || isClosed) return Effect.succeed(false)
    return Effect.map(hear(turn), () => suspended?.claim === undefined || turn.answer.verdict !== undefined)
  })

type FieldQuestions = Understanding.Questions["fields"]

/**
 * Finds the field of which an argument is the value, among those about which the message is asked: the field has the same
 * name and value or, in a call of the flow, is the only one with the value. Its correction changes the argument too.
 */
const fieldOf = (
  turn: Opened,
  { request: { params }, suspended: { byFlow } }: AskedCall,
  asked: FieldQuestions
): (argument: string) => string | undefined => {
  const { data } = turn.state.session
  const args = recordOf(params)
  const known = asked.flatMap(({ known, name }) =>
    known ? [[name, canonical(toJson(ownValue(data, name)))] as const] : []
  )
  return (argument) => {
    const value = ownValue(args, argument)
    if (value === undefined) return undefined
    const same = known.filter(([, one]) => one === canonical(toJson(value))).map(([field]) => field)
    if (same.includes(argument)) return argument
    return byFlow === true && same.length === 1 && typeof value !== "boolean" ? same[0] : undefined
  }
}

const toolIn = (turn: Opened, { request, suspended }: AskedCall): CompiledTool | undefined =>
  toolOf(turn, suspended, request.toolId)

/**
 * Adds the questions for a message that may answer the agent's question: whether the user agrees, and whether the
 * message changes an argument of the call. An argument that is the value of a field in the questions has no question of
 * its own.
 */
export const withQuestions = (turn: Opened, questions: Understanding.Questions): Understanding.Questions => {
  const call = askedCall(turn)
  if (call === undefined && readingBack(turn) === undefined) return questions
  return {
    ...questions,
    fields: call === undefined ? questions.fields : [...questions.fields, ...argumentsOf(turn, call, questions.fields)],
    conditions: [
      ...questions.conditions,
      { id: yes, when: ["yes", "the user agrees to what was just asked, without any change or condition"] },
      { id: no, when: ["no", "the user does not want what was just asked"] }
    ]
  }
}

const argumentsOf = (turn: Opened, call: AskedCall, asked: FieldQuestions): FieldQuestions => {
  const field = fieldOf(turn, call, asked)
  return Array.from(toolIn(turn, call)?.parameters.values() ?? []).filter(({ name }) => field(name) === undefined).map((
    { description, name, schema }
  ) => ({
    name: named(call.request.toolId, name),
    schema,
    description: `${description ?? name}, of what the user was asked to confirm; only if the user changes it`,
    known: true,
    asked: false
  }))
}

/**
 * The answers about data, without the answers about the call. The value of an argument that has no question of its own, as
 * a script may give it, is that of its field.
 */
export const withoutCall = (
  turn: Opened,
  asked: FieldQuestions,
  answers: Understanding.Answers
): Understanding.Answers => {
  const call = askedCall(turn)
  if (call === undefined) return answers
  const field = fieldOf(turn, call, asked)
  const prefix = named(call.request.toolId, "")
  const isOfCall = (name: string) => name.startsWith(prefix)
  return {
    ...answers,
    fields: Object.fromEntries(
      Object.entries(answers.fields).flatMap(([name, value]) => {
        const own = isOfCall(name) ? field(name.slice(prefix.length)) : name
        return own === undefined ? [] : [[own, value]]
      })
    ),
    withdrawn: (answers.withdrawn ?? []).filter((name) => !isOfCall(name))
  }
}

/**
 * Derives the user's verdict from the answers. A message that changes an argument is never a yes. A message in which code
 * recognises a no is a no.
 */
export const judge = (turn: Opened, { conditions, fields }: Understanding.Answers): Effect.Effect<void> =>
  ifAsking(turn, (recognition, asked) => {
    const call = askedCall(turn)
    const tool = call && toolIn(turn, call)
    const { corrected } = turn.state.record
    const verdict = verdictOf(call === undefined ? {} : changesOf(tool, call.request, fields, corrected), {
      agrees: conditions[yes] === true,
      refuses: conditions[no] === true || recognition.answerOf(turn.message, asked) === "no",
      isOther: Object.keys(corrected).length > 0
    })
    // A yes that code recognises is always accepted.
    const objection = verdict === "yes"
      ? recognition.objectionTo(turn.message, asked) ?? objectionOf(turn, tool)
      : undefined
    if (objection !== undefined) refuse(turn, objection)
    else if (verdict !== undefined) turn.answer.verdict = verdict
  })

/** Returns why a yes that only the model judges is not accepted; undefined if it is. */
const objectionOf = (turn: Opened, tool: CompiledTool | undefined): Reason | undefined => {
  const consent = tool === undefined ? readingBack(turn)?.consent : tool.consent
  // After the question which value is wrong, a yes answers nothing.
  return consent === "plain" || turn.state.session.currentStep?.confirming === "which" ? "silent" : undefined
}

/** Lets the call wait on, and tells the speaking model that the message was not accepted as a yes. */
const refuse = (turn: Opened, reason: Reason): void => {
  trace(turn, "consent_refused", yes, reason)
  turn.answer.unclear = reason
  turn.reply.appendPrompt = [
    ...turn.reply.appendPrompt,
    "The user's message is not taken as a yes to what was asked last: nothing has been done. The question is asked again " +
    "after your words. Answer only what else the message says; do not say that anything is done, and do not repeat the question"
  ]
}

/** Returns the arguments that the message changes. A corrected data field with the parameter's name counts as well. */
const changesOf = (
  tool: CompiledTool | undefined,
  { params, toolId }: Request,
  fields: Understanding.Answers["fields"],
  corrected: object
): JsonObject => {
  const before: JsonObject = isJsonObject(params) ? params : {}
  const isChange = (decode: Field["decode"], name: string, given: unknown): given is Json =>
    isJson(given) && given !== null && canonical(given) !== canonical(ownValue(before, name) ?? null) &&
    Either.isRight(decode(given))
  return Object.fromEntries(
    Array.from(tool?.parameters.values() ?? []).flatMap(({ decode, name }) => {
      const given = ownValue(fields, named(toolId, name)) ?? (Object.hasOwn(corrected, name) ? fields[name] : undefined)
      return isChange(decode, name, given) ? [[name, given] as const] : []
    })
  )
}

const verdictOf = (
  changes: JsonObject,
  { agrees, isOther, refuses }: { readonly agrees: boolean; readonly refuses: boolean; readonly isOther: boolean }
): Verdict | undefined => {
  if (Object.keys(changes).length > 0) return { changes }
  if (agrees === refuses) return undefined
  if (isOther) return undefined
  return refuses ? "no" : "yes"
}
