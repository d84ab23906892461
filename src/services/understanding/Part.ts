/** A part of the questions about a message. */
import type { Questions } from "./Judgement.js"

/** Returns the questions with only these kinds. A prompt for them lists no others. */
export const only = ({ listed: _, ...questions }: Questions, part: Partial<Questions>): Questions => ({
  ...questions,
  flows: [],
  fields: [],
  conditions: [],
  signals: [],
  ...part
})
