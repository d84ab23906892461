import { widths } from "../state/preferences.js"
import { words } from "../words/words.js"

/** A divider with which a person changes the width of a column, by pointer or with the arrow keys. */
export const Divider = ({ column }: { readonly column: "list" | "side" }) => {
  const width = widths[column]
  const set = (to: number) => width.value = Math.min(900, Math.max(180, Math.round(to)))
  const move = (event: PointerEvent) =>
    set(column === "list" ? event.clientX : document.documentElement.clientWidth - event.clientX)
  const grab = (event: PointerEvent) => {
    const at = event.currentTarget as HTMLElement
    at.setPointerCapture(event.pointerId)
    at.onpointermove = move
    at.onpointerup = () => at.onpointermove = null
  }
  const key = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -16, ArrowRight: 16 }[event.key]
    if (by !== undefined) set(width.value + (column === "list" ? by : -by))
  }
  return (
    <div
      class={`divider of-${column}`}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={column === "list" ? words.sessions.title : words.side.title}
      aria-valuenow={width}
      aria-valuemin={180}
      aria-valuemax={900}
      onPointerDown={grab}
      onKeyDown={key}
    />
  )
}
