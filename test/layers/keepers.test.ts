/** Compares the table of stored data in docs/security.md with the layers and the registry of keepers. */
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

/** Layers that store no conversation data, or only data that, as the page says, is not the agent's. */
const keepNothing = new Set([
  ...[
    "acp",
    "ai-sdk",
    "anthropic",
    "claude-code",
    "codex",
    "document",
    "encrypted",
    "google",
    "graph-svg",
    "guardrails-cards"
  ],
  ...["guardrails-language", "guardrails-secrets", "mcp", "node-server", "offline", "openai", "openai-compatible"],
  ...["opentelemetry", "openrouter", "recorded", "server", "shortlist", "workflow"]
])

/** Services that store data, and those that do not. */
const services = {
  keep: ["BlobStore", "SessionStore", "TurnFeed", "TurnLog"],
  not: [
    ...[
      "Budget",
      "BudgetLimits",
      "DelegateAgent",
      "Model",
      "ModelAliases",
      "ModelExcerpts",
      "ModelNotices",
      "ModelObserver"
    ],
    ...["ModelSettings", "PromptCache", "SessionFeed", "SessionLock", "ToolExecutor", "Understanding"]
  ]
}

it("the table in docs/security.md has a complete row for each kind of stored data", () => {
  expect(new Set(rows.map(([kind]) => kind))).toEqual(new Set(kinds))
  for (const row of rows) {
    expect(row).toHaveLength(5)
    expect(row.filter((cell) => cell === "")).toEqual([])
  }
})

it("the table in docs/security.md names every layer that stores data, and only existing layers", () => {
  const { exports } = JSON.parse(read("package.json")) as { readonly exports: Readonly<Record<string, unknown>> }
  const layers = Object.keys(exports).flatMap((name) => name.startsWith("./layers/") ? [name.slice(9)] : [])
  const named = new Set(
    rows.flatMap(([, layer = ""]) => Array.from(layer.matchAll(/coxswain\/layers\/([a-z0-9-]+)/g), ([, one]) => one))
  )
  expect(layers.filter((layer) => !keepNothing.has(layer) && !named.has(layer))).toEqual([])
  expect([...named].filter((layer) => !layers.includes(layer!))).toEqual([])
})

it("every service is classified: either it stores data or it does not", () => {
  const tags = fs.readdirSync(path.join(root, "src/services"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      Array.from(
        read(`src/services/${file}`).matchAll(/Context\.(?:Tag\(|Reference<\w+>\(\)\()"coxswain\/(\w+)"/g),
        ([, tag]) => tag!
      )
    )
  expect(tags.sort()).toEqual([...services.keep, ...services.not].sort())
  // Agents and servers register their keepers in Keeping.ts.
  const told = read("src/pipeline/agent/Keeping.ts")
  for (const kind of kinds.slice(1)) expect(told).toContain(`kind: "${kind}"`)
})
