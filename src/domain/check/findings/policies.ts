/**
 * Proves for each policy that its calls are possible: it can hold at one position at least, and on every path to a step
 * that makes the call.
 */
import * as Groups from "../../base/Groups.js"
import type { Json } from "../../base/Json.js"
import { ownValue } from "../../base/ownValue.js"
import type { ErasedAgent } from "../../definition/Erase.js"
import * as WrittenPolicies from "../../definition/WrittenPolicies.js"
import { inWords } from "../../policy/inWords.js"
import type { Policy } from "../../policy/Policy.js"
import { type PolicyEntry, toolsOf } from "../../policy/reads.js"
import { type Case, plainest, plainestOf, report } from "../Case.js"
import { type Exploration, isIdleReachable } from "../Explore.js"
import type { Finding, Witness } from "../Finding.js"
import * as History from "../knowledge/History.js"
import * as Made from "../knowledge/Made.js"
import { afterOf, type Before, can } from "../knowledge/Possible.js"
import type { StepShape } from "../shape/Shape.js"
import * as ToolPlaces from "../shape/ToolPlaces.js"
import type { World } from "../walk/Path.js"
import type { Turn } from "../walk/WalkedTurn.js"

/** The definition, and the tools that can be called at all. */
interface Proof extends Case {
  /** The steps by `flow/step`. */
  readonly steps: ReadonlyMap<string, StepShape>
  /** The tools that a model may call while no flow is active. */
  readonly idle: ReadonlyArray<string>
  /**
   * True if a step or the agent may offer more tools than the definition shows: code injects them, or a toolkit does not
   * list them.
   */
  readonly isOpen: boolean
  readonly policies: ReadonlyArray<PolicyEntry>
  readonly rest: Pick<Before, "field" | "predicates">
  readonly callable: ReadonlySet<string>
  /** The tools that the engine can call by itself to satisfy a policy. */
  readonly makeable: ReadonlyArray<Made.Makeable>
  /** The arguments of tools that only steps call, if they are literals. */
  readonly literals: ReadonlyMap<string, ReadonlyArray<Json>>
  readonly turns: ReadonlyMap<number, ReadonlyArray<Turn>>
}

/** A tool and a position at which it may be called. */
interface Use {
  readonly tool: string
  /** Absent while no flow is active. */
  readonly step?: StepShape
}

export const policies = (options: ErasedAgent, world: World, explored: Exploration): ReadonlyArray<Finding> => {
  const written = WrittenPolicies.valid(options, options.toolkits)
  if (written.length === 0) return []
  const self = proofOf(options, world, explored, written)
  const uses = usesOf(self)
  for (const policy of written) {
    for (const tool of toolsOf(policy.policy)) {
      const places = uses.filter((one) => one.tool === tool && isAbout(policy, one))
      if (places.length === 0) continue
      if (!places.some((use) => mayHold(self, policy, use))) neverMet(self, policy, tool, places)
      else if (!explored.cut) unmet(self, policy, tool, places)
    }
  }
  return self.found
}

const proofOf = (
  options: ErasedAgent,
  world: World,
  explored: Exploration,
  policies: ReadonlyArray<PolicyEntry>
): Proof => {
  const given = new Set(Object.keys(world.shape.initialData))
  const turns = Groups.by(explored.turns.filter(({ late }) => !late), ({ from }) => from)
  const { code, steps } = world.shape
  const isIdle = options.idle !== "silent" && isIdleReachable(world.shape, explored)
  const idle = isIdle ? ToolPlaces.ofAgent(options).map(({ id }) => id) : []
  const isOpen = ToolPlaces.hasUnlisted(options) || code.some(({ source }) => source.code.includes("injectTools"))
  const self: Omit<Proof, "callable"> = {
    world,
    explored,
    found: [],
    steps: new Map(steps.map((step) => [step.ref, step])),
    idle,
    isOpen,
    policies,
    makeable: Made.of(options),
    literals: isOpen ? new Map() : literalsOf(steps, idle),
    rest: {
      field: (name) => world.obtainable.has(name) || given.has(name),
      predicates: options.policyPredicates ?? {}
    },
    turns
  }
  return { ...self, callable: callable(self) }
}

const literalsOf = (steps: ReadonlyArray<StepShape>, idle: ReadonlyArray<string>): Proof["literals"] => {
  const byModel = new Set([...idle, ...steps.flatMap(offeredBy)])
  const made = steps.flatMap(({ makes }) => makes === undefined || byModel.has(makes.tool.id) ? [] : [makes])
  const calls = Groups.by(made, ({ tool }) => tool.id)
  return new Map(
    Array.from(calls).flatMap(([tool, those]) => {
      const literals = those.flatMap(({ args }) => args ?? [])
      return literals.length === those.length ? [[tool, literals] as const] : []
    })
  )
}

