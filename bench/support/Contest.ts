/** Programs that are measured side by side: each is a process that stays for all rounds, and their rounds alternate. */
import { build, type BuildOptions } from "esbuild"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the benches. */
export const bench = fileURLToPath(new URL(".", import.meta.url)).replace(/support[\\/]?$/, "")

/** Bundles files of `bench/` as what is published is: what is of this package becomes part, other packages stay outside. */
export const bundle = (files: ReadonlyArray<string>, options: BuildOptions) =>
  build({
    entryPoints: files.map((file) => path.join(bench, file)),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "es2022",
    logLevel: "error",
    ...options
  })

/** Runs with a folder beside the benches, where bundles find the packages, and removes it at the end. */
export const withFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = fs.mkdtempSync(path.join(bench, "contest-"))
  try {
    return await use(folder)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

const answer = async <A>(child: ChildProcess): Promise<A> => {
  const gone = new AbortController()
  const [message] = await Promise.race([
    once(child, "message", gone),
    once(child, "exit", gone).then(() => Promise.reject(new Error("a contender has ended")))
  ]).finally(() => gone.abort()) as [A]
  return message
}

/** A process that is asked for a round, and answers with what it measured. */
export interface Player<Round extends { readonly scenario: string }, Measured> {
  /** The scenarios that it knows. */
  readonly names: ReadonlyArray<Round["scenario"]>
  readonly ask: (round: Round) => Promise<Measured>
  readonly close: () => void
}

/** Starts a program, which sends `{ names }` first and then one message for each that it gets. */
export const begin = async <Round extends { readonly scenario: string }, Measured>(
  file: string,
  ...options: ReadonlyArray<string>
): Promise<Player<Round, Measured>> => {
  const child = fork(file, options, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  const { names } = await answer<Pick<Player<Round, Measured>, "names">>(child)
  const ask = (round: Round): Promise<Measured> => {
    child.send(round)
    return answer(child)
  }
  return { names, ask, close: () => child.kill() }
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
