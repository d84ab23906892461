/**
 * A guardrail against secrets: keys, tokens, private keys and connection strings, found by the rules of the package
 * `secretlint`.
 */
import { lintSource } from "@secretlint/core"
import { creator } from "@secretlint/secretlint-rule-preset-recommend"
import * as Effect from "effect/Effect"
import type { Words } from "../../domain/authored/Guardrail.js"

type LintInput = Parameters<typeof lintSource>[0]

const config: LintInput["options"] = {
  config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator }] },
  noPhysicFilePath: true
}

const ranges = (content: string) =>
  Effect.map(
    Effect.promise(() =>
      lintSource({ source: { content, filePath: "text", ext: "", contentType: "text" }, options: config })
    ),
    ({ messages }) => messages.map(({ range, ruleId }) => ({ range, rule: ruleId.replace(/^.*secretlint-rule-/, "") }))
  )

/**
 * Blocks texts that contain a secret.
 *
 * @example
 * ```ts
 * import * as Secrets from "coxswain/layers/guardrails-secrets"
 *
 * const guardrails = { input: [Secrets.redact()], output: [Secrets.block()] }
 * ```
 */
export const block = (options: { readonly reply?: Words } = {}) => ({
  id: "secrets",
  ...options,
  check: (text: string): Effect.Effect<{ readonly reason: string } | undefined> =>
    Effect.map(ranges(text), ([first]) => first === undefined ? undefined : { reason: `a secret (${first.rule})` })
})

/** Replaces secrets in texts with `[secret]`. */
export const redact = () => ({
  id: "secrets",
  rewrite: (text: string): Effect.Effect<string> =>
    Effect.map(ranges(text), (found) =>
      // Replaces from the end, so that the positions of the earlier secrets stay right.
      found.toSorted((a, b) => b.range[0] - a.range[0]).reduce(
        (left, { range: [from, to] }) => `${left.slice(0, from)}[secret]${left.slice(Math.max(from, to))}`,
        text
      ))
})
