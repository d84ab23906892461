/** Builds the brief of a reply from the definition, the position and the data. The wording is in `domain/brief`. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import { quote } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import { ownValue } from "../../domain/base/ownValue.js"
import * as Brief from "../../domain/brief/Brief.js"
import type {
  CompiledFlow,
  CompiledInstruction,
  CompiledStep,
  CompiledTool,
  Definition,
  Text,
  Values
} from "../../domain/definition/Definition.js"
import { listOf } from "../../domain/definition/Definition.js"
import * as ToolScope from "../../domain/definition/ToolScope.js"
import * as When from "../../domain/definition/When.js"
import { type Field, jsonSchemaOf } from "../../domain/fields/Fields.js"
import * as Nested from "../../domain/fields/Nested.js"
import * as TimeAndLocale from "../../domain/language/TimeAndLocale.js"
import { openRequests, type Session } from "../../domain/session/Session.js"
import type { Questions } from "../../services/understanding/Understanding.js"
import { allHold, contextOf } from "../state/callbacks.js"
import { suspendedKey } from "../state/parts/SuspendedTurn.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { filesOf, note } from "../state/TurnState.js"
import { textOf } from "../stored/mergeSummary.js"
import { recentHistory, waitingStep } from "../walk/conditions.js"
import { currentFlow } from "../walk/TurnGround.js"

const ruleOf = ({ kind, text, when }: CompiledInstruction): string => Brief.rule(kind, text, When.parse(when))

/** True for an instruction of the agent without predicates: it is in every prompt. */
const isStable = ({ if: tests, scope }: CompiledInstruction): boolean => scope === "agent" && tests.length === 0

type Reader = "speaking" | "understanding"

/**
 * Returns the instructions for each purpose, speaking and understanding. Cached, so that equal lists give the same
 * object.
 */
const read = Memo.list((given: ReadonlyArray<CompiledInstruction>): Readonly<
  Record<Reader, ReadonlyArray<CompiledInstruction>>
> => ({
  speaking: given.filter((one) => one.for !== "understanding"),
  understanding: given.filter((one) => one.for !== "speaking")
}))

/** The part of the prompt that is the same in every turn of every session. Rendered once per agent. */
export const preamble = (definition: Definition): string => {
  const { compaction, fields, goal, instructions, knowledge, name, persona, terms, wording } = definition
  return Brief.preamble({
    name,
    goal,
    persona: typeof persona === "string" ? persona : undefined,
    rules: read(instructions).speaking.filter(isStable).map(ruleOf),
    terms,
    knowledge,
    words: wording.speaking,
    has: { data: fields.size > 0, summary: compaction !== undefined }
  })
}

/** Returns the agent's information for the understanding call. Cached: the same definition gives the same object. */
const asking = Memo.weak((
  { goal, instructions, name, terms, understanding, wording }: Definition
): Brief.AgentBrief => ({
  name,
  goal,
  terms,
  rules: [
    ...(typeof understanding.instructions === "string" ? [understanding.instructions] : []),
    ...read(instructions).understanding.filter(isStable).map(ruleOf)
  ],
  words: wording.understanding,
  reasoning: understanding.reasoning,
  flows: understanding.flows
}))

/** Returns the instructions for the understanding call that depend on the turn. */
const rulesNow = Effect.fnUntraced(function*(turn: Opened) {
  const { instructions, understanding } = turn.runtime.definition
  const flow = currentFlow(turn, turn.state.session)
  const own = typeof understanding.instructions === "function"
    ? [yield* understanding.instructions(contextOf(turn))]
    : []
  const given = [...instructions, ...flow?.instructions ?? [], ...waitingStep(turn)?.instructions ?? []]
  const applied = given.length === 0 ? given : yield* holding(turn, "understanding", given)
  return [...own, ...rulesOf(applied)]
})

/** The input that all calls which interpret a message have in common. */
export const aboutMessage = (
  turn: Opened
): Effect.Effect<
  Required<Pick<Questions, "sessionId" | "message" | "history" | "asking" | "rules" | "now">>,
  Failure
> =>
  Effect.map(rulesNow(turn), (rules) => ({
    sessionId: turn.sessionId,
    message: turn.message,
    history: recentHistory(turn),
    asking: asking(turn.runtime.definition),
    rules,
    now: nowFor(turn)
  }))

/** The current date and time in the user's zone. */
const nowFor = (turn: Opened): string => TimeAndLocale.now(turn.now, turn.state.context, turn.runtime.definition)

/** Returns the instructions for speaking or for understanding whose `if` holds. */
const holding = (
  turn: Opened,
  reader: Reader,
  given: ReadonlyArray<CompiledInstruction> = []
): Effect.Effect<ReadonlyArray<CompiledInstruction>> =>
  given.length === 0
    ? Effect.succeed(given)
    : Effect.filter(read(given)[reader], (one) => allHold(turn, `instruction:${one.id}.if`, one.if))

