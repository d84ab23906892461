/** Runs each test as it is, and then once for each mutation that no test has noticed yet. */
import * as fs from "node:fs"
import type { RunnerTestCase as Test } from "vitest"
import { VitestTestRunner } from "vitest/runners"
import { getFn } from "vitest/suite"
import { mutations } from "./list.js"
import { ruleOf, type Side } from "./Rules.js"

/** Read by `scripts/mutations.ts`. */
export interface Killed {
  readonly number: number
  readonly by: string
}

const { MUTATIONS = "", MUTATIONS_FILE = "", MUTATIONS_SIDE = "turn" } = process.env

/** The mutations that no test has noticed yet. */
const live = new Set(MUTATIONS.split(",").map(Number))

/** The rule that each mutation breaks. */
const rules = mutations.map(ruleOf)

/** Tests that take more time of the processor are not run again, in microseconds. */
const slow = 1_000_000

/** Calls of rules in one test, after which they count as going round for ever. The checker walks many turns in one test. */
const most: Readonly<Record<Side, number>> = { turn: 5000, checker: 500_000 }

const state = globalThis.mutating = { side: MUTATIONS_SIDE as Side, on: 0, called: new Set<string>(), left: 0 }

const isCalled = (rule: string | undefined): boolean => rule === undefined || state.called.has(rule)

const nameOf = (test: Test): string => {
  const names = [test.name]
  for (let suite = test.suite; suite !== undefined; suite = suite.suite) names.unshift(suite.name)
  return [test.file.name, ...names.filter((name) => name !== "")].join(" > ")
}

export default class Runner extends VitestTestRunner {
  async runTask(test: Test): Promise<void> {
    const run = getFn(test)
    state.called.clear()
    const from = process.cpuUsage()
    await run()
    if (live.size === 0 || process.cpuUsage(from).user > slow) return
    const concerned = Array.from(live).filter((number) => isCalled(rules[number - 1]))
    for (const number of concerned) {
      if (!(await this.fails(test, run, number))) continue
      // A test that cannot be run twice would notice everything.
      if (await this.fails(test, run, 0)) return
      live.delete(number)
      fs.appendFileSync(MUTATIONS_FILE, `${JSON.stringify({ number, by: nameOf(test) })}\n`)
      // The signal of a test that ran out of time stays aborted.
      if (test.context.signal.aborted) return
    }
  }

  private async fails(test: Test, run: () => unknown, number: number): Promise<boolean> {
    this.onBeforeTryTask(test)
    state.on = number
    state.left = most[state.side]
    try {
      await run()
      return false
    } catch {
      return true
    } finally {
      state.on = 0
      // The checker's tests do not wait, and the reporter needs to be heard.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
