/** The theme and the widths of the columns. The page stores only these in the browser. */
import { effect, signal } from "@preact/signals"

const kept = (name: string): string | null => {
  try {
    return localStorage.getItem(`coxswain.${name}`)
  } catch {
    return null
  }
}

const keep = (name: string, value: string): void => {
  try {
    localStorage.setItem(`coxswain.${name}`, value)
  } catch {
    // The browser stores nothing for this page.
  }
}

export const themes = ["auto", "light", "dark"] as const
type Theme = typeof themes[number]

const themeOf = (name: string | null): Theme => themes.find((theme) => theme === name) ?? "auto"

export const theme = signal<Theme>(themeOf(kept("theme")))

const numberOf = (text: string | null, otherwise: number): number => {
  const found = Number(text ?? NaN)
  return Number.isFinite(found) && found >= 180 && found <= 900 ? found : otherwise
}

/** Widths of the outer columns, in pixels. */
export const widths = {
  list: signal(numberOf(kept("list"), 268)),
  side: signal(numberOf(kept("side"), 468))
}

effect(() => {
  const { value } = theme
  if (value === "auto") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = value
  keep("theme", value)
})
effect(() => {
  for (const name of ["list", "side"] as const) {
    document.documentElement.style.setProperty(`--${name}`, `${widths[name].value}px`)
    keep(name, String(widths[name].value))
  }
})
