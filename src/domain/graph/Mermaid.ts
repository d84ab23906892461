/**
 * A graph in the language of Mermaid, which GitHub and most wikis draw.
 *
 * @since 0.1.0
 */
import type { Edge, Graph, StepNode } from "./Model.js"
import { clusters, lines, oneLine, subtitle, times } from "./Model.js"

/** Whatever could mean something to Mermaid becomes its number. */
const text = (given: string): string =>
  Array.from(
    oneLine(given),
    (char, i) => /[\p{L}\p{N} ,:?!'/×]/u.test(char) || (char === "." && i > 3) ? char : `#${char.codePointAt(0)!};`
  ).join("")

const shapes: Record<StepNode["kind"], readonly [open: string, close: string]> = {
  llm: ["(\"", "\")"],
  auto: ["[[\"", "\"]]"],
  call: ["[/\"", "\"/]"],
  reply: ["[\"", "\"]"],
  completed: ["([\"", "\"])"],
  aborted: ["([\"", "\"])"],
  person: ["[/\"", "\"\\]"],
  unknown: ["{{\"", "\"}}"],
  anywhere: [">\"", "\"]"]
}

/** How a session stands to a part; what was never visited is pale. */
const drawnAs = ({ count, mark }: Pick<StepNode, "count" | "mark">, before: string): string =>
  mark !== undefined ? `${before}${mark}` : count === 0 ? `${before}never` : ""

const label = (parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").map(text).join("<br/>")

/**
 * A Mermaid flowchart.
 *
 * @since 0.1.0
 * @category rendering
 */
export const toMermaid = (graph: Graph): string => {
  const names = new Map(graph.steps.map(({ id }, i) => [id, `s${i}`]))
  const step = (one: StepNode): string => {
    const [open, close] = shapes[one.kind]
    const said = label([one.kind === "unknown" ? `nowhere: ${one.title}` : one.title, ...lines(one), times(one.count)])
    return `    ${names.get(one.id)}${open}${said}${close}${drawnAs(one, ":::")}`
  }
  const edge = (one: Edge): ReadonlyArray<string> => {
    const [from, to] = [names.get(one.from), names.get(one.to)]
    if (from === undefined || to === undefined) return []
    const said = label([one.label, times(one.count)])
    return [`  ${from} ${one.jump ? "-.->" : "-->"}${said === "" ? "" : `|"${said}"|`} ${to}`]
  }
  return [
    "flowchart TD",
    ...clusters(graph).flatMap((flow, i) => [
      `  subgraph f${i} ["${label([flow.title, subtitle(flow), times(flow.count)])}"]`,
      ...graph.steps.filter((one) => one.flow === flow.id).map(step),
      "  end",
      ...(drawnAs(flow, "") === "" ? [] : [`  class f${i} ${drawnAs(flow, "")}`])
    ]),
    ...graph.edges.flatMap(edge),
    "  classDef visited stroke:#2f6fdb",
    "  classDef current stroke:#2f6fdb,stroke-width:4px",
    "  classDef suspended stroke:#b7791f,stroke-dasharray:4 3",
    "  classDef never opacity:0.5"
  ].join("\n") + "\n"
}
