/** Pictures of the code, drawn from the code: the rooms of `src/` with their doors, and the phases of a turn. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Rooms from "./rooms.js"

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

/** The folders of `src/` with their rooms. A folder imports itself and those to its left; a room itself and those above it. */
export const rooms = (root: string): string => {
  const src = path.join(root, "src")
  const folders = fs.readdirSync(path.join(src, "layers"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory()).map(({ name }) => name).sort()
  const { domain, pipeline, services } = Rooms.rooms
  const all: ReadonlyArray<Box> = [
    { title: "domain", lines: ["pure: no clock, no I/O", "", ...domain] },
    { title: "services", lines: ["the ports", "", ...services, "", "with these tags:", ...ports(src)] },
    { title: "pipeline", lines: ["a message becomes an answer", "", ...pipeline] },
    { title: "layers", lines: ["what fills the ports", "", ...folders] },
    {
      title: "testing, cli, page",
      lines: [
        "what stands outside",
        "",
        "testing: for an application's tests",
        "cli: the command line",
        "page: for a browser"
      ]
    }
  ]
  const [width, gap] = [215, 36]
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
    "An arrow is an import. In domain, services and pipeline a room imports those above it. npm run arch refuses every other import.",
    " font-size=\"12\""
  )
  return picture(total, height + 64, [...parts, note])
}

/** What the phases do. Those that only prepare or note are not here, and have no box. */
const does: Readonly<Record<string, string>> = {
  resume: "a directive that waits is applied",
  handleEvent: "an event or a timer is handled",
  understand: "one judgement: flows, values, conditions, signals",
  takeBranches: "what leaves the flow",
  route: "which flow has the floor",
  converse: "steps: enter, speak with tools, finish"
}

/** A line of boxes: a name, what happens there, and further text at the right. */
type Row = readonly [name: string, what: string, more?: string]

/** Boxes below one another, in the order of what happens. */
const column = (all: ReadonlyArray<Row>, width: number): string => {
  const [height, gap] = [34, 14]
  const parts = all.flatMap(([name, what, more = ""], index) => {
    const y = 20 + index * (height + gap)
    return [
      `<rect x="20" y="${y}" width="${width}" height="${height}" rx="6" fill="#f6f8fa" stroke="#57606a"/>`,
      text(32, y + 22, name, " font-weight=\"bold\""),
      text(160, y + 22, what, " font-size=\"12\""),
      ...(more === "" ? [] : [text(width + 8, y + 22, more, " font-size=\"12\" text-anchor=\"end\" fill=\"#57606a\"")]),
      ...(index === 0 ? [] : [arrow(140, y - gap, 140, y - 2)])
    ]
  })
  return picture(width + 40, 40 + all.length * (height + gap) - gap, parts)
}

/** The phases that have a box, as `turn.ts` puts them in a row. */
const inOrder = (root: string): ReadonlyArray<string> => {
  const file = fs.readFileSync(path.join(root, "src/pipeline/turn.ts"), "utf8")
  const body = /const spoken = [\s\S]*?\n\}\)\n/.exec(file)?.[0] ?? ""
  const found = Array.from(body.matchAll(/yield\* (?:inSpan\("\w+", )?(\w+)/g), ([, name]) => name!)
  const names = found.filter((name) => name in does)
  const missing = Object.keys(does).filter((name) => !names.includes(name))
  if (missing.length > 0) throw new Error(`turn.ts has no phase ${missing.join(", ")}: mend scripts/boxes.ts`)
  return names
}

export const phases = (root: string): string =>
  column([
    ["open", "the session is locked and loaded"],
    ...inOrder(root).map((name): Row => [name, does[name]!]),
    ["commit", "session, messages and answer in one write"]
  ], 480)

/** The rooms of the pipeline that a phase works with, and `domain/walk`; without those that all phases share. */
const usedBy = (root: string, phase: string): string => {
  const folder = path.join(root, "src/pipeline/phases")
  const codeOf = (file: string) => fs.readFileSync(path.join(folder, file), "utf8")
  const declares = new RegExp(`^export const ${phase}\\b`, "m")
  const home = fs.readdirSync(folder).find((name) => name.endsWith(".ts") && declares.test(codeOf(name)))
  if (home === undefined) throw new Error(`src/pipeline/phases has no ${phase}: mend scripts/boxes.ts`)
  const files = new Set([home])
  const used = new Set<string>()
  for (const file of files) {
    for (const [, specifier = ""] of codeOf(file).matchAll(/^import (?!type)[^"]*"([^"]+)"$/gm)) {
      const [up, folder = "", name] = specifier.split("/").slice(specifier.startsWith("../../") ? 1 : 0)
      if (up === ".") files.add(folder.replace(/js$/, "ts"))
      else if (specifier.startsWith("../../")) used.add(`${folder}/${name}`)
      else if (up === "..") used.add(folder)
    }
  }
  const shown = ["domain/walk", ...Rooms.rooms.pipeline.filter((room) => room !== "state")]
  return shown.filter((room) => used.has(room)).join(", ")
}

/** A message on its way through the rooms: what surrounds the phases, and the rooms that each phase works with. */
export const message = (root: string): string =>
  column([
    ["layers/server", "a request is decoded, its sender known", "only when served"],
    ["pipeline/agent", "respond, stream, send, notify"],
    ["guard.ts", "lock, time limit, stop, conflict"],
    ["open", "the session is loaded", usedBy(root, "open")],
    ...inOrder(root).map((name): Row => [name, does[name]!, usedBy(root, name)]),
    ["commit", "session, messages and answer in one write", usedBy(root, "commit")],
    ["layers/stores", "one transaction", "or another store"]
  ], 820)
