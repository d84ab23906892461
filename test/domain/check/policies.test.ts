/** The checker finds each planted violation of a policy, and its witness shows the refusal on the real turn. */
import { describe, expect, it } from "@effect/vitest"
import { type Agent, SessionStore, type Tool } from "coxswain"
import * as Check from "coxswain/check"
import { Effect, Layer, Logger, LogLevel, Schema } from "effect"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"
import { kit, type Planted, planted } from "./PlantedPolicies.js"

const check = (options: object) => Check.check(kit, options as never)

/** Plays a witness; if the model makes the call, it does so in the last turn. Returns the calls of the last turn. */
const play = (options: object, { turns }: Check.Witness, { model, tool }: Pick<Planted, "model" | "tool">) => {
  let turn = 0
  let isAsked = false
  const understanding = ScriptedUnderstanding.make(() => {
    const { conditions, fields, flow } = turns[turn]!
    return {
      flowScores: flow === undefined ? {} : { [flow]: 100 },
      fields,
      conditions: Object.fromEntries(conditions.map((id) => [id, true]))
    }
  })
  const script = Script.make(() => {
    if (model === undefined || turn < turns.length - 1 || isAsked) return "Very well"
    isAsked = true
    return [Script.toolCall(tool, model)]
  })
  return Effect.gen(function*() {
    // The definition is untyped.
    const agent = yield* (kit.make as unknown as (options: object) => Effect.Effect<Agent.Agent<object, object>>)(
      options
    )
    const calls: Array<ReadonlyArray<Tool.ToolCallRecord>> = []
    const steps: Array<ReadonlyArray<string>> = []
    for (; turn < turns.length; turn++) {
      const response = yield* agent.respond({ sessionId: "s", message: `message ${turn}` })
      calls.push(response.toolCalls)
      steps.push(response.executedSteps.map(({ flowId, stepId }) => `${flowId}/${stepId}`))
    }
    return { calls, steps }
  }).pipe(
    Effect.provide(Layer.mergeAll(understanding.layer, script.layer, SessionStore.layerMemory)),
    Logger.withMinimumLogLevel(LogLevel.Error)
  )
}

const refusals = (calls: ReadonlyArray<Tool.ToolCallRecord> = []) =>
  calls.filter(({ outcome }) => outcome === "denied").map(({ output, toolId }) => [toolId, JSON.stringify(output)])

const talk = { title: "Talk", when: "talk", steps: [{ prompt: "Help", onlyTools: [], until: () => false }] }

describe("a planted violation of a policy", () => {
  it("is tested with a hundred sets of policies", () => expect(planted).toHaveLength(100))

  it.effect.each(planted)(
    "is reported with a conversation in which the policy refuses the call: $name",
    ({ code, model, options, path, tool }) =>
      Effect.gen(function*() {
        const report = check(options)
        const found = report.findings.find((one) => one.code === code && one.path === path)
        expect(found, Check.render(report)).toBeDefined()
        const others = report.findings.filter(({ code }) =>
          !code.startsWith("policy-") && code !== "tool-never-offered"
        )
        expect(others, Check.render(report)).toEqual([])
        const witness = found!.witness!
        const { calls, steps } = yield* play(options, witness, { tool, ...(model !== undefined && { model }) })
        expect(steps, Check.render(report)).toEqual(witness.turns.map(({ steps }) => steps))
        expect(refusals(calls.at(-1))).toEqual([[tool, expect.stringContaining("policy: ")]])
        expect(calls.slice(0, -1).flatMap(refusals)).toEqual([])
      })
  )

  it.effect.each(planted)(
    "is not reported for the corrected definition: $name",
    ({ model, options, path, sound, tool, code }) =>
      Effect.gen(function*() {
        const report = check(sound)
        expect(report.findings, Check.render(report)).toEqual([])
        if (model !== undefined) return
        // The conversation that shows the violation shows none here.
        const { witness } = check(options).findings.find((one) => one.code === code && one.path === path)!
        const { calls } = yield* play(sound, witness!, { tool })
        expect(calls.flatMap(refusals)).toEqual([])
      })
  )
})

