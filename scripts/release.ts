/**
 * Publishes both packages, unless this version is published: runs the tests, publishes `coxswain` with `changeset publish`,
 * which tags the commit, and then `create-coxswain`, which depends on it. The release workflow runs it; `npm run release`.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"

const run = (command: string, ...args: ReadonlyArray<string>): void => {
  const { status } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")} ended with ${status}`)
}

const { version } = JSON.parse(fs.readFileSync("package.json", "utf8"))

const isPublished = (name: string): boolean =>
  spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" }).stdout.trim() === version

if (!isPublished("coxswain")) {
  run("npm", "test")
  run("npx", "--yes", "@changesets/cli@2.31.1", "publish")
}
if (!isPublished("create-coxswain")) run("npm", "publish", "./packages/create", "--access", "public")
