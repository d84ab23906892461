/**
 * Guardrails, ready to be asked.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { TurnContext } from "../Callback.js"
import type { GuardContext, Guardrail, Guardrails } from "../Guardrail.js"
import * as When from "../When.js"
import type { CompiledGuardrail, CompiledGuardrails, HookFailure, Test, Values } from "./Definition.js"
import { listOf } from "./Definition.js"

type Ctx = GuardContext<Values, Values>

type Run = <Given>(name: string, f: (given: Given) => unknown) => (given: Given) => Effect.Effect<unknown, HookFailure>

type Tests = (name: string) => (f: (ctx: TurnContext<Values, Values>) => unknown) => Test

const defaultReply = "I am sorry, I cannot go on with that."

const compileOne = (
  { check, id, model, per, reply, rewrite, timeout, when }: Guardrail<Values, Values>,
  otherwise: string,
  { run, test }: { readonly run: Run; readonly test: Tests }
): CompiledGuardrail => {
  const { code, words } = When.read(when)
  const checked = check && run<readonly [string, Ctx]>(`guardrail:${id}.check`, ([text, ctx]) => check(text, ctx))
  return {
    id,
    check: checked && ((text, ctx) => checked([text, ctx])),
    rewrite: rewrite && run<string>(`guardrail:${id}.rewrite`, (text) => rewrite(text)),
    when: words,
    if: code.map(test(`guardrail:${id}.when`)),
    model,
    timeout: Duration.decode(timeout ?? (when === undefined ? "5 seconds" : "20 seconds")),
    reply: reply ?? otherwise,
    per: per ?? (when === undefined ? "sentence" : "message")
  }
}

export const compileGuardrails = (
  { input, output, reply = defaultReply, toolResults }: Guardrails<Values, Values> = {},
  run: Run,
  test: Tests
): CompiledGuardrails => {
  const all = (list: ReadonlyArray<Guardrail<Values, Values>> | undefined) =>
    listOf(list).map((one) => compileOne(one, reply, { run, test }))
  return { input: all(input), output: all(output), toolResult: all(toolResults) }
}
