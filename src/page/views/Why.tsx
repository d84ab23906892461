import { useComputed } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Origins as Given } from "../../domain/origin/Origin.js"
import type { Sentence } from "../../domain/turn/why/Why.js"
import { isRecord, recordOf } from "../net/json.js"
import { Denied } from "../parts/Denied.js"
import { Origins } from "../parts/Origins.js"
import { Words } from "../parts/Sentence.js"
import { isOperator, profile } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { linkTo, route } from "../state/pageAddress.js"
import { loadEarlier, recorded } from "../state/recorded.js"
import type { Explained } from "../state/why.js"
import { explained } from "../state/why.js"
import { words } from "../words/words.js"
import { Calls } from "./Calls.js"

const duration = (ms: number): string => ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

/** The signs before the sentences about failures, waiting for a person, and changed data. */
const signs: { readonly [T in Sentence["_tag"]]?: string } = {
  Refused: "✕",
  Failed: "✕",
  Dropped: "✕",
  Guarded: "✕",
  Waits: "◐",
  HandedOver: "◐",
  Took: "+",
  Wrote: "+",
  Forgot: "−"
}

interface Row {
  readonly sentence: Sentence
  /** The time of the previous fact, in milliseconds since the turn began. */
  readonly since: number
  readonly whole: number
}

/** Minimum time between two facts that is shown, in milliseconds. */
const least = 5

/** Draws the time between the previous fact and this one as a bar within the whole turn. */
const Bar = ({ sentence: { at }, since, whole }: Row) =>
  at === undefined || at - since < least ? null : (
    <span class="bar" title={duration(at - since)}>
      <i style={{ left: `${(since / whole) * 100}%`, width: `${Math.max(1, ((at - since) / whole) * 100)}%` }} />
      <small>{duration(at - since)}</small>
    </span>
  )

/** Shows the origins of the arguments of a call, and why a policy refused it. */
const Behind = ({ behind }: Pick<Sentence, "behind">) => {
  const { origins, output } = recordOf(behind)
  return (
    <>
      <Origins origins={isRecord(origins) ? origins as Given : undefined} />
      <Denied output={output} />
    </>
  )
}

/** Shows a sentence. A click opens the event behind it; a link leads to its position in the graph. */
const Line = ({ sentence, since, whole }: Row) => {
  const { behind, place } = sentence
  return (
    <li class={`why ${sentence._tag}`}>
      <span class="sign" aria-hidden="true">{signs[sentence._tag] ?? "·"}</span>
      {behind === undefined && place === undefined
        ? (
          <p>
            <Words sentence={sentence} />
          </p>
        )
        : (
          <details>
            <summary>
              <Words sentence={sentence} />
            </summary>
            {place !== undefined && (
              <a href={linkTo({ tab: "where", at: place, pane: "side" })}>{words.why.place}: {place}</a>
            )}
            <Behind behind={behind} />
            {behind !== undefined && <pre tabIndex={0}>{JSON.stringify(behind, undefined, 2)}</pre>}
          </details>
        )}
      <Bar sentence={sentence} since={since} whole={whole} />
    </li>
  )
}

interface TurnProps {
  readonly path: string
  readonly turn: Explained
  readonly isOpen: boolean
}

const Turn = ({ isOpen, path, turn: { message, sentences, took = 0, turn, version } }: TurnProps) => {
  let since = 0
  const hasCalls = isOperator.value && profile.value?.features.turnLog === true
  return (
    <details class="turn" open={isOpen} id={`turn-${turn}`}>
      <summary>
        <span class="cut">{message === undefined ? words.why.turn(turn) : words.quote(message)}</span>
        {took >= least && <span class="quiet">{duration(took)}</span>}
      </summary>
      <ol>
        {sentences.filter(({ _tag }) => _tag !== "Said").map((sentence, i) => {
          const from = Math.min(since, sentence.at ?? since)
          since = Math.max(since, sentence.at ?? since)
          return <Line key={i} sentence={sentence} since={from} whole={took} />
        })}
      </ol>
      {hasCalls && version !== undefined && <Calls path={path} version={version} />}
    </details>
  )
}

/** Shows the turns as lists of sentences, the latest turn first. The chosen turn is open. */
export const WhyView = ({ talk }: { readonly talk: Conversation }) => {
  const turns = useComputed(() => explained(talk).toReversed())
  const known = recorded(talk).value
  const chosen = turns.value.find(({ turn }) => turn === route.value.turn) ?? turns.value[0]
  useEffect(() => {
    if (route.value.turn !== undefined) {
      document.getElementById(`turn-${route.value.turn}`)?.scrollIntoView({ block: "nearest" })
    }
  }, [route.value.turn])
  return (
    <div class="whys">
      {turns.value.length === 0 && <p class="empty">{words.why.empty}</p>}
      {turns.value.map((turn) => <Turn key={turn.turn} path={talk.path} turn={turn} isOpen={turn === chosen} />)}
      {known.earlier !== undefined && (
        <button
          type="button"
          class="plain wide"
          onClick={() => void talk.reported(loadEarlier(talk))}
        >
          {words.more}
        </button>
      )}
      {known.turns.length === 0 && profile.value?.features.turnLog !== true && (
        <p class="quiet pad">{words.why.older}</p>
      )}
    </div>
  )
}
