/** The site, in a browser: its links, its search, its accessibility, its files for language models, and the playground. */
import * as path from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { searches } from "../../fixtures/searches.js"
import * as limits from "../../setup/limits.js"
import * as Chromium from "../page/Chromium.js"
import * as Site from "./Site.js"

const isBuilt = !Chromium.hasBrowser || await Site.built()
if (!isBuilt) {
  console.warn("\n*** NOT TESTED: the site: its generator is not installed, and the registry is out of reach ***\n")
}

interface Visited {
  readonly ok: boolean
  readonly ids: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
}

describe("the documentation site", () => {
  if (!Chromium.hasBrowser) return it.skip(`there is no browser at ${Chromium.executablePath}: set CHROMIUM`, () => {})
  if (!isBuilt) return it.skip("its generator is not installed, and the registry is out of reach", () => {})

  let browser: Browser
  let site: Awaited<ReturnType<typeof Site.serve>>

  const open = async (name: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await browser.newPage({ viewport: Chromium.size.wide, locale: "en", ...options })
    page.setDefaultTimeout(limits.child)
    await page.goto(new URL(name, site.url).href)
    return page
  }

  beforeAll(async () => {
    ;[browser, site] = await Promise.all([Chromium.launch(), Site.serve()])
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
  })

  it("has no dead link, no dead anchor and no missing picture on any page", async () => {
    const page = await open("")
    /** Reads a page without rendering it: its ids, links and pictures. */
    const visit = (url: string): Promise<Visited> =>
      page.evaluate(`fetch(${JSON.stringify(url)}).then(async (response) => {
        const page = new DOMParser().parseFromString(await response.text(), "text/html")
        const all = (selector, name) =>
          Array.from(page.querySelectorAll(selector), (found) => new URL(found.getAttribute(name), response.url).href)
        const ids = Array.from(page.querySelectorAll("[id]"), ({ id }) => id)
        return { ok: response.ok, ids, links: [...all("a[href]", "href"), ...all("img[src]", "src")] }
      })`)
    const visited = new Map<string, Visited>()
    const wanted = new Map([[site.url, "the start"]])
    const anchors = new Map<string, string>()
    for (const [url, from] of wanted) {
      const found = await visit(url)
      visited.set(`${url} of ${from}`, found)
      for (const link of found.links.filter((link) => link.startsWith(site.url))) {
        const [to = "", anchor] = link.split("#")
        if (!wanted.has(to)) wanted.set(to, url)
        if (anchor !== undefined && anchor !== "") anchors.set(link, url)
      }
    }
    const dead = [...visited].filter(([, { ok }]) => !ok).map(([link]) => link)
    // After the playground's address stands the name of a sample.
    const lost = [...anchors].filter(([link]) => !link.includes("/playground/#")).filter(([link]) => {
      const [to = "", anchor = ""] = link.split("#")
      return visited.get(`${to} of ${wanted.get(to)}`)?.ids.includes(decodeURIComponent(anchor)) !== true
    }).map(([link, from]) => `${link} of ${from}`)
    await page.close()
    expect([...dead, ...lost]).toEqual([])
    expect(wanted.size).toBeGreaterThan(150)
  })

  it.each(["light", "dark"] as const)("violates no accessibility rule in %s mode", async (colorScheme) => {
    let found: ReadonlyArray<string> = []
    for (const name of ["", "tutorial/1-first-agent.html", "overview.html", "reference/flow.html", "none.html"]) {
      const page = await open(name, { colorScheme })
      await page.getByRole("link", { name: "Coxswain" }).first().waitFor()
      found = [...found, ...(await Chromium.violations(page)).map((rule) => `${name}: ${rule}`)]
      await page.close()
    }
    expect(found).toEqual([])
  })

  it("finds the right page among the first three search results for what beginners type, with excerpts, also offline", async () => {
    const page = await open("overview.html")
    const complaints = Chromium.complaints(page)
    await page.route((url) => !url.href.startsWith(site.url), (route) => route.abort())
    const missed: Array<string> = []
    await page.getByRole("button", { name: "Search" }).first().click()
    for (const [typed, file] of searches) {
      await page.getByRole("searchbox").fill(typed)
      const first =
        "Array.from(document.querySelectorAll('#localsearch-list a.result')).slice(0, 3).map(({ href }) => href)"
      await page.waitForFunction(`${first}.some((href) => href.includes("/${file}.html"))`, undefined, {
        timeout: limits.child
      })
        .catch(async () => missed.push(`${typed}: ${await page.evaluate(first)}`))
      await page.locator("#localsearch-list .excerpt:visible").first().waitFor()
    }
    await page.keyboard.press("Escape")
    await page.getByRole("searchbox").waitFor({ state: "detached" })
    await page.close()
    expect(missed).toEqual([])
    expect(complaints).toEqual([])
  })

  it("fits the screen of a phone, where a button opens the sidebar", async () => {
    const page = await open("flows.html", { viewport: Chromium.size.phone })
    await page.getByRole("button", { name: "Menu" }).click()
    await page.getByRole("link", { name: "Tutorial 2: tools" }).waitFor()
    const isTooWide = await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    expect(isTooWide).toBe(false)
    await page.close()
  })

  it("fits the comparison of many columns to the screen of a phone, each cell with the name of its column", async () => {
    const page = await open("comparison.html", { viewport: Chromium.size.phone })
    const cell = page.getByRole("cell", { name: "flows of steps" }).or(
      page.locator("td", { hasText: "flows of steps" })
    ).first()
    expect(await cell.getAttribute("data-column")).toBe("Coxswain")
    const tooWide = await page.evaluate(
      "Array.from(document.querySelectorAll('.vp-doc table, td')).filter((part) => part.scrollWidth > part.clientWidth + 2 || part.getBoundingClientRect().right > innerWidth).length"
    )
    expect(tooWide).toBe(0)
    await page.close()
  })

  it("shows a conversation on its first page, and one button that opens its agent in the playground", async () => {
    const page = await open("")
    await page.getByText("A room in Porto for 4 is yours.").waitFor()
    await page.getByRole("link", { name: "Try it here" }).click()
    await page.frameLocator("#agent").getByRole("heading", { name: "Harbour Hotel" }).waitFor()
    await page.close()
  })

  it("has a button that copies a code block, and a link that edits the page's source on GitHub", async () => {
    const page = await open("flows.html", { permissions: ["clipboard-read", "clipboard-write"] })
    await page.locator(".language-ts").first().hover()
    await page.getByRole("button", { name: "Copy Code" }).first().click()
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toContain(
      "export const booking = kit.flow("
    )
    expect(await page.getByRole("link", { name: "Edit this page" }).getAttribute("href"))
      .toBe("https://github.com/coxswain-ts/coxswain/edit/main/docs/flows.md")
    await page.close()
  })

  it("has Markdown versions of its pages, and llms.txt; all links in these files work", () => {
    const links = Array.from(Site.read("llms.txt").matchAll(/\]\(\/coxswain\/([^)]+)\)/g), ([, link = ""]) => link)
    expect(links.length).toBeGreaterThan(100)
    expect(links.filter((link) => !Site.has(link))).toEqual([])
    const twins = Site.twins()
    expect(twins.filter((name) => !Site.has(name.replace(/\.md$/, ".html")))).toEqual([])
    const dead = twins.flatMap((name) =>
      Array.from(
        Site.read(name).replaceAll(/^ *```[\s\S]*?^ *```|`[^`\n]*`/gm, "").matchAll(/\]\((\.[^)#]+)/g),
        ([, link = ""]) => link
      )
        .filter((link) => !Site.has(path.posix.join(path.posix.dirname(name), link))).map((link) => `${name}: ${link}`)
    )
    expect(dead).toEqual([])
  })

  describe("the playground", () => {
    const start = async (options: BrowserContextOptions = {}) => {
      const page = await open("playground/", options)
      const complaints = Chromium.complaints(page)
      const frame = page.frameLocator("#agent")
      await frame.getByRole("textbox", { name: "Message" }).waitFor()
      const say = async (text: string): Promise<void> => {
        await frame.getByRole("textbox", { name: "Message" }).fill(text)
        await frame.getByRole("textbox", { name: "Message" }).press("Enter")
        await frame.getByRole("article", { name: "User" }).filter({ hasText: text }).last().waitFor()
        await frame.locator("#stop").waitFor({ state: "detached" })
      }
      const answer = (text: string | RegExp) => frame.getByRole("article", { name: "Agent" }).getByText(text).waitFor()
      const edit = async (from: string, to: string): Promise<void> => {
        const text = page.getByRole("textbox", { name: "Document" })
        const before = await text.inputValue()
        expect(before).toContain(from)
        await text.fill(before.replace(from, to))
      }
      return { page, frame, complaints, say, answer, edit }
    }

    it("holds a conversation, and uses the edited document from the next message on", async () => {
      const { answer, complaints, edit, frame, page, say } = await start()
      await page.route((url) => !url.href.startsWith(site.url), (route) => route.abort())
      await say("I want to book a table for 2027-03-15")
      await answer("how many people come")
      await frame.getByRole("link", { name: "Where" }).or(frame.getByRole("tab", { name: "Where" })).first().waitFor()
      await frame.getByText("here", { exact: false }).first().waitFor()
      await edit("A table for {{data.guests}}", "Two candles for {{data.guests}}")
      await page.getByRole("status").getByText("This document answers.").waitFor()
      await say("four")
      await answer("the name of the person who books")
      await say("My name is Ann")
      await answer("Two candles for 4 on 2027-03-15, for Ann. See you then!")
      expect(complaints).toEqual([])
      await page.close()
    })

    it(
      "shows the errors in an edited document with line and column; the last valid document still answers",
      async () => {
        const { answer, edit, page, say } = await start()
        await edit("A table for {{data.guests}}", "A table for {{data.gusts}}")
        const fault = page.getByRole("list", { name: "Faults" }).getByRole("listitem")
        await fault.getByText("unknown field \"gusts\"").waitFor()
        const lines = (await page.getByRole("textbox", { name: "Document" }).inputValue()).split("\n")
        const line = lines.findIndex((text) => text.includes("data.gusts"))
        const column = lines[line]!.indexOf("gusts") + 1
        await fault.getByRole("button", {
          name: new RegExp(`^Line ${line + 1}, column ${column - 5}$|^Line ${line + 1}, column ${column}$`)
        }).click()
        expect(
          await page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart).slice(0, 10)")
        )
          .toMatch(/gusts/)
        await say("When are you open?")
        await answer("We are open from 17 to 23")
        await edit("coxswain: 1", "coxswain: [1")
        await fault.getByText("not YAML").first().waitFor()
        await edit("coxswain: [1", "coxswain: 1")
        await edit("data.gusts", "data.guests")
        await page.getByRole("status").getByText("This document answers.").waitFor()
        expect(await fault.count()).toBe(0)
        await page.close()
      }
    )

    it("has other example documents, and violates no accessibility rule in dark mode and on a phone", async () => {
      for (const options of [{ colorScheme: "dark" }, { viewport: Chromium.size.phone }] as const) {
        const { page, say, answer } = await start(options)
        await page.getByRole("combobox", { name: "Example" }).selectOption("A coffee")
        await page.frameLocator("#agent").getByRole("heading", { name: "Barista" }).waitFor()
        await say("I'd like a cappuccino")
        await answer("size of the cup")
        expect(await Chromium.violations(page)).toEqual([])
        await page.close()
      }
    })
  })
})
