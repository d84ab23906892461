#!/usr/bin/env node
/**
 * The program `coxswain`.
 *
 * @since 0.1.0
 */
import * as Module from "node:module"
import { pathToFileURL } from "node:url"
import * as Package from "./Package.js"

/** From Node 22.1 on what was compiled once is kept for the next start. The types are those of Node 20, which lacks it. */
const { enableCompileCache } = Module as { readonly enableCompileCache?: () => void }
enableCompileCache?.()

/**
 * The package that the files of this folder import goes before the one that was started, which may be a global one: an
 * agent that another installation made would not be recognised.
 */
const local = Package.rootFrom(process.cwd())
const program = local === undefined || local === Package.root
  ? "./Program.js"
  : pathToFileURL(`${local}/dist/cli/Program.js`).href
await import(program)
