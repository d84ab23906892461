import type { Definition } from "../net/wire.js"
import type { Conversation } from "../state/conversation.js"
import { linkTo, route } from "../state/pageAddress.js"
import { judged } from "../state/why.js"
import { words } from "../words/words.js"

const Part = ({ name, of }: { readonly name: string; readonly of: ReadonlyArray<string> }) =>
  of.length === 0 ? null : <>
    <h4>{name}</h4>
    <p>{of.join(", ")}</p>
  </>

/**
 * Shows the chosen step, or else the current one: its prompt, fields and tools, and its transitions with the latest
 * result of their conditions.
 */
export const StepView = ({ talk, whole }: { readonly talk: Conversation; readonly whole: Definition }) => {
  const session = talk.session.value
  const at = route.value.at ?? `${session?.currentFlow?.id}/${session?.currentStep?.id}`
  const step = whole.graph.steps.find(({ id }) => id === at)
  if (step === undefined) return <p class="quiet pad">{words.where.noStep}</p>
  const prompt = whole.steps.find(({ id }) => id === at)?.prompt
  const ways = whole.graph.edges.filter(({ from }) => from === at)
  const verdicts = judged(talk.seen.value)
  return (
    <section class="card" aria-label={step.title}>
      <h3>
        {step.title} <span class="quiet">{step.id}</span>
      </h3>
      {prompt !== undefined && (
        <>
          <h4>{words.where.prompt}</h4>
          <pre tabIndex={0}>{prompt}</pre>
        </>
      )}
      <Part name={words.where.fields} of={step.collect} />
      <Part name={words.where.tools} of={step.tools} />
      {ways.length > 0 && (
        <>
          <h4>{words.where.branches}</h4>
          <ul>
            {ways.map(({ id, label, to }) => (
              <li key={id}>
                <a href={linkTo({ at: to })}>{to}</a>
                {label !== "" && `: ${label}`}
                {verdicts[id] !== undefined && <span class="quiet">{" "}({words.where.judged(verdicts[id])})</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
