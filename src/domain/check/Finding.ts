/**
 * What the checker found: faults with the shortest conversation that shows them.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import { optional } from "../fields/Fields.js"
import { Call } from "../job/JobCall.js"

/**
 * `"error"`: the definition does not do what it says. `"warning"`: it may well not.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Severity = Schema.Literal("error", "warning")

/**
 * @since 0.1.0
 * @category schemas
 */
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
  "tool-never-offered",
  "unguarded-tool",
  "unheard",
  "reply-may-lack"
)

/**
 * @since 0.1.0
 * @category models
 */
export type FindingCode = typeof FindingCode.Type

/**
 * One turn of the conversation that shows a fault, and where the agent is after it: a message, unless `happens` or `after`
 * says what else it is.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WitnessTurn = Schema.Struct({
  /** The flow the message asks for, by id; absent when it answers what was asked. */
  flow: optional(Schema.String),
  /**
   * What comes instead of a message: an event, with its payload as `notify` takes it, or what a job tells. `job`, of a handler
   * of which it is known what it does, is what a directive has to `run` before, unless the conversation has asked for it.
   */
  happens: optional(Schema.Struct({ event: Schema.String, payload: Json, job: optional(Call) })),
  /** The span that goes by without a message, as it is written in `after` of a step or flow. */
  after: optional(Schema.String),
  /** The values it states, as a message gives them. */
  fields: Schema.Record({ key: Schema.String, value: Json }),
  /** The fields whose values it takes back. */
  withdrawn: optional(Schema.Array(Schema.String)),
  /** The conditions in words that it meets: their ids, as `Understanding` is asked for them. */
  conditions: Schema.Array(Schema.String),
  /** The same in words. */
  says: Schema.String,
  /** The steps that run in this turn, as `flow/step`. */
  steps: Schema.Array(Schema.String),
  /** Where the conversation stands afterwards, as `flow/step`; `"nowhere"`, `"completed"`, `"aborted"`, `"handed over"`, or `"fails"`. */
  at: Schema.String
}).annotations({ identifier: "WitnessTurn" })

/**
 * @since 0.1.0
 * @category models
 */
export type WitnessTurn = typeof WitnessTurn.Type

/**
 * The shortest conversation that shows a fault. `refused` when there is none, because `make` refuses the definition.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Witness = Schema.Struct({
  refused: Schema.Boolean,
  /** What must be known before it begins. */
  given: Schema.Record({ key: Schema.String, value: Json }),
  turns: Schema.Array(WitnessTurn),
  /** What must be true of code for it to go this way, where the checker could not tell. */
  assumes: Schema.Array(Schema.Struct({
    /** Of a predicate, or of code that may move the conversation. */
    path: Schema.String,
    /** From 0. */
    turn: Schema.Int,
    /** What a predicate says; of a field, whether it becomes known or is forgotten; for code, whether it moves the conversation. */
    holds: Schema.Boolean
  }))
}).annotations({ identifier: "Witness" })

/**
 * @since 0.1.0
 * @category models
 */
export type Witness = typeof Witness.Type

/**
 * One fault of a definition.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Finding = Schema.Struct({
  severity: Severity,
  code: FindingCode,
  /** Leads to it: `flows[0].steps[2]`. */
  path: Schema.String,
  /** In a few words. */
  what: Schema.String,
  why: Schema.String,
  fix: Schema.String,
  witness: optional(Witness)
}).annotations({ identifier: "Finding" })

/**
 * @since 0.1.0
 * @category models
 */
export type Finding = typeof Finding.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const Report = Schema.Struct({
  agent: Schema.String,
  /** Errors first, then in the order of the definition. */
  findings: Schema.Array(Finding),
  flows: Schema.Int,
  steps: Schema.Int,
  /** How many places between two messages were looked at, and how many turns were walked from them. */
  places: Schema.Int,
  turns: Schema.Int,
  /** Whether the definition is larger than the bounds: "never" is not claimed then. */
  cut: Schema.Boolean,
  /**
   * What was cut: the bounds that the definition is larger than. `"losses"` says that more values may be lost at a time than
   * are looked at; it alone does not make the report `cut`.
   *
   * @since 0.2.0
   */
  cutBy: optional(Schema.Array(Schema.Literal("places", "ways", "turns", "sights", "losses")))
}).annotations({ identifier: "CheckReport" })

/**
 * @since 0.1.0
 * @category models
 */
export type Report = typeof Report.Type

/** Characters that would move the cursor or colour the terminal, out of a title or an id. */

const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`

/**
 * A report for a terminal: each fault in a few lines, with the conversation that shows it.
 *
 * @since 0.1.0
 * @category rendering
 */
export const render = (report: Report): string => {
  const errors = report.findings.filter(({ severity }) => severity === "error").length
  const tally = report.findings.length === 0
    ? "no findings"
    : `${count(errors, "error")}, ${count(report.findings.length - errors, "warning")}`
  const size = `${count(report.flows, "flow")}, ${count(report.steps, "step")}, ${count(report.turns, "turn")} walked`
  return [
    `${report.agent}: ${tally} (${size}${
      (report.cutBy ?? []).length > 0 ? `, not all: bound of ${report.cutBy!.join(", ")}` : ""
    })`,
    ...report.findings.flatMap((one) => ["", ...finding(one)])
  ].map(plain).join("\n")
}

const finding = (one: Finding): ReadonlyArray<string> => [
  `${one.severity} ${one.code}  ${one.path}`,
  `  ${one.what}: ${one.why}.`,
  ...(one.witness === undefined ? [] : witness(one.witness)),
  `  fix: ${one.fix}.`
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

/** All that is assumed of a handler of which it is known what it does: that there is a job which tells. */
const ofJob = ({ happens }: Partial<WitnessTurn> = {}, path: string): string | undefined =>
  happens?.job !== undefined && path.endsWith(`on.${happens.event}`) ? `job "${happens.job.job}" runs` : undefined

const assumption = (path: string, holds: boolean): string => {
  if (path.startsWith("data.")) return holds ? "becomes known" : "is forgotten"
  if (/\.(if|skip|until|isComplete)(\[\d+\])?$/.test(path)) return `is ${holds}`
  return holds ? "moves the conversation" : "does not move the conversation"
}
