/**
 * The names under which a definition holds code, or parts that hold code. `on`, `after` and `choices` are not among them:
 * their keys are the names of events, spans of time and fields, so whoever searches a definition reads these in a way of its
 * own.
 *
 * @since 0.1.0
 */

/** Code whose failures fail the turn. */
export type HookKey =
  | "flows"
  | "steps"
  | "branches"
  | "instructions"
  | "hooks"
  | "persona"
  | "prompt"
  | "reply"
  | "confirm"
  | "idle"
  | "understanding"
  | "handOff"
  | "if"
  | "skip"
  | "until"
  | "isComplete"
  | "onEnter"
  | "onResume"
  | "onExit"
  | "onComplete"
  | "onDataUpdate"
  | "onContextUpdate"
  | "onInterrupt"
  | "onCorrect"
  | "prepare"
  | "finalize"
  | "beforeRespond"
  | "files"
  | "caption"

/** Code whose failures are answers for the model or records, but whose requirements are the agent's. */
export type HandlerKey =
  | "tools"
  | "signals"
  | "handler"
  | "validateInput"
  | "checkPermissions"
  | "needsApproval"
  | "guardrails"
  | "input"
  | "output"
  | "toolResults"
  | "check"
  | "rewrite"
