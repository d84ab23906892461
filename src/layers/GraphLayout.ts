/** The layout of a graph: where boxes, lines and labels are. The SVG file and the page draw the same layout. */
import * as Dagre from "@dagrejs/dagre"
import * as Excerpt from "../domain/base/error/Excerpt.js"
import type { Edge, FlowNode, Graph, StepNode } from "../domain/graph/GraphModel.js"
import { clusters, lines, oneLine, subtitle, times } from "../domain/graph/Labels.js"

/** Rounds to a tenth of a pixel. */
export const round = (n: number): number => Math.round(n * 10) / 10

/** Largest number of characters in a line (`widest`) and of lines in a text (`tallest`). */
const widest = 30
const tallest = 4
/** Height of a line of text in a box. */
export const lineHeight = 15

/** Approximate width of a text. Wide scripts take twice the room. */
export const widthOf = (text: string, size: number): number =>
  Array.from(text).reduce((sum, char) => sum + (char.codePointAt(0)! > 0x2e7f ? 1.1 : size > 12 ? 0.64 : 0.58), 0) *
  size

/** Breaks a text into lines of at most `most` characters, and cuts it after four lines. */
export const wrap = (text: string, most = widest): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const word of oneLine(text).split(" ")) {
    const last = found.at(-1)
    for (let rest = word, first = true; rest !== "" || first; first = false) {
      const piece = Excerpt.start(rest, most)
      rest = rest.slice(piece.length)
      if (first && last !== undefined && last.length + 1 + piece.length <= most) {
        found[found.length - 1] = `${last} ${piece}`
      } else if (piece !== "") found.push(piece)
    }
  }
  return found.length <= tallest ? found : [...found.slice(0, tallest - 1), `${found[tallest - 1]}…`]
}

/** A node with its size. */
export interface Box {
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

/** Width of the badge that shows a count. */
export const badgeOf = (count: string): number => count === "" ? 0 : widthOf(count, 11) + 12

const signBox = (id: string, flow: FlowNode, step: string, index: number): Box =>
  boxOf({ id, kind: "jump", title: wrap(`→ ${flow.title}`, 26), notes: wrap(step), mark: "", count: "", to: index })

/** An edge as drawn: its points, and the center of its label (`x`, `y`). */
export interface Line {
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>
  readonly label: ReadonlyArray<string>
  readonly x: number
  readonly y: number
  readonly width: number
  readonly jump: boolean
  readonly pale: string
}

/** A flow with its layout, in coordinates relative to the flow's frame. */
export interface FlowLayout {
  readonly flow: FlowNode
  readonly index: number
  readonly boxes: ReadonlyArray<Box & { readonly x: number; readonly y: number }>
  readonly lines: ReadonlyArray<Line>
  readonly head: ReadonlyArray<string>
  readonly width: number
  readonly height: number
}

/** Distance of a flow's content from its frame. */
export const padding = 18

const draw = (graph: Graph, flow: FlowNode, index: number): FlowLayout => {
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
  // An edge without a label shows no count if it was never taken, because it is drawn pale.
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

/** CSS classes of the boxes, by kind of step. */
export const classes: Record<Box["kind"], string> = {
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

/** SVG path of a smooth line through the points. */
export const curve = (points: Line["points"]): string => {
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

/** Places flows side by side in rows, as many as fit. */
const pack = (all: ReadonlyArray<FlowLayout>, width: number) => {
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

/** Lays out the flows of a graph in rows of at most `width` pixels. */
export const layout = (graph: Graph, width = 1100) =>
  pack(clusters(graph).map((flow, i) => draw(graph, flow, i)), width)
