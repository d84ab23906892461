/**
 * The state of one conversation: its messages, the running turn, and the events of each turn that this page has seen.
 */
import { batch, effect, signal } from "@preact/signals"
import { explains } from "../../domain/turn/why/entryFacts.js"
import type { Failed } from "../net/api.js"
import { ask, pathOf, problem, send } from "../net/api.js"
import { follow } from "../net/events.js"
import type { JsonObject, Page, Session, StoredMessage, TurnEvent, TurnResponse, Uploaded } from "../net/wire.js"
import { profile } from "./agent.js"
import type { Talk } from "./items.js"
import * as Items from "./items.js"

/** A turn that this page has seen, for `Why`: its events, each with the milliseconds since the turn began. */
export interface SeenTurn {
  readonly turn: number
  readonly message?: string
  readonly began: number
  /** The session after a recorded turn. */
  readonly after?: Pick<Session, "version" | "data">
  readonly events: ReadonlyArray<TurnEvent & { readonly at: number }>
}

/** A message, the values of a form, or uploaded files, as a person sends them. */
export interface Outgoing {
  readonly message?: string
  readonly values?: JsonObject
  readonly parts?: ReadonlyArray<Uploaded>
}

/** Events that happen between turns, or during a turn without being part of it. */
const beside = new Set<TurnEvent["_tag"]>(["PersonSaid", "JobProgress", "SessionRewound"])
/** Events that can also happen between turns, if a person causes them and not a directive. */
const floor = new Set<TurnEvent["_tag"]>(["Released", "HandedOver"])
const between = new Set<TurnEvent["_tag"]>([...beside, ...floor])
/** Events after which the session is read again. */
const changing = new Set<TurnEvent["_tag"]>([...floor, "PersonSaid", "SessionRewound"])
const ends = new Set<TurnEvent["_tag"]>(["TurnCompleted", "TurnFailed"])

const pageSize = 50
const seenAtMost = 50

const keyOf = (): string => crypto.randomUUID()

type Started = Extract<TurnEvent, { readonly _tag: "TurnStarted" }>

/**
 * Returns a name for a turn that is the same in every stream. A turn that continues has another version, and so another
 * name.
 */
const nameOf = ({ epoch, messageId, version }: Started): string => JSON.stringify([epoch, version, messageId])

