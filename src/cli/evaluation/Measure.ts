/**
 * Measures how well messages are understood. Each labelled message is played twice from the same position: once as
 * labelled, and once as the model understands it. The understanding counts as correct if both turns have the same
 * outcome: position, data, tool calls, signals.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import { later } from "../../layers/server/past/demoClock.js"
import { makeHandle } from "../../pipeline/agent/handle.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import { believed } from "../../pipeline/understanding/evidence.js"
import type { Questions, Service as Understanding } from "../../services/understanding/Understanding.js"
import { matches, show } from "../../testing/conversation/Match.js"
import { answersOf } from "../../testing/script/ScriptPlayer.js"
import { mute } from "../SilentModel.js"
import * as ByQuestion from "./ByQuestion.js"
import type { Labelled } from "./Labelled.js"
import type { Spent } from "./Spent.js"

type Conversation = Labelled["conversations"][number]
type Means = Conversation["turns"][number]["means"]

/** The result for one labelled message. */
export interface Measured extends Spent {
  readonly file: string
  readonly kind: string
  readonly language: string
  readonly user: string
  /** The differences from the outcome of the labelled turn; empty if the message was understood correctly. */
  readonly differs: ReadonlyArray<string>
  /** The questions that were asked about the message, and how they were answered. */
  readonly answered: ReadonlyArray<ByQuestion.Answered>
}

const isFlow = (means: Means, { flows }: Questions, name: string): boolean =>
  flows.some(({ id, title }) => id === name || (typeof means.flow === "string" && title === name))

/**
 * Returns the names in a label that are not among the questions about this message: misspelled names, or names for
 * another message.
 */
const unasked = (means: Means, asked: Questions): ReadonlyArray<string> => {
  const { conditions = [], dontCare = [], fields = {}, flow = {}, signals = [], withdrawn = [] } = means
  const flows = typeof flow === "string" ? [flow] : Object.keys(flow)
  const names = asked.fields.flatMap(({ inside = [], name }) => [name, ...inside.map(({ name }) => name)])
  const texts = asked.conditions.flatMap(({ id, when }) => [id, ...when])
  return [
    ...flows.filter((name) => !isFlow(means, asked, name)).map((name) => `the flow "${name}"`),
    ...[...Object.keys(fields), ...withdrawn, ...dontCare].filter((name) => !names.includes(name))
      .map((name) => `the field "${name}"`),
    // Code recognises a plain yes or no to a question of the library, so these conditions are not among the questions.
    ...conditions.filter((name) => !texts.includes(name) && !name.startsWith("confirm."))
      .map((name) => `the condition ${show(name)}`),
    ...signals.filter((name) => !asked.signals.some(({ id }) => id === name)).map((name) => `the signal "${name}"`)
  ]
}

const labelled = (means: Means, faults: Array<string>): Understanding => ({
  answer: (questions) =>
    Effect.sync(() => {
      for (const what of unasked(means, questions)) faults.push(`the label names ${what}, which is not asked there`)
      return answersOf(means, questions)
    })
})

/** Compares each answer of the understanding with the label. */
const compared = (
  { definition: { flowThreshold }, understanding }: Runtime,
  means: Means,
  into: Array<ByQuestion.Answered>
): Understanding => ({
  answer: (questions) =>
    Effect.tap(understanding.answer(questions), (found) =>
      Effect.sync(() => {
        const { answers } = believed(questions, found)
        for (const one of ByQuestion.compare(questions, answersOf(means, questions), answers, flowThreshold)) {
          into.push(one)
        }
      }))
})

/** A clock that starts at `now`, and continues in real time. */
const startingAt = (now: DateTime.Utc, live: Clock.Clock): Clock.Clock =>
  later(live, DateTime.toEpochMillis(now) - live.unsafeCurrentTimeMillis())

type Answer = TurnResponse<Values, Values>

/** Returns the parts of a turn's outcome that depend on understanding, without the model's words. */
const outcomeOf = ({ session: schema }: Runtime, { response }: { readonly response: Answer }) => {
  const { currentFlow, currentStep, suspended } = response.session
  const { agenda = [], data = {} } = Schema.encodeSync(schema)(response.session) as {
    readonly agenda?: ReadonlyArray<{ readonly flow: string }>
    readonly data?: Values
  }
  return {
    place: `${currentFlow?.id ?? "no flow"}/${currentStep?.id ?? "no step"}`,
    data,
    suspended: suspended.map(({ flow }) => flow),
    agenda: agenda.map(({ flow }) => flow),
    completed: response.completedFlows,
    stopped: response.stoppedReason,
    tools: response.toolCalls.map(({ outcome, toolId }) => `${toolId}: ${outcome}`),
    signals: response.triggeredSignals.map(({ signalId }) => signalId),
    taken: response.directiveChain.filter(({ applied }) => applied).map(({ directive }) => directive.reply ?? "")
  }
}

