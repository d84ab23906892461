/** Prints after a run which database engines the store tests ran on, and which not. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const variable = "COXSWAIN_ENGINES"

/** Records that an engine was used, or why not. */
export const record = (engine: string, ran: boolean): void => {
  const file = process.env[variable]
  if (file !== undefined) fs.appendFileSync(file, `${ran ? "run" : "NOT RUN"}: ${engine}\n`)
}

export default (): () => void => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-engines-"))
  const file = path.join(folder, "engines")
  fs.writeFileSync(file, "")
  process.env[variable] = file
  return () => {
    const lines = [...new Set(fs.readFileSync(file, "utf8").split("\n"))].filter((line) => line !== "").sort()
    if (lines.length > 0) console.log(["", "Database engines:", ...lines.map((line) => `  ${line}`)].join("\n"))
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
