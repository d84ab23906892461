/** Ends the processes that a run leaves behind, and deletes its temporary files, also when it is interrupted. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Scope from "../../scripts/test/Scope.js"

const bundles = path.join(import.meta.dirname, "../../node_modules/.cache/coxswain-bundles")

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export default (): void =>
  Scope.begin(() => {
    // `test/support/Bundle.ts` writes where packages are found, in a folder named after its process.
    const folders = fs.existsSync(bundles) ? fs.readdirSync(bundles) : []
    for (const name of folders.filter((name) => !isRunning(Number.parseInt(name, 10)))) {
      fs.rmSync(path.join(bundles, name), { recursive: true, force: true })
    }
  })
