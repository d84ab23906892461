import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { blocks, check } from "../../scripts/docs.js"

const page = `# Page

\`\`\`ts
import { Effect } from "effect"
export const x: number = "one"
Effect.log("floating")
\`\`\`

\`\`\`sh
not code
\`\`\`

\`\`\`ts no-check
const y: number = "two"
\`\`\`

1. In a list:

   \`\`\`ts
   const x = "of its own module"
     console.log(x.toFixed())
   \`\`\`

\`\`\`\`md
\`\`\`ts
const quoted: number = "three"
\`\`\`
\`\`\`\`
`

describe("the checker of the documentation's code blocks", () => {
  it("finds the ts blocks of a page, with their lines", () => {
    expect(blocks(page)).toEqual([
      { line: 4, code: `import { Effect } from "effect"\nexport const x: number = "one"\nEffect.log("floating")` },
      { line: 20, code: `const x = "of its own module"\n  console.log(x.toFixed())` }
    ])
  })

  describe("`check`, which compiles the code blocks", () => {
    const root = fileURLToPath(new URL("../..", import.meta.url))
    let temp: string
    beforeAll(() => {
      temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-docs-"))
      fs.writeFileSync(path.join(temp, "page.md"), page)
    })
    afterAll(() => fs.rmSync(temp, { recursive: true }))

    it("reports type errors and floating effects with their line on the page", () => {
      const file = path.relative(root, path.join(temp, "page.md"))
      const { errors, ...counts } = check(root, [file])
      expect(counts).toEqual({ pages: 1, blocks: 2 })
      expect(errors).toEqual([
        expect.stringMatching(/page\.md:5:14 {2}Type 'string' is not assignable/),
        expect.stringMatching(/page\.md:6:1 {2}.*floatingEffect/),
        expect.stringMatching(/page\.md:21:17 {2}Property 'toFixed' does not exist/)
      ])
    })
  })
})
