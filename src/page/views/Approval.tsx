import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Failed } from "../net/api.js"
import { ask, pathOf, problem } from "../net/api.js"
import type { Json, TurnResponse, WaitingCall } from "../net/wire.js"
import { Field } from "../parts/Field.js"
import { Notice } from "../parts/Notice.js"
import { Origins } from "../parts/Origins.js"
import { Value } from "../parts/Value.js"
import { definition, profile } from "../state/agent.js"
import { words } from "../words/words.js"

interface Props {
  readonly sessionId: string
  readonly waiting: WaitingCall & { readonly by?: "user" }
  readonly done: () => void
}

const mayDecide = ({ mayDecide, role }: WaitingCall): boolean =>
  mayDecide ?? (role === undefined || profile.value?.you.roles.includes(role) === true)

const About = ({ waiting: { args, by, question, reason, role } }: Pick<Props, "waiting">) => (
  <>
    {question !== undefined && <p>{question}</p>}
    {reason !== undefined && <p class="quiet">{reason}</p>}
    {role !== undefined && <p class="quiet">{words.approval.role(role)}</p>}
    {args === undefined && <p class="quiet">{words.approval.hidden}</p>}
    {by === "user" && <p class="quiet">{words.approval.asUser}</p>}
  </>
)

/** Milliseconds in which an approval of a call with effects can be taken back. */
const undoable = 5000

interface DecisionProps {
  readonly waiting: WaitingCall
  readonly isReady: boolean
  readonly isEditing: Signal<boolean>
  readonly decide: (approved: boolean) => void
}

/** The buttons for a decision. A call that sends or destroys is approved twice, and waits while it can be taken back. */
const Decision = ({ decide, isEditing, isReady, waiting }: DecisionProps) => {
  const state = useSignal<"open" | "asked" | "approved">("open")
  // Whoever may not read the definition is asked about each call.
  const hasEffect = definition.value?.tools.find(({ id }) => id === waiting.toolId)?.hasEffect ?? true
  useEffect(() => {
    if (state.value !== "approved") return
    const timer = setTimeout(() => (state.value = "open", decide(true)), undoable)
    return () => clearTimeout(timer)
  }, [state.value])
  if (state.value === "approved") {
    return (
      <div class="row" role="status">
        <span>{words.approval.soon}</span>
        <button type="button" onClick={() => state.value = "open"}>{words.approval.undo}</button>
      </div>
    )
  }
  const isAsked = state.value === "asked"
  return (
    <>
      {isAsked && <p role="alert">{words.approval.sure}</p>}
      <div class="row">
        <button
          type="button"
          class={isAsked ? "primary careful" : "primary"}
          disabled={!isReady}
          onClick={() => !hasEffect ? decide(true) : state.value = isAsked ? "approved" : "asked"}
        >
          {isAsked ? words.approval.really : words.approval.approve}
        </button>
        {isAsked && <button type="button" onClick={() => state.value = "open"}>{words.cancel}</button>}
        {!isAsked && waiting.editable === true && !isEditing.value && (
          <button
            type="button"
            onClick={() => isEditing.value = true}
          >
            {words.approval.edit}
          </button>
        )}
        {!isAsked && (
          <button type="button" disabled={!isReady} onClick={() => decide(false)}>{words.approval.deny}</button>
        )}
      </div>
    </>
  )
}

/** A call that waits for a person: its arguments, and the decision. */
export const ApprovalCard = ({ done, sessionId, waiting }: Props) => {
  const isEditing = useSignal(false)
  const args = useSignal<Json | undefined>(waiting.args ?? {})
  const reason = useSignal("")
  const failure = useSignal<Failed>()
  const isSent = useSignal(false)
  const schema = definition.value?.tools.find(({ id }) => id === waiting.toolId)?.parameters ?? {}
  const decide = async (approved: boolean) => {
    isSent.value = true
    failure.value = undefined
    const changed = approved && isEditing.value ? { args: args.value } : {}
    try {
      await ask<TurnResponse>(pathOf(["sessions", sessionId, "approvals", waiting.id]), {
        body: { approved, ...(reason.value !== "" && { reason: reason.value }), ...changed }
      })
      done()
    } catch (cause) {
      failure.value = problem(cause)
    } finally {
      isSent.value = false
    }
  }
  return (
    <section class="card approval" aria-label={words.approval.title(waiting.toolId)}>
      <h3>
        <span aria-hidden="true">◐</span> {words.approval.title(waiting.toolId)}
      </h3>
      <About waiting={waiting} />
      {isEditing.value
        ? (
          <Field
            name={words.talk.arguments}
            schema={{ ...schema, title: words.talk.arguments }}
            isRequired
            value={args.value}
            change={(value) => args.value = value}
          />
        )
        : waiting.args !== undefined && <Value value={waiting.args} />}
      <Origins origins={waiting.origins} />
      {mayDecide(waiting) && (
        <>
          <input
            aria-label={words.approval.reason}
            placeholder={words.approval.reason}
            value={reason}
            onInput={({ currentTarget }) => reason.value = currentTarget.value}
          />
          <Decision
            waiting={waiting}
            isReady={!isSent.value && args.value !== undefined}
            isEditing={isEditing}
            decide={(approved) => void decide(approved)}
          />
        </>
      )}
      {failure.value !== undefined && <Notice failed={failure.value} />}
    </section>
  )
}
