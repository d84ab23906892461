/** The failures of code of a definition that returned a value of the wrong type. */
import { FlowConfigurationError } from "../../base/error/Errors.js"
import { HookFailure } from "../Definition.js"

/** `returned` describes the value that the code returned. */
const wrong = (name: string, did: string, returned: string, wanted: string): HookFailure =>
  new HookFailure({
    error: FlowConfigurationError.one({
      path: name,
      what: `${name} ${did}`,
      why: `it returned something ${returned}`,
      fix: `Return ${wanted}, or an Effect of one`
    })
  })

export const noInterruption = (name: string): HookFailure =>
  wrong(name, "decided nothing", "else than \"suspend\", \"drop\" or \"complete\"", "one of them")

export const noText = (name: string): HookFailure => wrong(name, "made no text", "that is not a string", "a string")

export const noChoices = (name: string): HookFailure =>
  wrong(name, "made no choices", "that is not a list of values or of { value, label }", "such a list")
