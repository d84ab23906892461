/** Derives a simulated user from the definition: chooses the user's next act by the state of the conversation. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import { isJson } from "../../domain/base/Json.js"
import type { CompiledFlow, Definition } from "../../domain/definition/Definition.js"
import * as Timer from "../../domain/directive/Timer.js"
import { openRequests, type Session } from "../../domain/session/Session.js"
import { showFields } from "../conversation/Match.js"
import type { Act, Behaviour, Saying } from "./Act.js"
import * as SampleArguments from "./SampleArguments.js"
import * as SeededRandom from "./SeededRandom.js"
import { extracted, type Pool } from "./Values.js"
import * as Work from "./Work.js"

/** The information with which a user chooses an act. */
interface Situation {
  readonly definition: Definition
  readonly pools: ReadonlyMap<string, Pool>
  readonly session: Session | undefined
  readonly now: DateTime.Utc
  readonly user: number
  /** The user's acts so far, oldest first. */
  readonly before: ReadonlyArray<Act>
  /** True if from now on the user does what the agent asks. */
  readonly cooperates: boolean
  readonly seed: number
}

/** The parts of a situation that the agent and its session decide. */
type Standing = Pick<Situation, "definition" | "session">

type Intent = Pick<Saying, "fields" | "withdrawn"> & { readonly flow?: string; readonly message?: string }

const currentFlow = ({ definition, session }: Standing): CompiledFlow | undefined =>
  definition.flows.find(({ id }) => id === session?.currentFlow?.id)

const isKnown = ({ session }: Standing, name: string): boolean => session?.data[name] !== undefined

const currentStep = (situation: Standing) =>
  currentFlow(situation)?.steps.find(({ id }) => id === situation.session?.currentStep?.id)

/** Returns the missing fields for which the current step asks. */
const asked = (situation: Standing): ReadonlyArray<string> =>
  currentStep(situation)?.collect.filter((name) => !isKnown(situation, name)) ?? []

/**
 * True if a bare yes or no is an answer now: to the question about a tool call that waits for the user, or to the
 * question whether the values that were read back are right.
 */
const isConfirming = ({ session }: Standing): boolean =>
  session?.currentStep?.confirming === "asked" || session?.pendingApproval?.asking !== undefined

/** True if the agent has read the collected values back and now asks which of them is wrong. */
const isToCorrect = ({ session }: Standing): boolean => session?.currentStep?.confirming === "which"

const missing = (situation: Situation): ReadonlyArray<string> =>
  currentFlow(situation)?.fields.filter((name) => !isKnown(situation, name)) ?? []

const values = (
  { pools, seed }: Situation,
  names: ReadonlyArray<string>,
  kind: keyof Pool = "good",
  isTried: (name: string, value: unknown) => boolean = () => false
): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => {
    const all = pools.get(name)?.[kind] ?? []
    const picked = SeededRandom.pick(all, seed, "value", name)
    const others = all.filter((value) => !isTried(name, value))
    const value = isTried(name, picked) ? SeededRandom.pick(others, seed, "other", name) ?? picked : picked
    return value === undefined ? [] : [[name, value]]
  }))

/** True if the user has stated a value since the user cooperates: a value that the agent does not know is not repeated. */
const triedBy = ({ before }: Situation) => {
  const said = before.filter((act): act is Saying => act._tag === "Say")
  const since = said.slice(said.findLastIndex(({ behaviour }) => behaviour !== "cooperate") + 1)
  const tried = new Set(since.flatMap(({ fields }) => Object.entries(fields).map((one) => JSON.stringify(one))))
  return (name: string, value: unknown) => tried.has(JSON.stringify([name, value]))
}

const some = ({ seed }: Situation, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => SeededRandom.roll(seed, "some", name) < 0.6)

const one = ({ seed }: Situation, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const name = SeededRandom.pick(names, seed, "one")
  return name === undefined ? [] : [name]
}

/** Returns another value for one known field, chosen at random. */
const correction = (situation: Situation): Record<string, unknown> => {
  const known = [...situation.pools.keys()].filter((name) => isKnown(situation, name))
  return values(situation, one(situation, known))
}

const wish = ({ definition, seed, session }: Situation): Intent => {
  const flow = SeededRandom.pick(definition.flows.filter(({ id }) => id !== session?.currentFlow?.id), seed, "flow")
  return flow === undefined ? { fields: {} } : { flow: flow.id, fields: {}, message: `I want: ${flow.title}` }
}

/**
 * Adds a wish for a flow to the message of a user who is in no flow, because a message that has only values would lead
 * to no flow.
 */
const wanting = (situation: Situation, meant: Intent): Intent => {
  if (situation.session?.currentFlow !== undefined || meant.flow !== undefined) return meant
  const { flow, message } = wish(situation)
  return {
    fields: meant.fields,
    ...(flow !== undefined && { flow }),
    ...(message !== undefined && Object.keys(meant.fields).length === 0 && { message })
  }
}

