import { useEffect } from "preact/hooks"
import type { Summary } from "../net/wire.js"
import { CopiesSwitch, CopyOf } from "../parts/Copies.js"
import { Notice } from "../parts/Notice.js"
import { isOperator, profile } from "../state/agent.js"
import { count } from "../state/desk.js"
import { route, toDesk, toNew, toSession } from "../state/pageAddress.js"
import { personName } from "../state/people.js"
import * as Sessions from "../state/sessions.js"
import { withoutCopies } from "../state/whatif.js"
import { ago, words } from "../words/words.js"
import { Divider } from "./Divider.js"

/** Returns a text for a session: why it waits, the person who has taken it over, or its current flow. */
const stateOf = ({ details, messageCount }: Summary): string => {
  if (details === undefined) return words.sessions.turns(messageCount)
  if (details.waits.some(({ handOff }) => handOff === true)) return words.sessions.wantsPerson
  if (details.state === "waiting") return words.sessions.waits
  if (details.person !== undefined) return words.sessions.hasFloor(personName(details.person))
  return details.flow?.title ?? words.sessions.idle
}

const marks = { waiting: "◐", person: "◑", agent: "●" } as const

const Entry = ({ now, session }: { readonly session: Summary; readonly now: number }) => {
  const isHere = route.value.session === session.id
  const { userId } = session
  return (
    <li>
      <a href={toSession(session.id)} aria-current={isHere ? "page" : undefined} class="entry">
        <span class="mark" aria-hidden="true">{marks[session.details?.state ?? "agent"]}</span>
        <span class="name">{session.details?.name ?? session.id}</span>
        <time dateTime={session.updatedAt}>{ago(session.updatedAt, now)}</time>
        <span class="state">
          {stateOf(session)}
          {isOperator.value && userId !== undefined && userId !== profile.value?.you.userId && ` · ${userId}`}
        </span>
        {session.details?.forkedFrom !== undefined && (
          <span class="state">
            <CopyOf id={session.details.forkedFrom} />
          </span>
        )}
        {session.details?.last !== undefined && <span class="last">{session.details.last.text}</span>}
      </a>
    </li>
  )
}

const Listed = () => {
  const { failure, items, next, search } = Sessions
  const now = Date.now()
  if (failure.value !== undefined) return <Notice failed={failure.value} again={() => void Sessions.load()} />
  if (items.value === undefined) return <p class="quiet pad" role="status">{words.loading}</p>
  if (items.value.length === 0) {
    return <p class="quiet pad">{search.value === "" ? words.sessions.none : words.sessions.noMatch(search.value)}</p>
  }
  const copies = items.value.filter(({ details }) => details?.forkedFrom !== undefined).length
  const shown = withoutCopies(items.value, ({ details, id }) => id === route.value.session ? undefined : details)
  return (
    <>
      <CopiesSwitch count={copies} />
      <ul class="entries">{shown.map((session) => <Entry key={session.id} session={session} now={now} />)}</ul>
      {next.value !== undefined && <button class="plain wide" onClick={() => void Sessions.more()}>{words.more}
      </button>}
    </>
  )
}

/** Explains the marks of the list. */
const Legend = () => (
  <p class="legend">
    {(["agent", "waiting", "person"] as const).map((state) => (
      <span key={state}>
        <span class="mark" aria-hidden="true">{marks[state]}</span> {words.sessions.legend[state]}
      </span>
    ))}
  </p>
)

/**
 * The list of sessions, with a search field and a link to the list of calls and conversations that wait for a person.
 */
export const SessionList = () => {
  useEffect(() => void Sessions.load(), [])
  return (
    <nav class="list" aria-label={words.sessions.title}>
      <Divider column="list" />
      <div class="head">
        <h2>{words.sessions.title}</h2>
        <a
          class="button"
          id="new"
          aria-label={words.sessions.newHint}
          href={toNew()}
          onClick={({ currentTarget }) => currentTarget.href = toNew()}
        >
          <span aria-hidden="true">+</span> {words.sessions.new}
        </a>
      </div>
      <div class="search">
        <input
          type="search"
          id="search"
          aria-label={words.sessions.search}
          placeholder={words.sessions.search}
          value={Sessions.search}
          onInput={({ currentTarget }) => Sessions.find(currentTarget.value)}
        />
      </div>
      <div class="scrolls">
        <Listed />
      </div>
      <Legend />
      {isOperator.value && (
        <a
          class="entry foot"
          href={toDesk()}
          aria-current={route.value.view === "desk" ? "page" : undefined}
        >
          <span class="name">{words.desk.count(count.value)}</span>
        </a>
      )}
    </nav>
  )
}
