import { describe, expect, it } from "@effect/vitest"
import { Agent, type Approval, Errors, type Session, SessionStore, type TurnEvent } from "coxswain"
import { Duration, Effect, Exit, Fiber, Layer, Schema, Stream, TestClock } from "effect"
import { recordOf } from "../../src/domain/base/Json.js"
import { features } from "../../src/pipeline/features/table.js"
import { runtimeOf } from "../../src/pipeline/state/agentInternals.js"
import * as CountingStore from "../support/CountingStore.js"
import * as OtherProcess from "../support/OtherProcess.js"
import type { Asked } from "../support/Script.js"
import * as Script from "../support/Script.js"

const kit = Agent.define({
  data: Schema.Struct({ paid: Schema.Number }),
  context: Schema.Struct({ tier: Schema.optional(Schema.String) })
})

const ask = { sessionId: "s", message: "pay it" }
const flow = { title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }

/** Calls `pay` until the prompt contains a result. */
const speak = (euros = 5) => ({ text }: Asked) =>
  text.includes("receipt") || text.includes("declined") ? "Done" : [Script.toolCall("pay", { euros }, "c1")]

interface Desk {
  readonly ran?: Array<string>
  readonly speak?: (asked: Asked, index: number) => ReturnType<ReturnType<typeof speak>>
  readonly raise?: number
  readonly need?: { readonly by?: string; readonly edit?: boolean; readonly expiresAfter?: string }
  readonly note?: string
  readonly store?: SessionStore.Service
}

const desk = (options: Desk = {}) =>
  Effect.gen(function*() {
    const { need = {}, note = "", raise = 0, ran = [] } = options
    const counting = yield* CountingStore.make
    const store = options.store ?? counting.service
    const agent = yield* kit.make({
      name: "Desk",
      flows: [flow],
      tools: [kit.tool({
        id: "pay",
        description: note,
        parameters: { euros: Schema.Number },
        validateInput: ({ euros }) => ({ euros: euros + raise }),
        checkPermissions: (_, { approval }) =>
          approval?.by === "intern" ? { allowed: false, reason: "interns may not approve" } : true,
        needsApproval: need as { readonly edit?: boolean },
        handler: ({ euros }, { approval }) => {
          ran.push(`${euros} by ${JSON.stringify(approval?.by ?? null)}`)
          return "receipt"
        }
      })]
    }).pipe(Effect.provide([
      Script.make(options.speak ?? speak()).layer,
      Layer.succeed(SessionStore.SessionStore, store)
    ]))
    return { agent, ran, store, writes: counting.writes }
  })

const invalid = { _tag: "InvalidRequest" }

