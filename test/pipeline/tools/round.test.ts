import { Tool as AiTool, Toolkit } from "@effect/ai"
import type { Prompt, Response } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import type { Directive } from "coxswain"
import { Agent, Errors, type Tool, ToolExecutor, type TurnEvent } from "coxswain"
import { Clock, Context, Deferred, Effect, FastCheck, Fiber, Layer, Schema, Stream, TestClock } from "effect"
import * as Transcript from "../../../src/domain/session/Transcript.js"
import { thorough } from "../../support/Runs.js"
import type { Answer, Asked } from "../../support/Script.js"
import { toolCall } from "../../support/Script.js"
import * as ScriptedLayers from "../../support/ScriptedLayers.js"

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int }),
  context: Schema.Struct({ tier: Schema.String })
})

const ask = (message = "hi", sessionId = "s") => ({ sessionId, message, context: { tier: "std" } })
const talk = [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]

/** A model that makes these calls round by round, then says "Done". */
const calling = (...rounds: ReadonlyArray<Answer>) =>
  ScriptedLayers.make({ speak: ({ tools }, index) => tools.length === 0 ? "Done" : rounds[index] ?? "Done" })

/** The tool results a model call was shown. */
const shown = (asked: Asked | undefined) =>
  asked?.prompt.content.flatMap((message) =>
    message.role === "tool"
      ? message.content.map(({ id, isFailure, name, result }) => ({ id, name, result, isFailure }))
      : []
  )

/** Every tool call of a transcript has exactly one result, right after it. */
const wellFormed = (messages: ReadonlyArray<Prompt.Message>) => {
  messages.forEach((message, i) => {
    if (message.role === "tool") expect(messages[i - 1]?.role).toBe("assistant")
    if (message.role !== "assistant") return
    const calls = message.content.flatMap((part) => part.type === "tool-call" ? [part.id] : [])
    const next = messages[i + 1]
    const results = next?.role === "tool" ? next.content.map(({ id }) => id) : []
    expect(results).toEqual(calls)
    expect(new Set(calls).size).toBe(calls.length)
  })
}

const outcomes = (records: ReadonlyArray<Tool.ToolCallRecord>) =>
  records.map(({ outcome, toolId }) => `${toolId} ${outcome}`)

