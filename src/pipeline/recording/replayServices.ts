/**
 * The understanding, model and tools of a replay: they answer from the record, and note requests that it does not
 * contain.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ToolExecutionError, TurnError } from "../../domain/base/error/Errors.js"
import { ResponseGenerationError } from "../../domain/base/error/Errors.js"
import { head, isJson, type Json, type JsonObject, recordOf } from "../../domain/base/Json.js"
import { HookFailure, type Values } from "../../domain/definition/Definition.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import type { Called, End, Spoken, TurnEntry, Understood, Used } from "../../domain/turn/TurnEntry.js"
import { ToolGave } from "../../domain/turn/TurnEntry.js"
import { type Unused, unused } from "../../domain/turn/Unused.js"
import * as RecordedAnswer from "../../services/model/call/RecordedAnswer.js"
import type * as Model from "../../services/model/Model.js"
import * as RecordedCall from "../../services/tool/RecordedCall.js"
import * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import * as Understanding from "../../services/understanding/Understanding.js"
import type { Runtime } from "../state/TurnState.js"
import * as CallFingerprints from "./callFingerprints.js"
import { again, isDropped, only } from "./exitCodec.js"
import { EncodedValues } from "./inputs.js"

/** A request that a replayed turn makes to understanding or to a model, with the recorded answer. */
export interface ReplayedRequest {
  readonly request: Understanding.Questions | Model.ModelCall
  readonly answer: Understood | Spoken
  /** True if the recorded turn made exactly this request. */
  readonly isSame: boolean
}

/** Options of the services of a replayed turn. */
interface Options {
  /** Receives each request that has a recorded answer. */
  readonly told?: ((asked: ReplayedRequest) => void) | undefined
  /** True if the agent's own understanding and model answer requests that the record does not contain. */
  readonly ask: boolean
  /** Reports the recorded model usage of an answer. */
  readonly report: (used: ReadonlyArray<Used>) => Effect.Effect<void>
  /** Stops the replayed turn; runs at the point where the recorded turn was stopped. */
  readonly stopped: Effect.Effect<never>
}

/**
 * The observations of the services in a replayed turn: its tool calls, and its requests that the record does not
 * contain.
 */
interface Notes {
  readonly missing: Array<string>
  readonly called: Array<string>
  askedAnew: boolean
}

const modelFailures = only<Extract<TurnError, { readonly _tag: "ResponseGenerationError" | "BudgetExceeded" }>>([
  "ResponseGenerationError",
  "BudgetExceeded"
])

const toolFailures = only<ToolExecutionError>(["ToolExecutionError"])

/** Returns the judgements that the recorded turn did not request, or requested with other texts. */
const unasked = (now: Asked, then: Asked = {}): ReadonlyArray<string> =>
  Object.entries(now).flatMap(([kind, marks]) =>
    Object.entries(marks)
      .filter(([name, mark]) => then[kind]?.[name] !== mark)
      .map(([name]) => `the judgement of ${kind.slice(0, -1)} "${name}"`)
  )

/** The fingerprints of questions, by their kind in the plural and their name. */
type Asked = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Decodes recorded answers of Understanding without validation: the pipeline validates them. */
const answersOf = (value: Json): Understanding.Answers => ({
  ...Understanding.none,
  ...recordOf(value)
})

const understanding = (
  runtime: Runtime,
  pile: Unused<Understood>,
  notes: Notes,
  { ask, report, stopped, told }: Options
): Runtime["understanding"] => ({
  answer: (questions) =>
    Effect.suspend(() => {
      const asked = CallFingerprints.ofQuestions(questions)
      const isThen = (one: Understood) => (one.afterwards === true) === (questions.reply !== undefined)
      const found = pile.take((one) => isThen(one) && unasked(asked, one.asked).length === 0, isThen)
      const missing = unasked(asked, found?.asked)
      if (missing.length > 0 && ask) return runtime.understanding.answer(questions)
      for (const one of missing) notes.missing.push(one)
      if (found === undefined) return Effect.succeed(Understanding.none)
      told?.({ request: questions, answer: found, isSame: missing.length === 0 })
      return Effect.zipRight(report(found.used), modelFailures(again(found.end, answersOf, stopped)))
    })
})