describe("a decision about a tool call that waits for approval", () => {
  const wrong: ReadonlyArray<unknown> = [
    {},
    null,
    undefined,
    "no",
    "yes",
    true,
    1,
    [],
    [true],
    { approved: "false" },
    { approved: "true" },
    { approved: 0 },
    { approved: 1 },
    { approved: null },
    { Approved: true },
    { approved: true, callId: "other" },
    { approved: true, id: "other" },
    { approved: true, args: "all" },
    { approved: true, by: 7 },
    { approved: true, reason: {} }
  ]
  for (const given of wrong) {
    it.effect(`a decision of the form ${JSON.stringify(given)} is refused, and the call still waits`, () =>
      Effect.gen(function*() {
        const { agent, ran } = yield* desk()
        const [request] = (yield* agent.respond(ask)).approvals
        const decision = given as Approval.Decision
        expect(yield* Effect.flip(agent.approve("s", request!.id, decision))).toMatchObject(invalid)
        const turn = yield* agent.session("s").approve(request!.id, decision)
        expect(yield* Effect.flip(turn.response)).toMatchObject(invalid)
        expect(ran).toEqual([])
        expect((yield* agent.session("s").snapshot).pendingApproval?.requests).toHaveLength(1)
        expect((yield* agent.approve("s", request!.id, { approved: true })).message).toBe("Done")
        expect(ran).toEqual(["5 by null"])
      }))
  }

  it.effect("a decision about an earlier call is refused for a later call that has the same provider call id", () =>
    Effect.gen(function*() {
      // The provider reuses the call id.
      const { agent, ran } = yield* desk({
        speak: ({ prompt }) => {
          const last = prompt.content.at(-1)
          return last?.role === "tool" ? "Done" : [Script.toolCall("pay", { euros: 5 }, "c1")]
        }
      })
      const [first] = (yield* agent.respond(ask)).approvals
      yield* agent.approve("s", first!.id, { approved: false })
      const [second] = (yield* agent.respond({ ...ask, message: "pay the big one" })).approvals
      expect(second!.id).not.toBe(first!.id)
      expect(second!.callId).not.toBe(first!.callId)
      for (const stale of [first!.id, first!.callId]) {
        expect(yield* Effect.flip(agent.approve("s", stale, { approved: true }))).toMatchObject(invalid)
      }
      expect(ran).toEqual([])
      yield* agent.approve("s", second!.id, { approved: true })
      expect(ran).toEqual(["5 by null"])
    }))

  it.effect("a decision must be made again if a permission check changes the arguments or the tool's definition changed", () =>
    Effect.gen(function*() {
      for (const changed of [{ raise: 100 }, { note: "another tool by the same name" }]) {
        const before = yield* desk()
        const [shown] = (yield* before.agent.respond(ask)).approvals
        const { agent, ran } = yield* desk({ ...changed, store: before.store })
        const response = yield* agent.approve("s", shown!.id, { approved: true })
        expect(response.stoppedReason).toBe("needs_approval")
        expect(ran).toEqual([])
        const [again] = response.approvals
        expect(again!.id).not.toBe(shown!.id)
        expect(again!.args).toEqual({ euros: "raise" in changed ? 105 : 5 })
        expect((yield* agent.approve("s", again!.id, { approved: true })).message).toBe("Done")
        expect(ran).toHaveLength(1)
      }
    }))

  it.effect("a decision can change the arguments only if the tool sets `edit: true`", () =>
    Effect.gen(function*() {
      const closed = yield* desk()
      const [fixed] = (yield* closed.agent.respond(ask)).approvals
      const edited = { approved: true, args: { euros: 3 } }
      expect(yield* Effect.flip(closed.agent.approve("s", fixed!.id, edited))).toMatchObject(invalid)
      const { agent, ran } = yield* desk({ need: { edit: true } })
      const [request] = (yield* agent.respond(ask)).approvals
      expect(request!.editable).toBe(true)
      const response = yield* agent.approve("s", request!.id, edited)
      expect(ran).toEqual(["3 by null"])
      expect(response.toolCalls).toMatchObject([{ outcome: "ok" }])
    }))

  it.effect("corrected arguments that do not decode are refused, and the call still waits", () =>
    Effect.gen(function*() {
      const { agent, ran } = yield* desk({ need: { edit: true } })
      const [request] = (yield* agent.respond(ask)).approvals
      for (const args of [{ euros: "three" }, {}]) {
        const error = yield* Effect.flip(agent.approve("s", request!.id, { approved: true, args }))
        expect(error).toMatchObject({ ...invalid, why: expect.stringContaining("euros") })
      }
      expect(ran).toEqual([])
      expect((yield* agent.session("s").snapshot).pendingApproval?.claim).toBeUndefined()
      expect((yield* agent.approve("s", request!.id, { approved: true, args: { euros: 3 } })).message).toBe("Done")
      expect(ran).toEqual(["3 by null"])
    }))

  it.effect("the tool's permission check and handler get the person who made the decision", () =>
    Effect.gen(function*() {
      const { agent, ran } = yield* desk()
      const [request] = (yield* agent.respond(ask)).approvals
      const response = yield* agent.approve("s", request!.id, { approved: true, by: "intern" })
      expect(response.toolCalls).toMatchObject([{ outcome: "denied" }])
      const [next] = (yield* agent.respond(ask)).approvals
      yield* agent.approve("s", next!.id, { approved: true }, { principal: { userId: "boss" } })
      expect(ran).toEqual(["5 by \"boss\""])
    }))

  it.effect("a decision that approves an expired request is refused; a decision that denies it is accepted", () =>
    Effect.gen(function*() {
      const { agent, ran } = yield* desk({ need: { expiresAfter: "1 hour" } })
      const [request] = (yield* agent.respond(ask)).approvals
      yield* TestClock.adjust("1 hour")
      const error = yield* Effect.flip(agent.approve("s", request!.id, { approved: true }))
      expect(error).toMatchObject({ ...invalid, why: expect.stringContaining("expired") })
      expect(ran).toEqual([])
      expect((yield* agent.approve("s", request!.id, { approved: false })).stoppedReason).not.toBe("needs_approval")
    }))

  it.effect("a decision sent again with the same `messageId` returns the first response", () =>
    Effect.gen(function*() {
      const { agent, ran } = yield* desk()
      const [request] = (yield* agent.respond(ask)).approvals
      const decide = agent.approve("s", request!.id, { approved: true }, { messageId: "d1" })
      const first = yield* decide
      expect(yield* decide).toEqual(first)
      expect(ran).toHaveLength(1)
    }))

  it.effect("a decision continues the turn with the context of the original request", () =>
    Effect.gen(function*() {
      const { agent } = yield* desk({ speak: (asked) => speak()(asked) })
      const [request] = (yield* agent.respond({ ...ask, context: { tier: "gold" } })).approvals
      expect((yield* agent.session("s").snapshot).pendingApproval?.context).toEqual({ tier: "gold" })
      expect((yield* agent.approve("s", request!.id, { approved: true })).message).toBe("Done")
    }))

  it.effect("a decision has an event stream that contains `ToolCallCompleted` of the approved call", () =>
    Effect.gen(function*() {
      const { agent } = yield* desk()
      const tags = (events: Stream.Stream<TurnEvent.TurnEvent, unknown>) =>
        Effect.map(
          Stream.runCollect(events),
          (all) => Array.from(all, ({ _tag }) => _tag).filter((tag) => /Tool|Approval|Turn/.test(tag))
        )
      expect(yield* tags(agent.stream(ask) as Stream.Stream<TurnEvent.TurnEvent, unknown>)).toEqual([
        "TurnStarted",
        "ToolCallStarted",
        "ApprovalRequested",
        "TurnCompleted"
      ])
      const [request] = (yield* agent.session("s").snapshot).pendingApproval!.requests
      const turn = yield* agent.session("s").approve(request!.id, { approved: true })
      expect(yield* tags(turn.events as Stream.Stream<TurnEvent.TurnEvent, unknown>)).toEqual([
        "TurnStarted",
        "ToolCallStarted",
        "ToolCallCompleted",
        "TurnCompleted"
      ])
    }))
})

