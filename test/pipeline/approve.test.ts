import type { Prompt } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore, type Tool } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import type { Answer } from "../support/Script.js"
import { toolCall } from "../support/Script.js"
import * as ScriptedLayers from "../support/ScriptedLayers.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, day: Schema.Date }) })

const ask = (message = "hi") => ({ sessionId: "s", message })
const talk = { title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }

/** A model that answers with these rounds first, then says "Done". */
const calling = (...rounds: ReadonlyArray<Answer>) =>
  ScriptedLayers.make({ speak: (_, index) => rounds[index] ?? "Done" })

type Need = boolean | ((args: { readonly euros: number }) => Tool.ApprovalNeed)
const pay = (ran: Array<string>, needsApproval: Need = true) =>
  kit.tool({
    id: "pay",
    parameters: { euros: Schema.Number },
    needsApproval,
    handler: ({ euros }) => {
      ran.push(`pay ${euros}`)
      return `paid ${euros}`
    }
  })
const note = (ran: Array<string>, id = "note") => kit.tool({ id, handler: () => void ran.push(id) })

const outcomes = (records: ReadonlyArray<Tool.ToolCallRecord>) =>
  records.map(({ callId, outcome }) => `${callId} ${outcome}`)

/** Every tool call of a transcript has exactly one result, right after it. */
const wellFormed = (messages: ReadonlyArray<Prompt.Message>) => {
  messages.forEach((message, i) => {
    if (message.role === "tool") expect(messages[i - 1]?.role).toBe("assistant")
    if (message.role !== "assistant") return
    const next = messages[i + 1]
    expect(next?.role === "tool" ? next.content.map(({ id }) => id) : []).toEqual(
      message.content.flatMap((part) => part.type === "tool-call" ? [part.id] : [])
    )
  })
}

const roles = (messages: ReadonlyArray<Prompt.Message>) => messages.map(({ role }) => role)

const refused = { _tag: "InvalidRequest", what: expect.stringContaining("call") }