/** Returns the tools of the steps that a conversation reaches, and those outside of flows. */
const usesOf = ({ explored, idle, world }: Pick<Proof, "explored" | "idle" | "world">): ReadonlyArray<Use> => {
  const reached = new Set(explored.turns.flatMap(({ way }) => way.trail))
  return [
    ...world.shape.steps.filter(({ ref }) => reached.has(ref)).flatMap((step) =>
      toolsAt(step).map((tool) => ({ tool, step }))
    ),
    ...idle.map((tool) => ({ tool }))
  ]
}

const offeredBy = ({ offers }: StepShape): ReadonlyArray<string> => offers.map(({ id }) => id)

/** Returns the tools that the step calls or offers. */
const toolsAt = (step: StepShape): ReadonlyArray<string> => [
  ...(step.makes === undefined ? [] : [step.makes.tool.id]),
  ...offeredBy(step)
]

/** True if the step itself calls the tool. */
const isCall = ({ step, tool }: Use): boolean => step?.makes?.tool.id === tool

const isAbout = ({ flow, policy }: PolicyEntry, { step, tool }: Use): boolean =>
  toolsOf(policy).includes(tool) && (flow === undefined || flow === step?.flow)

/** The arguments of a call, if they are literals. */
const argsOf = (use: Use): Json | undefined => isCall(use) ? use.step?.makes?.args : undefined

/**
 * True if the policy can hold at a position, after any of the calls that are possible. `chain` lists the tools for
 * whose sake the engine makes this call.
 */
const mayHold = (self: Proof, { policy }: PolicyEntry, use: Use, chain: ReadonlyArray<string> = []): boolean => {
  if (policy.never === true || policy.onlyIf === undefined) return policy.never !== true
  const may = (tool: string) => isCallable(self, tool) || isMade(self, policy, use, tool, chain)
  return can(policy.onlyIf, {
    ...self.rest,
    args: argsOf(use),
    tools: toolsOf(policy),
    may,
    has: () => false,
    mayInOrder: (calls) => calls.every(({ called }) => may(called)),
    literals: literalsFor(self, policy, use, chain)
  }).yes
}

/** True if the engine can make the call to satisfy the policy, and the policies about this call can hold. */
const isMade = (
  self: Proof,
  policy: Policy,
  use: Use,
  tool: string,
  chain: ReadonlyArray<string> = []
): boolean => {
  const after = [...chain, use.tool]
  const made = { ...use, tool }
  return !after.includes(tool) && Made.isPossible(self.makeable, policy, tool, use.step) &&
    self.policies.every((one) => !isAbout(one, made) || mayHold(self, one, made, after))
}

/** Returns a function that gives the arguments of all calls of a tool if they are literals, else undefined. */
const literalsFor =
  (self: Proof, policy: Policy, use: Use, chain: ReadonlyArray<string> = []): Before["literals"] => (tool) =>
    isMade(self, policy, use, tool, chain) ? undefined : self.literals.get(tool)

const isCallable = ({ callable, isOpen }: Pick<Proof, "callable" | "isOpen">, tool: string): boolean =>
  isOpen || callable.has(tool)

/**
 * Returns the tools that a conversation can call: their policies can hold after calls of the other tools in the result.
 */
const callable = (before: Omit<Proof, "callable">): ReadonlySet<string> => {
  const found = new Set<string>()
  const self = { ...before, callable: found }
  const places = usesOf(self)
  for (let size = -1; size < found.size;) {
    size = found.size
    for (const use of places) {
      const about = self.policies.filter((one) => isAbout(one, use))
      if (!found.has(use.tool) && about.every((one) => mayHold(self, one, use))) found.add(use.tool)
    }
  }
  return found
}

const refOf = ({ step }: Use): string => step?.ref ?? ""

/** The rule in words, as the end of a sentence. */
const told = ({ path, policy }: PolicyEntry): string =>
  policy.onlyIf === undefined ? `${path} forbids it` : `${path} allows it only if ${inWords(policy.onlyIf)}`

/** Reports a policy that no call of the tool can satisfy. If only a model calls the tool, this may be intended. */
const neverMet = (self: Proof, policy: PolicyEntry, tool: string, places: ReadonlyArray<Use>): void => {
  const calls = places.filter(isCall)
  if (policy.policy.never === true && calls.length === 0) return
  const refs = new Set((calls.length > 0 ? calls : places).map(refOf))
  const turns = self.explored.turns.filter(({ way }) => way.trail.some((ref) => refs.has(ref)))
  const ends = turns.filter((turn) => calls.length === 0 || calls.some(({ step }) => isRefused(turn, step!)))
  report(self, "policy-never-met", policy.path, {
    what: `no call of "${tool}" can meet this policy`,
    why: `${told(policy)}, and no conversation comes to that`,
    fix: "Offer or call what is missing in a step, or change the policy"
  }, refusing(self, plainest(self, ends), calls))
}

