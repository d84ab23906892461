/** The `pendingReply` that the user gets while another person decides about a call. */
import { expect, it } from "@effect/vitest"
import { Agent, SessionStore, Understanding } from "coxswain"
import { Chunk, Effect, Either, Layer, Schema, Stream } from "effect"
import * as Script from "../support/Script.js"

const kit = Agent.define({ data: Schema.Struct({ euros: Schema.Number, receipt: Schema.String }) })
const manager = { principal: { userId: "max", roles: ["manager"] } }
const pendingReply = "I have asked my manager. It may take until tomorrow."

const refundWith = (need: (euros: number) => boolean | { readonly by?: string; readonly pendingReply?: string }) =>
  kit.tool({
    id: "refund",
    description: "Refund money",
    parameters: { euros: Schema.Number },
    needsApproval: ({ euros }) => need(euros),
    handler: ({ euros }) => `refunded ${euros}`
  })

const usual = refundWith((euros) => euros > 50 && { by: "manager", pendingReply })

/** A desk whose flow calls the tool, or whose model calls it after some text. */
const opened = (who: "flow" | "model", { euros = 80, refund = usual, store }: {
  readonly euros?: number
  readonly refund?: typeof usual
  readonly store?: SessionStore.Service
} = {}) =>
  kit.make({
    name: "Desk",
    flows: [
      who === "model"
        ? { title: "Refund", steps: [{ id: "talk", prompt: "Refund it", tools: [refund], until: () => false }] }
        : {
          title: "Refund",
          initialData: { euros },
          steps: [
            {
              id: "call",
              call: refund.with(({ data }) => ({ euros: data.euros })),
              bind: "receipt",
              then: { failed: "no" }
            },
            { id: "done", reply: ({ data }) => `It is ${data.receipt}.`, finalize: () => ({ complete: true }) },
            { id: "no", reply: "My manager said no." }
          ]
        }
    ]
  }).pipe(Effect.provide([
    Script.make(({ prompt }) =>
      prompt.content.some(({ role }) => role === "tool")
        ? "Done."
        : [{ type: "text", text: "Let me see." }, Script.toolCall("refund", { euros }, "c1")]
    ).layer,
    Layer.succeed(Understanding.Understanding, {
      answer: () => Effect.succeed({ flowScores: {}, conditions: {}, signals: {}, fields: {} })
    }),
    store === undefined ? SessionStore.layerMemory : Layer.succeed(SessionStore.SessionStore, store)
  ]))

/** The transcript while the tool waits for the manager. */
const waiting = ["user: My money back", `assistant: ${pendingReply}`]

const ask = { sessionId: "s", message: "My money back", messageId: "m1" }

/** The transcript as `role: text`; tool parts show their type only. */
const said = (agent: Effect.Effect.Success<ReturnType<typeof opened>>) =>
  Effect.map(
    agent.session("s").history,
    (messages) =>
      messages.map(({ content, role }) =>
        `${role}: ${
          typeof content === "string"
            ? content
            : content.map((part) => part.type === "text" ? part.text : part.type).join(" ")
        }`
      )
  )

it.effect("a tool call by a flow sends `pendingReply` once; the reply after the approval does not repeat the text", () =>
  Effect.gen(function*() {
    const agent = yield* opened("flow")
    const turn = yield* agent.session("s").send(ask.message, { messageId: "m1" })
    const events = Chunk.toReadonlyArray(yield* Stream.runCollect(turn.events))
    const asked = yield* turn.response
    expect(asked).toMatchObject({
      message: pendingReply,
      stoppedReason: "needs_approval",
      approvals: [{ role: "manager" }]
    })
    expect(events.flatMap((event) => event._tag === "TextDelta" ? [event.text] : []).join("")).toBe(pendingReply)
    expect(yield* said(agent)).toEqual(waiting)
    // A repeated messageId gets the same response and no second approval request.
    expect(yield* agent.respond(ask)).toEqual(asked)

    const done = yield* agent.approve("s", asked.approvals[0]!.id, { approved: true }, manager)
    expect(done).toMatchObject({ message: "It is refunded 80.", stoppedReason: "completed" })
    expect(yield* said(agent)).toEqual([...waiting, "assistant: It is refunded 80."])
  }))

it.effect("after a refused approval the flow takes its failure branch, also in another process on the same store", () =>
  Effect.gen(function*() {
    const store = yield* SessionStore.makeMemory
    const { approvals } = yield* (yield* opened("flow", { store })).respond(ask)
    const other = yield* opened("flow", { store })
    const { message } = yield* other.approve("s", approvals[0]!.id, { approved: false }, manager)
    expect(message).toBe("My manager said no.")
    expect(yield* said(other)).toEqual([...waiting, "assistant: My manager said no."])
  }))

it.effect("`pendingReply` follows the text of the model, and the stored transcript stays valid", () =>
  Effect.gen(function*() {
    const agent = yield* opened("model")
    const asked = yield* agent.respond(ask)
    expect(asked.message).toBe(`Let me see.\n\n${pendingReply}`)
    expect((yield* agent.approve("s", asked.approvals[0]!.id, { approved: true }, manager)).message).toBe("Done.")
    expect(yield* said(agent)).toEqual([
      "user: My money back",
      "assistant: Let me see.",
      `assistant: ${pendingReply}`,
      "assistant: tool-call",
      "tool: tool-result",
      "assistant: Done."
    ])
  }))

it.effect("a new message cancels a tool call that waits for approval; the model gets one tool result", () =>
  Effect.gen(function*() {
    const agent = yield* opened("model")
    const asked = yield* agent.respond(ask)
    expect((yield* agent.respond({ sessionId: "s", message: "Never mind" })).message).toBe("Done.")
    const late = yield* Effect.either(agent.approve("s", asked.approvals[0]!.id, { approved: true }, manager))
    expect(Either.isLeft(late)).toBe(true)
    expect(yield* said(agent)).toEqual([
      "user: My money back",
      "assistant: Let me see.",
      `assistant: ${pendingReply}`,
      "assistant: tool-call",
      "tool: tool-result",
      "user: Never mind",
      "assistant: Done."
    ])
  }))

it.effect("`pendingReply` is not sent if no approval is needed, if the user approves, or if the text is blank", () =>
  Effect.gen(function*() {
    const free = yield* opened("flow", { euros: 5 })
    expect((yield* free.respond(ask)).message).toBe("It is refunded 5.")
    const own = yield* opened("flow", { refund: refundWith(() => ({ by: "user", pendingReply })) })
    expect((yield* own.respond(ask)).message).not.toContain(pendingReply)
    for (const nothing of ["", "  ", 7 as never]) {
      const silent = yield* opened("flow", { refund: refundWith(() => ({ by: "manager", pendingReply: nothing })) })
      expect(yield* silent.respond(ask)).toMatchObject({ message: "", approvals: [{ role: "manager" }] })
    }
  }))

it.effect("`make` refuses an empty `pendingReply`", () =>
  Effect.gen(function*() {
    const pay = kit.tool({
      id: "pay",
      parameters: {},
      needsApproval: { by: "manager", pendingReply: "" },
      handler: () => "paid"
    })
    const refused = yield* Effect.flip(
      kit.make({ name: "Desk", tools: [pay] }).pipe(
        Effect.provide([Script.make(() => "Hi").layer, SessionStore.layerMemory])
      )
    )
    expect(String(refused)).toContain("needsApproval")
  }))
