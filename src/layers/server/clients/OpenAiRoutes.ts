/** The routes for clients of the OpenAI API, which address the agent as a model. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { hmac } from "@noble/hashes/hmac"
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import { canonical, digest } from "../../../domain/base/Json.js"
import type { CompletionBody, OpenAiPart, ResponseBody } from "../api/ClientApi.js"
import { receive } from "../files/uploads.js"
import { CurrentPrincipal } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { AnyApi, Serving } from "../Serving.js"
import * as Sse from "../streams/Sse.js"
import { followed, problemOf } from "../turns/followTurn.js"
import { say } from "../turns/TurnRoutes.js"
import type { Running } from "../turns/Turns.js"
import { ofOpenAi } from "./clientParts.js"
import * as Completions from "./Completions.js"

type Content = string | ReadonlyArray<OpenAiPart> | null | undefined

interface Message {
  readonly role?: string
  readonly content?: Content
}

const unsupported = (detail: string, field: string) => Effect.fail(Problem.malformed(detail, field))

/** Returns the text of the first message, with a digest of its files. It identifies a conversation. */
const firstText = (content: Content) =>
  Effect.map(
    ofOpenAi(content),
    ({ message = "", parts = [] }) => parts.length === 0 ? message : canonical([message, digest(parts)])
  )

const checkModel = (model: string, name: string) =>
  model === name
    ? Effect.void
    : Effect.fail(Problem.make(404, "NotFound", "No such model", `The model here is "${name}".`, { field: "model" }))

/**
 * Returns the common prefix of the ids of a user's conversations that have this first message. It is computed with the
 * server's secret.
 */
const stemOf = ({ secret }: Serving, userId: string, first: string): string => {
  const mac = hmac(sha256, utf8ToBytes(Redacted.value(secret)), utf8ToBytes(canonical([userId, first])))
  return `chat-${bytesToHex(mac).slice(0, 32)}-`
}

/** An id for a new conversation. Later ids sort after earlier ones. */
const fresh = (desk: Desk, stem: string) =>
  Effect.zipWith(Clock.currentTimeMillis, desk.newId, (now, id) => {
    const order = now.toString(36).padStart(9, "0") + (desk.begun++ % 36 ** 4).toString(36).padStart(4, "0")
    return `${stem}${order}-${id.slice(0, 64)}`
  })

/** Returns the user's last conversation whose name starts with one of the stems. */
const lastOf = ({ access, store }: Desk, userId: string, stems: ReadonlyArray<string>) => {
  const from = (cursor?: string): Effect.Effect<string | undefined, Problem.Problem> =>
    Effect.flatMap(
      Effect.mapError(store.list({ userId, limit: 200, ...(cursor !== undefined && { cursor }) }), Problem.ofError),
      ({ items, next }) => {
        const names = items.map(({ id }) => access.nameOf(userId, id))
        const found = stems.flatMap((stem) => names.filter((name) => name.startsWith(stem)).sort().at(-1) ?? [])[0]
        return found !== undefined || next === undefined ? Effect.succeed(found) : from(next)
      }
    )
  return from()
}

/** The state that the routes share. */
interface Desk extends Serving {
  /** Number of conversations that these routes have begun. */
  begun: number
}

/**
 * Returns the conversation of a client that does not name one. Such a client sends all messages each time, so the first
 * message identifies the conversation; if several conversations have this first message, the last one is used. A
 * request with a single message begins a new conversation.
 */
const unnamed = (desk: Desk, first: string, isNew: boolean) =>
  Effect.gen(function*() {
    const { userId } = yield* CurrentPrincipal
    const stem = stemOf(desk, userId, first)
    // Older versions named conversations by a digest.
    const stems = [stem, `chat-${digest([userId, first]).slice(0, 32)}-`]
    return (isNew ? undefined : yield* lastOf(desk, userId, stems)) ?? (yield* fresh(desk, stem))
  })

const conversationOf = (desk: Desk, named: string | undefined, users: ReadonlyArray<Message>) =>
  named !== undefined
    ? Effect.succeed(named)
    : Effect.flatMap(firstText(users[0]?.content), (first) => unnamed(desk, first, users.length === 1))

/** The time, in whole seconds. */
const seconds = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 1000))

/** Begins the turn of the last message, which must be a user's. `named`: the conversation that the request names. */
const begin = (
  desk: Desk,
  request: HttpServerRequest.HttpServerRequest,
  model: string,
  messages: ReadonlyArray<Message>,
  notOfUser: Effect.Effect<never, Problem.Problem>,
  named: Effect.Effect<string | undefined, Problem.Problem>
) =>
  Effect.gen(function*() {
    const users = messages.filter(({ role }) => role === "user")
    const last = users.at(-1)
    if (last === undefined || last !== messages.at(-1)) return yield* notOfUser
    const said = yield* ofOpenAi(last.content)
    const conversation = yield* conversationOf(desk, yield* named, users)
    yield* checkModel(model, desk.agent.name)
    const messageId = request.headers["idempotency-key"]?.slice(0, 200)
    const running = yield* say(desk, request, conversation, { ...said, messageId })
    return { running, about: { id: running.turnId, model, created: yield* seconds, conversation } }
  })