describe("tools that the agent offers to the model", () => {
  class Prices extends Context.Tag("Prices")<Prices, { readonly of: (city: string) => number }>() {}

  const toolkit = Toolkit.make(
    AiTool.make("price", {
      description: "What a night costs",
      parameters: { city: Schema.String },
      success: Schema.Struct({ euros: Schema.NumberFromString }),
      failure: Schema.Struct({ why: Schema.String })
    }),
    AiTool.make("stars", { success: Schema.Number, failure: Schema.String, failureMode: "return" }).annotate(
      AiTool.Readonly,
      true
    ),
    AiTool.make("wipe", { success: Schema.String }).annotate(AiTool.Destructive, true)
  )
  const handlers = toolkit.toLayer(Effect.map(Prices, (prices) => ({
    price: ({ city }: { readonly city: string }) =>
      city === "Atlantis" ? Effect.fail({ why: "it sank" }) : Effect.succeed({ euros: prices.of(city) }),
    stars: () => Effect.fail("nobody rated it"),
    wipe: () => Effect.succeed("wiped")
  })))
  const prices = Layer.succeed(Prices, { of: (city) => city.length })

  it.effect("the offered tools are those of `kit.tool`, plain objects, and toolkits of @effect/ai together", () =>
    Effect.gen(function*() {
      const play = calling([
        toolCall("ours", { n: "2" }),
        toolCall("literal", {}),
        toolCall("price", { city: "Oslo" })
      ])
      const agent = yield* kit.make({
        name: "Bot",
        flows: talk,
        tools: [
          kit.tool({ id: "ours", parameters: { n: Schema.NumberFromString }, handler: ({ n }) => n + 1 }),
          { id: "literal", handler: () => Effect.succeed("plain") }
        ],
        toolkits: [toolkit]
      }).pipe(Effect.provide([play.layer, handlers.pipe(Layer.provide(prices))]))
      const { message } = yield* agent.respond(ask())
      expect(message).toBe("Done")
      expect(play.asked[0]?.tools).toEqual(["ours", "literal", "price", "stars", "wipe"])
      expect(shown(play.asked[1])?.map(({ name, result }) => [name, result])).toEqual([
        ["ours", 3],
        ["literal", "plain"],
        ["price", { euros: "4" }]
      ])
    }))

  it.effect("failures and invalid arguments of a toolkit become results, whatever its `failureMode`", () =>
    Effect.gen(function*() {
      const play = calling([
        toolCall("price", { city: 5 }, "1"),
        toolCall("price", { city: "Atlantis" }, "2"),
        toolCall("stars", {}, "3")
      ])
      const agent = yield* kit.make({ name: "Bot", flows: talk, toolkits: [toolkit] }).pipe(
        Effect.provide([play.layer, handlers.pipe(Layer.provide(prices))])
      )
      const { message, toolCalls } = yield* agent.respond(ask())
      expect(message).toBe("Done")
      expect(toolCalls.map(({ outcome, output }) => [outcome, output])).toEqual([
        ["invalid", { error: "invalid", message: "city: Expected string, actual 5" }],
        ["failed", { error: "failed", message: "{\"why\":\"it sank\"}" }],
        ["failed", { error: "failed", message: "nobody rated it" }]
      ])
    }))

  it.effect("a dry run skips only those tools of a toolkit that are annotated as Destructive", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("wipe", {}), toolCall("price", { city: "Oslo" })])
      const agent = yield* kit.make({ name: "Bot", flows: talk, toolkits: [toolkit] }).pipe(
        Effect.provide([play.layer, handlers.pipe(Layer.provide(prices)), ToolExecutor.layerDryRun])
      )
      const { toolCalls } = yield* agent.respond(ask())
      expect(outcomes(toolCalls)).toEqual(["wipe dry_run", "price ok"])
    }))

  const named = (where: string) => kit.tool({ id: "t", handler: () => where })

  it.effect("a tool of a narrower scope replaces one with the same id; the order is agent, flow, step, injected", () =>
    Effect.gen(function*() {
      const scopes = ["agent", "flow", "step", "injected"]
      for (let narrow = 0; narrow < scopes.length; narrow++) {
        const play = calling([toolCall("t", {})])
        const agent = yield* kit.make({
          name: "Bot",
          tools: [named("agent")],
          flows: [{
            title: "Talk",
            tools: narrow > 0 ? [named("flow")] : [],
            steps: [{
              prompt: "Talk",
              tools: narrow > 1 ? [named("step")] : [],
              prepare: () => narrow > 2 ? { injectTools: [named("injected")] } : undefined
            }]
          }]
        }).pipe(Effect.provide(play.layer))
        const { toolCalls } = yield* agent.respond(ask())
        expect(play.asked[0]?.tools).toEqual(["t"])
        expect(toolCalls.map(({ output }) => output)).toEqual([scopes[narrow]])
      }
    }))

  it.effect("a string in `tools` refers to the agent's tool, also where another scope has a tool with the same id", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("t", {})])
      const agent = yield* kit.make({
        name: "Bot",
        tools: [named("agent")],
        flows: [{ title: "Talk", tools: [named("flow")], steps: [{ prompt: "Talk", tools: ["t"] }] }]
      }).pipe(Effect.provide(play.layer))
      expect((yield* agent.respond(ask())).toolCalls[0]?.output).toBe("agent")
      const unknown = yield* Effect.flip(
        kit.make({ name: "Bot", flows: [{ title: "Talk", steps: [{ prompt: "Talk", tools: ["ghost"] }] }] }).pipe(
          Effect.provide(play.layer)
        )
      )
      expect(unknown.message).toContain("unknown tool \"ghost\"")
    }))

  it.effect("tools of a flow or step are offered only there; injected tools in one turn only", () =>
    Effect.gen(function*() {
      const play = ScriptedLayers.make()
      const tool = (id: string) => ({ id, handler: () => id })
      const agent = yield* kit.make({
        name: "Bot",
        tools: [tool("everywhere")],
        flows: [{
          title: "Talk",
          tools: [tool("flow")],
          steps: [
            {
              id: "one",
              prompt: "One",
              tools: [tool("one")],
              prepare: () => ({ injectTools: [kit.tool(tool("now"))] })
            },
            { id: "two", prompt: "Two", tools: [tool("two")] }
          ]
        }, { title: "Other", when: "else", tools: [tool("other")], steps: [{ prompt: "Other" }] }]
      }).pipe(Effect.provide(play.layer))
      yield* agent.dispatch("s", "Talk")
      yield* agent.respond(ask())
      yield* agent.respond(ask())
      expect(play.asked.map(({ tools }) => tools)).toEqual([
        ["everywhere", "flow", "one", "now"],
        ["everywhere", "flow", "two"]
      ])
    }))
})

