/** Files returned by tools: stored by reference, reported with the call, refused when invalid. */
import { describe, expect, it } from "@effect/vitest"
import type { Part } from "coxswain"
import { Agent, BlobStore, Errors, Replay, SessionStore, type Tool, type ToolFile, TurnLog } from "coxswain"
import { Chunk, Duration, Effect, Fiber, Layer, Option, Schema, Stream, TestClock } from "effect"
import * as Script from "../support/Script.js"
import * as ScriptedUnderstanding from "../support/ScriptedUnderstanding.js"

const kit = Agent.define({ data: Schema.Struct({ invoice: Schema.String, rooms: Schema.Int }) })

const pdf = new Uint8Array([0x25, 0x50, 0x44, 0x46, 1, 2, 3])
const report = { mediaType: "application/pdf", name: "Rechnung März.pdf", bytes: pdf }
const page = { mediaType: "application/pdf", name: "terms.pdf", url: "https://example.com/terms.pdf" }

interface Given {
  readonly output?: Partial<Tool.ToolOutput>
  readonly limits?: ToolFile.Options | undefined
  readonly files?: Part.Options
  readonly needsApproval?: boolean
  readonly blobs?: BlobStore.Service | undefined
  readonly store?: SessionStore.Service
  readonly log?: TurnLog.Service
  readonly toolResult?: string
}

/** An agent with an invoice tool, which both its model and a flow call. */
const make = (files: unknown, given: Given = {}) =>
  Effect.gen(function*() {
    const ran: Array<string> = []
    const model = Script.make(({ prompt, tools }) =>
      tools.length > 0 && prompt.content.at(-1)?.role === "user" ? [Script.toolCall("bill", {})] : "Here it is."
    )
    const store = given.store ?? (yield* SessionStore.makeMemory)
    const blobs = "blobs" in given ? given.blobs : BlobStore.makeMemory()
    const bill = kit.tool({
      id: "bill",
      needsApproval: given.needsApproval ?? false,
      ...("limits" in given ? given.limits && { files: given.limits } : { files: { accept: ["application/pdf"] } }),
      handler: (_, { callId }) => {
        ran.push(callId)
        return { ok: true, outputMessage: "Billed as 7.", files, ...given.output } as never
      }
    })
    const agent = yield* kit.make({
      name: "Bills",
      tools: [bill],
      ...(given.files !== undefined && { files: given.files as {} }),
      ...(given.toolResult !== undefined && {
        guardrails: { toolResults: [{ id: "no", check: () => ({ block: given.toolResult! }) }] } as never
      }),
      flows: [
        { title: "Talk", when: "chat", steps: [{ id: "talk", prompt: "Talk", until: () => false }] },
        {
          title: "Bill",
          when: "bill",
          steps: [
            { id: "make", call: bill.with({}), then: { ok: "said", failed: "sorry" } },
            { id: "said", reply: "Sent.", branches: [{ then: { complete: true } }] },
            { id: "sorry", reply: "That did not work." }
          ]
        }
      ]
    }).pipe(Effect.provide(Layer.mergeAll(
      model.layer,
      ScriptedUnderstanding.make(({ message }) => ({
        flowScores: message === "flow" ? { bill: 100 } : { talk: 100 }
      })).layer,
      Layer.succeed(SessionStore.SessionStore, store),
      blobs === undefined ? Layer.empty : Layer.succeed(BlobStore.BlobStore, blobs),
      given.log === undefined ? Layer.empty : Layer.succeed(TurnLog.TurnLog, given.log)
    )))
    const stored = Effect.map(store.messages("s1", { limit: 50 }), ({ items }) => JSON.stringify(items))
    return { agent, blobs: blobs!, model, ran, store, stored }
  })

const bytesOf = (blobs: BlobStore.Service, file: ToolFile.ToolFile | undefined) =>
  file !== undefined && "ref" in file
    ? Effect.map(blobs.get(file.ref), Option.getOrUndefined)
    : Effect.dieMessage("it has no reference")

