/**
 * Who may do what: who asks is established once a request, and a session is shown to its owner only.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Session } from "../../domain/Session.js"
import { Principal } from "../../domain/TurnRequest.js"
import type { Agent } from "../../pipeline/Contract.js"
import type * as TurnFeed from "../../services/TurnFeed.js"
import * as Problem from "./Problem.js"

/**
 * The request does not say who asks, or not in a way that can be believed. `authenticate` fails with it.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  /** For the log only: the caller is told nothing but that it is not known. */
  why: Schema.String
}) {
  override get message(): string {
    return `[Unauthorized] request: ${this.why}. Send credentials that authenticate accepts.`
  }
}

/**
 * Who asks.
 *
 * @since 0.1.0
 * @category tags
 */
export class CurrentPrincipal extends Context.Tag("coxswain/Server/CurrentPrincipal")<CurrentPrincipal, Principal>() {}

/**
 * Establishes who asks, before anything of the request is read.
 *
 * @since 0.1.0
 * @category middleware
 */
export class Authentication extends HttpApiMiddleware.Tag<Authentication>()("coxswain/Server/Authentication", {
  failure: Problem.Problem,
  provides: CurrentPrincipal
}) {}

/**
 * Says who sent a request, from its headers. What it gives is believed.
 *
 * @since 0.1.0
 * @category models
 */
export type Authenticate<R = never> = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<Principal, Unauthorized, R>

const isPrincipal = Schema.is(Principal)

/** Who asks, or the problem: also when `authenticate` itself is broken, nobody gets in. */
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
 * Everybody, where only this machine can ask: one user, who is also the operator.
 *
 * @since 0.1.0
 * @category constructors
 */
export const local = (operatorRole: string): Authenticate => () =>
  Effect.succeed({ userId: "local", roles: [operatorRole] })

/**
 * What a request may do with sessions.
 *
 * @since 0.1.0
 * @category models
 */
export interface Access {
  readonly isOperator: (principal: Principal) => boolean
  /** Fails with 403 for anybody but an operator. */
  readonly operator: Effect.Effect<Principal, Problem.Problem, CurrentPrincipal>
  /** The session, for its owner; 404 for anybody else. */
  readonly owned: (id: string) => Effect.Effect<Session, Problem.Problem, CurrentPrincipal>
  /** The session, for its owner and for operators. */
  readonly readable: (id: string) => Effect.Effect<Session, Problem.Problem, CurrentPrincipal>
  /** Who asks, when the session is theirs or does not exist yet. */
  readonly speaker: (id: string) => Effect.Effect<Principal, Problem.Problem, CurrentPrincipal>
}

interface Options {
  readonly agent: Pick<Agent<{}, {}, unknown>, "session">
  readonly feed: TurnFeed.Service
  readonly operatorRole: string
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ agent, feed, operatorRole }: Options): Access => {
  const isOperator = ({ roles = [] }: Principal) => roles.includes(operatorRole)
  const stored = (id: string) => Effect.mapError(agent.session(id).snapshot, Problem.ofError)
  const runningIn = (id: string) => Effect.mapError(feed.running(id), Problem.ofError)
  const found = Effect.fnUntraced(function*(id: string, may: (owner: string | undefined) => boolean) {
    const session = yield* stored(id)
    const of = (owner: string | undefined, shown: Session) =>
      may(owner) ? Effect.succeed(shown) : Effect.fail(Problem.notFound)
    if (session.version > 0) return yield* of(session.userId, session)
    // Its first turn is running: nothing is stored yet, and it is of the one who began it.
    const [running] = yield* runningIn(id)
    if (running !== undefined) return yield* of(running.userId, session)
    // Unless that turn has ended between the two questions.
    const since = yield* stored(id)
    return since.version > 0 ? yield* of(since.userId, since) : yield* Effect.fail(Problem.notFound)
  })
  return {
    isOperator,
    operator: Effect.flatMap(
      CurrentPrincipal,
      (principal) => isOperator(principal) ? Effect.succeed(principal) : Effect.fail(Problem.forbidden(operatorRole))
    ),
    owned: (id) => Effect.flatMap(CurrentPrincipal, ({ userId }) => found(id, (owner) => owner === userId)),
    readable: (id) =>
      Effect.flatMap(
        CurrentPrincipal,
        (principal) => found(id, (owner) => isOperator(principal) || owner === principal.userId)
      ),
    speaker: Effect.fnUntraced(function*(id) {
      const principal = yield* CurrentPrincipal
      // In this order: a first turn that ends between the two questions is stored by the second.
      const running = yield* runningIn(id)
      const session = yield* stored(id)
      const owner = session.version > 0 ? { userId: session.userId } : running[0]
      return owner === undefined || owner.userId === principal.userId
        ? principal
        : yield* Effect.fail(Problem.notFound)
    })
  }
}
