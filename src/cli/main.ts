#!/usr/bin/env node
/** The program `coxswain`. */
import * as Module from "node:module"
import { pathToFileURL } from "node:url"
import * as Package from "./Package.js"

/**
 * Caches compiled code for the next start (from Node 22.1 on). The cast is needed, because the installed types are
 * those of Node 20.
 */
const { enableCompileCache } = Module as { readonly enableCompileCache?: () => void }
enableCompileCache?.()

/**
 * The installation of this package that files in the current folder import. It runs instead of the installation that
 * was started, which may be a global one: an agent made by another installation is not recognised.
 */
const local = Package.rootFrom(process.cwd())
const program = local === undefined || local === Package.root
  ? "./Program.js"
  : pathToFileURL(`${local}/dist/cli/Program.js`).href
await import(program)
