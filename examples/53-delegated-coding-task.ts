/**
 * A coding task that a conversation hands to an autonomous agent outside, and observes: what the agent does comes in the
 * session's feed while it works, and the conversation tells what came of it, unasked.
 *
 * A stand-in takes the place of the agent, so that this runs anywhere. With Claude Code installed, set CLAUDE_CODE=claude.
 */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Agent, JobRunner, Jobs, SessionStore } from "coxswain"
import * as ClaudeCode from "coxswain/layers/claude-code"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Fiber, Layer, Schema, Stream } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { model } from "./model.js"

const { AgentSession } = Jobs

/** The folder with the mistake. */
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-delegated-"))
const file = path.join(folder, "sum.mjs")
fs.writeFileSync(file, "export const sum = (a, b) => a - b\n")

const kit = Agent.define({ data: Schema.Struct({ agent: Schema.String }), jobs: [AgentSession] })

class Desk extends kit.Service<Desk>()("Desk", {
  name: "Desk",
  on: {
    // The agent's own session is kept, to go on there when there is more to do.
    [AgentSession.completed]: ({ event }) => ({ reply: event.output, dataUpdate: { agent: event.sessionId } }),
    [AgentSession.failed]: ({ event }) => ({ reply: `That did not work (${event.reason}).` })
  },
  flows: [{
    title: "Mend the code",
    steps: [{
      id: "begun",
      reply: "I let an agent look at it. You will hear from me.",
      onEnter: ({ message }) => ({
        run: AgentSession.of({
          adapter: "claude-code",
          input: message,
          workingDirectory: folder,
          allowedTools: ["Read", "Edit"],
          timeout: "10 minutes",
          idleTimeout: "2 minutes"
        })
      })
    }]
  }]
}) {}

const program = Effect.gen(function*() {
  const desk = yield* Desk
  const user = desk.session("u1")
  const page = yield* user.feed.pipe(
    Stream.tap((event) =>
      event._tag === "JobProgress"
        ? Console.log(`agent: ${JSON.stringify(event.value)}`)
        : event._tag === "TextDelta"
        ? Console.log(`desk:  ${event.text}`)
        : Effect.void
    ),
    Stream.takeUntil((event) =>
      event._tag === "TurnCompleted" &&
      event.response.directiveChain.some(({ source }) => source.startsWith("agent.on."))
    ),
    Stream.runDrain,
    Effect.fork
  )
  yield* Effect.repeatN(Effect.yieldNow(), 10)
  yield* desk.respond({ sessionId: "u1", message: "Why does sum give 1 for 3 and 2? Mend it." })
  yield* Fiber.join(page)
  yield* Console.log(fs.readFileSync(file, "utf8").trim())
}).pipe(Effect.ensuring(Effect.sync(() => fs.rmSync(folder, { recursive: true }))))

const command = process.env.CLAUDE_CODE ??
  [process.execPath, path.join(import.meta.dirname, "53-stand-in-agent.mjs")] as const

program.pipe(
  Effect.provide(
    JobRunner.layer([Desk]).pipe(
      Layer.provide(AgentSession.layer(ClaudeCode.make({ command }))),
      Layer.provideMerge(Desk.layer),
      Layer.provideMerge(Layer.mergeAll(model(Offline.layer), SessionStore.layerMemory, NodeContext.layer))
    )
  ),
  Effect.runPromise
)
