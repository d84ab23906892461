/**
 * What a script makes a model do in one turn.
 *
 * @since 0.1.0
 */
import type * as Response from "@effect/ai/Response"

/**
 * What is understood of the user's message.
 *
 * @since 0.1.0
 * @category models
 */
export interface Judgement<Flow extends string = string, Field extends string = string> {
  /** The flow that the message wants, by id or title (its score is then 100, all others 0), or a score for each id. */
  readonly flow?: Flow | { readonly [F in Flow]?: number }
  /** What the message carries, as it comes over a wire: a date is a text. */
  readonly fields?: { readonly [F in Field]?: unknown }
  /** The known fields whose values the user takes back. */
  readonly withdrawn?: ReadonlyArray<Field>
  /** The fields that are all the same to the user, of those annotated `dontCare`. */
  readonly dontCare?: ReadonlyArray<Field>
  /** The conditions that hold, by id or by one of their `when` texts. All others do not hold. */
  readonly conditions?: ReadonlyArray<string>
  /** The signals that are there, by id; as a record with what each one carries. All others are not there. */
  readonly signals?: ReadonlyArray<string> | Readonly<Record<string, unknown>>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Understand<Flow extends string = string, Field extends string = string> {
  readonly _tag: "Understand"
  readonly judgement: Judgement
  /** The names it mentions, for the compiler only: whoever knows the agent accepts those it has. */
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
 * Understanding, or one answer of the model: a part of it, or several parts as a list.
 *
 * @since 0.1.0
 * @category models
 */
export type Move<Flow extends string = string, Field extends string = string> =
  | Understand<Flow, Field>
  | Speech
  | ReadonlyArray<Speech>

/**
 * A turn: its moves in order. All `understand` of a turn are one judgement; each other move answers one call of the model.
 *
 * @since 0.1.0
 * @category models
 */
export type Turn = Understand | Speech | ReadonlyArray<Move>

/** A turn as it is played. */
export interface Part {
  readonly judgement: Judgement | undefined
  readonly answers: ReadonlyArray<ReadonlyArray<Speech>>
}

const isList = <A>(one: object | ReadonlyArray<A>): one is ReadonlyArray<A> => Array.isArray(one)

const isUnderstand = (move: Move): move is Understand => !isList(move) && move._tag === "Understand"

/** All records of one key laid over each other; lists of names are joined. */
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

/** Signals with what they carry; those that carry nothing have `undefined`. */
export const signalsOf = (signals: NonNullable<Judgement["signals"]>): Readonly<Record<string, unknown>> =>
  isList(signals) ? Object.fromEntries(signals.map((id) => [id, undefined])) : signals

/** The parts of a turn, sorted by who asks for them. */
export const partOf = (turn: Turn): Part => {
  const moves: ReadonlyArray<Move> = isList<Move>(turn) ? turn : [turn]
  const understood = moves.filter(isUnderstand)
  return {
    judgement: understood.length === 0 ? undefined : joined(understood.map(({ judgement }) => judgement)),
    answers: moves.flatMap((move) => isUnderstand(move) ? [] : [isList(move) ? move : [move]])
  }
}

/** A move as it would be written. */
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
