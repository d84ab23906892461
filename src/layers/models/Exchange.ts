/**
 * One question over HTTP and one answer read with leniency, whole or as server-sent events: what the layers have in
 * common that speak to a vendor themselves. A vendor adds how a request is written and how an event is read.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import * as IdGenerator from "@effect/ai/IdGenerator"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import { addGenAIAnnotations } from "@effect/ai/Telemetry"
import * as Tool from "@effect/ai/Tool"
import * as Sse from "@effect/experimental/Sse"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/**
 * Collects what a vendor says and turns it into parts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reader<Event> {
  readonly add: (event: Event) => ReadonlyArray<Response.StreamPartEncoded>
  /** The parts that end an answer. */
  readonly end: () => ReadonlyArray<Response.StreamPartEncoded>
  /** Whether the vendor said why it stopped; a stream without that was cut off. */
  readonly stopped: boolean
  /** What the vendor failed with, in its words. */
  readonly failure: unknown
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Vendor<Event> {
  /** For errors and spans. */
  readonly name: string
  readonly model: string
  readonly request: (
    asked: LanguageModel.ProviderOptions,
    stream: boolean
  ) => Effect.Effect<HttpClientRequest.HttpClientRequest>
  /** Fails for nothing but what is no object. */
  readonly event: Schema.Schema<Event, any>
  /** A whole answer as the events it would have been streamed in. */
  readonly events: (answer: unknown) => ReadonlyArray<unknown>
  /** `seed` is new for each answer, for ids the vendor leaves out. */
  readonly reader: (asked: LanguageModel.ProviderOptions, seed: string) => Reader<Event>
}

type Parts = ReadonlyArray<Response.StreamPartEncoded>

const annotate = (asked: LanguageModel.ProviderOptions, parts: Parts) => {
  for (const part of parts) {
    if (part.type === "response-metadata") {
      addGenAIAnnotations(asked.span, { response: { id: part.id, model: part.modelId } })
    } else if (part.type === "finish") {
      const { inputTokens, outputTokens } = part.usage
      addGenAIAnnotations(asked.span, {
        response: { finishReasons: [part.reason] },
        usage: { inputTokens, outputTokens }
      })
    }
  }
}

type Words = { type: "text" | "reasoning"; text: string; metadata: Record<string, Record<string, unknown>> }

const merged = (into: Words["metadata"], from: Response.ProviderMetadata | undefined) => {
  for (const [provider, values] of Object.entries(from ?? {})) into[provider] = { ...into[provider], ...values }
}

/** The parts of a whole answer, from the parts of the same answer streamed. */
const whole = (parts: Parts): Array<Response.PartEncoded> => {
  const into: Array<Words | Response.PartEncoded> = []
  const open = new Map<string, Words>()
  for (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const words: Words = { type: part.type === "text-start" ? "text" : "reasoning", text: "", metadata: {} }
        merged(words.metadata, part.metadata)
        open.set(part.id, words)
        into.push(words)
        break
      }
      case "text-delta":
      case "reasoning-delta": {
        const words = open.get(part.id)!
        words.text += part.delta
        merged(words.metadata, part.metadata)
        break
      }
      case "text-end":
      case "reasoning-end":
        merged(open.get(part.id)!.metadata, part.metadata)
        break
      case "tool-params-start":
      case "tool-params-delta":
      case "tool-params-end":
      case "error":
        break
      default:
        into.push(part)
    }
  }
  return into as Array<Response.PartEncoded>
}

