/** `useChat` of the AI SDK, unchanged, in a real browser, against the server. */
import { HttpLayerRouter, HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Server from "coxswain/layers/server"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { build } from "esbuild"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import * as path from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"
import * as limits from "../setup/limits.js"
import * as Desk from "../support/Desk.js"

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"

describe("the AI SDK's `useChat` in Chromium", () => {
  if (!existsSync(executablePath)) return it.skip(`there is no browser at ${executablePath}: set CHROMIUM`, () => {})

  const gate = Effect.unsafeMakeLatch()
  const scope = Effect.runSync(Scope.make())
  let browser: Browser
  let page: Page
  let url: string

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [path.join(import.meta.dirname, "fixtures/chatPage.ts")],
      bundle: true,
      write: false,
      format: "iife",
      define: { "process.env.NODE_ENV": "\"production\"" }
    })
    const script = outputFiles[0]!.text
    const pages = Layer.mergeAll(
      HttpLayerRouter.add(
        "GET",
        "/",
        HttpServerResponse.html("<!doctype html><div id=root></div><script src=/app.js></script>")
      ),
      HttpLayerRouter.add("GET", "/app.js", HttpServerResponse.text(script, { contentType: "text/javascript" }))
    )
    const app = Layer.merge(Server.layer(Desk.Desk, { authenticate: Desk.authenticate, docs: false }), pages)
    const live = Server.serve(app).pipe(
      Layer.provide(Desk.layer(gate.await)),
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
    )
    const context = await Effect.runPromise(Scope.extend(Layer.build(live), scope))
    const { address } = Context.get(context, HttpServer.HttpServer)
    url = `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}`
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: limits.child })
    page = await browser.newPage()
    page.setDefaultTimeout(limits.child)
    await page.goto(url)
  })
  afterAll(async () => {
    await browser?.close()
    await Effect.runPromise(Effect.zipRight(gate.open, Scope.close(scope, Exit.void)))
  })

  const send = async (text: string) => {
    await page.fill("input", text)
    await page.click("#send")
  }
  const says = (text: string) => page.getByText(text).last().waitFor()
  const last = () => page.locator("li").last().innerText()
  const is = (status: string) => page.locator("#status", { hasText: new RegExp(`^${status}$`) }).waitFor()
  const error = () => page.locator("#error").innerText()

  it("sends a message, and shows the answer, the collected data and the position", async () => {
    await is("ready")
    expect(await error()).toBe("")
    await send("To Lisbon")
    await says("You said it.")
    await is("ready")
    expect(await last()).toContain("<{\"city\":\"Lisbon\"}>")
    expect(await last()).toContain("<{\"flowId\":\"Talk\",\"stepId\":\"talk\"}>".replace("Talk", "talk"))
  })

  it("shows a tool and its result", async () => {
    await send("look")
    await says("[tool-look output-available]")
    await is("ready")
    expect(await last()).toContain("Done.")
  })

  it("shows an approval request, and continues in the same message after the decision", async () => {
    await send("pay 40")
    await says("[tool-pay approval-requested]")
    await is("ready")
    const before = await page.locator("li").count()
    await page.click("#approve")
    await says("[tool-pay output-available]")
    await is("ready")
    expect(await page.locator("li").count()).toBe(before)
    expect(await last()).toMatch(/as .* decided/)
    await send("pay 50")
    await says("[tool-pay approval-requested]")
    await is("ready")
    await page.click("#deny")
    await says("[tool-pay output-denied]")
    await is("ready")
    expect(await error()).toBe("")
  })

  it("streams the answer, and rejoins it after a reload", async () => {
    await send("wait: for it")
    await says("One")
    await page.reload()
    await says("One")
    expect(await page.locator("body").innerText()).not.toContain("three.")
    await Effect.runPromise(gate.open)
    await says("One two three.")
    await is("ready")
    await Effect.runPromise(gate.close)
  })

  it("stops an answer, which is stored as interrupted", async () => {
    await send("wait: for ever")
    await says("One")
    await page.click("#stop")
    await is("ready")
    await send("Hello again")
    await says("You said it.")
    await is("ready")
    const messages = await page.evaluate(async () => {
      const response = await fetch("/sessions/chat-1/messages", { headers: { authorization: "ann" } })
      return response.text()
    })
    expect(messages).toContain("[interrupted by user]")
  })

  it("shows a failure", async () => {
    await send("fail")
    await is("error")
    expect(await error()).toContain("The model could not be asked")
  })
})
