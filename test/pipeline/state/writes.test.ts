/** Writes of tools and hooks: applied in call order, never lost silently, and side effects are not repeated. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Limits } from "coxswain"
import { Deferred, Effect, Schema } from "effect"
import type { Answer } from "../../support/Script.js"
import { toolCall } from "../../support/Script.js"
import * as ScriptedLayers from "../../support/ScriptedLayers.js"

const kit = Agent.define({
  data: Schema.Struct({
    notes: Schema.Array(Schema.String),
    seats: Schema.Int,
    refunds: Schema.Array(Schema.Struct({ order: Schema.String, note: Schema.String }))
  }),
  context: Schema.Struct({ hits: Schema.optional(Schema.Int) })
})

const talk = [{
  title: "Talk",
  initialData: { notes: [], refunds: [] },
  steps: [{ id: "talk", prompt: "Talk", until: () => false }]
}]
const ask = (message = "hi", messageId?: string) => ({
  sessionId: "s",
  message,
  context: {},
  ...(messageId !== undefined && { messageId })
})

/** A model that makes these calls round by round, then says "Done". */
const calling = (...rounds: ReadonlyArray<Answer>) =>
  ScriptedLayers.make({ speak: ({ tools }, index) => tools.length === 0 ? "Done" : rounds[index] ?? "Done" })

const text = { text: Schema.String }
const told = (calls: ReadonlyArray<{ readonly outcome: string; readonly output: unknown }>) =>
  calls.map(({ outcome, output }) => [outcome, JSON.stringify(output)])

describe("writes of concurrent tool calls", () => {
  /** Two tool calls in one round. */
  const both = (tool: (id: string) => unknown) =>
    Effect.gen(function*() {
      const play = calling([toolCall("one", { text: "a" }, "1"), toolCall("two", { text: "b" }, "2")])
      const agent = yield* kit.make({ name: "Bot", flows: talk, tools: [tool("one"), tool("two")] as never }).pipe(
        Effect.provide(play.layer)
      )
      return yield* agent.respond(ask())
    })

  it.effect("a conflicting `dataUpdate` fails the later call with an error that tells the model what to do", () =>
    Effect.gen(function*() {
      const response = yield* both((id) =>
        kit.tool({
          id,
          parameters: text,
          isReadOnly: true,
          handler: ({ text }, { data }) => ({
            ok: true,
            outputMessage: "noted",
            dataUpdate: { notes: [...data.notes ?? [], text] }
          })
        })
      )
      expect(response.session.data.notes).toEqual(["a"])
      expect(told(response.toolCalls)).toEqual([
        ["ok", "\"noted\""],
        [
          "failed",
          expect.stringMatching(/"notes.*" was written by another call of the round.*give updateData a function/)
        ]
      ])
    }))

  it.effect("a conflicting `updateData` fails with an error that the handler can catch", () =>
    Effect.gen(function*() {
      const response = yield* both((id) =>
        kit.tool({
          id,
          parameters: text,
          isReadOnly: true,
          handler: ({ text }, { data, updateData }) =>
            updateData({ notes: [...data.notes ?? [], text] }).pipe(
              Effect.as("noted"),
              Effect.catchTag("DataValidationError", ({ fields }) => Effect.succeed(`not ${fields[0]?.field}`))
            )
        })
      )
      expect(response.session.data.notes).toEqual(["a"])
      expect(response.toolCalls.map(({ output }) => output)).toEqual(["noted", "not notes"])
    }))

  it.effect("update functions are applied in call order, whichever call finishes first", () =>
    Effect.gen(function*() {
      const second = yield* Deferred.make<void>()
      const response = yield* both((id) =>
        kit.tool({
          id,
          parameters: text,
          isReadOnly: true,
          handler: ({ text }, { updateContext, updateData }) =>
            Effect.gen(function*() {
              if (id === "two") yield* Deferred.succeed(second, undefined)
              else yield* Deferred.await(second)
              yield* updateData(({ notes = [] }) => ({ notes: [...notes, text] }))
              yield* updateData(({ notes = [] }) => ({ notes: [...notes, text.toUpperCase()] }))
              yield* updateContext(({ hits = 0 }) => ({ hits: hits + 1 }))
              return "noted"
            })
        })
      )
      expect(response.session.data.notes).toEqual(["a", "A", "b", "B"])
      expect(response.session.context).toEqual({ hits: 2 })
      expect(response.toolCalls.map(({ outcome }) => outcome)).toEqual(["ok", "ok"])
    }))

  it.effect("writes of different fields, and of the same value, are merged", () =>
    Effect.gen(function*() {
      const response = yield* both((id) =>
        kit.tool({
          id,
          parameters: text,
          isReadOnly: true,
          handler: () => ({
            ok: true,
            outputMessage: "ok",
            dataUpdate: id === "one" ? { notes: ["x"] } : { notes: ["x"], seats: 2 }
          })
        })
      )
      expect(response.session.data).toMatchObject({ notes: ["x"], seats: 2 })
      expect(response.toolCalls.map(({ outcome }) => outcome)).toEqual(["ok", "ok"])
    }))

  it.effect("a tool call that runs after another one sees the earlier write and can overwrite it", () =>
    Effect.gen(function*() {
      const response = yield* both((id) =>
        kit.tool({
          id,
          parameters: text,
          handler: ({ text }, { data }) => ({
            ok: true,
            outputMessage: "noted",
            dataUpdate: { notes: [...data.notes ?? [], text] }
          })
        })
      )
      expect(response.session.data.notes).toEqual(["a", "b"])
    }))
})

