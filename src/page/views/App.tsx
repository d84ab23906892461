import { useEffect } from "preact/hooks"
import { online, refused } from "../net/api.js"
import { Notice } from "../parts/Notice.js"
import * as Agent from "../state/agent.js"
import { current } from "../state/current.js"
import { isEmbedded, linkTo, route, toNew } from "../state/pageAddress.js"
import { theme, themes } from "../state/preferences.js"
import { words } from "../words/words.js"
import { DeskView } from "./Desk.js"
import { TakeOver } from "./Floor.js"
import { KeysDialog, showKeys } from "./Keys.js"
import { Login } from "./Login.js"
import { EraseDialog, SessionActions } from "./SessionActions.js"
import { SessionList } from "./Sessions.js"
import { Side } from "./Side.js"
import { TalkView } from "./Talk.js"

const icons = { auto: "◐", light: "○", dark: "●" } as const

/** The actions that stand in no other place, in a menu that a click elsewhere closes. */
const Menu = () => {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length]!
  return (
    <>
      <button type="button" class="plain" aria-label={words.menu} popoverTarget="menu">
        <span aria-hidden="true">⋯</span>
      </button>
      <div id="menu" popover="auto" class="menu">
        {current.value !== undefined && <SessionActions key={current.value.id} talk={current.value} />}
        <button type="button" class="plain" onClick={() => theme.value = next}>
          <span aria-hidden="true">{icons[theme.value]}</span> {words.theme[theme.value]}
        </button>
        <button type="button" class="plain" onClick={() => showKeys.value = true}>
          <kbd aria-hidden="true">?</kbd> {words.help}
        </button>
      </div>
    </>
  )
}

const Head = () => (
  <header class="top">
    <h1>
      <a href="#/">{Agent.profile.value?.name}</a>
    </h1>
    {current.value !== undefined && <span class="quiet name">{current.value.id}</span>}
    <span class="grow" />
    {current.value !== undefined && <TakeOver talk={current.value} />}
    <Menu />
  </header>
)

const panes = ["list", "talk", "side"] as const

/** The links to the panes, of which a narrow window shows one at a time. */
const Panes = () => (
  <nav class="panes" aria-label={words.side.title}>
    {panes.map((pane) => (
      <a key={pane} href={linkTo({ pane })} aria-current={route.value.pane === pane ? "page" : undefined}>
        {pane === "side" ? words.side[route.value.tab] : words.side[pane]}
      </a>
    ))}
  </nav>
)

const Middle = () => {
  if (route.value.view === "desk") return <DeskView />
  const talk = current.value
  return talk === undefined
    ? (
      <div class="talk blank">
        <p class="quiet">{words.sessions.pick}</p>
        <a class="button primary" href={toNew()}>{words.sessions.begin}</a>
      </div>
    )
    : <TalkView key={talk.id} talk={talk} />
}

const Whole = () => (
  <div class={`page ${route.value.view} pane-${route.value.pane}`}>
    {current.value !== undefined && (
      <a
        class="skip"
        href="#message"
        onClick={(event) => (event.preventDefault(), document.getElementById("message")?.focus())}
      >
        {words.skip}
      </a>
    )}
    <Head />
    {!online.value && <p class="offline" role="status">{words.offline}</p>}
    <SessionList />
    <main>
      {Agent.failure.value === undefined
        ? <Middle />
        : <Notice failed={Agent.failure.value} again={() => void Agent.load()} />}
    </main>
    <Side />
    <Panes />
    <KeysDialog />
    {current.value !== undefined && <EraseDialog talk={current.value} />}
  </div>
)

/** The whole page. Before the agent's description is loaded, only the login, a notice or a failure. */
export const App = () => {
  useEffect(() => void Agent.load(), [])
  if (refused.value) return <Login />
  if (Agent.profile.value === undefined) {
    return Agent.failure.value === undefined
      ? <p class="quiet pad" role="status">{words.loading}</p>
      : (
        <main class="login">
          <Notice failed={Agent.failure.value} again={() => void Agent.load()} />
        </main>
      )
  }
  if (isEmbedded.value) {
    return (
      <main class="embedded">
        <h1 class="hidden">{Agent.profile.value.name}</h1>
        {current.value !== undefined && <TalkView talk={current.value} />}
      </main>
    )
  }
  return <Whole />
}
