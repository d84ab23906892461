/** Finds events without a handler. */
import type { ErasedAgent, Happening } from "../../definition/Erase.js"
import { warning } from "../Case.js"
import type { Finding } from "../Finding.js"

/** The names of all events that the agent, a flow or a step handles. */
const heard = ({ flows = [], on }: ErasedAgent): ReadonlySet<string> =>
  new Set(
    [{ on }, ...flows, ...flows.flatMap(({ steps }) => steps)].flatMap((part) =>
      Object.entries(part.on ?? {}).flatMap(([name, handler]) => handler === undefined ? [] : [name])
    )
  )

const finding = (path: string, what: string, why: string, name: string): Finding =>
  warning(
    "unheard",
    path,
    what,
    why,
    `Give the agent, a flow or a step an on: { "${name}": … }, or leave it out of Agent.define`
  )

/** Warns about events, and results of jobs, without a handler. */
export const unhandledEvents = (options: ErasedAgent, { events, jobs }: Happening): ReadonlyArray<Finding> => {
  const names = heard(options)
  return [
    ...Object.keys(events).filter((name) => !names.has(name)).map((name) =>
      finding(`events.${name}`, `event "${name}" is heard by nobody`, "no handler takes it, wherever it happens", name)
    ),
    ...jobs.filter(({ completed }) => !names.has(completed)).map(({ completed, jobName }) =>
      finding(`jobs.${jobName}`, `the result of job "${jobName}" is lost`, `no handler takes "${completed}"`, completed)
    )
  ]
}
