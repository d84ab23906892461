import { describe, expect, it } from "@effect/vitest"
import { AgentOptions } from "coxswain"
import { compile } from "coxswain/domain/definition/compile/Compile"
import * as Erase from "coxswain/domain/definition/Erase"
import * as ToolScope from "coxswain/domain/definition/ToolScope"
import { Context, Schema } from "effect"

const tool = (id: string, from = "agent") => ({ id, description: from, handler: () => id })

const define = (options: object) => {
  expect(Schema.is(AgentOptions.AgentOptions)({ name: "Bot", ...options })).toBe(true)
  return compile(Erase.agent({ name: "Bot", ...options }), new Map(), new Map(), [], Context.empty())
}

const place = (flow: object, step: object, agent: object = {}) => {
  const definition = define({
    tools: [tool("a"), tool("b"), tool("c")],
    flows: [{ title: "F", steps: [{ id: "s", prompt: "x", ...step }], ...flow }],
    ...agent
  })
  const [first] = definition.flows
  return { definition, place: { flow: first, step: first?.steps[0] } }
}

const offered = (flow: object, step: object) => {
  const at = place(flow, step)
  return ToolScope.tools(at.definition, at.place).map(({ id }) => id)
}

describe("the tools of a step", () => {
  it("are those of the agent, the flow and the step", () => {
    expect(offered({ tools: [tool("f")] }, { tools: [tool("s")] })).toEqual(["a", "b", "c", "f", "s"])
  })

  it("are replaced by tools of the same id in a narrower scope", () => {
    const at = place({ tools: [tool("a", "flow")] }, { tools: [tool("a", "step")] })
    expect(ToolScope.tools(at.definition, at.place).find(({ id }) => id === "a")?.description).toBe("step")
    const [injected] = define({ tools: [tool("a", "injected")] }).tools
    expect(ToolScope.tools(at.definition, at.place, [injected!]).map(({ description, id }) => [id, description]))
      .toEqual(
        [["a", "injected"], ["b", "agent"], ["c", "agent"]]
      )
  })

  it("`onlyTools` of a flow filters the tools of the agent and the flow, not those of a step", () => {
    expect(offered({ onlyTools: ["a", "f"], tools: [tool("f"), tool("g")] }, { tools: [tool("s")] })).toEqual([
      "a",
      "f",
      "s"
    ])
  })

  it("`onlyTools` of a step filters all of its tools", () => {
    expect(offered({ tools: [tool("f")] }, { onlyTools: ["b", "s"], tools: [tool("s"), tool("t")] })).toEqual([
      "b",
      "s"
    ])
    expect(offered({ onlyTools: ["a"] }, { onlyTools: [] })).toEqual([])
  })

  it("injected tools are not filtered by `onlyTools`", () => {
    const at = place({}, { onlyTools: ["a"] })
    const [injected] = define({ tools: [tool("i")] }).tools
    expect(ToolScope.tools(at.definition, at.place, [injected!]).map(({ id }) => id)).toEqual(["a", "i"])
  })
})

describe("the tool limits of a step", () => {
  it("have defaults if nothing is configured", () => {
    expect(ToolScope.limits(define({}), {})).toEqual({
      toolChoice: "auto",
      maxToolCallsPerRound: 32,
      maxToolRounds: 10
    })
  })

  it("are each taken from the step, else the flow, else the agent", () => {
    const at = place(
      { maxToolRounds: 3, toolChoice: "required" },
      { toolChoice: { tool: "a" } },
      { maxToolRounds: 2, maxToolCallsPerRound: 4 }
    )
    expect(ToolScope.limits(at.definition, at.place)).toEqual({
      toolChoice: { tool: "a" },
      maxToolCallsPerRound: 4,
      maxToolRounds: 3
    })
  })
})