describe("a tool call that needs the approval of a person", () => {
  it.effect("stops the turn with `needs_approval`; the response and the stored session contain the request", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = calling([{ type: "text", text: "Let me pay." }, toolCall("pay", { euros: 5 }, "c1")])
      const agent = yield* kit.make({
        name: "Bot",
        flows: [talk],
        tools: [pay(ran, ({ euros }) => ({ reason: `costs ${euros}` }))]
      }).pipe(Effect.provide(play.layer))
      const response = yield* agent.respond(ask())
      const request = { callId: "c1", toolId: "pay", params: { euros: 5 }, reason: "costs 5" }
      expect(response).toMatchObject({ message: "Let me pay.", stoppedReason: "needs_approval", toolCalls: [] })
      expect(response.approvals).toMatchObject([{ ...request, id: expect.any(String), args: { euros: 5 } }])
      expect(response.approvals[0]).not.toHaveProperty("binding")
      expect(response.usage.modelCalls).toBe(1)
      expect(ran).toEqual([])
      const { pendingApproval } = yield* agent.session("s").snapshot
      expect(pendingApproval).toMatchObject({ requests: [request], message: "hi", round: 1, said: "Let me pay." })
      // A turn that is not over is not in the transcript.
      expect(yield* agent.session("s").history).toEqual([])
    }))

  it.effect("runs once when approved, and the turn continues; a second `approve` fails with `InvalidRequest`", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = calling([{ type: "text", text: "Let me pay." }, toolCall("pay", { euros: 5 }, "c1")])
      const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: [pay(ran)] }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask())
      const response = yield* agent.approve("s", "c1", { approved: true })
      expect(ran).toEqual(["pay 5"])
      expect(response).toMatchObject({
        message: "Let me pay.\n\nDone",
        stoppedReason: "last_step",
        approvals: [],
        toolCalls: [{ callId: "c1", outcome: "ok", output: "paid 5" }]
      })
      expect(response.session.pendingApproval).toBeUndefined()
      const history = yield* agent.session("s").history
      expect(roles(history)).toEqual(["user", "assistant", "tool", "assistant"])
      wellFormed(history)
      expect(yield* Effect.flip(agent.approve("s", "c1", { approved: true }))).toMatchObject(refused)
      expect(ran).toEqual(["pay 5"])
    }))

  it.effect("does not wait again if the approved turn is aborted; the next message is answered", () =>
    Effect.gen(function*() {
      const started = yield* Effect.makeLatch()
      const play = calling([toolCall("pay", { euros: 5 }, "c1")])
      const hanging = kit.tool({
        id: "pay",
        parameters: { euros: Schema.Number },
        needsApproval: true,
        handler: () => Effect.zipRight(started.open, Effect.never)
      })
      const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: [hanging] }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask())
      const turn = yield* agent.session("s").approve("c1", { approved: true })
      yield* started.await
      yield* turn.abort
      expect(yield* turn.response).toMatchObject({ stoppedReason: "aborted" })
      expect(yield* agent.respond(ask("never mind"))).toMatchObject({ message: "Done" })
      const history = yield* agent.session("s").history
      wellFormed(history)
      expect(JSON.stringify(history)).toContain("it may have run")
    }))

  it.effect("must exist: `approve` fails with `InvalidRequest` for an unknown call id or session", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("pay", { euros: 5 }, "c1")])
      const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: [pay([])] }).pipe(Effect.provide(play.layer))
      expect(yield* Effect.flip(agent.approve("s", "c1", { approved: true }))).toMatchObject(refused)
      yield* agent.respond(ask())
      expect(yield* Effect.flip(agent.approve("s", "c2", { approved: true }))).toMatchObject(refused)
      expect((yield* agent.approve("s", "c1", { approved: true })).message).toBe("Done")
    }))

  it.effect("can be approved in another process, which has only the encoded session", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const store = yield* SessionStore.makeMemory
      // Another process has only the JSON.
      const wire = SessionStore.SessionStore.of({
        ...store,
        commit: (write) => store.commit(JSON.parse(JSON.stringify(write)) as SessionStore.SessionWrite)
      })
      const process = (play: ReturnType<typeof calling>) =>
        kit.make({
          name: "Bot",
          flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false, tools: [pay(ran)] }] }],
          tools: [
            kit.tool({
              id: "day",
              handler: (_, { updateData }) => Effect.as(updateData({ day: new Date("2027-03-15") }), "noted")
            })
          ]
        }).pipe(Effect.provide(Layer.merge(play.layer, Layer.succeed(SessionStore.SessionStore, wire))))
      const first = yield* process(calling([toolCall("day", {}, "c0"), toolCall("pay", { euros: 5 }, "c1")]))
      yield* first.respond(ask("pay it"))
      const other = calling()
      const second = yield* process(other)
      const response = yield* second.approve("s", "c1", { approved: true })
      expect(ran).toEqual(["pay 5"])
      expect(response.message).toBe("Done")
      expect(response.session.data).toEqual({ day: new Date("2027-03-15") })
      expect(other.asked).toHaveLength(1)
      const asked = other.asked[0]?.prompt.content.filter(({ role }) => role !== "system") ?? []
      expect(roles(asked).slice(-3)).toEqual(["user", "assistant", "tool"])
      expect(JSON.stringify(asked)).toContain("pay it")
      expect(outcomes(response.toolCalls)).toEqual(["c0 ok", "c1 ok"])
      expect(yield* Effect.flip(first.approve("s", "c1", { approved: true }))).toMatchObject(refused)
      expect(ran).toEqual(["pay 5"])
    }))

  it.effect("does not run when denied, and the model gets a failure result with the reason", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = calling([toolCall("pay", { euros: 5 }, "c1")])
      const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: [pay(ran)] }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask())
      const response = yield* agent.approve("s", "c1", { approved: false, reason: "too dear" })
      expect(ran).toEqual([])
      expect(response).toMatchObject({
        message: "Done",
        toolCalls: [{ outcome: "denied", output: { error: "denied", message: "too dear" }, isFailure: true }]
      })
      expect(play.asked[1]?.text).toContain("too dear")
      wellFormed(yield* agent.session("s").history)
    }))

  it.effect("is checked again by the tool's permission check when approved", () =>
    Effect.gen(function*() {
      let allowed = true
      const play = calling([toolCall("pay", {}, "c1")])
      const gated = kit.tool({
        id: "pay",
        needsApproval: true,
        checkPermissions: () => allowed,
        handler: () => Effect.dieMessage("ran")
      })
      const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: [gated] }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask())
      allowed = false
      expect(outcomes((yield* agent.approve("s", "c1", { approved: true })).toolCalls)).toEqual(["c1 denied"])
    }))

  it.effect("still waits for approval when the turn that `approve` starts fails", () =>
    Effect.gen(function*() {
      const play = ScriptedLayers.make({
        speak: (_, index) =>
          index === 0 ? [toolCall("pay", { euros: 5 }, "c1")] : index === 1 ? Effect.dieMessage("down") : "Done"
      })
      const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: [pay([])] }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask())
      yield* Effect.exit(agent.approve("s", "c1", { approved: true }))
      expect((yield* agent.session("s").snapshot).pendingApproval?.requests).toHaveLength(1)
      expect((yield* agent.approve("s", "c1", { approved: true })).message).toBe("Done")
    }))
})