describe("a policy that only literal arguments or the engine's own calls can meet", () => {
  const tool = (id: string, more: object = {}) =>
    kit.tool({ id, parameters: { id: Schema.String }, handler: () => "done", ...more })
  const [act, verify, close] = [tool("act"), tool("verify"), tool("close")]
  const call = (one: typeof act, id: string) => ({ id: one.id, call: one.with({ id }) })
  const flow = (...steps: ReadonlyArray<object>) => ({
    title: "Act",
    when: "act",
    steps: [...steps, call(act, "a"), { id: "bye", reply: "Bye" }]
  })
  const same = { id: { argument: "id" } }
  const look = (more: object = {}) => tool("look", { isReadOnly: true, ...more })
  /** A definition in which the engine makes the missing call of `look` itself. */
  const satisfying = (looks: object, more: object = {}, other: object = {}) => ({
    policies: [{ tool: "act", satisfy: true, onlyIf: { called: "look", with: same, ...more } }],
    tools: [looks],
    idle: "silent",
    flows: [flow()],
    ...other
  })
  const policies = (onlyIf: object) => ({ policies: [{ tool: "act", onlyIf }] })

  const isDone = (more: object = {}) => ({ compare: [{ result: "verify", ...more }, "==", { value: "done" }] })

  const adding = (left: number, by: string, right: number) => ({
    compare: [{ calc: [{ value: left }, by, { value: right }] }, "<=", { value: 10 }]
  })
  const waiting = (from: string, to: string) => ({
    compare: [{ between: [{ value: from }, { value: to }], unit: "days" }, ">=", { value: 14 }]
  })
  const counted = { compare: [{ calc: [{ result: "verify" }, "+", { value: 1 }] }, "!=", { value: 1 }] }

  const cases: Readonly<Record<string, readonly [wrong: object, sound: object]>> = {
    "another literal argument of the required call": [
      { ...policies({ called: "verify", with: same }), flows: [flow(call(verify, "b"))] },
      { ...policies({ called: "verify", with: same }), flows: [flow(call(verify, "a"))] }
    ],
    "another literal argument of the call whose result is compared": [
      {
        ...policies({ compare: [{ result: "verify", with: { id: { value: "a" } } }, "==", { value: "done" }] }),
        flows: [flow(call(verify, "b"))]
      },
      {
        ...policies({ compare: [{ result: "verify", with: { id: { value: "b" } } }, "==", { value: "done" }] }),
        flows: [flow(call(verify, "b"))]
      }
    ],
    "the literal argument of the call that excludes it": [
      { ...policies({ not: { called: "close", with: same } }), flows: [flow(call(close, "a"))] },
      { ...policies({ not: { called: "close", with: same } }), flows: [flow(call(close, "b"))] }
    ],
    "a result that an earlier call of the tool has made out of date": [
      { ...policies(isDone()), flows: [flow(call(verify, "a"), { ...call(act, "a"), id: "first" })] },
      { ...policies(isDone({ ever: true })), flows: [flow(call(verify, "a"), { ...call(act, "a"), id: "first" })] }
    ],
    "an out-of-date result of a required call": [
      {
        ...policies({ called: "verify", result: { "": { value: "done" } } }),
        flows: [flow(call(verify, "a"), { ...call(act, "a"), id: "first" })]
      },
      {
        ...policies({ called: "verify", result: { "": { value: "done" } } }),
        flows: [flow(call(verify, "a"), { ...call(act, "a"), id: "first" }, { ...call(verify, "a"), id: "again" })]
      }
    ],
    "one of several tools of `since`": [
      { ...policies(isDone({ since: ["close", "act"] })), flows: [flow(call(verify, "a"), call(close, "a"))] },
      { ...policies(isDone({ since: ["close", "act"] })), flows: [flow(call(close, "a"), call(verify, "a"))] }
    ],
    "a sum of literals": [
      { ...policies(adding(5, "+", 6)), flows: [flow()] },
      { ...policies(adding(5, "+", 5)), flows: [flow()] }
    ],
    "a calculation that has no value": [
      { ...policies({ not: adding(5, "/", 0) }), flows: [flow()] },
      { ...policies({ not: adding(55, "/", 5) }), flows: [flow()] }
    ],
    "a literal argument that is not in a list": [
      { ...policies({ compare: [{ argument: "id" }, "in", { value: ["b", "c"] }] }), flows: [flow()] },
      { ...policies({ compare: [{ argument: "id" }, "in", { value: ["a", "b"] }] }), flows: [flow()] }
    ],
    "days between literals": [
      { ...policies(waiting("2027-01-01", "2027-01-05")), flows: [flow()] },
      { ...policies(waiting("2027-01-01", "2027-01-20")), flows: [flow()] }
    ],
    "a result in a calculation that nothing reads": [
      {
        ...policies(counted),
        flows: [flow(), { ...talk, steps: [{ id: "verify", call: verify.with({ id: "a" }) }] }],
        idle: "silent"
      },
      { ...policies(counted), flows: [flow(call(tool("verify", { handler: () => 5 }), "a"))] }
    ],
    "no argument for the engine's own call": [satisfying(look(), { with: {} }), satisfying(look())],
    "an approval that the engine's own call needs": [
      satisfying(look({ needsApproval: true })),
      satisfying(look({ needsApproval: () => false }))
    ],
    "a policy that forbids the engine's own call": [
      satisfying(look({ policies: [{ never: true }] })),
      satisfying(look({ policies: [{ atMost: 3 }] }))
    ],
    "tools that require each other": [
      satisfying(look({ policies: [{ onlyIf: { called: "act" }, satisfy: true }] })),
      satisfying(look({ policies: [{ onlyIf: { not: { called: "act" } }, satisfy: true }] }))
    ],
    "the engine's own call, whose tool another flow has": [
      satisfying(look(), {}, { tools: [], flows: [flow(), { ...talk, tools: [look()] }] }),
      satisfying(look(), {}, { tools: [], flows: [{ ...flow(), tools: [look()] }, talk] })
    ]
  }

  it.effect.each(Object.entries(cases))(
    "is reported with a conversation that shows the fault: %s",
    ([, [wrong, sound]]) =>
      Effect.gen(function*() {
        const found = (options: object) => check({ name: "Bot", ...options })
        const codes = found(sound).findings.map(({ code }) => code).filter((code) => code.startsWith("policy-"))
        expect(codes, Check.render(found(sound))).toEqual([])
        const report = found(wrong)
        const finding = report.findings.find(({ code }) => code.startsWith("policy-"))
        expect(finding?.witness, Check.render(report)).toBeDefined()
        const { calls } = yield* play({ name: "Bot", ...wrong }, finding!.witness!, { tool: "act" })
        expect(refusals(calls.at(-1)).map(([toolId]) => toolId)).toContain("act")
        const played = yield* play({ name: "Bot", ...sound }, finding!.witness!, { tool: "act" })
        expect(played.calls.flatMap(refusals)).toEqual([])
      })
  )
})

