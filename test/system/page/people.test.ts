/** The page with several people: customers, colleagues, and somebody without credentials, behind a proxy. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Chromium from "./Browser.js"

/** A proxy that serves another server under `/desk/`, as it takes the prefix away. */
const proxy = (to: string): Promise<{ readonly url: string; readonly close: () => void }> =>
  new Promise((resolve) => {
    const server = http.createServer((request, response) => {
      const path = (request.url ?? "").replace(/^\/desk\//, "")
      const asked = http.request(new URL(path, to), { method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      asked.on("error", () => response.destroy())
      response.on("close", () => asked.destroy())
      request.pipe(asked)
    })
    server.listen(0, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/desk/`,
        close: () => void (server.closeAllConnections(), server.close())
      }))
  })

describe("the web page of `coxswain serve` behind a proxy, with a token for each user", () => {
  if (!Chromium.hasBrowser) return it.skip(`there is no browser at ${Chromium.executablePath}: set CHROMIUM`, () => {})

  let browser: Browser
  let server: Chromium.Served
  let front: Awaited<ReturnType<typeof proxy>>
  let ann: Page
  let olga: Page

  const open = async (token: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: Chromium.size.wide, locale: "en" })
    page.setDefaultTimeout(20_000)
    await page.goto(front.url)
    await page.getByLabel("Token").fill(token)
    await page.getByRole("button", { name: "Go on" }).click()
    await page.getByRole("link", { name: "New conversation" }).waitFor()
    return page
  }

  beforeAll(async () => {
    process.env.COXSWAIN_PAGE_TOKENS = "1"
    ;[browser, server] = await Promise.all([Chromium.launch(), Chromium.serve("test/system/page/agent.ts")])
    delete process.env.COXSWAIN_PAGE_TOKENS
    front = await proxy(server.url)
    ann = await open("ann")
    olga = await open("olga operator")
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    front?.close()
    await server?.stop()
  }, 30_000)

  it("shows only the login form to a visitor without a token, and every route answers with status 401", async () => {
    const page = await browser.newPage({ locale: "en" })
    await page.goto(front.url)
    await page.getByLabel("Token").waitFor()
    expect(await page.locator("body").innerText()).not.toContain("Sessions")
    for (const route of ["agent", "definition", "sessions", "approvals", "sessions/x", "sessions/x/messages"]) {
      expect((await fetch(new URL(route, front.url))).status, route).toBe(401)
    }
    await page.close()
  })

  it("shows a colleague the call that waits for approval, and shows the customer the decision at once", async () => {
    await ann.getByRole("link", { name: "New conversation" }).click()
    await Chromium.say(ann, "pay 40")
    await ann.getByRole("region", { name: "pay waits for approval" }).waitFor()
    await olga.keyboard.press("g")
    await olga.keyboard.press("d")
    const card = olga.getByRole("region", { name: "pay waits for approval" })
    await card.getByText("40").waitFor()
    await Chromium.picture(olga, "desk")
    await card.getByRole("button", { name: "Approve" }).click()
    await card.waitFor({ state: "detached" })
    await ann.getByText(/as .* decided/).first().waitFor()
    await ann.getByRole("region", { name: "pay waits for approval" }).waitFor({ state: "detached" })
  })

  it("lets a colleague take over, write to the customer, and give the conversation back to the agent", async () => {
    const session = decodeURIComponent(/#\/s\/([^/?]+)/.exec(ann.url())?.[1] ?? "")
    await olga.getByRole("searchbox", { name: "Search sessions" }).fill(session)
    await olga.locator(".entry").filter({ hasText: session }).click()
    await olga.getByRole("button", { name: "Take over" }).click()
    await olga.getByText("You have the floor.").waitFor()
    await ann.getByText("olga has the floor.").waitFor()
    await olga.getByLabel("Say as yourself").fill("I am Olga, and I help you now.")
    await olga.locator(".floor").getByRole("button", { name: "Send" }).click()
    await ann.getByRole("article", { name: "olga" }).getByText("I am Olga").waitFor()
    await olga.getByRole("button", { name: "Give back" }).click()
    await ann.getByText("olga has the floor.").waitFor({ state: "detached" })
  })

  it("hides the sessions of other users and the approval desk from a customer", async () => {
    const ben = await open("ben")
    await ben.getByText("No conversation yet").first().waitFor()
    expect(await ben.getByRole("link", { name: /^Desk \(/ }).count()).toBe(0)
    await ben.close()
  })
})
