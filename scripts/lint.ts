/** Runs ESLint over everything, or with the given arguments: `npm run lint -- --fix src`. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { install } from "./install.js"

await install("scripts")
const eslint = fileURLToPath(new URL("node_modules/eslint/bin/eslint.js", import.meta.url))
const given = process.argv.slice(2)
spawn(process.execPath, [eslint, ...given.some((arg) => !arg.startsWith("-")) ? given : [...given, "."]], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  stdio: ["ignore", "inherit", "inherit"]
}).once("close", (status) => process.exitCode = status ?? 1)
