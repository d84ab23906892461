/** Responses stored under their idempotency keys: a repeated input gets the stored response. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import { InvalidRequest, SessionCorrupt } from "../../domain/base/error/Errors.js"
import { digest, isJsonObject, type Json, type JsonObject } from "../../domain/base/Json.js"
import { complaints } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import { type Input, isDecision, type Message } from "../state/Input.js"
import type { Failure, Opened, Runtime } from "../state/TurnState.js"
import { migrate, type Unreadable } from "./loading.js"
import * as Visible from "./visible.js"

/** The property of a stored response that identifies the input that it answers. */
export const answers = "answers"

/** Digest of an input's content, to detect a different input under the same key. */
const saying = (input: Input): string => digest(said(input._tag === "Message" ? input.alone ?? input : input))

const said = (input: Input): JsonObject => {
  if (isDecision(input)) return { request: input.request }
  switch (input._tag) {
    case "Message":
      return {
        message: input.message,
        ...(input.values !== undefined && { values: input.values }),
        ...(input.understood !== undefined && { understood: { ...input.understood } }),
        ...withParts(input)
      }
    case "Begin":
      return { begin: input.flow ?? "" }
    case "Event":
      return { event: input.event, payload: input.payload }
    case "Internal":
      return {}
  }
}

const withParts = ({ parts }: Message): JsonObject =>
  parts === undefined ? {} : {
    parts: parts.map((part): JsonObject =>
      "bytes" in part ? { ...part, bytes: Encoding.encodeBase64(part.bytes) } : { ...part }
    )
  }

/** Returns the response in the form in which it is stored under its key, with the digest of its input. */
export const asAnswer = ({ input, message }: Opened, response: JsonObject): JsonObject => ({
  ...response,
  // The response to a decision without a key is stored under the key of the turn's message, as the answer to that
  // message.
  [answers]: input.messageId === undefined ? digest({ message }) : saying(input)
})

/** Fails if a different input was answered under the same idempotency key. */
const checkAnswers = (input: Input, stored: Json): Either.Either<void, InvalidRequest> =>
  !isJsonObject(stored) || stored[answers] === undefined || stored[answers] === saying(input)
    ? Either.void
    : Either.left(
      new InvalidRequest({
        what: "messageId",
        why: "another message or event was answered under it in this session",
        fix: "Give every message and event a key of its own, and repeat a key only with the same one"
      })
    )

/** Returns the stored response if the input's `messageId` was answered before. */
export const answered = (
  runtime: Runtime,
  input: Input
): Effect.Effect<Option.Option<TurnResponse>, Failure> => {
  const { messageId, sessionId } = input
  return messageId === undefined
    ? Effect.succeedNone
    : Effect.flatMap(
      runtime.store.response(sessionId, messageId),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (stored) =>
          Effect.zipRight(
            checkAnswers(input, stored),
            Effect.flatMap(stands(runtime, input, stored), (stands) =>
              stands ? Effect.asSome(decode(runtime, input, stored)) : Effect.succeedNone)
          )
      })
    )
}

const decode = (
  runtime: Runtime,
  { messageId, sessionId }: Input,
  stored: Json
): Effect.Effect<TurnResponse, Unreadable> =>
  Effect.flatMap(migrateResponse(runtime, sessionId, stored), Decode.effect(runtime.response)).pipe(
    Effect.catchTag("ParseError", (cause) =>
      Effect.fail(
        new SessionCorrupt({
          sessionId,
          why: `the response stored for message "${messageId}" does not decode: ` +
            complaints(cause, runtime.definition.excerpts)
        })
      ))
  )

/**
 * True if the session still has the turn of the stored response. After a rewind, a repeated input fails instead of
 * being answered or run again. Only a request to begin the conversation runs again, if the session was rewound to
 * before its first turn.
 */
const stands = (
  { store }: Runtime,
  { _tag, sessionId }: Input,
  stored: Json
): Effect.Effect<boolean, Failure> => {
  const version = isJsonObject(stored) && isJsonObject(stored.session) ? stored.session.version : undefined
  return typeof version !== "number" ? Effect.succeed(true) : Effect.gen(function*() {
    const loaded = yield* store.load(sessionId)
    if (Option.isNone(loaded)) return true
    const known = yield* Visible.knownOf(sessionId, loaded.value.session)
    if (!RewoundRange.isTakenBack(known, version)) return true
    return _tag === "Begin" ? false : yield* new InvalidRequest({
      what: "messageId",
      why: "the session was taken back to before the turn that answered it",
      fix: "Send it again under a new key"
    })
  })
}

/**
 * Migrates a stored response with its session. If the session's form has changed, leaves out the response's values in
 * the old form.
 */
const migrateResponse = (runtime: Runtime, sessionId: string, stored: Json): Either.Either<Json, Unreadable> => {
  if (!isJsonObject(stored) || !isJsonObject(stored.session)) return Either.right(stored)
  const { session: before } = stored
  return Either.map(migrate(runtime, sessionId, before), (session) => {
    const same = session.schemaVersion === before.schemaVersion &&
      (session.definitionVersion ?? 1) === (before.definitionVersion ?? 1)
    return same ? stored : { ...stored, session, collected: {}, directiveChain: [] }
  })
}
