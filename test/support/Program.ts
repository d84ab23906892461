/** Programs that tests run to their end. The event loop is free meanwhile. */
import { execFile } from "node:child_process"
import * as path from "node:path"
import * as limits from "../setup/limits.js"

const root = path.join(import.meta.dirname, "../..")

export interface Ran {
  /** The exit code, or the code of the error for which it did not start; null if a signal ended it. */
  readonly status: number | string | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export const run = (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string = root,
  timeout: number = limits.child
): Promise<Ran> =>
  new Promise((resolve) =>
    execFile(
      command,
      args,
      { cwd, timeout, maxBuffer: 1 << 26 },
      (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : error.code ?? null, signal: error?.signal ?? null, stdout, stderr })
    ).stdin?.end()
  )

/** Runs a script of the repository in TypeScript, and decodes the JSON that it prints. */
export const evaluate = async (script: string): Promise<unknown> => {
  const { status, stderr, stdout } = await run(process.execPath, ["--import", "tsx", script])
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout)
}