/** Returns a witness without the assumptions that calls succeed and how the last call, which is refused, ends. */
const refusing = ({ world }: Proof, witness: Witness | undefined, refused: ReadonlyArray<Use>): Witness | undefined => {
  if (witness === undefined) return undefined
  const isAt = ({ path }: Witness["assumes"][number], steps: ReadonlyArray<StepShape>): boolean =>
    steps.some((step) => step.makes !== undefined && path.startsWith(`${step.path}.branches[`))
  const last = witness.turns.length - 1
  return {
    ...witness,
    assumes: witness.assumes.filter((one) =>
      (one.holds || !isAt(one, world.shape.steps)) &&
      (one.turn !== last || !isAt(one, refused.flatMap(({ step }) => step ?? [])))
    )
  }
}

/** Returns the outcome of a step's call in a turn, as the key of `then` whose branch was taken; by default `ok`. */
const endOf = ({ way }: Turn, { branches, path, ref }: StepShape): string => {
  const taken = way.choices.find((choice) =>
    choice._tag === "Assumed" && choice.holds && choice.test.path.startsWith(`${path}.branches[`)
  )
  const branch = branches.find(({ if: tests }) =>
    taken?._tag === "Assumed" && tests.some(({ run }) => run === taken.test.run)
  )
  return branch === undefined ? "ok" : branch.id.slice(ref.length + 1).split("/")[0]!
}

/** True if the turn continues as it does after a refused call of the step. */
const isRefused = (turn: Turn, step: StepShape): boolean => endOf(turn, step) === "denied"

/** A state of the search for a path: a node of the exploration, with the calls before it and the known values. */
interface Point {
  readonly node: number
  readonly history: History.History
  readonly known: ReadonlySet<string>
  readonly path: ReadonlyArray<Turn>
}

/** Maximum number of search states for one policy. */
const most = 20_000

/** Reports each step that a conversation can reach by a path on which the policy cannot hold. */
const unmet = (self: Proof, policy: PolicyEntry, tool: string, places: ReadonlyArray<Use>): void => {
  const targets = new Map(places.flatMap(({ step }) => step === undefined ? [] : [[step.ref, step] as const]))
  for (const [ref, paths] of pathsWithout(self, policy, tool, targets)) {
    const step = targets.get(ref)!
    const calls = [{ tool, step }].filter(isCall)
    report(self, "policy-unmet", step.path, {
      what: `step "${step.id}" ${calls.length > 0 ? "calls" : "offers"} "${tool}" where a policy refuses it`,
      why: policy.policy.atMost !== undefined && policy.policy.onlyIf === undefined
        ? `${policy.path} allows at most ${policy.policy.atMost}, which were made before`
        : `${told(policy)}, and this path does not come to that`,
      fix: "Call or offer what is missing before the step on every path, or lead around the step"
    }, refusing(self, plainestOf(self.world, paths), calls))
  }
}

type Paths = ReadonlyMap<string, ReadonlyArray<ReadonlyArray<Turn>>>

/** Searches for paths to the targets on which the policy cannot hold; returns them by step. */
const pathsWithout = (
  self: Proof,
  policy: PolicyEntry,
  tool: string,
  targets: ReadonlyMap<string, StepShape>
): Paths => {
  const followed = History.follow(policy.policy, tool)
  const found = new Map<string, Array<ReadonlyArray<Turn>>>()
  const seen = new Set<string>()
  const waiting: Array<Point> = [{ node: 0, history: History.empty(followed), known: new Set(), path: [] }]
  const take = (point: Point, turn: Turn): void => {
    const path = [...point.path, turn]
    const history = follow(self, followed, point.history, turn, (step, history) => {
      const use = { tool, step }
      if (!targets.has(step.ref) || holds(self, policy, use, history, followed)) return
      if (!isCall(use) || isRefused(turn, step)) {
        found.set(step.ref, [...found.get(step.ref) ?? [], path])
      }
    })
    if (turn.to === undefined || turn.to < 0) return
    const known = knownAfter(point, turn)
    const name = `${turn.to} ${Array.from(known).toSorted().join()} ${History.nameOf(history)}`
    if (!seen.has(name)) waiting.push({ node: turn.to, history, known, path })
    seen.add(name)
  }
  for (let at = 0; at < waiting.length && at < most; at++) {
    const point = waiting[at]!
    for (const turn of self.turns.get(point.node) ?? []) if (isPossible(point, turn)) take(point, turn)
  }
  return found
}

