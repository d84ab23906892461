/** The moves of a script: how the model behaves in one turn. */
import type * as Response from "@effect/ai/Response"

/** The understanding of the user's message. */
export interface Judgement<Flow extends string = string, Field extends string = string> {
  /**
   * The flow that the message asks for, by id or title (its score is then 100, all others 0), or a score for each id.
   */
  readonly flow?: Flow | { readonly [F in Flow]?: number }
  /** Values stated in the message, encoded: a date is a text. */
  readonly fields?: { readonly [F in Field]?: unknown }
  /** The known fields whose values the user withdraws. */
  readonly withdrawn?: ReadonlyArray<Field>
  /** The fields with `dontCare` about which the user does not care. */
  readonly dontCare?: ReadonlyArray<Field>
  /** The conditions that hold, by id or by one of their `when` texts. Every other condition does not hold. */
  readonly conditions?: ReadonlyArray<string>
  /**
   * The signals that match: a list of ids, or a record from id to extracted value. Every other signal does not match.
   */
  readonly signals?: ReadonlyArray<string> | Readonly<Record<string, unknown>>
}

export interface Understand<Flow extends string = string, Field extends string = string> {
  readonly _tag: "Understand"
  readonly judgement: Judgement
  /**
   * The names that the judgement uses. They exist only as types, so that the compiler checks them against the agent.
   */
  readonly names?: { readonly flow: Flow; readonly field: Field }
}

/** A part of an answer of the model. */
export type Speech =
  | { readonly _tag: "Say"; readonly text: string }
  | { readonly _tag: "SayTask" }
  | { readonly _tag: "Call"; readonly tool: string; readonly args: unknown; readonly id?: string }
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<Response.PartEncoded> }

/** One move of a script: an understanding, or one answer of the model. An answer is one part, or a list of parts. */
export type Move<Flow extends string = string, Field extends string = string> =
  | Understand<Flow, Field>
  | Speech
  | ReadonlyArray<Speech>

/**
 * The moves of one turn, in order. All `understand` moves of a turn are merged to one judgement; each other move
 * answers one call of the model.
 */
export type Turn = Understand | Speech | ReadonlyArray<Move>

/** The moves of one turn, separated into the judgement and the answers of the model. */
interface Part {
  readonly judgement: Judgement | undefined
  readonly answers: ReadonlyArray<ReadonlyArray<Speech>>
}

const isList = <A>(one: object | ReadonlyArray<A>): one is ReadonlyArray<A> => Array.isArray(one)

const isUnderstand = (move: Move): move is Understand => !isList(move) && move._tag === "Understand"

/** Merges judgements: records are merged by key, lists of names are concatenated. */
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

/** Returns the signals as a record with their extracted values; a signal without a value has `undefined`. */
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
