/** Types of the values that the server sends: the encoded forms of its Schemas. Only types are imported. */
import type { Form } from "../../domain/authored/Form.js"
import type { Json, JsonObject } from "../../domain/base/Json.js"
import type { Graph } from "../../domain/graph/GraphModel.js"
import type { Session as AgentSession } from "../../domain/session/Session.js"
import type { TurnEntry } from "../../domain/turn/TurnEntry.js"
import type { TurnEvent as Event } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse as Response } from "../../domain/turn/TurnResponse.js"
import type { About, DefinitionBody } from "../../layers/server/api/AgentApi.js"
import type { Uploaded as FileLink } from "../../layers/server/api/FileApi.js"
import type { Summary as ListedSession, Waiting as ListedWaiting } from "../../layers/server/api/Listed.js"
import type { Replay as Report } from "../../layers/server/api/PastApi.js"
import type { RecordedCall as Call } from "../../layers/server/past/recordedCalls.js"
import type { Problem } from "../../layers/server/requests/Problem.js"

export type { Form, Graph, Json, JsonObject, Problem }

/** A type as it is in JSON: times are texts. */
type Wire<T> = T extends { readonly epochMillis: number } ? string
  : T extends ReadonlyArray<infer A> ? ReadonlyArray<Wire<A>>
  : T extends object ? { readonly [K in keyof T]: Wire<T[K]> }
  : T

export type Session = Wire<AgentSession<JsonObject, JsonObject>>
export type TurnEvent = Wire<Event<JsonObject, JsonObject>>
export type TurnResponse = Wire<Response<JsonObject, JsonObject>>
export type Approval = TurnResponse["approvals"][number]

/** A stored message; `content` is a text or a list of parts. */
export interface StoredMessage {
  readonly seq: number
  readonly message: JsonObject
  readonly createdAt: string
}

/** A page of a list. The cursor is a number if the items have numbers. */
export interface Page<A, Cursor = string> {
  readonly items: ReadonlyArray<A>
  readonly next?: Cursor
}

/** A session in the list. */
export type Summary = ListedSession

/** An uploaded file, which a message refers to. */
export type Uploaded = typeof FileLink.Type

/** The agent and the person who uses the page, as returned by `GET /agent`. */
export type Profile = typeof About.Type

/** The agent's definition, which only operators can read, as returned by `GET /definition`. */
export type Definition = typeof DefinitionBody.Type

/** A conversation in which calls, or a hand-over, wait for a person. */
export type WaitingSession = typeof ListedWaiting.Type

export type WaitingCall = Omit<WaitingSession["waiting"][number], "age" | "mayDecide"> & {
  readonly mayDecide?: boolean
}

/** A past turn. Fields whose values are no longer known are absent. */
export interface Past {
  readonly n: number
  readonly at?: string
  readonly input?: JsonObject
  readonly response?: TurnResponse
  readonly entry?: TurnEntry
}

/** A model call of a recorded turn, with its prompt. */
export type RecordedCall = typeof Call.Type

/** A report of a replay. */
export type Replay = typeof Report.Type
