import { describe, expect, it } from "@effect/vitest"
import { TurnEvent } from "coxswain"
import { Arbitrary, DateTime, Schema } from "effect"
import * as fc from "effect/FastCheck"
import * as TurnRecord from "../../../src/domain/turn/TurnRecord.js"

const any = Schema.Record({ key: Schema.String, value: Schema.Number })
const events = fc.array(Arbitrary.make(TurnEvent.schema(any, any)), { maxLength: 12 })

const fold = (facts: ReadonlyArray<TurnRecord.Fact>) => facts.reduce(TurnRecord.add, TurnRecord.empty)

describe("TurnRecord (the summary built from a turn's events)", () => {
  it("builds the same message from the events as `TurnEvent.message`", () => {
    fc.assert(fc.property(events, (events) => {
      expect(fold(events).said).toBe(TurnEvent.message(events))
    }))
  })

  it("counts every model call", () => {
    fc.assert(fc.property(events, (events) => {
      const calls = events.flatMap((event) => event._tag === "ModelCallFinished" ? [event] : [])
      const { usage } = fold(events)
      expect(usage.modelCalls).toBe(calls.length)
      expect(usage.calls.map(({ model }) => model)).toEqual(calls.map(({ model }) => model))
      expect("cost" in usage).toBe(calls.some(({ cost }) => cost !== undefined))
    }))
  })

  it("never mutates the record that is passed to it", () => {
    fc.assert(fc.property(events, (events) => {
      const before = fold(events.slice(0, 5))
      const copy = structuredClone(before)
      fold(events)
      events.forEach((event) => TurnRecord.add(before, event))
      expect(before).toEqual(copy)
    }))
  })

  it("lists the completed tool calls in the order in which they began", () => {
    const started = (id: string) => ({ _tag: "ToolCallStarted", id, name: "look", params: { at: id } }) as const
    const done = (id: string) =>
      ({ _tag: "ToolCallCompleted", id, name: "look", outcome: "ok", output: id, isFailure: false }) as const
    const record = fold([started("a"), started("b"), started("c"), done("b"), done("a")])
    expect(TurnRecord.toolCalls(record)).toEqual([
      { callId: "a", toolId: "look", params: { at: "a" }, outcome: "ok", output: "a", isFailure: false },
      { callId: "b", toolId: "look", params: { at: "b" }, outcome: "ok", output: "b", isFailure: false }
    ])
  })

  it("has no request for a decision after the turn was stopped", () => {
    const requestedAt = DateTime.unsafeMake(0)
    const request = { id: "r", callId: "c", toolId: "pay", params: {}, args: {}, requestedAt }
    const record = fold([{ _tag: "ApprovalRequested", request }])
    expect(record.approvals).toEqual([request])
    expect(TurnRecord.add(record, { _tag: "Interrupted", message: "" }).approvals).toEqual([])
  })

  it("does not treat internal facts as events", () => {
    expect(fc.sample(events, 100).flat().every(TurnRecord.isEvent)).toBe(true)
    expect(TurnRecord.isEvent({ _tag: "Traced", entry: { kind: "k", source: "s", message: "m" } })).toBe(false)
    expect(TurnRecord.isEvent({ _tag: "StepExecuted", flowId: "f", stepId: "s" })).toBe(false)
  })

  it("contains only the latest entry of an instruction that was applied twice", () => {
    const applied = (scope: "agent" | "step") =>
      ({ _tag: "InstructionsApplied", instructions: [{ id: "i", scope }] }) as const
    expect(fold([applied("agent"), applied("step")]).appliedInstructions).toEqual([{ id: "i", scope: "step" }])
  })
})
