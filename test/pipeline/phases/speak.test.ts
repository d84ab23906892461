/** Phase 8: speaking; the user is answered exactly once. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Answer, Asked } from "../../support/Script.js"
import { toolCall } from "../../support/Script.js"
import { table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, steps, talk } = Stage

describe("the message of a turn", () => {
  it.effect("the text of a step with `reply` is sent verbatim, without a model call", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        initialData: { name: "Ada" },
        flows: [{
          title: "F",
          steps: [
            { id: "a", reply: "Hello {{name}}" },
            { id: "b", reply: ({ data, message }) => Effect.succeed(`${data.name} said ${message}`) }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const answers = yield* Effect.forEach(["1", "2"], talk(agent))
      expect(answers.map(({ message }) => message)).toEqual(["Hello {{name}}", "Ada said 2"])
      expect(stage.prompts).toHaveLength(0)
    }))

  it.effect("if the text of a `reply` step is empty, the next step speaks", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "F", steps: [{ id: "a", reply: () => "" }, { id: "b", prompt: "b" }] }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("1")
      expect(steps(response)).toEqual(["f/a", "f/b"])
      expect(response.message).toBe("b")
    }))

  it.effect("if no flow is active, the `idle` prompt answers", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", idle: { prompt: ({ message }) => `Small talk on ${message}` } })
        .pipe(
          Effect.provide(stage.layer)
        )
      expect(yield* talk(agent)("rain")).toMatchObject({ message: "Small talk on \"rain\"", stoppedReason: "idle" })
    }))

  it.effect("with `idle: \"silent\"`, no model call is made, the message is empty, and the turn is stored", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({ name: "Bot", idle: "silent" }).pipe(Effect.provide(stage.layer))
      expect(yield* talk(agent)("rain")).toMatchObject({ message: "", stoppedReason: "idle" })
      expect(stage.prompts).toHaveLength(0)
      expect(stage.store.count("commit")).toBe(1)
    }))
})

describe("a directive returned by a tool", () => {
  const moving = (directive: object, speak: (asked: Asked, i: number) => Answer) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak })
      const agent = yield* kit.make({
        name: "Bot",
        tools: [{ id: "act", handler: () => ({ ok: true, outputMessage: "done", directive }) }],
        flows: [{ title: "F", steps: [{ id: "a", prompt: "a" }, { id: "b", prompt: "b" }, { id: "c", prompt: "c" }] }]
      }).pipe(Effect.provide(stage.layer))
      const events = yield* Stream.runCollect(agent.stream({ sessionId: "s1", message: "hi" }))
      const done = Array.from(events).at(-1)!
      if (done._tag !== "TurnCompleted") return yield* Effect.dieMessage(`ended with ${done._tag}`)
      return { stage, response: done.response, events: Array.from(events), say: talk(agent) }
    })

  it.effect("with a move ends the tool loop; if the model has sent no text, the target speaks in the same turn", () =>
    Effect.gen(function*() {
      const { response, stage } = yield* moving(
        { goToStep: "c" },
        (asked, i) => i === 0 ? [toolCall("act", {})] : Stage.task(asked)
      )
      expect(response.message).toBe("c")
      expect(steps(response)).toEqual(["f/a", "f/c"])
      expect(stage.prompts).toHaveLength(2)
    }))

  for (
    const { before, message } of [
      { before: "One moment", message: "One moment\n\nc" },
      { before: " ", message: "c" },
      { before: "\n\t", message: "c" }
    ]
  ) {
    it.effect(`with a move after the text ${JSON.stringify(before)}: the target speaks in the same turn`, () =>
      Effect.gen(function*() {
        const { events, response, stage } = yield* moving(
          { goToStep: "c" },
          (asked, i) => i === 0 ? [{ type: "text", text: before }, toolCall("act", {})] : Stage.task(asked)
        )
        expect(response).toMatchObject({ message, stoppedReason: "completed" })
        expect(steps(response)).toEqual(["f/a", "f/c"])
        expect(stage.prompts).toHaveLength(2)
        const told = events.flatMap((event) => event._tag === "TextDelta" ? [event.text] : [])
        expect(told.filter((text) => text.trim() === "")).toEqual([])
        expect(told.join("")).toBe(message)
      }))
  }

  it.effect("with a move after some text: a `reply` of the target is said after the text", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: () => [{ type: "text", text: "One moment" }, toolCall("act", {})] })
      const agent = yield* kit.make({
        name: "Bot",
        tools: [{ id: "act", handler: () => ({ ok: true, outputMessage: "done", directive: { goTo: "G" } }) }],
        flows: [
          { title: "F", steps: [{ id: "a", prompt: "a" }] },
          { title: "G", if: () => false, steps: [{ id: "b", reply: "Here it is." }, { id: "c", prompt: "c" }] }
        ]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "One moment\n\nHere it is." })
      expect(at(response)).toBe("g/b")
      expect(stage.prompts).toHaveLength(1)
    }))

  it.effect("a blank `reply` of a tool, or of a later directive, is no reply", () =>
    Effect.gen(function*() {
      const blank = yield* moving({ reply: " " }, (asked, i) => i === 0 ? [toolCall("act", {})] : Stage.task(asked))
      expect(blank.response).toMatchObject({ message: "a", stoppedReason: "needs_input" })
      const moved = yield* moving(
        { goToStep: "c", reply: " \n" },
        (asked, i) => i === 0 ? [toolCall("act", {})] : Stage.task(asked)
      )
      expect(moved.response).toMatchObject({ message: "c", stoppedReason: "completed" })
    }))

  it.effect("with `reply` ends the tool loop and replaces the message, also if text was already streamed", () =>
    Effect.gen(function*() {
      const { events, response, stage } = yield* moving(
        { reply: "Booked" },
        (asked, i) => i === 0 ? [{ type: "text", text: "One moment" }, toolCall("act", {})] : Stage.task(asked)
      )
      expect(response).toMatchObject({ message: "Booked", stoppedReason: "reply" })
      expect(stage.prompts).toHaveLength(1)
      expect(events.map(({ _tag }) => _tag).filter((tag) => tag === "TextDelta" || tag === "MessageReplaced")).toEqual([
        "TextDelta",
        "TextDelta",
        "MessageReplaced"
      ])
      expect(JSON.stringify(stage.store.writes)).not.toContain("One moment")
    }))

  it.effect("with `complete` completes the flow; if the model has sent no text, the `idle` prompt answers", () =>
    Effect.gen(function*() {
      const { response, stage } = yield* moving(
        { complete: true },
        (asked, i) => i === 0 ? [toolCall("act", {})] : Stage.task(asked)
      )
      expect(response).toMatchObject({ completedFlows: ["f"], stoppedReason: "completed" })
      expect(response.message).toContain("Nothing is in progress")
      expect(stage.prompts).toHaveLength(2)
    }))

  it.effect("with `abort` aborts the flow, and the `idle` prompt answers", () =>
    Effect.gen(function*() {
      const { response, stage } = yield* moving({ abort: "enough" }, (_, i) => i === 0 ? [toolCall("act", {})] : "no")
      expect(response).toMatchObject({ message: "no", stoppedReason: "aborted", completedFlows: [] })
      expect(response.session.currentFlow).toBeUndefined()
      expect(stage.prompts).toHaveLength(2)
    }))

  it.effect("with only `dataUpdate` does not end the tool loop, and the step answers", () =>
    Effect.gen(function*() {
      const { response, stage } = yield* moving(
        { dataUpdate: { note: "by tool" } },
        (asked, i) => i < 2 ? [toolCall("act", {}, `call_${i}`)] : Stage.task(asked)
      )
      expect(response.session.data).toEqual({ note: "by tool" })
      expect(response.toolCalls).toHaveLength(2)
      expect(stage.prompts).toHaveLength(3)
      expect(response.usage.modelCalls).toBe(3)
    }))
})

describe("the limit of tool rounds", () => {
  it.effect("after `maxToolRounds` rounds, a last model call without tools gives the answer", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        speak: ({ tools }, i) => tools.length === 0 ? "Enough" : [toolCall("look", {}, `call_${i}`)]
      })
      const agent = yield* kit.make({ name: "Bot", maxToolRounds: 2, tools: [{ id: "look", handler: () => "seen" }] })
        .pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "Enough", stoppedReason: "max_tool_rounds" })
      expect(response.usage.modelCalls).toBe(3)
      expect(response.toolCalls).toHaveLength(2)
    }))
})

describe("a user gets exactly one answer in each turn", () => {
  it.effect("each turn has one model call and one message, also if flows complete silently or resume", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: table({
          quiet: { flowScores: { quiet: 90 } },
          ask: { flowScores: { ask: 90 } },
          give: { fields: { city: "Lisbon" } }
        })
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          { title: "Quiet", when: "q", reentrant: true, steps: [{ id: "x", auto: true }], onComplete: "Then" },
          { title: "Then", if: () => false, steps: [{ id: "y", auto: true }] },
          { title: "Ask", when: "a", steps: [{ id: "city", prompt: "city", collect: ["city"] }] }
        ]
      }).pipe(Effect.provide(stage.layer))
      for (const message of ["hm", "quiet", "ask", "quiet", "give", "quiet", "hm"]) {
        const before = stage.prompts.length
        const response = yield* talk(agent)(message)
        expect(response.message, message).not.toBe("")
        expect(stage.prompts.length - before, message).toBe(1)
      }
      expect(stage.store.writes.every(({ messages }) => messages.length === 2)).toBe(true)
    }))
})
