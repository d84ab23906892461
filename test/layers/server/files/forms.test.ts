/** Forms with files, as browsers, curl and HTTP libraries write them; and what a user may store. */
import { describe, expect, it } from "@effect/vitest"
import { BlobStore, SessionStore } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Effect, FastCheck, Layer, Option, Stream } from "effect"
import * as Desk from "../../../support/Desk.js"

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2, 3)
const maxBytes = 1000

class Photos extends Desk.kit.Service<Photos>()("Photos", {
  name: "Photos",
  files: { accept: ["image/png", "text/plain"], maxBytes, maxFiles: 3 },
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
}) {}

const opened = (options: { readonly storedBytesPerUser?: number } = {}, store = BlobStore.makeMemory()) =>
  Effect.gen(function*() {
    const services = Layer.mergeAll(
      Desk.services(),
      SessionStore.layerMemory,
      Layer.succeed(BlobStore.BlobStore, store)
    )
    const app = Server.layer(Photos, {
      authenticate: Desk.authenticate,
      docs: false,
      clientContext: ["tier"],
      ...options
    })
    const client = yield* Desk.serve(Layer.provide(app, Layer.provide(Photos.layer, services)))
    const send = (path: string, pieces: Iterable<Uint8Array>, as = "ann") =>
      Effect.flatMap(
        client.send(
          new Request(`http://localhost${path}`, {
            method: "POST",
            headers: { authorization: as, "content-type": "multipart/form-data; boundary=b" },
            body: Stream.toReadableStream(Stream.fromIterable(pieces)),
            duplex: "half"
          })
        ),
        Desk.answerOf
      )
    return { ...client, store, send, kept: store.list("u") }
  })

const utf8 = new TextEncoder()

/** A part with its headers as they are written; a text is UTF-8. */
const part = (headers: string | Uint8Array, content: string | Uint8Array = png): Uint8Array =>
  Buffer.concat([
    utf8.encode("--b\r\n"),
    Buffer.from(headers),
    utf8.encode("\r\n\r\n"),
    Buffer.from(content),
    Buffer.from("\r\n")
  ])

const end = utf8.encode("--b--\r\n")
const file = (disposition: string, type = "image/png") =>
  part(`content-disposition: ${disposition}\r\ncontent-type: ${type}`)
const text = (name: string, value: string) => part(`content-disposition: form-data; name="${name}"`, value)
const dent = file("form-data; name=\"file\"; filename=\"dent.png\"")

/** The part after `form-data; name="file"; `, and the name that the upload gets. */
const names: ReadonlyArray<readonly [written: string, name: string]> = [
  ["filename=\"dent.png\"", "dent.png"],
  // Browsers: UTF-8 as it is, with `"` and line breaks encoded.
  ["filename=\"文档.png\"", "文档.png"],
  ["filename=\"😀.png\"", "😀.png"],
  ["filename=\"отчёт.png\"", "отчёт.png"],
  ["filename=\"Mu\u0308ller.png\"", "Mu\u0308ller.png"],
  ["filename=\"İstanbul ß.png\"", "İstanbul ß.png"],
  ["filename=\"a%22b%22.png\"", "a\"b\".png"],
  ["filename=\"a%0D%0Ab%0a.png\"", "a b .png"],
  ["filename=\"100%.png\"", "100%.png"],
  ["filename=\"a;b; name=x.png\"", "a;b; name=x.png"],
  ["filename=\"a'b''c.png\"", "a'b''c.png"],
  ["filename=\"a=b,c.png\"", "a=b,c.png"],
  ["filename=\"ends with \\\"", "file"],
  // curl before 7.81: `"` and `\` after a backslash.
  ["filename=\"a\\\"b;\\\".png\"", "a\"b;\".png"],
  ["filename=\"文\\\"档.png\"", "文\"档.png"],
  // Parts of a path.
  ["filename=\"C:\\Photos\\dent.png\"", "dent.png"],
  ["filename=\"C:\\\\Photos\\\\dent.png\"", "dent.png"],
  ["filename=\"../../etc/passwd\"", "passwd"],
  ["filename=\"..\"", "file"],
  ["filename=\"a/..\"", "file"],
  ["filename=\"a/\"", "file"],
  ["filename=\"\"", "file"],
  ["filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"],
  ["filename*=UTF-8''%2e%2e", "file"],
  // Libraries: RFC 8187, alone or beside a plain name.
  ["filename*=UTF-8''%E6%96%87%E6%A1%A3.png", "文档.png"],
  ["filename*=utf-8'en'%e2%82%ac%20rates.png", "€ rates.png"],
  ["filename=\"plain.png\"; filename*=UTF-8''na%C3%AFve.png", "naïve.png"],
  ["filename*=UTF-8''na%C3%AFve.png; filename=\"plain.png\"", "naïve.png"],
  ["filename=\"plain.png\"; filename*=utf-16''%00a", "plain.png"],
  // Other spellings.
  ["filename=dent.png", "dent.png"],
  ["filename=dent photo.png", "dent photo.png"],
  ["FileName = \"dent.png\" ;", "dent.png"]
]

