/** Validates an input before the session is loaded. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as Form from "../../domain/authored/Form.js"
import * as ErrorMessage from "../../domain/base/error/ErrorMessage.js"
import { InvalidRequest } from "../../domain/base/error/Errors.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { isJson, type Json, type JsonObject, sizeWithin } from "../../domain/base/Json.js"
import { type Definition, findFlow } from "../../domain/definition/Definition.js"
import * as CheckUnderstood from "../../domain/definition/validation/CheckUnderstood.js"
import { complaints, type Fields } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as LocalTimes from "../../domain/fields/schema/LocalTimes.js"
import { zoneOf } from "../../domain/language/TimeAndLocale.js"
import * as Part from "../../domain/session/part/Part.js"
import * as PartCheck from "../../domain/session/part/PartCheck.js"
import * as TurnRequest from "../../domain/session/TurnRequest.js"
import { coalesceAll } from "../state/coalesce.js"
import {
  type Begin,
  type Decision,
  type Event,
  type Input,
  isDecision,
  type UncheckedInput,
  type UncheckedMessage
} from "../state/Input.js"
import { checkDecision as checkDecided, checkRequest } from "../state/parts/SuspendedTurn.js"
import type { Runtime } from "../state/TurnState.js"

/** Returns the validated input, or fails with `InvalidRequest`. */
export const check = (
  { definition }: Runtime,
  input: UncheckedInput
): Effect.Effect<Input, InvalidRequest> => {
  if (isDecision(input)) return checkDecision(input, definition)
  switch (input._tag) {
    case "Message":
      return input.unanswered === undefined ? checkMessage(input, definition) : checkTogether(input, definition)
    case "Begin":
      return checkBegin(input, definition)
    case "Event":
      return checkEvent(input, definition)
    case "Internal":
      return Effect.as(TurnRequest.checkSessionId(input.sessionId), input)
  }
}

/** Checks a message by itself, and merged with the unanswered messages before it; returns the merged message. */
const checkTogether = (said: UncheckedMessage, definition: Definition): Effect.Effect<Input, InvalidRequest> =>
  Effect.zipWith(
    checkMessage(said, definition),
    checkMessage(coalesceAll(said), definition),
    (alone, together) => ({ ...together, alone })
  )

const checkMessage = Effect.fnUntraced(function*(
  { _tag, unanswered: _, ...said }: UncheckedMessage,
  definition: Definition
) {
  const { fields, files, limits } = definition
  const { message, understood: given, ...rest } = yield* TurnRequest.check(said, limits)
  const request = given === undefined
    ? rest
    : { ...rest, understood: yield* CheckUnderstood.check(given, definition) }
  const { values = {} } = request
  const parts = request.parts === undefined ? [] : yield* PartCheck.check(request.parts, files)
  const refusal = valueRefused(values, fields)
  if (refusal !== undefined) return yield* Either.left(refusal)
  const words = [message ?? "", ...parts.map((part) => part.type === "text" ? part.text : "")]
  const text = words.filter((text) => text.trim() !== "").join("\n")
  if (text.length > limits.message) return yield* Either.left(tooLong(text, limits.message))
  if (text !== "") return { ...request, _tag, message: text }
  return parts.length === 0
    ? { ...request, _tag, message: Form.said(fields, values), isForm: true }
    : { ...request, _tag, message: Part.named(parts.filter((part) => part.type === "file")) }
})

/** Reports a form value whose field does not exist or is written by code only. */
const valueRefused = (values: JsonObject, fields: Fields): InvalidRequest | undefined => {
  for (const name of Object.keys(values)) {
    const field = fields.get(name)
    if (field !== undefined && field.extract !== "never") continue
    return new InvalidRequest({
      what: `values.${Excerpt.of(name)}`,
      why: field === undefined ? "the data has no such field" : "only code writes this field",
      fix: "Send the fields that response.expects names"
    })
  }
  return undefined
}

const tooLong = ({ length }: string, max: number) =>
  new InvalidRequest({
    what: "parts",
    why: `message and parts have ${length} characters, ${max} are allowed`,
    fix: "Send a shorter message, or raise limits.message of the agent"
  })

