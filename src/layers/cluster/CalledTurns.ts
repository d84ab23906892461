/** The turns of one entity that have readers, by the calls that started or resumed them. */
import * as Effect from "effect/Effect"
import type { Values } from "../../domain/definition/Definition.js"
import type { Turn } from "../../pipeline/agent/Contract.js"

type AnyTurn = Turn<Values, Values, unknown>

export interface CalledTurns {
  /** The turn of a call, while it runs. */
  readonly get: (callId: string) => AnyTurn | undefined
  /** Registers the turn of a call until its end; `key` is that of its message, if it is stored. */
  readonly add: (callId: string, key: string | undefined, turn: AnyTurn) => Effect.Effect<void>
  /**
   * Returns the running turn of a stored message that an earlier call has sent, perhaps from a process that has died
   * since, and registers it for this call.
   */
  readonly resume: (callId: string, key: string) => Effect.Effect<AnyTurn | undefined>
  /** True if the message of a call was sent again in another call. */
  readonly isResent: (callId: string) => boolean
}

export const make = (): CalledTurns => {
  const turns = new Map<string, AnyTurn>()
  /** The last call of each stored message, by the key of the message. */
  const lastCalls = new Map<string, string>()
  const resent = new Set<string>()
  const add: CalledTurns["add"] = (callId, key, turn) =>
    Effect.suspend(() => {
      turns.set(callId, turn)
      if (key !== undefined) lastCalls.set(key, callId)
      const forget = Effect.sync(() => {
        turns.delete(callId)
        resent.delete(callId)
        if (key !== undefined && lastCalls.get(key) === callId) lastCalls.delete(key)
      })
      return Effect.forkDaemon(Effect.ensuring(Effect.exit(turn.response), forget))
    })
  return {
    get: (callId) => turns.get(callId),
    add,
    resume: (callId, key) =>
      Effect.suspend(() => {
        const earlier = lastCalls.get(key) ?? callId
        const turn = turns.get(earlier)
        if (turn === undefined || earlier === callId) return Effect.succeed(undefined)
        resent.add(earlier)
        return Effect.as(add(callId, key, turn), turn)
      }),
    isResent: (callId) => resent.has(callId)
  }
}
