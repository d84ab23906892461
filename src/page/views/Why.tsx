import { useComputed } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Origins as Given } from "../../domain/origin/Origin.js"
import { isRecord, recordOf } from "../../domain/turn/view/LooseJson.js"
import type { Sentence } from "../../domain/turn/why/Why.js"
import { Denied } from "../parts/Denied.js"
import { Origins } from "../parts/Origins.js"
import { Words } from "../parts/Sentence.js"
import { isOperator, profile } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { linkTo, route } from "../state/pageAddress.js"
import { loadEarlier, recorded } from "../state/recorded.js"
import type { Explained, Line as Counted } from "../state/why.js"
import { explained, groups, linesOf } from "../state/why.js"
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
  readonly times: number
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

const Times = ({ times }: Pick<Row, "times">) =>
  times < 2 ? null : <span class="quiet">{" "}({words.why.times(times)})</span>

/** Shows a sentence. A click opens the event behind it; a link leads to its position in the graph. */
const Line = ({ sentence, since, times, whole }: Row) => {
  const { behind, place } = sentence
  return (
    <li class={`why ${sentence._tag}`}>
      <span class="sign" aria-hidden="true">{signs[sentence._tag] ?? "·"}</span>
      {behind === undefined && place === undefined
        ? (
          <p>
            <Words sentence={sentence} />
            <Times times={times} />
          </p>
        )
        : (
          <details>
            <summary>
              <Words sentence={sentence} />
              <Times times={times} />
            </summary>
            {place !== undefined && (
              <a href={linkTo({ tab: "where", at: place, pane: "side" })}>{words.why.place}: {place}</a>
            )}
            <Behind behind={behind} />
            {behind !== undefined && (
              <>
                <h4>{words.why.source}</h4>
                <pre tabIndex={0}>{JSON.stringify(behind, undefined, 2)}</pre>
              </>
            )}
          </details>
        )}
      <Bar sentence={sentence} since={since} whole={whole} times={times} />
    </li>
  )
}

/** Returns for each sentence the time of the fact before it, in the order in which the facts happened. */
const times = (sentences: ReadonlyArray<Sentence>): ReadonlyMap<Sentence, number> => {
  const timed = sentences.flatMap(({ at }) => at === undefined ? [] : [at]).toSorted((one, other) => one - other)
  return new Map(sentences.map((one) => [one, timed.findLast((at) => at < (one.at ?? 0)) ?? 0]))
}

interface PartProps {
  readonly group: typeof groups[number]
  readonly sentences: ReadonlyArray<Sentence>
  readonly whole: number
}

/** Shows the sentences of one group. Conditions that did not hold are folded. */
const Part = ({ group, sentences, whole }: PartProps) => {
  const { lines, notHeld } = linesOf(sentences, group)
  const since = times(sentences)
  const row = ({ sentence, times }: Counted, i: number) => (
    <Line key={i} sentence={sentence} times={times} since={since.get(sentence) ?? 0} whole={whole} />
  )
  if (lines.length + notHeld.length === 0) return null
  return (
    <>
      <h3 class="small pad-side">{words.why.groups[group]}</h3>
      <ol>
        {lines.map(row)}
        {notHeld.length > 0 && (
          <li class="why">
            <span class="sign" aria-hidden="true">·</span>
            <details>
              <summary class="quiet">{words.why.notHeld(notHeld.length)}</summary>
              <ol>{notHeld.map(row)}</ol>
            </details>
          </li>
        )}
      </ol>
    </>
  )
}

interface TurnProps {
  readonly path: string
  readonly turn: Explained
  readonly isOpen: boolean
}

const Turn = ({ isOpen, path, turn: { message, sentences, took = 0, turn, version } }: TurnProps) => {
  const hasCalls = isOperator.value && profile.value?.features.turnLog === true
  return (
    <details class="turn" open={isOpen} id={`turn-${turn}`}>
      <summary>
        <span class="cut">{message === undefined ? words.why.turn(turn) : words.quote(message)}</span>
        {took >= least && <span class="quiet">{duration(took)}</span>}
      </summary>
      {groups.map((group) => <Part key={group} group={group} sentences={sentences} whole={took} />)}
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
