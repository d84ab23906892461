/**
 * A `LanguageModel` of rules and templates: it answers a prompt, calls a tool that the message names, and fills
 * objects.
 */
import * as IdGenerator from "@effect/ai/IdGenerator"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Brief from "../../domain/brief/Brief.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { extract } from "./Extract.js"
import { completed, fieldsOfJson } from "./JsonFields.js"
import { read } from "./Reading.js"
import type { PromptFacts } from "./Speak.js"
import { heard, speak } from "./Speak.js"
import { conceptsOf, coverage } from "./Topics.js"
import { identifierWords } from "./Words.js"

interface Answer {
  readonly text: string
  readonly call: { readonly name: string; readonly params: unknown } | undefined
  readonly usage: Response.FinishPartEncoded["usage"]
}

// For a schema without a JSON schema there is nothing to fill.
const schemaOf = Option.liftThrowable((make: () => object): object => make())

const jsonOf = (make: () => object): object => Option.getOrElse(schemaOf(make), () => ({}))

/** Returns the tools that may be called, and if a call is required. */
const callable = ({ toolChoice, tools }: LanguageModel.ProviderOptions) => {
  if (toolChoice === "none") return { tools: [], must: false }
  if (typeof toolChoice !== "object") return { tools, must: toolChoice === "required" }
  return "tool" in toolChoice
    ? { tools: tools.filter(({ name }) => name === toolChoice.tool), must: true }
    : { tools: tools.filter(({ name }) => toolChoice.oneOf.includes(name)), must: toolChoice.mode === "required" }
}

/**
 * Returns a call of the tool that the message names, if the message and the known values give all its required
 * arguments.
 */
const callFor = (options: LanguageModel.ProviderOptions, brief: PromptFacts, now: Date): Answer["call"] => {
  const { must, tools } = callable(options)
  if (tools.length === 0 || brief.results.length > 0) return undefined
  const message = conceptsOf(brief.message)
  const reading = read(brief.message, now)
  const found = tools.flatMap((tool) => {
    const fit = Math.max(coverage(message, identifierWords(tool.name)), coverage(message, tool.description ?? ""))
    if (fit < 0.6 && !must) return []
    const fields = fieldsOfJson(jsonOf(() => Tool.getJsonSchemaFromSchemaAst(tool.parametersSchema.ast)))
    const asked = fields.map((field) => ({ ...field, asked: fields.length === 1 && must }))
    const known = Object.fromEntries(
      fields.flatMap(({ name }) => Object.hasOwn(brief.known, name) ? [[name, brief.known[name]]] : [])
    )
    const params = { ...known, ...extract(reading, asked, { mayBeBare: must, questions: true }).values }
    const isComplete = fields.every(({ name, required }) => !required || Object.hasOwn(params, name))
    return isComplete ? [{ fit, name: tool.name, params }] : []
  })
  const [best] = found.sort((one, other) => other.fit - one.fit)
  return best && { name: best.name, params: best.params }
}

const objectFor = (schema: object, brief: PromptFacts, now: Date): string => {
  const { values } = extract(read(brief.message, now), fieldsOfJson(schema), { mayBeBare: false, questions: true })
  return JSON.stringify(completed(values, schema))
}

const tokens = (length: number): number => Math.ceil(length / 4)

/** Summarizes by the last words of each user message. */
const summaryOf = ({ before = "", messages, words }: Brief.Summarizing): string =>
  [before, ...messages.flatMap((message) => message.role === "user" ? [Transcript.textOf(message)] : [])]
    .join(" ").split(/\s+/).filter((word) => word !== "").slice(-words).join(" ")

const answerTo = (options: LanguageModel.ProviderOptions): Effect.Effect<Answer> => {
  const asked = Brief.summarizingOf(options.prompt)
  if (asked === undefined) return conversing(options)
  const text = summaryOf(asked) || "Nothing was said."
  const inputTokens = tokens(JSON.stringify(options.prompt).length)
  const outputTokens = tokens(text.length)
  return Effect.succeed({
    text,
    call: undefined,
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
  })
}

const conversing = (options: LanguageModel.ProviderOptions): Effect.Effect<Answer> =>
  Effect.map(Clock.currentTimeMillis, (millis) => {
    const now = new Date(millis)
    const brief = heard(options.prompt)
    const format = options.responseFormat
    const call = format.type === "json" ? undefined : callFor(options, brief, now)
    const text = call !== undefined
      ? ""
      : format.type === "json"
      ? objectFor(jsonOf(() => Tool.getJsonSchemaFromSchemaAst(format.schema.ast)), brief, now)
      : speak(brief, now)
    const inputTokens = tokens(brief.length)
    const outputTokens = tokens(text.length + (call === undefined ? 0 : JSON.stringify(call.params).length))
    return { text, call, usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } }
  })

const toolCall = (call: NonNullable<Answer["call"]>): Effect.Effect<
  Response.ToolCallPartEncoded,
  never,
  IdGenerator.IdGenerator
> =>
  Effect.flatMap(
    IdGenerator.IdGenerator,
    (ids) => Effect.map(ids.generateId(), (id) => ({ type: "tool-call", id, name: call.name, params: call.params }))
  )

const finish = ({ call, usage }: Answer): Response.FinishPartEncoded => ({
  type: "finish",
  reason: call === undefined ? "stop" : "tool-calls",
  usage
})

const generateText = (options: LanguageModel.ProviderOptions) =>
  Effect.gen(function*() {
    const answer = yield* answerTo(options)
    const said: Response.PartEncoded = answer.call === undefined
      ? { type: "text", text: answer.text }
      : yield* toolCall(answer.call)
    return [said, finish(answer)]
  })

const streamText = (wordDelay: Duration.DurationInput | undefined) => (options: LanguageModel.ProviderOptions) =>
  Stream.unwrap(Effect.gen(function*() {
    const answer = yield* answerTo(options)
    if (answer.call !== undefined) {
      return Stream.make<Array<Response.StreamPartEncoded>>(yield* toolCall(answer.call), finish(answer))
    }
    const words = Stream.fromIterable(answer.text.split(/(?<=\s)(?=\S)/)).pipe(
      Stream.map((delta): Response.StreamPartEncoded => ({ type: "text-delta", id: "0", delta }))
    )
    const paced = wordDelay === undefined ? words : Stream.tap(words, () => Effect.sleep(wordDelay))
    return Stream.make<Array<Response.StreamPartEncoded>>({ type: "text-start", id: "0" }).pipe(
      Stream.concat(paced),
      Stream.concat(
        Stream.make<Array<Response.StreamPartEncoded>>({ type: "text-end", id: "0" }, finish(answer))
      )
    )
  }))

/**
 * @internal
 */
export const make = (wordDelay: Duration.DurationInput | undefined): Effect.Effect<LanguageModel.Service> =>
  LanguageModel.make({ generateText, streamText: streamText(wordDelay) })
