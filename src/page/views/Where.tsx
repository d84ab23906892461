import { useComputed, useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { withSession } from "../../domain/graph/SessionOverlay.js"
import { layout } from "../../layers/GraphLayout.js"
import type { Definition, Session } from "../net/wire.js"
import { Checkbox } from "../parts/Checkbox.js"
import { Flow } from "../parts/GraphDrawing.js"
import { definition } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { go, route } from "../state/pageAddress.js"
import { words } from "../words/words.js"
import { StepView } from "./Step.js"

/** Shows the suspended flows, and the wishes of the user that the agent will handle later. */
const Behind = ({ session }: { readonly session: Session | undefined }) => {
  const suspended = session?.suspended ?? []
  const agenda = session?.agenda ?? []
  return (
    <>
      {suspended.length > 0 && (
        <p>
          <b>{words.where.suspended}:</b> {suspended.map(({ flow }) => flow.title).join(", ")}
        </p>
      )}
      {agenda.length > 0 && (
        <p>
          <b>{words.where.agenda}:</b> {agenda.map(({ title }) => title).join(", ")}
        </p>
      )}
    </>
  )
}

/** Returns the steps that were executed in the turns that this page has seen. */
const executedIn = (talk: Conversation) =>
  talk.seen.value.flatMap(({ events }) => events).flatMap((event) =>
    event._tag === "TurnCompleted" ? event.response.executedSteps : []
  )

const Drawing = ({ talk, whole }: { readonly talk: Conversation; readonly whole: Definition }) => {
  const scale = useSignal(0.8)
  const isFollowing = useSignal(true)
  const frame = useRef<HTMLDivElement>(null)
  const plan = useComputed(() => {
    const session = talk.session.value
    return layout(session === undefined ? whole.graph : withSession(whole.graph, session, executedIn(talk)), 640)
  })
  const here = `${talk.session.value?.currentFlow?.id}/${talk.session.value?.currentStep?.id}`
  useEffect(() => {
    if (!isFollowing.value) return
    const chosen = route.value.at ?? here
    frame.current?.querySelector(`[data-step="${CSS.escape(chosen)}"]`)?.scrollIntoView({
      block: "nearest",
      inline: "nearest"
    })
  }, [here, route.value.at, isFollowing.value])
  const find = (text: string) => {
    const found = whole.graph.steps.find(({ id, title }) => `${title} ${id}`.toLowerCase().includes(text.toLowerCase()))
    if (text !== "" && found !== undefined) go({ at: found.id })
  }
  const { height, placed, width } = plan.value
  const fit = () => scale.value = Math.min(1, (frame.current?.clientWidth ?? width) / width)
  return (
    <>
      <div class="row tools">
        <input
          type="search"
          aria-label={words.where.find}
          placeholder={words.where.find}
          onChange={({ currentTarget }) => find(currentTarget.value)}
        />
        <button
          type="button"
          aria-label={words.where.out}
          onClick={() => scale.value = Math.max(0.2, scale.value - 0.2)}
        >
          −
        </button>
        <button type="button" aria-label={words.where.in} onClick={() => scale.value = Math.min(2, scale.value + 0.2)}>
          +
        </button>
        <button type="button" onClick={fit}>{words.where.fit}</button>
        <Checkbox label={words.where.follow} on={isFollowing} />
      </div>
      <div
        class="graph"
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label={words.where.graph}
        onWheel={() => isFollowing.value = false}
      >
        <svg
          viewBox={`0 40 ${width} ${height - 40}`}
          width={width * scale.value}
          height={(height - 40) * scale.value}
          role="group"
          aria-label={whole.graph.agent}
        >
          <defs>
            <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path class="tip" d="M0 0L8 4L0 8z" />
            </marker>
          </defs>
          {placed.map(({ drawn, x, y }) => <Flow key={drawn.index} drawn={drawn} x={x} y={y} />)}
        </svg>
      </div>
    </>
  )
}

/** Shows the graph of the flows, with the conversation's current and visited steps marked. */
export const WhereView = ({ talk }: { readonly talk: Conversation }) => {
  const whole = definition.value
  if (whole === undefined) return <p class="empty">{words.where.empty}</p>
  return (
    <div class="where">
      <Behind session={talk.session.value} />
      <Drawing talk={talk} whole={whole} />
      <StepView talk={talk} whole={whole} />
    </div>
  )
}
