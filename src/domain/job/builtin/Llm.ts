/** Model calls in the background. */
import * as Schema from "effect/Schema"
import { ResponseGenerationError } from "../../base/error/Errors.js"
import { Json, JsonObject } from "../../base/Json.js"
import { PositiveCount, ToolChoice } from "../../code/ToolChoice.js"
import { optional } from "../../fields/Fields.js"
import { make } from "../Job.js"
import { builtIn } from "./BuiltIn.js"

/** An optional field with a default, in the constructor and in decoding. */
const defaulted = <A, I>(schema: Schema.Schema<A, I>, value: NoInfer<A>) =>
  Schema.optionalWith(schema, { exact: true, default: () => value }).pipe(Schema.withConstructorDefault(() => value))

/** An encoded time span: milliseconds, or words such as `"30 seconds"`. */
const Span = Schema.Union(Schema.NonNegative, Schema.String)

/** A message of a call: its text. */
export const LlmMessage = Schema.Struct({
  role: Schema.Literal("system", "user", "assistant"),
  content: Schema.String
}).annotations({ identifier: "LlmMessage" })

/** A tool that the model may call. The job does not run its calls, but returns them in its result. */
export const LlmTool = Schema.Struct({
  name: Schema.NonEmptyString,
  description: optional(Schema.String),
  /** JSON Schema of the arguments. */
  parameters: optional(JsonObject)
}).annotations({ identifier: "LlmTool" })

const asked = {
  /** The caller's own id of the call. */
  id: optional(Schema.String),
  /** The alias of a model. Default: the model with which the agent speaks. */
  model: optional(Schema.NonEmptyString),
  systemPrompt: optional(Schema.String),
  messages: Schema.NonEmptyArray(LlmMessage),
  tools: optional(Schema.Array(LlmTool)),
  toolChoice: defaulted(ToolChoice, "auto"),
  maxTokens: defaulted(PositiveCount, 1024),
  temperature: defaulted(Schema.NonNegative, 0.2),
  /** Time limit of one attempt, in milliseconds or words. Default: the agent's `timeouts.model`. */
  timeout: optional(Span),
  metadata: optional(JsonObject)
}

/** The answer of a model. */
export const LlmResult = Schema.Struct({
  text: Schema.String,
  toolCalls: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, params: Json })),
  usage: Schema.Struct({
    inputTokens: Schema.Number,
    outputTokens: Schema.Number,
    cachedInputTokens: Schema.Number
  }),
  finishReason: Schema.String
}).annotations({ identifier: "LlmResult" })

/** A piece of a streamed answer. */
export const LlmDelta = Schema.Union(
  Schema.TaggedStruct("Text", { text: Schema.String }),
  Schema.TaggedStruct("Reasoning", { text: Schema.String })
).annotations({ identifier: "LlmDelta" })

/** Calls a model and streams its text and reasoning as progress. */
export class LlmStream extends builtIn(make("llm.stream", {
  payload: asked,
  success: LlmResult,
  error: ResponseGenerationError,
  progress: LlmDelta
})) {}

/** Calls a model for a complete answer. */
export class LlmGenerate extends builtIn(make("llm.generate", {
  payload: asked,
  success: LlmResult,
  error: ResponseGenerationError
})) {}

/** Embeds texts with the `EmbeddingModel` provided to the agent. */
export class LlmEmbed extends builtIn(make("llm.embed", {
  payload: {
    /** Name of the expected embedding model. The call is refused if another one is provided. */
    model: optional(Schema.NonEmptyString),
    texts: Schema.Union(Schema.String, Schema.NonEmptyArray(Schema.String)),
    /** Expected length of the vectors. The job fails if one has another length. */
    dimensions: optional(PositiveCount),
    timeout: optional(Span),
    metadata: optional(JsonObject)
  },
  success: Schema.Struct({ embeddings: Schema.Array(Schema.Array(Schema.Number)), count: Schema.Int }),
  error: ResponseGenerationError
})) {}
