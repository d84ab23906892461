import { useSignal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { ask, problem } from "../net/api.js"
import type { RecordedCall } from "../net/wire.js"
import { Notice } from "../parts/Notice.js"
import { words } from "../words/words.js"

const json = (u: unknown): string => typeof u === "string" ? u : JSON.stringify(u, undefined, 2)

const Call = (
  { call: { answer, failure, isSame, model, prompt, purpose, tools } }: { readonly call: RecordedCall }
) => (
  <details>
    <summary>
      <b>{purpose}</b> {model}
    </summary>
    {!isSame && <p class="quiet">{words.why.changed}</p>}
    {prompt.map(({ role, text }, i) => (
      <div key={i}>
        <h3>{words.why.prompt}: {role}</h3>
        <pre tabIndex={0}>{text}</pre>
      </div>
    ))}
    {tools.length > 0 && (
      <>
        <h3>{words.where.tools}</h3>
        <p>{tools.join(", ")}</p>
      </>
    )}
    <h3>{words.why.answer}</h3>
    {answer !== undefined && <pre tabIndex={0}>{json(answer)}</pre>}
    {failure !== undefined && <p class="error">{failure}</p>}
  </details>
)

/** The model calls of a turn, from the server's turn log: loaded when the reader asks for them. */
export const Calls = ({ path, version }: { readonly path: string; readonly version: number }) => {
  const calls = useSignal<ReadonlyArray<RecordedCall>>()
  const failure = useSignal<Failed>()
  const load = async () => {
    try {
      calls.value =
        (await ask<{ readonly items: ReadonlyArray<RecordedCall> }>(`${path}/calls?version=${version}`)).items
    } catch (cause) {
      failure.value = problem(cause)
    }
  }
  return (
    <div class="calls">
      {calls.value === undefined && (
        <button type="button" class="plain" onClick={() => void load()}>{words.why.calls}</button>
      )}
      {calls.value?.length === 0 && <p class="quiet">{words.why.noCalls}</p>}
      {calls.value?.map((call, i) => <Call key={i} call={call} />)}
      {failure.value !== undefined && <Notice failed={failure.value} />}
    </div>
  )
}
