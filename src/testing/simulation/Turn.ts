/**
 * One turn of a simulation, with all that was seen of it.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "../../domain/base/Json.js"
import type { Definition, Values } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { Exchange } from "../conversation/Exchange.js"
import type { Act } from "./Act.js"

/** What was understood of a message, by the questions that were asked. */
export interface Heard {
  readonly flowScores: Readonly<Record<string, number>>
  readonly fields: Readonly<Record<string, unknown>>
  readonly conditions: ReadonlyArray<string>
  readonly signals: Readonly<Record<string, unknown>>
  readonly withdrawn?: ReadonlyArray<string>
}

/**
 * A turn as an invariant sees it.
 *
 * @since 0.1.0
 * @category models
 */
export interface SimulatedTurn<D = Values, C = Values> {
  readonly sessionId: string
  readonly act: Act
  /** The session before the turn; `undefined` before the first. */
  readonly before: Session<D, C> | undefined
  /** What the turn answered; `undefined` when it failed. */
  readonly response: TurnResponse<D, C> | undefined
  /** What it failed with. */
  readonly failure: { readonly tag: string; readonly said: string } | undefined
}

/** What the library's own invariants see besides. */
export interface SeenTurn extends SimulatedTurn {
  readonly definition: Definition
  readonly exchange: Exchange
  /** Who decided, when a call wanted somebody with a role. */
  readonly principal: Principal | undefined
  /** Absent when nothing was asked to be understood. */
  readonly heard: Heard | undefined
  /** The model's answers as they are written in a script. */
  readonly said: ReadonlyArray<string>
  /** The fields that the model was told to ask for, call by call. */
  readonly askedFor: ReadonlyArray<ReadonlyArray<string>>
  /** What is wrong with the tool calls whose handlers ran. */
  readonly ungated: ReadonlyArray<string>
  /** The tools that ran for a decision that was carried out before. */
  readonly repeated: ReadonlyArray<string>
  /** The session as it reads when it is loaded again, and as the turn left it, both encoded. */
  readonly reloaded: JsonObject | string
  readonly left: JsonObject | string
  /** The answer to the same message id, when it was sent before. */
  readonly first: TurnResponse<Values, Values> | undefined
  /** How many turns in a row the user has cooperated and nothing has moved. */
  readonly held: number
  /** How many of those are too many. */
  readonly patience: number
  /** The words the user was heard to say are the words they said. */
  readonly clear: boolean
}
