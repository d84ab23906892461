/** A graph in the language of Mermaid, which GitHub and most wikis render. */
import type { Edge, FlowNode, Graph, StepNode } from "./GraphModel.js"
import { clusters, lines, oneLine, subtitle, times } from "./Labels.js"

/** Escapes characters with a meaning in Mermaid. */
const text = (given: string): string =>
  Array.from(
    oneLine(given),
    (char, i) => /[\p{L}\p{N} ,:?!'/×]/u.test(char) || (char === "." && i > 3) ? char : `#${char.codePointAt(0)!};`
  ).join("")

/**
 * The shape of a node around its text (`*`), and a style in addition. A fill has its own text color, so that it is
 * readable on dark backgrounds too.
 */
const looks: Record<StepNode["kind"], readonly [shape: string, style?: string]> = {
  llm: ["(*)"],
  auto: ["[*]", "stroke-dasharray:5 3"],
  call: ["[*]", "stroke-dasharray:5 3"],
  reply: ["[*]", "fill:#dbe8ff,color:#1b1f24"],
  completed: ["([*])"],
  aborted: ["([*])"],
  person: ["([*])", "fill:#cdeed5,stroke:#3a8a52,color:#1b1f24"],
  unknown: ["{{*}}", "fill:#ffd9d3,stroke:#c0392b,color:#1b1f24"],
  anywhere: ["[*]", "stroke-dasharray:2 3"]
}

/** Returns the style class of a node: its mark, such as `current`; or `never` (drawn pale) if its count is 0. */
const drawnAs = ({ count, mark }: Pick<StepNode, "count" | "mark">, before: string): string =>
  mark !== undefined ? `${before}${mark}` : count === 0 ? `${before}never` : ""

const label = (parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").map(text).join("<br/>")

/** Arranges unconnected flows in columns by invisible lines; otherwise they would all stand side by side. */
const rows = (graph: Graph, flows: ReadonlyArray<FlowNode>): ReadonlyArray<string> => {
  const flowOf = new Map(graph.steps.map(({ flow, id }) => [id, flow]))
  const joined = new Set(
    graph.edges.filter(({ jump }) => jump).flatMap(({ from, to }) => [flowOf.get(from), flowOf.get(to)])
  )
  const alone = flows.flatMap(({ id }, i) => joined.has(id) ? [] : [`f${i}`])
  return alone.slice(columns).map((name, i) => `  ${alone[i]} ~~~ ${name}`)
}

const columns = 4

/** Renders a Mermaid flowchart. */
export const toMermaid = (graph: Graph): string => {
  const names = new Map(graph.steps.map(({ id }, i) => [id, `s${i}`]))
  const step = (one: StepNode): string => {
    const [shape] = looks[one.kind]
    const said = label([one.kind === "unknown" ? `nowhere: ${one.title}` : one.title, ...lines(one), times(one.count)])
    return `    ${names.get(one.id)}${shape.replace("*", () => `"${said}"`)}${drawnAs(one, ":::")}`
  }
  // Mermaid leaves room for only one line under a flow's title, so its other texts are in a box above its steps.
  const about = (flow: FlowNode, i: number): ReadonlyArray<string> => {
    const said = label([subtitle(flow), times(flow.count)])
    const first = graph.steps.find((one) => one.flow === flow.id)
    if (said === "") return []
    const below = first === undefined ? "" : ` ~~~ ${names.get(first.id)}`
    return [`    a${i}["${said}"]:::about${below}`]
  }
  const edge = (one: Edge): ReadonlyArray<string> => {
    const [from, to] = [names.get(one.from), names.get(one.to)]
    if (from === undefined || to === undefined) return []
    const said = label([one.label, times(one.count)])
    return [`  ${from} ${one.jump ? "-.->" : "-->"}${said === "" ? "" : `|"${said}"|`} ${to}`]
  }
  const flows = clusters(graph)
  return [
    "flowchart TD",
    ...flows.flatMap((flow, i) => [
      `  subgraph f${i} ["${label([flow.title])}"]`,
      "    direction TB",
      ...about(flow, i),
      ...graph.steps.filter((one) => one.flow === flow.id).map(step),
      "  end",
      ...(drawnAs(flow, "") === "" ? [] : [`  class f${i} ${drawnAs(flow, "")}`])
    ]),
    ...graph.edges.flatMap(edge),
    ...rows(graph, flows),
    ...Object.entries(looks).flatMap(([kind, [, style]]) => {
      const drawn = graph.steps.filter((one) => one.kind === kind).map(({ id }) => names.get(id))
      return drawn.length === 0 || style === undefined
        ? []
        : [`  classDef ${kind}Step ${style}`, `  class ${drawn.join(",")} ${kind}Step`]
    }),
    "  classDef about fill:none,stroke:none",
    "  classDef visited stroke:#2f6fdb",
    "  classDef current stroke:#2f6fdb,stroke-width:4px",
    "  classDef suspended stroke:#b7791f,stroke-dasharray:4 3",
    "  classDef never opacity:0.5"
  ].join("\n") + "\n"
}
