import { useSignal } from "@preact/signals"
import { ask, problem, send } from "../net/api.js"
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

/** The buttons that export and erase the open session. */
export const SessionActions = ({ talk }: { readonly talk: Conversation }) => {
  const isAsked = useSignal(false)
  const erase = async () => {
    await send(talk.path, { method: "DELETE" })
    go({ view: "home", session: undefined, turn: undefined, fork: undefined })
    await Sessions.load()
  }
  const failed = (cause: unknown) => talk.failure.value = problem(cause)
  if (talk.status.value !== "ready") return null
  return isAsked.value
    ? (
      <span class="row" role="alertdialog" aria-label={words.sessions.erase}>
        <span>{words.sessions.eraseSure(talk.id)}</span>
        <button type="button" class="danger" onClick={() => void erase().catch(failed)}>{words.sessions.erase}</button>
        <button type="button" onClick={() => isAsked.value = false}>{words.cancel}</button>
      </span>
    )
    : (
      <>
        <button type="button" class="plain" onClick={() => void save(talk).catch(failed)}>
          {words.sessions.export}
        </button>
        <button type="button" class="plain" onClick={() => isAsked.value = true}>{words.sessions.erase}</button>
      </>
    )
}