/** The rules that are not in the preamble. */
const rulesOf = (applied: ReadonlyArray<CompiledInstruction>): ReadonlyArray<string> =>
  applied.filter((one) => !isStable(one)).map(ruleOf)

const noteApplied = (turn: Opened, applied: ReadonlyArray<CompiledInstruction>): void => {
  if (applied.length === 0) return
  note(turn, {
    _tag: "InstructionsApplied",
    instructions: applied.map(({ id, scope, scopeRef }) => ({
      id,
      scope,
      ...(scopeRef !== undefined && { scopeRef })
    }))
  })
}

/** The summary of earlier messages, if the agent makes summaries. */
const summaryOf = ({ compaction }: Definition, { summary }: Session): Pick<Brief.Speaking, "summary"> =>
  compaction === undefined || summary === undefined ? {} : { summary: textOf(summary) }

/** A prompt, and the brief it was rendered from. */
export interface Composed {
  readonly brief: Brief.Speaking
  readonly prompt: Prompt.Prompt
}

/** Renders the prompt for a step that speaks, or for a reply without a step; records its instructions as applied. */
export const compose = (
  turn: Opened,
  task: Text,
  flow?: CompiledFlow,
  step?: CompiledStep
): Effect.Effect<Composed, Failure> =>
  Effect.map(brief(turn, task, flow, step), ({ applied, brief }) => {
    noteApplied(turn, applied)
    return { brief, prompt: Brief.renderSpeaking(brief) }
  })

/**
 * Builds the brief of a reply. Does not record its instructions as applied, because a speculative reply may be
 * discarded.
 */
export const brief = Effect.fnUntraced(function*(
  turn: Opened,
  task: Text,
  flow?: CompiledFlow,
  step?: CompiledStep
) {
  const { definition, preamble } = turn.runtime
  const ctx = contextOf(turn)
  const persona = typeof definition.persona === "function" ? yield* definition.persona(ctx) : undefined
  const ofAgent = yield* holding(turn, "speaking", definition.instructions)
  const ofFlow = yield* holding(turn, "speaking", flow?.instructions)
  const ofStep = yield* holding(turn, "speaking", step?.instructions)
  const text = yield* task(ctx)
  const { session } = ctx
  const { completedFlows, corrected, reasons, rejected } = turn.state.record
  const kept: StoredValues = { data: ctx.data, ...(session.partial !== undefined && { partial: session.partial }) }
  const brief: Brief.Speaking = {
    preamble,
    words: definition.wording.speaking,
    key: yield* Brief.makeKey,
    ...(persona !== undefined && { persona }),
    rules: rulesOf(ofAgent),
    ...(flow !== undefined && { flow: { ...named(flow), rules: rulesOf(ofFlow) } }),
    completed: completedFlows.map((id) => titleOf(definition, id)),
    task: text,
    ask: wanted(definition, step, kept),
    stepRules: rulesOf(ofStep),
    ...surroundings(flow, step, session),
    // While a flow is active, its steps tell the model how a new value was handled.
    ...(flow === undefined && Object.keys(corrected).length > 0 && { corrected }),
    added: [
      ...beginning(turn),
      ...turn.reply.appendPrompt,
      ...questionsOf(session),
      ...lapsed(step, ctx.data, reasons)
    ],
    now: nowFor(turn),
    known: knownOf(definition, flow, kept),
    rejected,
    ...summaryOf(definition, session),
    history: turn.history,
    ...happened(turn),
    message: turn.message,
    ...filesOf(turn)
  }
  return { brief, applied: [...ofAgent, ...ofFlow, ...ofStep] }
})

/** The event that the reply answers, if it does not answer a message. */
const happened = ({ begins, occurrence }: Opened): Pick<Brief.Speaking, "event"> =>
  occurrence !== undefined
    ? { event: occurrence }
    : begins === true
    ? { event: { name: "the conversation begins", payload: null } }
    : {}

/** The prompt line that replaces the message when the agent speaks first. */
const beginning = ({ begins }: Opened): ReadonlyArray<string> =>
  begins === true ? ["The user has opened the conversation and has said nothing yet: speak first"] : []

