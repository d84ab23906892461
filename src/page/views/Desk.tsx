import { useEffect } from "preact/hooks"
import type { WaitingSession } from "../net/wire.js"
import { Notice } from "../parts/Notice.js"
import { isOperator, profile } from "../state/agent.js"
import * as Desk from "../state/desk.js"
import { toSession } from "../state/pageAddress.js"
import { personId, personName } from "../state/people.js"
import * as Sessions from "../state/sessions.js"
import { ago, words } from "../words/words.js"
import { ApprovalCard } from "./Approval.js"

/** Returns the name that the user gave to a session, without the user's prefix in the session's id. */
const nameOf = (id: string): string => id.replace(/^~[0-9a-f]{8,64}~/, "")

const One = ({ session: { forkedFrom, sessionId, userId, waiting } }: { readonly session: WaitingSession }) => (
  <li>
    <h3>
      <a href={toSession(sessionId)}>{nameOf(sessionId)}</a>{" "}
      {userId !== undefined && <span class="quiet">{userId}</span>}
      {forkedFrom !== undefined && <span class="copy">{words.desk.copy(nameOf(forkedFrom))}</span>}
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

/** The conversations of the loaded list that a person has taken over, with the name of the person. */
const Taken = () => {
  const taken = (Sessions.items.value ?? []).flatMap(({ details, id }) =>
    details?.person === undefined ? [] : [{ id, name: details.name, by: details.person }]
  )
  return taken.length === 0 ? null : (
    <>
      <h3>{words.desk.taken}</h3>
      <ul class="taken">
        {taken.map(({ by, id, name }) => (
          <li key={id}>
            <a href={toSession(id)}>{name}</a>{" "}
            <span class="quiet">
              {personId(by) === profile.value?.you.userId ? words.desk.yours : words.desk.theirs(personName(by))}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The calls and conversations that wait for a person, in all sessions. */
export const DeskView = () => {
  useEffect(() => {
    const load = () => void Desk.load()
    load()
    const timer = setInterval(load, 5000)
    return () => clearInterval(timer)
  }, [])
  if (!isOperator.value) {
    return (
      <section class="queue">
        <h2>{words.desk.title}</h2>
        <p>{words.desk.notOperator}</p>
      </section>
    )
  }
  const { failure, items } = Desk
  return (
    <section class="queue" aria-label={words.desk.title}>
      <h2>{words.desk.title}</h2>
      <p class="quiet">{words.desk.hint}</p>
      {failure.value !== undefined && <Notice failed={failure.value} again={() => void Desk.load()} />}
      {items.value === undefined && failure.value === undefined && <p class="quiet" role="status">{words.loading}</p>}
      {items.value?.length === 0 && <p class="empty">{words.desk.empty}</p>}
      <ol>{items.value?.map((session) => <One key={session.sessionId} session={session} />)}</ol>
      <Taken />
    </section>
  )
}
