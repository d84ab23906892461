import type { Origin, Origins as Given } from "../../domain/origin/Origin.js"
import { words } from "../words/words.js"

/** The tool, document or job that an origin names. */
const nameOf = (origin: Origin): string => {
  if (origin.kind === "tool") return origin.tool
  if (origin.kind === "agent") return origin.job
  return origin.kind === "document" ? origin.name ?? "" : ""
}

const told = (origin: Origin): string => `${words.origins.kinds[origin.kind]} ${nameOf(origin)}`.trim()

/** Lists the origins of the arguments of a call. */
export const Origins = ({ origins = {} }: { readonly origins?: Given | undefined }) => {
  const all = Object.entries(origins).filter(([, each]) => each.length > 0)
  if (all.length === 0) return null
  return (
    <>
      <h3 class="small">{words.origins.title}</h3>
      <ul class="origins">
        {all.map(([name, each]) => (
          <li key={name}>
            <code>{name}</code>: {each.map(told).join(", ")}
          </li>
        ))}
      </ul>
    </>
  )
}
