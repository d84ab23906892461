/** Writes `llms.txt` of the package: every page of the documentation, for those who read it with a language model. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const groups: ReadonlyArray<readonly [title: string, pages: RegExp]> = [
  ["Start", /^docs\/(?:skill\/|tutorial\/|(?:what-it-is|modelling|testing|serving)\.md$)/],
  ["Guides", /^docs\/[^/]+\.md$/],
  ["Recipes", /^docs\/recipes\//],
  ["Clients", /^docs\/clients\//],
  ["Coming from elsewhere", /^docs\/migration\//],
  ["Decisions", /^docs\/decisions\//]
]

/** The pages of the documentation, without the overview and the reference, which is made from the sources. */
export const pages = (): ReadonlyArray<string> =>
  fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((page) => path.posix.join("docs", page.replaceAll("\\", "/")))
    .filter((page) => page.endsWith(".md") && page !== "docs/README.md" && !page.startsWith("docs/reference/"))
    .sort()

const title = (page: string): string => /^# (.*)$/m.exec(fs.readFileSync(path.join(root, page), "utf8"))?.[1] ?? page

/** The text of `llms.txt`. A page stands in the first group that it fits. */
export const text = (): string => {
  const remaining = new Set(pages())
  const lines = [
    "# Coxswain",
    "",
    "> A functional runtime for conversational agents on Effect, in TypeScript: the model understands, your code decides.",
    "",
    "Every TypeScript block of these pages compiles. To write an agent, read docs/skill/SKILL.md first."
  ]
  for (const [name, fits] of groups) {
    lines.push("", `## ${name}`, "")
    for (const page of [...remaining].filter((page) => fits.test(page))) {
      remaining.delete(page)
      lines.push(`- [${title(page)}](${page})`)
    }
  }
  return `${lines.join("\n")}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) fs.writeFileSync(path.join(root, "llms.txt"), text())
