/** The services and options that the routes of a server share. */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as Effect from "effect/Effect"
import type { WhileBusy } from "../../domain/authored/AgentOptions.js"
import type { JsonObject } from "../../domain/base/Json.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type { Session } from "../../domain/session/Session.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { send } from "../../pipeline/agent/handle.js"
import type { check } from "../../pipeline/phases/check.js"
import type { UncheckedMessage } from "../../pipeline/state/Input.js"
import type { Runtime } from "../../pipeline/state/TurnState.js"
import type * as SessionStore from "../../services/session/SessionStore.js"
import type * as BlobStore from "../../services/storage/BlobStore.js"
import type { Api } from "./api/Api.js"
import type { StorageQuota } from "./files/StorageQuota.js"
import type { Resolved } from "./Options.js"
import type { DemoClock } from "./past/demoClock.js"
import type { Access } from "./requests/Access.js"
import type * as Problem from "./requests/Problem.js"
import type { Feeds } from "./streams/Feeds.js"
import type { AnyAgent, Turns } from "./turns/Turns.js"

/** The API without the types of an agent's data, as the routes use it. */
export type AnyApi = Api<unknown, unknown>

export interface Serving
  extends Pick<Resolved, "clientContext" | "clientSignals" | "fileHosts" | "onDisconnect" | "recheck" | "secret">
{
  readonly agent: AnyAgent
  readonly runtime: Runtime
  readonly store: SessionStore.Service
  /** The store of files' bytes, if there is one. */
  readonly blobs: BlobStore.Service | undefined
  readonly storage: StorageQuota
  /** The clocks of sessions, on a demonstration server. */
  readonly demo: DemoClock | undefined
  readonly access: Access
  readonly turns: Turns
  /** The effect of a message that arrives while a turn of its session runs. */
  readonly whileBusy: WhileBusy
  /** Fails if a message is invalid, before a session is loaded. */
  readonly check: (said: UncheckedMessage) => ReturnType<typeof check>
  /** Begins the turn of a message, with the unanswered messages before it, if any. */
  readonly send: (said: UncheckedMessage) => ReturnType<typeof send>
  readonly feeds: Feeds
  /** Authenticates a request again. Fails when its credentials are no longer valid, or are now another user's. */
  readonly still: (
    request: HttpServerRequest.HttpServerRequest,
    principal: Principal
  ) => Effect.Effect<Principal, Problem.Problem>
  readonly newId: Effect.Effect<string>
  /** Fails if the store, or a check of the application, fails. */
  readonly ready: Effect.Effect<void, unknown>
  /** The context of a turn: the client's, overridden by the server's. */
  readonly contextFor: (
    principal: Principal,
    request: HttpServerRequest.HttpServerRequest,
    given: Values | undefined,
    locale?: string | undefined
  ) => Effect.Effect<Values, Problem.Problem>
  /** The collected data of a session, as JSON. */
  readonly encodedData: (session: Session) => Effect.Effect<JsonObject, Problem.Problem>
  readonly decodeDirective: (u: unknown) => Effect.Effect<string | Directive, Problem.Problem>
}
