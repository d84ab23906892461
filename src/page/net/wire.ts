/** Values as the server sends them: those of its Schemas, encoded. Only their types are imported. */
import type { Form } from "../../domain/authored/Form.js"
import type { Json, JsonObject } from "../../domain/base/Json.js"
import type { Graph } from "../../domain/graph/GraphModel.js"
import type { Session as AgentSession } from "../../domain/session/Session.js"
import type { TurnEvent as Event } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse as Response } from "../../domain/turn/TurnResponse.js"
import type { Problem } from "../../layers/server/Problem.js"

export type { Form, Graph, Json, JsonObject, Problem }

/** Times are texts in JSON. */
export type Wire<T> = T extends { readonly epochMillis: number } ? string
  : T extends ReadonlyArray<infer A> ? ReadonlyArray<Wire<A>>
  : T extends object ? { readonly [K in keyof T]: Wire<T[K]> }
  : T

export type Session = Wire<AgentSession<JsonObject, JsonObject>>
export type TurnEvent = Wire<Event<JsonObject, JsonObject>>
export type TurnResponse = Wire<Response<JsonObject, JsonObject>>
export type Approval = TurnResponse["approvals"][number]

/** A stored message; `content` is a text or a list of parts. */
export interface Stored {
  readonly seq: number
  readonly message: JsonObject
  readonly createdAt: string
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next?: string
}

/** A session in the list. What is optional comes with `details`. */
export interface Summary {
  readonly id: string
  readonly name?: string
  readonly userId?: string
  readonly messageCount: number
  readonly updatedAt: string
  readonly flow?: { readonly id: string; readonly title: string }
  readonly step?: string
  readonly state?: "waiting" | "person" | "idle"
  readonly waits?: ReadonlyArray<{ readonly id: string; readonly toolId: string; readonly role?: string }>
  readonly handOver?: {
    readonly by?: string | { readonly id: string; readonly name?: string }
    readonly reason?: string
  }
  readonly last?: { readonly role: string; readonly text: string; readonly at: string }
}

/** The agent and the person, as `GET /agent` tells. */
export interface Profile {
  readonly name: string
  readonly you: { readonly userId: string; readonly roles: ReadonlyArray<string>; readonly isOperator: boolean }
  readonly whileBusy: "queue" | "cancel" | "reject"
  readonly files?: { readonly accept: ReadonlyArray<string>; readonly maxBytes: number; readonly maxFiles: number }
  readonly suggestions: ReadonlyArray<string>
  readonly features: { readonly snapshots: boolean; readonly turnLog: boolean; readonly clock: boolean }
}

/** The definition, for operators, as `GET /definition` tells. */
export interface Definition {
  readonly graph: Graph
  readonly flows: ReadonlyArray<{ readonly id: string; readonly title: string; readonly when: ReadonlyArray<string> }>
  readonly steps: ReadonlyArray<{ readonly id: string; readonly prompt?: string }>
  readonly tools: ReadonlyArray<
    {
      readonly id: string
      readonly description?: string
      readonly parameters: JsonObject
      readonly needsApproval: boolean
    }
  >
  readonly fields: ReadonlyArray<{ readonly name: string; readonly schema: JsonObject }>
  readonly context: ReadonlyArray<{ readonly name: string; readonly schema: JsonObject }>
  readonly events: ReadonlyArray<{ readonly name: string; readonly payload: JsonObject }>
}

/** A call, or a conversation, that waits for a person. */
export interface Waiting {
  readonly id: string
  readonly callId?: string
  readonly toolId: string
  readonly handOff?: true
  readonly requestedAt: string
  readonly role?: string
  readonly args?: Json
  readonly reason?: string
  readonly question?: string
  readonly editable?: true
  readonly mayDecide?: boolean
}

export interface WaitingSession {
  readonly sessionId: string
  readonly userId?: string
  readonly updatedAt: string
  readonly waiting: ReadonlyArray<Waiting>
}

/** A turn of the past, as far as it is known. */
export interface Past {
  readonly n: number
  readonly at?: string
  readonly input?: JsonObject
  readonly response?: TurnResponse
  readonly entry?: JsonObject
}

/** A report of a replay of one session. */
export interface Replay {
  readonly turns: number
  readonly reproduced: number
  readonly sessions: ReadonlyArray<{
    readonly turns: number
    readonly reproduced: number
    readonly differs?: { readonly turn: number; readonly kind: string; readonly was: string; readonly is: string }
    readonly needs: ReadonlyArray<{ readonly turn: number; readonly what: ReadonlyArray<string> }>
    readonly stopped?: { readonly turn: number; readonly why: string }
  }>
}
