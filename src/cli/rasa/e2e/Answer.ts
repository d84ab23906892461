/** Reads the value that a plain answer gives a slot. */
import type { Json } from "../../../domain/base/Json.js"
import type { Slot } from "../Domain.js"

const answers = [
  [true, /^\W*(yes|yep|yeah|sure|ok|okay|true|correct|please)\b/i],
  [false, /^\W*(no|nope|not|false|don't|do not)\b/i]
] as const

/** Returns the value that a plain answer gives a slot; undefined for another answer. */
export const answerOf = (message: string, { also, type, values }: Slot): Json | undefined => {
  const words = message.trim()
  if (type === "bool" || also.includes("bool")) return answers.find(([, pattern]) => pattern.test(words))?.[0]
  if (type === "categorical") return values.find((one) => words.toLowerCase().includes(String(one).toLowerCase()))
  if (type === "list" || words === "") return undefined
  if (type !== "float") return words
  const number = /-?\d+(\.\d+)?/.exec(words)?.[0]
  return number === undefined ? undefined : Number(number)
}
