import { useEffect } from "preact/hooks"
import { recordOf } from "../../domain/turn/view/LooseJson.js"
import type { WaitingSession } from "../net/wire.js"
import { CopiesSwitch, CopyOf } from "../parts/Copies.js"
import { Notice } from "../parts/Notice.js"
import { isOperator, profile } from "../state/agent.js"
import * as Desk from "../state/desk.js"
import { toSession } from "../state/pageAddress.js"
import { personId, personName } from "../state/people.js"
import * as Sessions from "../state/sessions.js"
import { nameOf, withoutCopies } from "../state/whatif.js"
import { lasting, words, written } from "../words/words.js"
import { ApprovalCard } from "./Approval.js"

/** Says in one line what is asked for: the call with its arguments, or a person. */
const whatOf = ({ args, handOff, toolId }: WaitingSession["waiting"][number]): string =>
  handOff === true ? words.desk.person : [
    toolId,
    ...Object.entries(recordOf(args)).flatMap(([name, value]) =>
      typeof value === "object" ? [] : [`${name} ${written(String(value))}`]
    )
  ].join(" · ")

/** A conversation that waits: who, what, how long, and the last sentence; then what there is to decide. */
const One = (
  { session: { forkedFrom, last, sessionId, userId, waiting } }: { readonly session: WaitingSession }
) => (
  <>
    {waiting.map((one) => (
      <li key={one.id} class="ask">
        <h3>
          <a href={toSession(sessionId)}>
            {userId === undefined || userId === profile.value?.you.userId
              ? nameOf(sessionId)
              : `${userId}, ${nameOf(sessionId)}`}
          </a>
          <span class="cut">{whatOf(one)}</span>
          <time class="quiet" dateTime={one.requestedAt}>
            {words.desk.since(lasting(Date.now() - Date.parse(one.requestedAt)))}
          </time>
        </h3>
        {forkedFrom !== undefined && (
          <p>
            <CopyOf id={forkedFrom} />
          </p>
        )}
        {last !== undefined && <p class="quiet cut">{words.quote(last.text)}</p>}
        {one.handOff === true
          ? (
            <div class="row">
              {one.reason !== undefined && <p class="grow">{one.reason}</p>}
              <a class="button" href={toSession(sessionId)}>{words.desk.open}</a>
            </div>
          )
          : <ApprovalCard sessionId={sessionId} waiting={one} done={() => void Desk.load()} />}
      </li>
    ))}
  </>
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
  const copies = (items.value ?? []).filter(({ forkedFrom }) => forkedFrom !== undefined).length
  const shown = items.value && withoutCopies(items.value, (session) => session)
  return (
    <section class="queue" aria-label={words.desk.title}>
      <h2>{words.desk.title}</h2>
      <p class="quiet">{words.desk.hint}</p>
      {failure.value !== undefined && <Notice failed={failure.value} again={() => void Desk.load()} />}
      {items.value === undefined && failure.value === undefined && <p class="quiet" role="status">{words.loading}</p>}
      <CopiesSwitch count={copies} />
      {shown?.length === 0 && <p class="empty">{words.desk.empty}</p>}
      <ol>{shown?.map((session) => <One key={session.sessionId} session={session} />)}</ol>
      <Taken />
    </section>
  )
}