describe("writes of hooks and signals", () => {
  it.effect("`updateData` with a function sees the values written since the hook began", () =>
    Effect.gen(function*() {
      const add = (text: string) => ({ notes = [] }: { readonly notes?: ReadonlyArray<string> }) => ({
        notes: [...notes, text]
      })
      const agent = yield* kit.make({
        name: "Bot",
        signals: [
          kit.signal({
            id: "heard",
            phase: "pre",
            if: () => true,
            handler: ({ updateData }) => Effect.zipRight(updateData(add("signal")), updateData(add("again")))
          })
        ],
        flows: [{
          title: "Talk",
          initialData: { notes: [] },
          hooks: { onEnter: ({ updateData }) => updateData(add("flow")) },
          steps: [{
            id: "talk",
            prompt: "Talk",
            prepare: ({ updateData }) => Effect.zipRight(updateData(add("step")), updateData(add("once more"))),
            until: () => false
          }]
        }]
      }).pipe(Effect.provide(calling().layer))
      const { session } = yield* agent.respond(ask())
      expect(session.data.notes).toEqual(["signal", "again", "flow", "step", "once more"])
    }))

  it.effect("a returned update overwrites a dispatched update of the same field", () =>
    Effect.gen(function*() {
      const notes = (text: string) => ({ dataUpdate: { notes: [text] } })
      const seen: Array<ReadonlyArray<string> | undefined> = []
      const agent = yield* kit.make({
        name: "Bot",
        signals: [
          kit.signal({
            id: "heard",
            phase: "pre",
            if: () => true,
            handler: ({ dispatch }) => Effect.as(dispatch(notes("dispatched")), notes("by the signal"))
          })
        ],
        flows: [{
          title: "Talk",
          hooks: {
            onEnter: ({ data, dispatch }) => {
              seen.push(data.notes)
              return Effect.as(dispatch(notes("dispatched")), notes("by the flow"))
            }
          },
          steps: [{ id: "talk", prompt: "Talk", until: () => false }]
        }]
      }).pipe(Effect.provide(calling().layer))
      const { session } = yield* agent.respond(ask())
      expect(seen).toEqual([["by the signal"]])
      expect(session.data.notes).toEqual(["by the flow"])
    }))
})

describe("a tool call whose write was refused after the tool had run", () => {
  const desk = Effect.suspend(() =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const long = "x".repeat(975)
      const pay = (order: string, note: string, n: number) => toolCall("refund", { order, note }, `${n}`)
      const play = calling(
        [pay("A1", long, 1), pay("B2", "short", 2)],
        "Done",
        [pay("A1", long, 3)]
      )
      const agent = yield* kit.make({
        name: "Bot",
        limits: { dataValue: 1_000 },
        flows: talk,
        tools: [kit.tool({
          id: "refund",
          parameters: { order: Schema.String, note: Schema.String },
          isDestructive: true,
          checkPermissions: (_, { data }) => (data.refunds ?? []).length === 0,
          handler: (given, { data, updateData }) =>
            Effect.gen(function*() {
              ran.push(given.order)
              yield* updateData({ refunds: [...data.refunds ?? [], given] })
              return "refunded"
            })
        })]
      }).pipe(Effect.provide(play.layer))
      return { agent, play, ran }
    })
  )

  it.effect("is not repeated, and its tool is not offered again in the turn", () =>
    Effect.gen(function*() {
      const { agent, play, ran } = yield* desk
      const first = yield* agent.respond(ask("refund it"))
      expect(ran).toEqual(["A1"])
      expect(first.toolCalls.map(({ outcome }) => outcome)).toEqual(["done_unrecorded", "denied"])
      expect(first.toolCalls[0]?.output).toMatchObject({ message: expect.stringContaining("do not do it again") })
      expect(play.asked.map(({ tools }) => tools.length)).toEqual([1, 0])
      expect(first.session.unrecorded).toMatchObject([{ toolId: "refund", callId: "1" }])
      const second = yield* agent.respond(ask("again"))
      expect(play.asked[2]?.tools).toEqual(["refund"])
      expect(second.toolCalls.map(({ outcome }) => outcome)).toEqual(["denied"])
      expect(ran).toEqual(["A1"])
    }))

  it.effect("is not repeated when the turn is repeated, because the call is in the journal", () =>
    Effect.gen(function*() {
      const { agent, ran } = yield* desk
      yield* agent.respond(ask("refund it", "m1"))
      yield* agent.respond(ask("refund it", "m1"))
      expect(ran).toEqual(["A1"])
    }))
})

describe("limits of tool arguments", () => {
  it("the resolved `toolArguments` is never larger than `dataValue`", () => {
    for (const given of [{}, { dataValue: 100 }, { toolArguments: 500_000 }]) {
      const { dataValue, toolArguments } = Limits.resolve(given)
      expect(toolArguments).toBeLessThanOrEqual(dataValue)
    }
    expect(Limits.resolve({ dataValue: 100 }).toolArguments).toBe(100)
  })

  it.effect("`make` refuses a `toolArguments` larger than `dataValue`", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(kit.make({ name: "Bot", limits: { dataValue: 100, toolArguments: 200 } }))
        .pipe(Effect.provide(calling().layer))
      expect(message).toContain("limits.toolArguments: is more than dataValue")
    }))
})
