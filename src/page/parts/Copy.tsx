import { useSignal } from "@preact/signals"
import { words } from "../words/words.js"

/** A button that copies a text and then shows that it has copied it. */
export const Copy = ({ label = words.copy, text }: { readonly text: string; readonly label?: string }) => {
  const isCopied = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    isCopied.value = true
    setTimeout(() => isCopied.value = false, 2000)
  }
  return (
    <button type="button" class="plain" onClick={() => void copy()}>{isCopied.value ? words.copied : label}</button>
  )
}
