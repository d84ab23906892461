/** The routes of turns: begin, follow, join again, stop, and decide a waiting tool call. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { sumAll } from "effect/Number"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import type { JsonObject } from "../../../domain/base/Json.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import type { Part } from "../../../domain/session/part/Part.js"
import { epochOf, openRequests } from "../../../domain/session/Session.js"
import type { Principal } from "../../../domain/session/TurnRequest.js"
import type { Understood } from "../../../domain/session/Understood.js"
import type { TurnResponse } from "../../../domain/turn/TurnResponse.js"
import { type BeginBody, TurnBody } from "../api/TurnBody.js"
import { type Form, isForm, receive } from "../files/uploads.js"
import { CurrentPrincipal } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import { readJson } from "../requests/readJson.js"
import type { AnyApi, Serving } from "../Serving.js"
import * as SessionIds from "../sessions/SessionIds.js"
import * as Sse from "../streams/Sse.js"
import { followed, joined, logged, problemOf } from "./followTurn.js"
import { partsOf } from "./MessageParts.js"
import type { Running } from "./Turns.js"

/** The message of a client. Its `messageId` may come from a header instead of the body. */
export type ClientMessage = Omit<typeof TurnBody.Type, "messageId"> & { readonly messageId?: string | undefined }

/** Refuses `metadata.userId`: the owner of a session comes from the credentials only. */
const checkMetadata = (metadata: JsonObject | undefined): Effect.Effect<void, Problem.Problem> =>
  metadata !== undefined && Object.hasOwn(metadata, "userId")
    ? Effect.fail(
      Problem.malformed("metadata.userId: who speaks is told by the credentials. Leave it out.", "metadata")
    )
    : Effect.void

/**
 * Refuses signals that clients may not judge themselves, because a client could suppress a signal that detects misuse.
 */
const checkSignals = (
  { signals = {} }: Understood = {},
  allowed: ReadonlyArray<string>
): Effect.Effect<void, Problem.Problem> => {
  const [other] = Object.keys(signals).filter((id) => !allowed.includes(id))
  return other === undefined ? Effect.void : Effect.fail(
    Problem.malformed(
      `understood.signals: clients may not judge ${JSON.stringify(Excerpt.start(other, 50))}. ` +
        "The server allows it by clientSignals.",
      "understood"
    )
  )
}

/** Returns the speaker of a turn and its context, after it has checked both. */
const optionsOf = (
  { access, clientSignals, contextFor }: Serving,
  request: HttpServerRequest.HttpServerRequest,
  name: string,
  { context, locale, metadata, understood }: Partial<ClientMessage>
) =>
  Effect.gen(function*() {
    const { principal, ...found } = yield* access.speaking(name)
    yield* checkMetadata(metadata)
    yield* checkSignals(understood, clientSignals)
    const given = yield* contextFor(principal, request, context, locale)
    const around = {
      principal,
      ...(understood !== undefined && { understood }),
      ...(metadata !== undefined && { metadata }),
      ...(Object.keys(given).length > 0 && { context: given })
    }
    return { found, around }
  })

/** Begins a turn. If its client disconnects meanwhile, `onDisconnect` decides whether the turn continues. */
const begun = (
  { onDisconnect }: Serving,
  beginning: Effect.Effect<Running, Problem.Problem>
): Effect.Effect<Running, Problem.Problem> =>
  onDisconnect === "continue" ?
    beginning :
    Effect.uninterruptibleMask((restore) =>
      Effect.tap(beginning, ({ leave }) => Effect.onInterrupt(restore(Effect.void), () => Effect.forkDaemon(leave)))
    )

/** Fails if the user may not store the bytes that a message brings along. */
const checkSize = ({ storage }: Serving, userId: string, parts: ReadonlyArray<Part> = []) => {
  const bytes = sumAll(parts.map((part) => "bytes" in part ? part.bytes.length : 0))
  return bytes === 0 ? Effect.void : Effect.scoped(Effect.flatMap(storage.reserve(userId), (counted) => counted(bytes)))
}

