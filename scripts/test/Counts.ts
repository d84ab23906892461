/** What ran in `npm test`, and how it ended. */

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const none: Counts = { passed: 0, failed: 0, skipped: 0 }

/** A part of the run: a script that counts as one, or the tests of a project. */
export interface Part {
  readonly name: string
  /** `undefined`: it did not run. */
  readonly counts: Counts | undefined
  readonly isProject: boolean
}

/** A file of tests. */
export interface TestFile {
  readonly failed: boolean
  readonly tests: ReadonlyArray<"passed" | "failed" | "skipped" | "pending">
}

/**
 * Counts the tests of files. A file that fails without a failed test (its import or a hook failed) counts as one, and so does
 * each error that belongs to no file.
 */
export const ofFiles = (files: ReadonlyArray<TestFile>, errors: number): Counts => {
  const states = files.flatMap(({ tests }) => tests)
  const number = (...wanted: ReadonlyArray<string>) => states.filter((state) => wanted.includes(state)).length
  return {
    passed: number("passed"),
    failed: number("failed") + files.filter(({ failed, tests }) => failed && !tests.includes("failed")).length + errors,
    skipped: number("skipped", "pending")
  }
}

/** Corrects the counts of a project by its exit code: a run that failed has at least one failure. */
export const ofProject = (counts: Counts | undefined, status: number | null): Counts => {
  const reported = counts ?? none
  return status !== 0 && reported.failed === 0 ? { ...reported, failed: 1 } : reported
}

const sentence = ({ failed, passed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`

/** The last lines of the run, and its counts. A part that did not run counts as one that is skipped. */
export const summary = (
  parts: ReadonlyArray<Part>
): { readonly lines: ReadonlyArray<string>; readonly counts: Counts } => {
  const projects = parts.filter(({ isProject }) => isProject)
  const isEmpty = projects.every(({ counts }) => counts !== undefined && sentence(counts) === sentence(none))
  const all = parts.map(({ counts }) => counts ?? { ...none, skipped: 1 })
  const sum = (key: keyof Counts) => all.reduce((total, counts) => total + counts[key], 0)
  const counts = { passed: sum("passed"), failed: sum("failed") + (isEmpty ? 1 : 0), skipped: sum("skipped") }
  const namesOf = (holds: (part: Part) => boolean) => parts.filter(holds).map(({ name }) => name).join(", ")
  const named = [
    ["Failed", namesOf(({ counts }) => counts !== undefined && counts.failed > 0)],
    [
      "With skipped tests",
      parts.flatMap(({ counts, name }) =>
        counts !== undefined && counts.skipped > 0 ? [`${name} (${counts.skipped})`] : []
      )
        .join(", ")
    ],
    ["Skipped", namesOf(({ counts }) => counts === undefined)]
  ]
  return {
    counts,
    lines: [
      ...projects.flatMap(({ counts, name }) => counts === undefined ? [] : [`${name}: ${sentence(counts)}`]),
      ...isEmpty ? ["No test ran."] : [],
      ...named.flatMap(([title, names]) => names === "" ? [] : [`${title}: ${names}`]),
      sentence(counts)
    ]
  }
}
