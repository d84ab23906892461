/** Renders a recorded session as the source of a test that plays it. */
import * as Either from "effect/Either"
import { type JsonObject, recordOf } from "../../domain/base/Json.js"
import * as Literal from "../../domain/fields/schema/Literal.js"
import type { Called, Spoken, TurnEntry, Understood } from "../../domain/turn/TurnEntry.js"
import { type Decision, isDecision } from "../state/Input.js"
import { suspendedKey } from "../state/parts/SuspendedTurn.js"
import type { Runtime } from "../state/TurnState.js"
import { isDropped } from "./exitCodec.js"
import * as Rewinds from "./rewinds.js"

const gave = ({ end }: Pick<Understood | Spoken | Called, "end">): unknown =>
  end._tag === "Gave" ? end.value : undefined

const named = (answers: ReadonlyArray<Readonly<Record<string, unknown>>>, key: string) => {
  const names = answers.flatMap((answer) => {
    const given = answer[key]
    return Array.isArray(given) ? given : []
  })
  return names.length === 0 ? {} : { [key]: names }
}

/**
 * Renders all judgements of a turn as one `understand` move; scores of 0 and conditions that did not hold are left out.
 */
const understand = ({ understood }: TurnEntry): ReadonlyArray<string> => {
  if (understood.length === 0) return []
  const answers = understood.map((one) => recordOf(gave(one)))
  const all = (key: string): Record<string, unknown> =>
    Object.assign({}, ...answers.map((answer) => recordOf(answer[key])))
  const scores = Object.entries(all("flowScores")).filter(([, score]) => Number(score) > 0)
  const signals = Object.entries(all("signals")).flatMap(([id, one]) =>
    recordOf(one).matched === true ? [[id, recordOf(one).extracted] as const] : []
  )
  const told = {
    ...(scores.length > 0 && { flow: Object.fromEntries(scores) }),
    ...(Object.keys(all("fields")).length > 0 && { fields: all("fields") }),
    ...named(answers, "withdrawn"),
    ...named(answers, "dontCare"),
    conditions: Object.entries(all("conditions")).flatMap(([id, holds]) => holds === true ? [id] : []),
    signals: signals.some(([, value]) => value !== undefined) ? Object.fromEntries(signals) : signals.map(([id]) => id)
  }
  return [`understand(${Literal.ofRecord(told)})`]
}

const partOf = (part: unknown): ReadonlyArray<string> => {
  const { id, name, params, text, type } = recordOf(part)
  if (type === "text") return text === "" ? [] : [`say(${Literal.of(text)})`]
  return type === "tool-call" ? [`call(${Literal.of(name)}, ${Literal.of(params ?? {})}, ${Literal.of({ id })})`] : []
}

/** Renders one answer of the model; for an interrupted answer, the text so far. */
const answer = (one: Spoken): ReadonlyArray<string> => {
  if (one.purpose !== "speak") return []
  if (one.end._tag === "Stopped") {
    // A speculative call whose answer was not needed still consumes an answer of the script.
    const said = one.end.said ?? (isDropped(one) ? "…" : undefined)
    return said === undefined ? [] : [`say(${Literal.of(said)})`]
  }
  const { content } = recordOf(recordOf(gave(one)).message)
  const parts = Array.isArray(content) ? content.flatMap(partOf) : []
  return parts.length === 1 ? parts : [`[${parts.join(", ")}]`]
}

const movesOf = (entry: TurnEntry): ReadonlyArray<string> => [...understand(entry), ...entry.spoken.flatMap(answer)]

const defined = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))

const said = ({ input }: TurnEntry, runtime: Runtime | undefined): string => {
  if (input._tag !== "Message") return ""
  const { context, message, messageId, metadata, principal, unattended, understood, values: filledIn } = input
  const values = Object.fromEntries(
    Object.entries(context ?? {}).map(([name, value]) => [
      name,
      Either.getOrElse(runtime?.definition.contextFields.get(name)?.decode(value) ?? Either.right(value), () => value)
    ])
  )
  const rest = defined({
    messageId,
    context: Object.keys(values).length > 0 ? values : undefined,
    metadata,
    principal,
    values: filledIn,
    understood,
    unattended
  })
  return Object.keys(rest).length === 0 ? Literal.of(message) : Literal.ofRecord({ message, ...rest })
}

