import type { Signal } from "@preact/signals"

/** A checkbox that switches a signal, with its label. */
export const Checkbox = ({ label, on }: { readonly label: string; readonly on: Signal<boolean> }) => (
  <label class="inline">
    <input type="checkbox" checked={on} onChange={({ currentTarget }) => on.value = currentTarget.checked} />
    {label}
  </label>
)
