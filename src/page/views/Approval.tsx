import { useSignal } from "@preact/signals"
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

const About = ({ waiting: { by, question, reason, role } }: Pick<Props, "waiting">) => (
  <>
    {question !== undefined && <p>{question}</p>}
    {reason !== undefined && <p class="quiet">{reason}</p>}
    {role !== undefined && <p class="quiet">{words.approval.role(role)}</p>}
    {by === "user" && <p class="quiet">{words.approval.asUser}</p>}
  </>
)

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
        : <Value value={waiting.args ?? {}} />}
      <Origins origins={waiting.origins} />
      {mayDecide(waiting) && (
        <>
          <input
            aria-label={words.approval.reason}
            placeholder={words.approval.reason}
            value={reason}
            onInput={({ currentTarget }) => reason.value = currentTarget.value}
          />
          <div class="row">
            <button
              type="button"
              class="primary"
              disabled={isSent.value || args.value === undefined}
              onClick={() => void decide(true)}
            >
              {words.approval.approve}
            </button>
            {waiting.editable === true && !isEditing.value && (
              <button
                type="button"
                onClick={() => isEditing.value = true}
              >
                {words.approval.edit}
              </button>
            )}
            <button type="button" disabled={isSent.value} onClick={() => void decide(false)}>
              {words.approval.deny}
            </button>
          </div>
        </>
      )}
      {failure.value !== undefined && <Notice failed={failure.value} />}
    </section>
  )
}
