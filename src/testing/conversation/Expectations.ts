/** The expectations on a turn. */
import * as Effect from "effect/Effect"
import { type Definition, findFlow, type Values } from "../../domain/definition/Definition.js"
import type { ToolOutcome } from "../../domain/session/ToolCall.js"
import type { StoppedReason } from "../../domain/turn/TurnResponse.js"
import { type AnsweredExchange, positionOf, spoke } from "./Exchange.js"
import { matches, show, showFields } from "./Match.js"
import { unknownFlow, unknownStep } from "./Unknown.js"

/** An Effect that succeeds if the expectation holds. */
export type Expectation<E> = Effect.Effect<void, E>

/** The parts of a tool call to compare. */
export interface ToolCallLike {
  /** The arguments as the model gave them. If they are an object, only the fields given here are compared. */
  readonly params?: unknown
  /** The outcome of the call; default: any outcome. */
  readonly outcome?: ToolOutcome
  /** The output for the model. */
  readonly output?: unknown
}

/** The parts of a directive to compare. */
export type DirectiveLike = Readonly<Record<string, unknown>>

export type Fail<E> = (expected: string, found: string) => Effect.Effect<never, E>

/** Makes the expectations on a turn. An expectation also fails if it uses an unknown name. */
export const expectations = <E>(
  last: Effect.Effect<AnsweredExchange, E>,
  fail: Fail<E>,
  definition: Definition | undefined
) => {
  const expect = (
    expected: string,
    holds: (turn: AnsweredExchange) => boolean,
    found: (turn: AnsweredExchange) => string
  ): Expectation<E> => Effect.flatMap(last, (turn) => holds(turn) ? Effect.void : fail(expected, found(turn)))

  const known = (
    mismatch: ReturnType<typeof unknownFlow>,
    expectation: Expectation<E>
  ): Expectation<E> => mismatch === undefined ? expectation : fail(mismatch.expected, mismatch.found)

  const idOf = (flow: string): string => findFlow(definition?.flows ?? [], flow)?.id ?? flow
  const toolsOf = ({ response }: AnsweredExchange): string =>
    response.toolCalls.map(({ outcome, params, toolId }) => `${toolId} ${show(params)}: ${outcome}`).join(", ") ||
    "no tool call"

  return {
    expectStep: (flow: string, step: string) =>
      known(
        definition && unknownStep(definition, flow, step),
        expect(
          `${flow}/${step} to speak`,
          (turn) => {
            const at = spoke(turn)
            return at?.flowId === idOf(flow) && at.stepId === step
          },
          (turn) => {
            const at = spoke(turn)
            return at === undefined ? `no step spoke (${turn.response.stoppedReason})` : `${at.flowId}/${at.stepId}`
          }
        )
      ),
    expectFlow: (flow: string | undefined) =>
      known(
        flow === undefined ? undefined : definition && unknownFlow(definition, flow),
        expect(
          flow === undefined ? "no current flow" : `the current flow "${flow}"`,
          ({ response }) => response.session.currentFlow?.id === (flow === undefined ? undefined : idOf(flow)),
          ({ response }) => positionOf(response.session)
        )
      ),
    expectData: (data: Values) =>
      expect(
        `the data ${showFields(data)}`,
        ({ response }) => matches(response.session.data, data),
        ({ response }) => showFields(response.session.data)
      ),
    expectReply: (reply: string | RegExp) =>
      expect(
        `the reply ${show(reply)}`,
        ({ response }) => matches(response.message, reply),
        ({ response }) => show(response.message)
      ),
    expectTool: (tool: string, call: ToolCallLike = {}) =>
      expect(
        `a call of "${tool}"${Object.keys(call).length === 0 ? "" : ` with ${show(call)}`}`,
        ({ response }) => response.toolCalls.some((record) => record.toolId === tool && matches(record, call)),
        toolsOf
      ),
    expectNoTool: expect("no tool call", ({ response }) => response.toolCalls.length === 0, toolsOf),
    expectDirective: (
      directive: DirectiveLike,
      how: { readonly applied?: boolean; readonly source?: string } = {}
    ) =>
      expect(
        `a directive ${show(directive)}${how.applied === false ? " that is not applied" : ""}`,
        ({ response }) =>
          response.directiveChain.some((one) =>
            matches(one, { applied: true, ...how }) && matches(one.directive, directive)
          ),
        ({ response }) =>
          response.directiveChain.map(({ applied, directive, source }) =>
            `${source} ${show(directive)}${applied ? "" : ", not applied"}`
          ).join("; ") || "no directive"
      ),
    expectStopped: (reason: StoppedReason) =>
      expect(
        `the turn to end with ${reason}`,
        ({ response }) => response.stoppedReason === reason,
        ({ response }) => response.stoppedReason
      ),
    expectRejected: (field: string) =>
      expect(
        `a rejected value for "${field}"`,
        ({ response }) => response.rejected.some((one) => one.field === field),
        ({ response }) =>
          response.rejected.map(({ field, message }) => `${field} (${message})`).join(", ") || "no rejected value"
      )
  }
}