const saidOf = (end: End): string => end._tag === "Stopped" ? end.said ?? "" : ""

const decodeAnswer = Schema.decodeUnknownSync(RecordedAnswer.RecordedAnswer)

/**
 * The failure of a speculative call that is not in the record. If the turn needs its answer, it makes the call again.
 */
const notForeseen = new ResponseGenerationError({
  phase: "speak",
  reason: "unknown",
  retryable: false,
  what: "an answer asked for early",
  why: "the record has none",
  fix: "Nothing needs to be done: it is asked for again where it is wanted"
})

const model = (
  runtime: Runtime,
  entry: TurnEntry,
  notes: Notes,
  { ask, report, stopped, told }: Options
): { readonly service: Runtime["model"]; readonly isEmpty: () => boolean } => {
  const pile = unused(entry.spoken.filter(({ speculative }) => speculative === undefined))
  const early = unused(entry.spoken.filter(({ speculative }) => speculative !== undefined))

  const give = (call: Model.ModelCall, found: Spoken) => {
    const { onPart } = call
    const { end, used } = found
    told?.({ request: call, answer: found, isSame: found.asked === CallFingerprints.ofCall(call) })
    const tell = (text: string) => onPart === undefined || text === "" ? Effect.void : onPart({ _tag: "Text", text })
    return report(used).pipe(
      Effect.zipRight(tell(saidOf(end))),
      Effect.zipRight(modelFailures(again(end, (value) => RecordedAnswer.decode(decodeAnswer(value)), stopped))),
      Effect.tap(({ text }) => tell(text))
    )
  }

  /**
   * Replays a speculative call: an abandoned one never resolves; an interrupted one is interrupted at the same point.
   */
  const giveEarly = (call: Model.ModelCall, wanted: Deferred.Deferred<void>) => {
    const found = early.take(({ purpose }) => purpose === call.purpose)
    if (found === undefined) return Effect.fail(notForeseen)
    if (isDropped(found)) return Effect.onInterrupt(Effect.never, () => report(found.used))
    if (found.asked !== CallFingerprints.ofCall(call)) return Effect.fail(notForeseen)
    return found.end._tag === "Stopped"
      ? Effect.zipRight(Deferred.await(wanted), give(call, found))
      : give(call, found)
  }

  const service: Runtime["model"] = {
    aliases: runtime.model.aliases,
    ask: (call) =>
      Effect.suspend(() => {
        if (call.speculative !== undefined) return giveEarly(call, call.speculative)
        const mark = CallFingerprints.ofCall(call)
        const isAlike = ({ purpose }: Spoken) => purpose === call.purpose
        const found = pile.take((one) => isAlike(one) && one.asked === mark, isAlike)
        if (call.purpose === "speak" && found?.asked !== mark) {
          notes.askedAnew = true
          if (ask) return runtime.model.ask(call)
          notes.missing.push("an answer of the model")
        }
        if (found !== undefined) return give(call, found)
        return ask ? runtime.model.ask(call) : Effect.die(new NotRecorded())
      })
  }
  return { service, isEmpty: pile.isEmpty }
}

/** The defect for a request without a recorded answer; it ends the turn. */
export class NotRecorded extends Error {
  override readonly name = "NotRecorded"
}

const decodeEncoded = Schema.decodeUnknownSync(EncodedValues)
type Result = Extract<typeof ToolGave.Type, { readonly _tag: "ToolResult" }>

const decodeGave = Schema.decodeUnknownSync(ToolGave)

/** Delays a call by its position in the record, so that concurrent calls complete in the recorded order. */
const inOrder = (at: number): Effect.Effect<void> => Effect.repeatN(Effect.yieldNow(), at)

