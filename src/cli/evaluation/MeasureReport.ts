/** Reports a measurement: a table by kind and by language, and a chart. */
import * as Groups from "../../domain/base/Groups.js"
import { oneLine, table } from "../Screen.js"
import type { Measured } from "./Measure.js"
import { cellsOf, type Spent, spentOn } from "./Spent.js"

const isRight = ({ differs }: Measured): boolean => differs.length === 0

const percent = (all: ReadonlyArray<Measured>): number => Math.round(all.filter(isRight).length / all.length * 100)

/** The number of messages of a kind or a language, how many were understood, and the use of models. */
export interface Summary extends Spent {
  readonly name: string
  readonly right: number
  readonly messages: number
}

const summaryOf = (name: string, all: ReadonlyArray<Measured>): Summary => ({
  name,
  right: all.filter(isRight).length,
  messages: all.length,
  ...spentOn(all)
})

/** Summaries by kind, by language, and for all messages. */
export const summaries = (all: ReadonlyArray<Measured>): ReadonlyArray<Summary> => [
  ...Array.from(Groups.by(all, ({ kind }) => kind), ([name, ones]) => summaryOf(name, ones))
    .sort((a, b) => a.name.localeCompare(b.name, "en")),
  ...Array.from(Groups.by(all, ({ language }) => language), ([name, ones]) => summaryOf(`language ${name}`, ones)),
  summaryOf("all", all)
]

/** Formats a table: a row per kind, per language, and one for all. */
export const tableOf = (all: ReadonlyArray<Measured>): string =>
  table([
    ["messages", "right", "%", "calls", "tokens in", "out", "time", "cost"],
    ...summaries(all).map(({ messages, name, right, ...spent }) => [
      name,
      `${right}/${messages}`,
      String(Math.round(right / messages * 100)),
      ...cellsOf(spent, 1)
    ])
  ])

/** Lists each misunderstood message with its differences. */
export const mistakes = (all: ReadonlyArray<Measured>): string =>
  all.filter((one) => !isRight(one)).map(({ differs, kind, user }) =>
    [`${kind}: ${oneLine(user)}`, ...differs.map((what) => `  ${oneLine(what)}`)].join("\n")
  ).join("\n")

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const rowHeight = 24
const [labelWidth, barWidth] = [130, 320]

/** Draws a bar per kind: the share of messages that were understood correctly. */
export const svg = (title: string, all: ReadonlyArray<Measured>): string => {
  const rows = [...Groups.by(all, ({ kind }) => kind)].sort(([a], [b]) => a.localeCompare(b, "en"))
  const width = labelWidth + barWidth + 110
  const height = 52 + rows.length * rowHeight
  const bars = rows.flatMap(([kind, ones], index) => {
    const y = 40 + index * rowHeight
    const right = ones.filter(isRight).length
    return [
      `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${escape(kind)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${barWidth}" height="16" rx="3" fill="#eaeef2"/>`,
      `<rect x="${labelWidth}" y="${y}" width="${barWidth * right / ones.length}" height="16" rx="3" fill="#0969da"/>`,
      `<text x="${labelWidth + barWidth + 8}" y="${y + 13}">${percent(ones)} % of ${ones.length}</text>`
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    " font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#1f2328\">",
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="12" y="24" font-weight="bold">${escape(title)}: ${percent(all)} % of ${all.length} messages</text>`,
    ...bars,
    "</svg>",
    ""
  ].join("\n")
}
