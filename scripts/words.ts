/**
 * Counts the words of prose in the documentation: `npm run words`. A word is what stands between spaces and has a letter or
 * a digit. Counted are `README.md` and the Markdown pages in `docs/`, with headings, tables and link addresses. Not counted:
 * code blocks, and what is generated or not read from front to back: `docs/reference/`, `docs/examples.md`, `CHANGELOG.md`.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const pages = [
  "README.md",
  ...fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((page) => path.posix.join("docs", page.replaceAll("\\", "/")))
    .filter((page) => page.endsWith(".md") && !page.startsWith("docs/reference/") && page !== "docs/examples.md")
].sort()

const words = (markdown: string): number =>
  markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

const counted = pages.map((page) => [page, words(fs.readFileSync(path.join(root, page), "utf8"))] as const)
for (const [page, count] of counted) console.log(`${String(count).padStart(6)}  ${page}`)
console.log(`${String(counted.reduce((sum, [, count]) => sum + count, 0)).padStart(6)}  in ${counted.length} pages`)
