/** The answers of the double of a provider, in the parts of `@effect/ai`. */
import type { Prompt, Response } from "@effect/ai"
import { Effect, Option, Stream } from "effect"
import type { StreamParts } from "../../src/services/model/call/Wire.js"
import { usage, words } from "./scenario.js"

const finish = { type: "finish", reason: "stop", usage } as const

const call = (name: string) => ({ type: "tool-call", id: `call_${name}`, name, params: { room: "12" } }) as const

interface Asked {
  readonly prompt: Prompt.Prompt
  readonly tools: ReadonlyArray<unknown>
}

/** The JSON when that is asked for; with three tools, every other answer calls two of them. */
export const answer = ({ prompt, tools }: Asked, json: string | undefined): Array<Response.PartEncoded> => {
  if (json !== undefined) return [{ type: "text", text: json }, finish]
  const isWorking = tools.length === 3 && prompt.content.at(-1)?.role !== "tool"
  return isWorking ? [call("tool_0"), call("tool_1"), finish] : [{ type: "text", text: "Certainly." }, finish]
}

const pieces: ReadonlyArray<Response.StreamPartEncoded> = [
  { type: "text-start", id: "t" },
  ...words.map((delta) => ({ type: "text-delta", id: "t", delta }) as const),
  { type: "text-end", id: "t" },
  finish
]

/** An answer word by word, each as it would come from the wire. */
export const streamed: Stream.Stream<Response.StreamPartEncoded> = Stream.rechunk(Stream.fromIterable(pieces), 1)

/** The same, as those wires give it that the library reads itself. */
export const pulled: Effect.Effect<StreamParts> = Effect.sync(() => {
  let next = 0
  return Effect.suspend(() => {
    const piece = pieces[next++]
    return piece === undefined ? Effect.fail(Option.none()) : Effect.succeed([piece])
  })
})
