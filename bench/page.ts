/**
 * The page in a browser: how long its first view takes with 10,000 sessions in an SQLite file, how long the longest frame is
 * while 1,000 messages are scrolled, and while an answer arrives in 50 pieces a second. `page.ts [--sessions=10000]`. Needs
 * Chromium at `/usr/bin/chromium` or where `CHROMIUM` says, and a built page.
 */
import { LanguageModel, type Response } from "@effect/ai"
import { HttpServer } from "@effect/platform"
import { Agent } from "coxswain"
import * as NodeServer from "coxswain/layers/node-server"
import * as Server from "coxswain/layers/server"
import * as Sqlite from "coxswain/layers/sqlite"
import { Deferred, Effect, Layer, Logger, LogLevel, Option, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Wire from "../src/services/model/call/Wire.js"
import { launch, type Page } from "../test/system/page/Chromium.js"
import * as Given from "./support/Given.js"

const sessions = Given.number("sessions", 10_000)
const long = 500
const pieces = { count: 500, every: 20 }
const rounds = 7

const finish = {
  type: "finish",
  reason: "stop",
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
} as const

const said: ReadonlyArray<Response.StreamPartEncoded> = [
  { type: "text-start", id: "t" },
  ...Array.from({ length: pieces.count }, (_, n): Response.StreamPartEncoded => ({
    type: "text-delta",
    id: "t",
    delta: `piece${n + 1} `
  })),
  { type: "text-end", id: "t" },
  finish
]

/** Streams 50 pieces a second. A whole answer is there at once. */
const paced = Effect.sync(() => {
  let n = 0
  return Effect.suspend(() =>
    n < said.length ? Effect.delay(Effect.sync(() => [said[n++]!]), pieces.every) : Effect.fail(Option.none())
  )
})

const model = Layer.effect(
  LanguageModel.LanguageModel,
  Wire.make({
    whole: () => Effect.succeed([{ type: "text", text: "A line of talk, as people write. ".repeat(6) }, finish]),
    stream: () => paced
  })
)

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
const make = kit.make({
  name: "Desk",
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
})

/** Everybody who uses a server without credentials. */
const principal = { userId: "local", roles: ["operator"] }

const folder = mkdtempSync(join(tmpdir(), "coxswain-page-bench-"))

/** Measures frames from now on, in the page. */
const watch = `(() => {
  const seen = []
  let last = performance.now()
  window.frames_ = seen
  const frame = (now) => { seen.push(now - last); last = now; window.going_ = requestAnimationFrame(frame) }
  cancelAnimationFrame(window.going_)
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame) })
})()`

/** Scrolls up and down again, as fast as a hand on a wheel: 200 pixels in each frame. */
const scroll = `(async () => {
  const list = document.querySelector(".messages")
  for (const by of [-200, 200]) {
    for (let step = 0; step < 200; step++) {
      list.scrollBy(0, by)
      await new Promise(requestAnimationFrame)
    }
  }
})()`

const framesOf = async (page: Page): Promise<string> => {
  const seen = ((await page.evaluate("window.frames_")) as ReadonlyArray<number>).toSorted((a, b) => a - b)
  const at = (part: number) => (seen[Math.floor((seen.length - 1) * part)] ?? 0).toFixed(0)
  const slow = seen.filter((ms) => ms > 50).length
  return `${seen.length} frames: median ${at(0.5)} ms, 99 of 100 under ${at(0.99)} ms, longest ${
    at(1)
  } ms, ${slow} over 50 ms`
}

/**
 * Returns what tells the processor's time of the page's main thread since the call before, for each frame. Unlike the length of
 * frames it does not count other programs of the machine.
 */
const worked = async (page: Page): Promise<() => Promise<string>> => {
  const client = await page.context().newCDPSession(page)
  await client.send("Performance.enable", { timeDomain: "threadTicks" })
  const total = async () =>
    (await client.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0
  let before = await total()
  return async () => {
    const now = await total()
    const spent = (now - before) * 1000
    before = now
    const frames = await page.evaluate("window.frames_?.length ?? 1") as number
    return `${(spent / frames).toFixed(1)} ms of the processor a frame`
  }
}

const browse = async (url: string): Promise<void> => {
  const browser = await launch()
  try {
    const first: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.goto(url)
      await page.locator(".entry .last").nth(29).waitFor()
      first.push(
        await page.evaluate(
          "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/sessions?')).at(0).responseEnd"
        )
      )
      await page.close()
    }
    const sorted = first.toSorted((a, b) => a - b)
    console.log(
      `first view with ${sessions} sessions: median ${sorted[Math.floor(rounds / 2)]!.toFixed(0)} ms, ` +
        `longest ${sorted.at(-1)!.toFixed(0)} ms, of ${rounds}`
    )
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(`${url}#/s/long`)
    const rows = page.locator(".items > li")
    for (let known = 50; known < long * 2; known += 50) {
      await rows.nth(known - 1).waitFor({ state: "attached" })
      await page.getByRole("button", { name: "Earlier messages" }).click()
    }
    await rows.nth(long * 2 - 1).waitFor({ state: "attached" })
    const work = await worked(page)
    await page.evaluate(watch)
    await page.evaluate(scroll)
    console.log(`scrolling ${await rows.count()} messages: ${await framesOf(page)}, ${await work()}`)
    await page.getByRole("textbox", { name: "Message" }).fill("go on")
    await work()
    await page.evaluate(watch)
    await page.keyboard.press("Enter")
    await rows.last().getByText(`piece${pieces.count}`).waitFor({ timeout: 60_000 })
    console.log(`50 pieces a second at the end of them: ${await framesOf(page)}, ${await work()}`)
  } finally {
    await browser.close()
  }
}

const main = Effect.gen(function*() {
  const agent = yield* make
  const talk = (id: string) => agent.respond({ sessionId: id, message: "Hello there, how are you?", principal })
  yield* Effect.forEach(Array.from({ length: sessions }, (_, n) => n), (n) => talk(`s${n}`), { concurrency: 8 })
  yield* Effect.forEach(Array.from({ length: long }, (_, n) => n), () => talk("long"), { discard: true })
  const listening = yield* Deferred.make<string>()
  const told = Layer.effectDiscard(
    Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
      Deferred.succeed(
        listening,
        `http://127.0.0.1:${(address as { readonly port: number }).port}/`
      ))
  )
  const server = Layer.launch(
    told.pipe(
      Layer.provide(Server.serve(Server.layer(agent, { page: true, docs: false, rateLimit: false }))),
      Layer.provide(NodeServer.layer({ port: 0, host: "127.0.0.1" }))
    )
  )
  yield* Effect.raceFirst(
    server,
    Effect.flatMap(Deferred.await(listening), (url) => Effect.promise(() => browse(url)))
  )
}).pipe(
  Effect.provide([
    model,
    Sqlite.layer({ filename: join(folder, "sessions.db") })
  ]),
  Effect.provide(Logger.minimumLogLevel(LogLevel.None)),
  Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
)

Effect.runPromise(Effect.scoped(main)).catch((error) => {
  console.error(error)
  process.exit(1)
})