/** Begins the turn of a user's message. */
export const say = (
  serving: Serving,
  request: HttpServerRequest.HttpServerRequest,
  name: string,
  said: ClientMessage
): Effect.Effect<Running, Problem.Problem, CurrentPrincipal> =>
  Effect.gen(function*() {
    const { message, messageId, values } = said
    const { around, found } = yield* optionsOf(serving, request, name, said)
    const parts = said.parts === undefined ? undefined : yield* partsOf(serving, said.parts)
    yield* checkSize(serving, around.principal.userId, parts)
    const sessionId = found.id
    const given = {
      ...around,
      _tag: "Message" as const,
      sessionId,
      ...(message !== undefined && { message }),
      ...(values !== undefined && { values }),
      ...(parts !== undefined && { parts }),
      ...(messageId !== undefined && { messageId })
    }
    const isWhole = values === undefined && parts === undefined
    if (!isWhole) yield* Effect.mapError(serving.check(given), Problem.ofError)
    return yield* begun(
      serving,
      serving.turns.say({
        found,
        userId: around.principal.userId,
        message: message ?? "",
        // A message that stops this turn is answered together with its text. Files and form values cannot be sent again,
        // so a turn that has them is not stopped.
        isWhole,
        messageId,
        check: serving.check(given),
        send: (before) =>
          serving.send(
            before === undefined ? given : { ...given, unanswered: { _tag: "Message", sessionId, message: before } }
          )
      })
    )
  })

/** Begins a conversation for the user who will own it. */
const begin = (
  serving: Serving,
  request: HttpServerRequest.HttpServerRequest,
  name: string,
  { flow, ...said }: typeof BeginBody.Type
): Effect.Effect<Running, Problem.Problem, CurrentPrincipal> =>
  Effect.gen(function*() {
    const { around, found } = yield* optionsOf(serving, request, name, said)
    const launch = serving.agent.session(found.id).begin({ ...around, ...(flow !== undefined && { flow }) })
    return yield* begun(serving, serving.turns.go({ found, userId: around.principal.userId, launch }))
  })

/**
 * Returns the session if the user may read it, or has the role that the waiting call requires. With the role, the user
 * may decide in any user's session.
 */
const decidable = ({ access, agent }: Serving, name: string, callId: string) =>
  Effect.catchAll(access.readable(name), (problem) =>
    Effect.gen(function*() {
      const { roles = [] } = yield* CurrentPrincipal
      const session = yield* Effect.mapError(agent.session(name).snapshot, Problem.ofError)
      const asked = openRequests(session.pendingApproval ?? { requests: [], decisions: [] })
      const may = asked.some(({ callId: call, id, role }) =>
        (id === callId || call === callId) && role !== undefined && roles.includes(role)
      )
      if (!may) return yield* Effect.fail(problem)
      return { id: name, session, epoch: epochOf(session), owner: session.userId }
    }))

/**
 * Begins the turn of a decision. The owner of a session and operators may decide; a call that waits for a role needs a
 * user with that role.
 */
export const decide = (
  serving: Serving,
  name: string,
  callId: string,
  decision: { readonly approved: boolean; readonly reason?: string; readonly args?: JsonObject },
  messageId?: string
): Effect.Effect<Running, Problem.Problem, CurrentPrincipal> =>
  Effect.gen(function*() {
    const found = yield* decidable(serving, name, callId)
    const { id: sessionId, session } = found
    const principal = yield* CurrentPrincipal
    const asked = openRequests(session.pendingApproval ?? { requests: [], decisions: [] })
      .find((request) => request.id === callId || request.callId === callId)
    if (asked === undefined && messageId === undefined) return yield* Effect.fail(nothingWaits)
    if (asked?.role !== undefined && principal.roles?.includes(asked.role) !== true) {
      return yield* Effect.fail(Problem.forbidden(asked.role))
    }
    const { agent, turns } = serving
    const launch = agent.session(sessionId).approve(callId, { ...decision, by: actorOf(principal) }, {
      principal,
      ...(messageId !== undefined && { messageId })
    })
    return yield* begun(serving, turns.go({ found, userId: principal.userId, messageId, launch }))
  })

const nothingWaits = Problem.missing(
  "No such call waits for a decision: it was decided, it has expired, or it never was asked for."
)

/** Converts the authenticated user to the author of a decision or message, as it is stored. */
export const actorOf = ({ roles, userId }: Principal) => ({ id: userId, ...(roles !== undefined && { roles }) })

/** The events of a turn as a response. */
const streamed = (serving: Serving, request: HttpServerRequest.HttpServerRequest, name: string) => (running: Running) =>
  Effect.map(followed(serving, request, name, running), (followed) => Sse.turn(running.turnId, followed))

