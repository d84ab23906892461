/**
 * Determines the values that the definition may still read from a step on. The checker treats two positions as equal if
 * they differ only in values that are no longer read.
 *
 * The result is an upper bound: it follows every path of the definition, regardless of conditions.
 */
import * as Memo from "../../base/Memo.js"
import * as Directive from "../../directive/Directive.js"
import { askedBy, movesOf } from "../shape/CodeMove.js"
import type { BranchShape, Code, FlowShape, Shape, StepShape, Test } from "../shape/Shape.js"
import { branchesIn, flowIndex, stepCode, stepTests } from "../shape/Shape.js"
import * as Source from "../shape/Source.js"

/** The values read: names of fields, predicate functions, and conditions in words (in the form of `wordsOf`). */
type Reads = ReadonlySet<unknown>

/** A condition in words, as an element of `Reads`. */
export const wordsOf = (when: ReadonlyArray<string>): string => JSON.stringify(when)

/** The beginning, a step or the end of a flow: the values read there, and the points that can follow it. */
interface Point {
  readonly reads: Set<unknown>
  readonly next: Array<Point>
  /** Like `reads`, but without `back`: for the case that all required fields are known. */
  readonly straight: Set<unknown>
  /** The fields required from here on. */
  readonly requires: Set<unknown>
  /** The points that follow only if a required field is unknown. */
  readonly back: Array<Point>
}

/** The points of each flow, in order: its beginning, its steps, and its end. */
type Points = ReadonlyArray<ReadonlyArray<Point>>

/** The properties of an agent, flow or step that can read values or move the conversation. */
interface Part {
  readonly tests?: ReadonlyArray<Test>
  readonly branches?: ReadonlyArray<BranchShape>
  readonly code?: ReadonlyArray<Code>
  readonly fields?: ReadonlyArray<string>
  readonly when?: ReadonlyArray<string>
}

const point = (): Point => ({ reads: new Set(), next: [], straight: new Set(), requires: new Set(), back: [] })

const nothing: Reads = new Set()

/** Member access with a computed key, which may be any field. */
const computed = /(?:[\w$)\]]|\?\.)\s*\[(?!\s*(?:""|\d+)\s*\])/

/** Returns the fields that a predicate may read; empty for a predicate that the checker cannot call. */
export const fieldsOf = (shape: Shape, { run }: Test): ReadonlyArray<string> => {
  const source = Source.of(run)
  if (!Source.isClosed(source)) return []
  const names = Array.from(shape.fields.keys())
  return computed.test(source.code) ? names : names.filter((name) => Source.mentions(source, name))
}

/** Returns the values that may be read from a step of the flow on; step `-1` is the beginning of the flow. */
export const from = (shape: Shape, flow: number, step: number): Reads =>
  ahead(shape)[flow]?.[step + 1]?.reads ?? nothing

/** True if code or directives of the definition can clear a value. */
const forgets = Memo.weak((shape: Shape): boolean =>
  shape.flows.some(({ ephemeral, reentrant }) => reentrant || ephemeral.length > 0) || writesForget(shape)
)

const writesForget = (shape: Shape): boolean =>
  shape.code.some(({ source: { code } }) => /\b(clear|clearData|reset|carry)\b|:\s*undefined\b/.test(code)) ||
  branchesIn(shape).some(({ then }) => isForgetting(then)) ||
  shape.heard.some(({ then }) => then !== undefined && isForgetting(then))

const isForgetting = (directive: Directive.Directive): boolean =>
  directive.clear !== undefined || Object.values(Directive.dataOf(directive)).includes(undefined) ||
  movesForgetting(Directive.position(directive))

const movesForgetting = (to: Directive.Position | undefined): boolean => {
  switch (to?._tag) {
    case "Reset":
      return true
    case "GoTo":
      return to.carry !== undefined
    case "Complete":
      return to.next !== undefined && isForgetting(to.next)
    default:
      return false
  }
}

/**
 * Like `from`, for the rest of one turn. If `known` contains all required fields and the definition cannot clear a
 * value, leaves out the steps to which the conversation goes back for a missing field.
 */
export const within = (shape: Shape, flow: number, step: number, known: ReadonlySet<unknown>): Reads => {
  const at = ahead(shape)[flow]?.[step + 1]
  if (at === undefined) return nothing
  if (forgets(shape)) return at.reads
  for (const name of at.requires) if (!known.has(name)) return at.reads
  return at.straight
}

const ahead = Memo.weak((shape: Shape): Points => {
  const points: Points = shape.flows.map(({ steps }) => Array.from({ length: steps.length + 2 }, point))
  for (const flow of shape.flows) connect(shape, points, flow)
  spread(points.flat())
  return points
})

const connect = (shape: Shape, points: Points, flow: FlowShape): void => {
  const here = points[flow.index]!
  const around = aroundOf(shape, flow)
  const asked = flow.steps.filter((step) => step.depends || step.collect.some((name) => dependsOnOthers(shape, name)))
    .map(({ index }) => here[index + 1]!)
  const add = (at: number, part: Part): void => read(shape, points, flow, here[at]!, part)
  here.forEach((point, at) => {
    for (const one of [...here.slice(at + 1, at + 2), ...asked]) point.next.push(one)
    add(at, around)
    for (const one of heardAt(shape, flow, at - 1)) add(at, one)
  })
  add(0, { tests: flow.if, code: flow.onEnter })
  for (const step of flow.steps) {
    add(step.index + 1, partOf(shape, step))
    const given = usedBy(step).filter((name) => flow.steps.some(({ gives }) => gives.includes(name)))
    for (const name of [...step.requires, ...given]) here[step.index + 1]!.requires.add(name)
    for (const index of giving(flow, [...step.requires, ...given])) here[step.index + 1]!.back.push(here[index + 1]!)
  }
  const end = here.at(-1)!
  for (const name of flow.requiredFields) end.requires.add(name)
  add(here.length - 1, { fields: flow.requiredFields, code: flow.onComplete })
  for (const index of giving(flow, flow.requiredFields)) end.back.push(here[index + 1]!)
  if (flow.follows !== undefined) {
    for (const one of pointsTo(shape, points, flow, { goTo: flow.follows })) end.next.push(one)
  }
}

