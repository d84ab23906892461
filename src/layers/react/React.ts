/**
 * A hook for React, based on `useChat` of the AI SDK. It adds the stored conversation, changes that other clients
 * cause, uploads, and a `stop` that also ends the turn on the server.
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
 */
export { type Changed, merge } from "./merge.js"
export { type Helpers, type Options, useCoxswain } from "./useCoxswain.js"
