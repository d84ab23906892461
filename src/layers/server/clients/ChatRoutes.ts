/** The routes of the AI SDK's `useChat`: a chat is a session. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import type { Session } from "../../../domain/session/Session.js"
import { type ChatBody, chatKeys, type ChatMessage } from "../api/ClientApi.js"
import type { PartBody } from "../api/PartBody.js"
import { CurrentPrincipal } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { AnyApi, Serving } from "../Serving.js"
import { sameLife } from "../sessions/SessionRoutes.js"
import { recheckOf } from "../streams/Lapsed.js"
import * as Sse from "../streams/Sse.js"
import { decideAll } from "../turns/Decisions.js"
import { followed, joined } from "../turns/followTurn.js"
import { type ClientMessage, say } from "../turns/TurnRoutes.js"
import { changes } from "./chatFeed.js"
import { page, seqIn, withRunning } from "./chatHistory.js"
import * as UiMessages from "./UiMessages.js"

const headers = { "x-vercel-ai-ui-message-stream": "v1" }

const respond = <A>(followed: Sse.Followed, translation: Sse.Translation<A>) =>
  Sse.translated(followed, translation, (chunk) => Sse.event("message", chunk), {
    headers,
    end: Sse.event("message", "[DONE]")
  })

const unsupported = (what: string, field: string) => Effect.fail(Problem.malformed(what, field))

/** The text and the files of a user's message. */
const saidIn = ({ parts }: ChatMessage): Effect.Effect<ClientMessage, Problem.Problem> => {
  const other = parts.find(({ type }) => type !== "text" && type !== "file")
  if (other !== undefined) {
    return unsupported(
      `messages: an agent takes text and files, and no part "${Excerpt.start(other.type, 50)}".`,
      "messages"
    )
  }
  const files = parts.flatMap(({ filename, mediaType, type, url = "" }): ReadonlyArray<PartBody> =>
    type !== "file" ? [] : [{
      type: "file",
      url,
      ...(mediaType !== undefined && { mediaType }),
      ...(filename !== undefined && { name: filename })
    }]
  )
  const message = parts.flatMap(({ text = "", type }) => type === "text" ? [text] : []).join("\n")
  return Effect.succeed({
    ...((message !== "" || files.length === 0) && { message }),
    ...(files.length > 0 && { parts: files })
  })
}

/** Fails if the body has a key that has no effect. */
const checkKeys = (body: object): Effect.Effect<void, Problem.Problem> => {
  const other = Object.keys(body).find((key) => !chatKeys.has(key))
  return other === undefined
    ? Effect.void
    : unsupported(
      `${Excerpt.start(other, 50)}: there is no such key. Values for the agent belong into "context".`,
      Excerpt.start(other, 50)
    )
}

/** Returns the number of the turn that answered a message; undefined if that turn is not known. */
const turnOf = ({ turns = [] }: Session, messageId: string): number | undefined => {
  const named = turns.find(({ key }) => key === messageId || key.startsWith(`${messageId}~`))
  if (named !== undefined) return named.turn
  const seq = seqIn(messageId)
  const at = seq === undefined ? -1 : turns.findIndex(({ messageCount }) => messageCount >= seq)
  const found = turns[at]
  return found !== undefined && (at > 0 || found.turn === 1) ? found.turn : undefined
}

const noSnapshots = Problem.malformed(
  "trigger: the turn of this message is not kept, so it cannot be answered again. The agent keeps turns with `snapshots`.",
  "trigger"
)

/**
 * Rewinds the conversation to the state before a message. Returns the key for sending the message again; a message
 * without an answer keeps its key.
 */
const takenBack = ({ access, agent, store }: Serving, name: string, messageId: string) =>
  Effect.gen(function*() {
    const { id, session } = yield* access.speaker(name)
    const turn = turnOf(session, messageId)
    if (turn === undefined) {
      const answered = yield* Effect.mapError(store.response(id, messageId), Problem.ofError)
      return Option.isSome(answered) || seqIn(messageId) !== undefined ? yield* Effect.fail(noSnapshots) : messageId
    }
    yield* Effect.mapError(agent.rewind(id, turn - 1), Problem.ofError)
    return `${Excerpt.start(messageId, 150)}~${session.version}`
  })

