import type { Json } from "../net/wire.js"
import { Value } from "../parts/Value.js"
import type { Conversation } from "../state/conversation.js"
import { words } from "../words/words.js"

/** The data of the conversation, field by field. */
export const DataView = ({ talk }: { readonly talk: Conversation }) => {
  const data = (talk.session.value?.data ?? {}) as Readonly<Record<string, Json>>
  const names = Object.keys(data)
  if (names.length === 0) return <p class="quiet pad">{words.data.empty}</p>
  return (
    <table class="data">
      <thead>
        <tr>
          <th>{words.data.field}</th>
          <th>{words.data.value}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Value value={data[name]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
