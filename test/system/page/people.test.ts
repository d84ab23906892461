/** The page with several people: customers, operators, and somebody without credentials, behind a proxy. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as limits from "../../setup/limits.js"
import * as Chromium from "./Chromium.js"

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

/** A page of another origin, with the agent's page in a frame. */
const page = (of: () => string): Promise<{ readonly port: number; readonly close: () => void }> =>
  new Promise((resolve) => {
    const server = http.createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(
        `<!doctype html><title>Shop</title><iframe src="${of()}" width="400" height="600" title="Chat"></iframe>`
      )
    )
    server.listen(
      0,
      "127.0.0.1",
      () => resolve({ port: (server.address() as AddressInfo).port, close: () => void server.close() })
    )
  })

describe("the web page of `coxswain serve` behind a proxy, with a token for each user", () => {
  if (!Chromium.hasBrowser) return it.skip(`there is no browser at ${Chromium.executablePath}: set CHROMIUM`, () => {})

  let browser: Browser
  let server: Chromium.Served
  let front: Awaited<ReturnType<typeof proxy>>
  let shop: Awaited<ReturnType<typeof page>>
  let ann: Page
  let olga: Page

  const open = async (token: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: Chromium.size.wide, locale: "en" })
    page.setDefaultTimeout(limits.child)
    await page.goto(front.url)
    await page.getByLabel("Token").fill(token)
    await page.getByRole("button", { name: "Go on" }).click()
    await page.getByRole("link", { name: "New conversation" }).waitFor()
    return page
  }

  beforeAll(async () => {
    shop = await page(() => `${server.url}?embed=conversation`)
    process.env.COXSWAIN_PAGE_TOKENS = "1"
    process.env.COXSWAIN_PAGE_FRAME = `http://127.0.0.1:${shop.port}`
    ;[browser, server] = await Promise.all([Chromium.launch(), Chromium.serve("test/system/page/agent.ts")])
    delete process.env.COXSWAIN_PAGE_TOKENS
    delete process.env.COXSWAIN_PAGE_FRAME
    front = await proxy(server.url)
    ann = await open("ann")
    olga = await open("olga operator manager")
  })
  afterAll(async () => {
    await browser?.close()
    front?.close()
    shop?.close()
    await server?.stop()
  })

  it("shows only the login form to a visitor without a token, and every route answers with status 401", async () => {
    const page = await browser.newPage({ locale: "en" })
    await page.goto(front.url)
    await page.getByLabel("Token").waitFor()
    expect(await Chromium.violations(page)).toEqual([])
    expect(await page.locator("body").innerText()).not.toContain("Sessions")
    for (const route of ["agent", "definition", "sessions", "approvals", "sessions/x", "sessions/x/messages"]) {
      expect((await fetch(new URL(route, front.url))).status, route).toBe(401)
    }
    await page.close()
  })

  it("shows an operator the call that waits for approval, and shows the customer the decision immediately", async () => {
    await ann.getByRole("link", { name: "New conversation" }).click()
    await Chromium.say(ann, "pay 40")
    await ann.getByRole("region", { name: "pay waits for approval" }).waitFor()
    await olga.keyboard.press("g")
    await olga.keyboard.press("d")
    const card = olga.getByRole("region", { name: "pay waits for approval" })
    await card.getByText("40").waitFor()
    await Chromium.picture(olga, "desk")
    await olga.setViewportSize(Chromium.size.phone)
    const desk = "document.querySelector('.queue')"
    expect(await olga.evaluate(`${desk}.scrollWidth - ${desk}.clientWidth`)).toBe(0)
    await olga.setViewportSize(Chromium.size.wide)
    // A payment is approved twice, and can be taken back for five seconds.
    for (const end of ["Undo", "carried out"]) {
      await card.getByRole("button", { name: "Approve" }).click()
      await card.getByText("This sends something to others").waitFor()
      await card.getByRole("button", { name: "Approve now" }).click()
      await card.getByRole("button", { name: "Undo" }).waitFor()
      if (end !== "Undo") continue
      await card.getByRole("button", { name: "Undo" }).click()
      await card.getByRole("button", { name: "Deny" }).waitFor()
      expect(await ann.getByText(/as .* decided/).count()).toBe(0)
    }
    await card.waitFor({ state: "detached" })
    await ann.getByText(/as .* decided/).first().waitFor()
    await ann.getByRole("region", { name: "pay waits for approval" }).waitFor({ state: "detached" })
  })

  it("lets an operator correct the arguments of a call in a form, and runs the call with them", async () => {
    await Chromium.say(ann, "order 300 tea")
    await ann.getByRole("region", { name: "order waits for approval" }).getByText(
      "Waits for somebody with the role “manager”."
    ).waitFor()
    expect(await ann.getByRole("button", { name: "Approve" }).count()).toBe(0)
    // An operator without the role sees at the desk whom the call waits for.
    const mia = await open("mia operator")
    await mia.keyboard.press("g")
    await mia.keyboard.press("d")
    const seen = mia.locator(".queue").getByRole("region", { name: "order waits for approval" })
    await seen.getByText("Waits for somebody with the role “manager”.").waitFor()
    await seen.getByText("Its arguments and its reason are shown to those who may decide.").waitFor()
    expect(await seen.getByRole("button").count()).toBe(0)
    await mia.close()
    const card = olga.getByRole("region", { name: "order waits for approval" })
    await card.getByText("orders are checked").waitFor()
    await card.getByRole("button", { name: "Edit" }).click()
    await card.getByLabel("count").fill("3")
    await card.getByRole("group", { name: "item" }).getByRole("button", { name: "milk" }).click()
    await Chromium.picture(olga, "edit")
    await card.getByRole("button", { name: "Approve" }).click()
    await ann.getByRole("article", { name: "Agent" }).getByText("ordered 3 milk").waitFor()
  })

  it("lets an operator take over, write to the customer, and give the conversation back to the agent", async () => {
    const session = decodeURIComponent(/#\/s\/([^/?]+)/.exec(ann.url())?.[1] ?? "")
    await olga.getByRole("searchbox", { name: "Search sessions" }).fill(session)
    await olga.locator(".entry").filter({ hasText: session }).click()
    await olga.getByRole("button", { name: "Take over" }).click()
    await olga.getByText("You have the floor.").waitFor()
    // There is one field, which is the customer's only for a test.
    expect(await olga.locator(".talk textarea").count()).toBe(1)
    await olga.getByLabel("Speak as the customer").check()
    await olga.getByRole("textbox", { name: "Message" }).waitFor()
    await olga.getByLabel("Speak as the customer").uncheck()
    await ann.getByText("olga has the floor.").waitFor()
    const mia = await open("mia operator")
    await mia.locator(".entry").filter({ hasText: "olga has the floor" }).click()
    await mia.getByRole("status").getByText("olga has the floor.").waitFor()
    expect(await mia.getByLabel("Say as yourself").count()).toBe(0)
    await mia.keyboard.press("g")
    await mia.keyboard.press("d")
    await mia.locator(".taken").getByText("olga has taken it").waitFor()
    await mia.close()
    await olga.getByRole("button", { name: "Suggest" }).click()
    await expect.poll(() => olga.getByLabel("Say as yourself").inputValue()).toContain("You said it.")
    await olga.getByLabel("Say as yourself").fill("I am Olga, and I help you now.")
    await olga.locator(".composer.person").getByRole("button", { name: "Send" }).click()
    await ann.getByRole("article", { name: "olga" }).getByText("I am Olga").waitFor()
    await olga.getByRole("button", { name: "Give back" }).click()
    await ann.getByText("olga has the floor.").waitFor({ state: "detached" })
  })

  it("shows only the conversation in a frame of a permitted origin, and nothing in a frame of another one", async () => {
    const host = await browser.newPage({ locale: "en" })
    host.setDefaultTimeout(limits.child)
    await host.goto(`http://127.0.0.1:${shop.port}/`)
    const frame = host.frameLocator("iframe")
    await frame.getByLabel("Token").fill("zoe")
    await frame.getByRole("button", { name: "Go on" }).click()
    await frame.getByRole("textbox", { name: "Message" }).fill("hello")
    await frame.getByRole("button", { name: "Send" }).click()
    await frame.getByRole("article", { name: "Agent" }).getByText("You said it.").waitFor()
    expect(await frame.locator("nav, aside, header, .whylink").count()).toBe(0)
    const refused = host.waitForEvent("console", (message) => message.text().includes("frame-ancestors"))
    await host.goto(`http://localhost:${shop.port}/`)
    await refused
    await host.close()
  })

  it("hides the sessions of other users and the approval desk from a customer", async () => {
    const ben = await open("ben")
    await ben.getByText("No conversation yet").waitFor()
    await ben.getByRole("link", { name: "Begin a conversation" }).waitFor()
    expect(await ben.getByRole("link", { name: /^Desk \(/ }).count()).toBe(0)
    await ben.close()
  })
})
