/** Events between the attempts at a model call: retries, fallbacks, breakers that open and close. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Purpose } from "../../domain/base/error/Errors.js"

export interface ModelNotice {
  readonly kind:
    | "model_retry"
    | "model_fallback"
    | "model_skipped"
    | "model_options_ignored"
    | "breaker_opened"
    | "breaker_closed"
    | "understanding_fallback"
  readonly model: string
  readonly purpose: Purpose
  readonly message: string
}

/** The callback that receives the events between attempts. A turn sets it, to record them in its trace. */
export class ModelNotices extends Context.Reference<ModelNotices>()("coxswain/ModelNotices", {
  defaultValue: (): (notice: ModelNotice) => Effect.Effect<void> => () => Effect.void
}) {}
