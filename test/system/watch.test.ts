/** `coxswain serve --watch`, as a process: a changed document is taken for the next turn. */
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import * as limits from "../setup/limits.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-watch-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

const trips = (parts: { readonly wish?: string; readonly title?: string; readonly guests?: string } = {}): string =>
  `name: Trips
data:
  city: { type: string, description: the city }
  guests: { type: ${parts.guests ?? "integer"}, description: how many people }
flows:
  - title: ${parts.title ?? "Plan a trip"}
    when: the guest wants to travel
    steps:
      - id: ask
        prompt: Ask for what is missing
        collect: [city, guests]
      - id: wish
        reply: ${parts.wish ?? "Have a good time in {{data.city}}!"}
`

/** A server in a process of its own, which ends with the test. */
const serve = async (file: string, use: (server: Awaited<ReturnType<typeof started>>) => Promise<void>) => {
  const server = await started(file)
  try {
    await use(server)
  } finally {
    server.child.kill("SIGINT")
    await server.ended
  }
}

const started = async (file: string, before: ReadonlyArray<string> = []) => {
  const args = [
    "--import",
    "tsx",
    ...before,
    "src/cli/main.ts",
    "serve",
    file,
    "--watch",
    "--port",
    "0",
    "--sessions",
    "memory"
  ]
  const child = spawn(process.execPath, args, { cwd: root, timeout: limits.child })
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const waiting = new Set<() => void>()
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text
      for (const look of waiting) look()
    })
  }
  /** Waits until the server has printed the text, and returns all that it has printed since the last call. */
  const until = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (!said.includes(text)) return
        waiting.delete(look)
        const all = said
        said = ""
        resolve(all)
      }
      waiting.add(look)
      void ended.then(() => reject(new Error(`it has ended, and printed only: ${said}`)))
      look()
    })
  const url = /is at (http:\S+),/.exec(await until("Ctrl+C stops it."))![1]!
  const say = (session: string, message: string) =>
    fetch(`${url}/sessions/${session}/turns`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message })
    }).then(async (response) => ({
      status: response.status,
      ...await response.json() as { readonly message?: string }
    }))
  return { child, ended, until, say }
}

describe("`coxswain serve --watch`", () => {
  it("uses a changed file from the next turn on, and keeps the sessions", async () => {
    const file = path.join(temp, "agent.yaml")
    fs.writeFileSync(file, trips())
    await serve(file, async ({ say, until }) => {
      await say("u1", "I want to travel to Lisbon")
      fs.writeFileSync(file, trips({ wish: "See {{data.city}}, all {{data.guests}}!" }))
      expect(await until("takes the changed definition")).toContain("agent.yaml")
      expect(await say("u1", "2 guests")).toMatchObject({ message: "See Lisbon, all 2!" })
    })
  })

  it(
    "keeps the former definition while the changed file has errors, and prints each error with its position",
    async () => {
      const file = path.join(temp, "faulty.yaml")
      fs.writeFileSync(file, trips())
      await serve(file, async ({ say, until }) => {
        await say("u1", "I want to travel to Lisbon")
        fs.writeFileSync(file, trips({ wish: "To {{data.cty}}!" }))
        const printed = await until("The former definition stays in force")
        expect(printed).toContain(`${file}:13:26 [DocumentError] unknown field "cty" of data`)
        expect(await say("u1", "2 guests")).toMatchObject({ message: "Have a good time in Lisbon!" })
        fs.rmSync(file)
        expect(await until("The former definition stays in force")).toContain("faulty.yaml")
        expect(await say("u2", "I want to travel to Porto, 3 guests")).toMatchObject({
          message: "Have a good time in Porto!"
        })
        fs.writeFileSync(file, trips({ wish: "Good bye!" }))
        await until("takes the changed definition")
        expect(await say("u3", "I want to travel to Porto, 3 guests")).toMatchObject({ message: "Good bye!" })
      })
    }
  )

  it("warns of sessions in a removed flow, values that no longer fit, and code that it does not reload", async () => {
    const folder = path.join(temp, "folder")
    fs.mkdirSync(path.join(folder, "flows"), { recursive: true })
    const [file, registry] = [path.join(folder, "agent.yaml"), path.join(folder, "registry.mjs")]
    fs.writeFileSync(file, trips())
    fs.writeFileSync(registry, "export default {}\n")
    await serve(folder, async ({ say, until }) => {
      await say("u1", "I want to travel to Lisbon")
      await say("u2", "2 guests")
      fs.writeFileSync(file, trips({ title: "Go away" }))
      expect(await until("stood in it")).toContain("The flow \"plan-a-trip\" is gone, and 1 session stood in it: u1.")
      fs.writeFileSync(file, trips({ title: "Go away", guests: "boolean" }))
      expect(await until("repair them")).toContain("The values of 1 session do not fit the changed fields: u2.")
      fs.writeFileSync(registry, "export default { hooks: {} }\n")
      expect(await until("start again")).toContain("registry.mjs is code, which is loaded once")
      fs.writeFileSync(
        path.join(folder, "flows", "hours.yaml"),
        "title: Hours\nwhen: the guest asks when we are open\nsteps: [{ reply: From 17 to 23. }]\n"
      )
      expect(await until("takes the changed definition")).toContain(path.join("flows", "hours.yaml"))
      expect(await say("u3", "When are you open?")).toMatchObject({ message: "From 17 to 23." })
    })
  })

  it("ends at SIGTERM while the file system does not answer, and answers until then", async () => {
    const [file, pipe, double] = ["mount.yaml", "pipe", "dead.mjs"].map((name) => path.join(temp, name))
    fs.writeFileSync(file!, trips())
    execFileSync("mkfifo", [pipe!])
    // A dead mount takes a thread of the process and never gives it back, as the opening of a pipe that nobody writes to.
    fs.writeFileSync(
      double!,
      `import fs from "node:fs"
      import { syncBuiltinESMExports } from "node:module"
      const stat = fs.promises.stat
      fs.promises.stat = (name, ...rest) => {
        if (name !== ${JSON.stringify(file)} || !fs.existsSync(name + ".dead")) return stat(name, ...rest)
        console.log("The mount is dead.")
        return fs.promises.open(${JSON.stringify(pipe)}, "r").then((pipe) => pipe.stat())
      }
      syncBuiltinESMExports()
      `
    )
    const { child, ended, say, until } = await started(file!, ["--import", double!])
    fs.writeFileSync(`${file}.dead`, "")
    await until("The mount is dead.")
    expect(await say("u1", "I want to travel to Lisbon, 2 guests")).toMatchObject({ status: 200 })
    child.kill("SIGTERM")
    const outcome = await Promise.race([
      ended.then(() => "ended"),
      new Promise((later) => setTimeout(later, 10_000, "hangs"))
    ])
    child.kill("SIGKILL")
    expect(outcome).toBe("ended")
  })
})
