/** The moves of a script: how the model behaves in one turn. */
import type * as Response from "@effect/ai/Response"

/**
 * The understanding of the user's message.
 *
 * @since 0.1.0
 * @category models
 */
export interface Judgement<Flow extends string = string, Field extends string = string> {
  /**
   * The flow that the message asks for, by id or title (its score is then 100, all others 0), or a score for each id.
   */
  readonly flow?: Flow | { readonly [F in Flow]?: number }
  /** Values stated in the message, encoded: a date is a text. */
  readonly fields?: { readonly [F in Field]?: unknown }
  /** The known fields whose values the user takes back. */
  readonly withdrawn?: ReadonlyArray<Field>
  /** The fields that the user does not care about, of those annotated `dontCare`. */
  readonly dontCare?: ReadonlyArray<Field>
  /** The conditions that hold, by id or by one of their `when` texts. All others do not hold. */
  readonly conditions?: ReadonlyArray<string>
  /** The signals that match, by id; as a record, with the extracted value of each. All others do not match. */
  readonly signals?: ReadonlyArray<string> | Readonly<Record<string, unknown>>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Understand<Flow extends string = string, Field extends string = string> {
  readonly _tag: "Understand"
  readonly judgement: Judgement
  /** The names it mentions, only for the compiler, which checks them against those of the agent. */
  readonly names?: { readonly flow: Flow; readonly field: Field }
}

/**
 * A part of one answer of the model.
 *
 * @since 0.1.0
 * @category models
 */
export type Speech =
  | { readonly _tag: "Say"; readonly text: string }
  | { readonly _tag: "SayTask" }
  | { readonly _tag: "Call"; readonly tool: string; readonly args: unknown; readonly id?: string }
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<Response.PartEncoded> }

/**
 * An understanding, or one answer of the model: a part of it, or several parts as a list.
 *
 * @since 0.1.0
 * @category models
 */
export type Move<Flow extends string = string, Field extends string = string> =
  | Understand<Flow, Field>
  | Speech
  | ReadonlyArray<Speech>

/**
 * A turn: its moves in order. All `understand` of a turn are one judgement; each other move answers one call of the
 * model.
 *
 * @since 0.1.0
 * @category models
 */
export type Turn = Understand | Speech | ReadonlyArray<Move>

/** A turn, prepared for playing. */
interface Part {
  readonly judgement: Judgement | undefined
  readonly answers: ReadonlyArray<ReadonlyArray<Speech>>
}

const isList = <A>(one: object | ReadonlyArray<A>): one is ReadonlyArray<A> => Array.isArray(one)

const isUnderstand = (move: Move): move is Understand => !isList(move) && move._tag === "Understand"

/** Merges judgements: records by key, lists of names are joined. */
const joined = (judgements: ReadonlyArray<Judgement>): Judgement =>
  judgements.reduce((all, one) => ({
    ...all,
    ...one,
    ...(all.fields !== undefined && one.fields !== undefined && { fields: { ...all.fields, ...one.fields } }),
    ...(all.conditions !== undefined && one.conditions !== undefined && {
      conditions: [...all.conditions, ...one.conditions]
    }),
    ...(all.signals !== undefined && one.signals !== undefined && {
      signals: { ...signalsOf(all.signals), ...signalsOf(one.signals) }
    })
  }), {})

/** Returns signals as a record with their extracted values; `undefined` for those without one. */
export const signalsOf = (signals: NonNullable<Judgement["signals"]>): Readonly<Record<string, unknown>> =>
  isList(signals) ? Object.fromEntries(signals.map((id) => [id, undefined])) : signals

/** Splits a turn into its judgement and the answers of the model. */
export const partOf = (turn: Turn): Part => {
  const moves: ReadonlyArray<Move> = isList<Move>(turn) ? turn : [turn]
  const understood = moves.filter(isUnderstand)
  return {
    judgement: understood.length === 0 ? undefined : joined(understood.map(({ judgement }) => judgement)),
    answers: moves.flatMap((move) => isUnderstand(move) ? [] : [isList(move) ? move : [move]])
  }
}

/** Formats a move as source code. */
const written = (speech: Speech): string => {
  switch (speech._tag) {
    case "Say":
      return `say(${JSON.stringify(speech.text)})`
    case "SayTask":
      return "sayTask"
    case "Call":
      return `call(${JSON.stringify(speech.tool)}, ${JSON.stringify(speech.args)})`
    case "Parts":
      return `parts(${JSON.stringify(speech.parts)})`
  }
}

export const writtenAnswer = (answer: ReadonlyArray<Speech>): string =>
  answer.length === 1 ? written(answer[0]!) : `[${answer.map(written).join(", ")}]`