describe("every tool call has exactly one result", () => {
  const tools = [
    kit.tool({ id: "fine", handler: () => "fine" }),
    kit.tool({ id: "strict", parameters: { n: Schema.Number }, handler: () => "ran" }),
    kit.tool({ id: "denied", checkPermissions: () => ({ allowed: false, reason: "no" }), handler: () => "ran" }),
    kit.tool({ id: "failing", handler: () => Effect.fail("down") }),
    kit.tool({ id: "slow", timeout: "2 seconds", handler: () => Effect.never }),
    kit.tool({ id: "suicidal", handler: () => Effect.interrupt })
  ]

  it.effect("a successful, invalid, denied, failing, slow or unknown call has one result, and the turn continues", () =>
    Effect.gen(function*() {
      const play = calling([
        toolCall("fine", {}),
        toolCall("strict", { n: "x" }),
        toolCall("denied", {}),
        toolCall("failing", {}),
        toolCall("slow", {}),
        toolCall("suicidal", {}),
        toolCall("ghost", { a: 1 })
      ])
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools }).pipe(Effect.provide(play.layer))
      const events: Array<TurnEvent.TurnEvent<object, object>> = []
      const fiber = yield* Effect.fork(
        Stream.runForEach(agent.stream(ask()), (event) => Effect.sync(() => void events.push(event)))
      )
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      const last = events.at(-1)
      const response = last?._tag === "TurnCompleted" ? last.response : undefined
      expect(response?.message).toBe("Done")
      expect(outcomes(response!.toolCalls)).toEqual([
        "fine ok",
        "strict invalid",
        "denied denied",
        "failing failed",
        "slow timed_out",
        "suicidal interrupted",
        "ghost unknown_tool"
      ])
      const results = shown(play.asked[1])!
      expect(results.map(({ result }) => result)).toEqual(response!.toolCalls.map(({ output }) => output))
      expect(results.map(({ isFailure }) => isFailure)).toEqual([false, true, true, true, true, true, true])
      for (const tag of ["ToolCallStarted", "ToolCallCompleted"]) {
        expect(events.filter(({ _tag }) => _tag === tag)).toHaveLength(7)
      }
      wellFormed(yield* agent.session("s").history)
    }))

  it.effect("arguments that are null or missing count as no arguments", () =>
    Effect.gen(function*() {
      const play = calling([
        toolCall("fine", null, "1"),
        toolCall("fine", undefined, "2"),
        toolCall("strict", null, "3")
      ])
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools }).pipe(Effect.provide(play.layer))
      const { toolCalls } = yield* agent.respond(ask())
      expect(outcomes(toolCalls)).toEqual(["fine ok", "fine ok", "strict invalid"])
    }))

  for (const [what, ids] of [["different", ["a", "b"]], ["repeated", ["a", "a"]], ["missing", ["", ""]]] as const) {
    it.effect(`two calls of the same tool in a round have two results, with ${what} ids`, () =>
      Effect.gen(function*() {
        const echo = kit.tool({ id: "echo", parameters: { n: Schema.Number }, handler: ({ n }) => n })
        const round = ids.map((id, n) => toolCall("echo", { n }, id))
        const play = calling(round, round)
        const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [echo] }).pipe(Effect.provide(play.layer))
        const { toolCalls } = yield* agent.respond(ask())
        expect(toolCalls.map(({ output }) => output)).toEqual([0, 1, 0, 1])
        expect(new Set(toolCalls.map(({ callId }) => callId)).size).toBe(4)
        expect(shown(play.asked[2])?.map(({ result }) => result)).toEqual([0, 1, 0, 1])
        wellFormed(yield* agent.session("s").history)
      }))
  }

  it.effect("a long result is truncated with a notice, in the prompt and in the record", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("long", {})])
      const long = kit.tool({ id: "long", maxResultSizeChars: 5, handler: () => "0123456789" })
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [long] }).pipe(Effect.provide(play.layer))
      const { toolCalls } = yield* agent.respond(ask())
      const cut = "01234\n[Truncated: 10 chars total, showing first 5]"
      expect(shown(play.asked[1])).toMatchObject([{ result: cut }])
      expect(toolCalls).toMatchObject([{ output: cut }])
    }))

  it.effect("`limits.toolResult` is the default for all tools, including tools of toolkits and injected tools", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("plain", {}, "a"), toolCall("foreign", {}, "b"), toolCall("injected", {}, "c")])
      const ten = () => "0123456789"
      const foreign = Toolkit.make(AiTool.make("foreign", { success: Schema.String }))
      const injected = kit.tool({ id: "injected", handler: ten })
      const agent = yield* kit.make({
        name: "Bot",
        limits: { toolResult: 5 },
        flows: [{ title: "Talk", steps: [{ prompt: "Go on", prepare: () => ({ injectTools: [injected] }) }] }],
        tools: [kit.tool({ id: "plain", handler: ten })],
        toolkits: [foreign]
      }).pipe(Effect.provide([play.layer, foreign.toLayer({ foreign: () => Effect.succeed(ten()) })]))
      const { toolCalls } = yield* agent.respond(ask())
      const cut = "01234\n[Truncated: 10 chars total, showing first 5]"
      expect(toolCalls.map(({ output, toolId }) => [toolId, output])).toEqual([
        ["plain", cut],
        ["foreign", cut],
        ["injected", cut]
      ])
    }))

  it.effect("with `onFailure: \"fail\"`, the turn fails with ToolExecutionError and stores nothing", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("hard", {})])
      const hard = kit.tool({ id: "hard", onFailure: "fail", handler: () => Effect.fail("down") })
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [hard] }).pipe(Effect.provide(play.layer))
      const error = yield* Effect.flip(agent.respond(ask()))
      expect(error).toBeInstanceOf(Errors.ToolExecutionError)
      expect(error._tag === "ToolExecutionError" && [error.toolId, error.cause]).toEqual(["hard", "down"])
      expect((yield* agent.session("s").snapshot).version).toBe(0)
      expect(yield* agent.session("s").history).toEqual([])
    }))

  it.effect("every call uses the provided ToolExecutor", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("fine", {})])
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools }).pipe(
        Effect.provide([play.layer, ToolExecutor.layerStub({ fine: () => "stubbed" })])
      )
      expect((yield* agent.respond(ask())).toolCalls).toMatchObject([{ output: "stubbed" }])
    }))
})

