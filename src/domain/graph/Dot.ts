/** A graph in the language of Graphviz. */
import type { Graph, Mark, StepNode } from "./GraphModel.js"
import { clusters, lines, oneLine, subtitle, times } from "./Labels.js"

const quote = (parts: ReadonlyArray<string>): string =>
  `"${parts.filter((part) => part !== "").map((part) => oneLine(part).replace(/[\\"]/g, "\\$&")).join("\\n")}"`

const shapes: Record<StepNode["kind"], string> = {
  llm: "shape=box, style=rounded",
  auto: "shape=box, style=dashed",
  call: "shape=component",
  reply: "shape=note",
  completed: "shape=oval",
  aborted: "shape=oval",
  person: "shape=hexagon",
  unknown: "shape=octagon",
  anywhere: "shape=box, style=dotted"
}

const marks: Record<Mark, string> = {
  visited: ", color=\"#2f6fdb\"",
  current: ", color=\"#2f6fdb\", penwidth=3",
  suspended: ", color=\"#b7791f\", penwidth=2"
}

const marked = (mark: Mark | undefined, count?: number): string => mark === undefined ? faded(count) : marks[mark]

/** Returns pale colours for a part that was never visited. */
const faded = (count: number | undefined): string => count === 0 ? ", color=\"#b8bec6\", fontcolor=\"#8b949e\"" : ""

/** Renders a Graphviz digraph, with a cluster for each flow. */
export const toDot = (graph: Graph): string => {
  const names = new Map(graph.steps.map(({ id }, i) => [id, `s${i}`]))
  return [
    `digraph ${quote([graph.agent])} {`,
    "  node [fontname=\"sans-serif\", fontsize=11]",
    "  edge [fontname=\"sans-serif\", fontsize=10]",
    ...clusters(graph).flatMap((flow, i) => [
      `  subgraph cluster_${i} {`,
      `    label=${quote([flow.title, subtitle(flow), times(flow.count)])}${
        marked(flow.mark, flow.count).replaceAll(",", ";")
      }`,
      ...graph.steps.filter((step) => step.flow === flow.id).map((step) => {
        const title = step.kind === "unknown" ? `nowhere: ${step.title}` : step.title
        return `    ${names.get(step.id)} [label=${quote([title, ...lines(step), times(step.count)])}, ${
          shapes[step.kind]
        }${marked(step.mark, step.count)}]`
      }),
      "  }"
    ]),
    ...graph.edges.flatMap(({ count, from, jump, label, to }) =>
      names.has(from) && names.has(to)
        ? [
          `  ${names.get(from)} -> ${names.get(to)} [label=${quote([label, times(count)])}${
            jump ? ", style=dashed" : ""
          }${faded(count)}]`
        ]
        : []
    ),
    "}"
  ].join("\n") + "\n"
}
