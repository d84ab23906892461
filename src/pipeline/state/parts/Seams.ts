/** The seams of the turn, at which the phases call the features that a definition uses. */
import type * as Effect from "effect/Effect"
import type { TurnError } from "../../../domain/base/error/Errors.js"
import type * as Brief from "../../../domain/brief/Brief.js"
import type * as Model from "../../../services/model/Model.js"
import type { Terms } from "./ReplyState.js"

/** A model call for a reply. */
export interface ReplyRequest {
  readonly brief: Brief.Speaking
  readonly terms: Terms
  /** Receives the parts of the answer in order, if the turn streams. */
  readonly onPart: (part: Model.ModelPart) => Effect.Effect<void>
}

/** The answer of the model; running it makes the call. */
export type Asking = Effect.Effect<Model.ModelAnswer, TurnError>

/** The seams of a feature in a turn `T`. */
export interface Seams<T> {
  /** Runs before the message is judged. What it starts may run beside the judging. */
  readonly understanding?: (turn: T) => Effect.Effect<void>
  /** Runs after the values of the message are written. */
  readonly understood?: (turn: T) => Effect.Effect<void>
  /** Runs after routing has selected the flow. */
  readonly routed?: (turn: T) => Effect.Effect<void>
  /** Wraps a model call for a reply. */
  readonly reply?: (turn: T, request: ReplyRequest, asking: Asking) => Asking
  /** Runs when the phases are over, also if they failed or were interrupted. */
  readonly ended?: (turn: T) => Effect.Effect<void>
}
