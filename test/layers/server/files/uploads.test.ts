/** Files of messages over HTTP: uploads, data URLs and references, on every route that takes a message. */
import { HttpServer } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Agent, BlobStore, SessionStore, Understanding } from "coxswain"
import * as NodeServer from "coxswain/layers/node-server"
import * as Server from "coxswain/layers/server"
import { Context, Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import * as Desk from "../../../support/Desk.js"
import * as Script from "../../../support/Script.js"

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int }),
  context: Schema.Struct({ locale: Schema.optional(Schema.Literal("de", "en")), tier: Schema.optional(Schema.String) })
})

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3)
const base64 = Buffer.from(png).toString("base64")
const dataUrl = `data:image/png;base64,${base64}`
const maxBytes = 2000

const understanding = Layer.succeed(Understanding.Understanding, {
  answer: () => Effect.succeed({ flowScores: {}, conditions: {}, signals: {}, fields: {} })
})

/** Tells the files that the model gets with the last message. */
const model = () =>
  Script.make(({ prompt }) => {
    const last = prompt.content.findLast(({ role }) => role === "user")
    const files = last?.role === "user" ? last.content.filter(({ type }) => type === "file") : []
    return files.map((file) =>
      file.type !== "file"
        ? ""
        : `${file.mediaType}:${file.data instanceof Uint8Array ? file.data.length : String(file.data)}`
    ).join(", ") || "no files"
  })

const opened = (
  options: Server.Options<{ readonly locale?: "de" | "en"; readonly tier?: string }> = {},
  more: object = {}
) =>
  Effect.gen(function*() {
    const blobs = { ...BlobStore.makeMemory(), ...more }
    const script = model()
    const agent = kit.make({
      name: "Claims",
      files: { accept: ["image/png", "application/pdf"], maxBytes, maxFiles: 2 },
      snapshots: { keep: 10 },
      flows: [{
        title: "Book",
        steps: [{ id: "where", prompt: "Ask", collect: ["city", "guests"] }, {
          id: "talk",
          prompt: "Talk",
          until: () => false
        }]
      }]
    }).pipe(
      Effect.provide(
        Layer.mergeAll(script.layer, SessionStore.layerMemory, understanding, Layer.succeed(BlobStore.BlobStore, blobs))
      )
    )
    const client = yield* Desk.serve(Server.layer(agent, { authenticate: Desk.authenticate, docs: false, ...options }))
    const post = (path: string, form: FormData | Request["body"], as = "ann", headers: Record<string, string> = {}) =>
      Effect.flatMap(
        Effect.promise(() =>
          client.fetch(`http://localhost${path}`, {
            method: "POST",
            headers: { authorization: as, ...headers },
            body: form,
            ...(form instanceof FormData ? {} : { duplex: "half" })
          })
        ),
        Desk.answerOf
      )
    const upload = (bytes: Uint8Array = png, type = "image/png", as = "ann", name = "dent.png") => {
      const form = new FormData()
      form.set("file", new File([new Uint8Array(bytes)], name, { type }))
      return post("/sessions/s/files", form, as)
    }
    return { ...client, blobs, post, upload, kept: blobs.list("u") }
  })

const say = (client: Desk.Client, body: object, as = "ann", id = "s") =>
  client.ask("POST", `/sessions/${id}/turns`, { as, body })

