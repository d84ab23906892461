/**
 * A scripted language model that streams its answer in pieces. An Effect among the pieces runs when the model reaches it,
 * in streamed and in whole answers, so that a test can act in between.
 */
import { type AiError, LanguageModel, type Response } from "@effect/ai"
import { Chunk, Effect, Layer, Stream } from "effect"

export type Piece =
  | string
  | { readonly think: string }
  | { readonly call: string; readonly params?: unknown; readonly id?: string }
  | { readonly error: unknown }
  | Effect.Effect<unknown, AiError.AiError>

export interface Line {
  readonly say: ReadonlyArray<Piece>
  /** Why the answer ends; `"none"` leaves the finish part out. */
  readonly finish?: Response.FinishReason | "none"
}

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 } as const

const isEffect = (piece: Piece): piece is Effect.Effect<unknown, AiError.AiError> => Effect.isEffect(piece)

const finishOf = ({ finish, say }: Line): ReadonlyArray<Response.FinishPartEncoded> =>
  finish === "none" ? [] : [{
    type: "finish",
    reason: finish ?? (say.some((piece) => typeof piece === "object" && "call" in piece) ? "tool-calls" : "stop"),
    usage
  }]

type Plain = Exclude<Piece, Effect.Effect<unknown, AiError.AiError>>

const callOf = (piece: Extract<Plain, { readonly call: string }>): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id: piece.id ?? `call_${piece.call}`,
  name: piece.call,
  params: piece.params ?? {}
})

const streamed = (piece: Plain, i: number): ReadonlyArray<Response.StreamPartEncoded> => {
  const id = `p${i}`
  if (typeof piece === "string") return [{ type: "text-delta", id: "text", delta: piece }]
  if ("think" in piece) {
    return [
      { type: "reasoning-start", id },
      { type: "reasoning-delta", id, delta: piece.think },
      { type: "reasoning-end", id }
    ]
  }
  return "call" in piece ? [callOf(piece)] : [{ type: "error", error: piece.error }]
}

const whole = (pieces: ReadonlyArray<Plain>): ReadonlyArray<Response.PartEncoded> => {
  const parts: Array<Response.PartEncoded> = []
  const words = pieces.filter((piece) => typeof piece === "string").join("")
  let said = false
  for (const piece of pieces) {
    if (typeof piece === "string") {
      if (!said) parts.push({ type: "text", text: words })
      said = true
    } else if ("think" in piece) parts.push({ type: "reasoning", text: piece.think })
    else if ("call" in piece) parts.push(callOf(piece))
  }
  return parts
}

/** `answer` gives the answer of each model call, counted from 0. */
export const make = (
  answer: (index: number, asked: LanguageModel.ProviderOptions) => Line | ReadonlyArray<Piece>
) => {
  let calls = 0
  /** The number of pieces streamed so far. */
  let taken = 0
  const next = (options: LanguageModel.ProviderOptions): Line => {
    const answered = answer(calls++, options)
    const line = "say" in answered ? answered : { say: answered }
    if (options.tools.length > 0) return line
    // A model cannot call tools that are not offered.
    const say = line.say.filter((piece) => typeof piece === "string" || isEffect(piece) || !("call" in piece))
    return say.length === line.say.length || say.some((piece) => typeof piece === "string" && piece.trim() !== "")
      ? { ...line, say }
      : { ...line, say: [...say, "Well."] }
  }
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) =>
        Effect.suspend(() => {
          const line = next(options)
          return Effect.forEach(line.say, (piece) => isEffect(piece) ? Effect.as(piece, []) : Effect.succeed([piece]))
            .pipe(Effect.map((pieces) => [...whole(pieces.flat()), ...finishOf(line)]))
        }),
      streamText: (options) =>
        Stream.suspend(() => {
          const line = next(options)
          return Stream.fromIterable(line.say).pipe(
            Stream.rechunk(1),
            Stream.zipWithIndex,
            Stream.mapEffect(([piece, i]) =>
              isEffect(piece)
                ? Effect.as(piece, Chunk.empty<Response.StreamPartEncoded>())
                : Effect.sync(() => {
                  taken++
                  return Chunk.fromIterable(streamed(piece, i))
                })
            ),
            Stream.concat(Stream.make(Chunk.fromIterable<Response.StreamPartEncoded>(finishOf(line)))),
            Stream.filter(Chunk.isNonEmpty),
            Stream.flattenChunks
          )
        })
    })
  )
  return { layer, calls: () => calls, taken: () => taken }
}
