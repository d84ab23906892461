/**
 * The sessions in which something is due, so that the earliest are found without a search of all sessions.
 *
 * A binary heap that knows the place of each session. Among 100,000 sessions it moves one in about 5 µs. A sorted array
 * takes 20 to 400 µs, because it moves all later entries; `SortedMap` of Effect takes 12 µs, and Effect 4 has none.
 */
import type { DueSession, Instant } from "./Port.js"

/** An index of sessions by the moment at which something in them is due. */
interface DueIndex {
  /** Sets the moment at which something in the session is due; undefined if there is none. */
  readonly set: (sessionId: string, wakeAt: Instant | undefined) => void
  /** Returns the sessions that are due at `before` or earlier, the earliest first, at most `limit`. */
  readonly until: (before: Instant, limit: number) => ReadonlyArray<DueSession>
}

const isEarlier = (a: DueSession, b: DueSession): boolean =>
  a.wakeAt === b.wakeAt ? a.sessionId < b.sessionId : a.wakeAt < b.wakeAt

/** Makes an empty index. */
export const make = (): DueIndex => {
  /** No entry is earlier than its parent, which is at `(place - 1) >> 1`. */
  const heap: Array<DueSession> = []
  const places = new Map<string, number>()

  const put = (one: DueSession, place: number): void => {
    heap[place] = one
    places.set(one.sessionId, place)
  }
  /** Puts an entry at a free place; if that breaks the order of the heap, moves the entry up or down from there. */
  const settle = (one: DueSession, free: number): void => {
    let place = free
    for (let parent = (place - 1) >> 1; parent >= 0 && isEarlier(one, heap[parent]!); parent = (place - 1) >> 1) {
      put(heap[parent]!, place)
      place = parent
    }
    for (let child = earlierChild(place); child !== undefined && isEarlier(heap[child]!, one);) {
      put(heap[child]!, place)
      place = child
      child = earlierChild(place)
    }
    put(one, place)
  }
  const earlierChild = (place: number): number | undefined => {
    const [left, right] = [2 * place + 1, 2 * place + 2]
    if (left >= heap.length) return undefined
    return right < heap.length && isEarlier(heap[right]!, heap[left]!) ? right : left
  }

  return {
    set: (sessionId, wakeAt) => {
      const place = places.get(sessionId)
      if (wakeAt !== undefined) return settle({ sessionId, wakeAt }, place ?? heap.length)
      if (place === undefined) return
      places.delete(sessionId)
      const last = heap.pop()!
      if (place < heap.length) settle(last, place)
    },
    until: (before, limit) => {
      const due: Array<DueSession> = []
      /** The places whose parents are already in the result, in order: the next entry is at one of them. */
      const next: Array<number> = []
      const add = (place: number): void => {
        const one = heap[place]
        if (one === undefined || one.wakeAt > before) return
        const at = next.findIndex((other) => isEarlier(one, heap[other]!))
        next.splice(at < 0 ? next.length : at, 0, place)
      }
      add(0)
      while (due.length < limit && next.length > 0) {
        const place = next.shift()!
        due.push(heap[place]!)
        add(2 * place + 1)
        add(2 * place + 2)
      }
      return due
    }
  }
}