describe("a round of tool calls in which one call needs approval", () => {
  it.effect("several calls wait for approval together; the turn continues when all of them are decided", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = calling([
        { type: "text", text: "Two payments." },
        toolCall("pay", { euros: 1 }, "c1"),
        toolCall("note", {}, "c2"),
        toolCall("pay", { euros: 3 }, "c3")
      ])
      const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: [pay(ran), note(ran)] }).pipe(
        Effect.provide(play.layer)
      )
      const ids = ({ approvals }: { readonly approvals: ReadonlyArray<{ readonly callId: string }> }) =>
        approvals.map(({ callId }) => callId)
      expect(ids(yield* agent.respond(ask()))).toEqual(["c1", "c3"])
      const half = yield* agent.approve("s", "c3", { approved: false })
      expect(half).toMatchObject({ message: "Two payments.", stoppedReason: "needs_approval" })
      expect(ids(half)).toEqual(["c1"])
      expect(ran).toEqual([])
      expect(yield* Effect.flip(agent.approve("s", "c3", { approved: true }))).toMatchObject(refused)
      const response = yield* agent.approve("s", "c1", { approved: true })
      expect(ran).toEqual(["pay 1", "note"])
      expect(outcomes(response.toolCalls)).toEqual(["c1 ok", "c2 ok", "c3 denied"])
      expect(response.message).toBe("Two payments.\n\nDone")
      wellFormed(yield* agent.session("s").history)
    }))

  it.effect("earlier calls run once, before the approval; later calls run after the approval", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = calling([
        toolCall("before", {}, "c1"),
        toolCall("pay", { euros: 5 }, "c2"),
        toolCall("after", {}, "c3"),
        toolCall("ghost", {}, "c4")
      ])
      const agent = yield* kit.make({
        name: "Bot",
        flows: [talk],
        tools: [note(ran, "before"), pay(ran), note(ran, "after")]
      }).pipe(Effect.provide(play.layer))
      const stopped = yield* agent.respond(ask())
      expect(outcomes(stopped.toolCalls)).toEqual(["c1 ok"])
      expect(ran).toEqual(["before"])
      const response = yield* agent.approve("s", "c2", { approved: true })
      expect(ran).toEqual(["before", "pay 5", "after"])
      expect(outcomes(response.toolCalls)).toEqual(["c1 ok", "c2 ok", "c3 ok", "c4 unknown_tool"])
      wellFormed(yield* agent.session("s").history)
    }))

  it.effect("stops again if a later call needs approval because of a write by an approved call", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = calling([toolCall("first", {}, "c1"), toolCall("second", {}, "c2"), toolCall("third", {}, "c3")])
      const tool = (id: string, needs: (city: string | undefined) => boolean) =>
        kit.tool({
          id,
          needsApproval: (_, { data }) => needs(data.city),
          handler: (_, { updateData }) => {
            ran.push(id)
            return updateData({ city: "Oslo" })
          }
        })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [talk],
        tools: [tool("first", () => true), tool("second", (city) => city === "Oslo"), tool("third", () => true)]
      }).pipe(Effect.provide(play.layer))
      expect((yield* agent.respond(ask())).approvals.map(({ callId }) => callId)).toEqual(["c1", "c3"])
      yield* agent.approve("s", "c3", { approved: true })
      const again = yield* agent.approve("s", "c1", { approved: true })
      expect(again.approvals.map(({ callId }) => callId)).toEqual(["c2"])
      expect(ran).toEqual(["first"])
      // The third is decided already.
      const response = yield* agent.approve("s", "c2", { approved: true })
      expect(ran).toEqual(["first", "second", "third"])
      expect(response.message).toBe("Done")
    }))

  it.effect("writes of calls that ran are stored; a `goTo` takes effect when the round is over", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = ScriptedLayers.make({
        speak: (_, index) =>
          index === 0
            ? [{ type: "text", text: "On it." }, toolCall("move", {}, "c1"), toolCall("pay", { euros: 5 }, "c2")]
            : "Anything else?"
      })
      const move = kit.tool({
        id: "move",
        handler: () => ({
          ok: true,
          outputMessage: "moved",
          dataUpdate: { city: "Oslo" },
          directive: { goTo: { flow: "Other", data: { day: new Date("2027-03-15") } } }
        })
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          { title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false, tools: [pay(ran)] }] },
          { title: "Other", when: "else", steps: [{ id: "other", prompt: "Other" }] }
        ],
        tools: [move]
      }).pipe(Effect.provide(play.layer))
      yield* agent.dispatch("s", "Talk")
      const stopped = yield* agent.respond(ask())
      expect(stopped.session).toMatchObject({ data: { city: "Oslo" }, currentFlow: { id: "talk" } })
      const response = yield* agent.approve("s", "c2", { approved: true })
      // The approved call runs the tool of the step that asked for it, although the step was left.
      expect(ran).toEqual(["pay 5"])
      expect(play.asked).toHaveLength(2)
      expect(response).toMatchObject({ message: "On it.\n\nAnything else?" })
      expect(response.session).toMatchObject({
        data: { city: "Oslo", day: new Date("2027-03-15") },
        flowHistory: [{ flowId: "talk" }, { flowId: "other" }]
      })
    }))

  it.effect("a later round can stop for approval too; `maxToolRounds` counts rounds across approvals", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = ScriptedLayers.make({
        speak: ({ tools }, index) => tools.length === 0 ? "Enough" : [toolCall("pay", { euros: index }, `c${index}`)]
      })
      const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: [pay(ran)], maxToolRounds: 2 }).pipe(
        Effect.provide(play.layer)
      )
      yield* agent.respond(ask())
      const again = yield* agent.approve("s", "c0", { approved: true })
      expect(again).toMatchObject({ stoppedReason: "needs_approval", approvals: [{ callId: "c1" }] })
      const response = yield* agent.approve("s", "c1", { approved: true })
      expect(response).toMatchObject({ message: "Enough", stoppedReason: "max_tool_rounds" })
      expect(ran).toEqual(["pay 0", "pay 1"])
      wellFormed(yield* agent.session("s").history)
    }))

  it.effect("an approved call of an injected tool ends as `unknown_tool`, as injected tools last for one turn", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("pay", { euros: 5 }, "c1")])
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "Talk", steps: [{ prompt: "Talk", prepare: () => ({ injectTools: [pay([])] }) }] }]
      }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask())
      const response = yield* agent.approve("s", "c1", { approved: true })
      expect(outcomes(response.toolCalls)).toEqual(["c1 unknown_tool"])
      expect(response.message).toBe("Done")
    }))
})

