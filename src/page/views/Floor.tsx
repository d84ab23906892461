import { type Signal, useSignal } from "@preact/signals"
import { ask, problem } from "../net/api.js"
import { follow } from "../net/events.js"
import type { Session } from "../net/wire.js"
import { Checkbox } from "../parts/Checkbox.js"
import { definition, isOperator, profile } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { personId, personName } from "../state/people.js"
import { words } from "../words/words.js"

/** True if this operator has taken the conversation over. */
export const isMine = ({ session: { value: session } }: Conversation): boolean => {
  const by = session?.handOver?.by
  return isOperator.value && by !== undefined && personId(by) === profile.value?.you.userId
}

interface Props {
  readonly talk: Conversation
  /** The text in the message field. */
  readonly draft: Signal<string>
  /** True while the operator speaks as the customer, to test. */
  readonly asCustomer: Signal<boolean>
}

/** The operator's actions while they have the conversation: a draft by the agent, the switch for tests, giving it back. */
const Holding = ({ act, asCustomer, draft, talk }: Props & { readonly act: (what: string, body: object) => void }) => {
  const to = useSignal("")
  const suggest = async () => {
    draft.value = ""
    await follow(`${talk.path}/suggest`, ({ data, event }) => {
      if (event === "message") draft.value += (JSON.parse(data) as { text?: string }).text ?? ""
    }, { body: {} })
  }
  return (
    <div class="row">
      <button type="button" onClick={() => void talk.reported(suggest())}>{words.floor.suggest}</button>
      <Checkbox label={words.floor.asCustomer} on={asCustomer} />
      <span class="grow" />
      <label class="inline">
        {words.floor.directive}{" "}
        <select value={to} onChange={({ currentTarget }) => to.value = currentTarget.value}>
          <option value="">{words.floor.same}</option>
          {definition.value?.graph.flows.map(({ id, title }) => <option key={id} value={id}>{title}</option>)}
        </select>
      </label>
      <button type="button" onClick={() => act("release", to.value === "" ? {} : { directive: to.value })}>
        {words.floor.release}
      </button>
    </div>
  )
}

/**
 * Shows which person has taken the conversation over, or that the agent waits for a person. An operator can take it
 * over, and give it back; the message field below is theirs meanwhile.
 */
export const FloorBar = (props: Props) => {
  const { talk } = props
  const handOver = talk.session.value?.handOver
  const act = (what: string, body: object): void =>
    void talk.reported(
      ask<Session>(`${talk.path}/${what}`, { body }).then((session) => talk.session.value = session)
    )
  if (handOver === undefined) return null
  const { by } = handOver
  const text = by === undefined
    ? words.floor.wanted(handOver.reason ?? "")
    : isMine(talk)
    ? words.floor.yours
    : words.floor.theirs(personName(by))
  return (
    <div class="floor">
      <p role="status">
        <strong>{text}</strong>
      </p>
      {isMine(talk) && <Holding {...props} act={act} />}
      {isOperator.value && by === undefined && (
        <div class="row">
          <button type="button" class="primary" onClick={() => act("takeover", {})}>{words.floor.take}</button>
        </div>
      )}
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
