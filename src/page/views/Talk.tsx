import { useSignal, useSignalEffect } from "@preact/signals"
import { useRef } from "preact/hooks"
import { Notice } from "../parts/Notice.js"
import { definition, profile } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { isEmbedded, isNamedHere } from "../state/pageAddress.js"
import { words } from "../words/words.js"
import { ApprovalCard } from "./Approval.js"
import { Composer } from "./Composer.js"
import { FloorBar } from "./Floor.js"
import { FormCard } from "./FormCard.js"
import { isChosen, Row } from "./Items.js"

/** Lets the agent speak first, in a flow that an operator may choose. */
const Begin = ({ talk }: { readonly talk: Conversation }) => {
  const flow = useSignal("")
  const flows = definition.value?.graph.flows ?? []
  return (
    <div class="row begin">
      {flows.length > 0 && (
        <select
          aria-label={words.talk.flow}
          value={flow}
          onChange={({ currentTarget }) => flow.value = currentTarget.value}
        >
          <option value="">{words.talk.anyFlow}</option>
          {flows.map(({ id, title }) => <option key={id} value={id}>{title}</option>)}
        </select>
      )}
      <button type="button" onClick={() => void talk.begin(flow.value === "" ? undefined : flow.value)}>
        {words.talk.begin}
      </button>
    </div>
  )
}

/** The first screen of a conversation: who the agent is, what it does, and three messages to try. */
const FirstVisit = ({ talk }: { readonly talk: Conversation }) => {
  const { goal, name, suggestions } = profile.value!
  const isUnknown = talk.status.value === "new" && !isNamedHere(talk.id) && !isEmbedded.value
  return (
    <div class="first">
      {isUnknown && <p class="quiet" role="status">{words.talk.unknown(talk.id)}</p>}
      <p class="title">{name}</p>
      {goal !== undefined && <p>{goal}</p>}
      <p class="quiet">{suggestions.length === 0 ? words.talk.noFlows : words.talk.empty}</p>
      <ul>
        {suggestions.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => void talk.say({ message: text })}>{text}</button>
          </li>
        ))}
      </ul>
      <Begin talk={talk} />
    </div>
  )
}

/** Announces the last complete answer to people who use a screen reader. */
const Arrived = ({ talk }: { readonly talk: Conversation }) => {
  const last = talk.talk.value.items.at(-1)
  const text = last !== undefined && last.kind === "agent" && last.streaming === undefined ? last.text : ""
  return <div class="hidden" role="status" aria-live="polite">{text === "" ? "" : words.talk.arrived(text)}</div>
}

const Messages = ({ talk }: { readonly talk: Conversation }) => {
  const list = useRef<HTMLDivElement>(null)
  const isAtEnd = useSignal(true)
  useSignalEffect(() => {
    const last = talk.talk.value.items.at(-1)
    // The form of a waiting step and its question are seen together, below the last message.
    void talk.session.value
    // After sending a message, users want to see it, wherever they have scrolled.
    if (last?.kind === "user" && talk.busy.peek() === false) isAtEnd.value = true
    if (isAtEnd.peek()) requestAnimationFrame(() => list.current?.scrollTo(0, list.current.scrollHeight))
  })
  const scrolled = () => {
    const at = list.current
    if (at !== null) isAtEnd.value = at.scrollHeight - at.scrollTop - at.clientHeight < 80
  }
  const { approvals, items } = talk.talk.value
  const isEmpty = items.length === 0 && talk.status.value !== "loading"
  const form = talk.session.value?.expects
  return (
    <div class="messages" ref={list} onScroll={scrolled} tabIndex={0} role="group" aria-label={words.talk.messages}>
      {talk.older.value !== undefined && (
        <button
          type="button"
          class="plain wide"
          onClick={() => void talk.reported(talk.more())}
        >
          {words.talk.older}
        </button>
      )}
      {talk.status.value === "loading" && talk.failure.value === undefined && (
        <p class="quiet" role="status">{words.loading}</p>
      )}
      {isEmpty && !talk.busy.value && <FirstVisit talk={talk} />}
      <ol class="items">
        {items.map((item) => <Row key={item.key} item={item} path={talk.path} chosen={isChosen(item)} />)}
      </ol>
      {talk.busy.value && (
        <p class="typing" aria-hidden="true">
          <i />
          <i />
          <i />
        </p>
      )}
      {approvals.map((one) => (
        <ApprovalCard
          key={one.id}
          sessionId={talk.id}
          waiting={one}
          done={() => void talk.reported(talk.reload())}
        />
      ))}
      {form !== undefined && !talk.busy.value && (
        <FormCard
          form={form}
          rejected={talk.rejected.value}
          send={(said) => void talk.say(said)}
        />
      )}
      {talk.failure.value !== undefined && (
        <Notice
          failed={talk.failure.value}
          again={() => void talk.open()}
        />
      )}
    </div>
  )
}

/** A conversation, with its message field. */
export const TalkView = (
  { label = words.talk.title, talk }: { readonly talk: Conversation; readonly label?: string }
) => {
  const draft = useSignal("")
  const asCustomer = useSignal(false)
  return (
    <section class="talk" aria-label={label}>
      <h2 class="hidden">{label}</h2>
      <Messages talk={talk} />
      <Arrived talk={talk} />
      <FloorBar talk={talk} draft={draft} asCustomer={asCustomer} />
      <Composer talk={talk} draft={draft} asCustomer={asCustomer} />
    </section>
  )
}
