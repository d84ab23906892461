import { useSignal } from "@preact/signals"
import { ask } from "../net/api.js"
import type { Replay } from "../net/wire.js"
import { Copy } from "../parts/Copy.js"
import { profile } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { words } from "../words/words.js"

const Report = ({ replay: { reproduced, sessions, turns } }: { readonly replay: Replay }) => (
  <div class="card" role="status">
    <p>{words.whatif.reproduced(reproduced, turns)}</p>
    {sessions.map(({ differs, stopped }, i) => (
      <div key={i}>
        {differs !== undefined && (
          <>
            <p>
              <strong>≠ {words.whatif.turnDiffers(differs.turn, differs.kind)}</strong>
            </p>
            <p>{words.whatif.was}: {differs.was}</p>
            <p>{words.whatif.is}: {differs.is}</p>
          </>
        )}
        {stopped !== undefined && <p class="quiet">{stopped.why}</p>}
      </div>
    ))}
  </div>
)

/** Replays the recorded conversation with the current definition of the agent, and generates a test from it. */
export const Recorded = (
  { failed, talk }: { readonly talk: Conversation; readonly failed: (cause: unknown) => void }
) => {
  const replay = useSignal<Replay>()
  const source = useSignal<string>()
  const run = async () => {
    replay.value = await ask<Replay>(`${talk.path}/replay`, { body: {} })
  }
  const write = async () => {
    source.value = (await ask<{ readonly source: string }>(`${talk.path}/test`)).source
  }
  if (profile.value?.features.turnLog !== true) return <p class="quiet pad">{words.whatif.noLog}</p>
  return (
    <>
      <section class="card">
        <h3>{words.whatif.recorded}</h3>
        <div class="row">
          <button type="button" onClick={() => void run().catch(failed)}>{words.whatif.replay}</button>
          <button type="button" onClick={() => void write().catch(failed)}>{words.whatif.test}</button>
        </div>
      </section>
      {replay.value !== undefined && <Report replay={replay.value} />}
      {source.value !== undefined && (
        <div class="card">
          <Copy text={source.value} />
          <pre tabIndex={0}>{source.value}</pre>
        </div>
      )}
    </>
  )
}
