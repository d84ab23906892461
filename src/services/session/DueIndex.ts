/**
 * The sessions in which something is due, so that the earliest are found without a search through all sessions.
 *
 * A binary heap that knows the index of each session. Among 100,000 sessions it moves one in about 5 µs. A sorted array
 * takes 20 to 400 µs, because it moves all later entries. `SortedMap` of Effect takes 12 µs, and does not exist in
 * Effect 4.
 */
import type { DueSession, Instant } from "./Port.js"

/** An index of sessions by the moment at which a timer or job in them is due. */
interface DueIndex {
  /** Sets the moment at which a timer or job in the session is due; undefined if there is none. */
  readonly set: (sessionId: string, wakeAt: Instant | undefined) => void
  /** Returns the sessions that are due at `before` or earlier, the earliest first, at most `limit`. */
  readonly until: (before: Instant, limit: number) => ReadonlyArray<DueSession>
}

const isEarlier = (a: DueSession, b: DueSession): boolean =>
  a.wakeAt === b.wakeAt ? a.sessionId < b.sessionId : a.wakeAt < b.wakeAt

/** Makes an empty index. */
export const make = (): DueIndex => {
  /** No entry is earlier than its parent, which is at `(index - 1) >> 1`. */
  const heap: Array<DueSession> = []
  const indexes = new Map<string, number>()

  const put = (one: DueSession, index: number): void => {
    heap[index] = one
    indexes.set(one.sessionId, index)
  }
  /** Puts an entry at a free index; if this breaks the order of the heap, moves the entry up or down. */
  const settle = (one: DueSession, free: number): void => {
    let index = free
    for (let parent = (index - 1) >> 1; parent >= 0 && isEarlier(one, heap[parent]!); parent = (index - 1) >> 1) {
      put(heap[parent]!, index)
      index = parent
    }
    for (let child = earlierChild(index); child !== undefined && isEarlier(heap[child]!, one);) {
      put(heap[child]!, index)
      index = child
      child = earlierChild(index)
    }
    put(one, index)
  }
  const earlierChild = (index: number): number | undefined => {
    const [left, right] = [2 * index + 1, 2 * index + 2]
    if (left >= heap.length) return undefined
    return right < heap.length && isEarlier(heap[right]!, heap[left]!) ? right : left
  }

  return {
    set: (sessionId, wakeAt) => {
      const index = indexes.get(sessionId)
      if (wakeAt !== undefined) return settle({ sessionId, wakeAt }, index ?? heap.length)
      if (index === undefined) return
      indexes.delete(sessionId)
      const last = heap.pop()!
      if (index < heap.length) settle(last, index)
    },
    until: (before, limit) => {
      const due: Array<DueSession> = []
      /**
       * The indexes whose parents are already in the result, in order. The next entry of the result is at one of them.
       */
      const next: Array<number> = []
      const add = (index: number): void => {
        const one = heap[index]
        if (one === undefined || one.wakeAt > before) return
        const at = next.findIndex((other) => isEarlier(one, heap[other]!))
        next.splice(at < 0 ? next.length : at, 0, index)
      }
      add(0)
      while (due.length < limit && next.length > 0) {
        const index = next.shift()!
        due.push(heap[index]!)
        add(2 * index + 1)
        add(2 * index + 2)
      }
      return due
    }
  }
}
