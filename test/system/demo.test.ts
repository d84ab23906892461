import { SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Effect, Logger, LogLevel, TestClock, TestContext } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as Hotel from "../../demo/hotel.js"
import * as Servers from "../../demo/servers.js"
import { demo as picture } from "../../scripts/pictures.js"
import { dialects } from "../layers/models/dialects.js"
import { serve } from "../layers/models/server.js"
import * as limits from "../setup/limits.js"
import { bundle } from "../support/Bundle.js"

const root = fileURLToPath(new URL("../..", import.meta.url))

const { NO_COLOR: _n, OPENAI_API_KEY: _k, OPENAI_BASE_URL: _u, OPENAI_COMPATIBLE_API_KEY: _c, ...env } = process.env

const demo = [await bundle(join(root, "demo/main.ts"))]

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a program; `say` is called with all output so far whenever there is more, and may type. */
const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: {
    readonly input?: string
    readonly env?: Record<string, string>
    readonly say?: (out: string, type: (text: string) => void) => void
  }
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: { ...env, ...options.env }, timeout: limits.child })
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      options.say?.(out, (typed) => child.stdin.write(typed))
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => err += text)
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, out, err }))
    if (options.say === undefined) child.stdin.end(options.input ?? "")
  })

/** Each conversation is new, and begins on a Monday. */
const forgetful = ["--sessions", ":memory:"]
const today = ["--today", "2027-03-01"]

const pipe = (lines: ReadonlyArray<string>, args: ReadonlyArray<string> = [], more: Record<string, string> = {}) =>
  run(process.execPath, [...demo, ...(args.includes("--sessions") ? [] : forgetful), ...today, ...args], {
    input: lines.map((line) => `${line}\n`).join(""),
    env: more
  })

/** The output between one typed line and the next. */
const answerTo = (out: string, line: string): string =>
  out.split(`> ${line}\n`)[1]?.split("\n> ")[0] ?? `no answer to ${line} in:\n${out}`

describe("the hotel agent of the demo, after a booking", () => {
  const talk = (...lines: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2027, 2, 1))
      const hotel = yield* Hotel.hotel
      const said = ["I need a room in Porto for three people on 2027-05-01", "I am Grace Hopper", "yes", ...lines]
      const responses = yield* Effect.forEach(said, (message) => hotel.respond({ sessionId: "s", message }))
      const { data, flowHistory } = yield* hotel.session("s").snapshot
      return { data: Hotel.describe(data), flowHistory, last: responses.at(-1)! }
    }).pipe(
      Effect.provide([Offline.layer, SessionStore.layerMemory]),
      Effect.provide(TestContext.TestContext),
      Logger.withMinimumLogLevel(LogLevel.None),
      Effect.runPromise
    )
  const lisbon = "city Lisbon, check-in 2027-03-15, guests 2"

  it.each([
    "I need a room in Lisbon for two people on 2027-03-15",
    "I want another room in Lisbon for 2 people on 2027-03-15",
    "Please book a room in Lisbon for 2 guests on March 15, 2027",
    "book me a room in Lisbon on 2027-03-15 for two people",
    "Can I book a second room, in Lisbon, for two people on 2027-03-15?",
    "I would like to book a room in Lisbon for 2 people on 2027-03-15",
    "We need one more room in Lisbon for two guests on 2027-03-15",
    "another booking: a room in Lisbon for 2 people on 2027-03-15",
    "I also need a room in Lisbon on 2027-03-15 for two people",
    "Now book a room in Lisbon for two people on 2027-03-15, please"
  ])("reads all values of a second booking: %s", async (message) => {
    expect((await talk(message)).data).toBe(lisbon)
    expect((await talk(message, "I am Ada Lovelace")).data).toBe(`${lisbon}, name Ada Lovelace`)
    expect((await talk("when do you open?", message)).data).toBe(lisbon)
  })

  it("accepts an identical second booking, and asks only for the name", async () => {
    const again = await talk("I need a room in Porto for three people on 2027-05-01")
    expect(again.data).toBe("city Porto, check-in 2027-05-01, guests 3")
    expect(again.last.message).toContain("full name")
    const whole = await talk("I need a room in Porto for three people on 2027-05-01", "I am Grace Hopper", "yes")
    expect(whole.data).toBe("city Porto, check-in 2027-05-01, guests 3, name Grace Hopper")
    expect(whole.last.completedFlows).toContain("booking")
  })

  it.each(["actually make it Faro", "no, Faro instead", "change the city of my booking to Faro"])(
    "changes the completed booking after a yes: %s",
    async (message) => {
      expect((await talk(message)).last.message).toMatch(/^Shall I change booking PO153 to the garden house in Faro/)
      const { data, last } = await talk(message, "yes")
      expect(data).toBe("city Faro, check-in 2027-05-01, guests 3, name Grace Hopper")
      expect(last.message).toMatch(/^It is changed: the garden house in Faro/)
      expect((await talk(message, "no")).data).toBe("city Porto, check-in 2027-05-01, guests 3, name Grace Hopper")
    }
  )
})

