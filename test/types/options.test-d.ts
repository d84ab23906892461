/** The interface and the Schema of each part of a definition have the same options, and require the same ones. */
import type { AgentOptions, Flow, Guardrail, Instruction, Migrations, Signal, Step, Tool } from "coxswain"

type Required<T> = { [K in keyof T]-?: {} extends Pick<T, K> ? never : K }[keyof T]

type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : { readonly missing: Exclude<B, A> }
  : { readonly missing: Exclude<A, B> }

/** `Of` is an interface, `S` the type that a Schema decodes. */
type Agree<Of, S> = readonly [options: Same<keyof Of, keyof S>, required: Same<Required<Of>, Required<S>>]

type Hooks<S extends { readonly hooks?: unknown }> = NonNullable<S["hooks"]>

export const agent: Agree<AgentOptions.AgentOptions<{}, {}>, typeof AgentOptions.AgentOptions.Type> = [true, true]
export const flow: Agree<Flow.Flow<{}, {}>, typeof Flow.Flow.Type> = [true, true]
export const step: Agree<Step.Step<{}, {}>, typeof Step.Step.Type> = [true, true]
export const branch: Agree<Step.Branch<{}, {}>, typeof Step.Branch.Type> = [true, true]
export const instruction: Agree<Instruction.Instruction<{}, {}>, typeof Instruction.Instruction.Type> = [true, true]
export const signal: Agree<Signal.SignalOptions<{}, {}>, typeof Signal.Signal.Type> = [true, true]
export const tool: Agree<Tool.ToolOptions<{}, {}>, typeof Tool.Tool.Type> = [true, true]
export const guardrail: Agree<Guardrail.Guardrail, typeof Guardrail.Guardrail.Type> = [true, true]
export const guardrails: Agree<Guardrail.Guardrails<{}, {}>, typeof Guardrail.Guardrails.Type> = [true, true]
export const migrations: Agree<Migrations.Migrations, typeof Migrations.Migrations.Type> = [true, true]
export const stepHooks: Agree<Step.StepHooks<{}, {}>, Hooks<typeof Step.Step.Type>> = [true, true]
export const flowHooks: Agree<Flow.FlowHooks<{}, {}>, Hooks<typeof Flow.Flow.Type>> = [true, true]
export const agentHooks: Agree<AgentOptions.AgentHooks<{}, {}>, Hooks<typeof AgentOptions.AgentOptions.Type>> = [
  true,
  true
]

interface More extends Instruction.Instruction<{}, {}> {
  readonly more?: string
}
// @ts-expect-error an interface with another option does not agree
export const other: Agree<More, typeof Instruction.Instruction.Type> = [true, true]
