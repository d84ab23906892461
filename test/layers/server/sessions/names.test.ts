/** Names of sessions: whatever can be made can be read, decided, followed and erased by every route, over a network. */
import { HttpServer } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as NodeServer from "coxswain/layers/node-server"
import * as Server from "coxswain/layers/server"
import { Context, Effect, Layer } from "effect"
import * as Desk from "../../../support/Desk.js"
import { bodies, fill, routes } from "../../../support/Routes.js"

class Kept extends Desk.kit.Service<Kept>()("Kept", {
  name: "Kept",
  tools: [Desk.pay],
  snapshots: { keep: 10 },
  on: { paid: () => ({ reply: "Thank you." }) },
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
}) {}

const names = [
  "trip",
  "İ",
  "İstanbul/İİİ",
  "ß e\u0301",
  "ΑΣ",
  "文档 😀 👩‍👩‍👧",
  " ",
  "a/b",
  "/",
  "a\\b",
  "a/../b",
  "%",
  "%2F",
  "%zz",
  "100%/İ",
  "a?b=c#d",
  "a;b&c+d,e:f@g$h*",
  "~a~",
  "turns",
  "__proto__",
  "\u0001\u007f\u200b\u202e",
  "'\"<script>",
  "İ".repeat(100),
  "😀".repeat(100)
]

const opened = (authenticated: boolean) =>
  Effect.gen(function*() {
    const live = Server.serve(Server.layer(Kept, {
      ...(authenticated ? { authenticate: Desk.authenticate } : {}),
      docs: false,
      rateLimit: false,
      feedsPerUser: 1000
    })).pipe(
      Layer.provide(Layer.provide(Kept.layer, Layer.mergeAll(Desk.services(), SessionStore.layerMemory))),
      Layer.provideMerge(NodeServer.layer({ port: 0, host: "127.0.0.1" }))
    )
    const { address } = Context.get(yield* Layer.build(live), HttpServer.HttpServer)
    const url = `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}`
    /** The status and the JSON; a stream is left as soon as it is open. */
    return (method: string, path: string, body?: unknown) =>
      Effect.promise(async () => {
        const response = await fetch(url + path, {
          method,
          headers: { authorization: "ann operator", ...(body !== undefined && { "content-type": "application/json" }) },
          ...(body !== undefined && { body: JSON.stringify(body) })
        })
        const isJson = response.headers.get("content-type")?.includes("json") === true
        if (isJson) return { status: response.status, json: await response.json() as any }
        await response.body?.cancel()
        return { status: response.status, json: undefined }
      })
  })

/** The routes below a session, except the one that removes it and those that need files, logs or demonstration clocks. */
const below = routes.filter(({ name, path }) =>
  /^\/(sessions|chat)\/:id/.test(path) && !["remove", "upload", "file", "advance", "decide"].includes(name)
)

/** Statuses that are no answer of the session: 404 of a route, or of a session. */
const lost = ({ json, status }: { readonly status: number; readonly json: any }) =>
  status >= 500 || json?.tag === "RouteNotFound" || json?.tag === "MethodNotAllowed" ||
  (json?.tag === "NotFound" && String(json.detail).includes("no such session"))

for (const authenticated of [true, false]) {
  describe(authenticated ? "a user's name of a session" : "a session's id, without authentication", () => {
    it.scopedLive(
      "that some client has made is found by every route, and is another session than every other name",
      () =>
        Effect.gen(function*() {
          const ask = yield* opened(authenticated)
          for (const name of names) {
            const at = `/sessions/${encodeURIComponent(name)}`
            const made = yield* ask("POST", "/chat", {
              id: name,
              messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "pay 40" }] }]
            })
            expect([name, made.status]).toEqual([name, 200])
            // The turn is over when it can no longer be joined.
            const waits = yield* ask("GET", at).pipe(
              Effect.repeat({ until: ({ json }) => json?.pendingApproval !== undefined, times: 500 })
            )
            expect([name, waits.json?.id]).toEqual([name, name])
            const [{ callId }] = waits.json.pendingApproval.requests
            expect([name, yield* ask("POST", `${at}/approvals/${callId}`, { approved: true })]).toEqual([name, {
              status: 200,
              json: expect.objectContaining({ message: expect.stringContaining("decided") })
            }])
            for (const { method, name: route, path } of below) {
              const answer = yield* ask(
                method,
                fill(path, { id: name, callId, name: "paid" }),
                method === "POST" ? bodies[route] ?? {} : undefined
              )
              expect([name, route, lost(answer), answer.json?.detail]).toEqual([
                name,
                route,
                false,
                answer.json?.detail
              ])
            }
          }
          for (const name of names) {
            const at = `/sessions/${encodeURIComponent(name)}`
            expect([name, (yield* ask("GET", at)).json.id]).toEqual([name, name])
            expect([name, (yield* ask("DELETE", at)).status]).toEqual([name, 204])
            expect([name, (yield* ask("GET", at)).status]).toEqual([name, 404])
          }
        }),
      120_000
    )
  })
}

it.scoped("a session cannot be called `.` or `..`, because no client can write such a path", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    yield* ask("POST", "/sessions/s/turns", { body: { message: "Hi" } })
    const doors = (id: string) =>
      [
        ["/chat", { id, messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "Hi" }] }] }],
        ["/agui", { threadId: id, runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] }],
        ["/v1/responses", { model: "Desk", input: "Hi", conversation: id }],
        ["/sessions/s/fork", { as: id }]
      ] as const
    for (const [path, body] of doors("..").concat(doors("."))) {
      const { status, text } = yield* ask("POST", path, { body })
      expect([path, status, text]).toEqual([path, 400, expect.stringContaining("Give it another name")])
    }
    expect((yield* ask("GET", "/sessions")).json.items.map(({ id }: { id: string }) => id)).toEqual(["s"])
  }))
