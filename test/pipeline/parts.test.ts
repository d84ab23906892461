/** Files attached to a message: stored by reference, passed to both model calls, refused when invalid. */
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Agent, BlobStore, Models, Part, SessionStore } from "coxswain"
import * as BlobFile from "coxswain/layers/blobs-file"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Layer, Option, Schema } from "effect"
import * as ScriptedUnderstanding from "../support/ScriptedUnderstanding.js"

const kit = Agent.define({ data: Schema.Struct({ damage: Schema.String }) })

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])
const image = { type: "file", mediaType: "image/png", bytes: png, name: "dent.png" } as const

const flows = [{ title: "Claim", steps: [{ id: "ask", prompt: "Ask what is broken", collect: ["damage"] as const }] }]

const make = (files: Part.Options | undefined = {}, blobs: Layer.Layer<BlobStore.BlobStore> = BlobStore.layerMemory) =>
  Effect.gen(function*() {
    const model = ScriptedModel.languageModel(() => "I see.")
    const understanding = ScriptedUnderstanding.make(() => ({}))
    const store = yield* SessionStore.makeMemory
    const agent = yield* kit.make({ name: "Test", flows, ...(files !== undefined && { files: files as {} }) }).pipe(
      Effect.provide(
        Layer.mergeAll(model.layer, understanding.layer, blobs, Layer.succeed(SessionStore.SessionStore, store))
      )
    )
    const stored = Effect.map(store.messages("s1", { limit: 50 }), ({ items }) => JSON.stringify(items))
    return { agent, model, questions: understanding.asked, stored }
  })

type Seen = Parameters<Extract<Parameters<typeof kit.step>[0]["prompt"], (ctx: never) => unknown>>[0]

const sent = ({ prompt }: ScriptedModel.Asked) =>
  prompt.content.flatMap((message) =>
    message.role === "user" ? message.content.filter((part) => part.type === "file") : []
  )

