/** The page at a path of its own, as `docs/page.md` serves it. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import { expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import * as Server from "coxswain/layers/server"
import { Effect, Layer, Schema } from "effect"

class Trips extends Agent.define({ data: Schema.Struct({ city: Schema.String }) }).Service<Trips>()("Trips", {
  name: "Trips"
}) {}

it.scopedLive("the page is served with and without the slash, its files, and the routes beside it", () =>
  Effect.gen(function*() {
    const app = Server.layer(Trips, {
      authenticate: () => Effect.succeed({ userId: "olga", roles: ["operator"] }),
      page: { path: "/tools/desk" }
    }).pipe(
      Layer.provide(Trips.layer),
      Layer.provide([Offline.layer, SessionStore.layerMemory, HttpServer.layerContext, NodeContext.layer])
    )
    const { dispose, handler } = HttpLayerRouter.toWebHandler(app, { disableLogger: true })
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    const get = (path: string) => Effect.promise(() => handler(new Request(`http://desk.test${path}`)))
    const moved = yield* get("/tools/desk")
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "desk/"])
    const page = yield* get("/tools/desk/?theme=dark")
    const html = yield* Effect.promise(() => page.text())
    expect(page.status).toBe(200)
    expect(html).toContain("name=\"coxswain-api\" content=\"../../\"")
    const [, script] = /src="\.?\/?(assets\/[^"]+)"/.exec(html) ?? []
    expect((yield* get(`/tools/desk/${script}`)).status).toBe(200)
    expect((yield* get("/agent")).status).toBe(200)
    expect((yield* get("/")).status).toBe(404)
  }))