describe("the features of a turn", () => {
  it.effect("approvals are opened only for a session in which a call waits", () =>
    Effect.gen(function*() {
      const { agent } = yield* desk()
      const runtime = runtimeOf(agent)!
      const opened = agent.session("s").snapshot.pipe(
        Effect.flatMap((session) => features.open(runtime.definition, session as Session.Session)),
        Effect.map(({ routed }) => routed !== undefined)
      )
      expect(yield* opened).toBe(false)
      const [request] = (yield* agent.respond(ask)).approvals
      expect(yield* opened).toBe(true)
      yield* agent.approve("s", request!.id, { approved: true })
      expect(yield* opened).toBe(false)
    }))

  it.effect("a guardrail rewrites a message once, and not again when a person decides", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const rewrite = (text: string) => {
        seen.push(text)
        return `${text} soon`
      }
      const agent = yield* kit.make({
        name: "Desk",
        flows: [flow],
        guardrails: { input: [{ id: "soon", rewrite }] },
        tools: [kit.tool({
          id: "pay",
          parameters: { euros: Schema.Number },
          needsApproval: true,
          handler: () => "receipt"
        })]
      }).pipe(Effect.provide([Script.make(speak()).layer, SessionStore.layerMemory]))
      const [request] = (yield* agent.respond(ask)).approvals
      yield* agent.approve("s", request!.id, { approved: true })
      expect(seen).toEqual(["pay it"])
      const [first] = yield* agent.session("s").history
      expect(first).toMatchObject({ role: "user", content: [{ text: "pay it soon" }] })
    }))
})

