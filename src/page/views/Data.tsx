import { useComputed } from "@preact/signals"
import type { Json, Session } from "../net/wire.js"
import { Words } from "../parts/Sentence.js"
import { Value } from "../parts/Value.js"
import { definition } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { linkTo } from "../state/pageAddress.js"
import type { Explained } from "../state/why.js"
import { explained, history } from "../state/why.js"
import { words } from "../words/words.js"

type Values = Readonly<Record<string, Json>>

const valuesOf = (u: unknown): Values => (u ?? {}) as Values

/**
 * Returns the names of all fields of the agent. For people who may not read the definition, only the fields that have a
 * value.
 */
const namesOf = (session: Session | undefined): ReadonlyArray<string> => {
  const known = [...Object.keys(valuesOf(session?.data)), ...Object.keys(valuesOf(session?.partial))]
  return [...new Set([...definition.value?.fields.map(({ name }) => name) ?? [], ...known])]
}

const Field = (
  { name, session, turns }: {
    readonly name: string
    readonly session: Session | undefined
    readonly turns: ReadonlyArray<Explained>
  }
) => {
  const value = valuesOf(session?.data)[name]
  const part = valuesOf(session?.partial)[name]
  const past = history(turns, name)
  const field = definition.value?.fields.find((field) => field.name === name)
  return (
    <tr class={value === undefined ? "unknown" : ""}>
      <th scope="row">
        {field?.label ?? name}
        <code>{name}</code>
        {field !== undefined && <span class="quiet small">{words.data.scopes[field.scope]}</span>}
      </th>
      <td>
        {value === undefined ? <span class="quiet">{words.data.unknown}</span> : <Value value={value} />}
        {part !== undefined && (
          <div class="quiet">
            {words.data.part}: <Value value={part} />
          </div>
        )}
      </td>
      <td>
        <ol>
          {past.toReversed().map(({ sentence, turn }, i) => (
            <li key={i} class={i === 0 ? "" : "quiet"}>
              <a href={linkTo({ turn, tab: "why", pane: "side" })}>
                <Words sentence={sentence} />
              </a>
            </li>
          ))}
        </ol>
      </td>
    </tr>
  )
}

const Context = ({ session }: { readonly session: Session | undefined }) => {
  const context = valuesOf(session?.context)
  const names = Object.keys(context)
  return names.length === 0 ? null : (
    <>
      <h3 class="pad">{words.data.context}</h3>
      <table class="data">
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <Value value={context[name]} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** Shows the data of the conversation, field by field: the value, and the messages or actions from which it comes. */
export const DataView = ({ talk }: { readonly talk: Conversation }) => {
  const turns = useComputed(() => explained(talk))
  const session = talk.session.value
  const names = namesOf(session)
  if (names.length === 0) return <p class="empty">{words.data.empty}</p>
  return (
    <>
      <table class="data">
        <thead>
          <tr>
            <th scope="col">{words.data.field}</th>
            <th scope="col">{words.data.value}</th>
            <th scope="col">{words.data.from}</th>
          </tr>
        </thead>
        <tbody>{names.map((name) => <Field key={name} name={name} session={session} turns={turns.value} />)}</tbody>
      </table>
      <Context session={session} />
    </>
  )
}