describe("a new message while an approval is pending", () => {
  it.effect("adds a cancelled result for every open call, so that the transcript stays well-formed", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const play = calling([
        { type: "text", text: "Let me pay." },
        toolCall("before", {}, "c0"),
        toolCall("pay", { euros: 5 }, "c1"),
        toolCall("after", {}, "c2")
      ])
      const agent = yield* kit.make({
        name: "Bot",
        flows: [talk],
        tools: [note(ran, "before"), pay(ran), note(ran, "after")]
      }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask("pay it"))
      const response = yield* agent.respond(ask("no, wait"))
      expect(response).toMatchObject({ message: "Done", stoppedReason: "last_step", approvals: [] })
      expect(ran).toEqual(["before"])
      const history = yield* agent.session("s").history
      expect(roles(history)).toEqual(["user", "assistant", "tool", "user", "assistant"])
      wellFormed(history)
      expect(response.session.messageCount).toBe(5)
      const results = history[2]?.role === "tool"
        ? history[2].content.map(({ isFailure, result }) => [isFailure, result])
        : []
      const cancelled = [true, {
        error: "interrupted",
        message: "cancelled: the user sent a new message instead of deciding"
      }]
      expect(results).toEqual([[false, null], cancelled, cancelled])
      expect(play.asked[1]?.text).toContain("cancelled: the user sent a new message")
      expect(yield* Effect.flip(agent.approve("s", "c1", { approved: true }))).toMatchObject(refused)
    }))
})

