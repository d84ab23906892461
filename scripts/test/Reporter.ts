/**
 * Prints how many files of how many are done, and what failed. If the process that started Vitest waits for the counts, sends
 * them to it.
 */
import * as path from "node:path"
import type { SerializedError } from "vitest"
import type { TestModule, TestSpecification } from "vitest/node"
import { DefaultReporter } from "vitest/reporters"
import * as Counts from "./Counts.js"
import * as Progress from "./Progress.js"

export default class Reporter extends DefaultReporter {
  private files = { all: 0, done: 0, failed: 0 }
  private progress: Progress.Progress | undefined

  constructor() {
    super({ summary: false })
  }

  override onTestRunStart(specifications: ReadonlyArray<TestSpecification>): void {
    super.onTestRunStart(specifications)
    this.files = { all: specifications.length, done: 0, failed: 0 }
    const elapsed = Progress.stopwatch()
    this.progress = Progress.begin(() => {
      const { all, done, failed } = this.files
      return `${done} of ${all} files${failed > 0 ? `, ${failed} failed` : ""} (${elapsed()})`
    })
    this.progress.draw()
  }

  override onTestModuleEnd(file: TestModule): void {
    this.files.done++
    if (file.state() === "failed") this.files.failed++
    this.progress?.clear()
    super.onTestModuleEnd(file)
    this.progress?.draw()
  }

  protected override printTestModule(file: TestModule): void {
    if (file.state() === "failed") super.printTestModule(file)
  }

  override onUserConsoleLog(...args: Parameters<DefaultReporter["onUserConsoleLog"]>): void {
    this.progress?.clear()
    super.onUserConsoleLog(...args)
    this.progress?.draw()
  }

  override onTestRunEnd(files: ReadonlyArray<TestModule> = [], errors: ReadonlyArray<SerializedError> = []): void {
    this.progress?.end()
    super.onTestRunEnd()
    const counts = Counts.ofFiles(
      files.map((file) => ({
        failed: file.state() === "failed",
        tests: Array.from(file.children.allTests(), (test) => test.result().state)
      })),
      errors.length
    )
    const skipped = files.filter((file) => file.state() === "skipped").map(({ moduleId }) =>
      path.relative(".", moduleId)
    )
    if (skipped.length > 0) console.log(["Skipped as a whole:", ...skipped].join("\n  "))
    process.send?.(counts)
  }
}
