/** Compares a turn with the checker's walk: with the answers that the turn had, the walk takes the same steps to the same place. */
import type { Agent, TurnResponse } from "coxswain"
import { SessionStore } from "coxswain"
import { Effect, Either, Layer, Logger, LogLevel } from "effect"
import * as Checker from "../../src/domain/check/Checker.js"
import type { Test } from "../../src/domain/check/shape/Shape.js"
import * as Hearing from "../../src/domain/check/walk/Hearing.js"
import type { Choice, Choose, Path, World } from "../../src/domain/check/walk/Path.js"
import type { Place } from "../../src/domain/check/walk/Position.js"
import * as Walk from "../../src/domain/check/walk/Walk.js"
import * as Directive from "../../src/domain/directive/Directive.js"
import * as Fields from "../../src/domain/fields/Fields.js"
import * as ReadBack from "../../src/domain/session/ReadBack.js"
import type { Session } from "../../src/domain/session/Session.js"
import { isSatisfied } from "../../src/domain/walk/choose.js"
import { runtimeOf, writtenOf } from "../../src/pipeline/state/agentInternals.js"
import * as Script from "./Script.js"
import * as ScriptedUnderstanding from "./ScriptedUnderstanding.js"

type Values = Record<string, unknown>

/** The input of a turn: a message or an event. */
export interface Input {
  /** The flow that the message asks for; in another flow, heard only if it interrupts. */
  readonly flow: string | undefined
  readonly interrupts: boolean
  readonly fields: Values
  /** The texts of the conditions that it meets. */
  readonly met: ReadonlyArray<string>
  readonly agrees: boolean
  readonly withdrawn: string | undefined
  /** Instead of a message: a payment. */
  readonly amount: number | undefined
}

/** A turn of the pipeline: what it had, and what came of it. */
export interface Taken {
  readonly before: Session | undefined
  readonly input: Input
  /** The flow that the message asked for. */
  readonly wanted: string | undefined
  /** The conditions in words that the message was asked about. */
  readonly asked: ReadonlySet<string>
  /** Undefined if the turn failed. */
  readonly response: TurnResponse.TurnResponse<Values, Values> | undefined
  /** True if it failed because it would have gone on for ever. */
  readonly isEndless: boolean
}

/** The error messages of a turn that ran in a loop or reached a limit. */
const endless = /steps in a circle|maxDirectiveChain of|maxAutoStepsPerTurn of/

/** Holds a conversation, up to its first failure. */
export const converse = (kit: { readonly make: unknown }, options: object, inputs: ReadonlyArray<Input>) => {
  const asked = new Set<string>()
  let now: Input
  let wanted: string | undefined
  const understanding = ScriptedUnderstanding.make(({ conditions }) => {
    for (const { id } of conditions) asked.add(id)
    const holds = ({ id, when }: (typeof conditions)[number]) =>
      id === ReadBack.agreement ? now.agrees : when.some((one) => now.met.includes(one))
    return {
      flowScores: wanted === undefined ? {} : { [wanted]: 100 },
      fields: now.fields,
      withdrawn: now.withdrawn === undefined ? [] : [now.withdrawn],
      conditions: Object.fromEntries(conditions.map((one) => [one.id, holds(one)]))
    }
  })
  const stage = Layer.mergeAll(understanding.layer, Script.make(() => "Very well").layer, SessionStore.layerMemory)
  const make = kit.make as (options: object) => Effect.Effect<Agent.Agent<Values, Values, unknown>>
  const taken: Array<Taken> = []
  let made: object | undefined
  return Effect.gen(function*() {
    const agent = yield* make(options)
    made = agent
    let before: Session | undefined
    for (const input of inputs) {
      now = input
      asked.clear()
      const active = before?.currentFlow?.id
      wanted = active === undefined || (input.interrupts && active !== input.flow) ? input.flow : undefined
      const { amount } = input
      const answered = yield* Effect.either(
        amount === undefined || before === undefined
          ? agent.respond({ sessionId: "s1", message: "Yes, so be it" })
          : agent.notify({ sessionId: "s1", event: "paid", payload: { amount } } as never)
      )
      const response = Either.getOrUndefined(answered)
      const isEndless = Either.isLeft(answered) && endless.test(String(answered.left))
      taken.push({ before, input, wanted, asked: new Set(asked), response, isEndless })
      if (response === undefined) return
      before = response.session
    }
  }).pipe(
    Effect.provide(stage),
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.ignore,
    Effect.map(() => ({ agent: made, turns: taken as ReadonlyArray<Taken> }))
  )
}

