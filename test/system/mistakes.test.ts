/** The compiler's messages for typical mistakes: the first line names the key or the fix. */
import { describe, expect, it } from "vitest"
import { evaluate } from "../support/Program.js"
import type { Told } from "./fixtures/mistakes.js"

describe("the first line of the compiler's error for a mistake in a definition", () => {
  it("contains the wrong key or the fix", async () => {
    const told = await evaluate("test/system/fixtures/mistakes.ts") as ReadonlyArray<Told>
    const wrong = told.flatMap(({ lines, says, what }) =>
      lines[0]!.includes(says) ? [] : [{ what, says, line: lines[0] }]
    )
    expect(wrong).toEqual([])
    // A wrong value of a hook is reported at the hook, and briefly.
    const hook = told.find(({ what }) => what === "a wrong value in a hook")!
    expect(hook.at).toMatch(/^finalize: /)
    expect(hook.lines.length).toBeLessThanOrEqual(3)
    expect(hook.lines.join("\n").length).toBeLessThan(400)
  })
})