describe("concurrency of tool calls", () => {
  /** Runs one round of calls that take about 200 ms each; returns its duration and the order of starts. */
  const timed = (
    calls: ReadonlyArray<string>,
    options: { readonly toolConcurrency?: number; readonly safe?: (n: number) => boolean } = {}
  ) =>
    Effect.gen(function*() {
      const started: Array<string> = []
      const tool = (id: string, isConcurrencySafe: boolean | ((args: { readonly n: number }) => boolean)) =>
        kit.tool({
          id,
          parameters: { n: Schema.Number },
          isConcurrencySafe,
          // Later calls are faster, so that they finish in another order.
          handler: ({ n }) =>
            Effect.flatMap(Clock.currentTimeMillis, (at) => {
              started.push(`${id}${n}@${at}`)
              return Effect.as(Effect.sleep(200 - n), n)
            })
        })
      const play = calling(calls.map((id, n) => toolCall(id, { n }, `c${n}`)))
      const { safe = () => true, toolConcurrency } = options
      const agent = yield* kit.make({
        name: "Bot",
        flows: talk,
        ...(toolConcurrency !== undefined && { toolConcurrency }),
        tools: [
          tool("safe", true),
          tool("unsafe", false),
          tool("maybe", ({ n }) => safe(n)),
          kit.tool({
            id: "reader",
            parameters: { n: Schema.Number },
            isReadOnly: true,
            handler: ({ n }) => Effect.as(Effect.sleep(200), n)
          })
        ]
      }).pipe(Effect.provide(play.layer))
      const begun = yield* Clock.currentTimeMillis
      const fiber = yield* Effect.fork(Effect.zip(agent.respond(ask()), Clock.currentTimeMillis))
      yield* TestClock.adjust("1 minutes")
      const [{ toolCalls }, end] = yield* Fiber.join(fiber)
      expect(toolCalls.map(({ output }) => output)).toEqual(calls.map((_, n) => n))
      expect(shown(play.asked[1])?.map(({ result }) => result)).toEqual(calls.map((_, n) => n))
      return { took: end - begun, started: started.map((one) => one.replace(/@\d+$/, "")) }
    })

  it.effect("two safe calls run concurrently, two unsafe calls in sequence; results are in call order", () =>
    Effect.gen(function*() {
      expect((yield* timed(["safe", "safe"])).took).toBe(200)
      expect((yield* timed(["unsafe", "unsafe"])).took).toBe(399)
    }))

  it.effect("only adjacent safe calls run concurrently; an unsafe call runs alone", () =>
    Effect.gen(function*() {
      const { started, took } = yield* timed(["safe", "safe", "unsafe", "safe"])
      expect(took).toBe(200 + 198 + 197)
      expect(started).toEqual(["safe0", "safe1", "unsafe2", "safe3"])
    }))

  it.effect("`toolConcurrency` limits the number of concurrent calls", () =>
    Effect.gen(function*() {
      const four = ["reader", "reader", "reader", "reader"]
      expect((yield* timed(four, { toolConcurrency: 2 })).took).toBe(400)
      expect((yield* timed(four, { toolConcurrency: 1 })).took).toBe(800)
      expect((yield* timed([...four, "reader"])).took).toBe(400)
    }))

  it.effect("`isConcurrencySafe` can depend on the arguments; if it throws, the call counts as unsafe", () =>
    Effect.gen(function*() {
      expect((yield* timed(["maybe", "maybe"])).took).toBe(200)
      expect((yield* timed(["maybe", "maybe"], { safe: (n) => n === 0 })).took).toBe(399)
      expect((yield* timed(["reader", "reader"])).took).toBe(200)
      const dies = () => {
        throw new Error("flag")
      }
      expect((yield* timed(["maybe", "maybe"], { safe: dies })).took).toBe(399)
    }))

  it.effect("an abort waits for a call with `interruptBehavior: \"block\"` and cancels other calls", () =>
    Effect.gen(function*() {
      for (const interruptBehavior of ["cancel", "block"] as const) {
        const started = yield* Deferred.make<void>()
        let finished = false
        const tool = kit.tool({
          id: "t",
          interruptBehavior,
          handler: () =>
            Deferred.succeed(started, undefined).pipe(
              Effect.zipRight(Effect.sleep("5 seconds")),
              Effect.zipRight(Effect.sync(() => (finished = true)))
            )
        })
        const play = calling([toolCall("t", {})])
        const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [tool] }).pipe(Effect.provide(play.layer))
        const turn = yield* agent.session("s").send("hi", { context: { tier: "std" } })
        yield* Deferred.await(started)
        const aborting = yield* Effect.fork(turn.abort)
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(aborting)
        expect(finished).toBe(interruptBehavior === "block")
        expect((yield* turn.response).stoppedReason).toBe("aborted")
        expect(play.asked).toHaveLength(1)
      }
    }))
})