/** The definition as the checker walks it. */
export const worldOf = (agent: object): World => {
  const { happening, options } = writtenOf(agent)!
  return Checker.worldOf(options, runtimeOf(agent)!.definition.fields, happening)
}

const nowhere: Place = {
  flow: -1,
  step: -1,
  standing: "start",
  spoken: false,
  known: new Set(),
  confirmed: new Set(),
  skipped: new Set(),
  reading: false
}

const knownIn = (data: Values): ReadonlySet<string> =>
  new Set(Object.keys(data).filter((name) => Fields.knownIn(data)(name)))

/** The place of a session, with all that is known there. */
const placeOf = ({ shape: { flows } }: World, { currentFlow, currentStep, data }: Session): Place => {
  const known = knownIn(data)
  const flow = flows.findIndex(({ id }) => id === currentFlow?.id)
  if (currentFlow === undefined || flow < 0) return { ...nowhere, known }
  const steps = flows[flow]!.steps
  const spoken = currentStep?.spoken === true
  const step = steps.find(({ id }) => id === currentStep?.id)
  const confirmed = steps.filter(({ collect, id }) =>
    currentFlow.confirmed?.[id] === ReadBack.seal([...collect, ...currentFlow.shown?.[id] ?? []], data)
  )
  return {
    flow,
    step: step?.index ?? -1,
    standing: currentFlow.pending === true
      ? "begin"
      : currentStep === undefined
      ? "start"
      : currentStep.pending === true
      ? "pending"
      : "entered",
    spoken,
    known,
    confirmed: new Set(confirmed.map(({ index }) => index)),
    skipped: new Set(
      steps.flatMap(({ gives, id, index }) =>
        gives.length > 0 && currentFlow.skippedSteps?.includes(id) === true ? [index] : []
      )
    ),
    reading: spoken && currentStep?.confirming !== undefined && step !== undefined &&
      isSatisfied(step, (name) => known.has(name))
  }
}

/** Whether what is certain at the checker's place is so in the session. */
const represents = (place: Place, actual: Place): boolean =>
  place.flow === actual.flow && place.step === actual.step && place.standing === actual.standing &&
  place.spoken === actual.spoken && place.reading === actual.reading &&
  place.skipped.size === actual.skipped.size && Array.from(place.skipped).every((step) => actual.skipped.has(step)) &&
  Array.from(place.known).every((name) => actual.known.has(name)) &&
  Array.from(place.confirmed).every((step) => actual.confirmed.has(step))

/** A way of a walk, with the answers that led to it, and how many there were of each question. */
interface Tried {
  readonly path: Path
  readonly answers: ReadonlyArray<number>
  readonly options: ReadonlyArray<number>
}

const tried = (walk: (choose: Choose) => Path, given: ReadonlyArray<number>): Tried => {
  const answers: Array<number> = []
  const asked: Array<number> = []
  const path = walk((options) => {
    const answer = given[answers.length] ?? 0
    asked.push(options)
    answers.push(answer)
    return answer
  })
  return { path, answers, options: asked }
}

const text = (choice: Choice): string => JSON.stringify(choice)

/** The first choice that the turn did not make, with those before it. */
const untilWrong = ({ path: { choices } }: Tried, isSo: (choice: Choice) => boolean): string | undefined => {
  const at = choices.findIndex((choice) => !isSo(choice))
  return at < 0 ? undefined : choices.slice(0, at + 1).map(text).join()
}

/** The most ways that are tried of one walk. */
const most = 300

interface Searched {
  readonly found: boolean
  readonly wrong: string | undefined
}

/**
 * Whether there is a way with the answers of the turn; undefined where that would take too long. With `isQuick`, what follows
 * a wrong answer is left out, which may leave out too much: not every question is kept as a choice.
 */