describe("files sent with a message", () => {
  it.effect("are part of the understanding and speaking prompts, and are stored by reference", () =>
    Effect.gen(function*() {
      const { agent, model, questions, stored } = yield* make()
      yield* agent.respond({ sessionId: "s1", message: "Look at this", parts: [image] })
      expect(questions[0]!.files).toMatchObject([{ mediaType: "image/png", fileName: "dent.png", data: png }])
      expect(sent(model.asked.at(-1)!)).toMatchObject([{ mediaType: "image/png", data: png }])
      expect(yield* stored).toMatch(/blob-ref:s[0-9a-f]{40}\//)
      expect(yield* stored).not.toContain("iVBOR")
      yield* agent.respond({ sessionId: "s1", message: "Well?" })
      expect(sent(model.asked.at(-1)!)).toMatchObject([{ mediaType: "image/png", data: png }])
    }))

  it.effect("can be read by hooks, tools and templates; the stored history contains only references", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const look = (where: string) => ({ history, parts }: Pick<Seen, "history" | "parts">) =>
        Effect.map(
          Effect.forEach(parts, ({ read, ...rest }) => Effect.map(read, (bytes) => ({ ...rest, bytes }))),
          (files) => void seen.push([where, files, JSON.stringify(history)])
        )
      const model = ScriptedModel.languageModel((_, index) =>
        index === 0 ? [{ type: "tool-call", id: "c1", name: "scan", params: {} }] : "I see."
      )
      const agent = yield* kit.make({
        name: "Test",
        files: { caption: () => "a dent" },
        tools: [kit.tool({ id: "scan", handler: (_, ctx) => Effect.as(look("tool")(ctx), "scanned") })],
        hooks: { beforeRespond: look("hook") },
        flows: [{
          title: "Claim",
          steps: [{ id: "ask", prompt: (ctx) => Effect.as(look("template")(ctx), "Ask"), until: () => false }]
        }]
      }).pipe(
        Effect.provide(
          Layer.mergeAll(
            model.layer,
            ScriptedUnderstanding.make(() => ({})).layer,
            BlobStore.layerMemory,
            SessionStore.layerMemory
          )
        )
      )
      const url = "https://example.com/door.jpg"
      yield* agent.respond({
        sessionId: "s1",
        message: "Look",
        parts: [image, { type: "file", mediaType: "image/jpeg", url }]
      })
      const files = [
        { mediaType: "image/png", name: "dent.png", caption: "a dent", bytes: Option.some(png) },
        { mediaType: "image/jpeg", url, caption: "a dent", bytes: Option.none() }
      ]
      expect(new Set(seen.map((one) => (one as ReadonlyArray<unknown>)[0]))).toEqual(
        new Set(["hook", "template", "tool"])
      )
      for (const one of seen) expect(one).toMatchObject([expect.anything(), files, "[]"])
      seen.length = 0
      yield* agent.respond({ sessionId: "s1", message: "Well?" })
      expect(seen.length).toBeGreaterThan(0)
      for (const one of seen) {
        const [, now, history] = one as readonly [string, unknown, string]
        expect(now).toEqual([])
        expect(history).toMatch(/blob-ref:s[0-9a-f]{40}\//)
        expect(history).not.toMatch(/iVBOR|Uint8Array|"0":137/)
      }
      // The model still gets the bytes.
      expect(sent(model.asked.at(-1)!)).toMatchObject([{ data: png }, { data: url }])
    }))

  it.effect("need no BlobStore if given by URL, and are sent to the model as URLs", () =>
    Effect.gen(function*() {
      const { agent, model } = yield* make()
      const url = "https://example.com/dent.png"
      yield* agent.respond({ sessionId: "s1", parts: [{ type: "file", mediaType: "image/png", url }] })
      expect(sent(model.asked.at(-1)!)).toMatchObject([{ data: url }])
      const history = yield* agent.session("s1").history
      expect(history[0]?.content).toMatchObject([{ type: "text", text: "[image/png]" }, { type: "file", data: url }])
    }))

  it.effect("a text part sent beside files is appended to the message", () =>
    Effect.gen(function*() {
      const { agent, questions } = yield* make(undefined)
      yield* agent.respond({ sessionId: "s1", message: "One", parts: [{ type: "text", text: "Two" }] })
      expect(questions[0]!.message).toBe("One\nTwo")
    }))

  it.effect("are replaced by a note in the prompt if the BlobStore no longer has the bytes", () =>
    Effect.gen(function*() {
      const gone = Layer.succeed(BlobStore.BlobStore, {
        place: "nowhere",
        list: () => Effect.succeed([]),
        put: () => Effect.void,
        get: () => Effect.succeedNone,
        remove: () => Effect.void
      })
      const { agent, model } = yield* make({}, gone)
      yield* agent.respond({ sessionId: "s1", parts: [image] })
      yield* agent.respond({ sessionId: "s1", message: "Well?" })
      expect(sent(model.asked.at(-1)!)).toEqual([])
      expect(model.asked.at(-1)!.text).toContain("no longer kept")
    }))

  for (
    const [name, parts, files, why] of [
      [
        "a file of a type that is not accepted",
        [{ ...image, mediaType: "image/svg+xml" }],
        {},
        "image/svg+xml is not taken"
      ],
      [
        "a file whose bytes do not have the stated type",
        [{ ...image, mediaType: "image/jpeg" }],
        {},
        "its bytes are no image/jpeg"
      ],
      ["a file with too many bytes", [image], { maxBytes: 3 }, "it has 7 bytes, 3 are allowed"],
      ["an empty file", [{ ...image, bytes: new Uint8Array() }], {}, "it is empty"],
      ["too many files", [image, image], { maxFiles: 1 }, "there are 2 files, 1 are allowed"],
      ["a URL, if URLs are not accepted", [{ type: "file", mediaType: "image/png", url: "https://a.b/c" }], {
        urls: false
      }, "by address"],
      [
        "a file:// URL",
        [{ type: "file", mediaType: "image/png", url: "file:///etc/passwd" }],
        {},
        "no list"
      ],
      ["a URL with a password", [{ type: "file", mediaType: "image/png", url: "https://u:p@a.b/c" }], {}, "no list"],
      ["a part with an unknown key", [{ type: "file", mediaType: "image/png", path: "/etc/passwd" }], {}, "no list"],
      ["a file for an agent that accepts no files", [image], undefined, "takes no files"],
      ["no list", "image", {}, "no list"]
    ] as const
  ) {
    it.effect(`${name}: the request is refused`, () =>
      Effect.gen(function*() {
        const model = ScriptedModel.languageModel(() => "I see.")
        const agent = yield* kit.make({ name: "Test", flows, ...(files !== undefined && { files }) }).pipe(
          Effect.provide(Layer.mergeAll(model.layer, SessionStore.layerMemory, BlobStore.layerMemory))
        )
        const refused = yield* Effect.flip(agent.respond({ sessionId: "s1", message: "x", parts: parts as never }))
        expect(refused).toMatchObject({ _tag: "InvalidRequest", why: expect.stringContaining(why) })
      }))
  }

  it.effect("are refused if given as bytes without a BlobStore", () =>
    Effect.gen(function*() {
      const model = ScriptedModel.languageModel(() => "I see.")
      const agent = yield* kit.make({ name: "Test", flows, files: {} }).pipe(
        Effect.provide(Layer.mergeAll(model.layer, SessionStore.layerMemory))
      )
      const refused = yield* Effect.flip(agent.respond({ sessionId: "s1", parts: [image] }))
      expect(refused).toMatchObject({ _tag: "InvalidRequest", what: "parts" })
    }))

  it.effect("must be the same for a repeated `messageId`; otherwise the request is refused", () =>
    Effect.gen(function*() {
      const { agent } = yield* make()
      const request = { sessionId: "s1", messageId: "m1", message: "Look" }
      yield* agent.respond({ ...request, parts: [image] })
      yield* agent.respond({ ...request, parts: [image] })
      const other = yield* Effect.flip(agent.respond({ ...request, parts: [{ ...image, name: "b.png" }] }))
      expect(other).toMatchObject({ _tag: "InvalidRequest", what: "messageId" })
    }))

  it("survive a round trip through JSON as part of a request", () => {
    const parts = Schema.Array(Part.WirePart)
    const encoded = Schema.encodeSync(parts)([image])
    expect(Schema.decodeUnknownSync(parts)(JSON.parse(JSON.stringify(encoded)))).toEqual([image])
  })
})