/** The decisions in the last message. */
const decisionsIn = ({ parts }: ChatMessage) =>
  parts.flatMap(({ approval, state }) =>
    state === "approval-responded" && approval?.approved !== undefined
      ? [{
        id: approval.id,
        decision: {
          approved: approval.approved,
          ...(approval.reason !== undefined && { reason: Excerpt.start(approval.reason, 2000) })
        }
      }]
      : []
  )

/** True if the client asks to answer a message again, or to replace an earlier message. */
const isAgain = ({ messageId, trigger }: ChatBody, last: ChatMessage): boolean =>
  trigger === "regenerate-message" || messageId === last.id

const pageSize = 50

const nothingWaits = Problem.malformed("messages: the last one asks for nothing.", "messages")

export const layer = (api: AnyApi, serving: Serving) =>
  HttpApiBuilder.group(api, "chat", (handlers) =>
    handlers
      .handle("chat", ({ payload, request }) =>
        Effect.gen(function*() {
          yield* checkKeys(payload)
          const { context, id, locale, messages } = payload
          const last = messages.at(-1)
          if (last === undefined) return yield* unsupported("messages: there is none.", "messages")
          if (last.role === "assistant") {
            if (payload.trigger === "regenerate-message") {
              return yield* unsupported("messages: the last one must be the user's.", "messages")
            }
            const { callIds, running } = yield* decideAll(serving, id, decisionsIn(last), nothingWaits)
            return respond(yield* followed(serving, request, id, running), UiMessages.make(running.turnId, callIds))
          }
          const said = yield* saidIn(last)
          const messageId = isAgain(payload, last) ? yield* takenBack(serving, id, last.id) : last.id
          const running = yield* say(serving, request, id, {
            ...said,
            messageId,
            ...(context !== undefined && { context }),
            ...(locale !== undefined && { locale })
          })
          return respond(yield* followed(serving, request, id, running), UiMessages.make(running.turnId))
        }))
      .handle("history", ({ path: { id: name }, urlParams: { before, limit = pageSize } }) =>
        Effect.flatMap(serving.access.speaker(name), (found) =>
          before === undefined
            ? Effect.flatMap(
              page(serving, name, found.session, { limit }),
              (newest) => withRunning(serving, found, newest)
            )
            : page(serving, name, found.session, { limit, before })))
      .handle("chatFeed", ({ path: { id: name }, request }) =>
        Effect.gen(function*() {
          const asking = yield* Effect.context<CurrentPrincipal>()
          const { userId } = yield* CurrentPrincipal
          const found = yield* serving.access.speaker(name)
          yield* serving.feeds.check(userId)
          const may = found.epoch === undefined ? serving.access.speaker(name) : sameLife(serving.access, name, found)
          const changed = changes(
            serving,
            name,
            found,
            Effect.map(may, ({ session }) =>
              session)
          ).pipe(
            Stream.map((one) => Sse.event("message", one)),
            Stream.catchAllCause((cause) => Stream.fromEffect(Sse.failed(cause))),
            Stream.provideContext(asking)
          )
          return Sse.respond(
            Stream.unwrapScoped(Effect.as(serving.feeds.place(userId), changed)).pipe(
              Stream.catchAll((problem) => Stream.succeed(Sse.event("error", problem)))
            ),
            {
              recheck: yield* recheckOf(serving, request, may),
              last: Effect.as(serving.turns.closed, Sse.event("closing", Problem.stopping))
            }
          )
        }))
      .handle("resume", ({ path: { id }, request }) =>
        // A chat without messages does not exist yet, and has no turn to resume.
        Effect.flatMap(serving.access.speaker(id), (found) =>
          joined(serving, request, id, found, (turnId, followed) => respond(followed, UiMessages.make(turnId))))))
