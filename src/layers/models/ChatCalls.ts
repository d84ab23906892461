/**
 * Assembles the tool calls of a `/chat/completions` answer from their pieces. Servers leave out ids and indexes, use
 * one index for several calls, and repeat the name, or the whole call, in a later piece.
 */
import * as Predicate from "effect/Predicate"
import { args, count, type Fields, fields, text } from "./Loose.js"

interface Call {
  /** Id of the call, unique in the answer; generated if the server sends no id. */
  readonly id: string
  /** The server's id; empty if it gave none. */
  readonly given: string
  name: string
  args: string
  extra: unknown
  open: boolean
}

/** A piece of a call in a stream, or the whole call. */
interface Piece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly args: string
  readonly extra: unknown
}

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

/** True if the arguments are a complete JSON object, so that no piece can follow. */
const isWhole = (given: string): boolean => given.trim() !== "" && Predicate.isRecord(args(given))

/** True if a piece only repeats the complete arguments. */
export const repeats = (call: Call, piece: Piece): boolean => piece.args === call.args && isWhole(call.args)

/** True if a piece begins another call at the index of an earlier one. */
const begins = (call: Call, piece: Piece): boolean => {
  const { args, id, index, name } = piece
  if (name === "") return false
  if (id !== "" && call.given !== "") return id !== call.given
  if (isWhole(call.args)) return name !== call.name || (args !== "" && args !== call.args)
  return index === undefined && call.args === "" && name !== call.name
}

export class Calls {
  readonly all: Array<Call> = []
  /** The latest call at each index. */
  private readonly at = new Map<number, Call>()

  /** The ids of new calls contain `unique`. */
  constructor(private readonly unique: string) {}

  /**
   * Returns the call to which a piece belongs; makes the call if it is new.
   *
   * @param position - index of the piece in its list, if the list has other pieces
   */
  of(piece: Piece, position: number | undefined): Call {
    const index = piece.index ?? position
    const known = index === undefined ? this.named(piece) : this.at.get(index)
    return known === undefined || begins(known, piece) ? this.begin(piece, index ?? this.all.length) : known
  }

  /** Returns the call with this id, else the last one. */
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
