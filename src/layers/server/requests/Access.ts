/** Access control: each request is authenticated, and a session is only for its owner and for operators. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { epochOf, type Session, type SessionId } from "../../../domain/session/Session.js"
import { Principal } from "../../../domain/session/TurnRequest.js"
import type { Agent } from "../../../pipeline/agent/Contract.js"
import { runtimeOf } from "../../../pipeline/state/agentInternals.js"
import { loadOwned, type Owned } from "../../../pipeline/stored/loading.js"
import * as TurnFeed from "../../../services/turn/TurnFeed.js"
import type { SessionIds } from "../sessions/SessionIds.js"
import * as Problem from "./Problem.js"

/** The credentials of the request are missing or invalid. `authenticate` fails with it. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  /** The reason, for the log only: the response does not contain it. */
  why: Schema.String
}) {
  override get message(): string {
    return `[Unauthorized] request: ${this.why}. Send credentials that authenticate accepts.`
  }
}

/** The authenticated principal of a request. */
export class CurrentPrincipal extends Context.Tag("coxswain/Server/CurrentPrincipal")<CurrentPrincipal, Principal>() {}

/** Authenticates a request, before anything else of it is read. */
export class Authentication extends HttpApiMiddleware.Tag<Authentication>()("coxswain/Server/Authentication", {
  failure: Problem.Problem,
  provides: CurrentPrincipal
}) {}

/** Returns the principal of a request, from its headers. The server trusts the result. */
export type Authenticate<R = never> = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<Principal, Unauthorized, R>

const isPrincipal = Schema.is(Principal)

/**
 * Returns the principal of a request, or a problem. If `authenticate` returns an invalid principal, the request is
 * refused.
 */
export const authenticated = (
  asked: Effect.Effect<Principal, Unauthorized>
): Effect.Effect<Principal, Problem.Problem> =>
  asked.pipe(
    Effect.tapError(({ why }) => Effect.logDebug(`A request was not authenticated: ${why}`)),
    Effect.mapError(() => Problem.unauthorized),
    Effect.filterOrElse(isPrincipal, () =>
      Effect.zipRight(
        Effect.logError("authenticate gave what is no Principal: { userId, roles? } of 1 to 200 characters"),
        Effect.fail(Problem.ofTag("InternalError"))
      ))
  )

/**
 * Authenticates every request as one user, who is also the operator. Only for servers that this machine alone can
 * reach.
 */
export const local = (operatorRole: string): Authenticate => () =>
  Effect.succeed({ userId: "local", roles: [operatorRole] })

/** A session that a request names. */
export interface Named {
  /** The id under which the session is or will be stored. */
  readonly id: SessionId
  /**
   * The epoch of the session, which differs if a session is removed and created again; absent while the session is not
   * stored.
   */
  readonly epoch: string | undefined
  /** The owner of the session; until it is stored, the user who began it. */
  readonly owner: string | undefined
}

/** A session that a request names, decoded. */
export interface RequestedSession extends Named {
  /** The stored session; of version 0 while its first turn runs, or when it does not exist. */
  readonly session: Session
}

/**
 * True if a running turn belongs to the session that was found, and not to a removed one with the same id. While the
 * session is not stored, the turns of its owner without an epoch belong to it.
 */
export const isOf = ({ epoch, owner }: Named) => (turn: TurnFeed.RunningTurn): boolean =>
  epoch === undefined
    ? turn.epoch === undefined && turn.userId === owner
    : (TurnFeed.lifeOf(turn) ?? epoch) === epoch

/** Finds the sessions that a request may use. A request names a session by its user's name for it, or by its id. */
export interface Access {
  readonly isOperator: (principal: Principal) => boolean
  /** The principal, if it is an operator; 403 otherwise. */
  readonly operator: Effect.Effect<Principal, Problem.Problem, CurrentPrincipal>
  /** The session, for its owner; 404 otherwise. */
  readonly owned: (name: string) => Effect.Effect<RequestedSession, Problem.Problem, CurrentPrincipal>
  /** The session, for its owner and for operators; 404 otherwise. */
  readonly readable: (name: string) => Effect.Effect<RequestedSession, Problem.Problem, CurrentPrincipal>
  /** The principal, and the principal's own session of this name, which may not exist yet. */
  readonly speaker: (
    name: string
  ) => Effect.Effect<RequestedSession & { readonly principal: Principal }, Problem.Problem, CurrentPrincipal>
  /** Like `speaker`, without decoding the session. */
  readonly speaking: (
    name: string
  ) => Effect.Effect<Named & { readonly principal: Principal }, Problem.Problem, CurrentPrincipal>
  /** A session for an operator, which may not exist yet; 403 for all other users. */
  readonly operated: (
    name: string
  ) => Effect.Effect<RequestedSession & { readonly principal: Principal }, Problem.Problem, CurrentPrincipal>
  /** The id of a new session of a user; 400 if the user already has a session of this name. */
  readonly free: (userId: string, name: string) => Effect.Effect<SessionId, Problem.Problem>
  /** The name by which the user calls a stored session. */
  readonly nameOf: SessionIds["nameOf"]
}

