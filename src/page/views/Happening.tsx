import { useSignal } from "@preact/signals"
import { ask } from "../net/api.js"
import type { Json, JsonObject, TurnResponse } from "../net/wire.js"
import { Field } from "../parts/Field.js"
import { definition, profile } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { day, words } from "../words/words.js"

interface Props {
  readonly talk: Conversation
  readonly failed: (cause: unknown) => void
}

/** Sends one of the agent's events, with its payload entered in a form. */
const Events = ({ failed, talk }: Props) => {
  const events = definition.value?.events ?? []
  const name = useSignal(events[0]?.name ?? "")
  const payload = useSignal<Json | undefined>(undefined)
  const schema = events.find((event) => event.name === name.value)?.schema
  const submit = (event: Event) => {
    event.preventDefault()
    void ask<TurnResponse>(`${talk.path}/events/${encodeURIComponent(name.value)}`, {
      body: { payload: payload.value ?? {} }
    })
      .then(() => talk.reload(), failed)
  }
  if (schema === undefined) return null
  return (
    <form class="card" onSubmit={submit}>
      <label class="inputs">
        {words.whatif.eventName}
        <select
          value={name}
          onChange={({ currentTarget }) => (name.value = currentTarget.value, payload.value = undefined)}
        >
          {events.map((event) => <option key={event.name}>{event.name}</option>)}
        </select>
      </label>
      <Field
        key={name.value}
        name="payload"
        schema={{ title: words.talk.arguments, ...schema } as JsonObject}
        isRequired
        value={payload.value}
        change={(value) => payload.value = value}
      />
      <div class="row">
        <button type="submit">{words.whatif.event}</button>
      </div>
    </form>
  )
}

const steps = [["1 h", 3_600_000], ["1 d", 86_400_000], ["7 d", 604_800_000]] as const

/** Moves the clock of a demo session, so that its timers come due. */
const Clock = ({ failed, talk }: Props) => {
  const now = useSignal<string>()
  const move = async (advance: number) => {
    now.value = (await ask<{ readonly now: string }>(`${talk.path}/clock`, { body: { advance } })).now
    await talk.reload()
  }
  if (profile.value?.features.clock !== true) return null
  return (
    <div class="card">
      <h3>{words.whatif.clock}</h3>
      <div class="row">
        {steps.map(([label, ms]) => (
          <button key={label} type="button" onClick={() => void move(ms).catch(failed)}>
            {words.whatif.forward} {label}
          </button>
        ))}
      </div>
      {now.value !== undefined && <p role="status">{words.whatif.now(day(now.value))}</p>}
    </div>
  )
}

export const Happening = (props: Props) => (
  <>
    <Events {...props} />
    <Clock {...props} />
  </>
)
