/** The panes behind a conversation, in Chromium against `coxswain serve`. */
import { readFile } from "node:fs/promises"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as limits from "../../setup/limits.js"
import * as ProcessGate from "../../support/ProcessGate.js"
import * as Chromium from "./Chromium.js"

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
    page.setDefaultTimeout(limits.child)
    await page.goto(`${server.url}#/s/ann`)
    await page.getByRole("textbox", { name: "Message" }).waitFor()
    await Chromium.say(page, "A table for 3 please")
    await Chromium.say(page, "2027-05-04, and I am Ada")
  })
  afterAll(async () => {
    await browser?.close()
    await Promise.all([server?.stop(), desk?.stop()])
  })

  it("explains a turn: the values taken from the message, and the step that was skipped", async () => {
    const side = page.getByRole("complementary")
    await side.getByText("Took name = Ada").waitFor()
    await side.getByText("Skipped booking/name: name is known.").waitFor()
    await side.locator("summary").filter({ hasText: "A table for 3 please" }).click()
    await side.getByText("Booking 75, Opening hours 0: went to Booking.").waitFor()
    const groups = await side.locator(".turn").last().locator("h3").allInnerTexts()
    expect(groups.map((text) => text.toLowerCase())).toEqual(["changed", "happened", "because", "models asked"])
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

  it("shows the prompt, the fields and the next steps of a step that the user clicks in the graph", async () => {
    await page.locator("a[data-step='booking/visit']").click()
    const step = page.getByRole("region", { name: "visit" })
    await step.getByText("Ask for the day and the number of guests").waitFor()
    await step.getByText("day, guests").waitFor()
    await step.getByRole("link", { name: "booking/name" }).click()
    await page.getByRole("region", { name: "name" }).getByText("Ask for the name").waitFor()
  })

  it("shows each collected value with the words of the message that stated the value", async () => {
    await page.keyboard.press("Escape")
    await page.keyboard.press("3")
    const row = page.getByRole("row", { name: /^Guests/ })
    await row.getByText("Took guests = 3 from “for 3”.").waitFor()
    await row.getByText("kept for the session").waitFor()
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
    // The form has the coloured button, and the empty message field below it none.
    expect(await page.locator(".talk button.primary").allInnerTexts()).toEqual(["Submit"])
    await form.getByRole("button", { name: "Submit" }).click()
    await form.getByText(/at least 1 and at most 8/).waitFor()
    await Chromium.picture(page, "form")
    await form.getByLabel("Guests").fill("4")
    await form.getByLabel("Day").fill("2027-05-04")
    await form.getByLabel("Day").press("Tab")
    await form.getByRole("button", { name: "Submit" }).click()
    await form.getByLabel("Name").waitFor()
    expect(await page.locator(".item.user").last().innerText()).toContain("2027-05-04")
  })

  it.each(["light", "dark"] as const)("violates no accessibility rule of axe in any view (%s)", async (theme) => {
    await page.emulateMedia({ colorScheme: theme })
    for (
      const place of [
        "",
        "#/s/ann",
        "#/s/ann?tab=where",
        "#/s/ann?tab=data",
        "#/s/ann?tab=whatif",
        "#/s/ann?tab=test",
        "#/desk",
        "#/s/new"
      ]
    ) {
      await page.goto(`${server.url}${place}`)
      await page.getByRole("link", { name: "New conversation" }).waitFor()
      expect(await Chromium.violations(page), place).toEqual([])
    }
  })

  it("violates no accessibility rule of axe with files, approvals, forms, the list of keys, and in a frame", async () => {
    await page.emulateMedia({ colorScheme: "light" })
    await Chromium.openSession(page, desk, "axe")
    await Chromium.say(page, "pay 40")
    await page.getByRole("region", { name: "pay waits for approval" }).waitFor()
    await page.locator("#files").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") })
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    expect(await Chromium.violations(page)).toEqual([])
    await page.keyboard.press("Escape")
    await page.goto(`${desk.url}?embed=conversation#/s/axe`)
    await page.getByRole("region", { name: "pay waits for approval" }).waitFor()
    expect(await Chromium.violations(page)).toEqual([])
  })

  it(
    "can be used without a mouse: messages, decisions, all panes, the approval desk and the list of sessions",
    async () => {
      const keys = await browser.newPage({ viewport: Chromium.size.wide, locale: "en" })
      keys.setDefaultTimeout(limits.child)
      await keys.goto(desk.url)
      await Chromium.tabTo(keys, "link", "New conversation")
      await keys.keyboard.press("Enter")
      await keys.getByRole("textbox", { name: "Message" }).waitFor()
      await keys.keyboard.press("/")
      await keys.keyboard.type("pay 7")
      await keys.keyboard.press("Enter")
      await keys.getByRole("region", { name: "pay waits for approval" }).waitFor()
      for (const name of ["Approve", "Approve now"]) {
        await Chromium.tabTo(keys, "button", name)
        await keys.keyboard.press("Enter")
      }
      await keys.getByText(/as .* decided/).first().waitFor()

      await keys.keyboard.press("1")
      await Chromium.tabTo(keys, "searchbox", "Find a step")
      await keys.keyboard.type("when")
      await keys.keyboard.press("Enter")
      await keys.getByRole("region", { name: "when" }).waitFor()
      await keys.keyboard.press("Escape")
      await keys.keyboard.press("2")
      await Chromium.tabTo(keys, "button", "Prompts and answers of the models")
      await keys.keyboard.press("Enter")
      await keys.locator(".calls summary").first().waitFor()
      await keys.keyboard.press("3")
      await keys.getByRole("rowheader", { name: /^City/ }).waitFor()
      await keys.keyboard.press("4")
      await Chromium.tabTo(keys, "textbox", "Say instead")
      await keys.keyboard.type("hello")
      await Chromium.tabTo(keys, "button", "Try it")
      await keys.keyboard.press("Enter")
      await keys.locator(".beside").getByText("You said it.").waitFor()

      await keys.keyboard.press("g")
      await keys.keyboard.press("d")
      await keys.getByRole("heading", { name: "Desk", level: 2 }).waitFor()
      await keys.keyboard.press("g")
      await keys.keyboard.press("s")
      await keys.keyboard.type("chat-")
      const copy = keys.locator(".entry").filter({ hasText: "What-if copy of chat-" })
      await Chromium.tabTo(keys, "checkbox", /^Show what-if copies/)
      expect(await copy.count()).toBe(0)
      await keys.keyboard.press("Space")
      await copy.first().waitFor()
      await keys.keyboard.press("Space")
      await copy.first().waitFor({ state: "detached" })
      await Chromium.tabTo(keys, "link", /^chat-/)
      await keys.keyboard.press("Enter")
      await keys.getByText(/as .* decided/).first().waitFor()
      await keys.close()
    }
  )

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

  it("keeps export, erase, theme and keys in a menu, asks in a dialog before it erases, and fits a phone", async () => {
    const phone = await browser.newPage({ viewport: Chromium.size.phone, locale: "en" })
    phone.setDefaultTimeout(limits.child)
    await Chromium.openSession(phone, server, "gone")
    await Chromium.say(phone, "hello")
    await phone.getByRole("button", { name: "Take over" }).waitFor()
    expect(await phone.getByRole("button", { name: "Erase" }).isVisible()).toBe(false)
    await phone.getByRole("button", { name: "More actions" }).click()
    await phone.getByRole("button", { name: "Erase" }).click()
    const dialog = phone.getByRole("alertdialog")
    await dialog.getByText("Erase “gone” with all its messages?").waitFor()
    expect(await phone.evaluate("document.documentElement.scrollWidth")).toBe(Chromium.size.phone.width)
    expect(await Chromium.violations(phone)).toEqual([])
    await dialog.getByRole("button", { name: "Erase" }).click()
    await phone.waitForURL((url) => !url.hash.includes("gone"))
    expect((await fetch(`${server.url}sessions/gone`)).status).toBe(404)
    await phone.close()
  })

  it("lists at the desk who asks for what, for how long and with which words, and what waits in copies on demand", async () => {
    await Chromium.openSession(page, desk, "asks")
    await Chromium.say(page, "hello")
    await page.keyboard.press("Escape")
    await page.keyboard.press("4")
    await page.getByLabel("Say instead").fill("pay 5")
    await page.getByRole("button", { name: "Try it" }).click()
    await page.locator(".beside").getByText("pay 5").waitFor()
    await Chromium.say(page, "pay 6")
    await page.goto(`${desk.url}#/desk`)
    const row = page.locator(".ask").filter({ hasText: "euros 6" })
    await row.getByText("waiting for less than a minute").waitFor()
    await row.getByText("“pay 6”").waitFor()
    await row.getByRole("link", { name: "asks" }).waitFor()
    expect(await page.getByText("euros 5").count()).toBe(0)
    await page.locator(".queue").getByLabel(/^Show what-if copies/).check()
    await page.locator(".ask").getByText("What-if copy of asks").waitFor()
    await page.locator(".entry").getByText("What-if copy of asks").waitFor()
    await page.locator(".queue").getByLabel(/^Show what-if copies/).uncheck()
    await row.getByRole("button", { name: "Deny" }).click()
    await row.waitFor({ state: "detached" })
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
    await page.locator("#stop").waitFor()
    ProcessGate.open("page")
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
    await page.keyboard.press("5")
    await page.getByLabel("amount").fill("12")
    await page.getByRole("button", { name: "Send an event" }).click()
    await page.getByText("Thank you for 12.").first().waitFor()
  })

  it("shows the answer to an event, and the progress and the result of the job that it starts", async () => {
    await Chromium.openSession(page, desk, "job?tab=test")
    await Chromium.say(page, "hello")
    await page.getByLabel("Event").selectOption("audit")
    await page.getByRole("button", { name: "Send an event" }).click()
    const messages = page.getByRole("group", { name: "Messages" })
    await messages.getByText("Event audit", { exact: true }).waitFor()
    await messages.getByText("audit: shelf 3").waitFor()
    await Chromium.answer(page, "The count is 3.").waitFor()
    expect(await messages.getByText(/audit: shelf/).count()).toBe(1)
  })

  it("uploads a chosen file, which can be downloaded again, and names the reason for a file that is too large", async () => {
    await Chromium.openSession(page, desk, "files")
    const file = { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("tea, milk") }
    const picker = page.locator("#files")
    await picker.setInputFiles({ ...file, name: "long.txt", buffer: Buffer.alloc(20_001, "x") })
    await page.getByText("is larger than 20 kB").waitFor()
    await page.getByRole("button", { name: "Remove long.txt" }).click()
    await picker.setInputFiles({ ...file, name: "page.pdf", mimeType: "application/pdf" })
    await page.getByText("is of a type that is not accepted (text/plain, image/png)").waitFor()
    await page.getByRole("button", { name: "Remove page.pdf" }).click()
    await picker.setInputFiles(file)
    await Chromium.say(page, "my list")
    await Chromium.answer(page, "I have your text/plain.").waitFor()
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload()
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("article", { name: "User" }).getByRole("button", { name: "list.txt" }).click()
      ])
      expect(download.suggestedFilename()).toBe("list.txt")
      expect(await readFile(await download.path(), "utf8")).toBe("tea, milk")
    }
  })

  it("begins a conversation with the flow that the user selects", async () => {
    await Chromium.openSession(page, desk, "begun")
    await page.getByLabel("Flow", { exact: true }).selectOption("Delivery")
    await page.getByRole("button", { name: "Let the agent begin" }).click()
    await Chromium.answer(page, "We deliver on Fridays.").waitFor()
  })

  it("moves the session's clock ahead, and shows the message of the timer that is then due", async () => {
    await Chromium.openSession(page, desk, "clock?tab=test")
    await page.getByLabel("Flow", { exact: true }).selectOption("Talk")
    await page.getByRole("button", { name: "Let the agent begin" }).click()
    await page.getByRole("button", { name: "forward 7 d" }).click()
    await Chromium.answer(page, "Are you still there?").waitFor()
    await page.getByText(/^In this session it is /).waitFor()
    expect(await Chromium.answer(page, "Are you still there?").count()).toBe(1)
  })

  it("replaces the message of an earlier turn in a fork, beside all turns of the original", async () => {
    await Chromium.openSession(page, desk, "past?tab=whatif")
    for (const text of ["hello", "look", "thanks"]) await Chromium.say(page, text)
    await page.getByLabel("Instead of").selectOption("2: look")
    expect(await page.getByLabel("Say instead").inputValue()).toBe("look")
    await page.getByLabel("Say instead").fill("to Lisbon")
    await page.getByRole("button", { name: "Try it" }).click()
    const rows = page.locator(".beside tbody tr")
    await rows.nth(1).getByText("to Lisbon").waitFor()
    await page.locator(".beside [role=status]").waitFor({ state: "detached" })
    expect(await Promise.all([0, 1, 2].map((row) => rows.nth(row).getAttribute("class")))).toEqual([
      "quiet",
      "differs",
      "differs"
    ])
    expect(await rows.nth(1).innerText()).toContain("look: ok")
    expect(await rows.nth(2).innerText()).toContain("thanks")
  })

  it("shows the prompt and the answer of a model call on demand", async () => {
    await Chromium.openSession(page, desk, "past")
    const side = page.getByRole("complementary")
    await side.getByRole("button", { name: "Prompts and answers of the models" }).first().click()
    await side.locator(".calls summary").filter({ hasText: "speak" }).first().click()
    await side.locator(".calls pre").filter({ hasText: "thanks" }).last().waitFor()
    await side.locator(".calls pre").filter({ hasText: "You said it." }).last().waitFor()
    expect(await Chromium.violations(page)).toEqual([])
    await Chromium.picture(page, "calls")
  })

  it("renders the last 50 messages of a long conversation first, and makes only one request for a new turn", async () => {
    for (let turn = 0; turn < 30; turn++) {
      await fetch(`${desk.url}sessions/long/turns`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: `Message ${turn}` })
      })
    }
    await Chromium.openSession(page, desk, "long")
    await page.getByText("Message 29").waitFor()
    expect(await page.locator(".items > li").count()).toBe(50)
    await page.getByRole("button", { name: "Earlier messages" }).click()
    await page.getByText("Message 0", { exact: true }).waitFor()
    expect(await page.locator(".items > li").count()).toBe(60)
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    await Chromium.say(page, "one more")
    await page.locator(".entry[aria-current] .last").filter({ hasText: "You said it." }).waitFor()
    page.removeAllListeners("request")
    expect(asked).toEqual(["/sessions/long/turns/stream"])
  })

  it("shows an alert if a turn fails", async () => {
    await Chromium.openSession(page, desk, "ann")
    await Chromium.say(page, "fail")
    await page.getByRole("alert").waitFor()
  })
})
