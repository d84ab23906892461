import { type Signal, useSignal, useSignalEffect } from "@preact/signals"
import { useRef } from "preact/hooks"
import { ask, problem } from "../net/api.js"
import type { Session } from "../net/wire.js"
import { profile } from "../state/agent.js"
import { attach, type Attachment, upload } from "../state/attach.js"
import type { Conversation } from "../state/conversation.js"
import { words } from "../words/words.js"
import { isMine } from "./Floor.js"

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

const Picker = (
  { accept, add }: { readonly accept: ReadonlyArray<string>; readonly add: (files: FileList | null) => boolean }
) => {
  const picker = useRef<HTMLInputElement>(null)
  return (
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
        accept={accept.join(",")}
        onChange={({ currentTarget }) => (add(currentTarget.files), currentTarget.value = "")}
      />
    </>
  )
}

/** Puts a message into the field again whose turn was stopped before its first word, because it is stored nowhere. */
const useUnsent = ({ unsent }: Conversation, text: Signal<string>): void =>
  useSignalEffect(() => {
    if (unsent.value === undefined) return
    if (text.peek() === "") text.value = unsent.value
    unsent.value = undefined
  })

/** Says the text as the person who has the conversation. */
const speak = async (talk: Conversation, text: Signal<string>): Promise<void> => {
  const said = text.value.trim()
  if (said === "") return
  talk.session.value = await ask<Session>(`${talk.path}/say`, { body: { text: said, messageId: crypto.randomUUID() } })
  text.value = ""
}

const isNothing = (text: string, files: ReadonlyArray<Attachment>): boolean => text.trim() === "" && files.length === 0

interface Props {
  readonly talk: Conversation
  readonly draft: Signal<string>
  readonly asCustomer: Signal<boolean>
}

/** The buttons of the field. An empty field has no coloured one, so that a form above it has the only one. */
const Sending = (
  { isBusy, isEmpty, talk }: { readonly talk: Conversation; readonly isBusy: boolean; readonly isEmpty: boolean }
) => (
  <>
    {isBusy && (
      <button type="button" id="stop" onClick={() => void talk.stop()}>
        <span aria-hidden="true">■</span> {words.talk.stop}
      </button>
    )}
    <button
      type="submit"
      class={isEmpty ? undefined : "primary"}
      disabled={isBusy && profile.value?.whileBusy === "reject"}
    >
      {words.talk.send}
    </button>
  </>
)

/**
 * The only field for messages, with files by button, drop and paste. While an operator has the conversation it is theirs,
 * and has another colour; with `asCustomer` it is the customer's again.
 */
export const Composer = ({ asCustomer, draft: text, talk }: Props) => {
  const isPerson = isMine(talk) && !asCustomer.value
  const label = isPerson ? words.floor.say : words.talk.message
  const files = useSignal<ReadonlyArray<Attachment>>([])
  const takes = profile.value?.files?.uploads === true && !isPerson ? profile.value.files : undefined
  const add = (given: FileList | null | undefined) => {
    if (takes === undefined || given == null || given.length === 0) return false
    files.value = attach(files.value, Array.from(given), takes)
    return true
  }
  const send = async () => {
    if (isPerson) return talk.reported(speak(talk, text))
    const message = text.value.trim()
    const sent = files.value
    if (sent.some(({ problem }) => problem !== undefined) || isNothing(message, sent)) return
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
  const isBusy = talk.busy.value && !isPerson
  useUnsent(talk, text)
  const hint = words.talk.busy[profile.value?.whileBusy ?? "queue"]
  return (
    <form
      class={isPerson ? "composer person" : "composer"}
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
        {takes !== undefined && <Picker accept={takes.accept} add={add} />}
        <textarea
          id="message"
          rows={1}
          aria-label={label}
          placeholder={label}
          value={text}
          onInput={({ currentTarget }) => text.value = currentTarget.value}
          onKeyDown={key}
          onPaste={(event) => add(event.clipboardData?.files) && event.preventDefault()}
        />
        <Sending
          talk={talk}
          isBusy={isBusy}
          isEmpty={isNothing(text.value, files.value)}
        />
      </div>
    </form>
  )
}