const beginningOf = ({ flow, metadata, principal }: Extract<TurnEntry["input"], { readonly _tag: "Begin" }>): string =>
  Literal.ofRecord({
    ...(flow !== undefined && { flow }),
    ...(metadata !== undefined && { metadata }),
    ...(principal !== undefined && { principal })
  })

/** Renders a decision, with the tool of the call that is decided and the person who decides. */
const decided = (
  { decision, principal, request }: Extract<TurnEntry["input"], Pick<Decision, "_tag">>,
  before: JsonObject | undefined
): string => {
  const { requests } = recordOf(before?.[suspendedKey])
  const asked = Array.isArray(requests)
    ? requests.map(recordOf).find(({ callId, id }) => id === request || callId === request)
    : undefined
  return Literal.ofRecord({
    ...(typeof asked?.toolId === "string" && { tool: asked.toolId }),
    ...decision,
    ...(principal !== undefined && { principal })
  })
}

/** Renders the report of a job that the session had started. */
const told = (
  { jobId, told: { _tag, value } }: Extract<TurnEntry["input"], { readonly _tag: "Job" }>,
  session: JsonObject | undefined,
  moves: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const { jobs } = recordOf(session)
  const job = Array.isArray(jobs) ? jobs.map(recordOf).find(({ id }) => id === jobId) : undefined
  if (typeof job?.name !== "string") return [`// A job told of itself (${_tag}) that the log does not know.`]
  const event = `${job.name}.${_tag.toLowerCase()}`
  return [`yield* talk.event(${[Literal.of(event), Literal.of(value), ...moves].join(", ")})`]
}

/** Renders the lines that play a turn. `before` is the session that the turn loaded. */
const line = (
  entry: TurnEntry,
  before: JsonObject | undefined,
  runtime: Runtime | undefined
): ReadonlyArray<string> => {
  const { end, input, sessionId } = entry
  const moves = movesOf(entry)
  const scripted = `yield* script.play([${moves.join(", ")}])`
  if (isDecision(input)) return [`yield* talk.approve(${[decided(input, before), ...moves].join(", ")})`]
  switch (input._tag) {
    case "Message":
      return [`yield* talk.${end === "interrupted" ? "abort" : "user"}(${[said(entry, runtime), ...moves].join(", ")})`]
    case "Begin":
      return [`yield* talk.begin(${[beginningOf(input), ...moves].join(", ")})`]
    case "Event":
      return [`yield* talk.event(${[Literal.of(input.event), Literal.of(input.payload), ...moves].join(", ")})`]
    case "Timer":
      return [scripted, `yield* bot.wake(${Literal.of(sessionId)})`]
    case "Job":
      return told(input, before, moves)
  }
}

/**
 * Returns the expected outcome of a turn. A timer's turn has no expectations, because no message of the test causes it.
 */
const expectations = (entry: TurnEntry, runtime: Runtime | undefined): ReadonlyArray<string> => {
  const session = Rewinds.sessionOf(entry)
  if (session === undefined || entry.input._tag === "Timer") return []
  const { id } = recordOf(session.currentFlow)
  const data = Object.entries(recordOf(session.data)).flatMap(([name, value]) => {
    const decoded = runtime?.definition.fields.get(name)?.decode(value)
    return decoded === undefined ? [[name, value]] : Either.isRight(decoded) ? [[name, decoded.right]] : []
  })
  const tools = entry.called.flatMap((one) => {
    const { outcome } = recordOf(gave(one))
    return typeof outcome === "string"
      ? [`yield* talk.expectTool(${Literal.of(one.toolId)}, ${Literal.ofRecord({ outcome })})`]
      : []
  })
  return [
    ...tools,
    `yield* talk.expectFlow(${typeof id === "string" ? Literal.of(id) : "undefined"})`,
    ...(data.length > 0 ? [`yield* talk.expectData(${Literal.ofRecord(Object.fromEntries(data))})`] : []),
    ...(entry.reply === "" ? [] : [`yield* talk.expectReply(${Literal.of(entry.reply)})`])
  ]
}

/** True for turns that stored a session; other turns become a comment in the test. */
const isPlayed = ({ end, written }: TurnEntry): boolean =>
  (end === "answered" || end === "interrupted") && written.length > 0

const gap = (entry: TurnEntry, since: number = Infinity): ReadonlyArray<string> => {
  const seconds = Math.round(((entry.clock[0] ?? 0) - since) / 1000)
  return seconds > 0 && Number.isFinite(seconds) ? [`yield* talk.advance("${seconds} seconds")`] : []
}

