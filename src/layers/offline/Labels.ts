/** A message that is only the label of a choice, as a form or a list shows it. */
import { canonical, toJson } from "../../domain/base/Json.js"
import type { Questions } from "../../services/understanding/Understanding.js"
import { fromSchema } from "./FieldKind.js"
import { wordSet } from "./Words.js"

/** Articles and polite words of the languages that the offline model reads; they may stand around a label. */
const around = wordSet(
  "the a an please thanks der die das den dem ein eine einen einem bitte le la les l un une du svp el los las una " +
    "o os as um uma il lo gli i uno de het een alsjeblieft"
)

/** The words of a text, without case, accents and punctuation. */
const wordsIn = (text: string): ReadonlyArray<string> =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Returns the words without the articles and polite words around them, if other words are left. */
const bare = (text: string): string => {
  const words = wordsIn(text)
  const isOwn = (word: string) => !around.has(word)
  const [from, to] = [words.findIndex(isOwn), words.findLastIndex(isOwn)]
  return (from < 0 ? words : words.slice(from, to + 1)).join(" ")
}

/** The choice that a message names. */
interface Chosen {
  readonly name: string
  /** Encoded. */
  readonly value: unknown
}

/** Returns the choice that the whole message names, among those of the asked fields; `undefined` if it names several. */
export const chosenBy = ({ fields, message }: Questions): Chosen | undefined => {
  if (message.length > 300) return undefined
  const said = bare(message)
  const found = said === "" ? [] : fields.flatMap(({ asked, choices = [], known, name, schema }) => {
    const named = asked ? choices.filter(({ label }) => bare(label) === said) : []
    if (named.length === 0) return []
    const { accepts } = fromSchema(schema, { name, known, asked, required: false })
    return named.flatMap(({ value }) => [value, [value]].filter(accepts).slice(0, 1).map((value) => ({ name, value })))
  })
  const [chosen, ...others] = found
  const same = (one: Chosen) => canonical(toJson([one.name, one.value]))
  return chosen === undefined || others.some((one) => same(one) !== same(chosen)) ? undefined : chosen
}
