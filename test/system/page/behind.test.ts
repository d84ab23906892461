/** The panes behind a conversation, in Chromium against `coxswain serve`. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Chromium from "./Browser.js"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Each rule of axe that the page breaks, with the elements. */
const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  // A policy forbids scripts in the page: axe runs beside it.
  await page.evaluate(axe)
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))"
  )
}

describe("the web page of `coxswain serve` with its panes", () => {
  if (!Chromium.hasBrowser) return it.skip(`there is no browser at ${Chromium.executablePath}: set CHROMIUM`, () => {})

  let browser: Browser
  let server: Chromium.Served
  let desk: Chromium.Served
  let page: Page

  beforeAll(async () => {
    ;[browser, server, desk] = await Promise.all([
      Chromium.launch(),
      Chromium.serve("templates/desk/agent.ts"),
      Chromium.serve("test/system/page/agent.ts")
    ])
    page = await browser.newPage({ viewport: Chromium.size.wide, locale: "en" })
    page.setDefaultTimeout(20_000)
    await page.goto(`${server.url}#/s/ann`)
    await page.getByRole("textbox", { name: "Message" }).waitFor()
    await Chromium.say(page, "A table for 3 please")
    await Chromium.say(page, "2027-05-04, and I am Ada")
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await Promise.all([server?.stop(), desk?.stop()])
  }, 30_000)

  it("explains a turn: the values taken from the message, and the step that was skipped", async () => {
    const side = page.getByRole("complementary")
    await side.getByText("Took name = Ada").waitFor()
    await side.getByText("Skipped booking/name: name is known.").waitFor()
    await side.locator("summary").filter({ hasText: "A table for 3 please" }).click()
    await side.getByText("Booking 75, Opening hours 0: went to Booking.").waitFor()
    await Chromium.picture(page, "why")
  })

  it("links from a sentence of the explanation to the step in the graph", async () => {
    const side = page.getByRole("complementary")
    await side.getByText("Skipped booking/name: name is known.").click()
    await side.getByRole("link", { name: "Show the place: booking/name" }).click()
    await side.getByRole("heading", { name: "name booking/name" }).waitFor()
    expect(page.url()).toContain("tab=where")
    await Chromium.picture(page, "where")
  })

  it("shows each collected value with the words of the message that stated the value", async () => {
    await page.keyboard.press("Escape")
    await page.keyboard.press("3")
    const row = page.getByRole("row", { name: /^Guests/ })
    await row.getByText("Took guests = 3 from “for 3”.").waitFor()
    await Chromium.picture(page, "data")
  })

  it("selects turns, panes and pages by keyboard, and goes back with the browser's history", async () => {
    await page.keyboard.press("2")
    await page.keyboard.press("j")
    expect(page.url()).toMatch(/#\/s\/ann\/t\/1(\?|$)/)
    await page.keyboard.press("j")
    expect(page.url()).toMatch(/#\/s\/ann\/t\/3(\?|$)/)
    await page.goBack()
    expect(page.url()).toMatch(/#\/s\/ann\/t\/1(\?|$)/)
    await page.keyboard.press("/")
    expect(await page.evaluate("document.activeElement.id")).toBe("message")
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    await page.getByRole("heading", { name: "Keys" }).waitFor()
    await page.keyboard.press("Escape")
    await page.keyboard.press("g")
    await page.keyboard.press("d")
    await page.getByText("Nothing waits.").waitFor()
    await page.goBack()
  })

  it("tries a different last message, and shows the new answer and the differences beside the real turn", async () => {
    await page.keyboard.press("4")
    await page.getByLabel("Say instead").fill("When are you open?")
    await page.getByRole("button", { name: "Try it" }).click()
    await page.locator(".beside").getByText("We are open from 17 to 23").waitFor()
    await page.locator(".beside").getByText("≠ differs").first().waitFor()
    await Chromium.picture(page, "whatif")
  })

  it("shows a form for the fields that a step needs, and explains why a value is refused", async () => {
    await page.goto(`${server.url}#/s/form`)
    await page.getByRole("textbox", { name: "Message" }).waitFor()
    await Chromium.say(page, "I want to book a table")
    const form = page.locator("form.expects")
    await form.getByLabel("Guests").fill("99")
    await form.getByLabel("Guests").press("Tab")
    await form.getByRole("button", { name: "Send" }).click()
    await form.getByText(/at least 1 and at most 8/).waitFor()
    await Chromium.picture(page, "form")
    await form.getByLabel("Guests").fill("4")
    await form.getByLabel("Day").fill("2027-05-04")
    await form.getByLabel("Day").press("Tab")
    await form.getByRole("button", { name: "Send" }).click()
    await form.getByLabel("Name").waitFor()
    expect(await page.locator(".item.user").last().innerText()).toContain("2027-05-04")
  })

  it.each(["light", "dark"] as const)("breaks no accessibility rule of axe in any view (%s)", async (theme) => {
    await page.emulateMedia({ colorScheme: theme })
    for (
      const place of ["", "#/s/ann", "#/s/ann?tab=where", "#/s/ann?tab=data", "#/s/ann?tab=whatif", "#/desk", "#/s/new"]
    ) {
      await page.goto(`${server.url}${place}`)
      await page.getByRole("link", { name: "New conversation" }).waitFor()
      expect(await violations(page), place).toEqual([])
    }
  }, 60_000)

  it("shows one pane at a time on a phone", async () => {
    const phone = await browser.newPage({ viewport: Chromium.size.phone, locale: "en" })
    await phone.goto(`${server.url}#/s/ann`)
    await phone.getByRole("textbox", { name: "Message" }).waitFor()
    expect(await phone.getByRole("complementary").isVisible()).toBe(false)
    expect(await phone.evaluate("document.documentElement.scrollWidth")).toBe(Chromium.size.phone.width)
    await Chromium.picture(phone, "phone")
    await phone.getByRole("link", { name: "Why", exact: true }).last().click()
    await phone.getByRole("complementary").waitFor()
    expect(await phone.getByRole("textbox", { name: "Message" }).isVisible()).toBe(false)
    await phone.close()
  })

  it("is in German if the browser's language is German", async () => {
    const german = await browser.newPage({ locale: "de-DE" })
    await german.goto(`${server.url}#/s/ann?tab=data`)
    await german.getByRole("searchbox", { name: "Sitzungen suchen" }).waitFor()
    await german.getByRole("textbox", { name: "Nachricht" }).waitFor()
    await german.close()
  })

  it("shows a tool call, and continues a streamed answer after a reload", async () => {
    await page.goto(`${desk.url}#/s/ann`)
    await page.getByRole("textbox", { name: "Message" }).waitFor()
    await Chromium.say(page, "look")
    await page.locator("details.tool").filter({ hasText: "look" }).click()
    await page.locator("details.tool pre").filter({ hasText: "nothing to see" }).waitFor()
    await page.getByRole("textbox", { name: "Message" }).fill("wait: for it")
    await page.keyboard.press("Enter")
    await page.getByRole("article", { name: "Agent" }).getByText("One").waitFor()
    await page.reload()
    await page.getByRole("article", { name: "Agent" }).getByText("One two three.").waitFor()
  })

  it("stops an answer while it streams, and marks the turn as stopped", async () => {
    await page.getByRole("textbox", { name: "Message" }).fill("wait: for ever")
    await page.keyboard.press("Enter")
    await page.locator("#stop").click()
    await page.locator(".item.note").filter({ hasText: "stopped" }).waitFor()
  })

  it("denies a tool call that waits for approval, with a reason", async () => {
    await Chromium.say(page, "pay 40")
    const card = page.getByRole("region", { name: "pay waits for approval" })
    await card.getByRole("textbox").fill("too much")
    await card.getByRole("button", { name: "Deny" }).click()
    await card.waitFor({ state: "detached" })
  })

  it("sends an event with its payload from a form", async () => {
    await page.keyboard.press("Escape")
    await page.keyboard.press("4")
    await page.getByLabel("amount").fill("12")
    await page.getByRole("button", { name: "Send an event" }).click()
    await page.getByText("Thank you for 12.").first().waitFor()
  })

  it("shows an alert if a turn fails", async () => {
    await Chromium.say(page, "fail")
    await page.getByRole("alert").waitFor()
  })
})
