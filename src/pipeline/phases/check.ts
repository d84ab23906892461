/**
 * What is wrong with an input, before anything is loaded.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Decision from "../../domain/Approval.js"
import type { InvalidRequest } from "../../domain/Errors.js"
import type { Limits } from "../../domain/Limits.js"
import * as TurnRequest from "../../domain/TurnRequest.js"
import type { Approval, Input, Message } from "../Input.js"
import type { Runtime } from "../TurnState.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const check = ({ definition }: Runtime, input: Input): Effect.Effect<Input, InvalidRequest> =>
  input._tag === "Message" ? checkMessage(input, definition.limits) : checkApproval(input, definition)

const checkMessage = ({ _tag, ...request }: Message, limits: Limits) =>
  Either.map(TurnRequest.check(request, limits), (request): Input => ({ ...request, _tag }))

/** A decision has no message, but the same keys, context and metadata as one; these are checked as a request's. */
const checkApproval = (
  { _tag, decision, request, ...around }: Approval,
  { excerpts, limits }: Runtime["definition"]
) =>
  Either.gen(function*() {
    const { message: _, ...checked } = yield* TurnRequest.check({ ...around, message: "-" }, limits)
    yield* TurnRequest.checkKey("approval", request, "Pass the id of one of the last response's approvals")
    return { ...checked, _tag, request, decision: yield* Decision.check(decision, limits, excerpts) } satisfies Input
  })