/** The response of a turn. If the client disconnects, the turn continues or is stopped, as `onDisconnect` says. */
const responded = ({ onDisconnect }: Serving, { leave, response }: Running) =>
  onDisconnect === "abort" ? Effect.onInterrupt(response, () => Effect.forkDaemon(leave)) : response

/** Responds to the speaker, who owns the session or has begun it. */
const answer = (serving: Serving, name: string) => (running: Running) =>
  Effect.catchAll(responded(serving, running), problemOf(serving.access, name)).pipe(Effect.map(underName(name)))

/**
 * Responds to a decision. A failure keeps its status: 404 need not hide the session from the client, because the client
 * was allowed to decide.
 */
const decided = (serving: Serving, name: string) => (running: Running) =>
  Effect.catchAll(responded(serving, running), (error) => Effect.flatMap(logged(error), Effect.fail)).pipe(
    Effect.map(underName(name))
  )

/** Replaces the session's id in a response by the name that the request uses. */
export const underName = (name: string) => (response: TurnResponse): TurnResponse => ({
  ...response,
  session: SessionIds.named(response.session, name)
})

/** Returns the payload with its `messageId`, from the body or else from the header. */
const keyed = <A extends { readonly messageId?: string }>(
  payload: A,
  headers: { readonly "idempotency-key"?: string }
) => ({ ...payload, messageId: payload.messageId ?? headers["idempotency-key"] })

const decodeTurn = Decode.effect(TurnBody)
const decodeBody = (u: unknown) => Effect.catchAll(decodeTurn(u), HttpApiDecodeError.refailParseError)

/** The fields of a form whose text is parsed as JSON. */
const asJson = new Set(["values", "context", "metadata", "understood"])

/** The body of a turn in a form: its fields as in JSON, and its files as parts. */
const formBody = ({ fields, files }: Form) =>
  Effect.gen(function*() {
    const given = yield* Effect.forEach(
      Object.entries(fields),
      ([name, text]) => Effect.map(asJson.has(name) ? readJson(text, name) : Effect.succeed(text), (u) => [name, u])
    )
    return yield* decodeBody({
      ...Object.fromEntries(given),
      ...(files.length > 0 && { parts: files.map(({ file }) => file) })
    })
  })

/** Begins the turn of the request's body: JSON, or a form with files. */
const sayBody = (
  serving: Serving,
  request: HttpServerRequest.HttpServerRequest,
  name: string,
  headers: { readonly "idempotency-key"?: string }
) => {
  const begun = (body: typeof TurnBody.Type) => say(serving, request, name, keyed(body, headers))
  return isForm(request)
    ? Effect.gen(function*() {
      const { principal } = yield* serving.access.speaking(name)
      const form = yield* receive(serving, request, principal.userId)
      const running = yield* Effect.onError(Effect.flatMap(formBody(form), begun), () => form.forget)
      // A turn that fails is not stored, so nothing refers to its files.
      yield* Effect.forkDaemon(Effect.onError(running.response, () => form.forget))
      return running
    })
    : Effect.flatMap(Effect.flatMap(Effect.orDie(request.json), decodeBody), begun)
}

export const layer = (api: AnyApi, serving: Serving) =>
  HttpApiBuilder.group(api, "turns", (handlers) =>
    handlers
      .handleRaw(
        "turn",
        ({ headers, path: { id }, request }) =>
          Effect.flatMap(sayBody(serving, request, id, headers), answer(serving, id))
      )
      .handleRaw(
        "stream",
        ({ headers, path: { id }, request }) =>
          Effect.flatMap(sayBody(serving, request, id, headers), streamed(serving, request, id))
      )
      .handle(
        "begin",
        ({ path: { id }, payload, request }) =>
          Effect.flatMap(begin(serving, request, id, payload), answer(serving, id))
      )
      .handle(
        "beginStream",
        ({ path: { id }, payload, request }) =>
          Effect.flatMap(begin(serving, request, id, payload), streamed(serving, request, id))
      )
      .handle("join", ({ headers, path: { id }, request }) =>
        Effect.flatMap(
          serving.access.readable(id),
          (found) => joined(serving, request, id, found, Sse.turn, Sse.fromId(headers["last-event-id"] ?? ""))
        ))
      .handle(
        "abort",
        ({ path: { id } }) => Effect.flatMap(serving.access.owned(id), serving.turns.abort)
      )
      .handle(
        "decide",
        ({ headers, path: { callId, id }, payload }) =>
          Effect.flatMap(decide(serving, id, callId, payload, headers["idempotency-key"]), decided(serving, id))
      ))
