/**
 * A feature of turns: the phases call its seams and do not know its name. A definition that does not use a feature never
 * enters it.
 */
import * as Effect from "effect/Effect"
import type { Definition } from "../../domain/definition/Definition.js"
import type { Asking, ReplyRequest, Seams } from "../state/parts/Seams.js"
import type { Opened } from "../state/TurnState.js"

export interface Feature {
  readonly name: string
  readonly isUsed: (definition: Definition) => boolean
  /**
   * Makes the seams for a turn that begins. The state of the feature is in them: nothing else reads or writes it.
   */
  readonly open: () => Seams<Opened>
}

type EffectSeam = Exclude<keyof Seams<Opened>, "reply">

/** Runs a seam of all features of the turn, in the order of the table. */
export const run = (turn: Opened, seam: EffectSeam): Effect.Effect<void> =>
  turn.features.length === 0
    ? Effect.void
    : Effect.forEach(turn.features, (feature) => feature[seam]?.(turn) ?? Effect.void, { discard: true })

/** Wraps a model call for a reply by all features of the turn. The first of the table is the outermost. */
export const reply = (turn: Opened, request: ReplyRequest, asking: Asking): Asking =>
  turn.features.reduceRight((inner, feature) => feature.reply?.(turn, request, inner) ?? inner, asking)
