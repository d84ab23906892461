/** Compiles the choices of a step. */
import * as Effect from "effect/Effect"
import type { TurnContext } from "../../authored/Callback.js"
import * as Form from "../../authored/Form.js"
import type { Step } from "../../authored/Step.js"
import { FlowConfigurationError } from "../../base/error/Errors.js"
import type { Offer, Values } from "../Definition.js"
import { HookFailure, listOf } from "../Definition.js"

type Ctx = TurnContext<Values, Values>

/** Calls code under a name. */
type Run = (name: string, f: (ctx: Ctx) => unknown) => (ctx: Ctx) => Effect.Effect<unknown, HookFailure>

export const offers = (
  name: string,
  { choices, collect }: Pick<Step<Values, Values>, "choices" | "collect">,
  run: Run
): ReadonlyMap<string, Offer> =>
  new Map(Array.from(Form.written(choices, listOf(collect)), ([field, given]) => [field, offer(name, given, run)]))

/** Choices from code are validated on each call. */
const offer = (name: string, choices: Form.Choices<Values, Values>, run: Run): Offer => {
  const given = typeof choices === "function" ? run(name, choices) : () => Effect.succeed(choices)
  return (ctx) =>
    Effect.flatMap(given(ctx), (made) => {
      const offered = Form.suggestions(made)
      return offered === undefined ? Effect.fail(new HookFailure({ error: noChoices(name) })) : Effect.succeed(offered)
    })
}

const noChoices = (name: string): FlowConfigurationError =>
  FlowConfigurationError.one({
    path: name,
    what: `${name} made no choices`,
    why: "it returned something that is not a list of values or of { value, label }",
    fix: "Return such a list, or an Effect of one"
  })
