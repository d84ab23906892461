import { signal, useSignalEffect } from "@preact/signals"
import { useRef } from "preact/hooks"
import { ask, send } from "../net/api.js"
import type { Page, Session, StoredMessage } from "../net/wire.js"
import type { Conversation } from "../state/conversation.js"
import { go } from "../state/pageAddress.js"
import * as Sessions from "../state/sessions.js"
import { words } from "../words/words.js"

/** Downloads the session and all its messages as one JSON file. */
const save = async (talk: Conversation): Promise<void> => {
  const messages: Array<StoredMessage> = []
  let before: number | undefined
  do {
    const found: Page<StoredMessage, number> = await ask(
      `${talk.path}/messages?limit=200${before === undefined ? "" : `&before=${before}`}`
    )
    messages.unshift(...found.items)
    before = found.next
  } while (before !== undefined)
  const session = await ask<Session>(talk.path)
  const link = document.createElement("a")
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify({ session, messages }, undefined, 2)], { type: "application/json" })
  )
  link.download = `${talk.id}.json`
  link.click()
  URL.revokeObjectURL(link.href)
}

const isErasing = signal(false)

/** Asks before the session is erased. */
export const EraseDialog = ({ talk }: { readonly talk: Conversation }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useSignalEffect(() => {
    if (isErasing.value) dialog.current?.showModal()
  })
  const erase = async () => {
    await send(talk.path, { method: "DELETE" })
    go({ view: "home", session: undefined, turn: undefined, fork: undefined })
    await Sessions.load()
  }
  return (
    <dialog ref={dialog} role="alertdialog" aria-labelledby="erase-title" onClose={() => isErasing.value = false}>
      <h2 id="erase-title">{words.sessions.erase}</h2>
      <p>{words.sessions.eraseSure(talk.id)}</p>
      <form method="dialog" class="row">
        <button class="danger" onClick={() => void talk.reported(erase())}>{words.sessions.erase}</button>
        <button>{words.cancel}</button>
      </form>
    </dialog>
  )
}

/** The entries of the menu that export and erase the open session. */
export const SessionActions = ({ talk }: { readonly talk: Conversation }) =>
  talk.status.value !== "ready" ? null : (
    <>
      <button type="button" class="plain" onClick={() => void talk.reported(save(talk))}>
        {words.sessions.export}
      </button>
      <button type="button" class="plain" onClick={() => isErasing.value = true}>{words.sessions.erase}</button>
    </>
  )
