/** Compiles guardrails. */
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Template, Texts, TurnContext } from "../../authored/Callback.js"
import type { GuardContext, Guardrail, Guardrails } from "../../authored/Guardrail.js"
import * as Locale from "../../language/Locale.js"
import type { CompiledGuardrail, CompiledGuardrails, HookFailure, Test, Text, Values } from "../Definition.js"
import { listOf } from "../Definition.js"
import * as When from "../When.js"

type Ctx = GuardContext<Values, Values>

type Run = <Given>(name: string, f: (given: Given) => unknown) => (given: Given) => Effect.Effect<unknown, HookFailure>

type AnyCtx = TurnContext<Values, Values>

interface CodeRunners {
  readonly run: Run
  readonly test: (name: string) => (f: (ctx: AnyCtx) => unknown) => Test
  readonly text: (name: string, template: string | ((ctx: AnyCtx) => unknown)) => Text
}

type Reply = Template<Values, Values> | Texts<Values, Values>

/** The reply of a guardrail if its author gives none, or if the author's reply fails. */
export const defaultReply = "I am sorry, I cannot go on with that."

const compileOne = (
  { check, id, if: tests, model, per, reply, rewrite, timeout, when }: Guardrail<Values, Values>,
  otherwise: Text,
  { run, test, text }: CodeRunners
): CompiledGuardrail => {
  const { code, words } = When.read(when)
  const checked = check && run<readonly [string, Ctx]>(`guardrail:${id}.check`, ([text, ctx]) => check(text, ctx))
  return {
    id,
    check: checked && ((text, ctx) => checked([text, ctx])),
    rewrite: rewrite && run<string>(`guardrail:${id}.rewrite`, (text) => rewrite(text)),
    when: words,
    if: [...listOf(tests).map(test(`guardrail:${id}.if`)), ...code.map(test(`guardrail:${id}.when`))],
    model,
    timeout: Duration.decode(timeout ?? (when === undefined ? "5 seconds" : "20 seconds")),
    reply: reply === undefined ? otherwise : text(`guardrail:${id}.reply`, Locale.template(reply)),
    per: per ?? (when === undefined ? "sentence" : "message")
  }
}

export const compileGuardrails = (
  { input, output, reply = defaultReply, toolResults }: Guardrails<Values, Values> = {},
  making: CodeRunners
): CompiledGuardrails => {
  const otherwise = making.text("guardrails.reply", Locale.template<Exclude<Reply, Texts<Values, Values>>>(reply))
  const all = (list: ReadonlyArray<Guardrail<Values, Values>> | undefined) =>
    listOf(list).map((one) => compileOne(one, otherwise, making))
  return { input: all(input), output: all(output), toolResult: all(toolResults) }
}
