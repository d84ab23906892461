/** Sends a request and reads its answer, whole or as server-sent events, for the providers that have a `Wire`. */
import * as AiError from "@effect/ai/AiError"
import type * as Response from "@effect/ai/Response"
import { addGenAIAnnotations } from "@effect/ai/Telemetry"
import * as Sse from "@effect/experimental/Sse"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { Span } from "effect/Tracer"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import type { Question, StreamParts, Wire } from "../../services/model/call/Wire.js"
import * as Telemetry from "../../services/model/Telemetry.js"
import { type Forms, validPrompt } from "./ValidPrompt.js"

/** Converts a provider's answers to parts. It never fails: unknown content is ignored. */
export interface Reader {
  /** Converts a whole answer. */
  readonly whole: (answer: Record<string, unknown>) => Array<Response.StreamPartEncoded>
  /** Converts one event of a streamed answer. `name` is its SSE name. */
  readonly event: (event: Record<string, unknown>, name: string) => Array<Response.StreamPartEncoded>
  /**
   * Returns the remaining parts after the end of the stream. If they have no `finish` part, the answer was cut off.
   *
   * @param said - whether the server marked the end
   */
  readonly end: (said: boolean) => Array<Response.StreamPartEncoded>
  /** True after the whole answer, when a later unreadable event does no harm. */
  readonly isComplete: () => boolean
}

/** Joins the parts of a streamed answer into the parts of a whole answer. */
const joined = (parts: ReadonlyArray<Response.StreamPartEncoded>): Array<Response.PartEncoded> => {
  const into: Array<Response.PartEncoded> = []
  const open = new Map<string, AssembledPart>()
  for (const part of parts) {
    if (!isPiece(part)) {
      if (!isPassing(part)) into.push(part)
      continue
    }
    const type = part.type.startsWith("text") ? "text" : "reasoning"
    const key = `${type} ${part.id}`
    const whole: AssembledPart = open.get(key) ?? { type, text: "" }
    if (!open.has(key)) into.push(whole)
    open.set(key, whole)
    if ("delta" in part) whole.text += part.delta
    if (part.metadata !== undefined) addMetadata(whole, part.metadata)
  }
  return into
}

const addMetadata = (whole: AssembledPart, metadata: Response.ProviderMetadata): void => {
  whole.metadata = merged(whole.metadata, metadata)
  // Only the end of such a text shows that it was a thought.
  if (metadata.coxswain?.thought === true) whole.type = "reasoning"
}

/** A text or reasoning part while it is assembled. */
interface AssembledPart {
  type: "text" | "reasoning"
  text: string
  metadata?: Response.ProviderMetadata
}

type Piece = Extract<Response.StreamPartEncoded, { readonly type: `${"text" | "reasoning"}-${string}` }>

const isPiece = (part: Response.StreamPartEncoded): part is Piece => /^(text|reasoning)-/.test(part.type)

/** Parts that exist only in a stream. */
type Passing = Extract<Response.StreamPartEncoded, { readonly type: `tool-params-${string}` | "error" }>

const isPassing = (part: Response.StreamPartEncoded): part is Passing =>
  part.type === "error" || part.type.startsWith("tool-params-")

/** Merges the metadata of one part, which may come in several pieces. */
const merged = (into: Response.ProviderMetadata = {}, from: Response.ProviderMetadata): Response.ProviderMetadata => {
  const all: Record<string, object | undefined> = { ...into }
  for (const [provider, values] of Object.entries(from)) all[provider] = { ...all[provider], ...values }
  return all as Response.ProviderMetadata
}

const note = (span: Span | undefined, parts: Iterable<Response.AnyPartEncoded>): void => {
  if (span === undefined) return
  for (const part of parts) {
    if (part.type === "response-metadata") addGenAIAnnotations(span, { response: { id: part.id, model: part.modelId } })
    else if (part.type === "finish") {
      const { inputTokens, outputTokens } = part.usage
      addGenAIAnnotations(span, { response: { finishReasons: [part.reason] }, usage: { inputTokens, outputTokens } })
    }
  }
}

const parse = (body: string): Either.Either<Record<string, unknown>, string> =>
  Either.filterOrLeft(
    Either.try({ try: (): unknown => JSON.parse(body), catch: reasonOf }),
    Predicate.isRecord,
    () => "expected a JSON object"
  )

/**
 * Reads one event of a stream. Left: the reason why it cannot be read. After the whole answer, unreadable events are
 * ignored.
 */
