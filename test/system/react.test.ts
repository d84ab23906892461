/** Pages with React in a real browser: `useCoxswain`, and `useChat` with the stored messages, against the server. */
import { HttpLayerRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { BlobStore, SessionStore } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { build } from "esbuild"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import * as path from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"
import * as limits from "../setup/limits.js"
import * as Desk from "../support/Desk.js"
import * as StreamedModel from "../support/StreamedModel.js"

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"

class Photos extends Desk.kit.Service<Photos>()("Photos", {
  name: "Photos",
  tools: [Desk.pay, Desk.refund, Desk.look],
  files: { accept: ["image/png"] },
  snapshots: { keep: 50 },
  on: { paid: ({ event }) => ({ reply: `Thank you for ${event.amount}.` }) },
  flows: [{
    title: "Talk",
    steps: [{ id: "talk", prompt: ({ context }) => `Talk to a ${context.tier ?? "new"} guest`, until: () => false }]
  }]
}) {}

describe("pages with React in Chromium", () => {
  if (!existsSync(executablePath)) return it.skip(`there is no browser at ${executablePath}: set CHROMIUM`, () => {})

  const gate = Effect.unsafeMakeLatch()
  const scope = Effect.runSync(Scope.make())
  let browser: Browser
  let url: string
  let answers = 0

  /** As the desk answers; a file is told by its kind, and `count` by a number. */
  const line: ReturnType<typeof Desk.lines> = (n, asked) => {
    const last = asked.prompt.content.findLast(({ role }) => role === "user")
    const file = last?.role === "user" ? last.content.find(({ type }) => type === "file") : undefined
    if (file?.type === "file" && file.data instanceof Uint8Array) {
      return { say: [`${file.mediaType}:${file.data.length}`] }
    }
    if (JSON.stringify(last?.content).includes("count")) return { say: [`answer-${++answers}`] }
    return Desk.lines(gate.await)(n, asked)
  }

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [path.join(import.meta.dirname, "fixtures/reactPage.ts")],
      bundle: true,
      write: false,
      format: "esm",
      alias: { "coxswain/react": path.join(import.meta.dirname, "../../src/layers/react/React.ts") },
      define: { "process.env.NODE_ENV": "\"production\"" }
    })
    const pages = Layer.mergeAll(
      HttpLayerRouter.add(
        "GET",
        "/",
        HttpServerResponse.html("<!doctype html><div id=root></div><script type=module src=/app.js></script>")
      ),
      HttpLayerRouter.add(
        "GET",
        "/app.js",
        HttpServerResponse.text(outputFiles[0]!.text, { contentType: "text/javascript" })
      )
    )
    const options = { authenticate: Desk.authenticate, docs: false, clientContext: ["tier"] } as const
    const services = Layer.mergeAll(
      StreamedModel.make(line).layer,
      Desk.services(),
      SessionStore.layerMemory,
      BlobStore.layerMemory
    )
    const live = Server.serve(Layer.merge(Server.layer(Photos, options), pages)).pipe(
      Layer.provide(Layer.provide(Photos.layer, Layer.merge(services, StreamedModel.make(line).layer))),
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
    )
    const context = await Effect.runPromise(Scope.extend(Layer.build(live), scope))
    const { address } = Context.get(context, HttpServer.HttpServer)
    url = `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}`
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: limits.child })
  })
  afterAll(async () => {
    await browser?.close()
    await Effect.runPromise(Effect.zipRight(gate.open, Scope.close(scope, Exit.void)))
  })

  /** A page of its own browser, as a person uses it. */
  const open = async (query: string) => {
    const page = await (await browser.newContext()).newPage()
    page.setDefaultTimeout(limits.child)
    await page.goto(`${url}/?${query}`)
    await is(page, "ready")
    return page
  }
  const is = (page: Page, status: string) => page.locator("#status", { hasText: new RegExp(`^${status}$`) }).waitFor()
  const says = (page: Page, text: string) => page.getByText(text).last().waitFor()
  const lines = (page: Page) => page.locator("li").allInnerTexts()
  const send = async (page: Page, text: string) => {
    await page.fill("#say", text)
    await page.click("#send")
  }
  const sendAndWait = async (page: Page, text: string, answer: string) => {
    await send(page, text)
    await says(page, answer)
    await is(page, "ready")
  }
  const post = async (as: string, path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: as, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    expect(response.status).toBe(200)
    return response
  }
  const photo = { name: "dent.png", mimeType: "image/png", buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]) }

  for (const plain of ["", "&plain"]) {
    describe(plain === "" ? "`useCoxswain`" : "`useChat` with the stored messages", () => {
      const chat = (name: string) => `chat=${name}${plain === "" ? "" : "-plain"}${plain}`

      it("shows the conversation after a reload, and can continue it", async () => {
        const page = await open(chat("reload"))
        await sendAndWait(page, "Hello", "You said it.")
        await sendAndWait(page, "look", "Done.")
        const before = await lines(page)
        await page.reload()
        await says(page, "Done.")
        expect(await lines(page)).toEqual(before)
        await sendAndWait(page, "Hello again", "Hello again")
        expect(await lines(page)).toHaveLength(6)
      })

      it("sends a file, which is shown after a reload", async () => {
        const page = await open(chat("file"))
        await page.setInputFiles("#file", photo)
        await says(page, "image/png:7")
        await is(page, "ready")
        await page.reload()
        await says(page, "image/png:7")
        expect(await lines(page)).toEqual(["user: a photo[file image/png]", "assistant: image/png:7"])
      })

      it("regenerates the last answer; the conversation then has only the new answer", async () => {
        const page = await open(chat("again"))
        await sendAndWait(page, "Hello", "You said it.")
        await sendAndWait(page, "count", "answer-")
        const [, , , first] = await lines(page)
        await page.click("#again")
        await page.getByText(first!, { exact: true }).waitFor({ state: "detached" })
        await says(page, "answer-")
        await is(page, "ready")
        const after = await lines(page)
        expect(after).toHaveLength(4)
        expect(after[3]).not.toBe(first)
        await page.reload()
        await says(page, after[3]!)
        expect(await lines(page)).toEqual(after)
      })

      it("stops a streamed answer; the part streamed before is stored", async () => {
        const page = await open(chat("stop"))
        await send(page, "wait: for ever")
        await says(page, "One")
        await page.click("#stop")
        await is(page, "ready")
        if (plain !== "") {
          await fetch(`${url}/sessions/stop-plain/turns/current`, {
            method: "DELETE",
            headers: { authorization: "ann" }
          })
        }
        await sendAndWait(page, "Hello again", "You said it.")
        await page.reload()
        await says(page, "You said it.")
        expect(await lines(page)).toEqual([
          "user: wait: for ever",
          "assistant: One ",
          "user: Hello again",
          "assistant: You said it."
        ].map((line) => line.trimEnd()))
      })

      it("sends a context with a message, and shows the error if the context is refused", async () => {
        const page = await open(`${chat("context")}&context={"tier":"gold"}`)
        await sendAndWait(page, "tier", "gold")
        const wrong = await open(`${chat("context")}&context={"role":"admin"}`)
        await send(wrong, "tier")
        await is(wrong, "error")
        expect(await wrong.locator("#error").innerText()).toContain("clients may not send")
      })

      it("rejoins a running answer after a reload, and shows the answer once", async () => {
        const page = await open(chat("rejoin"))
        await send(page, "wait: for it")
        await says(page, "One")
        await page.reload()
        await says(page, "One")
        await Effect.runPromise(gate.open)
        await says(page, "One two three.")
        await is(page, "ready")
        await Effect.runPromise(gate.close)
        if (plain === "") {
          await page.getByText("user: wait: for it").waitFor()
          expect(await lines(page)).toEqual(["user: wait: for it", "assistant: One two three."])
        }
      })
    })
  }

  it("`useCoxswain` shows an approval, an event's reply and an operator's message without a reload", async () => {
    const page = await open("chat=desk")
    await sendAndWait(page, "refund 40", "[tool-refund approval-requested]")
    // The operator finds the call in a browser of their own, and decides it there.
    const colleague = await (await browser.newContext()).newPage()
    await colleague.goto(`${url}/health`)
    const decided = await colleague.evaluate(async () => {
      const headers = { authorization: "mia manager operator", "content-type": "application/json" }
      const { items } = await (await fetch("/approvals", { headers })).json() as any
      const { sessionId, waiting: [call] } = items.find(({ waiting }: any) => waiting[0].toolId === "refund")
      const response = await fetch(`/sessions/${encodeURIComponent(sessionId)}/approvals/${call.callId}`, {
        method: "POST",
        headers,
        body: JSON.stringify({ approved: true })
      })
      return [response.status, call.args]
    })
    expect(decided).toEqual([200, { euros: 40 }])
    await says(page, "[tool-refund output-available]")
    await says(page, "Done.")
    expect(await lines(page)).toEqual(["user: refund 40", "assistant: [tool-refund output-available]Done."])
    const id = Desk.idOf("desk")
    await post("olga operator", `/sessions/${id}/events/paid`, { payload: { amount: 7 } })
    await says(page, "Thank you for 7.")
    await post("olga operator", `/sessions/${id}/takeover`, {})
    await post("olga operator", `/sessions/${id}/say`, { text: "Olga here." })
    await says(page, "Olga here.")
    const shown = await lines(page)
    await page.reload()
    await says(page, "Olga here.")
    expect(await lines(page)).toEqual(shown)
  })

  it("`useCoxswain` shows the same messages in two tabs, and approves a tool call", async () => {
    const [one, two] = [await open("chat=tabs"), await open("chat=tabs")]
    await sendAndWait(one, "Hello", "You said it.")
    await says(two, "You said it.")
    await sendAndWait(two, "pay 7", "[tool-pay approval-requested]")
    await says(one, "[tool-pay approval-requested]")
    await two.click("#approve")
    await says(two, "[tool-pay output-available]")
    await is(two, "ready")
    await says(one, "[tool-pay output-available]")
    await sendAndWait(one, "look", "Done.")
    await says(two, "[tool-look output-available]")
    expect((await lines(two)).length).toBe((await lines(one)).length)
    // Another user's chat of the same name is another one.
    expect(await lines(await open("chat=tabs&as=bob"))).toEqual([])
  })
})
