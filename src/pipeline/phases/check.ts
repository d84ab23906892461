/**
 * What is wrong with an input, before anything is loaded.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../domain/Errors.js"
import * as SessionStore from "../../services/SessionStore.js"
import type { Input } from "../Input.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const check = (input: Input): Effect.Effect<void, InvalidRequest> =>
  Effect.gen(function*() {
    yield* SessionStore.checkId(input.sessionId)
    if (input._tag === "Message" && (typeof input.message !== "string" || input.message.trim() === "")) {
      yield* Effect.fail(
        new InvalidRequest({
          what: "message",
          why: "it is empty",
          fix: "Send what the user said, or do not call respond"
        })
      )
    }
    const { messageId } = input
    if (messageId !== undefined && (messageId.length < 1 || messageId.length > 200)) {
      yield* Effect.fail(
        new InvalidRequest({
          what: "messageId",
          why: `it has ${messageId.length} characters, 1 to 200 are allowed`,
          fix: "Pass a short unique key of the message, or leave it out"
        })
      )
    }
  })
