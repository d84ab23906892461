/** Domain terms, as both prompts explain them. */
import type { Term } from "../authored/AgentOptions.js"
import { item, lines } from "./Lines.js"

/**
 * The list of terms; "" without terms.
 *
 * @internal
 */
export const list = (terms: ReadonlyArray<Term>): string =>
  terms.length === 0 ? "" : lines(
    "Terms:",
    ...terms.map(({ description, name, synonyms = [] }) =>
      item(`${name}${synonyms.length === 0 ? "" : ` (${synonyms.join(", ")})`}: ${description}`)
    )
  )
