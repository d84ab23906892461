/**
 * A hook for React around `useChat` of the AI SDK: the conversation as it is stored, what happens without a message of the
 * page, uploads, and a stop that stops the turn.
 *
 * ```ts
 * import { Agent } from "coxswain"
 * import type { InferUIMessage } from "coxswain/layers/ai-sdk"
 * import { useCoxswain } from "coxswain/react"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * class Trips extends kit.Service<Trips>()("Trips", { name: "Trips" }) {}
 *
 * export const useTrips = (id: string, token: string) =>
 *   useCoxswain<InferUIMessage<typeof Trips.Service>>({ id, headers: { authorization: `Bearer ${token}` } })
 * ```
 *
 * Needs `@ai-sdk/react`, `ai` and `react`. It runs in browsers, and imports nothing of Effect.
 *
 * @since 0.2.0
 */
export { type Changed, merge } from "./merge.js"
export { type Helpers, type Options, useCoxswain } from "./useCoxswain.js"
