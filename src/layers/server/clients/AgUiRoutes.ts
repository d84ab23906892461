/** The route of AG-UI: a thread is a session, a run is a turn. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { RunBody } from "../api/ClientApi.js"
import * as Problem from "../requests/Problem.js"
import type { AnyApi, Serving } from "../Serving.js"
import * as Sse from "../streams/Sse.js"
import { decideAll } from "../turns/Decisions.js"
import { followed } from "../turns/followTurn.js"
import { say } from "../turns/TurnRoutes.js"
import * as AgUi from "./AgUi.js"
import { ofAgUiContent } from "./clientParts.js"

const nothingWaits = Problem.malformed("resume: none of it waits for a decision.", "resume")

/** Returns the decisions in a run. A cancelled interrupt, or an interrupt without a payload, is declined. */
const decisionsIn = ({ resume = [] }: RunBody) =>
  resume.map(({ interruptId, payload, status }) => ({
    id: interruptId,
    decision: status === "cancelled" ? { approved: false } : payload ?? { approved: false }
  }))

const lastMessage = ({ messages }: RunBody) => {
  const last = messages.at(-1)
  return last?.role === "user"
    ? Effect.map(ofAgUiContent(last.content), (said) => ({ ...said, messageId: last.id }))
    : Effect.fail(Problem.malformed("messages: the last one must be a user's.", "messages"))
}

export const layer = (api: AnyApi, serving: Serving) =>
  HttpApiBuilder.group(
    api,
    "agui",
    (handlers) =>
      handlers.handle("run", ({ payload, request }) =>
        Effect.gen(function*() {
          const { runId, threadId } = payload
          const { callIds, data, running } = payload.resume !== undefined && payload.resume.length > 0
            ? yield* decideAll(serving, threadId, decisionsIn(payload), nothingWaits)
            : yield* Effect.gen(function*() {
              const said = yield* lastMessage(payload)
              const { session } = yield* serving.access.speaker(threadId)
              return {
                callIds: [],
                data: yield* serving.encodedData(session),
                running: yield* say(serving, request, threadId, said)
              }
            })
          const turn = yield* followed(serving, request, threadId, running)
          const translation = AgUi.make({ runId, threadId, state: data, decided: callIds, turnId: running.turnId })
          return Sse.translated(turn, translation, (event) => Sse.event("message", event))
        }))
  )
