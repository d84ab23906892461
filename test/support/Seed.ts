import { FastCheck as fc } from "effect"
import { runs, thorough } from "./Runs.js"

/**
 * Properties are tried with the same values in every run, so that a red suite is about the change that was made.
 * `COXSWAIN_THOROUGH=1` tries new ones each time; what fails then prints its seed, and `COXSWAIN_SEED` repeats it.
 */
const seed = process.env["COXSWAIN_SEED"] ?? (thorough ? undefined : "20260401")
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(!thorough && runs(100).fastCheck)
})
