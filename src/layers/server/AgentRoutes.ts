/** The routes that describe the agent. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Memo from "../../domain/base/Memo.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import { definitionBody } from "./definitionBody.js"
import { CurrentPrincipal } from "./requests/Access.js"
import type { AnyApi, Serving } from "./Serving.js"

const suggested = 3

export const layer = (api: AnyApi, { access, agent, clientContext, demo, runtime, whileBusy }: Serving) => {
  const { blobs, definition: { files, flows, goal, snapshots }, log } = runtime
  const about = {
    name: agent.name,
    ...(goal !== undefined && { goal }),
    whileBusy,
    ...(files !== undefined && {
      files: {
        accept: files.accept,
        maxBytes: files.maxBytes,
        maxFiles: files.maxFiles,
        urls: files.urls,
        uploads: blobs !== undefined
      }
    }),
    clientContext,
    suggestions: flows.slice(0, suggested).map(({ example, title }) => example ?? title),
    features: { snapshots: snapshots !== undefined, turnLog: log !== undefined, clock: demo !== undefined }
  }
  const described = Memo.weak((runtime: Runtime) => definitionBody(agent, runtime))
  return HttpApiBuilder.group(api, "agent", (handlers) =>
    handlers
      .handle("about", () =>
        Effect.map(CurrentPrincipal, (principal) => ({
          ...about,
          you: {
            userId: principal.userId,
            roles: principal.roles ?? [],
            isOperator: access.isOperator(principal)
          }
        })))
      .handle("definition", () => Effect.map(access.operator, () => described(runtime))))
}