/** Outcomes of calls whose handler ran. */
const ran: ReadonlySet<unknown> = new Set(["ok", "failed", "timed_out"])

/** Renders the result of a handler, and the directives that it emitted. */
const toldBy = ({ dispatched, ...one }: Called): string => {
  const { directive, isFailure, output } = recordOf(gave(one))
  const result = isFailure === true || directive !== undefined
    ? {
      ok: isFailure !== true,
      outputMessage: typeof output === "string" ? output : JSON.stringify(output),
      ...(directive !== undefined && { directive })
    }
    : output
  return `[${[result, ...dispatched].map(Literal.of).join(", ")}]`
}

/** Stubs that return the recorded tool results in order, so that tools have no effects. */
const stubs = (entries: ReadonlyArray<TurnEntry>): ReadonlyArray<string> => {
  const byTool = new Map<string, Array<string>>()
  for (const one of entries.filter(isPlayed).flatMap(({ called }) => called)) {
    if (ran.has(recordOf(gave(one)).outcome)) byTool.set(one.toolId, [...byTool.get(one.toolId) ?? [], toldBy(one)])
  }
  return Array.from(byTool, ([tool, results]) => `${JSON.stringify(tool)}: given(${results.join(", ")})`)
}

const given = [
  "const given = (...results: Array<readonly [result: unknown, ...emitted: Array<Directive.Directive>]>) =>",
  "(_: unknown, { dispatch }: { readonly dispatch: (emitted: Directive.Directive) => Effect.Effect<void, unknown> }) => {",
  "  const [result, ...emitted] = results.shift() ?? [undefined]",
  "  return Effect.as(Effect.forEach(emitted, dispatch), result)",
  "}",
  ""
]

/** Renders the lines of all turns except rewound ones. */
const bodyOf = (turns: ReadonlyArray<Rewinds.Turn>, runtime: Runtime | undefined): ReadonlyArray<string> =>
  turns.flatMap(({ back, entry }, i) => {
    const before = turns.slice(0, i).map((turn) => turn.entry).findLast(isPlayed)
    const was = before && Rewinds.sessionOf(before)
    const taken = back === undefined ? [] : Rewinds.told(back, was)
    const since = (back && Rewinds.sinceOf(back, was)) ?? turns[i - 1]?.entry.clock[0]
    const waited = [...taken, ...gap(entry, since)]
    if (!isPlayed(entry)) return [...waited, `// a turn stored nothing: ${entry.end}`]
    // The session that the turn loaded is preferred, because after a rewind its pending requests have new ids.
    const found = entry.before?.session ?? was
    return [...waited, ...line(entry, found, runtime), ...expectations(entry, runtime)]
  })

/**
 * Renders the test. The source uses `agent` for the Effect that makes the agent; the program that contains the test
 * must define it. `stored` is the session as it is now, if known.
 */
export const generateTest = (
  log: ReadonlyArray<TurnEntry>,
  sessionId: string,
  runtime: Runtime | undefined,
  stored: JsonObject | undefined
): string => {
  const { after, turns } = Rewinds.split(log, stored)
  const entries = turns.map(({ entry }) => entry)
  const results = stubs(entries)
  const needsBot = entries.some(({ input }) => input._tag === "Timer")
  const [first] = turns
  const isLate = first !== undefined && first.entry.from > 0 && first.back?.toBeginning !== true
  return [
    ...(results.length === 0 ? [] : given),
    `it.effect(${JSON.stringify(`plays session ${sessionId} as it was recorded`)}, () =>`,
    "  Effect.gen(function*() {",
    ...(isLate ? ["    // The log begins later than this session did."] : []),
    ...(entries.some(({ user }) => user !== undefined)
      ? ["    // Values of the user were known from other sessions, which this test does not have."]
      : []),
    "    const bot = yield* agent",
    ...(needsBot ? ["    const script = yield* ScriptedModel.ScriptedModel"] : []),
    `    const talk = yield* Conversation.make(bot, { sessionId: ${Literal.of(sessionId)} })`,
    ...[...bodyOf(turns, runtime), ...Rewinds.toldAtEnd(after)].map((one) => `    ${one}`),
    "  }).pipe(Effect.provide([",
    ...(results.length === 0 ? [] : [`    ToolExecutor.layerStub({ ${results.join(", ")} }),`]),
    "    ScriptedModel.layer(),",
    "    SessionStore.layerMemory",
    "  ])))"
  ].join("\n")
}
