/** Draws the graph in the same way as the SVG file, with steps as links. */
import type { FlowLayout, Line } from "../../layers/GraphLayout.js"
import { classes, curve, lineHeight, padding, wrap } from "../../layers/GraphLayout.js"
import { linkTo, route } from "../state/pageAddress.js"
import { words } from "../words/words.js"

/** The states of a step as words or signs, so that a state is not shown by colour alone. */
const flags: Readonly<Record<string, string>> = {
  current: `◀ ${words.where.here}`,
  suspended: `‖ ${words.where.flag}`,
  visited: "✓"
}

const Box = ({ box }: { readonly box: FlowLayout["boxes"][number] }) => {
  const [x, y] = [box.x - box.width / 2, box.y - box.height / 2]
  const chosen = route.value.at === box.id ? "chosen" : ""
  const inside = (
    <>
      <rect
        class={`${classes[box.kind]} ${box.mark} ${chosen}`}
        x={x}
        y={y}
        width={box.width}
        height={box.height}
        rx={box.kind === "llm" ? 8 : 4}
      />
      {[...box.title, ...box.notes].map((line, i) => (
        <text
          key={i}
          class={i < box.title.length ? "title" : "note"}
          x={box.x}
          y={y + 20 + i * lineHeight}
          text-anchor="middle"
        >
          {line}
        </text>
      ))}
      {flags[box.mark] !== undefined && (
        <text class={`flag ${box.mark}`} x={box.x + box.width / 2 + 4} y={box.y + 4}>{flags[box.mark]}</text>
      )}
    </>
  )
  return box.to !== undefined
    ? <g>{inside}</g>
    : <a href={linkTo({ at: box.id, tab: "where" })} data-step={box.id} class={box.mark}>{inside}</a>
}

const Edge = ({ line }: { readonly line: Line }) => (
  <path class={`line ${line.jump ? "leap" : ""}`} d={curve(line.points)} marker-end="url(#tip)" />
)

const Label = ({ line: { label, width, x, y } }: { readonly line: Line }) =>
  label.length === 0 ? null : (
    <>
      <rect
        class="plate"
        x={x - width / 2}
        y={y - label.length * 7 - 2}
        width={width}
        height={label.length * 14 + 4}
        rx={3}
      />
      {label.map((text, i) => (
        <text key={i} class="label" x={x} y={y - label.length * 7 + 11 + i * 14} text-anchor="middle">{text}</text>
      ))}
    </>
  )

export const Flow = ({ drawn, x, y }: { readonly drawn: FlowLayout; readonly x: number; readonly y: number }) => {
  const titles = wrap(drawn.flow.title, 44).length
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect class={`flow ${drawn.flow.mark ?? ""}`} width={drawn.width} height={drawn.height} rx={10} />
      {drawn.head.map((line, i) => (
        <text key={i} class={i < titles ? "head" : "sub"} x={padding} y={padding + 8 + i * 16}>{line}</text>
      ))}
      {drawn.lines.map((line, i) => <Edge key={i} line={line} />)}
      {drawn.lines.map((line, i) => <Label key={i} line={line} />)}
      {drawn.boxes.map((box) => <Box key={box.id} box={box} />)}
    </g>
  )
}