/** Returns what can read values at every step of a flow. */
const aroundOf = (shape: Shape, flow: FlowShape): Part => ({
  tests: flow.isComplete,
  code: [...flow.onResume, ...flow.onExit],
  branches: [...shape.branches, ...flow.branches],
  fields: flow.fields.flatMap((name) => [...causesOf(shape, name)])
})

const dependsOnOthers = ({ fields }: Shape, name: string): boolean => (fields.get(name)?.dependsOn.length ?? 0) > 0

/** Returns the field and the fields on which it depends, directly or indirectly. */
const causesOf = (shape: Shape, name: string): ReadonlySet<string> => {
  if (!dependsOnOthers(shape, name)) return new Set()
  const found = new Set([name])
  for (const one of found) for (const cause of shape.fields.get(one)?.dependsOn ?? []) found.add(cause)
  return found
}

/** Returns the handlers of events and timers at a step. */
const heardAt = (shape: Shape, flow: FlowShape, step: number): ReadonlyArray<Part> =>
  shape.heard.filter((one) => (one.flow < 0 || one.flow === flow.index) && (one.step < 0 || one.step === step)).map(
    ({ code, path, then }) => ({
      code: code === undefined ? [] : [code],
      branches: then === undefined ? [] : [{ id: path, path, if: [], when: [], then }]
    })
  )

const partOf = ({ fields }: Shape, step: StepShape): Part => ({
  tests: stepTests(step),
  branches: step.branches,
  code: stepCode(step),
  fields: [...step.collect, ...step.requires, ...usedBy(step).filter((name) => fields.has(name))],
  when: step.when
})

/** Returns the names that the texts of a step and the arguments of its call mention. */
const usedBy = ({ args, readBack, text }: StepShape): ReadonlyArray<string> =>
  [args, readBack, text].flatMap((code) => code === undefined ? [] : Array.from(code.source.words))

const giving = ({ steps }: FlowShape, names: ReadonlyArray<string>): ReadonlyArray<number> =>
  steps.filter(({ gives }) => gives.some((name) => names.includes(name))).map(({ index }) => index)

const empty: Required<Part> = { branches: [], code: [], fields: [], tests: [], when: [] }

const read = (shape: Shape, points: Points, flow: FlowShape, point: Point, part: Part): void => {
  const { branches, code, fields, tests, when } = { ...empty, ...part }
  for (const test of [...tests, ...branches.flatMap((branch) => branch.if)]) {
    for (const one of [test.run, ...fieldsOf(shape, test)]) point.reads.add(one)
  }
  for (const name of [...fields, ...branches.flatMap(({ then }) => Directive.cleared(then))]) point.reads.add(name)
  for (const words of [when, ...branches.map((branch) => branch.when)]) point.reads.add(wordsOf(words))
  const asked = code.flatMap((one) => askedBy(flow, one))
  for (const { field } of asked) point.reads.add(field)
  const after = [
    ...branches.map(({ then }) => then),
    ...code.flatMap(({ source }) => movesOf(shape, flow, source)),
    ...asked.map(({ move }) => move)
  ]
  for (const one of after.flatMap((to) => pointsTo(shape, points, flow, to))) point.next.push(one)
}

/** Returns the points to which a directive leads. */
const pointsTo = (
  shape: Shape,
  points: Points,
  flow: FlowShape,
  directive: Directive.Directive
): ReadonlyArray<Point> => {
  const to = Directive.position(directive)
  switch (to?._tag) {
    case undefined:
    case "HandOff":
    case "Abort":
      return []
    case "Complete":
      return [points[flow.index]!.at(-1)!, ...(to.next === undefined ? [] : pointsTo(shape, points, flow, to.next))]
    case "Reset":
      return pointsIn(shape, points, flow.index, to.step)
    case "GoTo":
      return pointsIn(shape, points, to.flow === undefined ? flow.index : flowIndex(shape, to.flow), to.step)
  }
}

const pointsIn = ({ flows }: Shape, points: Points, flow: number, id: string | undefined): ReadonlyArray<Point> => {
  const step = flows[flow]?.steps.findIndex((one) => one.id === id) ?? -1
  return points[flow]?.slice(step + 1, step + 2) ?? []
}

/** Adds to each point the values that later points read; repeats until no set grows. */
const spread = (points: ReadonlyArray<Point>): void => {
  for (const one of points) for (const name of one.reads) one.straight.add(name)
  grow(points, "requires", ({ next }) => next)
  grow(points, "straight", ({ next }) => next)
  grow(points, "reads", ({ back, next }) => [...next, ...back])
}

const grow = (
  points: ReadonlyArray<Point>,
  key: "reads" | "straight" | "requires",
  next: (point: Point) => ReadonlyArray<Point>
): void => {
  const linked = points.toReversed().map((one) => ({ all: one[key], next: new Set(next(one)) }))
  for (let grows = true; grows;) {
    grows = false
    for (const { all, next: after } of linked) {
      const before = all.size
      for (const one of after) for (const name of one[key]) all.add(name)
      grows ||= all.size > before
    }
  }
}
