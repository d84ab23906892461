/** The command line as a process: input, output and exit codes. */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import * as limits from "../setup/limits.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-chat-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

const coxswain = (args: ReadonlyArray<string>, lines: ReadonlyArray<string> = [], cwd = root): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", tsx, path.join(root, "src/cli/main.ts"), ...args], {
      cwd,
      env: { ...process.env, TSX_TSCONFIG_PATH: path.join(root, "tsconfig.json") },
      timeout: limits.child
    })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (err += text))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, out, err }))
    child.stdin.end(lines.map((line) => `${line}\n`).join(""))
  })

/** A server as a process; `stop` returns its exit code. */
const serve = async (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli/main.ts", ...args], {
    cwd: root,
    timeout: limits.child
  })
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const url = await new Promise<string>((resolve, reject) => {
    let out = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      const found = /is at (http:\S+),/.exec(out)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.on("close", () => reject(new Error(`it said only: ${out}`)))
  })
  const stop = () => {
    child.kill("SIGINT")
    return ended
  }
  return { stop, url }
}

const desk = "templates/desk/agent.ts"
const sessions = ["--sessions", path.join(temp, "sessions")]

describe("the command line, through a pipe", () => {
  it("records what chat does, and explains it without being told where", async () => {
    const folder = path.join(temp, "recorded")
    fs.mkdirSync(folder)
    const agent = path.join(root, "test/fixtures/cli/policed.mjs")
    const said = await coxswain(["chat", agent], ["I want to pay 90 euros"], folder)
    expect(said.out).toContain("Recorded in .coxswain/turns.jsonl; coxswain explain shows its calls")
    const listed = await coxswain(["explain", "--agent", agent], [], folder)
    expect(listed.out).toMatch(/^pay \(\S+\), of the turn "I want to pay 90 euros"$/m)
    const explained = await coxswain(["explain", "chat", "pay", "--agent", agent], [], folder)
    expect(explained.out).toContain("refuses pay")
    const nobody = await coxswain(["explain", "nobody", "--agent", agent], [], folder)
    expect(nobody.out).toBe("no tool was called in the 0 recorded turns of the session \"nobody\"\n")
  })

  it("explains by which words a message stated an argument of a call", async () => {
    const folder = path.join(temp, "quoted")
    fs.mkdirSync(folder)
    const agent = path.join(root, "test/fixtures/cli/quoted.mjs")
    await coxswain(["chat", agent], ["I pay ninety euros"], folder)
    const explained = await coxswain(["explain", "chat", "pay", "--agent", agent], [], folder)
    expect(explained.out).toContain("amount was stated by the words \"ninety\", for euros")
  })

  it("draws the graph into a file, and says where it is", async () => {
    const folder = path.join(temp, "drawn")
    fs.mkdirSync(folder)
    const { out } = await coxswain(["graph", path.join(root, desk)], [], folder)
    expect(out).toBe(`The graph is in ${pathToFileURL(path.join(folder, "graph.svg")).href}\n`)
    expect(fs.readFileSync(path.join(folder, "graph.svg"), "utf8")).toContain("<svg")
  })

  it("names another port if the port is taken", async () => {
    const other = http.createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => other.once("listening", resolve))
    const { port } = other.address() as AddressInfo
    const { code, err } = await coxswain(["serve", desk, "--port", String(port), "--sessions", "memory"])
    other.close()
    expect(code).toBe(2)
    expect(err).toBe(
      `nothing is served on 127.0.0.1:${port}: another program listens there.\nChoose another port: coxswain serve --port ${
        port + 1
      }. With --port 0 the system chooses one.\n`
    )
  })

  it("chats with an agent in TypeScript, and resumes the conversation later", async () => {
    const first = await coxswain(["chat", desk, ...sessions], [
      "A table for 2 guests on 2027-03-12",
      "/state",
      "/why",
      "/quit"
    ])
    expect(first).toMatchObject({ code: 0, err: "" })
    expect(first.out).toContain("> A table for 2 guests on 2027-03-12\n  collected: day 2027-03-12, guests 2\n")
    expect(first.out).toContain("step: name")
    expect(first.out).toContain("Took *guests* = 2 from “for 2”.")
    expect(first.out).toContain("went to *Booking*.")
    const log = ["--log", path.join(temp, "log", "turns.db")]
    const second = await coxswain(["chat", desk, ...sessions, ...log], ["Ada Lovelace", "/reset"])
    expect(second.out).toContain("after 2 messages")
    expect(second.out).toContain("A table for 2 on 2027-03-12, for Ada Lovelace. See you then!")
    expect(second.out).toContain("forgotten: everything")
    expect(second.code).toBe(0)
    expect(second.out).not.toContain("\x1b")
    expect(await coxswain(["replay", desk, ...log])).toMatchObject({
      code: 0,
      out: "Desk: 1 of 1 turn as they were, in 1 session.\n"
    })
  })

  it("chats with an agent in YAML", async () => {
    const { code, err, out } = await coxswain(["chat", "templates/desk-yaml/agent.yaml", "--sessions", "memory"], [
      "A table for 2 guests on 2027-03-12",
      "Ada Lovelace"
    ])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("A table for 2 on 2027-03-12, for Ada Lovelace. See you then!")
  })

  it("takes the next message as the answer to a question to the user", async () => {
    const args = ["chat", "test/system/fixtures/closing.ts", "--sessions", "memory"]
    const agreed = await coxswain(args, ["Close my account", "yes please"])
    expect(agreed.out).toContain("Shall I close your account?")
    expect(agreed.out).not.toContain("[y/N]")
    expect(agreed.out).toContain("It is closed.")
    expect((await coxswain(args, ["Close my account", "no thanks"])).out).toContain("It stays open.")
  }, 60_000)

  it("asks the user to approve a tool call", async () => {
    const args = ["chat", "test/system/fixtures/cancelling.ts", "--sessions", "memory"]
    const declined = await coxswain(args, ["Cancel it", "no"])
    expect(declined.out).toContain("\n  reason: a trip is cancelled for good\napprove cancel {}? [y/N] no\n")
    expect(declined.out).toContain("tool: cancel: denied")
    const asked = await coxswain(args, ["Cancel it", "which one is it?", "yes"])
    expect(asked.out).toContain("\napprove cancel {}? [y/N] which one is it?\napprove cancel {}? [y/N] yes\n")
    expect(asked.out).toContain("tool: cancel: ok")
    const approved = await coxswain(args, ["Cancel it", "y"])
    expect(approved.out).toContain("tool: cancel: ok")
    expect(approved.out).toContain("It is done.")
  })

  it("serves an agent until it is stopped", async () => {
    const { stop, url } = await serve(["serve", desk, "--port", "0", "--sessions", "memory"])
    // The address is the page of the agent.
    expect(await fetch(`${url}/`).then((page) => page.text())).toContain("<div id=\"page\">")
    const response = await fetch(`${url}/sessions/u1/turns`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "A table for 2 guests on 2027-03-12" })
    })
    expect(await response.json()).toMatchObject({ stoppedReason: "needs_input" })
    expect(await stop()).toBe(130)
  })

  it("takes the context of every turn from a file, and says which of its values is wrong", async () => {
    const agent = path.join(temp, "bilingual.yaml")
    fs.writeFileSync(
      agent,
      `coxswain: 1
name: Desk
context: { locale: { type: string }, tier: { enum: [gold, blue] } }
flows:
  - title: Hello
    steps: [{ id: hello, reply: { en: "Hello, {{context.tier}}.", de: "Hallo, {{context.tier}}." } }]
`
    )
    const context = (json: string) => {
      const file = path.join(temp, "context.json")
      fs.writeFileSync(file, json)
      return ["--context", file]
    }
    const talked = await coxswain([
      "chat",
      agent,
      "--sessions",
      "memory",
      ...context("{\"locale\":\"de\",\"tier\":\"gold\"}")
    ], ["hi"])
    expect(talked).toMatchObject({ code: 0, err: "" })
    expect(talked.out).toContain("Hallo, gold.")
    const turns = ["simulate", agent, "--turns", "5"]
    expect((await coxswain([...turns, ...context("{\"locale\":\"de\",\"tier\":\"blue\"}")])).code).toBe(0)
    const wrong = await coxswain([...turns, ...context("{\"locale\":\"de\",\"tier\":\"green\"}")])
    expect(wrong).toMatchObject({ code: 2, out: "" })
    expect(wrong.err).toMatch(/tier: .*\nCorrect these values; the agent's context has locale, tier\./)
    expect((await coxswain([...turns, ...context("{\"plan\":1}")])).err).toContain("plan: ")
    expect((await coxswain([...turns, ...context("[")])).err).toContain("Write one JSON object")
    expect((await coxswain([...turns, "--context", "nowhere.json"])).err).toContain("no such file")
    const served = ["serve", agent, "--port", "0", "--sessions", "memory"]
    expect(await coxswain([...served, ...context("{\"tier\":\"green\"}")])).toMatchObject({ code: 2, err: wrong.err })
    const { stop, url } = await serve([...served, ...context("{\"locale\":\"de\",\"tier\":\"gold\"}")])
    const response = await fetch(`${url}/sessions/u1/turns`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "hi", locale: "en" })
    })
    expect(await response.json()).toMatchObject({ message: "Hallo, gold." })
    await stop()
  })

  it("simulates users with given values, and says which of them is wrong", async () => {
    const agent = path.join(temp, "titles.yaml")
    fs.writeFileSync(
      agent,
      `coxswain: 1
name: Library
data: { title: { type: string }, copies: { type: integer, minimum: 1 } }
flows:
  - title: Loan
    steps:
      - { id: ask, collect: [title, copies], prompt: Ask for both }
      - { id: found, skip: "data.title != 'Ulysses'", prompt: Say that it is there }
`
    )
    const simulate = (...values: ReadonlyArray<string>) =>
      coxswain(["simulate", agent, "--turns", "60", "--strict", ...values])
    const file = path.join(temp, "values.json")
    fs.writeFileSync(file, "{\"title\":[\"Ulysses\"]}")
    for (const values of ["{\"title\":[\"Ulysses\"],\"copies\":[1,2]}", file]) {
      expect(await simulate("--values", values)).toMatchObject({ code: 0, err: "" })
    }
    expect((await simulate()).out).toContain("never came to step \"loan/found\"")
    const wrong = await simulate("--values", "{\"titel\":[\"Ulysses\"],\"copies\":[1,0]}")
    expect(wrong).toMatchObject({ code: 2, out: "" })
    expect(wrong.err).toContain("titel: the agent has no such field; did you mean title?; copies[1]: ")
    expect(wrong.err).toContain("Correct these values; the agent's fields are title, copies.")
  })

  it("exits with code 2 for a wrong option or a module without an agent", async () => {
    const many = await coxswain(["simulate", desk, "--turns", "many"])
    expect(many).toMatchObject({ code: 2, err: expect.stringContaining("--turns: \"many\" is not a whole number") })
    const { code, err, out } = await coxswain(["check", "test/fixtures/cli/no-agent.mjs"])
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toContain("exports no agent")
  })
})

const hasPseudoTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ??
  false

describe.skipIf(!hasPseudoTerminal)("`coxswain chat`, at a terminal", () => {
  /** Types each text once the output since the one before contains its `wait`. Returns the result. */
  const typed = (agent: string, ...keys: ReadonlyArray<readonly [wait: string, text: string]>): Promise<Ran> =>
    new Promise((resolve, reject) => {
      const line = [process.execPath, "--import", "tsx", "src/cli/main.ts", "chat", agent, "--sessions", "memory"]
      const child = spawn("script", ["-qec", line.map((part) => `'${part}'`).join(" "), "/dev/null"], {
        cwd: root,
        env: { ...process.env, TERM: "xterm" },
        timeout: limits.child
      })
      let [out, from, next] = ["", 0, 0]
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text
        for (;;) {
          const [wait, keystrokes] = keys[next] ?? []
          const at = wait === undefined ? -1 : out.indexOf(wait, from)
          if (wait === undefined || at < 0) return
          next++
          from = at + wait.length
          child.stdin.write(keystrokes!)
        }
      })
      child.on("error", reject)
      child.on("close", (code) => resolve({ code, out, err: "" }))
    })

  const cancelling = "test/system/fixtures/cancelling.ts"

  it.each(
    [
      ["at the prompt", [["> ", "\x03"]]],
      ["at the prompt, with half a line typed", [["> ", "Can"], ["Can", "\x03"]]],
      ["where it asks for an approval", [["> ", "Cancel it\r"], ["[y/N] ", "\x03"]]]
    ] as const
  )("exits with code 130 at Ctrl+C %s", async (_, keys) => {
    expect(await typed(cancelling, ...keys)).toMatchObject({ code: 130 })
  })

  it("stops the running answer at Ctrl+C, and continues the chat", async () => {
    const { code, out } = await typed(
      cancelling,
      ["> ", "Wait for it\r"],
      ["Wait for it\r", "\x03"],
      ["> ", "/nothing\r"],
      ["commands: /state", "\x04"]
    )
    expect(out).toContain("commands: /state")
    expect(code).toBe(0)
  })
})
