/** Options of an agent that had another name in version 0.1. */
import type { ErasedAgent } from "../Erase.js"

/** Moves the options to their current names. An old name is used only if the new one is absent. */
export const renamed = ({ agenda, agendaTurns, ...options }: ErasedAgent): ErasedAgent => ({
  ...options,
  ...(agenda !== undefined && options.pendingIntents === undefined && { pendingIntents: agenda }),
  ...(agendaTurns !== undefined && options.pendingIntentTurns === undefined && { pendingIntentTurns: agendaTurns })
})