describe("a tool that `onlyTools` hides everywhere", () => {
  const tool = (id: string, more: object = {}) => kit.tool({ id, handler: () => "done", ...more })
  const found = (step: object, more: object = {}, flow: object = {}) =>
    check({
      name: "Bot",
      policies: [{ tool: "pay", onlyIf: { called: "verify" } }],
      tools: [tool("pay"), tool("verify", { isReadOnly: true })],
      flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Help", until: () => false, ...step }], ...flow }],
      ...more
    })
  const codes = (report: Check.Report) => report.findings.map(({ code, path }) => `${code} ${path}`)
  const both = ["policy-never-met policies[0]", "tool-never-offered tools[1]"]

  it.effect("is reported, with the policy that needs its call, if each message enters an only flow without an end", () =>
    Effect.gen(function*() {
      const options = {
        name: "Bot",
        policies: [{ tool: "pay", onlyIf: { called: "verify" } }],
        tools: [tool("pay"), tool("verify")],
        flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Help", until: () => false, onlyTools: ["pay"] }] }]
      }
      const report = check(options)
      expect(codes(report), Check.render(report)).toEqual(both)
      const { calls } = yield* play(options, report.findings[0]!.witness!, { tool: "pay", model: {} })
      expect(refusals(calls.at(-1)).map(([toolId]) => toolId)).toEqual(["pay"])
    }))

  it("is reported also if the flow hides it", () => expect(codes(found({}, {}, { onlyTools: ["pay"] }))).toEqual(both))

  it("is not reported if a message may find no flow active: the agent then offers it", () => {
    const only = { onlyTools: ["pay"] }
    expect(codes(found(only, {}, { when: "talk" }))).toEqual([])
    expect(codes(found(only, {}, { if: () => true }))).toEqual([])
    expect(codes(found({ ...only, until: undefined }))).toEqual([])
    expect(codes(found(only, { idle: "silent" }, { when: "talk" }))).toEqual(both)
  })

  it("is not reported if the engine calls it, for a step or with `satisfy`", () => {
    const satisfying = { policies: [{ tool: "pay", onlyIf: { called: "verify" }, satisfy: true }] }
    expect(codes(found({ onlyTools: ["pay"] }, satisfying))).toEqual([])
    const steps = [{ id: "verify", call: tool("verify").with({}) }, {
      prompt: "Help",
      onlyTools: ["pay"],
      until: () => false
    }]
    expect(codes(found({}, {}, { steps }))).toEqual([])
  })

  it("is reported if only a step without a model has it in scope", () =>
    expect(codes(check({
      name: "Bot",
      flows: [{
        title: "Talk",
        tools: [tool("verify")],
        steps: [{ id: "look", call: tool("look").with({}) }, { reply: "Bye" }]
      }]
    }))).toEqual(["tool-never-offered flows[0].tools[0]"]))
})

