/** The agent's `whileBusy`, for a server that sets none. */
import { expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Effect, Fiber, Layer } from "effect"
import * as Desk from "../../../support/Desk.js"

const flows = [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]

class Waiting extends Desk.kit.Service<Waiting>()("Waiting", { name: "Desk", flows }) {}
class Stopping extends Desk.kit.Service<Stopping>()("Stopping", { name: "Desk", whileBusy: "cancel", flows }) {}
class Refusing extends Desk.kit.Service<Refusing>()("Refusing", { name: "Desk", whileBusy: "reject", flows }) {}

/** Two messages to one session on two connections, the second during the first one's turn. */
const both = (agent: typeof Waiting | typeof Stopping | typeof Refusing, other = "and me") =>
  Effect.gen(function*() {
    const gate = yield* Effect.makeLatch()
    const atGate = yield* Effect.makeLatch()
    const services = Layer.merge(Desk.services(Effect.zipRight(atGate.open, gate.await)), SessionStore.layerMemory)
    const app = Server.layer(agent as typeof Waiting, { authenticate: Desk.authenticate, docs: false })
    const { ask } = yield* Desk.serve(
      Layer.provide(app, Layer.provideMerge(agent.layer as typeof Waiting.layer, services))
    )
    const say = (message: string, messageId: string) =>
      ask("POST", "/sessions/s1/turns", { body: { message, messageId } })
    const first = yield* Effect.fork(say("wait: for me", "m1"))
    yield* atGate.await
    const second = yield* Effect.fork(say(other, "m2"))
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    yield* gate.open
    return { one: (yield* Fiber.join(first)).json, two: (yield* Fiber.join(second)).json, say }
  })

it.scoped("with `whileBusy` set to `queue`, the second message waits, and each message is answered", () =>
  Effect.gen(function*() {
    const { one, two } = yield* both(Waiting)
    expect([one.message, two.message]).toEqual(["One two three.", "You said it."])
  }))

it.scoped("with `whileBusy` set to `cancel`, the second message stops the turn, and one reply answers both messages", () =>
  Effect.gen(function*() {
    const { one, two } = yield* both(Stopping)
    expect(one.stoppedReason).toBe("aborted")
    expect(two.message).toBe("One two three.")
  }))

it.scoped("with `whileBusy` set to `cancel`, the reply to both messages is stored under the second message's id", () =>
  Effect.gen(function*() {
    const { say, two } = yield* both(Stopping)
    expect(yield* say("and me", "m2")).toMatchObject({ status: 200, json: two })
    for (const other of ["wait: for me\nand me", "wait: for me", "me"]) {
      expect(yield* say(other, "m2")).toMatchObject({ status: 400, json: { tag: "InvalidRequest" } })
    }
  }))

it.scoped("with `whileBusy` set to `cancel`, an invalid message does not stop the turn", () =>
  Effect.gen(function*() {
    const { one, two } = yield* both(Stopping, " ")
    expect(one.message).toBe("One two three.")
    expect(two).toMatchObject({ status: 400, tag: "InvalidRequest" })
  }))

it.scoped("with `whileBusy` set to `reject`, the second message is refused, and the turn completes", () =>
  Effect.gen(function*() {
    const { one, two } = yield* both(Refusing)
    expect(one.message).toBe("One two three.")
    expect(two).toMatchObject({ status: 409, tag: "SessionBusy" })
  }))
