import { useEffect } from "preact/hooks"
import type { WaitingSession } from "../net/wire.js"
import { Notice } from "../parts/Notice.js"
import { isOperator } from "../state/agent.js"
import * as Desk from "../state/desk.js"
import { toSession } from "../state/route.js"
import { ago, words } from "../words/words.js"
import { ApprovalCard } from "./Approval.js"

const One = ({ session: { sessionId, userId, waiting } }: { readonly session: WaitingSession }) => (
  <li>
    <h3>
      <a href={toSession(sessionId)}>{sessionId}</a> {userId !== undefined && <span class="quiet">{userId}</span>}
    </h3>
    {waiting.map((one) => (
      <div key={one.id}>
        <p class="quiet">{words.desk.since(ago(one.requestedAt, Date.now()))} · {words.desk.who(one.role)}</p>
        {one.handOff === true
          ? (
            <div class="card approval">
              <h3>
                <span aria-hidden="true">◐</span> {words.desk.person}
              </h3>
              {one.reason !== undefined && <p>{one.reason}</p>}
              <a class="button" href={toSession(sessionId)}>{words.desk.open}</a>
            </div>
          )
          : <ApprovalCard sessionId={sessionId} waiting={one} done={() => void Desk.load()} />}
      </div>
    ))}
  </li>
)

/** The calls and conversations that wait for a person, in all sessions. */
export const DeskView = () => {
  useEffect(() => {
    void Desk.load()
    const timer = setInterval(() => void Desk.load(), 5000)
    return () => clearInterval(timer)
  }, [])
  if (!isOperator.value) {
    return (
      <section class="desk">
        <h2>{words.desk.title}</h2>
        <p>{words.desk.notOperator}</p>
      </section>
    )
  }
  const { failure, items } = Desk
  return (
    <section class="desk" aria-label={words.desk.title}>
      <h2>{words.desk.title}</h2>
      <p class="quiet">{words.desk.hint}</p>
      {failure.value !== undefined && <Notice failed={failure.value} again={() => void Desk.load()} />}
      {items.value === undefined && failure.value === undefined && <p class="quiet" role="status">{words.loading}</p>}
      {items.value?.length === 0 && <p class="empty">{words.desk.empty}</p>}
      <ol>{items.value?.map((session) => <One key={session.sessionId} session={session} />)}</ol>
    </section>
  )
}
