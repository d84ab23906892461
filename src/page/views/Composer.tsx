import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { problem } from "../net/api.js"
import { profile } from "../state/agent.js"
import { attach, type Attachment, upload } from "../state/attach.js"
import type { Conversation } from "../state/conversation.js"
import { words } from "../words/words.js"

const Files = (
  { files, remove }: { readonly files: ReadonlyArray<Attachment>; readonly remove: (at: number) => void }
) => (
  <ul class="files">
    {files.map(({ file, problem }, i) => (
      <li key={i} class={problem === undefined ? "" : "bad"}>
        {file.name}
        {problem !== undefined && <span role="alert">: {problem}</span>}
        <button type="button" class="plain" aria-label={words.talk.remove(file.name)} onClick={() => remove(i)}>
          ×
        </button>
      </li>
    ))}
  </ul>
)

/** The message field, with files by button, drop and paste. */
export const Composer = ({ talk }: { readonly talk: Conversation }) => {
  const text = useSignal("")
  const files = useSignal<ReadonlyArray<Attachment>>([])
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const takes = profile.value?.files?.uploads === true ? profile.value.files : undefined
  const add = (given: FileList | null | undefined) => {
    if (takes === undefined || given == null || given.length === 0) return false
    files.value = attach(files.value, Array.from(given), takes)
    return true
  }
  const send = async () => {
    const message = text.value.trim()
    const sent = files.value
    if (sent.some(({ problem }) => problem !== undefined) || (message === "" && sent.length === 0)) return
    text.value = ""
    files.value = []
    try {
      const parts = await upload(talk.path, sent.map(({ file }) => file))
      await talk.say({ ...(message !== "" && { message }), parts })
    } catch (cause) {
      // Only an upload can fail here; the text stays in the field.
      talk.failure.value = problem(cause)
      text.value = message
      files.value = sent
    }
  }
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    void send()
  }
  const isBusy = talk.busy.value
  const hint = words.talk.busy[profile.value?.whileBusy ?? "queue"]
  return (
    <form
      class="composer"
      onSubmit={(event) => (event.preventDefault(), void send())}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => (event.preventDefault(), void add(event.dataTransfer?.files))}
    >
      {files.value.length > 0 && (
        <Files
          files={files.value}
          remove={(at) => takes !== undefined && (files.value = attach(files.value.toSpliced(at, 1), [], takes))}
        />
      )}
      {isBusy && text.value !== "" && <p class="quiet" role="status">{hint}</p>}
      <div class="field">
        {takes !== undefined && (
          <>
            <button type="button" class="plain" aria-label={words.talk.attach} onClick={() => picker.current?.click()}>
              <span aria-hidden="true">+</span>
            </button>
            <input
              ref={picker}
              id="files"
              type="file"
              multiple
              hidden
              accept={takes.accept.join(",")}
              onChange={({ currentTarget }) => (add(currentTarget.files), currentTarget.value = "")}
            />
          </>
        )}
        <textarea
          id="message"
          ref={field}
          rows={1}
          aria-label={words.talk.message}
          placeholder={words.talk.message}
          value={text}
          onInput={({ currentTarget }) => text.value = currentTarget.value}
          onKeyDown={key}
          onPaste={(event) => add(event.clipboardData?.files) && event.preventDefault()}
        />
        {isBusy && (
          <button type="button" id="stop" onClick={() => void talk.stop()}>
            <span aria-hidden="true">■</span> {words.talk.stop}
          </button>
        )}
        <button type="submit" class="primary" disabled={isBusy && profile.value?.whileBusy === "reject"}>
          {words.talk.send}
        </button>
      </div>
    </form>
  )
}