describe("a file upload (POST /sessions/:id/files)", () => {
  it.scoped("returns a message part; the model gets the file of this part, and the user can download it", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      const { json, status } = yield* client.upload()
      expect([status, json]).toEqual([200, {
        items: [{
          type: "file",
          ref: expect.stringMatching(/^u[0-9a-f]{40}-/),
          mediaType: "image/png",
          name: "dent.png"
        }]
      }])
      const [part] = json.items
      const turn = yield* say(client, { message: "This is how it looks", parts: [part] })
      expect([turn.status, turn.json.message]).toEqual([200, "image/png:7"])
      const file = yield* client.ask("GET", `/sessions/s/files/${part.ref}`)
      expect([file.status, file.headers.get("content-type"), file.headers.get("content-disposition")]).toEqual([
        200,
        "image/png",
        expect.stringContaining("attachment")
      ])
      expect(yield* client.kept).toEqual([part.ref])
    }))

  it.scoped("belongs to its user: other users can neither download the file nor send it in a message", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      const [part] = (yield* client.upload()).json.items
      yield* say(client, { message: "Mine", parts: [part] })
      yield* say(client, { message: "Hello" }, "bob", "b")
      const missing = `${part.ref}0`
      for (const [as, id] of [["bob", "s"], ["bob", "b"], ["bob", Desk.idOf("s")]] as const) {
        expect((yield* client.ask("GET", `/sessions/${id}/files/${part.ref}`, { as })).status).toBe(404)
      }
      const stolen = yield* say(client, { message: "Mine too", parts: [part] }, "bob", "b")
      const unknown = yield* say(client, { message: "Mine too", parts: [{ ...part, ref: missing }] }, "bob", "b")
      expect([stolen.status, stolen.json.tag]).toEqual([400, "InvalidRequest"])
      expect(stolen.json.detail.replace(part.ref, "")).toBe(unknown.json.detail.replace(missing, ""))
      // Another user's path does not make a file one's own either.
      const chat = yield* client.ask("POST", "/chat", {
        as: "bob",
        body: {
          id: "b",
          messages: [{
            id: "m",
            role: "user",
            parts: [{ type: "file", mediaType: "image/png", url: `/sessions/s/files/${part.ref}` }]
          }]
        }
      })
      expect(chat.text).not.toContain("image/png:7")
    }))

  it.scoped("is refused with a problem response, and not stored, if its type, content, size or count is invalid", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      const refusals = [
        [yield* client.upload(png, "image/gif"), 400],
        [yield* client.upload(Uint8Array.of(1, 2, 3, 4, 5), "image/png"), 400],
        [yield* client.upload(Uint8Array.of(1, 2), "image/png"), 400],
        [yield* client.upload(new Uint8Array(0), "image/png"), 400],
        [yield* client.upload(new Uint8Array([...png, ...new Uint8Array(maxBytes)]), "image/png"), 413]
      ] as const
      for (const [{ json, status }, wanted] of refusals) {
        expect([json.detail, status]).toEqual([json.detail, wanted])
        expect(json.type).toMatch(/^urn:coxswain:error:/)
      }
      const form = new FormData()
      for (const i of [1, 2, 3]) form.append("file", new File([png], `${i}.png`, { type: "image/png" }))
      expect((yield* client.post("/sessions/s/files", form)).status).toBe(400)
      expect(yield* client.kept).toEqual([])
    }))

  const head =
    "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\ncontent-type: image/png\r\n\r\n"
  const formOf = (...pieces: ReadonlyArray<string | Uint8Array>) =>
    Stream.toReadableStream(
      Stream.fromIterable(pieces.map((piece) => typeof piece === "string" ? new TextEncoder().encode(piece) : piece))
    )

  it.scoped("is refused if the request body is incomplete, or longer than the limit for all files together", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      const send = (...pieces: ReadonlyArray<string | Uint8Array>) =>
        client.post("/sessions/s/files", formOf(...pieces), "ann", {
          "content-type": "multipart/form-data; boundary=b"
        })
      expect((yield* send(head, png)).status).toBe(400)
      expect((yield* send(head, png, "\r\n--b\r\n")).status).toBe(400)
      expect((yield* send("")).status).toBe(400)
      expect((yield* send("not a form")).status).toBe(400)
      expect((yield* send(head, png, "\r\n--b\r\n", "x".repeat(1_000_000))).status).toBe(413)
      expect(yield* client.kept).toEqual([])
      // The same form with its end.
      expect((yield* send(head, png, "\r\n--b--\r\n")).status).toBe(200)
    }))

  it.scoped("is removed from the store when the client disconnects before the end of the body", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const memory = BlobStore.makeMemory()
      const client = yield* opened({}, {
        ...memory,
        putStream: (id: string, mediaType: string, bytes: Stream.Stream<Uint8Array>) =>
          memory.put(id, { mediaType, bytes: png }).pipe(
            Effect.zipRight(Deferred.succeed(begun, undefined)),
            Effect.zipRight(Stream.runDrain(bytes))
          )
      })
      const body = Stream.toReadableStream(
        Stream.concat(Stream.make(new TextEncoder().encode(head), png), Stream.never)
      )
      const request = new Request("http://localhost/sessions/s/files", {
        method: "POST",
        headers: { authorization: "ann", "content-type": "multipart/form-data; boundary=b" },
        body,
        duplex: "half"
      })
      const fiber = yield* Effect.fork(client.send(request))
      yield* Deferred.await(begun)
      expect(yield* memory.list("u")).toHaveLength(1)
      yield* Fiber.interrupt(fiber)
      expect(yield* memory.list("u")).toEqual([])
    }))

  it.scoped("is streamed to a store that has `putStream`, never held in memory as a whole", () =>
    Effect.gen(function*() {
      const sizes: Array<number> = []
      const client = yield* opened({}, {
        put: () => Effect.die("the file was whole"),
        putStream: (_: string, __: string, bytes: Stream.Stream<Uint8Array>) =>
          Stream.runForEach(bytes, (piece) => Effect.sync(() => void sizes.push(piece.length)))
      })
      const piece = new Uint8Array(500)
      const { status } = yield* client.post(
        "/sessions/s/files",
        formOf(head, png, piece, piece, piece, "\r\n--b--\r\n"),
        "ann",
        {
          "content-type": "multipart/form-data; boundary=b"
        }
      )
      expect(status).toBe(200)
      expect(sizes.length).toBeGreaterThan(2)
      expect(sizes.reduce((sum, size) => sum + size)).toBe(1507)
    }))

  it.scoped("is refused with 403 from a page of another origin, and with 415 on routes that accept no form", () =>
    Effect.gen(function*() {
      const client = yield* opened({ cors: { allowedOrigins: ["https://app.example"] } })
      const from = (headers: Record<string, string>, path = "/sessions/s/files") =>
        Effect.suspend(() => {
          const form = new FormData()
          form.set("file", new File([png], "a.png", { type: "image/png" }))
          return Effect.map(client.post(path, form, "ann", headers), ({ status }) => status)
        })
      expect(yield* from({ "sec-fetch-site": "cross-site" })).toBe(403)
      expect(yield* from({ "sec-fetch-site": "same-site" })).toBe(403)
      expect(yield* from({ origin: "https://evil.example" })).toBe(403)
      expect(yield* from({ origin: "null" })).toBe(403)
      expect(yield* from({ "sec-fetch-site": "same-origin" })).toBe(200)
      expect(yield* from({ origin: "https://app.example", "sec-fetch-site": "cross-site" })).toBe(200)
      for (const path of ["/chat", "/agui", "/v1/responses", "/sessions/s/begin", "/sessions/s/fork"]) {
        expect([path, yield* from({}, path)]).toEqual([path, 415])
      }
    }))
})

