/** Clients of a cluster over HTTP: each stays with one process, and goes to another one when its own is gone. */
import { Effect, Option, Stream } from "effect"
import type * as ClusterLoad from "./ClusterLoad.js"

interface Request {
  readonly sessionId: string
  readonly message: string
  readonly messageId: string
}

/** Milliseconds without an answer after which a client goes to another process. */
const patience = 10_000

/** The response in the text of a turn: the whole of it, or its last event. */
const responseIn = (text: string): unknown => {
  const last = text.startsWith("{") ? text : /^data: (\{"_tag":"TurnCompleted".*)$/m.exec(text)?.[1]
  const parsed = last === undefined ? undefined : JSON.parse(last)
  return parsed?.response ?? parsed
}

/** `urls` gives the processes that may be asked. */
export const make = (urls: () => ReadonlyArray<string>) => {
  const places = new Map<string, string>()
  const statuses: Array<number> = []
  const placeOf = (sessionId: string) => {
    const open = urls()
    const known = places.get(sessionId)
    const place = known !== undefined && open.includes(known)
      ? known
      : open[Number(/\d+/.exec(sessionId)) % open.length]
    places.set(sessionId, place ?? "")
    return place ?? ""
  }
  const ask = ({ sessionId, ...body }: Request, route: string) =>
    Effect.suspend(() => {
      const place = placeOf(sessionId)
      return Effect.tryPromise(async (signal) => {
        const response = await fetch(`${place}/sessions/${sessionId}/${route}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
          signal: AbortSignal.any([signal, AbortSignal.timeout(patience)])
        })
        if (response.status !== 200) statuses.push(response.status)
        const found = response.status === 200 ? responseIn(await response.text()) : undefined
        if (found === undefined) throw new Error(`status ${response.status} without a response`)
        return found
      }).pipe(Effect.tapError(() =>
        Effect.sync(() => {
          const others = urls().filter((url) => url !== place)
          places.set(sessionId, others[Number(/\d+/.exec(sessionId)) % others.length] ?? place)
        })
      ))
    })
  // The load reads the message and the version of a response, which are the same in its JSON.
  const desk: Pick<ClusterLoad.Front, "respond" | "stream"> = {
    respond: (request: Request) => ask(request, "turns"),
    stream: (request: Request) =>
      Stream.map(Stream.fromEffect(ask(request, "turns/stream")), (response) => ({ _tag: "TurnCompleted", response }))
  } as never
  return {
    desk,
    /** The statuses that were no 200. */
    statuses,
    /** The sessions whose clients stay with a process. */
    at: (url: string) => Array.from(places).flatMap(([sessionId, place]) => place === url ? [sessionId] : [])
  }
}

/** How long after a moment the last of the sessions was answered again, in milliseconds. */
export const lastAnswer = (
  answered: ReadonlyArray<ClusterLoad.Answered>,
  sessions: ReadonlyArray<string>,
  moment: number
): number =>
  Math.max(
    0,
    ...sessions.map((id) =>
      Option.match(Option.fromNullable(answered.find(({ at, sessionId }) => sessionId === id && at > moment)), {
        onNone: () => Infinity,
        onSome: ({ at }) => at - moment
      })
    )
  )