describe("the context of a tool handler", () => {
  it.effect("has `data`, `context`, `history`, `message`, `step` and `callId`", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const play = ScriptedLayers.make({
        speak: (asked, index) => index === 1 ? [toolCall("look", {}, "call_7")] : index === 0 ? "First" : "Done",
        judge: ({ message }) => message === "Oslo" ? { fields: { city: "Oslo" } } : {}
      })
      const look = kit.tool({
        id: "look",
        handler: (_, { callId, context, data, history, message, session, step }) => {
          seen.push({ callId, context, data, message, step, said: history.map(({ role }) => role), id: session.id })
          return "ok"
        }
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "Trip", steps: [{ id: "ask", collect: ["city", "guests"] }] }],
        tools: [look]
      }).pipe(Effect.provide(play.layer))
      yield* agent.respond(ask("hello"))
      yield* agent.respond(ask("Oslo"))
      expect(seen).toEqual([{
        callId: "call_7",
        context: { tier: "std" },
        data: { city: "Oslo" },
        message: "Oslo",
        step: { flowId: "trip", stepId: "ask" },
        said: ["user", "assistant"],
        id: "s"
      }])
    }))

  it.effect("`progress` emits ToolProgress events between the call's start and end", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("slow", {}, "c1")])
      const slow = kit.tool({
        id: "slow",
        handler: (_, { progress }) => Effect.zipRight(progress({ percent: 50 }), Effect.as(progress("nearly"), "ok"))
      })
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [slow] }).pipe(Effect.provide(play.layer))
      const events = Array.from(yield* Stream.runCollect(agent.stream(ask())))
      expect(events.filter(({ _tag }) => _tag.startsWith("Tool"))).toEqual([
        { _tag: "ToolCallStarted", id: "c1", name: "slow", params: {} },
        { _tag: "ToolProgress", id: "c1", name: "slow", progress: { percent: 50 } },
        { _tag: "ToolProgress", id: "c1", name: "slow", progress: "nearly" },
        { _tag: "ToolCallCompleted", id: "c1", name: "slow", outcome: "ok", output: "ok", isFailure: false }
      ])
    }))

  it.effect("values written by a tool are visible to later calls of the turn, and committed with the turn", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const write = kit.tool({
        id: "write",
        handler: (_, { dispatch, updateContext, updateData }) =>
          Effect.all([
            updateData({ city: "Oslo" }),
            updateContext({ tier: "vip" }),
            dispatch({ dataUpdate: { guests: 2 } })
          ])
      })
      const read = kit.tool({
        id: "read",
        handler: (_, { context, data }) => {
          seen.push({ ...data, ...context })
        }
      })
      const play = calling([toolCall("write", {}), toolCall("read", {}, "r1")], [toolCall("read", {}, "r2")])
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [write, read] }).pipe(Effect.provide(play.layer))
      const response = yield* agent.respond(ask())
      const written = { city: "Oslo", guests: 2, tier: "vip" }
      expect(seen).toEqual([written, written])
      expect(response.collected).toEqual({ city: "Oslo", guests: 2 })
      expect(yield* agent.session("s").snapshot).toMatchObject({
        data: { city: "Oslo", guests: 2 },
        context: { tier: "vip" }
      })
      expect(response.directiveChain.map(({ phase, source }) => [source, phase])).toEqual([
        ["tool:write", "post"],
        ["tool:write", "post"],
        ["tool:write", "post"]
      ])
    }))

  for (
    const [what, wrong] of Object.entries({
      updateData: kit.tool({ id: "bad", handler: (_, { updateData }) => updateData({ guests: 1.5 }) }),
      updateContext: kit.tool({ id: "bad", handler: (_, { updateContext }) => updateContext({ tier: 5 as never }) }),
      "a ToolOutput": kit.tool({
        id: "bad",
        handler: (): any => ({ ok: true, outputMessage: "", dataUpdate: { nope: 1 } })
      })
    })
  ) {
    it.effect(`an invalid write by ${what} is refused; the call counts as done, and other writes are stored`, () =>
      Effect.gen(function*() {
        const good = kit.tool({ id: "good", handler: (_, { updateData }) => updateData({ city: "Oslo" }) })
        const play = calling([toolCall("good", {}), toolCall("bad", {})])
        const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [good, wrong] }).pipe(
          Effect.provide(play.layer)
        )
        const { toolCalls } = yield* agent.respond(ask())
        expect(toolCalls.map(({ outcome, toolId }) => [toolId, outcome])).toEqual([["good", "ok"], [
          "bad",
          "done_unrecorded"
        ]])
        expect(JSON.stringify(toolCalls[1]?.output)).toContain("tool:bad.handler wrote")
        expect((yield* agent.session("s").snapshot).data).toEqual({ city: "Oslo" })
      }))
  }

  it.effect("the model gets only `outputMessage` of a ToolOutput; events and records contain `details` and `meta`", () =>
    Effect.gen(function*() {
      const book = kit.tool({
        id: "book",
        handler: () => ({
          ok: true,
          outputMessage: "Booked",
          details: { secret: 4711 },
          meta: { ms: 3 },
          dataUpdate: { city: "Oslo" },
          contextUpdate: { tier: "vip" },
          directive: { dataUpdate: { guests: 2 } }
        })
      })
      const play = calling([toolCall("book", {})])
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [book] }).pipe(Effect.provide(play.layer))
      const events = Array.from(yield* Stream.runCollect(agent.stream(ask())))
      const last = events.at(-1)
      if (last?._tag !== "TurnCompleted") throw new Error("not completed")
      expect(shown(play.asked[1])).toMatchObject([{ result: "Booked" }])
      expect(JSON.stringify(play.asked)).not.toContain("4711")
      const told = { outcome: "ok", output: "Booked", isFailure: false, details: { secret: 4711 }, meta: { ms: 3 } }
      expect(last.response.toolCalls).toEqual([
        { callId: "call_book", toolId: "book", params: {}, ...told }
      ])
      expect(events).toContainEqual({ _tag: "ToolCallCompleted", id: "call_book", name: "book", ...told })
      expect(last.response.session).toMatchObject({ data: { city: "Oslo", guests: 2 }, context: { tier: "vip" } })
      expect(JSON.stringify(yield* agent.session("s").history)).not.toContain("4711")
    }))
})

