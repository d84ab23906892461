import { useSignal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { ask, problem } from "../net/api.js"
import { follow } from "../net/events.js"
import type { Session } from "../net/wire.js"
import { Notice } from "../parts/Notice.js"
import { definition, isOperator, profile } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { personId, personName } from "../state/people.js"
import { words } from "../words/words.js"

/**
 * The field in which an operator writes to the user in the agent's place. It can ask the agent for a draft, and give
 * the conversation back to the agent.
 */
const Speaking = (
  { act, talk }: { readonly talk: Conversation; readonly act: (what: string, body: object) => Promise<void> }
) => {
  const text = useSignal("")
  const to = useSignal("")
  const suggest = async () => {
    text.value = ""
    await follow(`${talk.path}/suggest`, ({ data, event }) => {
      if (event === "message") text.value += (JSON.parse(data) as { text?: string }).text ?? ""
    }, { body: {} })
  }
  const say = async () => {
    if (text.value.trim() === "") return
    await act("say", { text: text.value.trim(), messageId: crypto.randomUUID() })
    text.value = ""
  }
  return (
    <>
      <textarea
        id="say"
        rows={2}
        aria-label={words.floor.say}
        placeholder={words.floor.say}
        value={text}
        onInput={({ currentTarget }) => text.value = currentTarget.value}
      />
      <div class="row">
        <button type="button" class="primary" onClick={() => void say()}>{words.talk.send}</button>
        <button type="button" onClick={() => void suggest()}>{words.floor.suggest}</button>
        <span class="grow" />
        <label class="inline">
          {words.floor.directive}{" "}
          <select value={to} onChange={({ currentTarget }) => to.value = currentTarget.value}>
            <option value="">{words.floor.same}</option>
            {definition.value?.graph.flows.map(({ id, title }) => <option key={id} value={id}>{title}</option>)}
          </select>
        </label>
        <button type="button" onClick={() => void act("release", to.value === "" ? {} : { directive: to.value })}>
          {words.floor.release}
        </button>
      </div>
    </>
  )
}

/**
 * Shows which person has taken the conversation over, or that the agent waits for a person. An operator can take it
 * over, write, and give it back.
 */
export const FloorBar = ({ talk }: { readonly talk: Conversation }) => {
  const failure = useSignal<Failed>()
  const session = talk.session.value
  const act = async (what: string, body: object) => {
    failure.value = undefined
    try {
      talk.session.value = await ask<Session>(`${talk.path}/${what}`, { body })
    } catch (cause) {
      failure.value = problem(cause)
    }
  }
  if (session === undefined) return null
  const { handOver } = session
  if (handOver === undefined) return null
  const { by } = handOver
  const isMine = isOperator.value && by !== undefined && personId(by) === profile.value?.you.userId
  const text = by === undefined
    ? words.floor.wanted(handOver.reason ?? "")
    : isMine
    ? words.floor.yours
    : words.floor.theirs(personName(by))
  return (
    <div class="floor card">
      <p role="status">
        <strong>{text}</strong>
      </p>
      {isMine && <Speaking talk={talk} act={act} />}
      {isOperator.value && by === undefined && (
        <div class="row">
          <button type="button" class="primary" onClick={() => void act("takeover", {})}>{words.floor.take}</button>
        </div>
      )}
      {failure.value !== undefined && <Notice failed={failure.value} />}
    </div>
  )
}

/** The button by which an operator takes the conversation over from the agent. */
export const TakeOver = ({ talk }: { readonly talk: Conversation }) => {
  const take = async () => {
    talk.session.value = await ask<Session>(`${talk.path}/takeover`, { body: {} })
  }
  return isOperator.value && talk.session.value !== undefined && talk.session.value.handOver === undefined
    ? (
      <button
        type="button"
        class="plain"
        onClick={() => void take().catch((cause: unknown) => talk.failure.value = problem(cause))}
      >
        {words.floor.take}
      </button>
    )
    : null
}