const broken = [
  "UTF-8''%E0%A4%A",
  "UTF-8''%",
  "UTF-8''%zz.png",
  "UTF-8''%ff",
  "ISO-8859-1''%FC.png",
  "x",
  "",
  "''",
  "UTF-8''a''b%"
]

describe("the names of a form's files", () => {
  it.scoped("are read as browsers, curl and HTTP libraries write them", () =>
    Effect.gen(function*() {
      const { send } = yield* opened({})
      for (const [written, name] of names) {
        const { json, status } = yield* send("/sessions/s/files", [file(`form-data; name="file"; ${written}`), end])
        expect([written, status, json.items]).toEqual([written, 200, [expect.objectContaining({ name })]])
      }
      // The name may stand first, or be written without quotation marks.
      for (
        const header of ["form-data; filename=\"文.png\"; name=\"file\"", "Form-Data;name=file;filename=\"文.png\""]
      ) {
        const { json } = yield* send("/sessions/s/files", [file(header), end])
        expect([header, json.items]).toEqual([header, [expect.objectContaining({ name: "文.png" })]])
      }
    }))

  it.scoped("with broken encodings never fail the server, and never lose the file silently", () =>
    Effect.gen(function*() {
      const { kept, send } = yield* opened()
      for (const one of broken) {
        for (const beside of ["", "filename=\"plain.png\"; "]) {
          for (const path of ["/sessions/s/files", "/v1/files"]) {
            const before = (yield* kept).length
            const { json, status } = yield* send(path, [file(`form-data; name="file"; ${beside}filename*=${one}`), end])
            expect([one, status, (yield* kept).length - before]).toEqual([
              one,
              expect.toBeOneOf([200, 400]),
              status === 200 ? 1 : 0
            ])
            expect(JSON.stringify(json)).toContain(status === 200 ? (beside === "" ? "file" : "plain.png") : "parts")
          }
        }
      }
    }))

  it.scoped("and the bytes are the same wherever the network cuts the form", () =>
    Effect.gen(function*() {
      const { send, store } = yield* opened()
      const content = utf8.encode("one\r\n--not the boundary\r\n--\r\ntwo 文\r\n")
      const whole = Buffer.concat([
        text("note", "hello"),
        part(
          "Content-Disposition: form-data; name=\"file\"; filename=\"文;😀.txt\"\r\nContent-Type: text/plain",
          content
        ),
        dent,
        end
      ])
      const cuts = FastCheck.sample(FastCheck.array(FastCheck.nat(whole.length), { minLength: 1, maxLength: 9 }), {
        numRuns: 40,
        seed: 3
      })
      for (const cut of [Array.from(whole.keys()), ...cuts]) {
        const places = [0, ...cut.sort((a, b) => a - b), whole.length]
        const pieces = places.slice(1).map((to, i) => whole.subarray(places[i], to)).filter(({ length }) => length > 0)
        const { json, status } = yield* send("/sessions/s/files", pieces)
        expect([cut, status]).toEqual([cut, 200])
        expect(json.items.map(({ name }: { name: string }) => name)).toEqual(["文;😀.txt", "dent.png"])
        const [first, second] = yield* Effect.forEach(json.items as Array<{ ref: string }>, ({ ref }) =>
          Effect.map(store.get(ref), Option.getOrThrow))
        expect([Buffer.from(first!.bytes).toString(), Buffer.from(second!.bytes)]).toEqual([
          Buffer.from(content).toString(),
          Buffer.from(png)
        ])
      }
    }))
})

