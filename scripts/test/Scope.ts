/**
 * The processes and temporary files of a run. Everything that a run starts inherits a temporary folder; by it the run finds
 * the processes that it left behind, ends them and deletes the folder, also when it is interrupted.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** How long processes have to end by themselves, in milliseconds. */
const grace = 3_000

const sleep = (millis: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

const read = (file: string): string => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    // The process has ended, or belongs to somebody else.
    return ""
  }
}

/** The other processes that have this temporary folder, or one in it. Only Linux tells their environment. */
const processesOf = (folder: string): ReadonlyArray<number> =>
  (fs.existsSync("/proc/self/environ") ? fs.readdirSync("/proc") : [])
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => `\0${read(`/proc/${name}/environ`)}`.includes(`\0TMPDIR=${folder}`))
    .map(Number)

const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
  }
}

/** Ends the processes that have this temporary folder. Returns their commands. */
const endProcesses = (folder: string): ReadonlyArray<string> => {
  const found = processesOf(folder)
  const commands = found.map((pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim())
  signal(found, "SIGTERM")
  const until = performance.now() + grace
  for (let left = found; left.length > 0; left = processesOf(folder)) {
    if (performance.now() > until) signal(left, "SIGKILL")
    if (performance.now() > until + grace) break
    sleep(20)
  }
  return commands
}

/**
 * Gives this process and those that it starts from now on a temporary folder, and ends them with it. `onEnd` gets the
 * commands of the processes that it had to end.
 */
export const begin = (onEnd: (commands: ReadonlyArray<string>) => void = () => {}): void => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-run-"))
  // Database servers that refuse to run as root run as a user that must reach it.
  fs.chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  // First, because Vitest exits from its own listener, after which no other is called.
  process.prependOnceListener("exit", () => {
    onEnd(endProcesses(folder))
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  // These listeners stay, so that a second Ctrl-C does not end this process before the others.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => process.exit(128 + os.constants.signals[name]))
  }
}
