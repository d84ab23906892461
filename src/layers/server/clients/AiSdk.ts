/**
 * The types of an agent's messages for the AI SDK and its `useChat`.
 *
 * ```ts
 * import { Agent } from "coxswain"
 * import type { InferUIMessage } from "coxswain/layers/ai-sdk"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * class Trips extends kit.Service<Trips>()("Trips", { name: "Trips" }) {}
 *
 * // useChat<Message>(…): a part of type "data-collected" has data.city
 * type Message = InferUIMessage<typeof Trips.Service>
 * ```
 */
import type { UIMessage } from "ai"
import type { Form } from "../../../domain/authored/Form.js"
import type { Json } from "../../../domain/base/Json.js"
import type { StoppedReason } from "../../../domain/turn/TurnResponse.js"

/** The metadata of a message: how its turn ended. */
export interface Metadata {
  readonly stoppedReason: StoppedReason
  readonly completedFlows: ReadonlyArray<string>
}

/**
 * The data parts of a message: the fields that the turn wrote, the position of the conversation, the form or the choices
 * that the message waits for, and the `details` of a tool's output, under the id of its call.
 */
export type DataParts<D> = {
  readonly collected: Partial<D>
  readonly position: { readonly flowId: string; readonly stepId: string }
  readonly expects: Form
  readonly details: { readonly toolId: string; readonly details: Json }
}

/** An agent, by the types of its responses. */
interface Responding {
  readonly schemas: { readonly response: { readonly Type: { readonly collected: unknown } } }
}

type Collected<A extends Responding> = A["schemas"]["response"]["Type"]["collected"]

/** The message type of an agent, for `useChat`. */
export type InferUIMessage<A extends Responding> = UIMessage<
  Metadata,
  { readonly collected: Collected<A> } & Omit<DataParts<unknown>, "collected">
>
