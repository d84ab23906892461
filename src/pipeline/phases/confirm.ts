/**
 * Phase 6, before the walk: handles the user's answer to the question about a waiting call. A yes runs the call through
 * its checks, and a no ends it. If the answer changes arguments, the user is asked again. After any other message the
 * call still waits; the question is repeated after a reply at the position of the call.
 */
import * as DateTime from "effect/DateTime"
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
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledTool } from "../../domain/definition/Definition.js"
import type { Field } from "../../domain/fields/Fields.js"
import * as Answers from "../../domain/language/consent/Answers.js"
import type { Reason } from "../../domain/language/consent/ConsentLanguage.js"
import { agreement as yes } from "../../domain/session/ReadBack.js"
import { openRequests, type PendingApproval } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import { closeSuspended } from "../flow/closeSuspended.js"
import {
  askedRequest,
  askUser,
  consentOf,
  isAlive,
  isAsking,
  isForUser,
  isHere,
  placeOf,
  toolOf,
  waitingHere
} from "../speaking/question.js"
import { contextBefore, contextOf } from "../state/callbacks.js"
import type { Verdict } from "../state/parts/AnswerState.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { end, isAnswered, note, setSession, trace } from "../state/TurnState.js"
import { accept, readingBack } from "../walk/readBack.js"
import { continueCall } from "./restore.js"

type Request = PendingApproval["requests"][number]

const no = "confirm.no"
const named = (toolId: string, parameter: string) => `${toolId}.${parameter}`

type FieldQuestions = Understanding.Questions["fields"]

/**
 * Finds the field of which an argument is the value, among those about which the message is asked: the field has the same
 * name and value or, in a call of the flow, is the only one with the value. Its correction changes the argument too.
 */
