/**
 * What the routes of a server share.
 *
 * @since 0.1.0
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { JsonObject } from "../../domain/base/Json.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type { Session } from "../../domain/session/Session.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import type { send } from "../../pipeline/agent/handle.js"
import type { check } from "../../pipeline/phases/check.js"
import type { Said } from "../../pipeline/state/Input.js"
import type * as SessionStore from "../../services/session/SessionStore.js"
import type * as BlobStore from "../../services/storage/BlobStore.js"
import type { Access } from "./Access.js"
import type { Api } from "./Api.js"
import type { Feeds } from "./Feeds.js"
import type * as Problem from "./Problem.js"
import type { AnyAgent, Turns } from "./Turns.js"

/**
 * The API as the routes see it: without the types of what an agent collects.
 *
 * @since 0.1.0
 * @category models
 */
export type AnyApi = Api<unknown, unknown>

/**
 * @since 0.1.0
 * @category models
 */
export interface Serving {
  readonly agent: AnyAgent
  readonly store: SessionStore.Service
  /** Where the bytes of files are, if they are anywhere. */
  readonly blobs: BlobStore.Service | undefined
  readonly access: Access
  readonly turns: Turns
  /** Fails with what is wrong with a message, before anything is loaded. */
  readonly check: (said: Said) => ReturnType<typeof check>
  /** Begins the turn of a message, which may come with what was left unanswered before it. */
  readonly send: (said: Said) => ReturnType<typeof send>
  readonly feeds: Feeds
  /** Who sent a request, asked again; fails when the credentials do not hold any more, or are another user's. */
  readonly still: (
    request: HttpServerRequest.HttpServerRequest,
    principal: Principal
  ) => Effect.Effect<Principal, Problem.Problem>
  /** How often it is asked while a stream is open. */
  readonly recheck: Duration.DurationInput
  readonly newId: Effect.Effect<string>
  /** The secret in the ids of conversations whose clients name none. */
  readonly secret: Redacted.Redacted
  /** Whether the store answers, and what else the application wants to be asked. */
  readonly ready: Effect.Effect<void, unknown>
  /** What becomes of a turn whose client goes away. */
  readonly onDisconnect: "continue" | "abort"
  /** The signals that clients may judge themselves. */
  readonly clientSignals: ReadonlyArray<string>
  /** The context of a turn: what the server says, under what the client may say. */
  readonly contextFor: (
    principal: Principal,
    request: HttpServerRequest.HttpServerRequest,
    given: Values | undefined
  ) => Effect.Effect<Values, Problem.Problem>
  /** What a session has collected, as JSON. */
  readonly encodedData: (session: Session) => Effect.Effect<JsonObject, Problem.Problem>
  readonly decodeDirective: (u: unknown) => Effect.Effect<string | Directive, Problem.Problem>
}
