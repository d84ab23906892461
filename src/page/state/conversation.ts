/**
 * The state of one conversation: its messages, the running turn, and the events of each turn that this page has seen.
 */
import { batch, effect, signal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { ask, pathOf, problem, send } from "../net/api.js"
import { follow } from "../net/events.js"
import type { Form, JsonObject, Session, Stored, TurnEvent, TurnResponse, Uploaded } from "../net/wire.js"
import type { Talk } from "./items.js"
import * as Items from "./items.js"

/** A turn that this page has seen, for `Why`: its events, each with the milliseconds since the turn began. */
export interface Seen {
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

/** Events that belong to no turn. */
const aside = new Set<TurnEvent["_tag"]>(["PersonSaid", "Released", "JobProgress", "SessionRewound", "HandedOver"])
const ends = new Set<TurnEvent["_tag"]>(["TurnCompleted", "TurnFailed"])
/** Events that are not kept for `Why`, because the response of the turn contains their result. */
const untold = new Set<TurnEvent["_tag"]>(["TextDelta", "ReasoningDelta", "ToolProgress"])

const pageSize = 50
const seenAtMost = 50

const keyOf = (): string => crypto.randomUUID()

const reason = ({ _tag, error }: Extract<TurnEvent, { readonly _tag: "TurnFailed" }>) =>
  `${error._tag}: ${error.message}`

export const make = (id: string) => {
  const path = pathOf(["sessions", id])
  const closing = new AbortController()
  const status = signal<"loading" | "new" | "ready">("loading")
  const failure = signal<Failed>()
  const session = signal<Session>()
  const talk = signal<Talk>(Items.empty)
  const expects = signal<Form>()
  const rejected = signal<TurnResponse["rejected"]>([])
  const older = signal<number>()
  const busy = signal(false)
  const seen = signal<ReadonlyArray<Seen>>([])
  /**
   * The `messageId`s that this page has sent. The feed also reports the turns of these messages; the page then ignores
   * them.
   */
  const own = new Set<string>()
  /** The sequence number of the message that began the running turn or, between turns, the last one. */
  let turn = 0
  let waiting: Array<TurnEvent & { readonly at: number }> = []
  let isOpen = false

  const apply = (event: TurnEvent & { readonly at: number }): void => {
    if (event._tag === "TurnStarted") {
      busy.value = true
      rejected.value = []
    }
    talk.value = Items.fold({ ...talk.value, now: new Date().toISOString() }, event, turn)
    if (!untold.has(event._tag) && !aside.has(event._tag)) note(event)
    if (event._tag === "TurnCompleted") finish(event.response)
    if (event._tag === "TurnFailed") {
      busy.value = false
      talk.value = Items.failed(talk.value, turn, reason(event))
    }
    if (event._tag === "SessionRewound") void load()
    if (aside.has(event._tag) && event._tag !== "JobProgress") refresh()
  }

  const note = (event: TurnEvent & { readonly at: number }): void => {
    const now = event.at
    const last = seen.value.at(-1)
    if (event._tag === "TurnStarted" || last === undefined) {
      const message = talk.value.items.findLast((item) => item.kind === "user" && item.turn === turn)
      const begun: Seen = {
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
    busy.value = false
    session.value = response.session
    expects.value = response.expects
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
  /** Reads the session, soon: once for all events that arrive until then. */
  const refresh = (): void => {
    if (isStale) return
    isStale = true
    setTimeout(() => {
      isStale = false
      ask<Session>(path, { signal: closing.signal }).then((found) => session.value = found, () => {})
    }, 50)
  }

  const read = () =>
    Promise.all([
      ask<Session>(path, { signal: closing.signal }),
      ask<{ items: ReadonlyArray<Stored>; next?: number }>(`${path}/messages?limit=${pageSize}`, {
        signal: closing.signal
      })
    ])

  const show = ([found, messages]: Awaited<ReturnType<typeof read>>): void => {
    const items = Items.ofStored(messages.items)
    batch(() => {
      session.value = found
      talk.value = { ...Items.empty, items, approvals: Items.openOf(found) }
      older.value = messages.next
      status.value = "ready"
    })
    turn = items.at(-1)?.turn ?? 0
  }

  const load = async (): Promise<void> => show(await read())

  /** Resolves when no turn of this page runs. */
  const quiet = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = effect(() => {
        if (busy.value) return
        resolve()
        queueMicrotask(() => stop())
      })
    })

  /** Reads what happened without a feed, between turns of this page: the answer to one would be shown twice. */
  const catchUp = async (): Promise<void> => {
    for (;;) {
      await quiet()
      const before = turn
      const found = await read()
      if (!busy.value && turn === before) return show(found)
    }
  }

  /** Returns the number of the message that begins the next turn. */
  const nextTurn = (): number => (session.value?.messageCount ?? talk.value.items.length) + 1

  /** True while the feed reports a turn that this page did not begin, from the turn's first event to its last. */
  let isTold = false

  /** Reads everything that happens in the session, from other pages, people, timers and jobs too. */
  const listen = async (opened: () => void): Promise<void> => {
    let mine = false
    isOpen = true
    isTold = false
    try {
      await follow(`${path}/feed`, ({ data }) => {
        const event = JSON.parse(data) as TurnEvent
        if (event._tag === "TurnStarted") {
          // A turn that continues after an approval has the `messageId` of its message again.
          mine = event.messageId !== undefined && own.delete(event.messageId)
          isTold = !mine
          if (!mine) {
            turn = nextTurn()
            if (event.messageId === streamed) streamed = undefined
          }
        }
        if (isTold || aside.has(event._tag)) take(event)
        if (ends.has(event._tag)) isTold = false
      }, { signal: closing.signal, opened })
    } finally {
      isOpen = false
    }
  }

  /** Follows the turn that began before the feed was open, from the turn's first event on. */
  const rejoin = async (): Promise<void> => {
    let isKnown = false
    await follow(`${path}/turns/current/stream`, ({ data }) => {
      const event = JSON.parse(data) as TurnEvent
      if (event._tag === "TurnStarted") {
        isKnown = isTold || busy.value || (streamed !== undefined && event.messageId === streamed)
        if (!isKnown) turn = nextTurn()
      }
      if (!isKnown) take(event)
    }, { signal: closing.signal })
  }

  /** Follows the feed for as long as the page shows the conversation. */
  const keepListening = async (): Promise<void> => {
    for (let pause = 500; !closing.signal.aborted; pause = Math.min(pause * 2, 10_000)) {
      const opened = () => {
        pause = 500
        void rejoin().catch(() => {})
      }
      await listen(opened).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, pause))
      if (!closing.signal.aborted) await catchUp().catch(() => {})
    }
  }

  const begin = async (): Promise<void> => {
    failure.value = undefined
    try {
      await load()
      void keepListening()
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

  /** The `messageId` of the turn that this page has streamed last. */
  let streamed: string | undefined

  const stream = async (route: string, body: object): Promise<void> => {
    failure.value = undefined
    busy.value = true
    try {
      await follow(route, ({ data }) => take(JSON.parse(data) as TurnEvent), { body })
      flush()
      if (!isOpen) {
        own.clear()
        void keepListening()
      }
    } catch (cause) {
      flush()
      failure.value = problem(cause)
    } finally {
      busy.value = false
    }
  }

  return {
    id,
    status,
    failure,
    session,
    talk,
    expects,
    rejected,
    older,
    busy,
    seen,
    open,
    close: () => closing.abort(),
    say: ({ message, parts = [], values }: Outgoing): Promise<void> => {
      const messageId = keyOf()
      own.add(messageId)
      streamed = messageId
      turn = nextTurn()
      const text = message ??
        Object.entries(values ?? {}).map(([name, value]) =>
          `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`
        ).join("\n")
      talk.value = Items.sent({ ...talk.value, now: new Date().toISOString() }, turn, text, parts)
      expects.value = undefined
      return stream(`${path}/turns/stream`, {
        messageId,
        ...(message !== undefined && { message }),
        ...(values !== undefined && { values }),
        ...(parts.length > 0 && { parts })
      })
    },
    begin: (flow?: string): Promise<void> => {
      turn = nextTurn()
      return stream(`${path}/begin/stream`, flow === undefined ? {} : { flow })
    },
    stop: () => send(`${path}/turns/current`, { method: "DELETE" }),
    more: async (): Promise<void> => {
      if (older.value === undefined) return
      const found = await ask<{ items: ReadonlyArray<Stored>; next?: number }>(
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