const readEvent = (reader: Reader, data: string, name: string): Either.Either<Parts, string> => {
  if (data.trim() === "[DONE]") return Either.right(reader.end(true))
  // Some servers send empty data to keep the connection alive.
  if (data.trim() === "") return Either.right([])
  const event = parse(data)
  const parts = Either.isRight(event) ? reader.event(event.right, name) : []
  // Some servers give the reason at the top level of an error event, or as plain text.
  if (name === "error" && !reader.isComplete() && parts.every(({ type }) => type !== "error")) {
    return Either.right([...parts, { type: "error", error: Either.getOrElse(event, () => data) }])
  }
  return Either.isRight(event) || reader.isComplete() ? Either.right(parts) : Either.left(event.left)
}

type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** Removes the key from the text of an error. */
type Clean = (text: string) => string

const unreadable = (method: string, why: string, module: string, clean: Clean) =>
  new AiError.MalformedOutput({ module, method, description: clean(why) })

/** Makes the failure for a server's error message, and removes the key from the message. */
const failed = (part: Response.StreamPartEncoded & { readonly type: "error" }, module: string, clean: Clean) =>
  new AiError.UnknownError({ module, method: "answer", description: clean(said(part.error)) })

/** Returns our names of the tools that the provider runs, by the provider's names. */
export const hosted = ({ tools }: Question): ReadonlyMap<string, string> =>
  new Map(tools.flatMap((tool) => tool.hosted === undefined ? [] : [[tool.hosted.providerName, tool.name]]))

/** The providers' names in the telemetry conventions. */
const providers: Readonly<Record<string, string>> = {
  OpenAi: "openai",
  OpenAiCompatible: "openai_compatible",
  Anthropic: "anthropic",
  Google: "gcp.gemini"
}

/** Makes the `Wire` of a provider that answers POST requests. */
export const make = (options: {
  /** The name of the module in errors. */
  readonly module: string
  /** The provider's name in telemetry, if it does not follow from `module`. */
  readonly provider?: string | undefined
  readonly model: string
  /** A client that fails for statuses of 400 and above. */
  readonly http: HttpClient.HttpClient
  readonly clean: Clean
  /** The forms of ids and names that the vendor wants. */
  readonly forms: Forms
  /** Builds the request of a question whose prompt is valid. May throw if the question cannot be expressed. */
  readonly request: (question: Question, stream: boolean) => Effect.Effect<HttpClientRequest.HttpClientRequest>
  /**
   * Makes the reader of an answer. `unique` differs for each answer; ids that the server leaves out are generated from
   * it.
   */
  readonly reader: (question: Question, unique: string) => Reader
}): Wire => {
  const { clean, http, model, module } = options
  const typed = (method: string) => (error: HttpClientError.HttpClientError): Effect.Effect<never, AiError.AiError> =>
    error._tag === "RequestError"
      ? Effect.fail(AiError.HttpRequestError.fromRequestError({ module, method, error }))
      : AiError.HttpResponseError.fromResponseError({ module, method, error })
  const send = (question: Question, stream: boolean) => {
    if (question.span !== undefined) {
      Telemetry.provider(question.span, options.provider ?? providers[module] ?? module.toLowerCase())
      addGenAIAnnotations(question.span, { operation: { name: "chat" }, request: { model } })
    }
    const valid = () => ({ ...question, prompt: validPrompt(question.prompt, options.forms) })
    return Effect.suspend(() => options.request(valid(), stream)).pipe(
      Effect.catchAllDefect((cause) =>
        Effect.fail(new AiError.MalformedInput({ module, method: "request", description: String(cause), cause }))
      ),
      Effect.flatMap((request) => Effect.catchAll(http.execute(request), typed(stream ? "streamText" : "generateText")))
    )
  }
  const reading = (question: Question): Effect.Effect<Reader> =>
    Effect.map(Random.nextInt, (n) => options.reader(question, Math.abs(n).toString(36)))

  return {
    whole: (question) =>
      Effect.gen(function*() {
        const response = yield* send(question, false)
        const body = yield* Effect.catchAll(response.text, typed("generateText"))
        const answer = parse(body)
        if (Either.isLeft(answer)) return yield* unreadable("generateText", answer.left, module, clean)
        const parts = (yield* reading(question)).whole(answer.right)
        for (const part of parts) if (part.type === "error") return yield* failed(part, module, clean)
        note(question.span, parts)
        return joined(parts)
      }).pipe(Effect.scoped),
    stream: (question) =>
      Effect.gen(function*() {
        const answer = new Streamed(yield* reading(question), clean, module)
        const response = yield* send(question, true)
        const bytes = yield* Stream.toPull(response.stream)
        const taken = (parts: Either.Either<Parts, AiError.AiError>) => {
          if (Either.isLeft(parts)) return Effect.fail(Option.some(parts.left))
          note(question.span, parts.right)
          return Effect.succeed(parts.right)
        }
        const next: StreamParts = Effect.matchEffect(bytes, {
          onSuccess: (chunk) => taken(answer.feed(chunk)),
          onFailure: (error) =>
            // Errors after the whole answer are ignored.
            Option.isNone(error) || answer.isComplete()
              ? taken(answer.end())
              : Effect.mapError(typed("streamText")(error.value), Option.some)
        })
        return Effect.suspend(() => answer.isOver ? Effect.fail(Option.none()) : next)
      })
  }
}

