/**
 * A graph as a self-contained picture: an SVG, readable on light and dark backgrounds.
 *
 * Each flow has its own layout and box, so that large agents stay readable. An edge into another flow ends in a node
 * with that flow's name, which is a link to it. Needs `@dagrejs/dagre`.
 *
 * @example
 * ```ts
 * import { Agent } from "coxswain"
 * import * as Graph from "coxswain/graph"
 * import * as GraphSvg from "coxswain/layers/graph-svg"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * const graph = Graph.make(kit.agent({ name: "Trips", flows: [{ title: "Plan a trip", steps: [{ id: "city", collect: ["city"] }] }] }))
 *
 * const svg: string = GraphSvg.toSvg(graph)
 * ```
 *
 * @since 0.1.0
 */
import * as Dagre from "@dagrejs/dagre"
import type { Edge, FlowNode, Graph, StepNode } from "../domain/graph/GraphModel.js"
import { clusters, lines, oneLine, subtitle, times, toolNames } from "../domain/graph/GraphModel.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface SvgOptions {
  /** Maximum width of the picture in pixels, before flows go to the next row. Default 1100. */
  readonly width?: number
}

const escape = (text: string): string => oneLine(text).replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`)

const round = (n: number): number => Math.round(n * 10) / 10

/** Text breaks after this many characters, and is cut after this many lines. */
const widest = 30
const tallest = 4
const lineHeight = 15

/** Approximate width of a text. Wide scripts take twice the room. */
const widthOf = (text: string, size: number): number =>
  Array.from(text).reduce((sum, char) => sum + (char.codePointAt(0)! > 0x2e7f ? 1.1 : size > 12 ? 0.64 : 0.58), 0) *
  size

const wrap = (text: string, most = widest): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const word of oneLine(text).split(" ")) {
    const last = found.at(-1)
    for (let rest = word, first = true; rest !== "" || first; first = false) {
      const piece = rest.slice(0, most)
      rest = rest.slice(most)
      if (first && last !== undefined && last.length + 1 + piece.length <= most) {
        found[found.length - 1] = `${last} ${piece}`
      } else if (piece !== "") found.push(piece)
    }
  }
  return found.length <= tallest ? found : [...found.slice(0, tallest - 1), `${found[tallest - 1]}…`]
}

/** A node with its size. */
interface Box {
  readonly id: string
  readonly kind: StepNode["kind"] | "jump"
  readonly title: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
  readonly mark: string
  readonly count: string
  /** Index of the flow that the node links to; undefined for a step. */
  readonly to: number | undefined
  readonly width: number
  readonly height: number
}

const boxOf = (part: Omit<Box, "width" | "height">): Box => {
  const text = Math.max(
    ...part.title.map((line) => widthOf(line, 13)),
    ...part.notes.map((line) => widthOf(line, 11.5)),
    40
  )
  return {
    ...part,
    width: Math.ceil(text + 26),
    height: (part.title.length + part.notes.length) * lineHeight + 16
  }
}

/** CSS class of parts that were never visited, which are drawn pale. */
const paleOf = (count: number | undefined): string => count === 0 ? "never" : ""

const stepBox = (step: StepNode): Box =>
  boxOf({
    id: step.id,
    kind: step.kind,
    title: wrap(step.kind === "unknown" ? `nowhere: ${step.title}` : step.title, 26),
    notes: lines(step).flatMap((line) => wrap(line)),
    mark: step.mark ?? paleOf(step.count),
    count: times(step.count),
    to: undefined
  })

/** Width of the badge with a count. */
const badgeOf = (count: string): number => count === "" ? 0 : widthOf(count, 11) + 12

const signBox = (id: string, flow: FlowNode, step: string, index: number): Box =>
  boxOf({ id, kind: "jump", title: wrap(`→ ${flow.title}`, 26), notes: wrap(step), mark: "", count: "", to: index })

interface Line {
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>
  readonly label: ReadonlyArray<string>
  readonly x: number
  readonly y: number
  readonly width: number
  readonly jump: boolean
  readonly pale: string
}

/** A flow with its layout, at its own origin. */
interface Drawn {
  readonly flow: FlowNode
  readonly index: number
  readonly boxes: ReadonlyArray<Box & { readonly x: number; readonly y: number }>
  readonly lines: ReadonlyArray<Line>
  readonly head: ReadonlyArray<string>
  readonly width: number
  readonly height: number
}

const padding = 18

const draw = (graph: Graph, flow: FlowNode, index: number): Drawn => {
  const layout = new Dagre.Graph({ multigraph: true })
  layout.setGraph({ rankdir: "TB", nodesep: 36, ranksep: 34, edgesep: 28 })
  layout.setDefaultEdgeLabel(() => ({}))
  const own = graph.steps.filter((step) => step.flow === flow.id)
  const ids = new Set(own.map(({ id }) => id))
  const edges = graph.edges.filter(({ from }) => ids.has(from))
  const boxes = new Map<string, Box>(own.map((step) => [step.id, stepBox(step)]))
  const ends = edges.map((edge, i) => {
    if (ids.has(edge.to)) return edge.to
    const sign = `${i} ${edge.to}`
    const found = signOf(graph, edge, sign)
    if (found !== undefined) boxes.set(sign, found)
    return found === undefined ? undefined : sign
  })
  for (const { height, id, width } of boxes.values()) layout.setNode(id, { width, height })
  // An edge without a label shows no count when it was never taken: it is drawn pale.
  const labels = edges.map(({ count, label }) => [
    ...wrap(label, 26),
    ...(count === undefined || (count === 0 && label === "") ? [] : [times(count)])
  ])
  edges.forEach((edge, i) => {
    const to = ends[i]
    if (to === undefined) return
    const width = Math.max(0, ...labels[i]!.map((line) => widthOf(line, 11)))
    const size = labels[i]!.length === 0 ? {} : { width: width + 10, height: labels[i]!.length * 14 + 6, labelpos: "c" }
    layout.setEdge(edge.from, to, size, String(i))
  })
  Dagre.layout(layout)
  const titles = wrap(flow.title, 44)
  const head = [...titles, ...wrap(subtitle(flow), 54)]
  const counted = badgeOf(times(flow.count))
  const heading = Math.max(
    ...head.map((line, i) => widthOf(line, i < titles.length ? 14.5 : 11.5) + (i === 0 ? counted : 0))
  )
  const { width = 0 } = layout.graph()
  const left = padding + Math.max(0, (heading - width) / 2)
  const top = padding + head.length * 16 + 12
  const placed = Array.from(boxes.values(), (box) => {
    const { x = 0, y = 0 } = layout.node(box.id)
    return { ...box, x: x + left, y: y + top }
  })
  const drawn = edges.flatMap((edge, i): ReadonlyArray<Line> => {
    const to = ends[i]
    if (to === undefined) return []
    const { points = [], width = 0, x = 0, y = 0 }: Dagre.EdgeLabel = layout.edge({
      v: edge.from,
      w: to,
      name: String(i)
    })
    return [{
      points: points.map((point: Dagre.Point) => ({ x: point.x + left, y: point.y + top })),
      label: labels[i]!,
      x: x + left,
      y: y + top,
      width,
      jump: edge.jump,
      pale: paleOf(edge.count)
    }]
  })
  const right = Math.max(
    padding + heading,
    ...placed.map((box) => box.x + (box.width + badgeOf(box.count)) / 2),
    ...drawn.flatMap((line) => [...line.points.map(({ x }) => x), line.x + line.width / 2])
  )
  const bottom = Math.max(
    top,
    ...placed.map((box) => box.y + box.height / 2),
    ...drawn.flatMap(({ points }) => points.map(({ y }) => y))
  )
  return { flow, index, boxes: placed, lines: drawn, head, width: right + padding, height: bottom + padding }
}

const signOf = (graph: Graph, edge: Edge, id: string): Box | undefined => {
  const target = graph.steps.find((step) => step.id === edge.to)
  const index = graph.flows.findIndex((flow) => flow.id === target?.flow)
  const flow = graph.flows[index]
  if (target === undefined || flow === undefined) return undefined
  const first = graph.steps.find((step) => step.flow === flow.id)
  return signBox(id, flow, first === target ? "" : target.title, index)
}

const style = `
.bg{fill:#fff}.flow{fill:#f5f6f8;stroke:#c9ced6}.head{fill:#1b1f24;font-weight:600;font-size:14.5px}.sub,.note{fill:#57606a;font-size:11.5px}
.box{fill:#fff;stroke:#8b949e}.title{fill:#1b1f24;font-size:13px;font-weight:600}.auto{stroke-dasharray:5 3}.anywhere{stroke-dasharray:2 3}.reply{fill:#eef4ff}
.end{fill:#e6e9ee;stroke:#8b949e}.nowhere{fill:#ffe9e6;stroke:#c0392b}.person{fill:#e7f5ea;stroke:#3a8a52}.jump{fill:#f0ecfb;stroke:#7d64c4}
.line{fill:none;stroke:#6e7781;stroke-width:1.3}.tip{fill:#6e7781}.leap{stroke-dasharray:4 3}.label{fill:#343a41;font-size:11px}.plate{fill:#f5f6f8}
.count{fill:#2f6fdb;font-size:11px;font-weight:600}.badge{fill:#fff;stroke:#9db9ea}.visited{stroke:#2f6fdb}.current{stroke:#2f6fdb;stroke-width:3}.suspended{stroke:#b7791f;stroke-width:2;stroke-dasharray:4 3}.never{opacity:.45}
@media (prefers-color-scheme:dark){.bg{fill:#0f1318}.flow{fill:#171c23;stroke:#39424e}.head,.title{fill:#e8ecf1}.sub,.note{fill:#a3adb8}
.box{fill:#202730;stroke:#6b7683}.reply{fill:#1c2a40}.end{fill:#2b333d;stroke:#6b7683}.nowhere{fill:#47201c;stroke:#e5705f}.person{fill:#1c3323;stroke:#6fbf87}.jump{fill:#2a2440;stroke:#a48ee0}
.line{stroke:#95a1ae}.tip{fill:#95a1ae}.label{fill:#cfd6de}.plate{fill:#171c23}.count{fill:#7fb0ff}.badge{fill:#171c23;stroke:#3f5f94}.visited,.current{stroke:#7fb0ff}.suspended{stroke:#e0b15a}}`

const classes: Record<Box["kind"], string> = {
  llm: "box",
  auto: "box auto",
  call: "box auto",
  reply: "box reply",
  completed: "end",
  aborted: "end",
  person: "person",
  unknown: "nowhere",
  anywhere: "box anywhere",
  jump: "jump"
}

const boxSvg = (box: Drawn["boxes"][number]): string => {
  const [x, y] = [round(box.x - box.width / 2), round(box.y - box.height / 2)]
  const rounded = box.kind === "llm" ? 8 : box.kind === "auto" || box.kind === "reply" ? 2 : 14
  const text = [...box.title, ...box.notes].map((line, i) =>
    `<text class="${i < box.title.length ? "title" : "note"}" x="${round(box.x)}" y="${
      round(y + 20 + i * lineHeight)
    }" text-anchor="middle">${escape(line)}</text>`
  ).join("")
  const shape = `<rect class="${
    classes[box.kind]
  } ${box.mark}" x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="${rounded}"/>`
  const whole = shape + text + badgeSvg(box, x + box.width, y)
  return box.to === undefined ? whole : `<a href="#flow-${box.to}">${whole}</a>`
}

/**
 * The badge with the number of visits. It is on the corner of the box, so that the box is the same as without counts.
 */
const badgeSvg = ({ count, mark }: Box, x: number, y: number): string => {
  if (count === "") return ""
  const width = badgeOf(count)
  return `<rect class="badge ${mark}" x="${round(x - width / 2)}" y="${round(y - 8)}" width="${
    round(width)
  }" height="16" rx="8"/><text class="count ${mark}" x="${round(x)}" y="${
    round(y + 4)
  }" text-anchor="middle">${count}</text>`
}

/** SVG path of a smooth line through the points. */
const curve = (points: Line["points"]): string => {
  const [first, ...rest] = points
  if (first === undefined) return ""
  const middle = rest.slice(0, -1).map((point, i) => {
    const next = rest[i + 1]!
    const [x, y] = i === rest.length - 2 ? [next.x, next.y] : [(point.x + next.x) / 2, (point.y + next.y) / 2]
    return `Q${round(point.x)} ${round(point.y)} ${round(x)} ${round(y)}`
  })
  const last = rest.at(-1)
  return `M${round(first.x)} ${round(first.y)}${middle.join("")}${
    middle.length === 0 && last !== undefined ? `L${round(last.x)} ${round(last.y)}` : ""
  }`
}

const lineSvg = ({ jump, pale, points }: Line): string =>
  `<path class="${["line", ...(jump ? ["leap"] : []), ...(pale === "" ? [] : [pale])].join(" ")}" d="${
    curve(points)
  }" marker-end="url(#tip)"/>`

/** Drawn above all lines, so that no line crosses a label. */
const labelSvg = ({ label, width, x, y }: Line): string => {
  const plate = label.length === 0 ?
    "" :
    `<rect class="plate" x="${round(x - width / 2)}" y="${round(y - label.length * 7 - 2)}" width="${
      round(width)
    }" height="${label.length * 14 + 4}" rx="3"/>`
  const text = label.map((line, i) =>
    `<text class="label" x="${round(x)}" y="${round(y - label.length * 7 + 11 + i * 14)}" text-anchor="middle">${
      escape(line)
    }</text>`
  ).join("")
  return plate + text
}

const flowSvg = (drawn: Drawn, x: number, y: number): string => {
  const { flow } = drawn
  const titles = wrap(flow.title, 44).length
  const head = drawn.head.map((line, i) =>
    `<text class="${i < titles ? "head" : "sub"}" x="${padding}" y="${padding + 8 + i * 16}">${escape(line)}</text>`
  ).join("")
  const count = flow.count === undefined
    ? ""
    : `<text class="count" x="${round(drawn.width - 12)}" y="${padding + 4}" text-anchor="end">${
      times(flow.count)
    }</text>`
  return `<g id="flow-${drawn.index}" transform="translate(${round(x)} ${round(y)})"><title>${
    escape(flow.title)
  }</title>` +
    `<rect class="flow ${flow.mark ?? ""}" width="${round(drawn.width)}" height="${round(drawn.height)}" rx="10"/>` +
    `${head}${count}${drawn.lines.map(lineSvg).join("")}${drawn.lines.map(labelSvg).join("")}${
      drawn.boxes.map(boxSvg).join("")
    }</g>`
}

/** Places flows side by side in rows, as many as fit. */
const pack = (all: ReadonlyArray<Drawn>, width: number) => {
  const gap = 20
  let [x, y, row, right] = [gap, 48, 0, 0]
  const placed = all.map((one) => {
    if (x > gap && x + one.width + gap > width) {
      x = gap
      y += row + gap
      row = 0
    }
    const at = { drawn: one, x, y }
    x += one.width + gap
    row = Math.max(row, one.height)
    right = Math.max(right, x)
    return at
  })
  return { placed, width: Math.max(right, 240), height: y + row + gap }
}

/** The agent's name, and its tools as far as they fit. */
const agentSvg = (graph: Graph, width: number): string => {
  const name = wrap(graph.agent, Math.max(20, Math.floor(width / 10)))[0] ?? ""
  const x = 20 + widthOf(name, 14.5) + 16
  const tools = graph.tools.length === 0 ? "" : `tools ${toolNames(graph.tools, graph)}`
  const said = wrap(tools, Math.max(1, Math.floor((width - 20 - x) / 6.7)))
  return `<text class="head" x="20" y="30">${escape(name)}</text>` +
    (said[0] === undefined
      ? ""
      : `<text class="sub" x="${round(x)}" y="30">${escape(said.length > 1 ? `${said[0]} …` : said[0])}</text>`)
}

/**
 * Draws a graph as SVG text.
 *
 * @since 0.1.0
 * @category rendering
 */
export const toSvg = (graph: Graph, options: SvgOptions = {}): string => {
  const { height, placed, width } = pack(clusters(graph).map((flow, i) => draw(graph, flow, i)), options.width ?? 1100)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${
    Math.ceil(width)
  }" height="${Math.ceil(height)}" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" role="img">` +
    `<title>${escape(graph.agent)}</title><style>${style}</style>` +
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>` +
    `<rect class="bg" width="100%" height="100%"/>${agentSvg(graph, width)}` +
    `${placed.map(({ drawn, x, y }) => flowSvg(drawn, x, y)).join("\n")}</svg>\n`
}
