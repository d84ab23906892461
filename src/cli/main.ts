#!/usr/bin/env node
/** The program `coxswain`. */
import * as Module from "node:module"
import { pathToFileURL } from "node:url"
import * as Package from "./Package.js"

/** Keeps compiled code for the next start, from Node 22.1 on. The types are those of Node 20, which lacks it. */
const { enableCompileCache } = Module as { readonly enableCompileCache?: () => void }
enableCompileCache?.()

/**
 * Prefers the package that files in the current folder import to the one that was started, which may be a global one:
 * an agent made by another installation is not recognised.
 */
const local = Package.rootFrom(process.cwd())
const program = local === undefined || local === Package.root
  ? "./Program.js"
  : pathToFileURL(`${local}/dist/cli/Program.js`).href
await import(program)
