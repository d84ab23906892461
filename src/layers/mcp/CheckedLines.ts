/** Refuses messages on standard input that have the key `__proto__`, which the protocol's library drops silently. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { Transform } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { protoKey } from "../../domain/base/Json.js"

/** A line that is refused: why, and the `id` of the message if it has one. */
export interface Refused {
  readonly id: string | number | null
  readonly why: string
}

/** Says where a message has the key `__proto__`. A text that is no JSON is refused by the protocol's library. */
export const forgedIn = (text: string): Refused | undefined => {
  const message = Either.getOrUndefined(Either.try((): unknown => JSON.parse(text)))
  const why = protoKey(message)
  if (why === undefined) return undefined
  const id = Predicate.hasProperty(message, "id") ? message.id : null
  return { why, id: Predicate.isString(id) || Predicate.isNumber(id) ? id : null }
}

/** A longer line is passed on as it is: the protocol's library refuses it. */
const longest = 10_000_000

/** Passes the lines of a stream on, but for the ones that are refused. */
export const make = (refuse: (refused: Refused) => void): Transform => {
  const decoder = new StringDecoder("utf8")
  let [open, length]: [Array<string>, number] = [[], 0]
  const take = (stream: Transform, text: string) => {
    open.push(text)
    length += text.length
    if (!text.includes("\n") && length <= longest) return
    const lines = open.join("").split("\n")
    const rest = length <= longest ? lines.pop() ?? "" : ""
    ;[open, length] = [[rest], rest.length]
    for (const line of lines) {
      const refused = forgedIn(line)
      if (refused === undefined) stream.push(`${line}\n`)
      else refuse(refused)
    }
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      take(this, decoder.write(chunk))
      done()
    },
    flush(done) {
      const rest = decoder.end()
      if (length + rest.length > 0) take(this, `${rest}\n`)
      done()
    }
  })
}
