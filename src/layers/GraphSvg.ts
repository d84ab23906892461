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
 */
import type { Graph } from "../domain/graph/GraphModel.js"
import { oneLine, times, toolNames } from "../domain/graph/Labels.js"
import type { Box, FlowLayout, Line } from "./GraphLayout.js"
import { badgeOf, classes, curve, layout, lineHeight, padding, round, widthOf, wrap } from "./GraphLayout.js"

export interface SvgOptions {
  /** Maximum width of the picture in pixels, before flows go to the next row. Default 1100. */
  readonly width?: number
}

const escape = (text: string): string => oneLine(text).replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`)

const style = `
.bg{fill:#fff}.flow{fill:#f5f6f8;stroke:#c9ced6}.head{fill:#1b1f24;font-weight:600;font-size:14.5px}.sub,.note{fill:#57606a;font-size:11.5px}
.box{fill:#fff;stroke:#8b949e}.title{fill:#1b1f24;font-size:13px;font-weight:600}.auto{stroke-dasharray:5 3}.anywhere{stroke-dasharray:2 3}.reply{fill:#eef4ff}
.end{fill:#e6e9ee;stroke:#8b949e}.nowhere{fill:#ffe9e6;stroke:#c0392b}.person{fill:#e7f5ea;stroke:#3a8a52}.jump{fill:#f0ecfb;stroke:#7d64c4}
.line{fill:none;stroke:#6e7781;stroke-width:1.3}.tip{fill:#6e7781}.leap{stroke-dasharray:4 3}.label{fill:#343a41;font-size:11px}.plate{fill:#f5f6f8}
.count{fill:#2f6fdb;font-size:11px;font-weight:600}.badge{fill:#fff;stroke:#9db9ea}.visited{stroke:#2f6fdb}.current{stroke:#2f6fdb;stroke-width:3}.suspended{stroke:#b7791f;stroke-width:2;stroke-dasharray:4 3}.never{opacity:.45}
@media (prefers-color-scheme:dark){.bg{fill:#0f1318}.flow{fill:#171c23;stroke:#39424e}.head,.title{fill:#e8ecf1}.sub,.note{fill:#a3adb8}
.box{fill:#202730;stroke:#6b7683}.reply{fill:#1c2a40}.end{fill:#2b333d;stroke:#6b7683}.nowhere{fill:#47201c;stroke:#e5705f}.person{fill:#1c3323;stroke:#6fbf87}.jump{fill:#2a2440;stroke:#a48ee0}
.line{stroke:#95a1ae}.tip{fill:#95a1ae}.label{fill:#cfd6de}.plate{fill:#171c23}.count{fill:#7fb0ff}.badge{fill:#171c23;stroke:#3f5f94}.visited,.current{stroke:#7fb0ff}.suspended{stroke:#e0b15a}}`

const boxSvg = (box: FlowLayout["boxes"][number]): string => {
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

const flowSvg = (drawn: FlowLayout, x: number, y: number): string => {
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

/** Draws a graph as SVG text. */
export const toSvg = (graph: Graph, options: SvgOptions = {}): string => {
  const { height, placed, width } = layout(graph, options.width)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${
    Math.ceil(width)
  }" height="${Math.ceil(height)}" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" role="img">` +
    `<title>${escape(graph.agent)}</title><style>${style}</style>` +
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>` +
    `<rect class="bg" width="100%" height="100%"/>${agentSvg(graph, width)}` +
    `${placed.map(({ drawn, x, y }) => flowSvg(drawn, x, y)).join("\n")}</svg>\n`
}
