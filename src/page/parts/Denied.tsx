import { listOf, recordOf } from "../../domain/turn/view/LooseJson.js"
import type { Json } from "../net/wire.js"
import { words } from "../words/words.js"

/** The first words of a refusal by a policy, or because of the origins of arguments. */
const policy = "policy: "

/** Shows why a policy refused a call, and the calls that are missing. Other outputs have no such part. */
export const Denied = ({ output }: { readonly output?: Json | undefined }) => {
  const { error, message, missing } = recordOf(output)
  if (error !== "denied" || typeof message !== "string" || !message.startsWith(policy)) return null
  const calls = listOf(missing)
  return (
    <div class="denied">
      <h3 class="small">{words.denied.title}</h3>
      <p>{message.slice(policy.length)}</p>
      {calls.length > 0 && (
        <>
          <h3 class="small">{words.denied.missing}</h3>
          <ul>
            {calls.map(({ arguments: args, tool }, i) => (
              <li key={i}>
                <code>{String(tool)} {JSON.stringify(args)}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
