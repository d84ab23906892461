/** Files of tools over HTTP: as downloads for users who may read the session, and as parts of the AI SDK's stream. */
import { expect, it } from "@effect/vitest"
import { Agent, BlobStore, SessionStore } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Effect, Layer, Schema } from "effect"
import * as Desk from "../../../support/Desk.js"
import * as Script from "../../../support/Script.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const html = new TextEncoder().encode("<script>alert(1)</script>")
const name = "Bericht \"März\"; 'x'.html"
const url = "https://example.com/terms.pdf"

const bill = kit.tool({
  id: "bill",
  files: { accept: ["text/html", "application/pdf"] },
  handler: () => ({
    ok: true,
    outputMessage: "Billed.",
    files: [{ mediaType: "text/html", name, bytes: html }, { mediaType: "application/pdf", name: "terms.pdf", url }]
  })
})

const opened = Effect.gen(function*() {
  const blobs = BlobStore.makeMemory()
  const model = Script.make(({ prompt }) =>
    prompt.content.at(-1)?.role === "user" ? [Script.toolCall("bill", {})] : "Here it is."
  )
  const agent = kit.make({ name: "Bills", tools: [bill] }).pipe(
    Effect.provide(
      Layer.mergeAll(model.layer, SessionStore.layerMemory, Layer.succeed(BlobStore.BlobStore, blobs))
    )
  )
  const client = yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false }))
  const turn = yield* client.ask("POST", "/sessions/an%20ns/turns", { body: { message: "my bill" } })
  const ref: string = turn.json.files[0].ref
  return { ...client, blobs, ref, path: `/sessions/an%20ns/files/${ref}` }
})

it.scoped("the owner and operators get a file as a download that a browser does not run", () =>
  Effect.gen(function*() {
    const { ask, path } = yield* opened
    for (const [id, as] of [["an%20ns", "ann"], [Desk.idOf("an ns"), "olga operator"]] as const) {
      const { headers, status, text } = yield* ask("GET", path.replace("an%20ns", id), { as })
      expect([status, text]).toEqual([200, "<script>alert(1)</script>"])
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "text/html",
        "content-length": "25",
        "content-disposition":
          "attachment; filename=\"Bericht _M_rz__ _x_.html\"; filename*=UTF-8''Bericht%20%22M%C3%A4rz%22%3B%20%27x%27.html",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        "cache-control": "private, no-store"
      })
    }
  }))

it.scoped("a file is not found by other users, via another session, or after it was removed", () =>
  Effect.gen(function*() {
    const { ask, blobs, path, ref } = yield* opened
    expect((yield* ask("GET", path, { as: "" })).status).toBe(401)
    expect((yield* ask("GET", path, { as: "bob" })).status).toBe(404)
    yield* ask("POST", "/sessions/bobs/turns", { as: "bob", body: { message: "mine" } })
    expect((yield* ask("GET", `/sessions/bobs/files/${ref}`, { as: "bob" })).status).toBe(404)
    yield* blobs.put("secret", { mediaType: "text/plain", bytes: html })
    for (const other of ["secret", "..%2F..%2Fetc%2Fpasswd", encodeURIComponent(url), `${ref}0`]) {
      const { json, status } = yield* ask("GET", `/sessions/an%20ns/files/${other}`)
      expect([other, status, json.tag]).toEqual([other, 404, "NotFound"])
    }
    yield* blobs.remove(ref)
    expect(yield* ask("GET", path)).toMatchObject({
      status: 404,
      json: { detail: expect.stringContaining("no longer") }
    })
  }))

it.scoped("the AI SDK stream has each file with a working URL, after the text and before the end", () =>
  Effect.gen(function*() {
    const { ask } = yield* opened
    const body = { id: "c 1", messages: [{ id: "m", role: "user", parts: [{ type: "text", text: "my bill" }] }] }
    const { text } = yield* ask("POST", "/chat", { body })
    const chunks = text.split("\n").flatMap((line) => /^data: \{/.test(line) ? [JSON.parse(line.slice(6))] : [])
    const files = chunks.filter(({ type }) => type === "file")
    const session = (yield* ask("GET", "/sessions/c%201")).json
    const coxswain = { callId: "call_bill", toolId: "bill" }
    expect(files).toEqual([
      {
        type: "file",
        url: `/sessions/c%201/files/${session.files[0].ref}`,
        mediaType: "text/html",
        providerMetadata: { coxswain: { ...coxswain, name } }
      },
      {
        type: "file",
        url,
        mediaType: "application/pdf",
        providerMetadata: { coxswain: { ...coxswain, name: "terms.pdf" } }
      }
    ])
    expect(chunks.map(({ type }) => type).slice(-4)).toEqual(["file", "file", "finish-step", "finish"])
    expect((yield* ask("GET", files[0].url)).status).toBe(200)
  }))
