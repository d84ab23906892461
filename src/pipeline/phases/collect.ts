/**
 * What a message says of the data: values that it states, values that it takes back, fields that are all the same to the
 * user. Each value is decoded by its own field; what is not taken is in the trace, with the reason.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import { isBareAnswer } from "../../domain/BareAnswer.js"
import type { Field } from "../../domain/Fields.js"
import { isJson } from "../../domain/Json.js"
import type { TurnRecord } from "../../domain/TurnRecord.js"
import type * as Understanding from "../../services/Understanding.js"
import { dataHooks, forgetData, settle, writeData } from "../settle.js"
import type { Failure, Opened } from "../TurnState.js"
import { get, note, trace } from "../TurnState.js"

type Asked = Understanding.Questions["fields"][number]

/**
 * @since 0.1.0
 * @category phases
 */
export const collect = (
  turn: Opened,
  asked: ReadonlyArray<Asked>,
  answers: Understanding.Answers
): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    const { data } = get(turn).session
    const { rejected, stated } = read(turn, asked, answers)
    const writes = Object.fromEntries(Object.entries(stated).filter(([name, value]) => !isSame(value, data[name])))
    const corrected = Object.fromEntries(
      Object.entries(writes).flatMap(([name, to]) => data[name] === undefined ? [] : [[name, { from: data[name], to }]])
    )
    note(turn, { _tag: "ValuesStated", stated, corrected, rejected })
    // Who names another value has not only taken the old one back.
    const withdrawn = (answers.withdrawn ?? []).filter((name) =>
      asked.some((one) => one.name === name && one.known) && !Object.hasOwn(stated, name)
    )
    yield* forgetData(turn, withdrawn, "the user took it back")
    if (Object.keys(writes).length > 0) yield* writeData(turn, writes)
    else if (withdrawn.length > 0) yield* dataHooks(turn)
    yield* settle(turn, "pre")
  })

type Read = Pick<TurnRecord, "stated" | "rejected">

const refuse = (turn: Opened, name: string, why: string) => trace(turn, "value_not_taken", name, why)

const read = (turn: Opened, asked: ReadonlyArray<Asked>, { dontCare = [], fields }: Understanding.Answers): Read => {
  const stated: Record<string, unknown> = {}
  const rejected: Array<TurnRecord["rejected"][number]> = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue
    const field = turn.runtime.definition.fields.get(name)
    const question = asked.find((one) => one.name === name)
    const why = reasonAgainst(turn, field, question)
    if (field === undefined || why !== undefined) {
      refuse(turn, name, why ?? "the data has no such field")
      continue
    }
    Either.match(field.decode(value), {
      onLeft: (message) => void rejected.push({ field: name, value: isJson(value) ? value : String(value), message }),
      onRight: (decoded) => void (stated[name] = decoded)
    })
  }
  const open = readOpen(turn, asked, dontCare.filter((name) => !Object.hasOwn(stated, name)))
  return { stated: { ...stated, ...open }, rejected }
}

/** The values of the fields that are all the same to the user. */
const readOpen = (turn: Opened, asked: ReadonlyArray<Asked>, names: ReadonlyArray<string>): Record<string, unknown> => {
  const open: Record<string, unknown> = {}
  for (const name of names) {
    const any = turn.runtime.definition.fields.get(name)?.dontCare
    if (any === undefined || !asked.some((one) => one.name === name)) refuse(turn, name, "it may not be left open here")
    else open[name] = any.value
  }
  return open
}

/** Why a value that has arrived is not taken. */
const reasonAgainst = (
  { message }: Opened,
  field: Field | undefined,
  question: Asked | undefined
): string | undefined => {
  if (field === undefined) return "the data has no such field"
  if (question === undefined) {
    return field.extract === "asked"
      ? "it is taken only as the answer to a step that has asked for it"
      : "no flow that this message could go on with declares it"
  }
  return field.extract === "explicit" && !question.asked && isBareAnswer(message)
    ? "a bare yes or no answers only what was asked"
    : undefined
}

const isSame = (a: unknown, b: unknown): boolean =>
  Equal.equals(a, b) || (b !== undefined && JSON.stringify(a) === JSON.stringify(b))