const ask = { sessionId: "s1", message: "my bill, please", messageId: "m1" }
const kept = {
  mediaType: "application/pdf",
  name: "Rechnung März.pdf",
  ref: expect.stringMatching(/^s[0-9a-f]{40}-/),
  size: 7
}

describe("files returned by a tool", () => {
  it.effect("are stored, and are part of the call, response, event, transcript and session", () =>
    Effect.gen(function*() {
      const { agent, blobs, model, stored } = yield* make([report, page])
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(agent.stream(ask)))
      const told = events.find(({ _tag }) => _tag === "ToolCallCompleted")
      expect(told).toMatchObject({ outcome: "ok", files: [kept, page] })
      const last = events.at(-1)
      const response = last?._tag === "TurnCompleted" ? last.response : undefined
      expect(response!.toolCalls).toMatchObject([{ outcome: "ok", files: [kept, page] }])
      const call = { callId: "call_bill", toolId: "bill" }
      expect(response!.files).toEqual([{ ...kept, ...call }, { ...page, ...call }])
      expect((yield* agent.session("s1").snapshot).files).toEqual(response!.files)
      expect(yield* bytesOf(blobs, response!.files[0])).toEqual({ mediaType: "application/pdf", bytes: pdf })
      const history = yield* agent.session("s1").history
      const results = history.flatMap(({ content, role }) => role === "tool" ? content : [])
      expect(results).toMatchObject([{ options: { coxswain: { files: [kept, page] } } }])
      expect(yield* stored).not.toContain("JVBERg")
      expect(model.asked.at(-1)!.text).toContain(
        "Billed as 7.\\n[application/pdf: Rechnung März.pdf] [application/pdf: terms.pdf]"
      )
      const round = yield* Schema.decodeUnknown(agent.schemas.response)(
        yield* Schema.encode(agent.schemas.response)(response!)
      )
      expect(round.files).toEqual(response!.files)
      expect((yield* agent.respond({ sessionId: "s1", message: "thanks" })).session.files).toHaveLength(4)
    }))

  it.effect("are part of the response when a flow step calls the tool", () =>
    Effect.gen(function*() {
      const { agent, blobs } = yield* make([report])
      const { files, message, session } = yield* agent.respond({ ...ask, message: "flow" })
      expect(message).toBe("Sent.")
      expect(session.files).toEqual(files)
      expect(yield* bytesOf(blobs, files[0])).toMatchObject({ bytes: pdf })
    }))

  it.effect("are stored only after the call is approved", () =>
    Effect.gen(function*() {
      const { agent, ran } = yield* make([report], { needsApproval: true })
      const waiting = yield* agent.respond(ask)
      expect([waiting.files, waiting.session.files, ran]).toEqual([[], undefined, []])
      const decided = yield* agent.approve("s1", waiting.approvals[0]!.id, { approved: true })
      expect(decided.files).toMatchObject([kept])
      expect(decided.session.files).toEqual(decided.files)
    }))

  it.effect("stay the same when the turn is repeated, and the tool does not run again", () =>
    Effect.gen(function*() {
      const memory = yield* SessionStore.makeMemory
      let refuse = true
      const store: SessionStore.Service = {
        ...memory,
        commit: (write) => {
          if (!refuse) return memory.commit(write)
          refuse = false
          return Effect.fail(new Errors.SessionStoreError({ operation: "commit", why: "down" }))
        }
      }
      let puts = 0
      const blobs = BlobStore.makeMemory()
      const counting = { ...blobs, put: (id: string, blob: BlobStore.Blob) => (puts++, blobs.put(id, blob)) }
      const { agent, ran } = yield* make([report], { store, blobs: counting })
      yield* Effect.flip(agent.respond(ask))
      const { files, session } = yield* agent.respond(ask)
      expect([ran.length, puts]).toEqual([1, 1])
      expect(session.files).toEqual(files)
      expect(yield* bytesOf(blobs, files[0])).toMatchObject({ bytes: pdf })
    }))

  it.effect("are the same in a replay, and the replay does not use the BlobStore", () =>
    Effect.gen(function*() {
      const log = yield* TurnLog.makeMemory
      const first = yield* make([report], { log })
      const { files } = yield* first.agent.respond(ask)
      yield* first.agent.respond({ sessionId: "s1", message: "flow" })
      const entries = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read()))
      expect(JSON.stringify(entries)).toContain(JSON.stringify(files[0]))
      const never: BlobStore.Service = {
        place: "nowhere",
        list: () => Effect.dieMessage("a replay lists nothing"),
        put: () => Effect.dieMessage("a replay keeps nothing"),
        get: () => Effect.dieMessage("a replay reads nothing"),
        remove: () => Effect.dieMessage("a replay removes nothing")
      }
      const second = yield* make([report], { blobs: never })
      const replayed = yield* Replay.run(entries, second.agent)
      expect(Replay.render(replayed)).toBe("Bills: 2 of 2 turns as they were, in 1 session.")
      expect(second.ran).toEqual([])
      expect(JSON.stringify(replayed.sessions[0]!.session)).toContain(JSON.stringify(files[0]))
    }))

  it.effect("are not sent when a guardrail blocks the tool's result", () =>
    Effect.gen(function*() {
      const { agent } = yield* make([report], { toolResult: "secret" })
      const { files, session, toolCalls } = yield* agent.respond(ask)
      expect(toolCalls[0]!.output).toContain("withheld")
      expect([files, session.files]).toEqual([[], undefined])
    }))
})