const takenBack = (situation: Situation): Intent => {
  const withdrawn = one(situation, [...situation.pools.keys()].filter((name) => isKnown(situation, name)))
  return withdrawn.length === 0
    ? { fields: {} }
    : { fields: {}, withdrawn, message: `Forget the ${withdrawn.join(" and the ")}.` }
}

/** Returns a message that does what the agent asks. */
const complying = (situation: Situation): Intent => {
  if (isConfirming(situation)) return { fields: {}, message: "Yes." }
  return isToCorrect(situation)
    ? { fields: values(situation, one(situation, currentStep(situation)?.collect ?? [])) }
    : wanting(situation, { fields: values(situation, missing(situation), "good", triedBy(situation)) })
}

const lastSaid = ({ before }: Situation): Saying | undefined =>
  before.findLast((act): act is Saying => act._tag === "Say")

const meanings: { readonly [B in Behaviour]: (situation: Situation) => Intent } = {
  "inform": (s) => wanting(s, { fields: values(s, one(s, asked(s).length > 0 ? asked(s) : missing(s))) }),
  "inform many": (s) => wanting(s, { fields: values(s, some(s, missing(s))) }),
  "answer out of order": (s) => ({
    fields: values(s, one(s, [...s.pools.keys()].filter((name) => !asked(s).includes(name))))
  }),
  "correct": (s) => ({ fields: correction(s) }),
  "take back": takenBack,
  "contradict": (s) => ({ ...wish(s), fields: { ...values(s, asked(s)), ...correction(s) } }),
  "digress": wish,
  "refuse": () => ({ fields: {}, message: "I will not say that." }),
  "agree": () => ({ fields: {}, message: "Yes." }),
  "decline": () => ({ fields: {}, message: "No." }),
  "misstate": (s) => ({ fields: values(s, one(s, asked(s).length > 0 ? asked(s) : [...s.pools.keys()]), "bad") }),
  "repeat": (s) => {
    const { fields = {}, flow, message = "Hello" } = lastSaid(s) ?? {}
    return { fields, message, ...(flow !== undefined && { flow }) }
  },
  "send again": (s) => meanings.repeat(s),
  "nonsense": () => ({ fields: {}, message: "Colourless green ideas." }),
  "cooperate": complying
}

const weights: ReadonlyArray<readonly [number, Behaviour]> = [
  [5, "inform"],
  [3, "inform many"],
  [2, "answer out of order"],
  [2, "correct"],
  [1, "take back"],
  [1, "contradict"],
  [3, "digress"],
  [1, "refuse"],
  [2, "misstate"],
  [1, "repeat"],
  [1, "send again"],
  [1, "nonsense"],
  [4, "cooperate"]
]

const say = (situation: Situation, behaviour: Behaviour): Act => {
  const { before, seed, user } = situation
  const { fields, flow, message, withdrawn } = meanings[behaviour](situation)
  const said = message ?? (Object.keys(fields).length === 0 ? "Go on." : showFields(fields))
  const again = behaviour === "send again" ? lastSaid(situation) : undefined
  return again ?? {
    _tag: "Say",
    user,
    behaviour,
    message: said,
    messageId: `message-${user + 1}-${before.length + 1}`,
    ...(flow !== undefined && { flow }),
    fields,
    ...(withdrawn !== undefined && { withdrawn }),
    seed
  }
}

/** Returns the waiting calls that accept this decision: an expired call can only be declined. */
export const decidable = ({ now, session }: Pick<Situation, "now" | "session">, approved: boolean) =>
  session?.pendingApproval === undefined
    ? []
    : openRequests(session.pendingApproval).filter(({ expiresAt }) =>
      !approved || expiresAt === undefined || DateTime.lessThan(now, expiresAt)
    )

/** Returns an event of the agent, with a payload generated from its Schema; undefined if that is impossible. */
const happen = (
  { before, definition, seed, user }: Situation,
  hears: (event: string) => boolean = () => true
): Act | undefined => {
  const found = SeededRandom.pick(Array.from(definition.events).filter(([event]) => hears(event)), seed, "event")
  if (found === undefined) return undefined
  const [event, schema] = found
  const payload = extracted(schema, seed)
  return isJson(payload)
    ? { _tag: "Happen", user, event, payload, messageId: `event-${user + 1}-${before.length + 1}`, seed }
    : undefined
}

/**
 * Returns a job's report to the session: if `ends` is true, that the job succeeded; otherwise a result, a failure or
 * progress.
 */
const told = ({ definition, seed, session, user }: Situation, ends: boolean): Act | undefined => {
  const job = SeededRandom.pick(session?.jobs ?? [], seed, "job")
  const telling = job && Work.tell(definition, job.name, ends, seed)
  return telling && { _tag: "Tell", user, ...telling, seed }
}