it.scopedLive("a real HTTP client gets the status 413 or 400 when its upload is refused before its end", () =>
  Effect.gen(function*() {
    class Photos extends Desk.kit.Service<Photos>()("Photos", { name: "Photos", files: { maxBytes } }) {}
    const services = Layer.mergeAll(Desk.services(), SessionStore.layerMemory, BlobStore.layerMemory)
    const context = yield* Layer.build(
      Server.serve(Server.layer(Photos, { authenticate: Desk.authenticate })).pipe(
        Layer.provide(Layer.provide(Photos.layer, services)),
        Layer.provideMerge(NodeServer.layer({ port: 0, host: "127.0.0.1" }))
      )
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    const send = (bytes: Uint8Array, type = "image/png") =>
      Effect.promise(() => {
        const body = new FormData()
        body.set("file", new File([new Uint8Array(bytes)], "a.png", { type }))
        const port = address._tag === "TcpAddress" ? address.port : 0
        return fetch(`http://127.0.0.1:${port}/sessions/s/files`, {
          method: "POST",
          headers: { authorization: "ann" },
          body
        })
          .then(({ status }) => status)
      })
    const large = new Uint8Array([...png, ...new Uint8Array(200_000)])
    expect(yield* send(png)).toBe(200)
    expect(yield* send(large)).toBe(413)
    expect(yield* send(large, "text/html")).toBe(400)
  }))

describe("a message with files or form values", () => {
  const user = (parts: ReadonlyArray<object>, id = "m1") => [{ id, role: "user", parts }]

  it.scoped("can be sent as a multipart form with text fields and files", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      const form = new FormData()
      form.set("message", "This is how it looks")
      form.set("values", JSON.stringify({ city: "Lisbon" }))
      form.set("photo", new File([png], "C:\\Photos\\dent.png", { type: "image/png" }))
      const { json, status } = yield* client.post("/sessions/s/turns", form)
      expect([status, json.message, json.collected]).toEqual([200, "image/png:7", { city: "Lisbon" }])
      // Files of a message that is refused are removed.
      form.set("values", "{\"town\":1}")
      expect((yield* client.post("/sessions/s/turns", form)).json).toMatchObject({ status: 400, field: "values" })
      expect(yield* client.kept).toHaveLength(1)
    }))

  it.scoped("may have form values instead of a text", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      const { json } = yield* say(client, { values: { city: "Lisbon", guests: 2 } })
      expect(json.collected).toEqual({ city: "Lisbon", guests: 2 })
      expect(yield* say(client, { values: { guests: "two" } })).toMatchObject({
        status: 200,
        json: { rejected: [{ field: "guests", value: "two" }] }
      })
      expect((yield* say(client, {})).status).toBe(400)
    }))

  it.scoped("every protocol accepts data URLs and uploaded files, and refuses the same invalid URLs", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      const [{ ref }] = (yield* client.upload()).json.items
      const file = `/sessions/s/files/${ref}`
      let count = 0
      const asked: Readonly<Record<string, (url: string, ref?: string) => readonly [path: string, body: object]>> = {
        turns: (
          url,
          ref
        ) => ["/sessions/s/turns", { parts: [ref === undefined ? { type: "file", url } : { type: "file", ref }] }],
        stream: (url, ref) => [
          "/sessions/s/turns/stream",
          { parts: [ref === undefined ? { type: "file", url } : { type: "file", ref }] }
        ],
        chat: (url, ref) => [
          "/chat",
          {
            id: "s",
            messages: user(
              [{ type: "file", mediaType: "image/png", url: ref === undefined ? url : file }],
              `c${++count}`
            )
          }
        ],
        agui: (url, ref) => ["/agui", {
          threadId: "s",
          runId: "r",
          messages: [{
            id: `a${++count}`,
            role: "user",
            content: [{
              type: "image",
              source: ref !== undefined
                ? { type: "file", value: ref }
                : url.startsWith("data:")
                ? { type: "data", value: url.split(",")[1], mimeType: "image/png" }
                : { type: "url", value: url, mimeType: "image/png" }
            }]
          }]
        }],
        completions: (url, ref) => ["/v1/chat/completions", {
          model: "Claims",
          messages: [{
            role: "user",
            content: [
              ref === undefined ? { type: "image_url", image_url: { url } } : { type: "file", file: { file_id: ref } }
            ]
          }]
        }],
        responses: (url, ref) => ["/v1/responses", {
          model: "Claims",
          conversation: "s",
          input: [{
            role: "user",
            content: [
              ref === undefined ? { type: "input_image", image_url: url } : { type: "input_file", file_id: ref }
            ]
          }]
        }]
      }
      for (const [name, of] of Object.entries(asked)) {
        const ask = (url: string, ref?: string) => {
          const [path, body] = of(url, ref)
          return client.ask("POST", path, { body })
        }
        expect([name, (yield* ask(dataUrl)).text]).toEqual([name, expect.stringContaining("image/png:7")])
        expect([name, (yield* ask("", ref)).text]).toEqual([name, expect.stringContaining("image/png:7")])
        for (
          const url of [
            "data:image/png,abc",
            "data:image/png;base64,%%%",
            "data:text/html;base64,PGI+",
            "https://example.com/a.png",
            "http://127.0.0.1/a.png",
            "file:///etc/passwd",
            "nonsense"
          ]
        ) {
          const { status, text } = yield* ask(url)
          expect([name, url, status]).toEqual([name, url, 400])
          expect(text).not.toContain("image/png:7")
        }
      }
    }))

  it.scoped("file URLs are accepted only over https and for host names in `fileHosts`", () =>
    Effect.gen(function*() {
      const client = yield* opened({ fileHosts: ["files.example.com", "*.cdn.example"] })
      const status = (url: string) =>
        Effect.map(say(client, { parts: [{ type: "file", mediaType: "image/png", url }] }), ({ status }) => status)
      expect(yield* status("https://files.example.com/a.png")).toBe(200)
      expect(yield* status("https://eu.cdn.example/a.png")).toBe(200)
      for (
        const url of [
          "http://files.example.com/a.png",
          "https://files.example.com:8443/a.png",
          "https://user:password@files.example.com/a.png",
          "https://files.example.com.evil.example/a.png",
          "https://evil.example/files.example.com",
          "https://cdn.example/a.png",
          "https://evilcdn.example/a.png",
          "https://127.0.0.1/a.png",
          "https://[::1]/a.png",
          "https://0x7f000001/a.png",
          "https://169.254.169.254/latest/meta-data",
          "https://localhost/a.png",
          "//files.example.com/a.png"
        ]
      ) expect([url, yield* status(url)]).toEqual([url, 400])
    }))

  it.scoped("the file route answers 404 for every name that is not the exact reference of a file of the session", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      const [{ ref }] = (yield* client.upload()).json.items
      yield* client.blobs.put("secret", { mediaType: "image/png", bytes: png })
      for (const other of ["secret", `${ref}/x`, "..%2F..%2Fetc%2Fpasswd", ref.slice(0, 41), `${ref.slice(0, 41)}x`]) {
        expect([other, (yield* client.ask("GET", `/sessions/s/files/${other}`)).status]).toEqual([other, 404])
      }
    }))
})

describe("the context and the locale of a request", () => {
  it.scoped("`locale` in a request sets the context's locale; a locale that the context Schema forbids is refused", () =>
    Effect.gen(function*() {
      const client = yield* opened()
      expect((yield* say(client, { message: "Hallo", locale: "de" })).status).toBe(200)
      expect(yield* say(client, { message: "Hi", locale: "fr" })).toMatchObject({
        status: 400,
        json: { field: "context" }
      })
      expect((yield* say(client, { message: "Hi", locale: "no locale" })).status).toBe(400)
      const desk = yield* Desk.client()
      expect(yield* desk.ask("POST", "/sessions/s/turns", { body: { message: "Hi", locale: "de" } })).toMatchObject({
        status: 400,
        json: { field: "locale" }
      })
    }))
})