describe("a form that does not say what its files are", () => {
  const forms: Readonly<Record<string, ReadonlyArray<Uint8Array>>> = {
    "a part without a name": [file("form-data; filename=\"a.png\"")],
    "a part with an empty name": [file("form-data; name=\"\"; filename=\"a.png\"")],
    "a part without the header": [part("content-type: image/png")],
    "a part of another kind": [file("attachment; name=\"file\"; filename=\"a.png\"")],
    "two headers": [
      part("content-disposition: form-data; name=\"file\"\r\ncontent-disposition: form-data; name=\"x\"")
    ],
    "quotation marks that do not close": [file("form-data; name=\"file\"; filename=\"文.png")],
    "quotation marks inside": [file("form-data; name=\"file\"; filename=\"文\".png\"")],
    "half a parameter": [file("form-data; name=\"file\"; filename")],
    "bytes that are no header": [part(Uint8Array.of(0, 1, 2), "x")],
    "headers without an end": [utf8.encode("--b\r\ncontent-disposition: form-data; name=\"message\"\r\n")],
    "a part without anything": [utf8.encode("--b\r\n")],
    "a boundary that goes on": [utf8.encode("--bc\r\n"), text("message", "Hi").subarray(5)],
    "endless headers": [part(`content-disposition: form-data; name="file"\r\nx: ${"x".repeat(17_000)}`)],
    "a text without a name": [part("content-disposition: form-data", "hello")]
  }

  it.scoped("is refused with 400 on each route that takes files, and nothing is kept", () =>
    Effect.gen(function*() {
      const { kept, send } = yield* opened()
      for (const [what, parts] of Object.entries(forms)) {
        for (const path of ["/sessions/s/files", "/v1/files", "/sessions/s/turns", "/sessions/s/turns/stream"]) {
          // A file before the wrong part is not kept either.
          for (const before of [[], [dent]]) {
            const { json, status } = yield* send(path, [...before, ...parts, end])
            expect([what, path, status]).toEqual([what, path, 400])
            expect(json.detail ?? json.error.message).toMatch(/\w/)
          }
        }
      }
      expect(yield* kept).toEqual([])
    }))

  it.scoped("an upload needs a file, named `file`; texts beside it are allowed", () =>
    Effect.gen(function*() {
      const { kept, send, store } = yield* opened()
      for (const path of ["/sessions/s/files", "/v1/files"]) {
        const problem = ({ json, status }: Desk.Answer) => [path, status, json.detail ?? json.error?.message]
        const none = [path, 400, expect.stringContaining("Send each file as a part named \"file\"")]
        expect(problem(yield* send(path, [end]))).toEqual(none)
        expect(problem(yield* send(path, [text("purpose", "user_data"), end]))).toEqual(none)
        expect(problem(yield* send(path, [text("file", "hello"), end]))).toEqual(none)
        for (const other of ["photo", "文", "file[]", "__proto__"]) {
          expect(problem(yield* send(path, [file(`form-data; name="${other}"; filename="a.png"`), end]))).toEqual(none)
          expect(problem(yield* send(path, [dent, file(`form-data; name="${other}"; filename="a"`), end]))).toEqual(
            none
          )
        }
        expect(yield* kept).toEqual([])
        const { status } = yield* send(path, [text("purpose", "user_data"), text("文", "😀"), dent, end])
        expect([path, status, (yield* kept).length]).toEqual([path, 200, 1])
        yield* Effect.flatMap(kept, Effect.forEach(store.remove))
      }
    }))
})

const deep = (depth: number) => `${"{\"a\":".repeat(depth)}1${"}".repeat(depth)}`

