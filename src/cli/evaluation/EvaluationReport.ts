/** Reports an evaluation: as text, and as JUnit XML for tools that show test results. */
import * as Groups from "../../domain/base/Groups.js"
import { table } from "../Screen.js"
import type { Result } from "./Play.js"
import { cellsOf, spentOn, total } from "./Spent.js"

const seconds = (millis: number): string => (millis / 1000).toFixed(3)

/** Groups the results by conversation, in the order of their first result. */
const grouped = (results: ReadonlyArray<Result>) => Array.from(Groups.by(results, ({ file }) => file).values())

const row = (name: string, runs: ReadonlyArray<Result>): ReadonlyArray<string> => [
  name,
  `${runs.filter(({ passed }) => passed).length}/${runs.length}`,
  String(total(runs, ({ turns }) => turns)),
  ...cellsOf(spentOn(runs), 3)
]

/** Formats a table: a row per conversation, and one for all. */
export const tableOf = (results: ReadonlyArray<Result>): string =>
  table([
    ["conversation", "passed", "turns", "calls", "tokens in", "out", "time", "cost"],
    ...grouped(results).map((runs) => row(runs[0].name, runs)),
    row("all", results)
  ])

/** Describes a failure, with the transcript. */
export const failureOf = ({ failure, name, transcript }: Result): string =>
  failure === undefined
    ? ""
    : [`${name}, turn ${failure.turn}`, ...failure.what.map((what) => `  ${what}`), "", transcript, ""].join("\n")

/** Escapes text for XML, and removes characters that XML does not allow. */
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

/** Returns JUnit XML: one test case per run of a conversation. */
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
