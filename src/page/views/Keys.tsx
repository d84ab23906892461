import { signal, useSignalEffect } from "@preact/signals"
import { useRef } from "preact/hooks"
import { words } from "../words/words.js"

export const showKeys = signal(false)

/** The dialog that lists the keyboard shortcuts. */
export const KeysDialog = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  useSignalEffect(() => {
    if (showKeys.value) dialog.current?.showModal()
  })
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => showKeys.value = false}>
      <h2 id="keys-title">{words.keys.title}</h2>
      <dl class="keys">
        {words.keys.list.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button>{words.close}</button>
      </form>
    </dialog>
  )
}