const headers = (conversation: string) => ({ "x-conversation-id": encodeURIComponent(conversation) })

const whole = (
  serving: Serving,
  running: Running,
  about: Completions.About,
  build: typeof Completions.completion | typeof Completions.response
) =>
  running.response.pipe(
    Effect.catchAll(problemOf(serving.access, about.conversation)),
    Effect.map((response) =>
      HttpServerResponse.unsafeJson(build(about, response), { headers: headers(about.conversation) })
    )
  )

const streamed = <A>(
  serving: Serving,
  request: HttpServerRequest.HttpServerRequest,
  running: Running,
  { conversation }: Completions.About,
  translation: Sse.Translation<A>,
  write: (part: A) => string,
  end: string
) =>
  Effect.map(
    followed(serving, request, conversation, running),
    (followed) => Sse.translated(followed, translation, write, { headers: headers(conversation), end })
  )

/** Converts a failure to the error format of these clients. */
const told = <R>(
  answer: Effect.Effect<HttpServerResponse.HttpServerResponse, Problem.Problem, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchAll(
    answer,
    (problem) =>
      Effect.succeed(
        HttpServerResponse.unsafeJson(Completions.errorOf(problem), {
          status: problem.status,
          headers: Problem.headersOf(problem)
        })
      )
  )

const complete = (desk: Desk, request: HttpServerRequest.HttpServerRequest, body: CompletionBody) =>
  Effect.gen(function*() {
    const notOfUser = unsupported("messages: the last one must be a user's.", "messages")
    const named = Effect.succeed(namedIn(request))
    const { about, running } = yield* begin(desk, request, body.model, body.messages, notOfUser, named)
    return yield* body.stream === true
      ? streamed(
        desk,
        request,
        running,
        about,
        Completions.completionChunks(about, body.stream_options?.include_usage === true),
        (chunk) => Sse.event("message", chunk),
        Sse.event("message", "[DONE]")
      )
      : whole(desk, running, about, Completions.completion)
  })

const namedIn = (
  { headers: { "x-conversation-id": named } }: HttpServerRequest.HttpServerRequest
): string | undefined => named && Either.getOrElse(Encoding.decodeUriComponent(named), () => named)

/** Reads the conversation's name from the id of a response. The last part of that id identifies the turn. */
const conversationIn = (id: string): Effect.Effect<string, Problem.Problem> =>
  Effect.mapError(
    Effect.flatMap(Effect.fromNullable(/^resp_([\w-]+)\./.exec(id)?.[1]), Encoding.decodeBase64UrlString),
    () => Problem.malformed("previous_response_id: it is none of this server.", "previous_response_id")
  )

/** Returns the conversation that a request for a response names, in its body or by a header. */
const namedFor = (
  { conversation, previous_response_id: previous }: ResponseBody,
  request: HttpServerRequest.HttpServerRequest
) => {
  const id = typeof conversation === "string" ? conversation : conversation?.id
  if (id !== undefined) return Effect.succeed(id)
  return previous === undefined || previous === null ? Effect.succeed(namedIn(request)) : conversationIn(previous)
}

const respond = (desk: Desk, request: HttpServerRequest.HttpServerRequest, body: ResponseBody) =>
  Effect.gen(function*() {
    const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input
    const notOfUser = unsupported("input: the last item must be a user's message.", "input")
    const begun = yield* begin(desk, request, body.model, items, notOfUser, namedFor(body, request))
    const about = { ...begun.about, id: `${Encoding.encodeBase64Url(begun.about.conversation)}.${begun.about.id}` }
    return yield* body.stream === true
      ? streamed(
        desk,
        request,
        begun.running,
        about,
        Completions.responseEvents(about),
        (event) => Sse.event(event.type, event),
        ""
      )
      : whole(desk, begun.running, about, Completions.response)
  })

export const layer = (api: AnyApi, serving: Serving) => {
  const desk: Desk = { ...serving, begun: 0 }
  return HttpApiBuilder.group(api, "openai", (handlers) =>
    handlers
      .handle("completions", ({ payload, request }) => told(complete(desk, request, payload)))
      .handle("responses", ({ payload, request }) => told(respond(desk, request, payload)))
      .handleRaw("openaiFile", ({ request }) =>
        told(Effect.gen(function*() {
          const { userId } = yield* CurrentPrincipal
          const { fields, files: [uploaded, ...others], forget } = yield* receive(
            serving,
            request,
            userId,
            "file"
          )
          if (uploaded === undefined || others.length > 0) {
            return yield* Effect.zipRight(forget, unsupported("file: send one file in each request.", "file"))
          }
          const { file, size } = uploaded
          return HttpServerResponse.unsafeJson({
            id: file.ref,
            object: "file",
            bytes: size,
            created_at: yield* seconds,
            filename: file.name,
            purpose: fields.purpose ?? "user_data"
          })
        })))
      .handle("models", () =>
        Effect.succeed({
          object: "list" as const,
          data: [{ id: serving.agent.name, object: "model" as const, created: 0, owned_by: "coxswain" }]
        })))
}
