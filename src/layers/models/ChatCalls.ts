/**
 * The tool calls of a `/chat/completions` answer, put together from their pieces. Servers leave ids and indexes out, give
 * several calls one index, and repeat the name, or the whole call, with a later piece.
 *
 * @since 0.2.0
 */
import * as Predicate from "effect/Predicate"
import { args, count, type Fields, fields, text } from "./Loose.js"

/** @category models */
export interface Call {
  /** Unique in the answer; made up where the server gives none. */
  readonly id: string
  /** The id that the server gave; empty when it gave none. */
  readonly given: string
  name: string
  args: string
  extra: unknown
  open: boolean
}

/**
 * What one piece of a stream says of a call, or the whole call at once.
 *
 * @category models
 */
export interface Piece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly args: string
  readonly extra: unknown
}

/** @category constructors */
export const pieceOf = (call: Fields): Piece => {
  const called = fields(call.function)
  const { arguments: given } = called
  return {
    index: count(call.index),
    id: text(call.id) ?? "",
    name: text(called.name) ?? "",
    args: typeof given === "string" ? given : given == null ? "" : JSON.stringify(given),
    extra: call.extra_content
  }
}

/** Arguments that are an object already: nothing more can belong to them. */
const isWhole = (given: string): boolean => given.trim() !== "" && Predicate.isRecord(args(given))

/**
 * Whether a piece says the arguments once more that are known already.
 *
 * @category guards
 */
export const repeats = (call: Call, piece: Piece): boolean => piece.args === call.args && isWhole(call.args)

/** Whether a piece begins another call at the place of one that has begun. */
const begins = (call: Call, piece: Piece): boolean => {
  const { args, id, index, name } = piece
  if (name === "") return false
  if (id !== "" && call.given !== "") return id !== call.given
  if (isWhole(call.args)) return name !== call.name || (args !== "" && args !== call.args)
  return index === undefined && call.args === "" && name !== call.name
}

/** @category models */
export class Calls {
  readonly all: Array<Call> = []
  /** The call that came last under each index. */
  private readonly at = new Map<number, Call>()

  /** `unique` becomes a part of the ids that are made up. */
  constructor(private readonly unique: string) {}

  /**
   * The call that a piece belongs to.
   *
   * @param position - of the piece in its list, when there are others in it
   */
  of(piece: Piece, position: number | undefined): Call {
    const index = piece.index ?? position
    const known = index === undefined ? this.named(piece) : this.at.get(index)
    return known === undefined || begins(known, piece) ? this.begin(piece, index ?? this.all.length) : known
  }

  /** By its id, else the last one. */
  private named({ id }: Piece): Call | undefined {
    return this.all.find(({ given }) => id !== "" && given === id) ?? this.all.at(-1)
  }

  private begin({ id: given }: Piece, index: number): Call {
    const isTaken = given === "" || this.all.some(({ id }) => id === given)
    const id = isTaken ? `call_${this.unique}_${this.all.length}` : given
    const call: Call = { id, given, name: "", args: "", extra: undefined, open: false }
    this.all.push(call)
    this.at.set(index, call)
    return call
  }
}
