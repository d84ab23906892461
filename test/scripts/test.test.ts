/** What `npm test` counts and prints. */
import { describe, expect, it } from "vitest"
import * as Counts from "../../scripts/test/Counts.js"
import * as Progress from "../../scripts/test/Progress.js"

const script = (name: string, passed: boolean): Counts.Part => ({
  name,
  isProject: false,
  counts: { ...Counts.none, [passed ? "passed" : "failed"]: 1 }
})
const project = (name: string, passed: number, failed = 0, skipped = 0): Counts.Part => ({
  name,
  isProject: true,
  counts: { passed, failed, skipped }
})
const notRun = (name: string): Counts.Part => ({ name, isProject: true, counts: undefined })

describe("the counts of a project", () => {
  it("are those of its tests", () => {
    expect(Counts.ofFiles([
      { failed: false, tests: ["passed", "passed", "skipped"] },
      { failed: true, tests: ["passed", "failed", "failed", "pending"] }
    ], 0)).toEqual({ passed: 3, failed: 2, skipped: 2 })
  })

  it("contain a failure for each file that fails without a failed test, and for each error outside of a file", () => {
    expect(Counts.ofFiles([{ failed: true, tests: [] }, { failed: true, tests: ["passed", "skipped"] }], 1))
      .toEqual({ passed: 1, failed: 3, skipped: 1 })
  })

  it("contain a failure if the run fails for another reason, or ends before it has reported", () => {
    expect(Counts.ofProject({ passed: 3, failed: 0, skipped: 1 }, 1)).toEqual({ passed: 3, failed: 1, skipped: 1 })
    expect(Counts.ofProject({ passed: 3, failed: 2, skipped: 0 }, 1)).toEqual({ passed: 3, failed: 2, skipped: 0 })
    expect(Counts.ofProject(undefined, null)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(Counts.ofProject({ passed: 3, failed: 0, skipped: 0 }, 0)).toEqual({ passed: 3, failed: 0, skipped: 0 })
  })
})

describe("the last lines of `npm test`", () => {
  it("count all parts, and name those that failed or have skipped tests", () => {
    const { counts, lines } = Counts.summary([
      ...[script("check", true), script("lint", false)],
      ...[project("unit", 50), project("system", 20, 1, 3), project("alone", 5, 0, 2)]
    ])
    expect(lines).toEqual([
      "unit: 50 passed, 0 failed, 0 skipped",
      "system: 20 passed, 1 failed, 3 skipped",
      "alone: 5 passed, 0 failed, 2 skipped",
      "Failed: lint, system",
      "With skipped tests: system (3), alone (2)",
      "76 passed, 2 failed, 5 skipped"
    ])
    expect(counts).toEqual({ passed: 76, failed: 2, skipped: 5 })
  })

  it("name the projects that did not run, each of which counts as one that is skipped", () => {
    expect(
      Counts.summary([script("check", true), project("unit", 50), notRun("system"), notRun("alone")]).lines.slice(1)
    )
      .toEqual(["Skipped: system, alone", "51 passed, 0 failed, 2 skipped"])
  })

  it("say that no test ran, which is a failure", () => {
    const { counts, lines } = Counts.summary([script("check", true), project("unit", 0), project("system", 0)])
    expect(counts.failed).toBe(1)
    expect(lines).toContain("No test ran.")
  })
})

describe("the line that says how far a run is", () => {
  const written = (output: { readonly isTTY?: boolean; readonly columns?: number }, text: string) => {
    const writes: Array<string> = []
    const progress = Progress.begin(() => text, { ...output, write: (text) => writes.push(text) })
    progress.draw()
    progress.end()
    return writes.join("")
  }

  it("is drawn on a terminal, no wider than it, and removed at the end", () => {
    expect(written({ isTTY: true, columns: 6 }, "0123456789")).toBe("\r\u001b[K01234\r\u001b[K")
  })

  it("is not drawn in a log between its minutes", () => {
    expect(written({}, "0123456789")).toBe("")
  })
})