export const make = (id: string) => {
  const path = pathOf(["sessions", id])
  const closing = new AbortController()
  const status = signal<"loading" | "new" | "ready">("loading")
  const failure = signal<Failed>()
  const session = signal<Session>()
  const talk = signal<Talk>(Items.empty)
  /** The user's message of a turn that its user has stopped before the first word of the answer; it is not stored. */
  const unsent = signal<string>()
  let isStopping = false
  const rejected = signal<TurnResponse["rejected"]>([])
  const older = signal<number>()
  const busy = signal(false)
  const seen = signal<ReadonlyArray<SeenTurn>>([])
  /** The turns that this page shows. If several streams report a turn, the page shows it from the first one. */
  const shown = new Set<string>()
  /**
   * The messages whose turns this page streams itself, by `messageId`, each with its turn. A message that waits for an
   * earlier turn has a negative number, until its turn begins.
   */
  const own = new Map<string, number>()
  /** Number of messages that have waited for an earlier turn. */
  let queued = 0
  /**
   * The sequence number of the message that began the running turn; between turns, of the message that began the last
   * turn.
   */
  let turn = 0
  let waiting: Array<TurnEvent & { readonly at: number }> = []

  const apply = (event: TurnEvent & { readonly at: number }): void => {
    // Between turns the session, and no item, says who has the conversation.
    if (!busy.value && floor.has(event._tag)) return refresh()
    if (event._tag === "TurnStarted") {
      busy.value = true
      rejected.value = []
    }
    const before = talk.value
    talk.value = Items.fold({ ...before, now: new Date().toISOString() }, event, turn)
    if (event._tag === "TurnCompleted") giveBack(before)
    if (explains(event)) note(event)
    if (event._tag === "TurnCompleted") finish(event.response)
    if (event._tag === "TurnFailed") {
      busy.value = own.size > 0
      talk.value = Items.failed(talk.value, turn, event)
    }
    if (event._tag === "SessionRewound") void reported(load())
    if (changing.has(event._tag)) refresh()
  }

  /** Gives the user's message back if the turn that has ended was stopped and is not stored. */
  const giveBack = ({ items }: Talk): void => {
    const said = items.findLast((item) => item.kind === "user" && item.turn === turn)
    if (isStopping && said?.kind === "user" && talk.value.items.every((item) => item.turn !== turn)) {
      unsent.value = said.text
    }
    isStopping = false
  }

  const note = (event: TurnEvent & { readonly at: number }): void => {
    const now = event.at
    const last = seen.value.at(-1)
    if (event._tag === "TurnStarted" || last === undefined) {
      const message = talk.value.items.findLast((item) => item.kind === "user" && item.turn === turn)
      const begun: SeenTurn = {
        turn,
        began: now,
        events: [{ ...event, at: 0 }],
        ...(message?.kind === "user" && { message: message.text })
      }
      seen.value = [...seen.value, begun].slice(-seenAtMost)
    } else {
      const next = { ...last, events: [...last.events, { ...event, at: now - last.began }] }
      seen.value = [...seen.value.slice(0, -1), next]
    }
  }

  const finish = (response: TurnResponse): void => {
    busy.value = own.size > 0
    session.value = response.session
    rejected.value = response.rejected
    status.value = "ready"
  }

  /** Collects the events that arrive within one animation frame, and applies them together. */
  const take = (event: TurnEvent): void => {
    if (waiting.push({ ...event, at: performance.now() }) === 1) requestAnimationFrame(flush)
  }
  const flush = (): void => {
    const events = waiting
    waiting = []
    batch(() => events.forEach(apply))
  }

  let isStale = false
  /** Reads the session soon: once for all events that arrive until then. */
  const refresh = (): void => {
    if (isStale) return
    isStale = true
    setTimeout(() => {
      isStale = false
      readSession().then((found) => session.value = found, () => {})
    }, 50)
  }

  const readSession = () => ask<Session>(path, { signal: closing.signal })

  const read = () =>
    Promise.all([
      readSession(),
      ask<Page<StoredMessage, number>>(`${path}/messages?limit=${pageSize}`, {
        signal: closing.signal
      })
    ])

  const show = ([found, messages]: Awaited<ReturnType<typeof read>>): void => {
    const shown = Items.ofSession(found, messages.items)
    batch(() => {
      session.value = found
      talk.value = shown
      rejected.value = Items.rejectedIn(messages.items)
      older.value = messages.next
      status.value = "ready"
    })
    turn = shown.items.at(-1)?.turn ?? 0
  }

  const load = async (): Promise<void> => show(await read())

  /** Shows the failure of what the page does besides a turn. */
  const reported = (doing: Promise<unknown>): Promise<void> =>
    doing.then(() => {}, (cause: unknown) => {
      if (!closing.signal.aborted) failure.value = problem(cause)
    })

  /** Resolves when no turn of this page runs. */
  const quiet = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = effect(() => {
        if (busy.value) return
        resolve()
        queueMicrotask(() => stop())
      })
    })

  /** True if a stream has broken off during a turn that it showed. */
  let isBroken = false
  /**
   * Reads the changes that no stream has reported. Waits for a turn that this page shows, because its answer is stored
   * only at its end.
   */
  const catchUp = async (): Promise<void> => {
    for (;;) {
      await quiet()
      const before = turn
      const isMissed = isBroken || (await readSession()).version !== session.value?.version
      const found = isMissed ? await read() : undefined
      if (busy.value || turn !== before) continue
      if (found !== undefined) show(found)
      isBroken = false
      return
    }
  }

  /**
   * Returns a reader of one stream. It shows the stream's turns, except turns that another stream of this page shows.
   * It always shows the turn of this page's own request.
   */
  const reader = (isOwn: boolean) => {
    let place: "between" | "shown" | "known" = "between"
    let name = ""
    const start = (event: Started): void => {
      name = nameOf(event)
      const { messageId = "" } = event
      const isKnown = !isOwn && (shown.has(name) || own.has(messageId))
      place = isKnown || Items.isRepeated(session.value, event) ? "known" : "shown"
      shown.add(name)
      if (place === "shown") number(event)
    }
    /** Sets the number of the turn that begins. */
    const number = (event: Started): void => {
      const { messageId = "" } = event
      // The events of the turn before belong to its number.
      flush()
      const sent = own.get(messageId)
      own.delete(messageId)
      if (sent === undefined && isOwn) return
      turn = sent !== undefined && sent > 0 ? sent : Items.nextTurn(session.value, event)
      if (sent !== undefined) talk.value = Items.renumbered(talk.value, sent, turn)
    }
    return {
      read: (event: TurnEvent): void => {
        if (event._tag === "TurnStarted") start(event)
        if (place === "shown" || (place === "between" ? between : beside).has(event._tag)) take(event)
        if (!ends.has(event._tag)) return
        // The turn began before this stream, so perhaps no stream shows it.
        if (place === "between") void catchUp().catch(() => {})
        place = "between"
      },
      close: (): void => {
        flush()
        if (place !== "shown") return
        busy.value = own.size > 0
        isBroken = true
        shown.delete(name)
      }
    }
  }

  /** Shows the events of a route until its stream ends. */
  const watch = async (
    route: string,
    { opened, request }: { readonly opened?: () => void; readonly request?: object } = {}
  ): Promise<void> => {
    const { close, read } = reader(request !== undefined)
    try {
      await follow(route, ({ data }) => read(JSON.parse(data) as TurnEvent), {
        ...(request === undefined ? { signal: closing.signal } : { body: request }),
        ...(opened !== undefined && { opened })
      })
    } finally {
      close()
    }
  }

  /** Reads the changes since the stream was open, and follows the running turn. */
  const resume = (): void => void catchUp().then(() => watch(`${path}/turns/current/stream`)).catch(() => {})

  let isListening = false
  /** True while the feed is open and reports the changes. */
  let isOpen = false
  /**
   * Follows the feed for as long as the page shows the conversation: everything that happens in the session, from other
   * pages, people, timers and jobs too.
   */
  const listen = async (): Promise<void> => {
    if (isListening) return
    isListening = true
    for (let pause = 500; !closing.signal.aborted; pause = Math.min(pause * 2, 10_000)) {
      const opened = () => {
        isOpen = true
        pause = 500
        resume()
      }
      await watch(`${path}/feed`, { opened }).catch(() => {})
      isOpen = false
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

  const begin = async (): Promise<void> => {
    failure.value = undefined
    try {
      await load()
      void listen()
    } catch (cause) {
      if (closing.signal.aborted) return
      const failed = problem(cause)
      if (failed.problem.status === 404) status.value = "new"
      else failure.value = failed
    }
  }
  let opening: Promise<void> | undefined
  const open = (): Promise<void> => {
    if (opening === undefined || failure.value !== undefined) opening = begin()
    return opening
  }

  /** The reader's language, unless the conversation has a locale: the application may have set it. */
  const locale = (): { readonly locale?: string } => {
    const own = profile.value?.locale
    return own === undefined || session.value?.context?.locale !== undefined ? {} : { locale: own }
  }

  const stream = async (
    route: string,
    request: { readonly messageId?: string; readonly flow?: string }
  ): Promise<void> => {
    failure.value = undefined
    busy.value = true
    try {
      await watch(route, { request })
      void listen()
    } catch (cause) {
      failure.value = problem(cause)
      if (isBroken && isOpen) resume()
    }
    own.delete(request.messageId ?? "")
    busy.value = own.size > 0
  }

  return {
    id,
    status,
    failure,
    session,
    talk,
    rejected,
    unsent,
    older,
    busy,
    seen,
    open,
    close: () => closing.abort(),
    say: ({ message, parts = [], values }: Outgoing): Promise<void> => {
      const messageId = keyOf()
      const at = busy.value ? --queued : Items.nextTurn(session.value)
      own.set(messageId, at)
      const text = message ?? Items.textOfForm(values ?? {}, session.value?.expects)
      talk.value = Items.sent({ ...talk.value, now: new Date().toISOString() }, at, text, parts)
      return stream(`${path}/turns/stream`, {
        messageId,
        ...locale(),
        ...(message !== undefined && { message }),
        ...(values !== undefined && { values }),
        ...(parts.length > 0 && { parts })
      })
    },
    begin: (flow?: string): Promise<void> => {
      turn = Items.nextTurn(session.value)
      return stream(`${path}/begin/stream`, { ...locale(), ...(flow !== undefined && { flow }) })
    },
    reported,
    stop: () => {
      isStopping = true
      return reported(send(`${path}/turns/current`, { method: "DELETE" }))
    },
    more: async (): Promise<void> => {
      if (older.value === undefined) return
      const found = await ask<Page<StoredMessage, number>>(
        `${path}/messages?limit=${pageSize}&before=${older.value}`
      )
      talk.value = { ...talk.value, items: [...Items.ofStored(found.items), ...talk.value.items] }
      older.value = found.next
    },
    /** Reads the conversation again if no feed reports the changes. */
    reload: async (): Promise<void> => {
      if (!isOpen) await load()
    },
    path
  }
}

export type Conversation = ReturnType<typeof make>