/** Returns the reasons why the flow asks for fields again. */
const lapsed = (
  step: CompiledStep | undefined,
  data: Values,
  reasons: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  listOf(step?.collect).flatMap((name) =>
    ownValue(data, name) === undefined && Object.hasOwn(reasons, name)
      ? [`${name} is asked for again: ${reasons[name]}`]
      : []
  )

/**
 * Returns prompt lines about questions that the user has not answered. The model must not ask them, because they are
 * repeated after its reply.
 */
const questionsOf = ({ [suspendedKey]: suspended }: Session): ReadonlyArray<string> =>
  suspended === undefined ?
    [] :
    openRequests(suspended).flatMap(({ by, question }) =>
      by === "user" && question !== undefined
        ? [
          `the user has not answered ${
            quote(question)
          } yet; answer their message, do not ask that, and say nothing of it as done`
        ]
        : []
    )

const titleOf = ({ flows }: Definition, id: string): string => flows.find((flow) => flow.id === id)?.title ?? id

/**
 * Returns the parts of the brief about other flows: the suspended flow that resumes next, the next flow on the agenda,
 * and the earlier message that asked for the current flow.
 */
const surroundings = (flow: CompiledFlow | undefined, step: CompiledStep | undefined, session: Session) => {
  const here = flow === undefined || step === undefined ? undefined : { flow, step }
  const returnTo = here && returning(here.flow, here.step, session)
  const next = here && following(here.flow, here.step, session)
  return {
    ...(returnTo !== undefined && { returnTo }),
    ...(next !== undefined && { next }),
    ...before(step, session)
  }
}

/** Returns the earlier message that asked for the current flow, until a second step of the flow has spoken. */
const before = (step: CompiledStep | undefined, { currentFlow }: Session) => {
  const { askedBefore, spokenSteps = [] } = currentFlow ?? {}
  return askedBefore !== undefined && spokenSteps.every((id) => id === step?.id) ? { askedBefore } : {}
}

const named = ({ description, title }: CompiledFlow) => ({ title, ...(description !== undefined && { description }) })

type StoredValues = Pick<Session, "data" | "partial">

/** Returns the known values, including parts of structs; in a flow only the fields that it declares. */
const knownOf = (
  { fields }: Definition,
  flow: CompiledFlow | undefined,
  { data, partial = {} }: StoredValues
): Values => {
  const begun = Object.entries(partial).flatMap(([name, parts]) => {
    const field = fields.get(name)
    return field === undefined ? [] : [[name, Nested.shaped(field, parts)] as const]
  })
  const known: Values = { ...Object.fromEntries(begun), ...data }
  if (flow === undefined) return known
  // Starts from the known names, because an agent with many fields knows few of them.
  const names = new Set(Object.keys(known))
  return Object.fromEntries(
    flow.fields.flatMap((name) => names.has(name) && ownValue(known, name) !== undefined ? [[name, known[name]]] : [])
  )
}

/**
 * Returns the fields for which the step still asks, each with a hint from its Schema; for a struct, its missing parts.
 */
const wanted = (
  { fields }: Definition,
  step: CompiledStep | undefined,
  kept: StoredValues
): ReadonlyArray<Brief.AskedField> =>
  listOf(step?.collect).filter((name) => ownValue(kept.data, name) === undefined).flatMap((name) => {
    const field = fields.get(name)
    if (field === undefined) return [{ name }]
    const inside = Nested.missing(field, Nested.known(kept, field))
    if (inside.length === 0) return [wantedOf(field)]
    return inside.map((leaf) => wantedOf(leaf.field, field.description))
  })

/**
 * Adds a hint to the field: its own description, otherwise one derived from its options or from the struct that
 * contains it.
 */
const wantedOf = ({ description, label, name, schema }: Field, whole?: string): Brief.AskedField => {
  const hint = description ?? hintOf(jsonSchemaOf(schema)) ??
    (whole === undefined ? undefined : `${label.toLowerCase()} of ${whole.charAt(0).toLowerCase()}${whole.slice(1)}`)
  return { name, ...(hint !== undefined && { hint }) }
}

const hintOf = (schema: object): string | undefined =>
  "enum" in schema && Array.isArray(schema.enum) ? schema.enum.join(" | ") : undefined

/** The title of the suspended flow that continues when this step ends the current flow. */
const returning = (flow: CompiledFlow, step: CompiledStep, session: Session): string | undefined => {
  const waiting = session.suspended.at(-1)
  return waiting === undefined || step.index < flow.steps.length - 1
    ? undefined
    : waiting.flow.title
}

/** The title of the next flow on the agenda, if this is the last step and no suspended flow continues first. */
const following = (flow: CompiledFlow, step: CompiledStep, { agenda, suspended }: Session): string | undefined =>
  suspended.length > 0 || step.index < flow.steps.length - 1 ? undefined : agenda?.[0]?.title

/** Returns the tools that are offered in a scope, including those injected for this turn. */
export const toolsInScope = (turn: Opened, scope: ToolScope.Scope): ReadonlyArray<CompiledTool> =>
  ToolScope.tools(turn.runtime.definition, scope, turn.reply.injectTools)
