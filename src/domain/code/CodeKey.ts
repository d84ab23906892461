/**
 * The keys of a definition whose values are code, or parts with code. `on`, `after` and `choices` are not included,
 * because their values have event names, time spans and field names as keys; they are searched separately.
 */

/** Keys of code whose failures fail the turn. */
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

/** Keys of code whose failures do not fail the turn, but whose services the agent needs. */
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
