/** The error for a question for which the script has no answer, with the content of the question. */
import * as Schema from "effect/Schema"
import type { Questions } from "../../services/understanding/Understanding.js"
import type { Asked } from "./Speaker.js"

/**
 * The error when the script has no answer to a question. Either the test is wrong, or the agent asks something that it
 * should not ask.
 */
export class UnforeseenQuestion extends Schema.TaggedError<UnforeseenQuestion>()("UnforeseenQuestion", {
  /** A short description of the question. */
  what: Schema.String,
  /** The content of the question, line by line. */
  asked: Schema.Array(Schema.String),
  /** The change of the script that would answer the question. */
  fix: Schema.String
}) {
  override get message(): string {
    return [`[${this._tag}] ${this.what}`, ...this.asked.map((line) => `  ${line}`), this.fix].join("\n")
  }
}

const words = (when: ReadonlyArray<string>): string => when.length === 0 ? "" : ` (${when.join(" | ")})`

const line = (name: string, parts: ReadonlyArray<string>): ReadonlyArray<string> =>
  parts.length === 0 ? [] : [`${name}: ${parts.join(", ")}`]

/** Formats the questions of the understanding call, line by line. */
const linesOf = ({ conditions, fields, flows, message, reply, signals }: Questions): ReadonlyArray<string> => [
  `message: ${JSON.stringify(message)}`,
  ...(reply === undefined ? [] : [`reply: ${JSON.stringify(reply)}`]),
  ...line("flows", flows.map(({ active, id, when }) => `${id}${active ? ", active" : ""}${words(when)}`)),
  ...line("fields", fields.map(({ asked, name }) => asked ? `${name}, asked` : name)),
  ...line("conditions", conditions.map(({ id, when }) => `${id}${words(when)}`)),
  ...line("signals", signals.map(({ id, when }) => `${id}${words(when)}`))
]

/**
 * Makes the error for a question of the understanding call: the script has no answer to `part`, or, if `part` is absent, to the
 * whole message.
 */
export const understanding = (questions: Questions, part?: "conditions" | "signals"): UnforeseenQuestion =>
  new UnforeseenQuestion({
    what: part === undefined
      ? "the script does not say what is understood of this message"
      : `the script does not say which ${part} hold`,
    asked: linesOf(questions),
    fix: part === undefined
      ? "Add understand({ … }) to the turn, or { strict: false } to the layer."
      : `Add ${part}: [] or those that hold to the turn's understand({ … }), or leave { strict: true } out of the layer.`
  })

/** Makes the error for a call of the model that has no answer in the script. */
export const speech = ({ json, text, tools }: Asked, message: string): UnforeseenQuestion =>
  new UnforeseenQuestion({
    what: "the script has no answer to this call of the model",
    asked: [
      `message: ${JSON.stringify(message)}`,
      ...(json ? ["a JSON object was asked for"] : []),
      ...text.split("\n").filter((told) => /^(Task|Ask for): /.test(told)),
      ...line("tools", tools)
    ],
    fix: "Add say(\"…\"), sayTask or call(\"tool\", { … }) to the turn, or { strict: false } to the layer."
  })
