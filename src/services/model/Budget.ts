/**
 * Token and cost limits of a turn and of a session. A call that would exceed a limit is not made.
 *
 * The limits come from `Budget.layer`; each turn has its own `Budget`, which starts with the usage of its session so
 * far.
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Tokenizer from "@effect/ai/Tokenizer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { BudgetExceeded } from "../../domain/base/error/Errors.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { ModelUsage, OfferedTool } from "./call/ModelCall.js"

/** The limits; an absent one means no limit. Tokens count input and output. */
export interface Limits {
  readonly maxTokensPerTurn?: number
  readonly maxTokensPerSession?: number
  /** Maximum cost of a session, in the currency of the price table. */
  readonly maxCostPerSession?: number
}

export interface Used {
  readonly turnTokens: number
  /** Tokens used by the session so far, including this turn. */
  readonly sessionTokens: number
  /** Cost of the session so far, including this turn. */
  readonly sessionCost: number
}

export interface Amount {
  readonly tokens: number
  readonly cost: number
}

/** Price per million tokens, in any one currency. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Price of input tokens read from the provider's cache; default: the price `input`. */
  readonly cachedInput?: number
}

/** Returns the cost of a call. */
export const cost = (price: Price, usage: ModelUsage): number =>
  ((usage.inputTokens - usage.cachedInputTokens) * price.input +
    usage.cachedInputTokens * (price.cachedInput ?? price.input) +
    usage.outputTokens * price.output) / 1_000_000

export interface Service {
  readonly limits: Limits
  readonly used: Effect.Effect<Used>
  /**
   * Runs a call of the estimated size `next`. Fails if the call, the usage so far and the running calls together would
   * exceed a limit, so that concurrent calls cannot use the same remainder. The call reports its actual usage to
   * `spend`.
   */
  readonly guard: (next: Amount) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | BudgetExceeded, R>
  readonly spend: (spent: Amount) => Effect.Effect<void>
}

interface Spending {
  readonly turn: number
  readonly session: Amount
  /** Estimates of the running calls. */
  readonly reserved: Amount
}

const nothing: Amount = { tokens: 0, cost: 0 }

const add = (a: Amount, b: Amount): Amount => ({ tokens: a.tokens + b.tokens, cost: a.cost + b.cost })

/**
 * The budget of one turn. It is a class, so that the methods are shared: every turn has a budget, and most turns never
 * use it.
 */
class Purse implements Service {
  private spent: Spending
  constructor(readonly limits: Limits, session: Amount) {
    this.spent = { turn: 0, session, reserved: nothing }
  }

  get used(): Service["used"] {
    return Effect.sync(() => {
      const { session, turn } = this.spent
      return { turnTokens: turn, sessionTokens: session.tokens, sessionCost: session.cost }
    })
  }

  guard(next: Amount): <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | BudgetExceeded, R> {
    return (call) => Effect.acquireUseRelease(this.reserve(next), () => call, () => this.release(next))
  }

  spend({ cost, tokens }: Amount): Effect.Effect<void> {
    return Effect.sync(() => {
      const { session, turn } = this.spent
      this.spent = { ...this.spent, turn: turn + tokens, session: add(session, { tokens, cost }) }
    })
  }

  private exceeded(budget: keyof Limits, before: number, more: number): BudgetExceeded | undefined {
    const limit = this.limits[budget]
    return limit !== undefined && before + more > limit
      ? new BudgetExceeded({ budget, limit, used: before })
      : undefined
  }

  private reserve(next: Amount): Effect.Effect<void, BudgetExceeded> {
    return Effect.suspend(() => {
      const { reserved, session, turn } = this.spent
      const before = add(session, reserved)
      const error = this.exceeded("maxTokensPerTurn", turn + reserved.tokens, next.tokens) ??
        this.exceeded("maxTokensPerSession", before.tokens, next.tokens) ??
        this.exceeded("maxCostPerSession", before.cost, next.cost)
      if (error !== undefined) return Effect.fail(error)
      this.spent = { ...this.spent, reserved: add(reserved, next) }
      return Effect.void
    })
  }

  private release({ cost, tokens }: Amount): Effect.Effect<void> {
    return Effect.sync(() => {
      this.spent = { ...this.spent, reserved: add(this.spent.reserved, { tokens: -tokens, cost: -cost }) }
    })
  }
}

/** Makes the budget of one turn. */
export const make = (limits: Limits, session: Amount = nothing): Effect.Effect<Service> =>
  Effect.sync(() => unsafeMake(limits, session))

/** Makes the budget of one turn synchronously. */
export const unsafeMake = (limits: Limits, session: Amount = nothing): Service => new Purse(limits, session)

const unlimited: Service = {
  limits: {},
  used: Effect.succeed({ turnTokens: 0, sessionTokens: 0, sessionCost: 0 }),
  guard: () => (call) => call,
  spend: () => Effect.void
}

/** The budget of the running turn, set by the turn. Outside of turns there is no limit. */
export class Budget extends Context.Reference<Budget>()("coxswain/Budget", {
  defaultValue: (): Service => unlimited
}) {}

/** The limits with which every turn of an agent starts; none by default. */
export class BudgetLimits extends Context.Reference<BudgetLimits>()("coxswain/BudgetLimits", {
  defaultValue: (): Limits => ({})
}) {}

/** Limits for all agents that are made with this layer. */
export const layer = (limits: Limits): Layer.Layer<BudgetLimits> => Layer.succeed(BudgetLimits, limits)

export const isLimited = (budget: Service): boolean => Object.values(budget.limits).some((limit) => limit !== undefined)

const length = (value: unknown): number => typeof value === "string" ? value.length : JSON.stringify(value)?.length ?? 0

const characters = ({ content }: Prompt.Prompt): number =>
  content.reduce((sum, message) => sum + Transcript.characters(message), 0)

/**
 * Estimates the tokens of a call's prompt and tools: with the `Tokenizer` if one is provided, else 4 characters per
 * token.
 */
export const estimate = (call: {
  readonly prompt: Prompt.Prompt
  readonly tools?: ReadonlyArray<OfferedTool>
  readonly json?: { readonly schema: object }
}): Effect.Effect<number> => {
  let extra = call.json === undefined ? 0 : length(call.json.schema)
  for (const tool of call.tools ?? []) extra += tool.name.length + length(tool.description) + length(tool.jsonSchema)
  const rough = (count: number) => Math.ceil(count / 4)
  return Effect.flatMap(Effect.serviceOption(Tokenizer.Tokenizer), (tokenizer) =>
    Option.isNone(tokenizer)
      ? Effect.succeed(rough(characters(call.prompt) + extra))
      : tokenizer.value.tokenize(call.prompt).pipe(
        Effect.map((tokens) => tokens.length + rough(extra)),
        Effect.orElseSucceed(() => rough(characters(call.prompt) + extra))
      ))
}
