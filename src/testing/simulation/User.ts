/**
 * A user made up from the definition: what they do next, given where their conversation stands.
 *
 * @since 0.1.0
 */
import type { CompiledFlow, Definition } from "../../domain/definition/Definition.js"
import { isJson } from "../../domain/Json.js"
import { openRequests, type Session } from "../../domain/Session.js"
import { showFields } from "../conversation/Match.js"
import type { Act, Behaviour, Saying } from "./Act.js"
import * as Dice from "./Dice.js"
import { extracted, type Pool } from "./Values.js"

/** What a user knows when they act. */
export interface Situation {
  readonly definition: Definition
  readonly pools: ReadonlyMap<string, Pool>
  readonly session: Session | undefined
  readonly user: number
  /** The user's acts so far, oldest first. */
  readonly before: ReadonlyArray<Act>
  /** From now on the user does what they are asked. */
  readonly cooperates: boolean
  readonly seed: number
}

type Meant = Pick<Saying, "fields"> & { readonly flow?: string; readonly message?: string }

const currentFlow = ({ definition, session }: Situation): CompiledFlow | undefined =>
  definition.flows.find(({ id }) => id === session?.currentFlow?.id)

const isKnown = ({ session }: Situation, name: string): boolean => session?.data[name] !== undefined

/** The fields the current step asks for and has not got. */
const asked = (situation: Situation): ReadonlyArray<string> => {
  const step = currentFlow(situation)?.steps.find(({ id }) => id === situation.session?.currentStep?.id)
  return step?.collect.filter((name) => !isKnown(situation, name)) ?? []
}

const missing = (situation: Situation): ReadonlyArray<string> =>
  currentFlow(situation)?.fields.filter((name) => !isKnown(situation, name)) ?? []

const values = (
  { pools, seed }: Situation,
  names: ReadonlyArray<string>,
  kind: keyof Pool = "good"
): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => {
    const value = Dice.pick(pools.get(name)?.[kind] ?? [], seed, "value", name)
    return value === undefined ? [] : [[name, value]]
  }))

const some = ({ seed }: Situation, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => Dice.roll(seed, "some", name) < 0.6)

const one = ({ seed }: Situation, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const name = Dice.pick(names, seed, "one")
  return name === undefined ? [] : [name]
}

/** A known field with another value than it has. */
const correction = (situation: Situation): Record<string, unknown> => {
  const known = [...situation.pools.keys()].filter((name) => isKnown(situation, name))
  return values(situation, one(situation, known))
}

const wish = ({ definition, seed, session }: Situation): Meant => {
  const flow = Dice.pick(definition.flows.filter(({ id }) => id !== session?.currentFlow?.id), seed, "flow")
  return flow === undefined ? { fields: {} } : { flow: flow.id, fields: {}, message: `I want: ${flow.title}` }
}

/** Whoever is in no flow wants one; a message that only gives values would lead nowhere. */
const wanting = (situation: Situation, meant: Meant): Meant => {
  if (situation.session?.currentFlow !== undefined || meant.flow !== undefined) return meant
  const { flow, message } = wish(situation)
  return {
    fields: meant.fields,
    ...(flow !== undefined && { flow }),
    ...(message !== undefined && Object.keys(meant.fields).length === 0 && { message })
  }
}

const lastSaid = ({ before }: Situation): Saying | undefined =>
  before.findLast((act): act is Saying => act._tag === "Say")

const meanings: { readonly [B in Behaviour]: (situation: Situation) => Meant } = {
  "inform": (s) => wanting(s, { fields: values(s, one(s, asked(s).length > 0 ? asked(s) : missing(s))) }),
  "inform many": (s) => wanting(s, { fields: values(s, some(s, missing(s))) }),
  "answer out of order": (s) => ({
    fields: values(s, one(s, [...s.pools.keys()].filter((name) => !asked(s).includes(name))))
  }),
  "correct": (s) => ({ fields: correction(s) }),
  "contradict": (s) => ({ ...wish(s), fields: { ...values(s, asked(s)), ...correction(s) } }),
  "digress": wish,
  "refuse": () => ({ fields: {}, message: "I will not say that." }),
  "misstate": (s) => ({ fields: values(s, one(s, asked(s).length > 0 ? asked(s) : [...s.pools.keys()]), "bad") }),
  "repeat": (s) => {
    const { fields = {}, flow, message = "Hello" } = lastSaid(s) ?? {}
    return { fields, message, ...(flow !== undefined && { flow }) }
  },
  "send again": (s) => meanings.repeat(s),
  "nonsense": () => ({ fields: {}, message: "Colourless green ideas." }),
  "cooperate": (s) => wanting(s, { fields: values(s, missing(s)) })
}

const weights: ReadonlyArray<readonly [number, Behaviour]> = [
  [5, "inform"],
  [3, "inform many"],
  [2, "answer out of order"],
  [2, "correct"],
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
  const { fields, flow, message } = meanings[behaviour](situation)
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
    seed
  }
}

const waits = (session: Session | undefined): boolean =>
  session?.pendingApproval !== undefined && openRequests(session.pendingApproval).length > 0

/** An event of the agent, with a payload that its Schema describes; none when nothing can be made up. */
const happen = (
  { before, definition, seed, user }: Situation,
  hears: (event: string) => boolean = () => true
): Act | undefined => {
  const found = Dice.pick(Array.from(definition.events).filter(([event]) => hears(event)), seed, "event")
  if (found === undefined) return undefined
  const [event, schema] = found
  const payload = extracted(schema, seed)
  return isJson(payload)
    ? { _tag: "Happen", user, event, payload, messageId: `event-${user + 1}-${before.length + 1}`, seed }
    : undefined
}

/** What the current step waits for when it asks for nothing: whoever cooperates sees to it that it happens. */
const awaited = (situation: Situation): Act | undefined => {
  const step = currentFlow(situation)?.steps.find(({ id }) => id === situation.session?.currentStep?.id)
  return step === undefined || asked(situation).length > 0 || Dice.roll(situation.seed, "awaited") < 0.5
    ? undefined
    : happen(situation, (event) => step.on.has(event))
}

/** What may come between two messages: silence, or an event. */
const between = (situation: Situation): Act | undefined => {
  const { seed, user } = situation
  if (Dice.roll(seed, "silent") < 0.05) {
    return { _tag: "Wait", user, hours: 1 + Math.floor(Dice.roll(seed, "hours") * 72) }
  }
  return Dice.roll(seed, "happens") < 0.15 ? happen(situation) : undefined
}

/** What the user does next. */
export const next = (situation: Situation): Act => {
  const { cooperates, seed, session, user } = situation
  const rolls = (what: string, chance: number) => cooperates || Dice.roll(seed, what) < chance
  if (waits(session) && rolls("decides", 0.8)) return { _tag: "Decide", user, approved: rolls("approves", 0.6), seed }
  if (cooperates) return awaited(situation) ?? say(situation, "cooperate")
  const other = between(situation)
  if (other !== undefined) return other
  if (session?.currentFlow === undefined && Dice.roll(seed, "begins") < 0.6) return say(situation, "digress")
  return say(situation, Dice.weighted(weights, seed, "behaviour") ?? "inform")
}
