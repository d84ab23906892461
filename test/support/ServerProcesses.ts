/** Processes that serve the desk: `system/fixtures/server.ts`. */
import { type ChildProcess, spawn } from "node:child_process"
import * as path from "node:path"
import * as limits from "../setup/limits.js"
import type { Options } from "../system/fixtures/server.js"
import { bundle } from "./Bundle.js"

const script = await bundle(path.join(import.meta.dirname, "../system/fixtures/server.ts"))
const running = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

export interface Served {
  readonly url: string
  readonly kill: (signal: "SIGKILL" | "SIGTERM") => Promise<number | null>
  readonly complaint: () => string
}

/** Starts a server and waits until it listens. */
export const start = (options: Options): Promise<Served> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, JSON.stringify(options)])
    running.add(child)
    let complaint = ""
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => complaint += chunk)
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    const late = setTimeout(() => child.kill("SIGKILL"), limits.child)
    void ended.then((code) => {
      running.delete(child)
      clearTimeout(late)
      reject(new Error(`the server ended with ${code}: ${complaint}`))
    })
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      complaint += chunk
      const port = /^\{"port":(\d+)\}$/m.exec(chunk)?.[1]
      if (port === undefined) return
      clearTimeout(late)
      resolve({
        url: `http://127.0.0.1:${port}`,
        complaint: () => complaint,
        kill: (signal) => {
          child.kill(signal)
          return ended
        }
      })
    })
  })

export interface Event {
  readonly id?: string
  readonly name: string
  readonly data: any
}

/** Reads the server-sent events of a response, until it ends or `enough` returns true. */
export const read = async (response: Response, enough: (events: ReadonlyArray<Event>) => boolean = () => false) => {
  const events: Array<Event> = []
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (!enough(events)) {
    const { done, value } = await reader.read()
    if (done) return events
    text += decoder.decode(value, { stream: true })
    const blocks = text.split("\n\n")
    text = blocks.pop()!
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1]
      const [data, id] = [field("data"), field("id")]
      if (data !== undefined) {
        events.push({ ...(id !== undefined && { id }), name: field("event") ?? "message", data: JSON.parse(data) })
      }
    }
  }
  await reader.cancel()
  return events
}
