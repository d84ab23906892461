/** The page in Chromium, against `coxswain serve` of the project that `coxswain new` begins. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as limits from "../../setup/limits.js"
import { run } from "../../support/Program.js"
import * as Chromium from "./Chromium.js"

describe("the web page of a project created by `coxswain new`", () => {
  if (!Chromium.hasBrowser) return it.skip(`there is no browser at ${Chromium.executablePath}: set CHROMIUM`, () => {})

  let browser: Browser
  let server: Chromium.Served
  let page: Page
  let complaints: ReadonlyArray<string>
  const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-page-"))
  const agent = path.join(temp, "desk", "agent.ts")
  const kept = ["--sessions", path.join(temp, "sessions"), "--log", path.join(temp, "turns.jsonl")]

  beforeAll(async () => {
    const { status, stderr } = await run(
      process.execPath,
      ["--import", "tsx", "src/cli/main.ts", "new", path.join(temp, "desk")]
    )
    expect([status, stderr]).toEqual([0, ""])
    // In place of `npm install`.
    fs.symlinkSync(path.join(Chromium.root, "node_modules"), path.join(temp, "desk", "node_modules"))
    ;[browser, server] = await Promise.all([Chromium.launch(), Chromium.serve(agent, ...kept)])
    page = await browser.newPage({ viewport: Chromium.size.wide, locale: "en" })
    page.setDefaultTimeout(limits.child)
    complaints = Chromium.complaints(page)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    fs.rmSync(temp, { recursive: true, force: true })
  })

  it("is served with a content security policy that allows only its own files and forbids frames", async () => {
    const { headers } = await fetch(server.url)
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*/)
  })

  it("loads at most 62 kB of scripts and 10 kB of styles, compressed", async () => {
    const html = await fetch(server.url).then((response) => response.text())
    const sizes = await Promise.all(
      Array.from(html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(js|css))"/g), async ([, file, kind]) => {
        const bytes = await fetch(new URL(file!, server.url)).then((response) => response.arrayBuffer())
        return [kind, gzipSync(Buffer.from(bytes)).length] as const
      })
    )
    const of = (wanted: string) => sizes.filter(([kind]) => kind === wanted).reduce((sum, [, size]) => sum + size, 0)
    expect(of("js")).toBeGreaterThan(10_000)
    expect(of("js")).toBeLessThan(62_000)
    expect(of("css")).toBeLessThan(10_000)
  })

  it("says who the agent is and what it does, offers messages in the customer's words, and lets a flow begin", async () => {
    await page.goto(server.url)
    await page.getByRole("link", { name: "New conversation" }).click()
    const first = page.locator(".first")
    await first.getByText("Book tables and say when we are open").waitFor()
    await first.getByRole("button", { name: "When are you open?" }).waitFor()
    expect(await first.innerText()).not.toContain("the guest")
    expect(await first.getByText("There is no conversation").count()).toBe(0)
    await first.getByRole("button", { name: "A table for two tomorrow, please" }).waitFor()
    await Chromium.picture(page, "first")
    await page.goto(`${server.url}#/s/nobody`)
    await first.getByText("There is no conversation “nobody” yet.").waitFor()
    await first.getByLabel("Flow", { exact: true }).selectOption("Opening hours")
    await first.getByRole("button", { name: "Let the agent begin" }).click()
    await Chromium.answer(page, "We are open from 17 to 23").waitFor()
    await page.getByRole("link", { name: "New conversation" }).click()
    await Chromium.say(page, "A table for 3 please")
    await page.getByRole("article", { name: "Agent" }).getByText("3 guests").waitFor()
    await page.locator(".entry[aria-current] .state").filter({ hasText: "Booking" }).waitFor()
  })

  it("shows the same conversation at the same URL after a reload", async () => {
    const address = page.url()
    await page.reload()
    await page.getByRole("article", { name: "Agent" }).getByText("3 guests").waitFor()
    expect(page.url()).toBe(address)
  })

  it("shows the collected values of the fields", async () => {
    await page.keyboard.press("3")
    await page.getByRole("row", { name: "guests" }).getByText("3", { exact: true }).waitFor()
  })

  it("shows a user's message as plain text, never as HTML", async () => {
    await Chromium.say(page, "<img src=x onerror=alert(1)> **bold** [x](javascript:alert(1))")
    expect(await page.locator(".talk img").count()).toBe(0)
    expect(await page.locator(".user a").count()).toBe(0)
    expect(await page.locator(".user .words").last().innerText()).toContain("<img src=x")
  })

  it("stores only the theme and the widths of the panes in the browser", async () => {
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("button", { name: "Theme: as the system" }).click()
    await page.keyboard.press("Escape")
    expect(await page.evaluate("Object.keys(localStorage).sort()")).toEqual([
      "coxswain.list",
      "coxswain.side",
      "coxswain.theme"
    ])
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("light")
  })

  it("runs a stored conversation on a changed agent, shows where it differs, and writes it as a test", async () => {
    const hash = new URL(page.url()).hash.split("?")[0]!
    await page.goto(`${server.url}${hash}?tab=test`)
    await page.getByRole("button", { name: "Run on what is loaded now" }).click()
    await page.getByText("2 of 2 turns are as they were.").waitFor()
    await server.stop()
    const source = fs.readFileSync(agent, "utf8")
    fs.writeFileSync(agent, source.replace("Ask for the day and the number of guests", "Ask for the day"))
    server = await Chromium.serve(agent, ...kept)
    await page.goto(`${server.url}${hash}?tab=test`)
    await page.getByRole("button", { name: "Run on what is loaded now" }).click()
    await page.getByText("≠ Turn 1 differs: another reply").waitFor()
    await page.getByRole("button", { name: "As a test" }).click()
    await page.locator(".whatif pre").filter({ hasText: "A table for 3 please" }).waitFor()
    await page.keyboard.press("2")
    await page.locator(".turn > summary").filter({ hasText: "A table for 3 please" }).click()
    await page.getByText("Took guests = 3 from “for 3”.").waitFor()
  })

  it("violates no rule of its security policy, and throws no error", () => expect(complaints).toEqual([]))
})