type Outcome = ReturnType<typeof outcomeOf>

const isSame = (a: unknown, b: unknown): boolean => matches(a, b) && matches(b, a)

const differencesOf = (wanted: Outcome, found: Outcome): ReadonlyArray<string> => {
  const names = Object.keys({ ...wanted.data, ...found.data })
  const fields = names.filter((name) => !isSame(wanted.data[name], found.data[name]))
    .map((name) => `${name}: expected ${show(wanted.data[name])}, found ${show(found.data[name])}`)
  const { data: _w, ...rest } = wanted
  const others = (Object.keys(rest) as ReadonlyArray<keyof typeof rest>).filter((key) =>
    !isSame(wanted[key], found[key])
  )
    .map((key) => `${key}: expected ${show(wanted[key])}, found ${show(found[key])}`)
  return [...fields, ...others]
}

/** Plays the turns as labelled, the last one with `understanding` if given. Returns the last answer. */
const played = (
  runtime: Runtime,
  { context }: Pick<Labelled, "context">,
  turns: Conversation["turns"] | ReadonlyArray<Conversation["turns"][number]>,
  understanding: Understanding | undefined
) =>
  Effect.gen(function*() {
    const faults: Array<string> = []
    const sessionId = `measure-${yield* Random.nextIntBetween(1e9, 2 ** 50)}`
    let last: { readonly response: Answer; readonly millis: number } | undefined
    for (const [index, { means, user }] of turns.entries()) {
      const chosen = index === turns.length - 1 ? understanding : undefined
      const agent = makeHandle({
        ...runtime,
        understanding: chosen ?? labelled(means, faults),
        model: mute(runtime.model)
      })
      const began = yield* Clock.currentTimeMillis
      const response = yield* agent.respond({ sessionId, message: user, ...(context !== undefined && { context }) })
      last = { response, millis: (yield* Clock.currentTimeMillis) - began }
    }
    yield* Effect.ignoreLogged(makeHandle(runtime).session(sessionId).clear)
    return { ...last!, faults }
  })

const measureOne = (
  runtime: Runtime,
  file: string,
  given: Labelled,
  { language = "-", turns }: Conversation,
  index: number
): Effect.Effect<Measured> => {
  const { kind = "", means, user } = turns[index]!
  const upTo = turns.slice(0, index + 1)
  const answered: Array<ByQuestion.Answered> = []
  const measured = { file, kind, language, user, answered }
  const unused = { millis: 0, modelCalls: 0, inputTokens: 0, outputTokens: 0 }
  return Effect.gen(function*() {
    const wanted = yield* played(runtime, given, upTo, undefined)
    const found = yield* played(runtime, given, upTo, compared(runtime, means, answered))
    const { cost, inputTokens, modelCalls, outputTokens } = found.response.usage
    return {
      ...measured,
      differs: [...wanted.faults, ...differencesOf(outcomeOf(runtime, wanted), outcomeOf(runtime, found))],
      millis: found.millis,
      modelCalls,
      inputTokens,
      outputTokens,
      ...(cost !== undefined && { cost })
    }
  }).pipe(
    Effect.catchAll((error) =>
      Effect.succeed({ ...measured, ...unused, differs: [`the turn failed: ${reasonOf(error)}`] })
    )
  )
}

/** Measures every message of a file that has a kind. */
export const measure = (
  runtime: Runtime,
  file: string,
  given: Labelled,
  options: { readonly atOnce: number }
): Effect.Effect<ReadonlyArray<Measured>> =>
  Effect.clockWith((live) =>
    Effect.forEach(
      given.conversations.flatMap((one) =>
        one.turns.flatMap(({ kind }, index) => kind === undefined ? [] : [measureOne(runtime, file, given, one, index)])
      ),
      Effect.withClock(given.now === undefined ? live : startingAt(given.now, live)),
      { concurrency: options.atOnce }
    )
  )
