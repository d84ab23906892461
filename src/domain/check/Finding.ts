/** The findings of the checker, with the conversations that show them. */
import * as Schema from "effect/Schema"
import { quoted, sentence } from "../base/error/ErrorMessage.js"
import { Json } from "../base/Json.js"
import { optional } from "../fields/Fields.js"
import { Call } from "../job/JobCall.js"

/** `"error"`: the definition does not behave as it says. `"warning"`: it probably does not. */
export const Severity = Schema.Literal("error", "warning")

/** The kind of a finding. */
export const FindingCode = Schema.Literal(
  /** `make` refuses the definition. */
  "invalid",
  "unknown-target",
  "unreachable-step",
  "no-way-out",
  "requires-uncollected",
  "auto-circle",
  "endless-branch",
  "too-long-turn",
  "never-completes",
  "branch-never-taken",
  "unused-field",
  "required-never-collected",
  "unreachable-flow",
  "same-when",
  /** A text in plain quotes that is written like a template. */
  "unfilled-placeholder",
  "tool-never-offered",
  "unguarded-tool",
  /** A check can refuse the call of a step, and `then.denied` does not say what follows. */
  "denied-unhandled",
  /** A tool that only reads has an address as argument, and does not say that it sends something. */
  "open-channel",
  "policy-never-met",
  "policy-unmet",
  "unheard",
  "reply-may-lack",
  "prompt-may-lack",
  "read-back-may-lack",
  "call-may-lack",
  /** A flow or step of a stored session, or of an earlier definition, that this definition does not have. */
  "lost-position",
  /** A stored session that this definition cannot read. */
  "unreadable-session"
)

/** The kind of a finding. */
export type FindingCode = typeof FindingCode.Type

/**
 * One turn of the conversation that shows a fault, with the agent's position after it. It is a message, unless
 * `happens` or `after` is set.
 */
export const WitnessTurn = Schema.Struct({
  /** The flow the message asks for, by id; absent when the message answers a question. */
  flow: optional(Schema.String),
  /**
   * The input instead of a message: an event with its payload as for `notify`, or the report of a job. `job` is set if
   * the handler's effect is known: the call that a directive must `run` before this turn, unless an earlier turn has
   * started the job.
   */
  happens: optional(Schema.Struct({ event: Schema.String, payload: Json, job: optional(Call) })),
  /** The time that passes without a message, as written in `after` of a step or flow. */
  after: optional(Schema.String),
  /** The values that the message states, by field, encoded. */
  fields: Schema.Record({ key: Schema.String, value: Json }),
  /** The fields whose values the message withdraws. */
  withdrawn: optional(Schema.Array(Schema.String)),
  /** Ids of the conditions in words that the message meets, as in `Understanding`'s questions. */
  conditions: Schema.Array(Schema.String),
  /** The content of the turn as text for people. */
  says: Schema.String,
  /** The steps that run in this turn, as `flow/step`. */
  steps: Schema.Array(Schema.String),
  /**
   * The position afterwards, as `flow/step`; `"nowhere"`, `"completed"`, `"aborted"`, `"handed over"`, or `"fails"`.
   */
  at: Schema.String
}).annotations({ identifier: "WitnessTurn" })

/** One turn of a witness conversation. */
export type WitnessTurn = typeof WitnessTurn.Type

/**
 * The shortest conversation that shows a fault; `refused` is true if there is none because `make` refuses the
 * definition.
 */
export const Witness = Schema.Struct({
  refused: Schema.Boolean,
  /** The values that must be known before the conversation begins. */
  given: Schema.Record({ key: Schema.String, value: Json }),
  turns: Schema.Array(WitnessTurn),
  /** Assumptions about code that the checker could not verify. */
  assumes: Schema.Array(Schema.Struct({
    /** Path of a predicate, of data, or of code that may move the conversation. */
    path: Schema.String,
    /** Index of the turn, from 0. */
    turn: Schema.Int,
    /**
     * For a predicate, its result; for a field, true if it becomes known and false if it is cleared; for code, whether
     * it moves the conversation.
     */
    holds: Schema.Boolean
  }))
}).annotations({ identifier: "Witness" })

/** A conversation that shows a fault. */
export type Witness = typeof Witness.Type

/** One fault of a definition. */
export const Finding = Schema.Struct({
  severity: Severity,
  code: FindingCode,
  /** Path of the fault in the definition: `flows[0].steps[2]`. */
  path: Schema.String,
  /** The fault in a few words. */
  what: Schema.String,
  /** The reason. */
  why: Schema.String,
  /** The suggested change. */
  fix: Schema.String,
  /** The conversation that shows the fault; absent for a fault that no conversation shows. */
  witness: optional(Witness)
}).annotations({ identifier: "Finding" })

