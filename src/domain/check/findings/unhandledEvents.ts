/**
 * Events that may happen and that no handler takes.
 *
 * @since 0.1.0
 */
import type { ErasedAgent, Happening } from "../../definition/Erase.js"
import type { Finding } from "../Finding.js"

/** Everything that a handler of the agent, of a flow or of a step takes. */
const heard = ({ flows = [], on }: ErasedAgent): ReadonlySet<string> =>
  new Set(
    [{ on }, ...flows, ...flows.flatMap(({ steps }) => steps)].flatMap((part) =>
      Object.entries(part.on ?? {}).flatMap(([name, handler]) => handler === undefined ? [] : [name])
    )
  )

const finding = (path: string, what: string, why: string, name: string): Finding => ({
  severity: "warning",
  code: "unheard",
  path,
  what,
  why,
  fix: `Give the agent, a flow or a step an on: { "${name}": … }, or leave it out of Agent.define`
})

/** Events, and results of jobs, that no handler takes. */
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
