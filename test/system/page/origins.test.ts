/** The origins of arguments and the refusals of policies on the page, before and after it is loaded again. */
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as limits from "../../setup/limits.js"
import * as Chromium from "./Chromium.js"

describe("the web page of `coxswain serve` for an agent that checks origins", () => {
  if (!Chromium.hasBrowser) return it.skip(`there is no browser at ${Chromium.executablePath}: set CHROMIUM`, () => {})

  let browser: Browser
  let server: Chromium.Served
  let page: Page

  beforeAll(async () => {
    ;[browser, server] = await Promise.all([Chromium.launch(), Chromium.serve("test/system/page/mail.ts")])
    page = await browser.newPage({ viewport: Chromium.size.wide, locale: "en" })
    page.setDefaultTimeout(limits.child)
    await Chromium.openSession(page, server, "ann")
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })

  const card = (title: string) => page.getByRole("region", { name: title })

  it("names the origin of each argument on the card of an approval, also after a reload and on the desk", async () => {
    await Chromium.say(page, "Pay Bo 30 euros")
    const seen = async () => {
      await card("pay waits for approval").getByText("iban: the result of read_mail").waitFor()
      await card("pay waits for approval").getByText("amount: the user").waitFor()
    }
    await seen()
    await Chromium.picture(page, "origins")
    await page.reload()
    await seen()
    expect(await Chromium.violations(page)).toEqual([])
    await page.goto(`${server.url}#/desk`)
    await seen()
  })

  it("names the origins in the explanation of the turn and at the call, also after a reload", async () => {
    await Chromium.openSession(page, server, "ann?tab=why")
    await card("pay waits for approval").getByRole("button", { name: "Approve" }).click()
    await card("pay waits for approval").getByRole("button", { name: "Approve now" }).click()
    await card("pay waits for approval").waitFor({ state: "detached" })
    const seen = async () => {
      const why = page.getByRole("complementary").locator("li.Called").filter({ hasText: "Called pay: ok." })
      await why.first().waitFor()
      await why.first().locator("summary").click()
      await why.first().getByText("iban: a person, the result of read_mail").waitFor()
      const call = page.locator("details.tool").filter({ hasText: "pay" }).last()
      await call.locator("summary").click()
      await call.getByText("iban: a person, the result of read_mail").waitFor()
    }
    await seen()
    await page.reload()
    await seen()
  })

  it("shows the policy that refused a call and what is missing, also after a reload, in both languages", async () => {
    await Chromium.say(page, "Close it for ada")
    const seen = async (title: string, missing: string) => {
      const call = page.locator("details.tool").filter({ hasText: "close" }).last()
      await call.locator(".state").getByText("denied").waitFor()
      await call.locator("summary").click()
      await call.getByRole("heading", { name: title }).waitFor()
      await call.getByRole("heading", { name: missing }).waitFor()
      await call.locator(".denied").getByText(`verify {"customer":"ada"}`).waitFor()
      expect(await Chromium.violations(page)).toEqual([])
    }
    await seen("Refused by a policy", "What is missing")
    const why = page.getByRole("complementary").locator("li.Called").filter({ hasText: "Called close: denied." })
    await why.first().locator("summary").click()
    await why.first().getByText("may be called only if \"verify\" was called").first().waitFor()
    await Chromium.picture(page, "policy")
    await page.reload()
    await seen("Refused by a policy", "What is missing")
    const german = await browser.newPage({ viewport: Chromium.size.wide, locale: "de" })
    german.setDefaultTimeout(limits.child)
    await german.goto(`${server.url}#/s/ann`)
    const call = german.locator("details.tool").filter({ hasText: "close" }).last()
    await call.locator("summary").click()
    await call.getByRole("heading", { name: "Von einer Regel abgelehnt" }).waitFor()
    await call.getByRole("heading", { name: "Was fehlt" }).waitFor()
    await german.close()
  })
})
