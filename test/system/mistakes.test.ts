/** The compiler's messages for typical mistakes: few lines that name the place and the fix. */
import { describe, expect, it } from "vitest"
import { evaluate } from "../support/Program.js"
import type { Told } from "./fixtures/mistakes.js"

describe("the compiler's error for a mistake in a definition", () => {
  it("has at most three lines, names the wrong key or the fix, and is at the mistake", async () => {
    const told = await evaluate("test/system/fixtures/mistakes.ts") as ReadonlyArray<Told>
    const wrong = told.filter(({ at, lines, place, says }) =>
      lines.length > 3 || !lines.join("\n").includes(says) || !at.startsWith(place)
    )
    expect(wrong.map(({ at, ...one }) => ({ ...one, at: at.slice(0, 80) }))).toEqual([])
    // A wrong value of a hook is reported at the hook, and briefly.
    const hook = told.find(({ what }) => what === "a wrong value in a hook")!
    expect(hook.at).toMatch(/^finalize: /)
    expect(hook.lines.join("\n").length).toBeLessThan(400)
  })
})