describe("the tools that may change something", () => {
  const tool = (id: string, more: object = {}) => ({ id, handler: () => "done", ...more })
  const report = (tools: ReadonlyArray<object>, more: object = {}) =>
    check({ name: "Bot", tools, flows: [{ title: "F", steps: [{ prompt: "Help" }] }], ...more })

  it("are listed as unguarded, but not as findings, if no policy, permission check or approval is defined", () => {
    const told = report([tool("pay"), tool("look", { isReadOnly: true })])
    expect([told.unguarded, told.findings]).toEqual([["pay"], []])
    expect(Check.render(told)).toContain(
      "\ninfo: no policy, gate or approval is about \"pay\", which may change something"
    )
  })

  it("are not listed as unguarded if the definition has a permission check, an approval or a policy", () => {
    expect(report([tool("pay"), tool("give", { needsApproval: true })]).unguarded).toBeUndefined()
    expect(report([tool("pay", { checkPermissions: () => true })]).unguarded).toBeUndefined()
    expect(report([tool("pay")], { policies: [{ tool: "pay", atMost: 1 }] }).unguarded).toBeUndefined()
    expect(report([tool("look", { isReadOnly: true })]).unguarded).toBeUndefined()
  })
})

describe("a policy that requires an earlier call of another tool", () => {
  const rule = { tool: "pay", onlyIf: { called: "verify" } }
  const agent = (flows: ReadonlyArray<object>, more: object = {}) =>
    check({ name: "Bot", policies: [rule], flows, ...more }).findings.map(({ code }) => code)
  const tool = (id: string) => kit.tool({ id, handler: () => "done" })
  const talk = (title: string, tools: ReadonlyArray<object>) => ({
    title,
    when: title,
    steps: [{ prompt: "Help", tools, until: () => false }]
  })

  it("is not reported if another flow offers the required tool", () => {
    expect(agent([talk("pay", [tool("pay")]), talk("who", [tool("verify")])])).toEqual([])
    expect(agent([talk("pay", [tool("pay"), tool("verify")])])).toEqual([])
  })

  it("is not reported if the flow requires a field that only the required call fills", () => {
    const who = {
      title: "Who",
      when: "who",
      steps: [{ id: "verify", call: tool("verify").with({}), bind: "limit" }, { reply: "Hello" }]
    }
    const pay = {
      title: "Pay",
      when: "pay",
      if: ({ data }: { readonly data: { readonly limit?: number } }) => data.limit !== undefined,
      steps: [{ id: "pay", call: tool("pay").with({}), then: { denied: { abort: "it is refused" } } }, {
        reply: "Paid"
      }]
    }
    expect(agent([who, pay])).toEqual([])
    expect(agent([who, { ...pay, if: undefined }])).toEqual(["policy-unmet"])
  })

  it("is not reported if a hook may inject the required tool", () =>
    expect(agent([{
      title: "Pay",
      steps: [{
        prompt: "Help",
        tools: [tool("pay")],
        until: () => false,
        prepare: () => ({ injectTools: [tool("verify")] })
      }]
    }], { tools: [{ id: "verify", handler: () => "" }], idle: "silent" })).toEqual([]))

  it("is not reported if the library may make the required call itself (`satisfy`), which needs a read-only tool", () => {
    const pay = { title: "Pay", steps: [{ id: "pay", call: tool("pay").with({}) }, { reply: "Paid" }] }
    const found = (isReadOnly: boolean) =>
      agent([pay], {
        policies: [{ ...rule, satisfy: true }],
        tools: [{ id: "verify", isReadOnly, handler: () => "" }],
        idle: "silent"
      }).filter((code) => code.startsWith("policy-"))
    expect([found(true), found(false)]).toEqual([[], ["policy-never-met"]])
  })
})