const isFound = (
  walk: (choose: Choose) => Path,
  isSo: (choice: Choice) => boolean,
  isSame: (path: Path) => boolean,
  isQuick: boolean
): boolean | undefined => {
  let left = most
  const search = (given: ReadonlyArray<number>): Searched => {
    left--
    const one = tried(walk, given)
    const wrong = untilWrong(one, isSo)
    if (wrong === undefined && isSame(one.path)) return { found: true, wrong }
    for (let at = given.length; at < one.answers.length; at++) {
      for (let other = 1; other < one.options[at]!; other++) {
        if (left <= 0) return { found: false, wrong }
        const child = search([...one.answers.slice(0, at), other])
        if (child.found) return child
        if (isQuick && wrong !== undefined && child.wrong === wrong) return { found: false, wrong }
      }
    }
    return { found: false, wrong }
  }
  const { found } = search([])
  return found || left > 0 ? found : undefined
}

/** The walks that a turn may be. */
const walksOf = (world: World, { before, input, wanted }: Taken): ReadonlyArray<(choose: Choose) => Path> => {
  const { flows, heard, initialData } = world.shape
  const from = before === undefined ? { ...nowhere, known: knownIn(initialData) } : placeOf(world, before)
  if (input.amount !== undefined && before !== undefined) {
    return Hearing.at(heard, from).filter(({ event }) => event === "paid").map((one) => Walk.happen(world, from, one))
  }
  const lost = input.withdrawn === undefined || !from.known.has(input.withdrawn)
    ? []
    : [{ _tag: "TakenBack" as const, name: input.withdrawn }]
  const flow = flows.find(({ id }) => id === wanted)
  // Of a place outside all flows, the checker does not suppose that a flow's fields are known when it is entered again.
  const known = Array.from(from.known).filter((name) => flow?.reentrant !== true || !flow.fields.includes(name))
  const outside = { ...nowhere, known: new Set(known) }
  // Routing may leave the floor free although the message asks for a flow.
  return [undefined, ...lost].flatMap((one) => [
    ...(flow === undefined ? [] : [Walk.eligible(world, outside, flow.index, one)]),
    Walk.answer(world, from, one),
    // A corrected value may lead back to each earlier step that it decided.
    ...(flows[from.flow]?.steps ?? []).slice(0, Math.max(from.step, 0)).map(({ index }) =>
      Walk.correctedTurn(world, from, index, one)
    )
  ])
}

/** The parts of a turn that its answers are compared with. */
interface Facts {
  readonly known: ReadonlySet<string>
  readonly stated: Values
  /** Whether code or directives may have written or forgotten. */
  readonly isWritten: boolean
  readonly data: ReadonlyArray<Values>
}

const factsOf = ({ before, input, response, wanted }: Taken, { shape }: World): Facts => {
  const data = before?.data ?? shape.initialData
  // Fields are forgotten, and initial data is written, where a flow begins or ends.
  const isForgotten = wanted !== undefined || (response !== undefined && endedIn(response) > 0)
  const isMessage = input.amount === undefined || before === undefined
  const stated = response?.collected ?? (isMessage ? input.fields : {})
  return {
    known: knownIn(data),
    stated,
    isWritten: response === undefined || response.cleared.length > 0 || isForgotten ||
      response.directiveChain.some(({ directive }) =>
        Object.keys(Directive.dataOf(directive)).length > 0 || Directive.cleared(directive).length > 0 ||
        directive.reset !== undefined || typeof directive.goTo === "object"
      ),
    data: [{ ...data, ...stated }, data, ...response === undefined ? [] : [response.session.data]]
  }
}

/** The result of a predicate; undefined for the outcome of a call, which the data does not decide. */
const isTrue = ({ run }: Test, data: Values): boolean | undefined => {
  try {
    return run({ data } as never) === true
  } catch {
    return undefined
  }
}

/** Whether a turn may have answered so. */
const isSo = (choice: Choice, { asked, input }: Taken, { data, isWritten, known, stated }: Facts): boolean => {
  switch (choice._tag) {
    case "Field": {
      const { before, name } = choice
      // The checker may take a value that the message states for one that was known before.
      if (before && !choice.known) return !known.has(name)
      return isWritten || choice.known === (known.has(name) || Object.hasOwn(stated, name))
    }
    case "Judged": {
      const holds = choice.when.some((one) => input.met.includes(one))
      return choice.holds ? holds && asked.has(choice.id) : !holds || !asked.has(choice.id)
    }
    case "Agreed":
      // A message that says yes and states a value does not agree.
      return choice.holds === input.agrees || (!choice.holds && Object.keys(stated).length > 0)
    case "Assumed":
      return isWritten || data.some((one) => isTrue(choice.test, one) !== !choice.holds)
    case "TakenBack":
    case "Forgotten":
    case "Replied":
    case "Moved":
      return true
  }
}

