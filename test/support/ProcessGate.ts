/**
 * Gates between processes of one test run: a process waits at a gate until a test opens it, for as long as that takes. Each
 * opening lets one pass. A gate is a folder of the run's temporary folder, and an opening is a file in it.
 */
import { Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const folderOf = (gate: string): string => path.join(os.tmpdir(), `coxswain-gate-${gate}`)

/** Opens a gate for as many as `times`, who may come later. */
export const open = (gate: string, times = 1): void => {
  const folder = folderOf(gate)
  fs.mkdirSync(folder, { recursive: true })
  for (let i = 0; i < times; i++) fs.writeFileSync(path.join(folder, randomUUID()), "")
}

/** Takes an opening, unless somebody else is faster. */
const taken = (gate: string): boolean => {
  try {
    const folder = folderOf(gate)
    const [opening] = fs.readdirSync(folder)
    if (opening === undefined) return false
    fs.unlinkSync(path.join(folder, opening))
    return true
  } catch {
    return false
  }
}

/** Waits until the gate is open. */
export const pass = (gate: string): Effect.Effect<void> =>
  Effect.sync(() => taken(gate)).pipe(
    Effect.repeat({ until: (isOpen) => isOpen, schedule: Schedule.spaced("10 millis") }),
    Effect.asVoid
  )
