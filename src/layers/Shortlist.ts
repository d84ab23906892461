/** A shortlist of flows by words: BM25 by the package `minisearch`, over the texts of each flow. */
import MiniSearch from "minisearch"
import type { About, Shortlist } from "../domain/language/Shortlist.js"

export interface Options {
  /** Largest number of flows selected for a message, besides flows in progress or on the agenda. Default 8. */
  readonly flows?: number
}

/** Number of letters of a word that are compared; the rest counts as its ending. */
const stem = 5

/**
 * Returns the forms of a word that are compared: without accents, because users omit them, and its first letters,
 * because its inflected forms share them.
 */
const termsOf = (word: string): Array<string> => {
  const plain = word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  return plain.length > stem ? [plain, plain.slice(0, stem)] : [plain]
}

const textOf = (flow: About, name: string): string => {
  const value = flow[name as keyof About]
  return typeof value === "string" ? value : value?.join("\n") ?? ""
}

const fields = ["title", "when", "description", "texts"]

/**
 * Returns words that occur in more than a third of the flows and in more than two flows. They do not help to
 * distinguish flows.
 */
const commonIn = (flows: ReadonlyArray<About>): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  const tokenize = MiniSearch.getDefault("tokenize")
  for (const flow of flows) {
    const terms = new Set(fields.flatMap((name) => tokenize(textOf(flow, name)).flatMap(termsOf)))
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  return new Set(Array.from(counts).flatMap(([term, count]) => count > Math.max(2, flows.length / 3) ? [term] : []))
}

/**
 * Compares the words of a message with title, description, `when` and texts of the flows. Words also match in other
 * forms and with typing errors. Words that more than a third of the flows have are ignored; a message of only such
 * words finds no flow.
 *
 * @example
 * ```ts
 * import { Agent } from "coxswain"
 * import * as Shortlist from "coxswain/layers/shortlist"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * const bot = kit.make({ name: "Everything", shortlist: Shortlist.byWords(), flows: [] })
 * ```
 */
export const byWords = ({ flows: count = 8 }: Options = {}): Shortlist => ({
  flows: count,
  make: (flows) => {
    const index = new MiniSearch<About>({ fields, extractField: textOf, processTerm: termsOf })
    index.addAll(flows)
    const common = commonIn(flows)
    const options = {
      boost: { title: 2, when: 2 },
      fuzzy: (term: string) => term.length > stem ? 0.2 : false,
      processTerm: (word: string) => termsOf(word).filter((term) => !common.has(term))
    }
    return (message) => index.search(message, options).map(({ id }) => String(id))
  }
})
