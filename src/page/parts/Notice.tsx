/** Shows a failure: the problem, its cause and the remedy, with the request's id to copy. */
import type { Failed } from "../net/api.js"
import { words } from "../words/words.js"
import { Copy } from "./Copy.js"

const isKnown = (status: number): status is Exclude<keyof typeof words.problem.fix, "other"> =>
  Object.hasOwn(words.problem.fix, status)

interface Props {
  readonly failed: Failed
  readonly again?: () => void
}

export const Notice = ({ again, failed: { problem, requestId } }: Props) => {
  const isOffline = problem.tag === "Offline"
  return (
    <div class="notice" role="alert">
      <strong>{isOffline ? words.offline : problem.title}</strong>
      {!isOffline && <p>{problem.detail}</p>}
      {!isOffline && (
        <p class="quiet">{isKnown(problem.status) ? words.problem.fix[problem.status] : words.problem.fix.other}</p>
      )}
      <div class="row">
        {again !== undefined && <button type="button" onClick={again}>{words.retry}</button>}
        {requestId !== undefined && <Copy text={requestId} label={words.problem.id(requestId)} />}
      </div>
    </div>
  )
}
