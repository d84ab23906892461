import { FastCheck as fc } from "effect"
import { runs, thorough } from "./Runs.js"

/**
 * Properties use the same values in every run, so that a failure is caused by the change under test.
 * `COXSWAIN_THOROUGH=1` uses new values each time; a failure then prints its seed, and `COXSWAIN_SEED` repeats it.
 */
const seed = process.env["COXSWAIN_SEED"] ?? (thorough ? undefined : "20260401")
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(!thorough && runs(100).fastCheck)
})