/**
 * Arguments that are no JSON are handed on as they are: whoever decodes them tells the model what is wrong.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parameters = (text: string): unknown => {
  if (text.trim() === "") return {}
  try {
    return Tool.unsafeSecureJsonParse(text)
  } catch {
    return text
  }
}

/**
 * The tools among those offered that the vendor runs itself: the name we know each by, by the vendor's name for it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const hosted = (tools: ReadonlyArray<Tool.Any>): ReadonlyMap<string, string> =>
  new Map(
    tools.flatMap((tool) => Tool.isProviderDefined(tool) ? [[tool.providerName, tool.name] as const] : [])
  )

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = <Event>(
  http: HttpClient.HttpClient,
  clean: (text: string) => string,
  vendor: Vendor<Event>
): Effect.Effect<LanguageModel.Service> => {
  const module = vendor.name
  const decode = Schema.decodeUnknown(vendor.event)
  const decodeText = Schema.decode(Schema.parseJson(vendor.event))
  const typed = (
    method: string,
    error: HttpClientError.HttpClientError | ParseError | AiError.AiError
  ): Effect.Effect<never, AiError.AiError> => {
    switch (error._tag) {
      case "RequestError":
        return Effect.fail(AiError.HttpRequestError.fromRequestError({ module, method, error }))
      case "ResponseError":
        return AiError.HttpResponseError.fromResponseError({ module, method, error })
      case "ParseError":
        return Effect.fail(AiError.MalformedOutput.fromParseError({ module, method, error }))
      default:
        return Effect.fail(error)
    }
  }
  const post = (asked: LanguageModel.ProviderOptions, stream: boolean) => {
    addGenAIAnnotations(asked.span, { operation: { name: "chat" }, request: { model: vendor.model } })
    return Effect.flatMap(vendor.request(asked, stream), http.execute)
  }
  /** Whatever a reader stumbles over is an answer that cannot be read, not the end of the process. */
  const add = (reader: Reader<Event>, method: string, event: Event): Effect.Effect<Parts, AiError.AiError> =>
    Effect.flatMap(
      Effect.try({
        try: () => reader.add(event),
        catch: (cause) =>
          new AiError.MalformedOutput({ module, method, description: "the answer could not be read", cause })
      }),
      (parts) => {
        if (reader.failure === undefined) return Effect.succeed(parts)
        const description = clean(JSON.stringify({ error: reader.failure }))
        return Effect.fail(new AiError.UnknownError({ module, method, description }))
      }
    )

  const generateText = (asked: LanguageModel.ProviderOptions) =>
    Effect.gen(function*() {
      const method = "generateText"
      const reader = vendor.reader(asked, yield* (yield* IdGenerator.IdGenerator).generateId())
      const answer = yield* post(asked, false).pipe(
        Effect.flatMap((response: HttpClientResponse.HttpClientResponse) => response.json),
        Effect.scoped
      )
      const parts: Array<Response.StreamPartEncoded> = []
      for (const each of vendor.events(answer)) parts.push(...(yield* add(reader, method, yield* decode(each))))
      // A whole answer has come to its end, even if it does not say why.
      parts.push(...reader.end())
      annotate(asked, parts)
      return whole(parts)
    }).pipe(Effect.catchAll((error) => typed("generateText", error)))

  const streamText = (asked: LanguageModel.ProviderOptions) =>
    Stream.unwrap(Effect.map(Effect.flatMap(IdGenerator.IdGenerator, (ids) => ids.generateId()), (seed) => {
      const method = "streamText"
      const reader = vendor.reader(asked, seed)
      let pending: Array<string> = []
      const parser = Sse.makeParser((event) => {
        if (event._tag === "Event" && event.data.trim() !== "") pending.push(event.data)
      })
      const take = (data: string): Effect.Effect<Parts, AiError.AiError | ParseError> =>
        Effect.catchAll(
          Effect.flatMap(decodeText(data), (event) => add(reader, method, event)),
          // What comes after the vendor said why it stopped does not undo what it said before.
          (error) => reader.stopped ? Effect.succeed<Parts>([]) : Effect.fail(error)
        )
      const taken = (): Effect.Effect<Chunk.Chunk<Response.StreamPartEncoded>, AiError.AiError | ParseError> => {
        const events = pending
        pending = []
        if (events.length === 0) return Effect.succeed(Chunk.empty())
        return Effect.map(Effect.forEach(events, take), (parts) => {
          const all = parts.flat()
          annotate(asked, all)
          return Chunk.unsafeFromArray(all)
        })
      }
      /** The last event may lack the empty line that ends it. One that was cut off within says nothing. */
      const last = Effect.suspend(() => {
        parser.feed("\n\n")
        return Effect.orElseSucceed(taken(), () => Chunk.empty<Response.StreamPartEncoded>())
      })
      return post(asked, true).pipe(
        Effect.map((response) => response.stream),
        Stream.unwrapScoped,
        Stream.decodeText(),
        Stream.mapChunksEffect((text) => {
          for (const piece of text) parser.feed(piece)
          return taken()
        }),
        Stream.catchAll((error) => reader.stopped ? Stream.empty : Stream.fromEffect(typed(method, error))),
        Stream.concat(Stream.unwrap(Effect.map(last, Stream.fromChunk))),
        // Without a finish part it is known to have been cut off.
        Stream.concat(Stream.suspend(() => {
          if (!reader.stopped) return Stream.empty
          const parts = reader.end()
          annotate(asked, parts)
          return Stream.fromIterable(parts)
        }))
      )
    }))

  return LanguageModel.make({ generateText, streamText })
}