describe("the tool loop", () => {
  const flows = [
    { title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] },
    { title: "Other", when: "another thing", steps: [{ id: "other", prompt: "Other", until: () => false }] }
  ]
  const said = (
    text: string,
    ...calls: ReadonlyArray<Response.PartEncoded>
  ): Answer => [{ type: "text", text }, ...calls]
  const moving = (directive: Directive.Directive<{ city: string; guests: number }, { tier: string }>) =>
    kit.tool({ id: "move", handler: (_, { dispatch }) => Effect.as(dispatch(directive), "moved") })
  const inTalk = (
    play: ReturnType<typeof ScriptedLayers.make>,
    tools: ReadonlyArray<Tool.Tool<never, never>>,
    more = {}
  ) =>
    Effect.gen(function*() {
      const agent = yield* kit.make({ name: "Bot", flows, tools: tools as [], ...more }).pipe(
        Effect.provide(play.layer)
      )
      yield* agent.dispatch("s", "Talk")
      return agent
    })

  for (
    const [what, directive] of [
      ["goTo", { goTo: "Other" }],
      ["goToStep", { goToStep: { flow: "other", step: "other" } }],
      ["reset", { reset: true }],
      ["complete", { complete: true }],
      ["abort", { abort: "enough" }]
    ] as const
  ) {
    it.effect(`${what} ends the loop after the round; what the model has said before the call is no answer`, () =>
      Effect.gen(function*() {
        const ran: Array<string> = []
        const later = kit.tool({ id: "later", handler: () => void ran.push("later") })
        const play = calling(said("One moment.", toolCall("move", {}), toolCall("later", {})))
        const agent = yield* inTalk(play, [moving(directive), later])
        const response = yield* agent.respond(ask())
        expect(response).toMatchObject({ message: "One moment.\n\nDone" })
        expect(response.usage.modelCalls).toBe(2)
        // The round itself is finished.
        expect(ran).toEqual(["later"])
        wellFormed(yield* agent.session("s").history)
      }))
  }

  it.effect("after a move without text, the target speaks in the same turn, and its prompt has the tool call", () =>
    Effect.gen(function*() {
      const play = calling([toolCall("move", {})])
      const agent = yield* inTalk(play, [moving({ goTo: "Other" })])
      const { message, usage } = yield* agent.respond(ask())
      expect(message).toBe("Done")
      expect(usage.modelCalls).toBe(2)
      expect(play.asked[1]?.text).toContain("Task: Other")
      expect(shown(play.asked[1])).toMatchObject([{ name: "move", result: "moved" }])
    }))

  it.effect("`reply` ends the loop and is the message; MessageReplaced follows text that was already streamed", () =>
    Effect.gen(function*() {
      const tool = kit.tool({
        id: "move",
        handler: () => ({ ok: true, outputMessage: "ok", directive: { reply: "Use {the} form." } })
      })
      const play = calling(said("One moment.", toolCall("move", {})))
      const agent = yield* inTalk(play, [tool])
      const events = Array.from(yield* Stream.runCollect(agent.stream(ask())))
      const last = events.at(-1)
      if (last?._tag !== "TurnCompleted") throw new Error("not completed")
      expect(last.response).toMatchObject({ message: "Use {the} form.", stoppedReason: "reply" })
      expect(play.asked).toHaveLength(1)
      const words = events.filter(({ _tag }) => _tag === "TextDelta" || _tag === "MessageReplaced")
      expect(words.at(-1)).toEqual({ _tag: "MessageReplaced", message: "Use {the} form." })
      expect(words.length).toBeGreaterThan(1)
      const history = yield* agent.session("s").history
      wellFormed(history)
      expect(JSON.stringify(history)).not.toContain("One moment.")

      const silent = calling([toolCall("move", {})])
      const quiet = yield* inTalk(silent, [tool])
      const other = Array.from(yield* Stream.runCollect(quiet.stream(ask())))
      expect(other.map(({ _tag }) => _tag)).not.toContain("MessageReplaced")
      expect(silent.asked).toHaveLength(1)
    }))

  it.effect("texts of several rounds become one message with a paragraph for each", () =>
    Effect.gen(function*() {
      const fine = kit.tool({ id: "fine", handler: () => "fine" })
      const play = calling(said("One moment.", toolCall("fine", {})), "There.")
      const agent = yield* inTalk(play, [fine])
      expect((yield* agent.respond(ask())).message).toBe("One moment.\n\nThere.")
    }))

  it.effect("after `maxToolRounds` rounds, a last call without tools answers; `stoppedReason` is max_tool_rounds", () =>
    Effect.gen(function*() {
      let ran = 0
      const again = kit.tool({ id: "again", handler: () => ++ran })
      const play = ScriptedLayers.make({
        speak: ({ tools }) => tools.length === 0 ? "Enough" : [toolCall("again", {})]
      })
      const agent = yield* inTalk(play, [again], { maxToolRounds: 3 })
      const { message, stoppedReason, toolCalls, usage } = yield* agent.respond(ask())
      expect({ message, stoppedReason, ran }).toEqual({ message: "Enough", stoppedReason: "max_tool_rounds", ran: 3 })
      expect(toolCalls).toHaveLength(3)
      expect(usage.modelCalls).toBe(4)
      expect(play.asked.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0])
    }))

  it.effect("rounds are counted per turn, also when a tool moves the conversation to another flow", () =>
    Effect.gen(function*() {
      const hop = kit.tool({
        id: "hop",
        handler: (_, { session }) => ({
          ok: true,
          outputMessage: "hop",
          directive: { goTo: session.currentFlow?.id === "talk" ? "Other" : "Talk" }
        })
      })
      const play = ScriptedLayers.make({ speak: ({ tools }) => tools.length === 0 ? "Enough" : [toolCall("hop", {})] })
      const agent = yield* inTalk(play, [hop], { maxToolRounds: 2 })
      const { stoppedReason, toolCalls, usage } = yield* agent.respond(ask())
      expect(stoppedReason).toBe("max_tool_rounds")
      expect(toolCalls).toHaveLength(2)
      expect(usage.modelCalls).toBe(3)
    }))

  it.effect("the turn fails if the model returns only tool calls although no tools are offered", () =>
    Effect.gen(function*() {
      const again = kit.tool({ id: "again", handler: () => "ok" })
      const play = ScriptedLayers.make({ speak: () => [toolCall("again", {})] })
      const agent = yield* inTalk(play, [again], { maxToolRounds: 2 })
      const error = yield* Effect.flip(agent.respond(ask()))
      expect(error).toMatchObject({ _tag: "ResponseGenerationError", phase: "speak", reason: "empty" })
      expect(play.asked).toHaveLength(3)
    }))

  it.effect("a tool call that the provider executes itself is not run", () =>
    Effect.gen(function*() {
      const search = AiTool.providerDefined({
        id: "test.search",
        toolkitName: "Search",
        providerName: "search",
        args: {},
        success: Schema.Unknown
      })
      expect(AiTool.isProviderDefined(search({}))).toBe(true)
      const fine = kit.tool({ id: "fine", handler: () => "fine" })
      const play = calling([
        { type: "tool-call", id: "p1", name: "fine", params: {}, providerExecuted: true },
        toolCall("fine", {}, "p1")
      ])
      const agent = yield* inTalk(play, [fine])
      const { toolCalls } = yield* agent.respond(ask())
      expect(toolCalls).toMatchObject([{ callId: "p1", output: "fine" }])
      expect(shown(play.asked[1])).toHaveLength(1)
    }))

  it.effect("two tool calls in one response and then the answer take two model calls", () =>
    Effect.gen(function*() {
      const tool = (id: string) =>
        kit.tool({ id, isConcurrencySafe: true, handler: () => Effect.as(Effect.sleep(200), id) })
      const play = ScriptedLayers.make({
        speak: (_, index) =>
          Effect.as(Effect.sleep("1 seconds"), index === 0 ? [toolCall("a", {}), toolCall("b", {})] : "Done")
      })
      const agent = yield* inTalk(play, [tool("a"), tool("b"), tool("c")])
      const fiber = yield* Effect.fork(Effect.zip(agent.respond(ask()), Clock.currentTimeMillis))
      yield* TestClock.adjust("1 minutes")
      const [{ message, usage }, end] = yield* Fiber.join(fiber)
      expect(message).toBe("Done")
      expect(usage.modelCalls).toBe(2)
      expect(end).toBe(2200)
      expect(play.questions).toEqual([])
    }))
})