interface Options {
  readonly agent: Pick<Agent<{}, {}, unknown>, "session">
  readonly feed: TurnFeed.Service
  readonly operatorRole: string
  readonly ids: SessionIds
}

type State<A> = A & { readonly exists: boolean }

/** Clients resolve `.` and `..` in a URL, however they are encoded, so no route could find a session of this name. */
const checkName = (name: string): Effect.Effect<void, Problem.Problem> =>
  name === "." || name === ".."
    ? Effect.fail(Problem.malformed(`id: a session cannot be called "${name}". Give it another name.`, "id"))
    : Effect.void

const taken = Problem.malformed("as: you have a session of this name already. Leave it out, or send another.", "as")

export const make = ({ agent, feed, ids, operatorRole }: Options): Access => {
  const isOperator = ({ roles = [] }: Principal) => roles.includes(operatorRole)
  /**
   * Reads the running turns before the session: if a first turn ends between the two reads, the session is then found
   * as stored.
   */
  const stateOf = <A>(
    id: string,
    userId: string,
    read: Effect.Effect<{ readonly stored: Owned | undefined; readonly more: A }, unknown>
  ): Effect.Effect<State<Named & A>, Problem.Problem> =>
    Effect.mapError(
      Effect.zipWith(feed.running(id), read, (running, { more, stored }) => {
        if (stored !== undefined) return { ...more, id, epoch: stored.epoch, exists: true, owner: stored.userId }
        // A session is stored when its first turn has ended; until then it belongs to the user who began the turn.
        const first = running.filter(({ epoch }) => epoch === undefined)
        const own = first.find((turn) => turn.userId === userId) ?? first[0]
        return { ...more, id, epoch: undefined, exists: own !== undefined, owner: own?.userId }
      }),
      Problem.ofError
    )
  const decoded = (id: string, userId: string) =>
    stateOf(
      id,
      userId,
      Effect.map(agent.session(id).snapshot, (session) => ({
        stored: session.version > 0 ? { userId: session.userId, epoch: epochOf(session) } : undefined,
        more: { session }
      }))
    )
  const runtime = runtimeOf(agent)
  const undecoded = (id: string, userId: string): Effect.Effect<State<Named>, Problem.Problem> =>
    runtime === undefined ? decoded(id, userId) : stateOf(
      id,
      userId,
      Effect.map(loadOwned(runtime, id), (owned) => ({ stored: Option.getOrUndefined(owned), more: {} }))
    )
  /** Finds the user's own session of this name; if there is none, the session that has this name as its id. */
  const find = <A extends Named>(
    name: string,
    read: (id: string, userId: string) => Effect.Effect<State<A>, Problem.Problem>
  ) =>
    Effect.flatMap(CurrentPrincipal, (principal) => {
      const id = ids.idOf(principal.userId, name)
      return Effect.flatMap(Effect.zipRight(checkName(name), read(id, principal.userId)), (own) =>
        own.exists || id === name
          ? Effect.succeed({ principal, own, state: own })
          : Effect.map(read(name, principal.userId), (state) => ({ principal, own, state })))
    })
  const found = (name: string, may: (principal: Principal, owner: string | undefined) => boolean) =>
    Effect.flatMap(
      find(name, decoded),
      ({ principal, state }): Effect.Effect<RequestedSession, Problem.Problem> =>
        state.exists && may(principal, state.owner) ? Effect.succeed(state) : Effect.fail(Problem.notFound)
    )
  const speaks = <A extends Named>(asked: ReturnType<typeof find<A>>) =>
    Effect.flatMap(asked, ({ own, principal, state }) => {
      if (!state.exists || state.owner === principal.userId) {
        return Effect.succeed({ ...(state.exists ? state : own), principal, owner: principal.userId })
      }
      // An operator may know that the session exists, but cannot speak for its owner. For other users the session does
      // not exist.
      return own === state || isOperator(principal)
        ? Effect.fail(Problem.notFound)
        : Effect.succeed({ ...own, principal, owner: principal.userId })
    })
  const operator = Effect.flatMap(
    CurrentPrincipal,
    (principal) => isOperator(principal) ? Effect.succeed(principal) : Effect.fail(Problem.forbidden(operatorRole))
  )
  return {
    isOperator,
    operator,
    owned: (name) => found(name, ({ userId }, owner) => owner === userId),
    readable: (name) => found(name, (principal, owner) => isOperator(principal) || owner === principal.userId),
    speaker: (name) => speaks(find(name, decoded)),
    speaking: (name) => speaks(find(name, undecoded)),
    operated: (name) =>
      Effect.zipRight(operator, Effect.map(find(name, decoded), ({ principal, state }) => ({ ...state, principal }))),
    free: (userId, name) =>
      Effect.flatMap(
        Effect.zipRight(checkName(name), undecoded(name, userId)),
        ({ exists, owner }) => exists && owner === userId ? Effect.fail(taken) : Effect.succeed(ids.idOf(userId, name))
      ),
    nameOf: ids.nameOf
  }
}
