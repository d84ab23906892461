import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import type { PendingApproval } from "../../../src/domain/session/Session.js"
import * as Ending from "../../../src/domain/turn/Ending.js"

const endings: ReadonlyArray<Ending.Ending> = [
  Ending.open,
  { _tag: "Halted" },
  { _tag: "Spoken" },
  { _tag: "Replied" },
  { _tag: "Moved", by: "goto" },
  { _tag: "Moved", by: "reset" },
  { _tag: "OutOfRounds" },
  { _tag: "Aborted" },
  { _tag: "Waiting", suspended: {} as PendingApproval }
]

const any = fc.constantFrom(...endings)
const step = (flowId: string, last = false) => ({ flowId, stepId: "s", last })

describe("Ending (how a turn ends)", () => {
  it("`forward` combines endings associatively; the order of endings of different kinds does not matter", () => {
    fc.assert(fc.property(any, any, any, (a, b, c) => {
      expect(Ending.forward(Ending.forward(a, b), c)).toEqual(Ending.forward(a, Ending.forward(b, c)))
      if (a._tag !== b._tag) expect(Ending.forward(a, b)).toEqual(Ending.forward(b, a))
      expect(Ending.forward(Ending.open, a)).toEqual(a)
      expect(Ending.forward(a, Ending.open)).toEqual(a)
    }))
  })

  it("`forward` keeps the later of two `Moved` endings", () => {
    expect(Ending.forward({ _tag: "Moved", by: "goto" }, { _tag: "Moved", by: "reset" })).toEqual({
      _tag: "Moved",
      by: "reset"
    })
  })

  it.each<readonly [string, Ending.Ending, Ending.Speaker | undefined, ReadonlyArray<string>]>([
    ["needs_approval", endings[8]!, step("a"), ["a"]],
    ["aborted", { _tag: "Aborted" }, step("a"), ["a"]],
    ["max_tool_rounds", { _tag: "OutOfRounds" }, step("a"), ["a"]],
    ["goto", { _tag: "Moved", by: "goto" }, step("a"), ["a"]],
    ["reset", { _tag: "Moved", by: "reset" }, step("a"), []],
    ["completed", { _tag: "Spoken" }, step("a", true), ["a"]],
    ["completed", { _tag: "Replied" }, undefined, ["a"]],
    ["completed", { _tag: "Spoken" }, "idle", ["a"]],
    ["last_step", { _tag: "Spoken" }, step("b", true), ["a"]],
    ["needs_input", { _tag: "Spoken" }, step("b"), ["a"]],
    ["reply", { _tag: "Replied" }, step("b"), ["a"]],
    ["reply", { _tag: "Replied" }, undefined, []],
    ["idle", { _tag: "Spoken" }, "idle", []],
    ["idle", { _tag: "Halted" }, "idle", []],
    ["halt", { _tag: "Halted" }, undefined, []],
    ["halt", { _tag: "Halted" }, step("a"), []]
  ])("gives the response the stopped reason %s", (reason, ending, speaker, completed) => {
    expect(Ending.stoppedReason(ending, speaker, completed)).toBe(reason)
  })
})