describe("tool rounds with random calls", () => {
  const kinds = {
    ok: "ok",
    invalid: "invalid",
    unvalidated: "invalid",
    denied: "denied",
    broken: "denied",
    failing: "failed",
    dying: "failed",
    interrupting: "interrupted",
    slow: "timed_out",
    ghost: "unknown_tool"
  } as const
  type Kind = keyof typeof kinds
  const runs: ReadonlyArray<Kind> = ["ok", "failing", "dying", "interrupting", "slow"]

  const call = FastCheck.record({
    kind: FastCheck.constantFrom(...Object.keys(kinds) as Array<Kind>),
    safe: FastCheck.boolean(),
    id: FastCheck.constantFrom("", "a", "b", "c")
  })
  const rounds = FastCheck.array(FastCheck.array(call, { minLength: 1, maxLength: 4 }), { maxLength: 4 })

  it.effect.prop(
    "each call has one result, checks run before handlers, and no handler runs after a refusal",
    [rounds, FastCheck.integer({ min: 1, max: 3 })],
    ([script, maxToolRounds]) =>
      Effect.gen(function*() {
        const log: Array<readonly [callId: string, what: string]> = []
        const tool = (kind: Kind, safe: boolean) =>
          kit.tool({
            id: `${kind}-${safe}`,
            parameters: { n: Schema.Number },
            isConcurrencySafe: safe,
            timeout: "1 seconds",
            validateInput: (_, { callId }) => {
              log.push([callId, "validate"])
              return kind === "unvalidated" ? Effect.fail("no") : undefined
            },
            checkPermissions: (_, { callId }) => {
              log.push([callId, "permit"])
              return kind === "broken" ? Effect.dieMessage("gate") : Effect.succeed(kind !== "denied")
            },
            handler: (_, { callId }): Effect.Effect<string, string> => {
              log.push([callId, "run"])
              switch (kind) {
                case "failing":
                  return Effect.fail("down")
                case "dying":
                  return Effect.dieMessage("bug")
                case "interrupting":
                  return Effect.interrupt
                case "slow":
                  return Effect.never
                default:
                  return Effect.succeed("ok")
              }
            }
          })
        const used = new Map(
          script.flat().filter(({ kind }) => kind !== "ghost").map((
            { kind, safe }
          ) => [`${kind}-${safe}`, { kind, safe }])
        )
        // Never called: without any tool, `calling` answers immediately.
        const spare = kit.tool({ id: "spare", handler: () => "never" })
        const tools = [spare, ...Array.from(used.values(), ({ kind, safe }) => tool(kind, safe))]
        const play = calling(...script.map((round) =>
          round.map(({ id, kind, safe }) => toolCall(`${kind}-${safe}`, { n: kind === "invalid" ? "x" : 1 }, id))
        ))
        const agent = yield* kit.make({ name: "Bot", flows: talk, tools, maxToolRounds }).pipe(
          Effect.provide(play.layer)
        )
        const fiber = yield* Effect.fork(agent.respond(ask()))
        yield* TestClock.adjust("1 minutes")
        const response = yield* Fiber.join(fiber)

        const called = script.slice(0, maxToolRounds).flat()
        expect(response.message).toBe("Done")
        expect(response.toolCalls.map(({ outcome }) =>
          outcome
        )).toEqual(called.map(({ kind }) => kinds[kind]))
        const callIds = response.toolCalls.map(({ callId }) => callId)
        expect(new Set(callIds).size).toBe(called.length)
        called.forEach(({ kind }, i) => {
          const passed = log.filter(([callId]) => callId === callIds[i]).map(([, what]) => what)
          const expected = kind === "invalid" || kind === "ghost"
            ? []
            : kind === "unvalidated"
            ? ["validate"]
            : runs.includes(kind)
            ? ["validate", "permit", "run"]
            : ["validate", "permit"]
          expect(passed).toEqual(expected)
        })
        expect(response.usage.modelCalls).toBe(Math.min(script.length, maxToolRounds) + 1)
        expect(response.stoppedReason === "max_tool_rounds").toBe(script.length >= maxToolRounds)
        wellFormed(yield* agent.session("s").history)
      }),
    { fastCheck: { numRuns: thorough ? 40 : 8, endOnFailure: true } }
  )
})

