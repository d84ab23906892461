/** One turn of a simulation, with all its records. */
import type { JsonObject } from "../../domain/base/Json.js"
import type { Definition, Values } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { Exchange } from "../conversation/Exchange.js"
import type { Act } from "./Act.js"

/** The understanding of a message, merged from all questions of the turn. */
export interface MessageUnderstanding {
  readonly flowScores: Readonly<Record<string, number>>
  readonly fields: Readonly<Record<string, unknown>>
  readonly conditions: ReadonlyArray<string>
  readonly signals: Readonly<Record<string, unknown>>
  readonly withdrawn?: ReadonlyArray<string>
}

/** A simulated turn: the argument of an invariant. */
export interface SimulatedTurn<D = Values, C = Values> {
  readonly sessionId: string
  readonly act: Act
  /** The session before the turn; `undefined` before the first turn. */
  readonly before: Session<D, C> | undefined
  /** The response of the turn; `undefined` if the turn failed. */
  readonly response: TurnResponse<D, C> | undefined
  /** The failure of the turn. */
  readonly failure: { readonly tag: string; readonly said: string } | undefined
}

/** A defect of the application's code that did not end the turn. */
export interface Defect {
  /** Name of the code that died, such as `tool "pay"`. */
  readonly what: string
  /** The cause, as text. */
  readonly said: string
}

/** A simulated turn with further records, which the library's own invariants need. */
export interface SeenTurn extends SimulatedTurn {
  readonly definition: Definition
  readonly exchange: Exchange
  /** The person who decided, if a call required a role. */
  readonly principal: Principal | undefined
  /** The understanding of the message; undefined if Understanding was not called. */
  readonly heard: MessageUnderstanding | undefined
  /** The model's answers, as source code of a script. */
  readonly said: ReadonlyArray<string>
  /** The fields for which the model was told to ask, for each call of the model. */
  readonly askedFor: ReadonlyArray<ReadonlyArray<string>>
  /** The reasons why a handler that ran should not have run; empty if there are none. */
  readonly ungated: ReadonlyArray<string>
  /** The tools that ran for a decision that had already been carried out. */
  readonly repeated: ReadonlyArray<string>
  /** Defects of tools, signals and predicates that did not end the turn. */
  readonly defects: ReadonlyArray<Defect>
  /**
   * The encoded session: `reloaded` as loaded again from the store, `left` as it was at the end of the turn. If this
   * failed, the reason as text.
   */
  readonly reloaded: JsonObject | string
  readonly left: JsonObject | string
  /** The earlier response to the same message id, if the message was sent before. */
  readonly first: TurnResponse<Values, Values> | undefined
  /** Number of consecutive turns without progress, although the user cooperates. */
  readonly held: number
  /** The number of turns without progress (`held`) at which the flow counts as stuck. */
  readonly patience: number
}
