/** The table of what is kept, in docs/security.md, against the layers that there are and the registry of keepers. */
import { expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { kinds } from "../../src/services/storage/Keeper.js"

const root = path.join(import.meta.dirname, "../..")
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8")

const rows = read("docs/security.md").split("\n").filter((line) =>
  /^\| (sessions|files|turn log|turn records) \|/.test(line)
)
  .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))

/** Layers that keep nothing of what people say, or, as the page says, something that is not the agent's. */
const keepNothing = new Set([
  ...["acp", "ai-sdk", "anthropic", "claude-code", "codex", "encrypted", "google", "graph-svg", "guardrails-cards"],
  ...["guardrails-language", "guardrails-secrets", "mcp", "node-server", "offline", "openai", "openai-compatible"],
  ...["opentelemetry", "openrouter", "recorded", "server", "shortlist", "workflow"]
])

/** Services that keep something, and those that do not. */
const services = {
  keep: ["BlobStore", "SessionStore", "TurnFeed", "TurnLog"],
  not: ["DelegateAgent", "Model", "SessionFeed", "SessionLock", "ToolExecutor", "Understanding"]
}

it("names each kind of what is kept, and whole rows", () => {
  expect(new Set(rows.map(([kind]) => kind))).toEqual(new Set(kinds))
  for (const row of rows) {
    expect(row).toHaveLength(5)
    expect(row.filter((cell) => cell === "")).toEqual([])
  }
})

it("names every layer that keeps something, so that a new one cannot be forgotten", () => {
  const { exports } = JSON.parse(read("package.json")) as { readonly exports: Readonly<Record<string, unknown>> }
  const layers = Object.keys(exports).flatMap((name) => name.startsWith("./layers/") ? [name.slice(9)] : [])
  const named = new Set(
    rows.flatMap(([, layer = ""]) => Array.from(layer.matchAll(/coxswain\/layers\/([a-z0-9-]+)/g), ([, one]) => one))
  )
  expect(layers.filter((layer) => !keepNothing.has(layer) && !named.has(layer))).toEqual([])
  expect([...named].filter((layer) => !layers.includes(layer!))).toEqual([])
})

it("knows of every service whether it keeps something", () => {
  const tags = fs.readdirSync(path.join(root, "src/services"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      Array.from(read(`src/services/${file}`).matchAll(/Context\.Tag\("coxswain\/(\w+)"\)/g), ([, tag]) => tag!)
    )
  expect(tags.sort()).toEqual([...services.keep, ...services.not].sort())
  // Whoever keeps something says where, and removes it; the registry is told of it where agents and servers are made.
  const told = read("src/pipeline/agent/Keeping.ts")
  for (const kind of kinds.slice(1)) expect(told).toContain(`kind: "${kind}"`)
})
