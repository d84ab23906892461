/** An in-memory store that counts its operations, can be read as a whole, and can be made to fail. */
import { Errors, SessionStore } from "coxswain"
import { Effect, Layer } from "effect"

type Operation = "load" | "commit" | "response"

export const make = Effect.map(SessionStore.makeMemory, (store) => {
  const calls: Array<Operation> = []
  const writes: Array<SessionStore.SessionWrite> = []
  const ids = new Set<string>()
  let broken: Operation | undefined
  const counted = <A, E>(operation: Operation, effect: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | Errors.SessionStoreError> => {
      calls.push(operation)
      return broken === operation
        ? Effect.fail(new Errors.SessionStoreError({ operation, why: "the disk is full" }))
        : effect
    })
  const service: SessionStore.Service = {
    ...store,
    load: (id, options) => counted("load", store.load(id, options)),
    response: (id, messageId) => counted("response", store.response(id, messageId)),
    commit: (write) =>
      counted(
        "commit",
        Effect.tap(store.commit(write), () =>
          Effect.sync(() => {
            ids.add(write.id)
            writes.push(write)
          }))
      )
  }
  const count = (operation: Operation) => calls.filter((one) => one === operation).length
  return {
    calls,
    /** The writes that succeeded. */
    writes,
    count,
    service,
    layer: Layer.succeed(SessionStore.SessionStore, service),
    /** Makes the operation fail from now on; `undefined` makes all succeed. */
    breaks: (operation: Operation | undefined) => {
      broken = operation
    },
    /** Everything stored, as one value to compare. */
    snapshot: Effect.map(
      Effect.suspend(() => Effect.forEach(Array.from(ids), (id) => store.load(id, { messages: 10_000 }))),
      (all) => JSON.parse(JSON.stringify(all)) as ReadonlyArray<unknown>
    ).pipe(Effect.map((all) => ({ sessions: all, writes: writes.length })))
  }
})
