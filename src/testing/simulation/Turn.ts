/** One turn of a simulation, with all its records. */
import type { JsonObject } from "../../domain/base/Json.js"
import type { Definition, Values } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { Exchange } from "../conversation/Exchange.js"
import type { Act } from "./Act.js"

/** The understanding of a message, merged over all questions of the turn. */
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
  /** The response of the turn; `undefined` when it failed. */
  readonly response: TurnResponse<D, C> | undefined
  /** The failure of the turn. */
  readonly failure: { readonly tag: string; readonly said: string } | undefined
}

/** A defect of the application's code that did not end the turn. */
export interface Defect {
  /** The code, such as `tool "pay"`. */
  readonly what: string
  /** The cause, as text. */
  readonly said: string
}

/** The further records for the library's own invariants. */
export interface SeenTurn extends SimulatedTurn {
  readonly definition: Definition
  readonly exchange: Exchange
  /** The person who decided, when a call required a role. */
  readonly principal: Principal | undefined
  /** Absent if no understanding was asked. */
  readonly heard: Heard | undefined
  /** The model's answers, as source code of a script. */
  readonly said: ReadonlyArray<string>
  /** The fields that the model was told to ask for, call by call. */
  readonly askedFor: ReadonlyArray<ReadonlyArray<string>>
  /** The gates that should have stopped the handlers that ran. */
  readonly ungated: ReadonlyArray<string>
  /** The tools that ran for a decision that was carried out before. */
  readonly repeated: ReadonlyArray<string>
  /** Defects of tools, signals and predicates, which the turn survived. */
  readonly defects: ReadonlyArray<Defect>
  /** The encoded session as loaded again (`reloaded`), and as the turn left it (`left`). */
  readonly reloaded: JsonObject | string
  readonly left: JsonObject | string
  /** The answer to the same message id, when it was sent before. */
  readonly first: TurnResponse<Values, Values> | undefined
  /** Number of consecutive turns without progress of a cooperating user. */
  readonly held: number
  /** The value of `held` at which the flow counts as stuck. */
  readonly patience: number
  /** True if the simulation has no noise, so that messages are understood correctly. */
  readonly clear: boolean
}
