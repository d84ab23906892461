/**
 * The results of an evaluation: for a person, and as JUnit for what shows results of tests.
 *
 * @since 0.1.0
 */
import * as Groups from "../../domain/base/Groups.js"
import { table } from "../Screen.js"
import type { Result } from "./Play.js"

const seconds = (millis: number): string => (millis / 1000).toFixed(3)

const total = (results: ReadonlyArray<Result>, of: (result: Result) => number): number =>
  results.reduce((sum, result) => sum + of(result), 0)

/** Results of the same conversation, in the order of their first. */
const grouped = (results: ReadonlyArray<Result>) => Array.from(Groups.by(results, ({ file }) => file).values())

const row = (name: string, runs: ReadonlyArray<Result>): ReadonlyArray<string> => [
  name,
  `${runs.filter(({ passed }) => passed).length}/${runs.length}`,
  String(total(runs, ({ turns }) => turns)),
  String(total(runs, ({ modelCalls }) => modelCalls)),
  String(total(runs, ({ inputTokens }) => inputTokens)),
  String(total(runs, ({ outputTokens }) => outputTokens)),
  `${seconds(total(runs, ({ millis }) => millis))} s`,
  runs.some(({ cost }) => cost !== undefined) ? total(runs, ({ cost = 0 }) => cost).toFixed(4) : "-"
]

/**
 * One row per conversation, and one for all.
 *
 * @since 0.1.0
 * @category rendering
 */
export const tableOf = (results: ReadonlyArray<Result>): string =>
  table([
    ["conversation", "passed", "turns", "calls", "tokens in", "out", "time", "cost"],
    ...grouped(results).map((runs) => row(runs[0].name, runs)),
    row("all", results)
  ])

/** What failed, with the conversation up to there. */
export const failureOf = ({ failure, name, transcript }: Result): string =>
  failure === undefined
    ? ""
    : [`${name}, turn ${failure.turn}`, ...failure.what.map((what) => `  ${what}`), "", transcript, ""].join("\n")

/** Text in XML: what would be markup is written out, and what XML cannot hold is left out. */
const xml = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "")
    .replace(/[&<>"]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" })[char]!)

const testCase = (result: Result, name: string): ReadonlyArray<string> => {
  const { failure, file, millis, transcript } = result
  const open = `    <testcase name="${xml(name)}" classname="${xml(file)}" time="${seconds(millis)}"`
  return failure === undefined ? [`${open}/>`] : [
    `${open}>`,
    `      <failure message="${xml(`turn ${failure.turn}: ${failure.what.join("; ")}`)}">${xml(transcript)}</failure>`,
    "    </testcase>"
  ]
}

/**
 * One test case per run of a conversation.
 *
 * @since 0.1.0
 * @category rendering
 */
export const junit = (suite: string, results: ReadonlyArray<Result>): string => {
  const counts = `tests="${results.length}" failures="${results.filter(({ passed }) => !passed).length}"`
  const time = `time="${seconds(total(results, ({ millis }) => millis))}"`
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites ${counts} ${time}>`,
    `  <testsuite name="${xml(suite)}" ${counts} errors="0" skipped="0" ${time}>`,
    ...grouped(results).flatMap((runs) =>
      runs.flatMap((result, i) => testCase(result, runs.length === 1 ? result.name : `${result.name} #${i + 1}`))
    ),
    "  </testsuite>",
    "</testsuites>",
    ""
  ].join("\n")
}
