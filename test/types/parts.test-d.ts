/** Types that tools and signals infer on their own, and definitions that must not compile. Checked by `tsc`. */
import { Tool as AiTool, Toolkit } from "@effect/ai"
import type { LanguageModel } from "@effect/ai"
import { Agent, type SessionStore, type Signal, type Tool } from "coxswain"
import { Effect, Schema } from "effect"

type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
type NeedsOf<T> = T extends Signal.Signal<infer _D, infer _C, infer R> ? R
  : T extends Tool.Tool<infer _D, infer _C, infer R> ? R
  : "not a part"

// A part whose code needs nothing, or returns nothing, needs nothing.
export const quiet = kit.signal({ id: "quiet", phase: "pre", handler: () => {} })
export const quietNeeds: Equals<NeedsOf<typeof quiet>, never> = true
export const plain = kit.tool({ id: "plain", checkPermissions: () => true, handler: () => "done" })
export const plainNeeds: Equals<NeedsOf<typeof plain>, never> = true

// What a signal returns is typed by the agent's data and by its own Schema.
export const typed = kit.signal({
  id: "typed",
  phase: "post",
  extract: Schema.Struct({ level: Schema.Int }),
  handler: () => ({ replyWith: ({ extracted, phase }) => `${extracted.level satisfies number} ${phase}` })
})

// What the handlers of a toolkit need is what the agent needs.
const toolkit = Toolkit.make(AiTool.make("clock", { success: Schema.String }))
export const withToolkit = kit.make({ name: "Bot", toolkits: [toolkit] })
export const toolkitNeeds: Equals<
  Effect.Effect.Context<typeof withToolkit>,
  LanguageModel.LanguageModel | SessionStore.SessionStore | AiTool.Handler<"clock">
> = true

export const wrong1 = kit.signal({
  id: "wrong",
  phase: "pre",
  // @ts-expect-error a write of the wrong type
  handler: () => ({ dataUpdate: { city: 5 } })
})
export const wrong2 = kit.signal({
  id: "wrong",
  phase: "pre",
  // @ts-expect-error a field no directive has
  handler: () => Effect.succeed({ goto: "Other" })
})
export const wrong3 = kit.tool({
  id: "wrong",
  // @ts-expect-error neither a boolean nor a permission
  checkPermissions: () => "yes",
  handler: () => "done"
})
export const wrong4 = kit.tool({
  id: "wrong",
  // @ts-expect-error arguments of another type
  validateInput: () => ({ n: "five" }),
  parameters: { n: Schema.Number },
  handler: () => "done"
})

// A list without elements asks for nothing, written out or chosen at run time.
export const empty = kit.make({ name: "Bot", tools: [], signals: [], flows: [] })
export const emptyNeeds: Equals<
  Effect.Effect.Context<typeof empty>,
  LanguageModel.LanguageModel | SessionStore.SessionStore
> = true