describe("a model that does not accept the files", () => {
  const turn = (
    models: (
      blind: ReturnType<typeof ScriptedModel.languageModel>,
      sees: ReturnType<typeof ScriptedModel.languageModel>
    ) => Layer.Layer<any, any, never>,
    caption?: () => string
  ) =>
    Effect.gen(function*() {
      const blind = ScriptedModel.languageModel(() => "{}")
      const sees = ScriptedModel.languageModel(() => "{}")
      const agent = yield* kit.make({
        name: "Test",
        files: caption === undefined ? {} : { caption },
        flows: [{ title: "Chat", optionalFields: ["damage"], steps: [{ prompt: "Chat" }] }]
      }).pipe(Effect.provide(Layer.mergeAll(models(blind, sees), SessionStore.layerMemory, BlobStore.layerMemory)))
      return {
        blind,
        sees,
        done: yield* Effect.either(agent.respond({ sessionId: "s1", message: "Look", parts: [image] }))
      }
    })

  it.effect("the model call fails with a typed error that names the media type", () =>
    Effect.gen(function*() {
      const { blind, done } = yield* turn((blind) => Models.layer({ main: { layer: blind.layer, accepts: [] } }))
      expect(done).toMatchObject({
        left: { _tag: "ResponseGenerationError", reason: "invalid_request", why: expect.stringContaining("image/png") }
      })
      expect(blind.asked).toEqual([])
    }))

  it.effect("is skipped when another model of the list accepts the files", () =>
    Effect.gen(function*() {
      const { blind, done, sees } = yield* turn((blind, sees) =>
        Models.layer({
          main: [{ layer: blind.layer, accepts: ["audio/*"] }, { layer: sees.layer, accepts: ["image/*"] }]
        })
      )
      expect(done._tag).toBe("Right")
      expect(blind.asked).toEqual([])
      expect(sent(sees.asked.at(-1)!)).toHaveLength(1)
    }))

  it.effect("gets the caption of the file as text, if the agent has a `caption` option", () =>
    Effect.gen(function*() {
      const { blind, done } = yield* turn(
        (blind) => Models.layer({ main: { layer: blind.layer, accepts: [] } }),
        () => "a dent in a door"
      )
      expect(done._tag).toBe("Right")
      expect(sent(blind.asked.at(-1)!)).toEqual([])
      expect(blind.asked.at(-1)!.text).toContain("[a file: a dent in a door]")
    }))
})

const stores: Record<string, Layer.Layer<BlobStore.BlobStore, unknown>> = {
  memory: BlobStore.layerMemory,
  "a folder": Layer.unwrapScoped(
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      return BlobFile.layer({ folder: (yield* Path.Path).join(folder, "deep", "er") })
    })
  ).pipe(Layer.provide(NodeContext.layer))
}

for (const [name, layer] of Object.entries(stores)) {
  it.live(`BlobStore in ${name}: gets, lists and removes blobs, and refuses unsafe ids`, () =>
    Effect.gen(function*() {
      const blobs = yield* BlobStore.BlobStore
      const blob = { mediaType: "image/png", bytes: png }
      expect(yield* blobs.get("s1/a")).toEqual(Option.none())
      yield* blobs.put("s1/a", blob)
      const got = Option.getOrThrow(yield* blobs.get("s1/a"))
      expect([got.mediaType, Array.from(got.bytes)]).toEqual([blob.mediaType, Array.from(png)])
      yield* blobs.put("s1-b", blob)
      yield* blobs.put("s10/a", blob)
      yield* blobs.put("t/a", blob)
      expect([...yield* blobs.list("s1")].sort()).toEqual(["s1-b", "s1/a", "s10/a"])
      expect(yield* blobs.list("s1/")).toEqual(["s1/a"])
      expect(yield* blobs.list("none")).toEqual([])
      expect(yield* Effect.flip(blobs.list("../"))).toMatchObject({ _tag: "BlobStoreError", operation: "list" })
      yield* blobs.remove("s1/a")
      yield* blobs.remove("s1/a")
      expect(yield* blobs.get("s1/a")).toEqual(Option.none())
      for (const id of ["../a", "/etc/passwd", "a b", "", "a//b", "a/../b"]) {
        expect(yield* Effect.flip(blobs.put(id, blob))).toMatchObject({ _tag: "BlobStoreError" })
      }
    }).pipe(Effect.provide(layer)))
}