it.scoped("JSON in a form is refused with 400 if it is nested too deep or is no JSON, like a body", () =>
  Effect.gen(function*() {
    const { ask, kept, send } = yield* opened()
    for (const field of ["metadata", "context", "values", "understood"]) {
      for (const json of [deep(20_000), `${"[".repeat(20_000)}${"]".repeat(20_000)}`, deep(200), "{", "", "[1"]) {
        for (const path of ["/sessions/s/turns", "/sessions/s/turns/stream"]) {
          const form = yield* send(path, [text("message", "Hi"), text(field, json), dent, end])
          expect([field, json.slice(0, 9), form.status, form.json.field]).toEqual([field, json.slice(0, 9), 400, field])
        }
      }
      const body = yield* ask("POST", "/sessions/s/turns", { body: `{"message":"Hi","${field}":${deep(20_000)}}` })
      expect([field, body.status]).toEqual([field, 400])
    }
    expect(yield* kept).toEqual([])
    const whole = [text("message", "Hi"), text("metadata", deep(20)), text("context", "{\"tier\":\"gold\"}"), dent, end]
    expect((yield* send("/sessions/s/turns", whole)).status).toBe(200)
  }))

describe("the quota of stored bytes per user", () => {
  const sized = (bytes: number) =>
    part(
      "content-disposition: form-data; name=\"file\"; filename=\"a.png\"\r\ncontent-type: image/png",
      new Uint8Array([...png, ...new Uint8Array(bytes - png.length)])
    )
  const full = (path: string) => [path, 413, expect.stringContaining("1000 bytes")]
  const told = (
    path: string,
    { json, status }: Desk.Answer
  ) => [path, status, json?.detail ?? json?.error?.message ?? ""]

  const stores = {
    "a store that tells sizes": () => BlobStore.makeMemory(),
    "a store that does not": () => ({ ...BlobStore.makeMemory(), size: undefined })
  }
  for (const [what, store] of Object.entries(stores)) {
    it.scoped(`counts what is stored, by every way to store, and no longer what was removed: ${what}`, () =>
      Effect.gen(function*() {
        const client = yield* opened({ storedBytesPerUser: 1000 }, store())
        const upload = (bytes: number, as = "ann", path = "/sessions/s/files") =>
          Effect.map(client.send(path, [sized(bytes), end], as), (answer) => told(path, answer))
        expect(yield* upload(600)).toEqual(["/sessions/s/files", 200, ""])
        const dataUrl = `data:image/png;base64,${Buffer.from([...png, ...new Uint8Array(500)]).toString("base64")}`
        for (const path of ["/sessions/s/files", "/v1/files", "/sessions/s/turns"]) {
          expect(yield* upload(401, "ann", path)).toEqual(full(path))
        }
        const inBody = { message: "Hi", parts: [{ type: "file", url: dataUrl }] }
        expect(told("turns", yield* client.ask("POST", "/sessions/s/turns", { body: inBody }))).toEqual(full("turns"))
        expect(yield* client.kept).toHaveLength(1)
        // Two files of one form count together, and other users have their own quota.
        const two = yield* client.send("/sessions/s/files", [sized(300), sized(101), end])
        expect(told("two", two)).toEqual(full("two"))
        expect((yield* upload(1000, "bob"))[1]).toBe(200)
        expect(two.json).toMatchObject({ tag: "StorageQuotaExceeded", field: "parts" })
        // What was refused takes no place: the rest of the quota can be used, to the last byte.
        expect((yield* upload(400))[1]).toBe(200)
        expect((yield* upload(8))[1]).toBe(413)
        yield* Effect.flatMap(client.kept, Effect.forEach(client.store.remove))
        expect((yield* upload(1000))[1]).toBe(200)
      }))
  }

  it.scoped("holds for uploads at the same time", () =>
    Effect.gen(function*() {
      const client = yield* opened({ storedBytesPerUser: 1000 })
      const all = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () => Effect.map(client.send("/sessions/s/files", [sized(300), end]), ({ status }) => status),
        { concurrency: "unbounded" }
      )
      const stored = (yield* client.kept).length
      expect(stored).toBeLessThanOrEqual(3)
      expect(stored).toBe(all.filter((status) => status === 200).length)
      expect(all.filter((status) => status !== 200)).toEqual(Array.from({ length: 10 - stored }, () => 413))
    }))

  it.scoped("is 200 MB unless set", () =>
    Effect.gen(function*() {
      const memory = BlobStore.makeMemory()
      let stored = 200_000_000 - png.length
      const client = yield* opened({}, { ...memory, size: () => Effect.succeed(stored) })
      expect((yield* client.send("/sessions/s/files", [dent, end])).status).toBe(200)
      stored += 1
      expect((yield* client.send("/sessions/s/files", [dent, end])).status).toBe(413)
    }))
})