describe("tool calls with untrusted input", () => {
  it.effect.each([200, 5_000])(
    "arguments nested %i levels deep are refused, and the tool does not run",
    (levels) =>
      Effect.gen(function*() {
        let deep: unknown = 1
        for (let i = 0; i < levels; i++) deep = { deep }
        const ran: Array<unknown> = []
        const play = calling([toolCall("save", { value: deep })])
        const agent = yield* kit.make({
          name: "Bot",
          flows: talk,
          tools: [kit.tool({
            id: "save",
            parameters: { value: Schema.Unknown },
            handler: ({ value }) => {
              ran.push(value)
              return "saved"
            }
          })]
        }).pipe(Effect.provide(play.layer))
        const { message, toolCalls } = yield* agent.respond(ask())
        expect(message).toBe("Done")
        expect(ran).toEqual([])
        expect(toolCalls.map(({ outcome, output, params }) => [outcome, output, params])).toEqual([[
          "invalid",
          { error: "invalid", message: expect.stringContaining("nested too deep") },
          {}
        ]])
        const calls = (play.asked.at(-1)?.prompt.content ?? []).flatMap(Transcript.callsOf)
        expect(calls.map(({ params }) => params)).toEqual([null])
        expect((yield* agent.respond(ask())).message).toBe("Done")
      })
  )

  it.effect("a call id that an earlier turn has used is replaced by a new one", () =>
    Effect.gen(function*() {
      const play = ScriptedLayers.make({
        speak: ({ tools }, index) => tools.length > 0 && index % 2 === 0 ? [toolCall("save", {}, "call_1")] : "Done"
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: talk,
        tools: [kit.tool({ id: "save", handler: () => "saved" })]
      }).pipe(Effect.provide(play.layer))
      const first = yield* agent.respond(ask("one"))
      const second = yield* agent.respond(ask("two"))
      expect(first.toolCalls.map(({ callId }) => callId)).toEqual(["call_1"])
      expect(second.toolCalls).toHaveLength(1)
      expect(second.toolCalls[0]?.callId).not.toBe("call_1")
      const ids = (play.asked.at(-1)?.prompt.content ?? []).flatMap((message) =>
        message.role === "assistant"
          ? message.content.flatMap((part) => part.type === "tool-call" ? [part.id] : [])
          : []
      )
      expect(ids).toHaveLength(2)
      expect(new Set(ids).size).toBe(2)
    }))
})