const endOf = (world: World, { response }: Taken, { outcome }: Path): boolean => {
  if (outcome._tag === "Circles" || outcome._tag === "TooLong") return response === undefined
  if (response === undefined) return false
  if (outcome._tag === "Ends") return response.session.currentFlow === undefined
  return represents(outcome.place, placeOf(world, response.session))
}

const stepsOf = ({ response }: Taken): string =>
  response?.executedSteps.map(({ flowId, stepId }) => `${flowId}/${stepId}`).join(" ") ?? "fails"

const hooks = /\b(onEnter|onResume|prepare|finalize|onExit|onComplete)$/

/** The hooks that ran, in order. All of those that are made up emit a directive. */
const hooksOf = ({ response }: Taken, { shape: { flows } }: World): string =>
  (response?.directiveChain ?? []).flatMap(({ source }) => {
    const hook = hooks.exec(source)?.[1]
    const isNamed = flows.some(({ follows, id }) => follows !== undefined && source === `flow:${id}.onComplete`)
    return hook === undefined || isNamed ? [] : [`${source.split(":")[0]} ${hook}`]
  }).join()

const hooksOn = ({ sights }: Path): string =>
  sights.flatMap((sight) => {
    const hook = sight._tag === "Code" ? hooks.exec(sight.path)?.[1] : undefined
    return hook === undefined || sight._tag !== "Code"
      ? []
      : [`${sight.path.includes("steps[") ? "step" : "flow"} ${hook}`]
  }).join()

type Response = NonNullable<Taken["response"]>

/** The number of flows that ended. */
const endedIn = ({ abortedFlows, completedFlows }: Response): number => abortedFlows.length + completedFlows.length

const stackOf = (session: Session | undefined, ...current: ReadonlyArray<string>): string =>
  [...(session?.suspended ?? []).map(({ flow }) => flow.id), ...current].join()

const isWorded = ({ source }: Response["directiveChain"][number]): boolean => source.includes("branch-")

/** True if a flow was resumed, dropped or completed for another one, which the checker walks as turns of their own. */
const isAside = ({ before, response, wanted }: Taken): boolean => {
  if (response === undefined) {
    return stackOf(before) !== "" || (before?.currentFlow !== undefined && wanted !== undefined)
  }
  const active = before?.currentFlow?.id
  const isInterrupted = active !== undefined && stackOf(response.session) === stackOf(before, active)
  const mayBeInterrupted = (active !== undefined && wanted !== undefined) ||
    response.directiveChain.some((one) => isWorded(one) && one.directive.goTo !== undefined)
  const mayResume = endedIn(response) > 0 && (stackOf(before) !== "" || mayBeInterrupted)
  return mayResume || (mayBeInterrupted && !isInterrupted) ||
    (!isInterrupted && stackOf(response.session) !== stackOf(before))
}

/** Whether the walk has a way with the turn's answers, steps, hooks and end; undefined where it says nothing of the turn. */
export const agrees = (world: World, turn: Taken): boolean | undefined => {
  // The checker supposes that what code emits is valid.
  if (isAside(turn) || (turn.response === undefined && !turn.isEndless)) return undefined
  const facts = factsOf(turn, world)
  const isSame = (path: Path) =>
    endOf(world, turn, path) && (turn.response === undefined ||
      (path.trail.join(" ") === stepsOf(turn) && hooksOn(path) === hooksOf(turn, world)))
  const walks = walksOf(world, turn)
  const tried = (isQuick: boolean) =>
    walks.map((walk) => isFound(walk, (choice) => isSo(choice, turn, facts), isSame, isQuick))
  if (tried(true).includes(true)) return true
  const found = tried(false)
  if (found.includes(true)) return true
  return found.length === 0 || found.includes(undefined) ? undefined : false
}