/** One fault of a definition. */
export type Finding = typeof Finding.Type

/** The result of a check. */
export const Report = Schema.Struct({
  agent: Schema.String,
  /** The faults: errors before warnings, each in the order of the definition. */
  findings: Schema.Array(Finding),
  flows: Schema.Int,
  steps: Schema.Int,
  /** Number of explored positions of a conversation between two messages. */
  places: Schema.Int,
  /** Number of turns that were explored from these positions. */
  turns: Schema.Int,
  /** True if the exploration exceeded its bounds. The report then has no findings of the kind "this never happens". */
  cut: Schema.Boolean,
  /**
   * The bounds that the exploration exceeded. `"losses"` means that more values can be withdrawn or cleared at the same
   * time than the checker explores; this bound alone does not set `cut`.
   */
  cutBy: optional(Schema.Array(Schema.Literal("places", "ways", "turns", "sights", "losses"))),
  /**
   * The tools that may change something, by id, if the definition has no policies, no permission
   * checks and no approvals. For information: it is no finding.
   */
  unguarded: optional(Schema.Array(Schema.String))
}).annotations({ identifier: "CheckReport" })

/** The result of a check. */
export type Report = typeof Report.Type

/** Replaces control characters of titles and ids, which would move the cursor or colour the terminal. */

const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`

const lossesLeftOut = "info: of the values that users take back, at most two at a time were looked at"

/** Renders a report for a terminal: each fault in a few lines, with the conversation that shows it. */
export const render = (report: Report): string => {
  const errors = report.findings.filter(({ severity }) => severity === "error").length
  const tally = report.findings.length === 0
    ? "no findings"
    : `${count(errors, "error")}, ${count(report.findings.length - errors, "warning")}`
  const bounds = (report.cutBy ?? []).filter((bound) => bound !== "losses")
  const size = `${count(report.flows, "flow")}, ${count(report.steps, "step")}, ${count(report.turns, "turn")} walked`
  return [
    `${report.agent}: ${tally} (${size}${bounds.length > 0 ? `, not all: bound of ${bounds.join(", ")}` : ""})`,
    ...(report.cutBy?.includes("losses") === true ? [lossesLeftOut] : []),
    ...(report.unguarded === undefined ? [] : [
      `info: no policy, gate or approval is about ${quoted(report.unguarded)}, which may change something`
    ]),
    ...report.findings.flatMap((one) => ["", ...finding(one)])
  ].map(plain).join("\n")
}

const finding = (one: Finding): ReadonlyArray<string> => [
  `${one.severity} ${one.code}  ${one.path}`,
  `  ${one.what}: ${sentence(one.why)}`,
  ...(one.witness === undefined ? [] : witness(one.witness)),
  `  fix: ${sentence(one.fix)}`
]

const witness = ({ assumes, given, refused, turns }: Witness): ReadonlyArray<string> => {
  if (refused) return ["  shown by: make refuses it"]
  const before = Object.entries(given).map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ")
  return [
    ...(before === "" ? [] : [`  known before: ${before}`]),
    ...turns.flatMap(({ after, at, happens, says, steps }, i) => [
      `  ${i + 1}. ${happens !== undefined ? "event" : after !== undefined ? "time" : "user"}: ${says}`,
      `     ${[...steps, ...(steps.at(-1) === at ? [] : [at])].join(" → ")}`
    ]),
    ...assumes.map(({ holds, path, turn }) =>
      `  if ${ofJob(turns[turn], path) ?? `${path} ${assumption(path, holds)}`}${
        turns.length > 1 ? ` in turn ${turn + 1}` : ""
      }`
    )
  ]
}

/**
 * Returns the assumption that the job of this event runs, if it is the only assumption of the turn at `path`; otherwise
 * undefined.
 */
const ofJob = ({ happens }: Partial<WitnessTurn> = {}, path: string): string | undefined =>
  happens?.job !== undefined && path.endsWith(`on.${happens.event}`) ? `job "${happens.job.job}" runs` : undefined

const assumption = (path: string, holds: boolean): string => {
  if (path.startsWith("data.")) return holds ? "becomes known" : "is forgotten"
  if (/\.(if|skip|until|isComplete)(\[\d+\])?$/.test(path)) return `is ${holds}`
  return holds ? "moves the conversation" : "does not move the conversation"
}
