/** The default options of an agent. */
import { AgentOptions } from "../authored/AgentOptions.js"
import * as OptionForm from "../code/OptionForm.js"
import type { ErasedAgent } from "./Erase.js"

const all: object = OptionForm.defaultsOf(AgentOptions)

// Safe: the interface of the options agrees with their Schema, which `test/types/options.test-d.ts` compares.
export const options = all as Required<Pick<ErasedAgent, OptionForm.DefaultedKey<typeof AgentOptions.fields>>>

export const idlePrompt = "Nothing is in progress."

/** Returns the given options, with the defaults for missing ones. */
export const applied = <D extends object>(
  given: { readonly [K in keyof D]?: D[K] | undefined } | undefined,
  defaults: D
): D => {
  const all = { ...defaults }
  for (const name of Object.keys(defaults) as Array<keyof D>) all[name] = given?.[name] ?? defaults[name]
  return all
}
