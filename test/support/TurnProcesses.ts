/** Processes that answer messages: `system/fixtures/turns.ts`. */
import { type ChildProcess, spawn } from "node:child_process"
import * as path from "node:path"
import type { Line, Options } from "../system/fixtures/turns.js"
import { bundle } from "./Bundle.js"

const script = await bundle(path.join(import.meta.dirname, "../system/fixtures/turns.ts"))

const running = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

export interface Process {
  /** Settles when it waits for `begin`. */
  readonly ready: Promise<void>
  readonly begin: () => void
  /** All lines it printed before it ended or was killed. */
  readonly ended: Promise<{ readonly lines: ReadonlyArray<Line>; readonly killed: boolean }>
}

/** Starts a process, and kills it with SIGKILL as soon as its lines satisfy `isEnough`. */
export const start = (
  options: Options,
  isEnough: (lines: ReadonlyArray<Line>) => boolean = () => false,
  hears: (line: Line) => void = () => {}
): Process => {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "pipe"]
  })
  running.add(child)
  child.once("close", () => running.delete(child))
  const lines: Array<Line> = []
  let [partial, complaint, killed] = ["", "", false]
  let onReady = () => {}
  child.stdin.on("error", () => {})
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => complaint += chunk)
  const ended = new Promise<{ lines: ReadonlyArray<Line>; killed: boolean }>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) =>
      killed || code === 0
        ? resolve({ lines, killed })
        : reject(new Error(`the process ended with ${code}: ${complaint}`)))
  })
  const ready = new Promise<void>((resolve, reject) => {
    onReady = resolve
    ended.then(() => reject(new Error(`the process was never ready: ${complaint}`)), reject)
  })
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (partial + chunk).split("\n")
    partial = parts.pop()!
    for (const part of parts) {
      const line = JSON.parse(part) as Line
      lines.push(line)
      hears(line)
      if ("ready" in line) onReady()
      if (!killed && isEnough(lines)) killed = child.kill("SIGKILL")
    }
  })
  return { ready, begin: () => void child.stdin.write("\n"), ended }
}

/** Starts processes, lets them begin together, and waits until all have ended. */
export const runAll = async (processes: ReadonlyArray<Process>) => {
  await Promise.all(processes.map(({ ready }) => ready))
  for (const { begin } of processes) begin()
  return Promise.all(processes.map(({ ended }) => ended))
}