/** A streamed answer: converts bytes to parts. */
class Streamed {
  /** True once the last part was returned. */
  isOver = false
  private readonly decoder = new TextDecoder()
  /** The text so far, as long as it has no event: some servers send an error, or a whole answer, as JSON instead. */
  private raw: string | undefined = ""
  private readonly events: Array<readonly [data: string, name: string]> = []
  private readonly parser = Sse.makeParser((event) => {
    if (event._tag !== "Event") return
    this.raw = undefined
    this.events.push([event.data, event.event])
  })

  constructor(private readonly reader: Reader, private readonly clean: Clean, private readonly module: string) {}

  isComplete(): boolean {
    return this.reader.isComplete()
  }

  feed(chunk: Iterable<Uint8Array>): Either.Either<Parts, AiError.AiError> {
    for (const bytes of chunk) {
      const text = this.decoder.decode(bytes, { stream: true })
      if (this.raw !== undefined) this.raw += text
      this.parser.feed(text)
    }
    return this.take()
  }

  /** Reads the last event at the end of the stream, because some servers do not terminate it. */
  end(): Either.Either<Parts, AiError.AiError> {
    this.parser.feed("\n\n")
    if (this.raw !== undefined && this.raw.trim() !== "") return this.whole(this.raw)
    const taken = this.take()
    const rest = this.isOver || Either.isLeft(taken) ? [] : this.reader.end(false)
    this.isOver = true
    return rest.length === 0 ? taken : Either.map(taken, (parts) => [...parts, ...rest])
  }

  /** Reads a body without events as one JSON answer. */
  private whole(body: string): Either.Either<Parts, AiError.AiError> {
    this.isOver = true
    const answer = parse(body)
    return Either.isLeft(answer)
      ? this.broken([], `expected server-sent events: ${answer.left}`)
      : Either.right(this.typed(this.reader.whole(answer.right)))
  }

  /** Returns the parts of the events so far, up to the last part. */
  private take(): Either.Either<Parts, AiError.AiError> {
    const parts: Array<Response.StreamPartEncoded> = []
    for (const [data, name] of this.events.splice(0)) {
      const read = readEvent(this.reader, data, name)
      if (Either.isLeft(read)) return this.broken(parts, read.left)
      for (const part of this.typed(read.right)) parts.push(part)
      this.isOver = parts.some(isLast)
      if (this.isOver) return Either.right(parts)
    }
    return Either.right(parts)
  }

  /** Returns the parts up to the last one, with errors of our type. */
  private typed(parts: Parts): Parts {
    const last = parts.findIndex(isLast)
    return (last < 0 ? parts : parts.slice(0, last + 1)).map((part) =>
      part.type === "error" ? { ...part, error: failed(part, this.module, this.clean) } : part
    )
  }

  /** Fails with an error that comes after these parts. */
  private broken(parts: Parts, why: string): Either.Either<Parts, AiError.AiError> {
    this.isOver = true
    const error = unreadable("streamText", why, this.module, this.clean)
    return parts.length === 0 ? Either.left(error) : Either.right([...parts, { type: "error", error }])
  }
}

const isLast = (part: Response.StreamPartEncoded): boolean => part.type === "finish" || part.type === "error"

const said = (error: unknown): string => {
  try {
    return JSON.stringify({ error })
  } catch {
    return "{\"error\":{\"message\":\"the provider failed\"}}"
  }
}
