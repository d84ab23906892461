/**
 * The modules with which an application tests its agents. They need no test runner: `Effect.runPromise` is enough.
 *
 * The conformance suite of a `SessionStore`, for Vitest, is `coxswain/testing/conformance`.
 */
export * as Conversation from "./testing/Conversation.js"
export * as Judge from "./testing/Judge.js"
export * as RecordedModel from "./testing/RecordedModel.js"
export * as ScriptedModel from "./testing/ScriptedModel.js"
export * as Simulation from "./testing/Simulation.js"
