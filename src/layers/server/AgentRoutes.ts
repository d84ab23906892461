/** The routes that describe the agent. */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Memo from "../../domain/base/Memo.js"
import * as Locale from "../../domain/language/Locale.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import { definitionBody } from "./definitionBody.js"
import { CurrentPrincipal } from "./requests/Access.js"
import type { AnyApi, Serving } from "./Serving.js"

const suggested = 3

/** Number of languages of a client that are tried. */
const tried = 10

/** Returns the client's first language that the context takes, in full or alone. What the agent provides goes first. */
const localeFor = (
  { contextFields, contextProvider }: Runtime["definition"],
  { headers }: HttpServerRequest.HttpServerRequest
): string | undefined => {
  const field = contextProvider === undefined ? contextFields.get("locale") : undefined
  if (field === undefined) return undefined
  const asked = (headers["accept-language"] ?? "").split(",", tried).flatMap((one) => {
    const locale = Locale.known(one.split(";")[0]!.trim())
    return locale === undefined ? [] : [locale, locale.split("-")[0]!]
  })
  return asked.find((locale) => Either.isRight(field.decode(locale)))
}

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
      .handle("about", ({ request }) =>
        Effect.map(CurrentPrincipal, (principal) => {
          const locale = localeFor(runtime.definition, request)
          return {
            ...about,
            ...(locale !== undefined && { locale }),
            you: {
              userId: principal.userId,
              roles: principal.roles ?? [],
              isOperator: access.isOperator(principal)
            }
          }
        }))
      .handle("definition", () => Effect.map(access.operator, () => described(runtime))))
}
