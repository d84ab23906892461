/**
 * The prompts of the library: a brief is the structured request, `render…` writes it as a prompt, and `…Of` returns the
 * brief of a prompt. All prompt texts are here.
 */
import type * as Prompt from "@effect/ai/Prompt"
import { type Judging, judgingOf } from "./Judging.js"
import * as Key from "./Key.js"
import { type Speaking, speakingOf } from "./Speaking.js"
import { type Summarizing, summarizingOf } from "./Summarizing.js"

export * as Wording from "../language/Wording.js"

export * from "./Guarding.js"
export * from "./Judging.js"
export * from "./Speaking.js"
export * from "./Summarizing.js"

/** Makes a new key for a request: six letters and digits from `Random`. */
export const makeKey = Key.make

/** Returns the request (brief) from which a prompt was made; `undefined` if the library did not make the prompt. */
export const ofPrompt = (prompt: Prompt.Prompt): Judging | Speaking | Summarizing | undefined =>
  judgingOf(prompt) ?? speakingOf(prompt) ?? summarizingOf(prompt)
