/**
 * An approval: a payment waits for a person, and the user is told so. A decision that is none runs nothing; the clerk corrects the amount and says
 * yes; the same decision cannot be made twice.
 *
 * The model is scripted, so that this runs offline; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { LanguageModel, type Response } from "@effect/ai"
import { Agent, type Approval, SessionStore } from "coxswain"
import { Console, Effect, Layer, Schema, Stream } from "effect"
import { model } from "./model.js"

/** The answers of the model, one by one. */
const script: Array<ReadonlyArray<Response.PartEncoded>> = [
  [{ type: "tool-call", id: "1", name: "pay", params: { euros: 120 } }],
  [{ type: "text", text: "It is paid." }]
]

const next = Effect.sync((): Array<Response.PartEncoded> => [
  ...(script.shift() ?? [{ type: "text", text: "That is all." }]),
  { type: "finish", reason: "stop", usage: { inputTokens: 20, outputTokens: 5, totalTokens: 25 } }
])

const scripted = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () => next,
    streamText: () =>
      Stream.unwrap(
        Effect.map(next, (parts) =>
          Stream.fromIterable(parts.flatMap((part): Array<Response.StreamPartEncoded> =>
            part.type === "text"
              ? [
                { type: "text-start", id: "t" },
                { type: "text-delta", id: "t", delta: part.text },
                { type: "text-end", id: "t" }
              ]
              : [part as Response.StreamPartEncoded]
          )))
      )
  })
)

const kit = Agent.define({ data: Schema.Struct({ paid: Schema.Number }) })

const pay = kit.tool({
  id: "pay",
  parameters: { euros: Schema.Number.pipe(Schema.positive()) },
  isDestructive: true,
  needsApproval: ({ euros }) =>
    euros > 100 && {
      reason: `${euros} euros is more than 100`,
      pendingReply: "A clerk decides that. You will hear from me.",
      edit: true,
      expiresAfter: "1 day"
    },
  handler: ({ euros }, { approval, updateData }) =>
    Effect.gen(function*() {
      yield* Console.log(`paying ${euros} euros, approved by ${JSON.stringify(approval?.by)}`)
      yield* updateData({ paid: euros })
      return "paid"
    })
})

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Cashier",
    flows: [{ title: "Pay", steps: [{ prompt: "Pay what the user asks for", tools: [pay], until: () => false }] }]
  })
  const principal = { userId: "ann" }
  const asked = yield* agent.respond({ sessionId: "s1", message: "Pay the 120 euros", messageId: "m-1", principal })
  const request = asked.approvals[0]!
  yield* Console.log(asked.message)
  yield* Console.log(`${asked.stoppedReason}: ${request.reason}; asked by ${request.requestedBy}`)

  // Whatever a web form sends: only `approved: true` approves.
  const form = { approved: "yes" } as unknown as Approval.Decision
  const refused = yield* Effect.flip(agent.approve("s1", request.id, form))
  yield* Console.log(refused._tag)
  const { pendingApproval } = yield* agent.session("s1").snapshot
  yield* Console.log(`still waiting: ${pendingApproval?.requests.length}`)

  const turn = yield* agent.session("s1").approve(request.id, { approved: true, args: { euros: 110 }, by: "clerk" })
  yield* Stream.runForEach(
    turn.events,
    (event) => event._tag === "ToolCallCompleted" ? Console.log(`pay: ${event.outcome}`) : Effect.void
  )
  const { message, session } = yield* turn.response
  yield* Console.log(`${message} ${JSON.stringify(session.data)}`)

  const again = yield* Effect.flip(agent.approve("s1", request.id, { approved: true }))
  yield* Console.log(again._tag)
})

program.pipe(Effect.provide([model(scripted), SessionStore.layerMemory]), Effect.runPromise)
