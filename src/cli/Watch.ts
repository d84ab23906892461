/** Serves an agent from a document, and replaces the agent if a file of the document changes. */
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { reasonOf } from "../domain/base/error/ErrorMessage.js"
import * as YieldToSockets from "../layers/server/streams/yieldToSockets.js"
import * as Against from "./Against.js"
import type { LoadedAgent } from "./AgentFile.js"
import * as DocumentFile from "./DocumentFile.js"
import { Screen } from "./Screen.js"

/** Interval at which the files are checked for changes. */
const every = "300 millis"

/** Largest number of sessions that are checked after a change. */
const most = 1000

/** Returns the stamp of a file, which changes if the file changes. */
const stampOf = (name: string): Promise<readonly [name: string, stamp: string]> =>
  fs.stat(name).then(
    ({ ino, mtimeMs, size }) => [name, `${mtimeMs} ${size} ${ino}`] as const,
    () => [name, "gone"] as const
  )

/**
 * Returns the files of a document, and of its registry, each with its stamp. Looks at them beside the process, so that a
 * file system that does not answer does not keep the process from ending.
 */
const stamps = (file: string, registry: string | undefined): Effect.Effect<ReadonlyMap<string, string>> =>
  Effect.promise(async () => {
    const isFolder = await fs.stat(file).then((stat) => stat.isDirectory(), () => false)
    const within = async (folder: string) => {
      const names = await fs.readdir(folder).catch(() => [])
      return names.filter((name) => /\.ya?ml$/.test(name)).map((name) => path.join(folder, name))
    }
    const names = isFolder ? [...await within(file), ...await within(path.join(file, "flows"))] : [file]
    const all = [...names, ...(registry === undefined ? [] : [registry])].sort()
    return new Map(await Promise.all(all.map(stampOf)))
  })

const differing = (before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name))

const starting = HttpServerResponse.empty({ status: 503, headers: { "retry-after": "1" } })

/**
 * An HTTP server on the address of another one. Each newly served application replaces the earlier one. The application
 * that was the newest when a request arrived answers the request.
 */
const exchangeable = Effect.gen(function*() {
  const server = yield* HttpServer.HttpServer
  let current: HttpApp.Default<unknown, Scope.Scope> = Effect.succeed(starting)
  yield* server.serve(Effect.suspend(() => current))
  return HttpServer.make({
    address: server.address,
    serve: (app, middleware) =>
      Effect.map(Effect.context<never>(), (services) => {
        current = Effect.mapInputContext(
          middleware === undefined ? app : middleware(app),
          (request: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>) =>
            Context.merge(services, request)
        )
      })
  })
})

const conversations = (ids: ReadonlyArray<string>): string => `${ids.length} session${ids.length === 1 ? "" : "s"}`

/** Returns a sentence for each part of the stored sessions that the new definition cannot continue. */
const losses = ({ runtime }: LoadedAgent): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const { positions, unreadable } = yield* Against.stored(runtime, most)
    const broken = unreadable.map(({ id }) => id)
    return [
      ...positions.map(({ flow, ids, step }) =>
        step === undefined
          ? `The flow "${flow}" is gone, and ${conversations(ids)} stood in it: ${
            Against.named(ids)
          }. Their next turn begins outside of it.`
          : `The step "${step}" of "${flow}" is gone, and ${conversations(ids)} stood at it: ${
            Against.named(ids)
          }. They go on at the first step that has something left to do.`
      ),
      ...(broken.length === 0 ? [] : [
        `The values of ${conversations(broken)} do not fit the changed fields: ${Against.named(broken)}. ` +
        "Their next turn fails; a migration or the former fields repair them."
      ])
    ]
  }).pipe(
    Effect.catchAll((error) => Effect.succeed([`The stored sessions cannot be looked at: ${reasonOf(error)}`]))
  )

/** The functions from which a watched server is made. */
interface Watched<E, A, X, R, S> {
  /** The document: a file or a folder. */
  readonly file: string
  readonly load: Effect.Effect<LoadedAgent, E, R>
  /** Runs once, when the first application is served. */
  readonly begun: (loaded: LoadedAgent) => Effect.Effect<void, never, HttpServer.HttpServer>
  /** The application of an agent. It serves itself on the server that it gets. */
  readonly application: (loaded: LoadedAgent) => Layer.Layer<A, X, HttpServer.HttpServer | S>
}

/**
 * Serves a document; if the document changes, serves the new version. Running turns end with their own definition. If
 * the new document has faults, the earlier definition stays in use.
 */
export const layer = <E, A, X, R, S>({ application, begun: told, file, load }: Watched<E, A, X, R, S>) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const http = yield* exchangeable
    const begin = (scope: Scope.Scope) =>
      Effect.tap(
        Scope.extend(load, scope),
        (loaded) =>
          Layer.buildWithScope(Layer.provide(application(loaded), Layer.succeed(HttpServer.HttpServer, http)), scope)
      )
    const registry = DocumentFile.registryOf(file)
    let current = yield* Scope.make()
    yield* Effect.addFinalizer((exit) => Effect.suspend(() => Scope.close(current, exit)))
    let seen = yield* stamps(file, registry)
    yield* Effect.flatMap(begin(current), told)
    const take = Effect.gen(function*() {
      const next = yield* Scope.make()
      const begun = yield* Effect.exit(begin(next))
      if (Exit.isFailure(begun)) {
        yield* Scope.close(next, begun)
        yield* screen.complain(
          `${reasonOf(Cause.squash(begun.cause))}\n\nThe former definition stays in force until this is corrected.`
        )
        return
      }
      const former = current
      current = next
      // The former application ends when its running turns have ended.
      yield* Effect.forkDaemon(Scope.close(former, Exit.void))
      yield* screen.line("The next turn takes the changed definition.")
      yield* Effect.forEach(yield* losses(begun.value), screen.complain)
    })
    let before = seen
    const look = Effect.gen(function*() {
      const now = yield* stamps(file, registry)
      // A file that somebody is writing may be read as a whole one: it is taken when it has stayed as it is.
      const isStill = differing(before, now).length === 0
      before = now
      const changed = differing(seen, now)
      if (changed.length === 0 || !isStill) return
      seen = now
      yield* screen.line(`Changed: ${changed.map((name) => path.relative(".", name)).join(", ")}`)
      if (registry !== undefined && changed.includes(registry)) {
        yield* screen.complain(`${path.relative(".", registry)} is code, which is loaded once: start again to take it.`)
      }
      if (changed.some((name) => name !== registry)) yield* take
    })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(every)))
  }).pipe(Layer.scopedDiscard, Layer.provide(YieldToSockets.layer))
