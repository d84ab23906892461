/**
 * The part of the API for past turns: the turns of a session, their replay, a test generated from them, the clock of a
 * demonstration, and all data of a user.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { JsonObject } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import { TurnEntry } from "../../../domain/turn/TurnEntry.js"
import { RecordedCall } from "../past/recordedCalls.js"
import { Authentication } from "../requests/Access.js"
import { before, count, describe, id, Key } from "./ApiParts.js"

/** A past turn of a session. Fields whose values are no longer known are absent. */
const PastTurn = Schema.Struct({
  /** Number of the turn, from 1. */
  n: Schema.Int,
  at: Schema.String,
  /** The first characters of the user's message; absent if the turn answered another input. */
  said: optional(Schema.String),
  /** Name of the event that the turn answered, if it did not answer a message. */
  event: optional(Schema.String),
  /** The response, while it is stored. Needs `snapshots`. */
  response: optional(JsonObject),
  /** The input, and the whole entry of the turn log; for operators. */
  input: optional(JsonObject),
  entry: optional(JsonObject)
}).annotations({ identifier: "PastTurn" })

const Replayed = Schema.Struct({
  turns: Schema.Int,
  reproduced: Schema.Int,
  differs: optional(Schema.Struct({
    turn: Schema.Int,
    kind: Schema.String,
    was: Schema.String,
    is: Schema.String
  })),
  needs: Schema.Array(Schema.Struct({ turn: Schema.Int, what: Schema.Array(Schema.String) })),
  stopped: optional(Schema.Struct({ turn: Schema.Int, why: Schema.String }))
}).annotations({ identifier: "Replayed" })

/** The report of a replay. */
export const Replay = Schema.Struct({
  turns: Schema.Int,
  reproduced: Schema.Int,
  sessions: Schema.Array(Replayed)
})

/**
 * The time of a session on a demonstration server.
 */
const SessionClock = Schema.Struct({
  now: Schema.String,
  /** Milliseconds ahead of the server's own clock. */
  ahead: Schema.Number,
  /** Number of timers that ran because the clock was moved. */
  fired: optional(Schema.Int)
}).annotations({ identifier: "SessionClock" })

const year = 31_536_000_000

/**
 * The body of a request to move the clock ahead, by at most ten years. In milliseconds.
 */
const AdvanceBody = Schema.Struct({ advance: Schema.Int.pipe(Schema.between(0, 10 * year)) })
  .annotations({ identifier: "AdvanceBody", parseOptions: { onExcessProperty: "error" } })

/** An entry of the turn log in its stored form. */
export const encodeEntry = Schema.encodeSync(TurnEntry)

const userId = HttpApiSchema.param("userId", Key)

export const past = HttpApiGroup.make("past")
  .add(
    HttpApiEndpoint.get("turns")`/sessions/${id}/turns`
      .setUrlParams(Schema.Struct({ before: optional(before), limit: optional(count) }))
      .addSuccess(Schema.Struct({ items: Schema.Array(PastTurn), next: optional(Schema.Number) }))
      .annotateContext(describe("The last turns before `before`; `next` is the `before` of the page that precedes."))
  )
  .add(
    HttpApiEndpoint.get("calls")`/sessions/${id}/calls`.setUrlParams(Schema.Struct({ version: optional(before) }))
      .addSuccess(Schema.Struct({ items: Schema.Array(RecordedCall) }))
      .annotateContext(describe(
        "The model calls of the recorded turn that led to `version` of the session, or of the last one; for operators."
      ))
  )
  .add(
    HttpApiEndpoint.post("replay")`/sessions/${id}/replay`.addSuccess(Replay)
      .annotateContext(describe("Runs the recorded turns on the definition that is loaded now; for operators."))
  )
  .add(
    HttpApiEndpoint.get("asTest")`/sessions/${id}/test`.setUrlParams(Schema.Struct({ upTo: optional(before) }))
      .addSuccess(Schema.Struct({ source: Schema.String }))
      .annotateContext(describe("The recorded turns as the source of a test; for operators."))
  )
  .add(
    HttpApiEndpoint.get("clock")`/sessions/${id}/clock`.addSuccess(SessionClock)
      .annotateContext(describe("The time of the session on a demonstration server."))
  )
  .add(
    HttpApiEndpoint.post("advance")`/sessions/${id}/clock`.setPayload(AdvanceBody).addSuccess(SessionClock)
      .annotateContext(describe("Moves the session's clock ahead, and runs the timers that are due then."))
  )
  .add(
    HttpApiEndpoint.get("export")`/users/${userId}/export`
      .addSuccess(Schema.Struct({
        userId: Schema.String,
        sessions: Schema.Array(JsonObject),
        files: Schema.Array(JsonObject)
      }))
      .annotateContext(describe("All stored data of a user; for operators."))
  )
  .add(
    HttpApiEndpoint.del("erase")`/users/${userId}`.addSuccess(JsonObject)
      .annotateContext(describe("Erases all data of a user, and reports what was removed; for operators."))
  )
  .middleware(Authentication)
