/** The default options of an agent. */
import type { ErasedAgent } from "./Erase.js"

/** Takes the names of options from `all`, and their types from the options. */
const defaults = <K extends keyof ErasedAgent>(all: { readonly [N in K]: Required<ErasedAgent>[N] }) => all

export const options = defaults({
  terms: [],
  timeZone: "UTC",
  tools: [],
  flows: [],
  signals: [],
  signalBatchSize: 10,
  initialData: {},
  flowSwitchMargin: 15,
  flowThreshold: 40,
  pendingIntents: true,
  pendingIntentTurns: 10,
  maxAutoStepsPerTurn: 1000,
  maxDirectiveChain: 10,
  toolChoice: "auto",
  maxToolCallsPerRound: 32,
  maxToolRounds: 10,
  toolConcurrency: 4,
  historyLimit: 40,
  modelOptions: {},
  promptCache: true,
  speculate: false,
  onConflict: "retry",
  whileBusy: "queue",
  consent: {}
})

export const understanding: { readonly reasoning: "none" | "brief"; readonly flows: "scores" | "choice" } = {
  reasoning: "none",
  flows: "scores"
}

export const handOff: Required<NonNullable<ErasedAgent["handOff"]>> = { listen: false, after: {} }

export const timeouts: Required<NonNullable<ErasedAgent["timeouts"]>> = {
  firstToken: "60 seconds",
  model: "120 seconds",
  tool: "30 seconds",
  turn: "5 minutes",
  lock: "1 minute",
  store: "30 seconds"
}

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