const fieldOf = (
  turn: Opened,
  { byFlow }: PendingApproval,
  { params }: Request,
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

/**
 * Returns the questions for a message that may answer the question about a waiting call: whether the user agrees, and
 * whether the message changes an argument. `asked` are the questions about data: an argument that is the value of one of
 * these fields has no question of its own.
 */
export const questionsOf = (
  turn: Opened,
  asked: FieldQuestions
): Pick<Understanding.Questions, "fields" | "conditions"> => {
  if (!isAsking(turn)) return { fields: [], conditions: [] }
  const request = askedRequest(turn)
  const pending = waitingHere(turn)
  const tool = request && pending && toolOf(turn, pending, request.toolId)
  const field = request && pending && fieldOf(turn, pending, request, asked)
  return {
    fields: request === undefined ?
      [] :
      Array.from(tool?.parameters.values() ?? []).filter(({ name }) => field?.(name) === undefined).map((
        { description, name, schema }
      ) => ({
        name: named(request.toolId, name),
        schema,
        description: `${description ?? name}, of what the user was asked to confirm; only if the user changes it`,
        known: true,
        asked: false
      })),
    conditions: [
      { id: yes, when: ["yes", "the user agrees to what was just asked, without any change or condition"] },
      { id: no, when: ["no", "the user does not want what was just asked"] }
    ]
  }
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
  const request = isAsking(turn) ? askedRequest(turn) : undefined
  const pending = request && waitingHere(turn)
  if (request === undefined || pending === undefined) return answers
  const field = fieldOf(turn, pending, request, asked)
  const prefix = named(request.toolId, "")
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
 * Derives the user's verdict on the waiting call from the answers. A message that changes an argument is never a yes. A
 * message in which code recognises a no is a no.
 */
export const judge = (turn: Opened, { conditions, fields }: Understanding.Answers): void => {
  const request = askedRequest(turn)
  const pending = waitingHere(turn)
  const consent = consentOf(turn)
  if (consent === undefined) return
  const { corrected } = turn.state.record
  const tool = request && pending && toolOf(turn, pending, request.toolId)
  const verdict = verdictOf(request === undefined ? {} : changesOf(tool, request, fields, corrected), {
    agrees: conditions[yes] === true,
    refuses: conditions[no] === true || Answers.answerOf(turn.message, consent) === "no",
    isOther: Object.keys(corrected).length > 0
  })
  const objection = verdict === "yes" ? objectionOf(turn, consent, tool) : undefined
  if (objection !== undefined) refuse(turn, objection)
  else if (verdict !== undefined) turn.answer.verdict = verdict
}

/**
 * Returns why a message is not accepted as a yes although the model judged it as one; a yes that code recognised is
 * always accepted.
 */
const objectionOf = (turn: Opened, asked: Answers.Asked, tool: CompiledTool | undefined): Reason | undefined => {
  const consent = tool === undefined ? readingBack(turn)?.consent : tool.consent
  // After the question which value is wrong, a yes answers nothing.
  const isOpen = consent === "plain" || turn.state.session.currentStep?.confirming === "which"
  return Answers.objectionTo(turn.message, asked) ?? (isOpen ? "silent" : undefined)
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

/**
 * Returns the arguments of the flow's own call that a corrected value changes. Calls of the model have their arguments of
 * the model.
 */
const correctedIn = Effect.fnUntraced(function*(turn: Opened) {
  const pending = waitingHere(turn)
  const call = pending?.byFlow === true ? placeOf(turn, pending.at).step?.call : undefined
  if (call === undefined || Object.keys(turn.state.record.corrected).length === 0) return {}
  const before = recordOf(yield* call.params(contextBefore(turn)))
  const now = yield* call.params(contextOf(turn))
  return !isJsonObject(now) ? {} : Object.fromEntries(
    Object.entries(now).filter(([name, value]) => canonical(value) !== canonical(toJson(before[name])))
  )
})

/** Returns the user's verdict on the waiting call; a message that corrects one of its arguments changes the call. */
const verdictNow = (turn: Opened): Effect.Effect<Verdict | undefined, Failure> =>
  Effect.map(correctedIn(turn), (changes) => {
    const { verdict } = turn.answer
    return Object.keys(changes).length === 0
      ? verdict
      : { changes: { ...changes, ...(typeof verdict === "object" && verdict.changes) } }
  })

/** Carries out the user's verdict, unless the message has moved the conversation or already has a reply. */
export const confirm = Effect.fnUntraced(function*(turn: Opened) {
  const { pendingApproval } = turn.state.session
  if (isAnswered(turn)) return turn
  const verdict = yield* verdictNow(turn)
  if (verdict === undefined) return turn
  const step = readingBack(turn)
  if (step !== undefined && verdict === "yes") accept(turn, step)
  const pending = waitingHere(turn)
  // The message said no and also moved the conversation: the call is cancelled, and the user is not asked again.
  if (pending === undefined) {
    return verdict === "no" && pendingApproval?.asking !== undefined ? closeSuspended(turn, "the user said no") : turn
  }
  yield* carryOut(turn, pending, verdict)
  return turn
})

const carryOut = Effect.fnUntraced(
  function*(turn: Opened, pending: PendingApproval, verdict: Verdict) {
    const request = askedRequest(turn)
    if (request === undefined) return
    if (typeof verdict === "object") yield* change(turn, pending, request, verdict.changes)
    // The call was approved earlier, but the process that should run it died: the decision still holds.
    else if (pending.claim !== undefined) yield* continueCall(turn, pending)
    else yield* decide(turn, pending, request, verdict)
  }
)

const decide = (
  turn: Opened,
  pending: PendingApproval,
  { expiresAt, id }: Request,
  verdict: "yes" | "no"
): Effect.Effect<void, Failure> => {
  const by = turn.input.principal?.userId ?? turn.stored.userId
  const isOver = expiresAt !== undefined && !DateTime.lessThan(turn.now, expiresAt)
  const answer = verdict === "no"
    ? { approved: false, reason: "the user said no" }
    : isOver
    ? { approved: false, reason: `the user agreed after the question had expired at ${DateTime.formatIso(expiresAt)}` }
    : { approved: true }
  const decision = { id, ...answer, via: "user" as const, ...(by !== undefined && { by }), decidedAt: turn.now }
  return continueCall(turn, { ...pending, decisions: [...pending.decisions, decision] })
}

/** Changes the arguments of the call and removes the approval request for the old ones. */
const change = (
  turn: Opened,
  { asking: _, ...pending }: PendingApproval,
  { callId, id, params }: Request,
  changes: JsonObject
): Effect.Effect<void, Failure> =>
  continueCall(
    turn,
    {
      ...pending,
      requests: pending.requests.filter((one) => one.id !== id),
      transcript: pending.transcript.map((stored) =>
        Either.match(Transcript.decode(stored), {
          onLeft: () => stored,
          onRight: (message) =>
            Transcript.encode(
              Transcript.withParams(message, callId, { ...(isJsonObject(params) && params), ...changes })
            )
        })
      )
    },
    callId
  )

/**
 * After the reply: if the conversation is at the position of a waiting call, repeats the question. If the conversation
 * cannot return to that position, cancels the call.
 */
export const remind = Effect.fnUntraced(function*(turn: Opened) {
  const { ending, session: { pendingApproval: waits } } = turn.state
  if (waits === undefined || ending._tag === "Waiting" || turn.input._tag !== "Message") return
  if (!isForUser(waits)) return
  if (!isAlive(turn, waits)) return void closeSuspended(turn, "the conversation has left what it was for")
  const { asking: _, ...pending } = waits
  setSession(turn, { pendingApproval: pending })
  if (ending._tag !== "Spoken" || !isHere(turn, pending)) return
  for (const request of openRequests(pending)) note(turn, { _tag: "ApprovalRequested", request })
  end(turn, { _tag: "Waiting", approval: yield* askUser(turn, pending) })
})
