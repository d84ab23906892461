import { useSignal } from "@preact/signals"
import type { Json } from "../net/wire.js"
import { words } from "../words/words.js"

interface Props {
  readonly id: string
  readonly described: object
  readonly value: Json | undefined
  readonly change: (value: Json | undefined) => void
}

/**
 * An input for a value that has no simple form, such as a list: its JSON. While the JSON is malformed, there is no
 * value.
 */
export const JsonInput = ({ change, described, id, value }: Props) => {
  const written = useSignal(value === undefined ? "" : JSON.stringify(value, undefined, 2))
  const isBroken = useSignal(false)
  const write = (given: string) => {
    written.value = given
    try {
      change(given.trim() === "" ? undefined : JSON.parse(given) as Json)
      isBroken.value = false
    } catch {
      isBroken.value = true
      change(undefined)
    }
  }
  return (
    <>
      <textarea
        id={id}
        class="code"
        rows={Math.min(10, written.value.split("\n").length + 1)}
        {...described}
        aria-invalid={isBroken}
        value={written}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      {isBroken.value && <span class="error" role="alert">{words.form.notJson}</span>}
    </>
  )
}
