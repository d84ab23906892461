/** Runs a test that the library printed, as if it were pasted into a file. */
import { Agent, SessionStore, ToolExecutor } from "coxswain"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, TestContext } from "effect"
import { transformSync } from "esbuild"

/** The names that the file of such a test imports. */
const imported = { ...ScriptedModel, Agent, Conversation, Effect, ScriptedModel, SessionStore, ToolExecutor }

/** The test's Effect, for the agent that `agent` makes. */
export const pasted = (text: string, agent: unknown): Effect.Effect<unknown, { readonly message: string }> => {
  const { code } = transformSync(text, { loader: "ts" })
  const scope: Record<string, unknown> = { ...imported, agent }
  let body: (() => Effect.Effect<unknown, { readonly message: string }>) | undefined
  scope.it = {
    effect: (_: string, given: typeof body) => {
      body = given
    }
  }
  new Function(...Object.keys(scope), code)(...Object.values(scope))
  return Effect.provide(Effect.suspend(() => body!()), TestContext.TestContext)
}
