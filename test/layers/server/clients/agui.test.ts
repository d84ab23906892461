/** The agent behind AG-UI, called by AG-UI's own client, which checks the order of events. */
import { HttpAgent } from "@ag-ui/client"
import type { BaseEvent, RunFinishedEvent, RunFinishedInterruptOutcome } from "@ag-ui/core"
import { EventSchemas } from "@ag-ui/core/schemas"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Desk from "../../../support/Desk.js"

const opened = Effect.map(Desk.client(), (client) => {
  const agent = new HttpAgent({
    url: "http://localhost/agui",
    threadId: "thread-1",
    headers: { authorization: "ann" },
    fetch: (url, init) => client.fetch(url, init)
  })
  /** Runs the agent, with a user message if there is one. */
  const run = (text: string | undefined, parameters: Parameters<HttpAgent["runAgent"]>[0] = {}) =>
    Effect.promise(async () => {
      const events: Array<BaseEvent> = []
      if (text !== undefined) agent.addMessage({ id: `m${agent.messages.length}`, role: "user", content: text })
      // The last event of a failed run reports the failure.
      await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) }).catch(() => {})
      for (const event of events) EventSchemas.parse(event)
      return { events, types: events.map(({ type }) => String(type)) }
    })
  return { client, agent, run }
})

const outcomeOf = (events: ReadonlyArray<BaseEvent>) => (events.at(-1) as RunFinishedEvent).outcome
const interruptOf = (events: ReadonlyArray<BaseEvent>) =>
  (outcomeOf(events) as RunFinishedInterruptOutcome).interrupts[0]!
const said = ({ messages }: HttpAgent) =>
  messages.filter(({ role }) => role === "assistant").map(({ content }) => content)

it.scoped("an AG-UI run contains messages, steps and tool calls; the run's state is the collected data", () =>
  Effect.gen(function*() {
    const { agent, run } = yield* opened
    const { events, types } = yield* run("To Lisbon")
    expect(types[0]).toBe("RUN_STARTED")
    expect(types.at(-1)).toBe("RUN_FINISHED")
    expect(types).toEqual(expect.arrayContaining(["STATE_SNAPSHOT", "STATE_DELTA", "STEP_STARTED", "STEP_FINISHED"]))
    expect(outcomeOf(events)).toEqual({ type: "success" })
    expect(said(agent)).toEqual(["You said it."])
    expect(agent.state).toEqual({ city: "Lisbon" })
    const again = yield* run("look")
    expect(again.types).toEqual(
      expect.arrayContaining(["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"])
    )
    expect(said(agent).at(-1)).toBe("Done.")
    expect(agent.state).toEqual({ city: "Lisbon" })
  }))

it.scoped("a pending approval is an AG-UI interrupt, and the decision resumes the run", () =>
  Effect.gen(function*() {
    const { agent, run } = yield* opened
    const { events } = yield* run("pay 40")
    const interrupt = interruptOf(events)
    expect(interrupt).toMatchObject({ reason: "tool_approval", message: "\"pay\" waits for approval." })
    const resumed = yield* run(undefined, {
      resume: [{ interruptId: interrupt.id, status: "resolved", payload: { approved: true } }]
    })
    expect(resumed.types).not.toContain("TOOL_CALL_START")
    expect(resumed.types).toContain("TOOL_CALL_RESULT")
    expect(String(said(agent).at(-1))).toContain("\"id\":\"ann\"")

    const second = interruptOf((yield* run("pay 50")).events)
    const declined = yield* run(undefined, { resume: [{ interruptId: second.id, status: "cancelled" }] })
    expect(outcomeOf(declined.events)).toEqual({ type: "success" })
    expect(JSON.stringify(declined.events)).not.toContain("paid 50")
  }))

it.scoped("a failed turn is an AG-UI run that ends with a RUN_ERROR event", () =>
  Effect.gen(function*() {
    const { run } = yield* opened
    const { events } = yield* run("fail")
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "ResponseGenerationError" })
  }))
