/**
 * Patches TypeScript with the Effect language service, in a checkout. Where the development dependencies are missing
 * (`npm ci --omit=dev`) there is nothing to patch. `npm install` of a git address runs this too: it builds `dist`, which
 * is not in git.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const run = (script, ...args) => {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

const service = `${root}node_modules/@effect/language-service/cli.js`
if (existsSync(service)) {
  run(service, "patch")
  if (!existsSync(`${root}.git`)) run(`${root}node_modules/typescript/bin/tsc`, "-b", "tsconfig.build.json")
}