/**
 * Checks a request that begins a conversation. Its key, context and metadata are checked as for a message; its flow
 * must be a flow of the agent.
 */
const checkBegin = (
  { _tag, flow: name, ...around }: Begin,
  { excerpts, flows, limits }: Definition
): Effect.Effect<Input, InvalidRequest> =>
  Effect.gen(function*() {
    const { message: _, ...checked } = yield* TurnRequest.check({ ...around, message: "-" }, limits)
    const flow = name === undefined ? undefined : findFlow(flows, name)
    if (name !== undefined && flow === undefined) {
      return yield* refused(
        `flow ${Excerpt.of(name, excerpts)}`,
        `the agent has no such flow; its flows are ${ErrorMessage.names(flows.map(({ id }) => id))}`,
        "Correct the name, or leave it out"
      )
    }
    return { ...checked, _tag, messageId: around.messageId, ...(flow !== undefined && { flow: flow.id }) }
  })

/** Checks a decision. Its key, context and metadata are checked as for a message. */
const checkDecision = (
  { _tag, decision, request, ...around }: Decision,
  { excerpts, limits }: Runtime["definition"]
) =>
  Effect.gen(function*() {
    const { message: _, ...checked } = yield* TurnRequest.check({ ...around, message: "-" }, limits)
    yield* checkRequest(request)
    return {
      ...checked,
      _tag,
      request,
      decision: yield* checkDecided(decision, limits, excerpts)
    } satisfies Input
  })

const refused = (what: string, why: string, fix: string) => Effect.fail(new InvalidRequest({ what, why, fix }))

/**
 * Checks an event. Its key, context and metadata are checked as for a message; its payload is decoded before the
 * session is loaded.
 */
const checkEvent = (
  { _tag, event, messageId, payload, ...around }: Event,
  { events, excerpts, limits, timeZone }: Definition
): Effect.Effect<Input, InvalidRequest> =>
  Effect.gen(function*() {
    if (messageId !== undefined) {
      yield* TurnRequest.checkKey("eventId", messageId, "Pass a short unique key, or leave it out")
    }
    if (Object.hasOwn(around, "message")) {
      return yield* refused("message", "an event says nothing", "Remove it")
    }
    const { message: _, ...checked } = yield* TurnRequest.check({ ...around, message: "-" }, limits)
    const schema = events.get(event)
    if (schema === undefined) {
      return yield* refused(
        `event ${Excerpt.of(event, excerpts)}`,
        `the agent has no such event; its events are ${ErrorMessage.names(events.keys())}`,
        "Correct the name, or declare the event in Agent.define"
      )
    }
    const local = LocalTimes.inZone(schema, payload, zoneOf(checked.context ?? {}, timeZone))
    const { json, value } = yield* checkPayload(event, schema, local, { excerpts, limits })
    return { ...checked, ...(messageId !== undefined && { messageId }), _tag, event, payload: json, value }
  })

/** Decodes a payload. It must be JSON, because sessions store it. */
const checkPayload = (
  event: string,
  schema: Schema.Schema<unknown, unknown>,
  payload: unknown,
  { excerpts, limits }: Pick<Definition, "excerpts" | "limits">
): Effect.Effect<{ readonly json: Json; readonly value: unknown }, InvalidRequest> => {
  const what = `payload of event "${event}"`
  if (!isJson(payload)) {
    return refused(what, `it is ${Excerpt.kind(payload)} and no JSON`, "Pass what the event's Schema encodes to")
  }
  if (sizeWithin(payload, limits.payload) === Infinity) {
    return refused(
      what,
      `it has more than ${limits.payload} characters as JSON`,
      "Store it elsewhere and send its key, or raise limits.payload of the agent"
    )
  }
  return Decode.effect(schema, { errors: "all" })(payload).pipe(
    Effect.mapBoth({
      onFailure: (error) =>
        new InvalidRequest({
          what,
          why: complaints(error, excerpts),
          fix: "Send what the event's Schema in Agent.define describes"
        }),
      onSuccess: (value) => ({ json: payload, value })
    })
  )
}
