/** Pictures of the code, drawn from the code: the rooms of `src/` with their doors, and the phases of a turn. */
import * as fs from "node:fs"
import * as path from "node:path"

interface Box {
  readonly title: string
  readonly lines: ReadonlyArray<string>
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const lineHeight = 18
const heightOf = ({ lines }: Box): number => 34 + lines.length * lineHeight + (lines.length > 0 ? 8 : 0)

const text = (x: number, y: number, content: string, more = ""): string =>
  `<text x="${x}" y="${y}"${more}>${escape(content)}</text>`

const draw = ({ lines, title }: Box, x: number, y: number, width: number, height: number): string =>
  [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="#f6f8fa" stroke="#57606a"/>`,
    text(x + 12, y + 22, title, " font-weight=\"bold\""),
    ...lines.map((line, index) => text(x + 12, y + 44 + index * lineHeight, line, " font-size=\"12\""))
  ].join("\n")

const picture = (width: number, height: number, parts: ReadonlyArray<string>): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    " font-family=\"system-ui, sans-serif\" font-size=\"14\" fill=\"#1f2328\">",
    "<defs><marker id=\"to\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">",
    "<path d=\"M0 0L8 4L0 8z\" fill=\"#57606a\"/></marker></defs>",
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    "</svg>",
    ""
  ].join("\n")

const arrow = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#57606a" marker-end="url(#to)"/>`

const sources = (folder: string): ReadonlyArray<string> =>
  fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts")).sort()

/** The ports: what is provided from outside. */
const ports = (src: string): ReadonlyArray<string> =>
  sources(path.join(src, "services")).flatMap((name) =>
    Array.from(
      fs.readFileSync(path.join(src, "services", name), "utf8").matchAll(/Context\.Tag\("coxswain\/(\w+)"\)/g),
      ([, tag]) => tag!
    )
  ).sort()

/** The rooms in the order in which they may import: each knows itself and those to its left. */
export const rooms = (root: string): string => {
  const src = path.join(root, "src")
  const folders = fs.readdirSync(path.join(src, "layers"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory()).map(({ name }) => name).sort()
  const all: ReadonlyArray<Box> = [
    {
      title: "domain",
      lines: ["what an author writes", "the check of it", "sessions, directives", "pure: no clock, no I/O"]
    },
    { title: "services", lines: ["the ports:", "LanguageModel", ...ports(src)] },
    { title: "pipeline", lines: ["one turn, in phases", "Agent, Scheduler", "one commit at the end"] },
    { title: "layers", lines: ["what fills the ports:", ...folders] }
  ]
  const [width, gap] = [190, 40]
  const height = Math.max(...all.map(heightOf))
  const parts = all.flatMap((box, index) => {
    const x = 20 + index * (width + gap)
    const door = index === 0 ? [] : [arrow(x, 20 + height / 2, x - gap + 2, 20 + height / 2)]
    return [draw(box, x, 20, width, height), ...door]
  })
  const total = 40 + all.length * width + (all.length - 1) * gap
  const note = text(
    20,
    height + 48,
    "An arrow is an import. None goes the other way; npm run arch keeps it so.",
    " font-size=\"12\""
  )
  return picture(total, height + 64, [...parts, note])
}

const said: Readonly<Record<string, string>> = {
  resume: "a directive that waits is applied",
  handleEvent: "an event or a timer is handled",
  understand: "one judgement: flows, values, conditions, signals",
  preSignals: "signals before the answer",
  takeBranches: "what leaves the flow",
  route: "which flow has the floor",
  confirm: "a yes or no that was waited for",
  converse: "steps: enter, speak with tools, finish",
  postSignals: "signals after the answer"
}

/** The phases as `turn.ts` puts them in a row. Those that only prepare or note have no box. */
export const phases = (root: string): string => {
  const file = fs.readFileSync(path.join(root, "src/pipeline/turn.ts"), "utf8")
  const body = /const spoken = [\s\S]*?\n\}\)\n/.exec(file)?.[0] ?? ""
  const found = Array.from(body.matchAll(/yield\* (?:seen\("\w+", )?(\w+)/g), ([, name]) => name!)
  const names = found.filter((name) => name in said)
  const missing = Object.keys(said).filter((name) => !names.includes(name))
  if (missing.length > 0) throw new Error(`turn.ts has no phase ${missing.join(", ")}: mend scripts/boxes.ts`)
  const all = [
    ["open", "the session is locked and loaded"],
    ...names.map((name) => [name, said[name]!]),
    ["commit", "session, messages and answer in one write"]
  ] as const
  const [width, height, gap] = [460, 34, 14]
  const parts = all.flatMap(([name, what], index) => {
    const y = 20 + index * (height + gap)
    return [
      `<rect x="20" y="${y}" width="${width}" height="${height}" rx="6" fill="#f6f8fa" stroke="#57606a"/>`,
      text(32, y + 22, name, " font-weight=\"bold\""),
      text(140, y + 22, what, " font-size=\"12\""),
      ...(index === 0 ? [] : [arrow(20 + width / 2, y - gap, 20 + width / 2, y - 2)])
    ]
  })
  return picture(width + 40, 40 + all.length * (height + gap) - gap, parts)
}