/** True if a turn is possible in a state of the search: the turn does not assume that a known value is unknown. */
const isPossible = ({ known }: Point, { way }: Turn): boolean =>
  !way.choices.some((one) => one._tag === "Field" && !one.known && known.has(one.name))

const knownAfter = ({ known }: Point, { way: { outcome } }: Turn): ReadonlySet<string> =>
  outcome._tag === "Waits" ? new Set([...known, ...outcome.place.known]) : known

/** Returns the history after a turn; `look` sees each step of the turn with the history before it. */
const follow = (
  self: Proof,
  followed: History.Followed,
  before: History.History,
  turn: Turn,
  look: (step: StepShape, history: History.History) => void
): History.History => {
  // A known value of the turn may come from an earlier call that is bound to the field.
  const assumed = turn.way.choices.flatMap((one) => one._tag === "Field" && one.known && one.before ? [one.name] : [])
  let history = History.offering(followed, before, bindersOf(self, assumed))
  for (const ref of turn.way.trail) {
    const step = self.steps.get(ref)
    if (step === undefined) continue
    const callable = offeredBy(step).filter((tool) => isCallable(self, tool))
    history = History.offering(followed, history, new Set(self.isOpen ? namesOf(self) : callable))
    look(step, history)
    if (step.makes !== undefined && endOf(turn, step) === "ok") {
      history = History.calling(followed, history, step.makes.tool.id, step.makes.args)
    }
  }
  return history
}

const namesOf = ({ world }: Proof): ReadonlyArray<string> => world.shape.steps.flatMap(toolsAt)

const bindersOf = ({ world }: Proof, fields: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    world.shape.steps.flatMap(({ makes }) =>
      makes?.binds.some((name) => fields.includes(name)) === true ? [makes.tool.id] : []
    )
  )

/** True if the policy can hold for a call in a step, after these calls. */
const holds = (
  self: Proof,
  { policy }: PolicyEntry,
  use: Use & { readonly step: StepShape },
  history: History.History,
  followed: History.Followed
): boolean => {
  const before = made(self, policy, use, History.before(followed, history, { ...self.rest, args: argsOf(use) }))
  if (!isCall(use)) {
    return policy.onlyIf === undefined || can(policy.onlyIf, later(self, use.step, before)).yes
  }
  const key = History.limitKey(policy, argsOf(use))
  return policy.never !== true && (policy.onlyIf === undefined || can(policy.onlyIf, before).yes) &&
    (policy.atMost === undefined || key === undefined || (ownValue(history.counts, key) ?? 0) < policy.atMost)
}

/** Adds the calls that the engine makes itself. */
const made = (self: Proof, policy: Policy, use: Use, before: Omit<Before, "literals">): Before => ({
  ...before,
  may: (tool, after) => before.may(tool, after) || isMade(self, policy, use, tool),
  mayInOrder: (calls) => before.mayInOrder(calls) || calls.every(({ called }) => isMade(self, policy, use, called)),
  literals: literalsFor(self, policy, use)
})

/** Adds the calls that the conversation can still reach: in other flows, outside of flows, and later in this flow. */
const later = (self: Proof, { flow, ref }: StepShape, before: Before): Before => {
  const after = stepsAfter(self, ref)
  const tools = new Set([
    ...self.idle,
    ...self.world.shape.steps.filter((one) => one.flow !== flow || after.has(one.ref)).flatMap(toolsAt)
  ])
  const may = (tool: string) => tools.has(tool) && isCallable(self, tool)
  return {
    ...before,
    may: (tool, after) => before.may(tool, after) || may(tool),
    has: () => false,
    mayInOrder: (calls) =>
      before.mayInOrder(calls) ||
      calls.every((one) => before.may(one.called, afterOf(one, before.tools)) || may(one.called))
  }
}

/** Returns the steps that a conversation can reach after a step, before it is outside all flows. */
const stepsAfter = ({ turns }: Proof, ref: string): ReadonlySet<string> => {
  const found = new Set<string>()
  const nodes = new Set<number>()
  const go = ({ to, way }: Turn, from: number): void => {
    for (const one of way.trail.slice(from)) found.add(one)
    if (to !== undefined && to >= 0) nodes.add(to)
  }
  for (const turn of Array.from(turns.values()).flat()) {
    if (turn.way.trail.includes(ref)) go(turn, turn.way.trail.indexOf(ref) + 1)
  }
  for (const node of nodes) for (const turn of turns.get(node) ?? []) go(turn, 0)
  return found
}
