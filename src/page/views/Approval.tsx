import { useSignal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { ask, pathOf, problem } from "../net/api.js"
import type { Json, TurnResponse, Waiting } from "../net/wire.js"
import { Notice } from "../parts/Notice.js"
import { Value } from "../parts/Value.js"
import { profile } from "../state/agent.js"
import { words } from "../words/words.js"

interface Props {
  readonly sessionId: string
  readonly waiting: Waiting & { readonly by?: "user" }
  readonly done: () => void
}

const mayDecide = ({ mayDecide, role }: Waiting): boolean =>
  mayDecide ?? (role === undefined || profile.value?.you.roles.includes(role) === true)

/** Parses the edited arguments. Returns undefined while they are not valid JSON. */
const parsed = (text: string): { readonly args: Json } | undefined => {
  try {
    return { args: JSON.parse(text) as Json }
  } catch {
    return undefined
  }
}

/** A call that waits for a person: its arguments, and the decision. */
export const ApprovalCard = ({ done, sessionId, waiting }: Props) => {
  const edited = useSignal<string>()
  const reason = useSignal("")
  const failure = useSignal<Failed>()
  const isSent = useSignal(false)
  const decide = async (approved: boolean) => {
    const changed = edited.value === undefined ? undefined : parsed(edited.value)
    if (edited.value !== undefined && changed === undefined) return
    isSent.value = true
    failure.value = undefined
    try {
      await ask<TurnResponse>(pathOf(["sessions", sessionId, "approvals", waiting.id]), {
        body: { approved, ...(reason.value !== "" && { reason: reason.value }), ...(approved && changed) }
      })
      done()
    } catch (cause) {
      failure.value = problem(cause)
    } finally {
      isSent.value = false
    }
  }
  const isBroken = edited.value !== undefined && parsed(edited.value) === undefined
  return (
    <section class="card approval" aria-label={words.approval.title(waiting.toolId)}>
      <h3>
        <span aria-hidden="true">◐</span> {words.approval.title(waiting.toolId)}
      </h3>
      {waiting.question !== undefined && <p>{waiting.question}</p>}
      {waiting.reason !== undefined && <p class="quiet">{waiting.reason}</p>}
      {waiting.role !== undefined && <p class="quiet">{words.approval.role(waiting.role)}</p>}
      {waiting.by === "user" && <p class="quiet">{words.approval.asUser}</p>}
      {edited.value === undefined
        ? <Value value={waiting.args ?? {}} />
        : (
          <textarea
            class="code"
            rows={6}
            aria-label={words.talk.arguments}
            aria-invalid={isBroken}
            value={edited}
            onInput={({ currentTarget }) => edited.value = currentTarget.value}
          />
        )}
      {isBroken && <p class="error" role="alert">{words.approval.notJson}</p>}
      {mayDecide(waiting) && (
        <>
          <input
            aria-label={words.approval.reason}
            placeholder={words.approval.reason}
            value={reason}
            onInput={({ currentTarget }) => reason.value = currentTarget.value}
          />
          <div class="row">
            <button type="button" class="primary" disabled={isSent.value || isBroken} onClick={() => void decide(true)}>
              {words.approval.approve}
            </button>
            {waiting.editable === true && edited.value === undefined && (
              <button
                type="button"
                onClick={() => edited.value = JSON.stringify(waiting.args, undefined, 2)}
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