const none = { ...report, bytes: new Uint8Array() }

describe("invalid files returned by a tool", () => {
  const cases: ReadonlyArray<readonly [name: string, files: unknown, why: string, given?: Given]> = [
    ["a file type that the tool does not accept", [{ ...report, mediaType: "text/html" }], "text/html is not taken"],
    ["a file type that the agent does not accept", [report], "application/pdf is not taken", { limits: undefined }],
    [
      "a file whose bytes do not have the stated type",
      [{ ...report, bytes: new Uint8Array([1, 2]) }],
      "its bytes are no application/pdf"
    ],
    ["an empty file", [none], "it is empty"],
    ["too many bytes for the tool's limit", [report], "it has 7 bytes, 6 are allowed", {
      limits: { accept: ["application/*"], maxBytes: 6 }
    }],
    ["too many bytes for the agent's limit", [report], "6 are allowed", {
      limits: { accept: ["application/*"] },
      files: { maxBytes: 6 }
    }],
    ["too many files", [report, report], "there are 2", { limits: { accept: ["application/*"], maxFiles: 1 } }],
    ["no BlobStore is provided", [report], "provide a BlobStore", { blobs: undefined }],
    ["a path as the file's name", [{ ...report, name: "../../etc/passwd" }], "files.0.name: a file's name has no path"],
    ["a Windows path as the file's name", [{ ...report, name: "..\\boot.ini" }], "no path"],
    ["two dots as the file's name", [{ ...report, name: ".." }], "no path"],
    ["a line break in the file's name", [{ ...report, name: "a.pdf\r\nset-cookie: x=1" }], "no control"],
    ["a zero byte in the file's name", [{ ...report, name: "a.pdf\0.exe" }], "no control"],
    [
      "a character that reverses the text direction in the file's name",
      [{ ...report, name: "a\u202Efdp.exe" }],
      "no control"
    ],
    ["half a surrogate pair in the file's name", [{ ...report, name: "a\uD800.pdf" }], "no control"],
    ["an empty file name", [{ ...report, name: "" }], "name"],
    ["a file name of more than 200 characters", [{ ...report, name: "a".repeat(201) }], "name"],
    ["a line break in the media type", [{ ...report, mediaType: "application/pdf\r\nx: y" }], "mediaType"],
    ["a data: URL", [{ ...page, url: "data:application/pdf;base64,JVBERg" }], "https"],
    ["a file:// URL", [{ ...page, url: "file:///etc/passwd" }], "https"],
    ["a URL with a password", [{ ...page, url: "https://u:p@example.com/a" }], "https"],
    ["an http:// URL", [{ ...page, url: "http://example.com/a" }], "https"],
    ["a file without bytes and URL", [{ mediaType: "application/pdf", name: "a.pdf" }], "either bytes or an address"],
    ["a file with both bytes and a URL", [{ ...report, url: page.url }], "either bytes or an address"],
    ["a file with an unknown key", [{ ...page, path: "/etc/passwd" }], "unexpected"],
    ["bytes that are a string", [{ ...report, bytes: "JVBERg==" }], "files.0.bytes: must be a Uint8Array"],
    ["`files` is not a list", report, "files: must be a list"]
  ]
  for (const [name, files, why, given] of cases) {
    it.effect(`${name}: the tool call fails with the reason, and no file is stored`, () =>
      Effect.gen(function*() {
        const blobs = BlobStore.makeMemory()
        const ids: Array<string> = []
        const watched = { ...blobs, put: (id: string, blob: BlobStore.Blob) => (ids.push(id), blobs.put(id, blob)) }
        const { agent, model, ran } = yield* make(files, { blobs: watched, ...given })
        const response = yield* agent.respond(ask)
        expect(ran).toHaveLength(1)
        expect(response.toolCalls).toMatchObject([{ outcome: "failed", isFailure: true }])
        const { message } = response.toolCalls[0]!.output as { readonly message: string }
        expect(message).toContain(why)
        expect(message).toContain("The tool said: Billed as 7.")
        expect(model.asked.at(-1)!.text).toContain("its files were not given")
        expect([response.files, response.session.files, ids]).toEqual([[], undefined, []])
      }))
  }

  it.effect("if one of two files is invalid, the tool's data updates are stored and its reply is dropped", () =>
    Effect.gen(function*() {
      const { agent } = yield* make([report, none], {
        output: {
          details: { id: 7 },
          dataUpdate: { invoice: "7" },
          directive: { reply: "Your bill is attached.", dataUpdate: { rooms: 2 } }
        }
      })
      const { files, message, session, toolCalls } = yield* agent.respond(ask)
      expect(message).toBe("Here it is.")
      expect(session.data).toEqual({ invoice: "7", rooms: 2 })
      expect(toolCalls).toMatchObject([{ outcome: "failed", details: { id: 7 } }])
      expect(files).toEqual([])
    }))

  it.effect("if storing the second file fails, the first is removed, and the store's error text is not shown", () =>
    Effect.gen(function*() {
      const memory = BlobStore.makeMemory()
      const ids: Array<string> = []
      const blobs: BlobStore.Service = {
        ...memory,
        put: (id, blob) =>
          ids.push(id) === 1
            ? memory.put(id, blob)
            : Effect.fail(new Errors.BlobStoreError({ operation: "put", why: "s3://secret-bucket said no" }))
      }
      const { agent } = yield* make([report, { ...report, name: "two.pdf" }], { blobs })
      const response = yield* agent.respond(ask)
      expect(response.toolCalls[0]!.output).toMatchObject({
        message: expect.stringContaining("the BlobStore did not take \"two.pdf\"")
      })
      expect(JSON.stringify(response)).not.toContain("secret-bucket")
      expect(ids).toHaveLength(2)
      expect(yield* memory.get(ids[0]!)).toEqual(Option.none())
    }))

  it.effect("a BlobStore that hangs is interrupted by the tool's timeout", () =>
    Effect.gen(function*() {
      const blobs = { ...BlobStore.makeMemory(), put: () => Effect.never }
      const { agent } = yield* make([report], { blobs })
      const turn = yield* Effect.fork(agent.respond(ask))
      yield* TestClock.adjust(Duration.minutes(2))
      const { toolCalls } = yield* Fiber.join(turn)
      expect(toolCalls[0]!.output).toMatchObject({ message: expect.stringContaining("did not take them within") })
    }))

  it("`make` refuses invalid limits for files", () => {
    for (const files of [{ accept: ["pdf"] }, { maxBytes: 0 }, { maxFiles: -1 }]) {
      expect(Effect.runSync(Effect.flip(Effect.provide(
        kit.make({ name: "Bills", tools: [kit.tool({ id: "bill", files, handler: () => "" })] }),
        Layer.mergeAll(Script.make(() => "").layer, SessionStore.layerMemory)
      )))).toMatchObject({ _tag: "FlowConfigurationError" })
    }
  })
})
