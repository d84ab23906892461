/** AG-UI's own client over a network, against a server in another process: running, leaving, resuming, and refusals. */
import { HttpAgent } from "@ag-ui/client"
import type { BaseEvent, RunFinishedEvent, RunFinishedInterruptOutcome } from "@ag-ui/core"
import { EventSchemas } from "@ag-ui/core/schemas"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import * as ProcessGate from "../support/ProcessGate.js"
import * as ServerProcesses from "../support/ServerProcesses.js"

let server: ServerProcesses.Served
const gate = "agui"
beforeAll(async () => void (server = await ServerProcesses.start({ gate })))
afterAll(() => server?.kill("SIGKILL"))

const agentOf = (threadId: string, authorization = "ann") =>
  new HttpAgent({ url: `${server.url}/agui`, threadId, headers: { authorization } })

interface Ran {
  readonly types: ReadonlyArray<string>
  readonly events: ReadonlyArray<BaseEvent>
  /** The client's error, if the run failed. */
  readonly failure: unknown
}

/** Runs the agent and returns its events, after checking each against the protocol; `meanwhile` sees them as they arrive. */
const run = async (
  agent: HttpAgent,
  text: string | undefined,
  parameters: Parameters<HttpAgent["runAgent"]>[0] = {},
  meanwhile: (event: BaseEvent) => void = () => {}
): Promise<Ran> => {
  const events: Array<BaseEvent> = []
  if (text !== undefined) agent.addMessage({ id: randomUUID(), role: "user", content: text })
  const failure = await agent.runAgent(parameters, {
    onEvent: ({ event }) => {
      events.push(event)
      meanwhile(event)
    }
  }).then(() => undefined, (failure: unknown) => failure)
  for (const event of events) EventSchemas.parse(event)
  return { events, types: events.map(({ type }) => String(type)), failure }
}

const said = ({ messages }: HttpAgent) =>
  messages.filter(({ role }) => role === "assistant").map(({ content }) => content).filter((content) => content)

/** The stored messages of a thread, each as its role and content. */
const stored = async (thread: string): Promise<ReadonlyArray<string>> => {
  const response = await fetch(`${server.url}/sessions/${thread}/messages`, { headers: { authorization: "ann" } })
  const { items } = await response.json() as {
    readonly items: ReadonlyArray<{ readonly message: { readonly role: string; readonly content: unknown } }>
  }
  return items.map(({ message: { content, role } }) => `${role} ${JSON.stringify(content)}`)
}

const runs = async (thread: string): Promise<boolean> =>
  (await fetch(`${server.url}/sessions/${thread}/turns/current/stream`, {
    headers: { authorization: "ann", "last-event-id": "none:1" }
  })).status !== 204

describe("an AG-UI client", () => {
  it("receives text, tool calls and state; messages that the client sends again are stored once", async () => {
    const agent = agentOf("page")
    const first = await run(agent, "To Lisbon")
    expect([first.types[0], first.types.at(-1), first.failure]).toEqual(["RUN_STARTED", "RUN_FINISHED", undefined])
    expect(agent.state).toEqual({ city: "Lisbon" })
    const second = await run(agent, "look")
    expect(second.types).toEqual(expect.arrayContaining(["TOOL_CALL_START", "TOOL_CALL_END", "TOOL_CALL_RESULT"]))
    expect(said(agent)).toEqual(["You said it.", "Done."])
    // The client repeats all its messages in the second run; the session has each once.
    const all = await stored("page")
    expect(all.filter((text) => text.startsWith("user"))).toHaveLength(2)
    expect(all.filter((text) => text.includes("You said it."))).toHaveLength(1)

    // Another device knows only the thread's name, and continues where the first one was.
    const other = agentOf("page")
    const { types } = await run(other, "and hello")
    expect(types).toContain("STATE_SNAPSHOT")
    expect(other.state).toEqual({ city: "Lisbon" })
    expect((await stored("page")).filter((text) => text.startsWith("user"))).toHaveLength(3)
  })

  it("resumes a run that waits for approval, with the decision", async () => {
    const agent = agentOf("shop")
    const { events } = await run(agent, "pay 40")
    const { interrupts } = (events.at(-1) as RunFinishedEvent).outcome as RunFinishedInterruptOutcome
    expect(interrupts).toMatchObject([{ reason: "tool_approval" }])
    // Another user cannot decide it.
    const eve = await run(agentOf("shop", "eve"), undefined, {
      resume: [{ interruptId: interrupts[0]!.id, status: "resolved", payload: { approved: true } }]
    })
    expect(String(eve.failure)).toContain("404")
    const resumed = await run(agent, undefined, {
      resume: [{ interruptId: interrupts[0]!.id, status: "resolved", payload: { approved: true } }]
    })
    expect(resumed.types).toContain("TOOL_CALL_RESULT")
    expect(String(said(agent).at(-1))).toContain("\"id\":\"ann\"")
  })

  it("receives a failure as the last event of the run, and a refusal as an HTTP status", async () => {
    const agent = agentOf("broken")
    const { events } = await run(agent, "fail")
    expect(events.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "ResponseGenerationError" })
    expect(JSON.stringify(events.at(-1))).not.toMatch(/stack|node_modules|localhost/)
    // A failed run stores nothing; the next one works.
    expect((await run(agent, "hello")).types.at(-1)).toBe("RUN_FINISHED")
    const nobody = await run(agentOf("broken", "nobody"), "hello")
    expect(String(nobody.failure)).toContain("401")
    expect(nobody.types).not.toContain("RUN_STARTED")
    // Thread names are per user: the same name is another user's own conversation.
    const other = await run(agentOf("page", "eve"), "hello")
    expect(other.types.at(-1)).toBe("RUN_FINISHED")
  })

  it("can disconnect from a run, which then continues, and can stop a run", async () => {
    const agent = agentOf("left")
    const leave = (event: BaseEvent) => {
      if (String(event.type) === "TEXT_MESSAGE_CONTENT") agent.abortRun()
    }
    const cut = await run(agent, "wait: for it", {}, leave)
    expect(cut.types).not.toContain("RUN_FINISHED")
    ProcessGate.open(gate)
    // The reply that it did not wait for is in the session after the next run.
    expect((await run(agentOf("left"), "hello")).types.at(-1)).toBe("RUN_FINISHED")
    expect(await stored("left")).toEqual(expect.arrayContaining([expect.stringContaining("One two three.")]))

    const stopping = agentOf("stopped")
    let stop: Promise<Response> | undefined
    const stopped = await run(stopping, "wait: for it", {}, (event) => {
      if (String(event.type) !== "TEXT_MESSAGE_CONTENT") return
      stop ??= fetch(`${server.url}/sessions/stopped/turns/current`, {
        method: "DELETE",
        headers: { authorization: "ann" }
      })
    })
    expect((await stop!).status).toBe(204)
    expect(stopped.types.at(-1)).toBe("RUN_FINISHED")
    expect(await runs("stopped")).toBe(false)
    expect((await stored("stopped")).join()).toContain("[interrupted by user]")
  })
})