/** True if the conversation waits for a job's result or an event; a message of the user cannot replace it. */
const isAwaiting = (situation: Standing): boolean => {
  const step = currentStep(situation)
  return step !== undefined && asked(situation).length === 0 &&
    ((situation.session?.jobs ?? []).length > 0 || step.on.size > 0)
}

/** Returns, in most cases, the event for which the conversation waits, so that a cooperating user makes progress. */
const awaited = (situation: Situation): Act | undefined =>
  !isAwaiting(situation) || SeededRandom.roll(situation.seed, "awaited") < 0.3
    ? undefined
    : told(situation, true) ?? happen(situation, (event) => currentStep(situation)?.on.has(event) === true)

/**
 * Returns the length of the user's silence in hours; undefined if the user is not silent. It lasts hours or days, or
 * until the next timer. After a silence, another silence is likely while there are more timers.
 */
const silence = ({ before, now, seed, session }: Situation): number | undefined => {
  const due = session && Timer.wakeAt(session)
  const chance = due === undefined ? 0.05 : before.at(-1)?._tag === "Wait" ? 0.5 : 0.1
  if (SeededRandom.roll(seed, "silent") >= chance) return undefined
  const hours = 1 + Math.floor(SeededRandom.roll(seed, "hours") * 72)
  if (due === undefined || SeededRandom.roll(seed, "until due") < 0.5) return hours
  return Math.max(1, Math.ceil(Duration.toHours(DateTime.distance(now, due))))
}

/** Returns an invalid decision in rare cases: a repeated one, or one about a call of another user's session. */
const strays = ({ before, definition, seed, user }: Situation): Act | undefined => {
  const last = before.at(-1)
  if (last?._tag === "Decide" && last.stray === undefined && SeededRandom.roll(seed, "again") < 0.4) {
    return { ...last, stray: "again", seed }
  }
  return SeededRandom.roll(seed, "elsewhere") < 0.05 && SampleArguments.toolsOf(definition).length > 0
    ? { _tag: "Decide", user, approved: true, stray: "elsewhere", seed }
    : undefined
}

/** Returns an act that happens between two messages, if any: silence, an event, or a job's report. */
const between = (situation: Situation): Act | undefined => {
  const { seed, user } = situation
  const hours = silence(situation)
  if (hours !== undefined) return { _tag: "Wait", user, hours }
  if (SeededRandom.roll(seed, "tells") < 0.3) {
    const telling = told(situation, false)
    if (telling !== undefined) return telling
  }
  return SeededRandom.roll(seed, "happens") < 0.15 ? happen(situation) : undefined
}

/** True if the conversation waits for this act. The result may change if earlier turns are left out. */
export const isAwaited = (situation: Standing, act: Act): boolean => {
  if (act._tag === "Tell") return isAwaiting(situation)
  if (act._tag === "Happen") return isAwaiting(situation) && currentStep(situation)?.on.has(act.event) === true
  return act._tag === "Say" && act.behaviour === "cooperate" && !isAwaiting(situation) && isAnswer(situation, act)
}

const isAnswer = (situation: Standing, { fields, message }: Saying): boolean => {
  if (isConfirming(situation)) return message === "Yes."
  if (isToCorrect(situation)) return Object.keys(fields).length > 0
  return asked(situation).every((name) => Object.hasOwn(fields, name))
}

/**
 * Returns a decision about a waiting call, if any. A user who is asked in the conversation mostly answers with a
 * message instead.
 */
const decision = (situation: Situation): Act | undefined => {
  const { cooperates, seed, session, user } = situation
  const rolls = (what: string, chance: number) => cooperates || SeededRandom.roll(seed, what) < chance
  const isAsked = session?.pendingApproval?.asking !== undefined && SeededRandom.roll(seed, "clerk") > 0.3
  const approved = rolls("approves", 0.6) && decidable(situation, true).length > 0
  return decidable(situation, approved).length > 0 && !isAsked && rolls("decides", 0.8)
    ? { _tag: "Decide", user, approved, seed }
    : undefined
}

const behaviour = (situation: Situation): Behaviour => {
  const { seed, session } = situation
  if (session?.currentFlow === undefined && SeededRandom.roll(seed, "begins") < 0.6) return "digress"
  if (isConfirming(situation) && SeededRandom.roll(seed, "answers") < 0.6) {
    return SeededRandom.roll(seed, "agrees") < 0.6 ? "agree" : "decline"
  }
  return SeededRandom.weighted(weights, seed, "behaviour") ?? "inform"
}

/** Returns the user's next act. */
export const next = (situation: Situation): Act =>
  decision(situation) ?? (situation.cooperates
    ? awaited(situation) ?? say(situation, "cooperate")
    : strays(situation) ?? between(situation) ?? say(situation, behaviour(situation)))