describe("the demo, through a pipe", () => {
  it("prints what the picture in the README shows (`npm run pictures` draws it)", () => {
    expect(picture.svg()).toBe(readFileSync(join(root, picture.name), "utf8"))
  })

  it("books the room and exits 0", async () => {
    const { code, err, out } = await pipe([
      "I need a room in Lisbon for two people on 2027-03-15",
      "I am Ada Lovelace",
      "yes"
    ])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("rules and templates, not a language model")
    expect(out).toContain(
      "It is booked: a double room in Lisbon for 2 guests from Monday, 15 March 2027. Your number is LI1532. Thank you, Ada Lovelace!"
    )
    expect(answerTo(out, "I am Ada Lovelace")).toContain(
      "Shall I book it?\n  why: took name Ada Lovelace; waits at Booking / name"
    )
    expect(out).not.toContain("\x1b")
  })

  it("resumes the conversation after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coxswain-demo-"))
    const kept = ["--sessions", join(folder, "kept", "demo.db")]
    try {
      await pipe(["I need a room in Lisbon for two people on 2027-03-15"], kept)
      const { code, out } = await pipe(["I am Ada Lovelace", "yes"], kept)
      expect(code).toBe(0)
      expect(out).toContain("Going on after 2 messages; /reset begins anew.")
      expect(out).toContain(
        "It is booked: a double room in Lisbon for 2 guests from Monday, 15 March 2027. Your number is LI1532. Thank you, Ada Lovelace!"
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("answers a digression, corrects and rejects a value, cancels, and shows its state", async () => {
    const { code, out } = await pipe([
      "I need a room in Lisbon",
      "for 40 people",
      "when do you open?",
      "2 people on 2027-03-15",
      "actually make it Porto",
      "/state",
      "forget it",
      "/what",
      "",
      "/reset",
      "/state"
    ])
    expect(code).toBe(0)
    expect(answerTo(out, "I need a room in Lisbon")).toMatch(/Could you tell me the day .* and the number of guests/)
    expect(answerTo(out, "for 40 people")).toMatch(
      /I cannot take 40 guests: we have rooms for one to eight guests\. Could you tell me/
    )
    expect(answerTo(out, "when do you open?")).toContain(
      "open from 7:00 to 23:00 every day. Back to your booking: on which day do you arrive?"
    )
    expect(answerTo(out, "when do you open?")).toContain("back to Booking")
    expect(answerTo(out, "2 people on 2027-03-15")).toContain("Could you tell me your full name?")
    expect(answerTo(out, "actually make it Porto")).toContain("took city Porto")
    expect(answerTo(out, "/state")).toContain("collected: city Porto, check-in 2027-03-15, guests 2\n  flow: Booking")
    expect(answerTo(out, "forget it")).toContain("I have dropped it. Nothing was booked.")
    expect(answerTo(out, "/what")).toContain("/state /reset /quit")
    expect(out.slice(out.lastIndexOf("/state"))).toContain("collected: nothing\n  flow: none")
  })

  it("shows the directive chain and the model calls with --trace, and stops at /quit", async () => {
    const { code, out } = await pipe(["book a room in Faro", "forget it", "/quit", "hello"], ["--trace"])
    expect(code).toBe(0)
    expect(answerTo(out, "book a room in Faro")).toMatch(/understood: booking \d+, cancellation \d+, your-bookings \d+/)
    expect(answerTo(out, "book a room in Faro")).toMatch(/model call: speak by .+, stop, \d+ tokens in, \d+ out/)
    expect(answerTo(out, "forget it")).toMatch(/directive: step:dropped\.finalize \(post\) \{"abort"/)
    expect(answerTo(out, "forget it")).toContain("turn: aborted, 0 model calls")
    expect(out).not.toContain("> hello")
  })

  it("names a missing OpenAI key or a wrong option, without a stack trace", async () => {
    const [key, line] = await Promise.all([pipe([], ["--provider", "openai"]), pipe([], ["--provider", "nobody"])])
    expect(key).toEqual({ code: 1, out: "", err: expect.stringContaining("OPENAI_API_KEY") })
    expect(line.code).toBe(1)
    expect(line.out + line.err).toContain("offline, openai")
    expect(key.err + line.err).not.toContain("    at ")
  })

  it("sends requests to OpenAI with --provider openai", async () => {
    const { asked, ran } = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const server = yield* serve(dialects[0]!)
      const judged = {
        flowScores: { "what-i-can-do": 0, booking: 0 },
        fields: { city: null, checkIn: null, guests: null, name: null }
      }
      server.does = [{ _tag: "Say", said: { json: judged } }, { _tag: "Say", said: { text: "From seven till late." } }]
      const more = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: server.url }
      const ran = yield* Effect.promise(() => pipe(["what is new?"], ["--provider", "openai", "--trace"], more))
      return { ran, asked: server.requests.length }
    })))
    expect(ran).toMatchObject({ code: 0, err: "" })
    expect(asked).toBe(2)
    expect(answerTo(ran.out, "what is new?")).toContain("From seven till late.\n")
    expect(ran.out).toContain("2 model calls")
    expect(ran.out).not.toContain("sk-test")
  })

  it("sends requests to any chat-completions server, with the key if one is set", async () => {
    const { ran, requests } = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const server = yield* serve(dialects.find(({ name }) => name === "openai-compatible")!)
      const judged = {
        flowScores: { "what-i-can-do": 0, booking: 0 },
        fields: { city: null, checkIn: null, guests: null, name: null }
      }
      server.does = [{ _tag: "Say", said: { json: judged } }, { _tag: "Say", said: { text: "From seven till late." } }]
      const args = ["--provider", "openai-compatible", "--base-url", `${server.url}/v1`, "--model", "tiny", "--trace"]
      const ran = yield* Effect.promise(() =>
        pipe(["what is new?"], args, { OPENAI_COMPATIBLE_API_KEY: "my-own-key-4711" })
      )
      return { ran, requests: server.requests }
    })))
    expect(ran).toMatchObject({ code: 0, err: "" })
    expect(requests.map(({ body, url }) => [url, body["model"]])).toEqual([
      ["/v1/chat/completions", "tiny"],
      ["/v1/chat/completions", "tiny"]
    ])
    expect(requests[0]!.headers.authorization).toBe("Bearer my-own-key-4711")
    expect(ran.out).toMatch(/Answering with tiny at http:\/\/127\.0\.0\.1:\d+\/v1\./)
    expect(answerTo(ran.out, "what is new?")).toContain("From seven till late.\n")
    expect(ran.out).not.toContain("my-own-key")
  })

  it("speaks with the model of OPENAI_BASE_URL with --model alone, and says so", async () => {
    const { ran, requests } = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const server = yield* serve(dialects.find(({ name }) => name === "openai-compatible")!)
      const judged = { flowScores: { booking: 0 }, fields: { city: null, checkIn: null, guests: null, name: null } }
      server.does = [{ _tag: "Say", said: { json: judged } }, { _tag: "Say", said: { text: "From seven till late." } }]
      const more = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "my-own-key-4711" }
      const ran = yield* Effect.promise(() => pipe(["what is new?"], ["--model", "tiny"], more))
      return { ran, requests: server.requests }
    })))
    expect(ran).toMatchObject({ code: 0, err: "" })
    expect(ran.out).toMatch(/Answering with tiny at http:\/\/127\.0\.0\.1:\d+\/v1\./)
    expect(requests[0]!.headers.authorization).toBe("Bearer my-own-key-4711")
    expect(answerTo(ran.out, "what is new?")).toContain("From seven till late.\n")
  })

  it("names a server on this machine with its models, and asks it for nothing else", async () => {
    const asked: Array<string> = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.setHeader("content-type", "application/json").end(JSON.stringify({ data: [{ id: "qwen3" }] }))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`
    try {
      const found = await Effect.runPromise(
        Servers.find([{ name: "Ollama", baseUrl }, { name: "llama.cpp", baseUrl: "http://127.0.0.1:1/v1" }])
      )
      expect(found).toEqual([{ name: "Ollama", baseUrl, models: ["qwen3"] }])
      expect(asked).toEqual(["GET /v1/models"])
      expect(Servers.hint({}, found)).toBe(
        `Ollama answers at ${baseUrl}: npm run demo -- --model qwen3 speaks with it.`
      )
      const key = { OPENAI_API_KEY: "k" }
      expect(Servers.choose("qwen3", key, found)).toEqual({ _tag: "Compatible", baseUrl })
      expect(Servers.choose("gpt-4o-mini", key, found)).toEqual({ _tag: "OpenAi" })
      expect(Servers.choose("qwen3", {}, [])).toBeUndefined()
    } finally {
      server.close()
    }
  })

  it("reports a missing --model, and a server that cannot be reached", async () => {
    const [model, server] = await Promise.all([
      pipe([], ["--provider", "openai-compatible"]),
      pipe(["hello"], ["--provider", "openai-compatible", "--model", "tiny", "--base-url", "http://127.0.0.1:1/v1"])
    ])
    expect(model).toEqual({ code: 1, out: "", err: expect.stringContaining("needs --model") })
    expect(server.code).toBe(0)
    expect(answerTo(server.out, "hello")).toContain("! [ResponseGenerationError]")
  })
})

const hasPseudoTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ??
  false

describe.skipIf(!hasPseudoTerminal)("the demo, at a terminal", () => {
  const command = [process.execPath, ...demo, ...forgetful, ...today].map((part) => `'${part}'`).join(" ")

  /** Types each text once the output contains its `wait`. */
  const converse = (
    turns: ReadonlyArray<readonly [wait: string, text: string]>,
    args: ReadonlyArray<string> = [],
    more: Record<string, string> = {},
    columns = 300
  ) => {
    let next = 0
    let from = 0
    return run("script", ["-qec", [`stty cols ${columns};`, command, ...args].join(" "), "/dev/null"], {
      env: { TERM: "xterm", ...more },
      say: (out, type) => {
        const turn = turns[next]
        const at = turn === undefined ? -1 : out.indexOf(turn[0], from)
        if (turn === undefined || at < 0) return
        next++
        from = at + turn[0].length
        type(turn[1])
      }
    })
  }

  it("echoes input, handles backspace and input typed before the prompt, and exits at Ctrl+D", async () => {
    const { code, out } = await converse([
      ["> ", "I need a room in Lisbon for two people on 2027-03-15\rAda Lovelacx\x7fe\ryes\r"],
      ["why: book_room: ok", "\x04"]
    ])
    expect(code).toBe(0)
    expect(out).toContain("> I need a room in Lisbon for two people on 2027-03-15\r\n")
    expect(out).toContain("> Ada Lovelacx\b \be\r\n")
    expect(out).toContain(
      "It is booked: a double room in Lisbon for 2 guests from Monday, 15 March 2027. Your number is LI1532. Thank you, Ada Lovelace!"
    )
    expect(out).toContain("\x1b[2m")
  })

  it("breaks lines at words", async () => {
    const { code, out } = await converse([["> ", "what can you do?\r"], ["What I can do", "\x04"]], [], {}, 60)
    expect(code).toBe(0)
    const lines = out.replace(/\x1b\[\d+m/g, "").split("\r\n")
    expect(lines).toContain("I am the hotel's booking assistant. I can book you a room in ")
    expect(lines.filter((line) => line.trimEnd().length > 60)).toEqual([])
  })

  it("exits at Ctrl+C, even while it waits for an answer", async () => {
    const { asked, ran } = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const server = yield* serve(dialects[0]!)
      server.does = [{ _tag: "Hang" }]
      const more = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: server.url }
      const ran = yield* Effect.promise(() =>
        converse([["> ", "when do you open?\r"], ["open?\r\n", "\x03"]], ["--provider", "openai"], more)
      )
      return { ran, asked: server.requests.length }
    })))
    expect(ran.code).toBe(0)
    expect(asked).toBeLessThanOrEqual(1)
  })
})
