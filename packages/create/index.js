#!/usr/bin/env node
/** `npm create coxswain desk` is `coxswain new desk`. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

const manifest = createRequire(import.meta.url).resolve("coxswain/package.json")
const { bin } = JSON.parse(readFileSync(manifest, "utf8"))
process.argv.splice(2, 0, "new")
await import(pathToFileURL(join(dirname(manifest), bin.coxswain)).href)
