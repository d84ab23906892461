/** A server that runs in the browser: it answers the requests of the page, with the agent of a document. */
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import { Scheduler, SessionStore, TurnLog } from "coxswain"
import * as Document from "coxswain/layers/document"
import * as Offline from "coxswain/layers/offline"
import * as Server from "coxswain/layers/server"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"

/** A fault of the document, for the editor. */
export interface Fault {
  /** Line, from 1. */
  readonly line: number
  /** Column in characters, from 1. */
  readonly column: number
  readonly message: string
}

interface Web {
  readonly handler: (request: Request) => Promise<Response>
  readonly dispose: () => Promise<void>
}

/** The services that stay when the document changes: the conversations go on with the changed agent. */
const runtime = ManagedRuntime.make(Layer.mergeAll(SessionStore.layerMemory, TurnLog.layerMemory, Offline.layer))

/** Everybody who opens the playground is its operator. */
const authenticate: Server.Authenticate = () => Effect.succeed({ userId: "you", roles: ["operator"] })

const webOf = (text: string) =>
  Effect.gen(function*() {
    const source = yield* Document.parse(text, "agent.yaml")
    const agent = yield* Document.agent(source)
    const services = Layer.succeedContext(yield* Effect.context<SessionStore.SessionStore>())
    const timers = Layer.scopedDiscard(
      Effect.flatMap(SessionStore.SessionStore, (store) => Effect.forkScoped(Scheduler.run([agent], store)))
    )
    const routes = Server.layer(agent, { authenticate, demo: true, rateLimit: false, stopWithin: "1 second" })
    const app = Layer.mergeAll(routes, timers).pipe(Layer.provide(HttpServer.layerContext), Layer.provide(services))
    return HttpLayerRouter.toWebHandler(app, { disableLogger: true })
  })

/** The server of a document, which another document exchanges. */
export const make = () => {
  let serve: (web: Web) => void = () => {}
  let current = new Promise<Web>((resolve) => serve = resolve)
  return {
    /** Answers a request, once there is a document without faults. */
    answer: async (request: Request): Promise<Response> => (await current).handler(request),
    /** Serves a document. One with faults leaves the former document in force. */
    exchange: async (text: string): Promise<ReadonlyArray<Fault>> => {
      const made = await runtime.runPromise(Effect.either(webOf(text)))
      if (Either.isLeft(made)) {
        return made.left.faults.map(({ column, fix, line, what, why }) => ({
          line,
          column,
          message: `${what}: ${why}. ${fix}.`
        }))
      }
      const before = current
      serve(made.right)
      current = Promise.resolve(made.right)
      void before.then((web) => web === made.right ? undefined : web.dispose())
      return []
    }
  }
}
