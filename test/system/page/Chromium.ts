/** A real browser and real servers, for the tests of the page. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { type Browser, chromium, type Page } from "playwright-core"
import * as limits from "../../setup/limits.js"

export type { Page }

export const root = fileURLToPath(new URL("../../..", import.meta.url))

export const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium"
export const hasBrowser = existsSync(executablePath)

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Returns each rule of axe that the page breaks, with the elements. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  // The page's policy forbids scripts in the page: axe runs beside it.
  await page.evaluate(axe)
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))"
  )
}

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: limits.child })

export interface Served {
  readonly url: string
  readonly stop: () => Promise<void>
}

const stopped = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("close", () => resolve())
    child.kill("SIGTERM")
  })

/** `coxswain serve` of an agent's file, as a process of its own, on a free port. */
export const serve = (file: string, ...args: ReadonlyArray<string>): Promise<Served> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [
        ...["--import", "tsx", "src/cli/main.ts", "serve", file, "--port", "0"],
        ...args.includes("--sessions") ? [] : ["--sessions", "memory"],
        ...args
      ],
      { cwd: root, stdio: ["ignore", "pipe", "pipe"] }
    )
    let said = ""
    const heard = (text: Buffer) => {
      said += String(text)
      const url = /is at (http:[^\s,]+)/.exec(said)?.[1]
      if (url !== undefined) resolve({ url: `${url}/`, stop: () => stopped(child) })
    }
    child.stdout.on("data", heard)
    child.stderr.on("data", heard)
    child.once("close", () => reject(new Error(`the server ended: ${said}`)))
  })

/** The complaints of the browser: errors of scripts, and refusals by the content security policy. */
export const complaints = (page: Page): ReadonlyArray<string> => {
  const found: Array<string> = []
  page.on("pageerror", (error) => found.push(String(error)))
  page.on("console", (message) => {
    // A refused request is shown by the page; the browser logs it as well.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) found.push(message.text())
  })
  return found
}

export const size = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/** The pictures of the documentation, which a test run with `COXSWAIN_PICTURES=docs/pictures` writes anew. */
export const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.COXSWAIN_PICTURES
  if (folder === undefined) return
  mkdirSync(path.resolve(root, folder), { recursive: true })
  await page.screenshot({ path: path.resolve(root, folder, `page-${name}.png`), animations: "disabled" })
}

/** Sends a message as a person does, and waits until the answer has ended. */
export const say = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("textbox", { name: "Message" }).fill(text)
  await page.keyboard.press("Enter")
  await page.getByRole("article", { name: "User" }).filter({ hasText: text }).last().waitFor()
  await page.locator("#stop").waitFor({ state: "detached" })
}

/** Opens a session of a server, and waits until it can be used. */
export const openSession = async (page: Page, { url }: Served, hash: string): Promise<void> => {
  await page.goto(`${url}#/s/${hash}`)
  await page.getByRole("textbox", { name: "Message" }).waitFor()
}

/** Presses Tab until the element with this role and name has the focus, as a person without a mouse does. */
export const tabTo = async (
  page: Page,
  role: Parameters<Page["getByRole"]>[0],
  name: string | RegExp
): Promise<void> => {
  const wanted = page.getByRole(role, { name }).first()
  await wanted.waitFor()
  for (let presses = 0; presses < 120; presses++) {
    if (await wanted.and(page.locator(":focus")).count() > 0) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab does not reach ${role} ${name}`)
}

/** The text of the agent in the conversation. */
export const answer = (page: Page, text: string) => page.getByRole("article", { name: "Agent" }).getByText(text)
