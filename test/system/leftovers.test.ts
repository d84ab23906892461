/** What a test run leaves behind, and for how long it holds the event loop. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { measure } from "../setup/held.js"
import { run } from "../support/Program.js"

const root = path.join(import.meta.dirname, "../..")

const isRunning = (pid: number): boolean => {
  // A process that has ended keeps its number until its parent has asked.
  const status = `/proc/${pid}/stat`
  return fs.existsSync(status) && !/\) Z /.test(fs.readFileSync(status, "utf8"))
}

describe.skipIf(!fs.existsSync("/proc/self/environ"))("a test run", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "ends the processes that it started, and deletes its temporary files, at %s",
    async (signal) => {
      const child = spawn(process.execPath, ["--import", "tsx", "test/system/fixtures/leftovers.ts"], {
        cwd: root,
        stdio: ["ignore", "pipe", "inherit"]
      })
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
      const said = await new Promise<string>((resolve) => {
        let text = ""
        child.stdout.setEncoding("utf8").on("data", (more: string) => {
          text += more
          if (text.includes("\n")) resolve(text)
        })
      })
      const { folder, pid } = JSON.parse(said) as { readonly folder: string; readonly pid: number }
      expect([isRunning(pid), fs.existsSync(folder)]).toEqual([true, true])
      child.kill(signal)
      expect(await ended).toBe(128 + os.constants.signals[signal])
      expect([isRunning(pid), fs.existsSync(folder)]).toEqual([false, false])
    }
  )
})

describe("the time for which the event loop is held", () => {
  /** Uses processor time. */
  const work = (seconds: number) => {
    const { system, user } = process.cpuUsage()
    for (;;) {
      const used = process.cpuUsage({ system, user })
      if (used.system + used.user > seconds * 1_000_000) return
    }
  }

  it("is that of the longest piece of work", () => {
    const held = measure()
    work(0.1)
    held.longest()
    work(0.5)
    held.longest()
    work(0.1)
    expect(held.longest()).toBeGreaterThanOrEqual(0.45)
    expect(held.longest()).toBeLessThan(2)
    held.stop()
  })

  it("is short if the work leaves the loop free in between", async () => {
    const held = measure()
    for (let i = 0; i < 100; i++) {
      work(0.02)
      await setImmediate()
    }
    expect(held.longest()).toBeLessThan(1)
    held.stop()
  })

  it("does not contain time that belongs to other processes", async () => {
    const held = measure()
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    Atomics.wait(sleeper, 0, 0, 1_000)
    expect(held.longest()).toBeLessThan(0.5)
    held.stop()
  })
})

it("Vitest's messages between processes have no limit of time", async () => {
  const script = `
    import { createRequire } from "node:module"
    import * as fs from "node:fs"
    import * as path from "node:path"
    const folder = path.join(path.dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "dist/chunks")
    const file = fs.readdirSync(folder).map((name) => path.join(folder, name))
      .find((name) => name.endsWith(".js") && fs.readFileSync(name, "utf8").includes("function createBirpc("))
    let timers = 0
    globalThis.setTimeout = () => void timers++
    const { c: createBirpc } = await import(file)
    createBirpc({}, { post: () => {}, on: () => {} }).onTaskUpdate()
    await Promise.resolve()
    console.log(timers)`
  const timers = async (...args: ReadonlyArray<string>) =>
    (await run(process.execPath, [...args, "--input-type=module", "-e", script])).stdout.trim()
  expect(await timers()).toBe("1")
  expect(await timers("--import", "./test/setup/rpc.mjs")).toBe("0")
})
