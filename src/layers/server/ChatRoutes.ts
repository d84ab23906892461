/**
 * The routes of the AI SDK's `useChat`: a chat is a session.
 *
 * @since 0.1.0
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ChatMessage } from "./ClientApi.js"
import { decideAll } from "./Decisions.js"
import * as Problem from "./Problem.js"
import type { AnyApi, Serving } from "./Serving.js"
import * as Sse from "./Sse.js"
import { followed, joined, say } from "./TurnRoutes.js"
import * as UiMessages from "./UiMessages.js"

const headers = { "x-vercel-ai-ui-message-stream": "v1" }

const respond = (followed: Sse.Followed, translation: UiMessages.Translation) =>
  Sse.translated(followed, translation, (chunk) => Sse.event("message", chunk), {
    headers,
    end: Sse.event("message", "[DONE]")
  })

const unsupported = (what: string, field: string) => Effect.fail(Problem.malformed(what, field))

/** The text of a user's message. */
const textOf = ({ parts }: ChatMessage): Effect.Effect<string, Problem.Problem> => {
  const others = parts.filter(({ type }) => type !== "text")
  return others.length > 0
    ? unsupported("messages: an agent reads text, and no other part of a message.", "messages")
    : Effect.succeed(parts.map(({ text = "" }) => text).join("\n"))
}

/** The decisions in the last message. */
const decisionsIn = ({ parts }: ChatMessage) =>
  parts.flatMap(({ approval, state }) =>
    state === "approval-responded" && approval?.approved !== undefined
      ? [{
        id: approval.id,
        decision: {
          approved: approval.approved,
          ...(approval.reason !== undefined && { reason: approval.reason.slice(0, 2000) })
        }
      }]
      : []
  )

const nothingWaits = Problem.malformed("messages: the last one asks for nothing.", "messages")

/**
 * @since 0.1.0
 * @category routes
 */
export const layer = (api: AnyApi, serving: Serving) =>
  HttpApiBuilder.group(api, "chat", (handlers) =>
    handlers
      .handle("chat", ({ payload: { id, messages, trigger }, request }) =>
        Effect.gen(function*() {
          const last = messages.at(-1)
          if (last === undefined) return yield* unsupported("messages: there is none.", "messages")
          if (trigger === "regenerate-message") {
            return yield* unsupported("trigger: a turn that is stored is not answered again.", "trigger")
          }
          const { running, translation } = last.role === "assistant"
            ? yield* Effect.map(decideAll(serving, id, decisionsIn(last), nothingWaits), ({ callIds, running }) => ({
              running,
              translation: UiMessages.make(running.turnId, callIds)
            }))
            : yield* Effect.map(
              Effect.flatMap(textOf(last), (message) => say(serving, request, id, { message, messageId: last.id })),
              (running) => ({ running, translation: UiMessages.make(running.turnId) })
            )
          return respond(yield* followed(serving, request, id, running), translation)
        }))
      .handle("resume", ({ path: { id }, request }) =>
        // A chat without messages does not exist yet, and has no turn to resume.
        Effect.flatMap(serving.access.speaker(id), (found) => joined(serving, request, id, found)).pipe(
          Effect.map(Option.match({
            onNone: () => HttpServerResponse.empty({ status: 204 }),
            onSome: ({ followed, turnId }) => respond(followed, UiMessages.make(turnId))
          }))
        )))
