import { useSignal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { ask, problem } from "../net/api.js"
import type { Session } from "../net/wire.js"
import { Notice } from "../parts/Notice.js"
import { profile } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { fork } from "../state/current.js"
import { go, route, toSession } from "../state/pageAddress.js"
import { compare } from "../state/whatif.js"
import { words } from "../words/words.js"

/** Shows the original conversation and its fork beside each other, turn by turn. */
const Beside = ({ talk }: { readonly talk: Conversation }) => {
  const other = fork.value
  if (other === undefined) return null
  const rows = compare(talk.talk.value, other.talk.value)
  return (
    <div class="beside">
      <div class="row">
        <a href={toSession(other.id)}>{other.id}</a>
      </div>
      <table class="data">
        <thead>
          <tr>
            <th scope="col">{words.whatif.original}</th>
            <th scope="col">{words.whatif.forked}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ differs, here, there }, i) => (
            <tr key={i} class={differs ? "differs" : "quiet"}>
              <td>{here.map((text, k) => <p key={k}>{text}</p>)}</td>
              <td>
                {differs && <strong>≠ {words.whatif.differs}</strong>}
                {there.map((text, k) => <p key={k}>{text}</p>)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {other.busy.value && <p class="quiet" role="status">{words.loading}</p>}
      {other.failure.value !== undefined && <Notice failed={other.failure.value} />}
    </div>
  )
}

/** A turn that another message can replace, and the turn to whose end the fork goes back. */
interface Replaceable {
  readonly turn: number
  readonly text: string
  readonly toTurn: number
}

/** Returns the turns that can be replaced: a turn needs a snapshot of the turn before it. */
const replaceable = ({ turns = [] }: Pick<Session, "turns">): ReadonlyArray<Replaceable> =>
  turns.flatMap(({ event = "", said, turn }, i) =>
    i === 0 && turn > 1 ? [] : [{ turn, text: said ?? event, toTurn: turns[i - 1]?.turn ?? 0 }]
  )

/** Returns the number of the turn that holds the message in the page's address; undefined if there is none. */
const chosenOf = ({ turns = [] }: Pick<Session, "turns">): number | undefined => {
  const { turn: message } = route.value
  return message === undefined ? undefined : turns.find(({ messageCount }) => messageCount >= message)?.turn
}

/** Forks the conversation before a turn or at its end, and sends another message in the fork. */
const Fork = ({ failed, talk }: { readonly talk: Conversation; readonly failed: (cause: unknown) => void }) => {
  const session = talk.session.value ?? {}
  const turns = replaceable(session)
  const chosen = useSignal(chosenOf(session))
  const at = turns.find(({ turn }) => turn === chosen.value)
  const message = useSignal(at?.text ?? "")
  const run = async () => {
    const as = `${talk.id.slice(0, 150)}~${crypto.randomUUID().slice(0, 6)}`
    const { id } = await ask<Session>(`${talk.path}/fork`, {
      body: { as, ...(at !== undefined && { toTurn: at.toTurn }) }
    })
    go({ fork: id })
    await fork.value?.open()
    await fork.value?.say({ message: message.value.trim() })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (message.value.trim() !== "") void run().catch(failed)
  }
  const choose = (turn: string) => {
    chosen.value = turn === "" ? undefined : Number(turn)
    message.value = turns.find((one) => one.turn === chosen.value)?.text ?? message.value
  }
  return (
    <form class="card" onSubmit={submit}>
      <p>{words.whatif.hint}</p>
      {profile.value?.features.snapshots !== true && <p class="quiet">{words.whatif.noSnapshots}</p>}
      {turns.length > 0 && (
        <label class="inputs">
          {words.whatif.turn}
          <select value={at?.turn ?? ""} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">{words.whatif.after}</option>
            {turns.toReversed().map(({ text, turn }) => <option key={turn} value={turn}>{turn}: {text}</option>)}
          </select>
        </label>
      )}
      <label class="inputs">
        {words.whatif.message}
        <textarea
          id="whatif"
          rows={2}
          value={message}
          onInput={({ currentTarget }) => message.value = currentTarget.value}
        />
      </label>
      <div class="row">
        <button type="submit" class="primary">{words.whatif.fork}</button>
      </div>
    </form>
  )
}

/** The tab for experiments: forks the conversation with another message, and shows both beside each other. */
export const WhatIfView = ({ talk }: { readonly talk: Conversation }) => {
  const failure = useSignal<Failed>()
  const failed = (cause: unknown) => failure.value = problem(cause)
  if (talk.status.value !== "ready") return <p class="empty">{words.why.empty}</p>
  return (
    <div class="whatif">
      <Fork talk={talk} failed={failed} />
      <Beside talk={talk} />
      {failure.value !== undefined && <Notice failed={failure.value} />}
    </div>
  )
}
