/** The errors for code of a definition that returned a value of the wrong type. */
import { FlowConfigurationError } from "../../base/error/Errors.js"

export const noInterruption = (name: string): FlowConfigurationError =>
  FlowConfigurationError.one({
    path: name,
    what: `${name} decided nothing`,
    why: "it returned something else than \"suspend\", \"drop\" or \"complete\"",
    fix: "Return one of them, or an Effect of one"
  })

export const noText = (name: string): FlowConfigurationError =>
  FlowConfigurationError.one({
    path: name,
    what: `${name} made no text`,
    why: "it returned something that is not a string",
    fix: "Return a string, or an Effect of one"
  })