describe("signals (code that runs before or after the reply), in a turn that waits for approval", () => {
  it.effect("signals with `phase: 'post'` run once, at the end of the turn, and get the whole reply", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const play = ScriptedLayers.make({
        speak: (_, index) => index === 0 ? [toolCall("pay", { euros: 5 }, "c1")] : "Paid.",
        judge: ScriptedLayers.matching("after")
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [talk],
        tools: [pay([])],
        signals: [
          kit.signal({ id: "before", phase: "pre", handler: () => void seen.push("before") }),
          kit.signal({ id: "after", phase: "post", when: "it was paid", handler: () => void seen.push("after") })
        ]
      }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask())
      expect(seen).toEqual(["before"])
      expect(play.questions).toEqual([])
      const { triggeredSignals } = yield* agent.approve("s", "c1", { approved: true })
      expect(seen).toEqual(["before", "after"])
      expect(play.questions).toMatchObject([{ reply: "Paid.", signals: [{ id: "after" }] }])
      expect(triggeredSignals).toMatchObject([{ signalId: "after" }])
    }))
})

describe("what was dispatched while a call waits", () => {
  const limited = Agent.define({
    data: Schema.Struct({ limit: Schema.Number }),
    context: Schema.Struct({ frozen: Schema.optional(Schema.Boolean) })
  })
  const desk = (ran: Array<number>, options: object = {}) => {
    const play = ScriptedLayers.make({
      speak: (_, index) => index === 0 ? [toolCall("pay", { euros: 50 }, "c1")] : "Done"
    })
    const transfer = limited.tool({
      id: "pay",
      parameters: { euros: Schema.Number },
      checkPermissions: ({ euros }, { context, data }) => context.frozen !== true && euros <= (data.limit ?? 100),
      needsApproval: () => true,
      handler: ({ euros }) => {
        ran.push(euros)
        return "paid"
      }
    })
    return limited.make({
      name: "Bot",
      flows: [{ id: "talk", ...talk }, {
        id: "other",
        title: "Other",
        when: "else",
        steps: [{ id: "other", prompt: "Other", until: () => false }]
      }],
      tools: [transfer],
      initialData: { limit: 100 },
      ...options
    }).pipe(Effect.provide(play.layer))
  }
  const outcomeOf = (response: { readonly toolCalls: ReadonlyArray<Tool.ToolCallRecord> }) =>
    response.toolCalls.map(({ outcome }) => outcome)

  it.effect("counts: a permission sees data that was lowered before the decision", () =>
    Effect.gen(function*() {
      const ran: Array<number> = []
      const agent = yield* desk(ran)
      yield* agent.respond(ask())
      yield* agent.dispatch("s", { dataUpdate: { limit: 10 } })
      const response = yield* agent.approve("s", "c1", { approved: true })
      expect(ran).toEqual([])
      expect(outcomeOf(response)).toEqual(["denied"])
      expect(response.session.data).toEqual({ limit: 10 })
      expect(response.session.pendingDirective).toBeUndefined()
      expect(response.directiveChain).toMatchObject([{ source: "session.pendingDirective", phase: "pending" }])
    }))

  it.effect("counts: context and policies too; without a change the call runs", () =>
    Effect.gen(function*() {
      const ran: Array<number> = []
      const policies = [{ tool: "pay", onlyIf: { compare: [{ field: "limit" }, ">=", { value: 100 }] } }]
      const agent = yield* desk(ran)
      yield* agent.respond(ask())
      yield* agent.dispatch("s", { contextUpdate: { frozen: true } })
      expect(outcomeOf(yield* agent.approve("s", "c1", { approved: true }))).toEqual(["denied"])
      const ruled = yield* desk(ran, { policies })
      yield* ruled.respond(ask())
      yield* ruled.dispatch("s", { dataUpdate: { limit: 60 } })
      expect(outcomeOf(yield* ruled.approve("s", "c1", { approved: true }))).toEqual(["denied"])
      expect(ran).toEqual([])
      const unchanged = yield* desk(ran, { policies })
      yield* unchanged.respond(ask())
      yield* unchanged.dispatch("s", { contextUpdate: { frozen: false } })
      expect(outcomeOf(yield* unchanged.approve("s", "c1", { approved: true }))).toEqual(["ok"])
      expect(ran).toEqual([50])
    }))

  it.effect("is kept for the next decision if the decision is refused", () =>
    Effect.gen(function*() {
      const agent = yield* desk([])
      yield* agent.respond(ask())
      yield* agent.dispatch("s", { dataUpdate: { limit: 10 } })
      yield* Effect.flip(agent.approve("s", "nobody", { approved: true }))
      expect((yield* agent.session("s").snapshot).pendingDirective).toEqual({ dataUpdate: { limit: 10 } })
    }))

  const dispatched = (agent: Effect.Effect.Success<ReturnType<typeof desk>>) => ({
    "moves the conversation": agent.dispatch("s", { goTo: "Other" }),
    "completes the flow": agent.dispatch("s", { complete: true }),
    "replies": agent.dispatch("s", { reply: "Closed today." })
  })
  it.effect.each(
    [["moves the conversation", "other"], ["completes the flow", undefined], ["replies", "talk"]] as const
  )("cancels the call if it %s", ([how, flow]) =>
    Effect.gen(function*() {
      const ran: Array<number> = []
      const agent = yield* desk(ran)
      yield* agent.dispatch("s", "talk")
      yield* agent.respond(ask())
      yield* dispatched(agent)[how]
      const response = yield* agent.approve("s", "c1", { approved: true })
      expect(ran).toEqual([])
      expect(response.session.pendingApproval).toBeUndefined()
      expect(response.session.pendingDirective).toBeUndefined()
      expect(response.session.currentFlow?.id).toBe(flow)
      const history = yield* agent.session("s").history
      wellFormed(history)
      expect(history.filter(({ role }) => role === "user")).toHaveLength(1)
      yield* agent.respond(ask("go on"))
    }))

  it.effect("an event's write to the context counts, too", () =>
    Effect.gen(function*() {
      const ran: Array<number> = []
      const events = Agent.define({
        data: Schema.Struct({}),
        context: Schema.Struct({ frozen: Schema.optional(Schema.Boolean) }),
        events: { freeze: Schema.Struct({}) }
      })
      const agent = yield* events.make({
        name: "Bot",
        flows: [{ id: "talk", ...talk }],
        on: { freeze: () => ({ contextUpdate: { frozen: true } }) },
        tools: [
          events.tool({
            id: "pay",
            parameters: { euros: Schema.Number },
            checkPermissions: (_, { context }) => context.frozen !== true,
            needsApproval: () => true,
            handler: ({ euros }) => void ran.push(euros)
          })
        ]
      }).pipe(Effect.provide(calling([toolCall("pay", { euros: 5 }, "c1")]).layer))
      yield* agent.respond({ ...ask(), context: { frozen: false } })
      yield* agent.notify({ sessionId: "s", event: "freeze", payload: {} })
      expect(outcomeOf(yield* agent.approve("s", "c1", { approved: true }))).toEqual(["denied"])
      expect(ran).toEqual([])
    }))
})
