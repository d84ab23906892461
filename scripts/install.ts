/**
 * Installs the packages of a folder that has a `package.json` of its own: what only some scripts or tests need is no part of
 * `npm ci`. By hand: `npx tsx scripts/install.ts test`.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Runs a command. Returns its output; when it fails, the error shows it. */
export const run = (command: string, args: ReadonlyArray<string>, cwd = root): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => said += String(text))
    child.once("error", reject)
    child.once(
      "close",
      (code) =>
        code === 0 ? resolve(said) : reject(new Error(`${[command, ...args].join(" ")} ended with ${code}:\n${said}`))
    )
  })

/** Installs what the folder's lockfile says, unless that was installed last. Two processes may ask at the same time. */
export const install = async (name: string): Promise<void> => {
  const folder = path.join(root, name)
  const installed = path.join(folder, "node_modules/.coxswain-lock")
  const wanted = fs.readFileSync(path.join(folder, "package-lock.json"), "utf8")
  const isInstalled = () => fs.existsSync(installed) && fs.readFileSync(installed, "utf8") === wanted
  if (isInstalled()) return
  const lock = path.join(root, "node_modules/.cache", `installing-${path.basename(name)}`)
  fs.mkdirSync(path.dirname(lock), { recursive: true })
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: "wx" })
  } catch {
    await ended(lock)
    return install(name)
  }
  try {
    console.log(`installing the packages of ${name}/package.json …`)
    const config = ["--legacy-peer-deps", "--prefer-offline", "--no-audit", "--no-fund"]
    await run("npm", ["ci", ...config], folder)
    fs.writeFileSync(installed, wanted)
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

/** Waits until the process that holds the lock has ended its work, or has died. */
const ended = async (lock: string): Promise<void> => {
  while (fs.existsSync(lock)) {
    try {
      process.kill(Number(fs.readFileSync(lock, "utf8")) || process.pid, 0)
    } catch {
      fs.rmSync(lock, { force: true })
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const name of process.argv.slice(2)) await install(name)
}
