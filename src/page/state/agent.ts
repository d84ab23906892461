/** The agent that the server serves, and the person who uses the page. */
import { computed, signal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { ask, problem, refused, token } from "../net/api.js"
import type { Definition, Profile } from "../net/wire.js"
import { language } from "../words/language.js"

export const profile = signal<Profile>()
export const definition = signal<Definition>()
export const failure = signal<Failed>()

export const isOperator = computed(() => profile.value?.you.isOperator === true)

/**
 * Loads the description of the agent. Before this has succeeded, the page shows only that it is loading, or the
 * failure.
 */
export const load = async (): Promise<void> => {
  failure.value = undefined
  try {
    profile.value = await ask<Profile>("agent", { headers: { "accept-language": language() } })
    refused.value = false
    document.title = profile.value.name
    if (isOperator.value) definition.value = await ask<Definition>("definition")
  } catch (cause) {
    const failed = problem(cause)
    if (failed.problem.status === 401) refused.value = true
    else failure.value = failed
  }
}

export const logIn = (given: string): Promise<void> => {
  token.value = given
  return load()
}