describe("the claim that a process stores before it runs an approved call", () => {
  const dying = (store: SessionStore.Service, at: { commit: number }): SessionStore.Service => ({
    ...store,
    // The process dies at the commit that ends its turn: the claim is not released.
    commit: (write) => --at.commit === 0 ? Effect.never : at.commit < 0 ? Effect.never : store.commit(write)
  })

  it.effect("makes other processes fail with `SessionConflict`, and expires after its process has died", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const memory = yield* SessionStore.makeMemory
      const first = yield* desk({ ran, store: dying(memory, { commit: 3 }) })
      const [request] = (yield* first.agent.respond(ask)).approvals
      const fiber = yield* Effect.fork(first.agent.approve("s", request!.id, { approved: true }))
      yield* TestClock.adjust("1 second")
      expect(ran).toHaveLength(1)
      const second = yield* desk({ ran, store: OtherProcess.view(memory) })
      const decide = second.agent.approve("s", request!.id, { approved: false })
      expect(yield* Effect.flip(decide)).toBeInstanceOf(Errors.SessionConflict)
      expect(yield* Effect.flip(second.agent.respond({ ...ask, message: "hello?" }))).toBeInstanceOf(
        Errors.SessionConflict
      )
      yield* TestClock.adjust(Duration.minutes(5))
      // The approval stands, because the call may have run; the journal has its result.
      expect((yield* decide).toolCalls).toMatchObject([{ outcome: "ok", output: "receipt" }])
      expect(ran).toHaveLength(1)
      // The dead process's turn ends by its own timeout.
      const stopped = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(stopped)
    }))

  it.effect("is continued only by a decision of somebody who has the role, after its process has died", () =>
    Effect.gen(function*() {
      const memory = yield* SessionStore.makeMemory
      const need = { by: "boss" }
      const first = yield* desk({ need, store: dying(memory, { commit: 3 }) })
      const [request] = (yield* first.agent.respond(ask)).approvals
      const boss = { principal: { userId: "ann", roles: ["boss"] } }
      const dead = yield* Effect.fork(first.agent.approve("s", request!.id, { approved: true }, boss))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interruptFork(dead)
      yield* TestClock.adjust("6 minutes")
      const { agent } = yield* desk({ need, store: memory })
      const clerk = agent.approve("s", request!.id, { approved: true }, { principal: { userId: "bob" } })
      expect(yield* Effect.flip(clerk)).toMatchObject({ ...invalid, why: expect.stringContaining("boss") })
      const { toolCalls } = yield* agent.approve("s", request!.id, { approved: true }, boss)
      expect(toolCalls).toMatchObject([{ outcome: "ok", output: "receipt" }])
    }))

  it.effect("is not ended by a turn that fails after another process has replaced the claim", () =>
    Effect.gen(function*() {
      const memory = yield* SessionStore.makeMemory
      const commits: Array<SessionStore.SessionWrite> = []
      const theirs = () => {
        const [, claimed, last] = commits
        const { pendingApproval } = claimed!.session
        const claim = { id: "theirs", until: "2040-01-01T00:00:00.000Z" }
        const session = { ...last!.session, pendingApproval: { ...recordOf(pendingApproval), claim } }
        return { id: "s", expectedVersion: last!.expectedVersion, updatedAt: last!.updatedAt, session, messages: [] }
      }
      const store: SessionStore.Service = {
        ...memory,
        commit: (write) =>
          Effect.suspend(() =>
            commits.push(write) === 3
              ? Effect.zipRight(memory.commit(theirs()), memory.commit(write))
              : memory.commit(write)
          )
      }
      const { agent } = yield* desk({ store })
      const [request] = (yield* agent.respond(ask)).approvals
      const failed = yield* Effect.flip(agent.approve("s", request!.id, { approved: true }))
      expect(failed).toBeInstanceOf(Errors.SessionConflict)
      const { pendingApproval } = yield* agent.session("s").snapshot
      expect(pendingApproval?.claim).toMatchObject({ id: "theirs" })
      expect(pendingApproval?.claim?.until.epochMillis).toBe(Date.parse("2040-01-01T00:00:00.000Z"))
      expect(commits).toHaveLength(3)
    }))

  it.effect("is released when the turn fails, so that the approved call can be resumed immediately", () =>
    Effect.gen(function*() {
      let down = true
      const { agent, ran } = yield* desk({
        speak: (asked) => {
          const answer = speak()(asked)
          if (answer === "Done" && down) throw new Error("down")
          return answer
        }
      })
      const [request] = (yield* agent.respond(ask)).approvals
      expect(Exit.isFailure(yield* Effect.exit(agent.approve("s", request!.id, { approved: true })))).toBe(true)
      down = false
      // The call was approved and has run: a later denial is ignored, and the response shows the result.
      const again = yield* agent.approve("s", request!.id, { approved: false })
      expect(again).toMatchObject({ message: "Done", toolCalls: [{ outcome: "ok", output: "receipt" }] })
      // The second turn reuses the first one's result.
      expect(ran).toHaveLength(1)
    }))
})
