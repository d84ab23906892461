/** Compiles guardrails. */
import * as Duration from "effect/Duration"
import type { Template, Texts } from "../../authored/Callback.js"
import type { GuardContext, Guardrail, Guardrails } from "../../authored/Guardrail.js"
import * as Locale from "../../language/Locale.js"
import type { CompiledGuardrail, CompiledGuardrails, Text, Values } from "../Definition.js"
import { listOf } from "../Definition.js"
import type { make as makeCode } from "./CompileCode.js"

type Ctx = GuardContext<Values, Values>

type CodeRunners = Pick<ReturnType<typeof makeCode>, "conditions" | "run" | "text">

type Reply = Template<Values, Values> | Texts<Values, Values>

/** The reply of a guardrail if its author gives none, or if the author's reply fails. */
export const defaultReply = "I am sorry, I cannot go on with that."

const compileOne = (
  guardrail: Guardrail<Values, Values>,
  otherwise: Text,
  { conditions, run, text }: CodeRunners
): CompiledGuardrail => {
  const { check, id, model, per, reply, rewrite, timeout, when } = guardrail
  const named = (part: string) => `guardrail:${id}.${part}`
  const checked = check && run<readonly [string, Ctx], unknown>(named("check"), ([text, ctx]) => check(text, ctx))
  return {
    id,
    check: checked && ((text, ctx) => checked([text, ctx])),
    rewrite: rewrite && run<string, unknown>(named("rewrite"), (text) => rewrite(text)),
    ...conditions(named("if"), guardrail),
    model,
    timeout: Duration.decode(timeout ?? (when === undefined ? "5 seconds" : "20 seconds")),
    reply: reply === undefined ? otherwise : text(named("reply"), Locale.template(reply)),
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