/** A tool call as text, in reports. */
export const callText = (toolId: string, params: unknown): string =>
  `${toolId}(${isJson(params) ? head(params, 120) : ""})`

const executor = (
  runtime: Runtime,
  entry: TurnEntry,
  notes: Notes,
  { stopped }: Options
): { readonly service: Runtime["executor"]; readonly isEmpty: () => boolean } => {
  const pile = unused(entry.called)
  const find = ({ context: { callId }, params, tool: { id } }: ToolExecutor.ToolInvocation) => {
    const text = JSON.stringify(isJson(params) ? params : null)
    const same = (one: Called) => one.toolId === id && JSON.stringify(one.params) === text
    return pile.take((one) => same(one) && one.callId === callId, same)
  }
  const notRecorded = (call: ToolExecutor.ToolInvocation) => {
    const what = `a result of ${callText(call.tool.id, call.params)}`
    notes.missing.push(what)
    return ToolExecutor.failure("not_recorded", `${what} is not in the record`)
  }
  const read = Decode.effect(runtime.directive)

  const give = ({ context: { dispatch, latest } }: ToolExecutor.ToolInvocation, found: Called) =>
    Effect.zipRight(
      inOrder(entry.called.indexOf(found)),
      RecordedCall.again(
        { latest, dispatch: (directive) => Effect.ignore(dispatch(directive)) },
        found.dispatched,
        // A call that waits for a person ends in the same way; it has no directive.
        toolFailures(again(found.end, (value) => decodeGave(value) as Result, stopped)),
        (directive) => Effect.orDie(read(directive))
      )
    )

  /**
   * A tool that has changed since the recording: the call passes the current checks of the tool and then returns the
   * recorded result.
   */
  const gated = (found: Called | undefined) =>
    ToolExecutor.make((call) =>
      found === undefined || (found.end._tag === "Gave" && decodeGave(found.end.value)._tag !== "ToolResult")
        ? Effect.sync(() => notRecorded(call))
        : give(call, found)
    )

  const service: Runtime["executor"] = {
    execute: (call) =>
      Effect.suspend(() => {
        notes.called.push(callText(call.tool.id, call.params))
        const found = find(call)
        return found !== undefined && found.fingerprint === call.tool.fingerprint()
          ? give(call, found)
          : gated(found).execute(call)
      })
  }
  return { service, isEmpty: pile.isEmpty }
}

/** Replays the result of the agent's `contextProvider`. */
export const providedContext = (
  end: End,
  decode: (values: JsonObject, withheld: ReadonlyArray<string>) => Values
): Effect.Effect<Values, HookFailure> =>
  again(end, (value) => {
    const { values, withheld } = decodeEncoded(value)
    return decode(values, withheld)
  }, Effect.never).pipe(
    Effect.mapError((error) => error._tag === "HookFailure" ? error : new HookFailure({ error }))
  )

/** Makes the services that answer a replayed turn from the record, and returns what they observed. */
export const make = (runtime: Runtime, entry: TurnEntry, options: Options) => {
  const notes: Notes = { missing: [], called: [], askedAnew: false }
  const understood = unused(entry.understood)
  const spoken = model(runtime, entry, notes, options)
  const called = executor(runtime, entry, notes, options)
  const asked = entry.spoken.filter((one) => !isDropped(one))
  const ends = [...entry.understood, ...asked, ...entry.called].map(({ end }) => end)
  const stopsInside = ends.some(({ _tag }) => _tag === "Stopped")
  const isOver = () => understood.isEmpty() && spoken.isEmpty() && called.isEmpty()
  return {
    services: {
      understanding: understanding(runtime, understood, notes, options),
      model: spoken.service,
      executor: called.service
    },
    missing: notes.missing,
    called: notes.called,
    askedAnew: () => notes.askedAnew,
    /**
     * Stops the replayed turn after its last recorded answer, if the recorded turn was stopped between two requests.
     */
    between: Effect.suspend(() => !stopsInside && isOver() ? options.stopped : Effect.void)
  }
}
