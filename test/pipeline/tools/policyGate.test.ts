/** Policies at real turns: which calls run, what the model is told of the others, and what the session keeps. */
import { describe, expect, it } from "@effect/vitest"
import type { Tool } from "coxswain"
import { Agent, Errors, Policy, SessionStore, ToolExecutor } from "coxswain"
import { Deferred, Effect, Layer, Schema, Stream, TestClock } from "effect"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"

const { toolCall } = Script

const kit = Agent.define({ data: Schema.Struct({ max: Schema.Number.annotations({ extract: "never" }) }) })

/** Tools of a shop; `ran` has the calls whose handler ran. */
const shop = (ran: Array<string>, refunding: Effect.Effect<unknown, string> = Effect.succeed("refunded")) => [
  kit.tool({
    id: "verify",
    parameters: { customer: Schema.String },
    handler: ({ customer }) => {
      ran.push(`verify ${customer}`)
      return customer === "nobody" ? Effect.fail("there is no such customer") : "verified"
    }
  }),
  kit.tool({ id: "logout", handler: () => (ran.push("logout"), "bye") }),
  kit.tool({
    id: "get_order",
    isReadOnly: true,
    parameters: { order: Schema.String },
    handler: ({ order }) => ({ ok: true, outputMessage: `Order ${order}`, details: { total: 100, order } })
  }),
  kit.tool({
    id: "refund",
    parameters: { order: Schema.String, customer: Schema.String, amount: Schema.NumberFromString },
    isConcurrencySafe: true,
    isDestructive: true,
    // The model of these tests makes the arguments up.
    accepts: "any",
    needsApproval: ({ amount }) => amount > 90,
    handler: ({ amount, order }) =>
      Effect.zipRight(Effect.sync(() => void ran.push(`refund ${order} ${amount}`)), refunding)
  })
]

const refund = (more: object = {}, id?: string) =>
  toolCall("refund", { order: "o1", customer: "c1", amount: "50", ...more }, id)
const verify = (customer = "c1", id?: string) => toolCall("verify", { customer }, id)

const verified: Policy.Policy = {
  tool: "refund",
  onlyIf: { called: "verify", with: { customer: { argument: "customer" } }, since: "logout" }
}

/** An agent whose model makes these calls, one list per message, then says "Done". */
const make = (
  policies: ReadonlyArray<Policy.Policy>,
  script: ReadonlyArray<Script.Answer>,
  more: {
    readonly refunding?: Effect.Effect<unknown, string>
    readonly snapshots?: { readonly keep: number }
    readonly predicates?: Readonly<Record<string, Policy.Predicate>>
  } = {}
) =>
  Effect.gen(function*() {
    const ran: Array<string> = []
    let message = 0
    const agent = yield* kit.make({
      name: "Shop",
      policies,
      tools: shop(ran, more.refunding),
      ...(more.snapshots !== undefined && { snapshots: more.snapshots }),
      ...(more.predicates !== undefined && { policyPredicates: more.predicates }),
      flows: [{ title: "Help", initialData: { max: 60 }, steps: [{ id: "help", prompt: "Help", until: () => false }] }]
    }).pipe(Effect.provide(Layer.mergeAll(
      Script.make(({ prompt }) => prompt.content.at(-1)?.role === "user" ? script[message++] ?? "Done" : "Done").layer,
      ScriptedUnderstanding.make(() => ({ flowScores: { help: 90 } })).layer
    )))
    const say = (n = 1, messageId = `m${n}`) => agent.respond({ sessionId: "s", message: `message ${n}`, messageId })
    return { agent, ran, say }
  })

const results = (records: ReadonlyArray<Tool.ToolCallRecord>) => records.map(({ outcome, output }) => [outcome, output])
const memory = Effect.provide(SessionStore.layerMemory)

describe("a call that violates a policy", () => {
  it.effect("does not run; the model is told the rule and the missing calls", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* make([verified], [[refund()], [verify("c2")], [refund()]])
      const expected = [["denied", {
        error: "denied",
        message:
          "policy: \"refund\" may be called only if \"verify\" was called with customer = this call's customer, after the last \"logout\"",
        missing: [{ tool: "verify", arguments: { customer: "c1" } }]
      }]]
      expect(results((yield* say(1)).toolCalls)).toEqual(expected)
      yield* say(2)
      // Somebody else was verified.
      expect(results((yield* say(3)).toolCalls)).toEqual(expected)
      expect(ran).toEqual(["verify c2"])
    }).pipe(memory))

  it.effect("is refused before a person is asked", () =>
    Effect.gen(function*() {
      const { say } = yield* make([verified], [[refund({ amount: "95" })], [verify(), refund({ amount: "95" })]])
      expect((yield* say(1)).stoppedReason).toBe("last_step")
      expect((yield* say(2)).stoppedReason).toBe("needs_approval")
    }).pipe(memory))

  it.effect("does not count as a call for other policies", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* make([verified, { tool: "refund", atMost: 1 }], [[refund()], [verify(), refund()]])
      yield* say(1)
      yield* say(2)
      expect(ran).toEqual(["verify c1", "refund o1 50"])
    }).pipe(memory))
})

describe("a call that satisfies its policies", () => {
  it.effect("runs if the call that `onlyIf` requires came before, with no `since` call in between", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* make([verified], [
        [verify("c1", "v1"), refund({}, "r1")],
        [refund({ order: "o2" }, "r2")],
        [toolCall("logout", {})],
        [refund({ order: "o3" }, "r3")]
      ])
      for (const n of [1, 2, 3, 4]) yield* say(n)
      expect(ran).toEqual(["verify c1", "refund o1 50", "refund o2 50", "logout"])
    }).pipe(memory))

  it.effect("a failed call does not count as the call that a policy requires", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* make([verified], [[verify("nobody"), refund({ customer: "nobody" })]])
      expect((yield* say()).toolCalls.map(({ outcome }) => outcome)).toEqual(["failed", "denied"])
      expect(ran).toEqual(["verify nobody"])
    }).pipe(memory))

  it.effect("can have an argument that the policy compares with data or with the result of another tool", () =>
    Effect.gen(function*() {
      const { say } = yield* make([
        { tool: "refund", onlyIf: { compare: [{ argument: "amount" }, "<=", { result: "get_order", path: "total" }] } },
        { tool: "refund", onlyIf: { compare: [{ argument: "amount" }, "<=", { field: "max" }] } }
      ], [
        [refund({}, "r1")],
        [toolCall("get_order", { order: "o1" }), refund({}, "r2")],
        [refund({ amount: "61" }, "r3")]
      ])
      const outcomes = yield* Effect.forEach(
        [1, 2, 3],
        (n) => Effect.map(say(n), ({ toolCalls }) => toolCalls.map(({ outcome }) => outcome))
      )
      expect(outcomes).toEqual([["denied"], ["ok", "ok"], ["denied"]])
    }).pipe(memory))
})

describe("the policy option `atMost`", () => {
  const once: Policy.Policy = { tool: "refund", atMost: 1, per: ["order"] }

  it.effect("refuses a second call whose `per` arguments are equal, in the same round or in a later turn", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* make([once], [
        [refund({}, "a"), refund({ amount: "40" }, "b"), refund({ order: "o2" }, "c")],
        [refund({ amount: "50.0", customer: "c2" }, "d")]
      ])
      expect((yield* say(1)).toolCalls.map(({ outcome }) => outcome)).toEqual(["ok", "denied", "ok"])
      expect((yield* say(2)).toolCalls.map(({ outcome }) => outcome)).toEqual(["denied"])
      expect(ran).toEqual(["refund o1 50", "refund o2 50"])
    }).pipe(memory))

  it.effect("does not count a call that reported a failure", () =>
    Effect.gen(function*() {
      const failing = yield* make([once], [[refund({}, "a")], [refund({}, "b")]], {
        refunding: Effect.fail("no money")
      })
      expect((yield* failing.say(1)).toolCalls[0]?.outcome).toBe("failed")
      yield* failing.say(2)
      expect(failing.ran).toHaveLength(2)
    }).pipe(memory))

  it.effect("counts a call that was aborted while it ran", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { agent, ran, say } = yield* make([once], [[refund({}, "a")], [refund({}, "b")]], {
        refunding: Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      })
      const { abort, events, response } = yield* agent.session("s").send("message 1")
      yield* Effect.fork(Stream.runDrain(events))
      yield* Deferred.await(begun)
      yield* abort
      expect((yield* response).stoppedReason).toBe("aborted")
      expect((yield* say(2)).toolCalls[0]?.outcome).toBe("denied")
      expect(ran).toHaveLength(1)
    }).pipe(memory))

  it.effect("counts calls that a rewind has taken out of the conversation", () =>
    Effect.gen(function*() {
      const { agent, ran, say } = yield* make([once], [[refund({}, "a")], [refund({}, "b")]], {
        snapshots: { keep: 5 }
      })
      yield* say(1)
      yield* agent.rewind("s", { toTurn: 0 })
      expect((yield* say(2)).toolCalls[0]?.outcome).toBe("denied")
      const copy = yield* agent.fork("s", { toTurn: 0 })
      expect(copy.callLog?.calls.map(({ toolId }) => toolId)).toEqual(["refund"])
      expect(ran).toHaveLength(1)
    }).pipe(memory))
})

it.effect("a turn that is repeated after a crash adds to the call log the calls whose results it takes from the journal", () =>
  Effect.gen(function*() {
    const store = yield* SessionStore.makeMemory
    let isAway = true
    const { agent, ran, say } = yield* make([{ tool: "refund", atMost: 1, per: ["order"] }], [
      [refund({}, "a")],
      [refund({}, "b")],
      [refund({}, "c")]
    ]).pipe(Effect.provideService(SessionStore.SessionStore, {
      ...store,
      commit: (write) =>
        isAway
          ? Effect.fail(new Errors.SessionStoreError({ operation: "commit", why: "the server was killed" }))
          : store.commit(write)
    }))
    yield* Effect.flip(Effect.asVoid(say(1)))
    isAway = false
    expect((yield* say(1)).toolCalls[0]?.outcome).toBe("ok")
    expect((yield* say(2)).toolCalls[0]?.outcome).toBe("denied")
    expect(ran).toEqual(["refund o1 50"])
    expect((yield* agent.session("s").snapshot)?.callLog?.calls).toMatchObject([
      { toolId: "refund", outcome: "done", args: { order: "o1" } }
    ])
  }))

it.effect("a turn that fails after a call keeps the call in the log, and a repeated message counts the call once", () =>
  Effect.gen(function*() {
    let isBroken = true
    const ran: Array<string> = []
    const agent = yield* kit.make({
      name: "Shop",
      policies: [{ tool: "refund", atMost: 2 }],
      tools: shop(ran),
      flows: [{
        title: "Help",
        steps: [{
          id: "help",
          prompt: "Help",
          finalize: () => isBroken ? Effect.fail("the disk is full") : Effect.void,
          until: () => false
        }]
      }]
    }).pipe(Effect.provide(Layer.mergeAll(
      Script.make(({ prompt }, i) =>
        prompt.content.at(-1)?.role === "user" ? [refund({ order: "o1" }, `call-${i}`)] : "Done"
      ).layer,
      ScriptedUnderstanding.make(() => ({ flowScores: { help: 90 } })).layer
    )))
    const say = (messageId: string) => agent.respond({ sessionId: "s", message: messageId, messageId })
    const calls = Effect.map(agent.session("s").snapshot, (session) => session?.callLog?.calls.length ?? 0)
    yield* Effect.flip(Effect.asVoid(say("m1")))
    expect([ran.length, yield* calls]).toEqual([1, 1])
    isBroken = false
    expect((yield* say("m1")).toolCalls[0]?.outcome).toBe("ok")
    expect([ran.length, yield* calls]).toEqual([1, 1])
    expect((yield* say("m2")).toolCalls[0]?.outcome).toBe("ok")
    expect((yield* say("m3")).toolCalls[0]?.outcome).toBe("denied")
    expect(ran).toHaveLength(2)
  }).pipe(memory))

it.effect("the stored call log has only the arguments and results that the policies read", () =>
  Effect.gen(function*() {
    const { agent, say } = yield* make([verified, {
      tool: "refund",
      onlyIf: { compare: [{ argument: "amount" }, "<=", { result: "get_order", path: "total" }] }
    }], [[verify(), toolCall("get_order", { order: "o1" }), refund(), verify("x".repeat(10_001), "long")]])
    yield* say()
    const log = (yield* agent.session("s").snapshot)?.callLog
    expect(log?.calls.map(({ args, outcome, result, toolId }) => [toolId, outcome, args, result])).toEqual([
      ["verify", "done", { customer: "c1" }, {}],
      ["get_order", "done", {}, { total: 100 }],
      ["refund", "done", {}, {}],
      ["verify", "done", {}, {}]
    ])
  }).pipe(memory))

it.effect("a call records its checks, up to the policy that refuses it; `agent.session(id).calls` has the log", () =>
  Effect.gen(function*() {
    const { agent, say } = yield* make([verified, { tool: "refund", atMost: 1 }], [[
      refund({}, "a"),
      verify(),
      refund({}, "b"),
      refund({}, "c")
    ]])
    const { toolCalls } = yield* say()
    const [before, , first, second] = toolCalls.map(({ policies }) => policies)
    const read = [{ what: "this call's customer", value: "c1" }]
    expect(before).toMatchObject([{
      path: "policies[0]",
      met: false,
      read,
      calls: [],
      missing: [{ tool: "verify", arguments: { customer: "c1" } }]
    }])
    expect(first).toMatchObject([
      { met: true, read, calls: [{ toolId: "verify", args: { customer: "c1" } }] },
      { met: true, rule: "at most once", calls: [] }
    ])
    expect(second?.map(({ calls, met }) => [met, calls.map(({ toolId }) => toolId)])).toEqual([
      [true, ["verify"]],
      [false, ["refund"]]
    ])
    const calls = yield* agent.session("s").calls
    expect(calls.map(({ outcome, toolId }) => [toolId, outcome])).toEqual([["verify", "done"], ["refund", "done"]])
    expect(yield* agent.session("other").calls).toEqual([])
  }).pipe(memory))

it.effect("a call is added to the call log when it runs, not while its round waits for a person", () =>
  Effect.gen(function*() {
    const { agent, say } = yield* make([{ tool: "refund", atMost: 5 }, { tool: "logout", atMost: 1 }], [
      [refund({ amount: "95" }), toolCall("logout", {})]
    ])
    const { approvals } = yield* say()
    const calls = Effect.map(agent.session("s").calls, (calls) => calls.map(({ toolId }) => toolId))
    expect(yield* calls).toEqual([])
    const { toolCalls } = yield* agent.approve("s", approvals[0]!.id, { approved: true })
    expect(toolCalls.map(({ outcome, toolId }) => [toolId, outcome])).toEqual([["refund", "ok"], ["logout", "ok"]])
    expect(yield* calls).toEqual(["refund", "logout"])
  }).pipe(memory))

it.effect("a dry run of a tool call is not added to the call log", () =>
  Effect.gen(function*() {
    const { agent, say } = yield* make([{ tool: "refund", atMost: 1 }], [[refund()]])
    expect((yield* say()).toolCalls[0]?.outcome).toBe("dry_run")
    expect((yield* agent.session("s").snapshot)?.callLog?.calls ?? []).toEqual([])
  }).pipe(memory, Effect.provide(ToolExecutor.layerDryRun)))

describe("policies of a flow and of a tool", () => {
  const ran: Array<string> = []
  const pay = kit.tool({
    id: "pay",
    parameters: { amount: Schema.Number },
    policies: [{ atMost: 2 }, {
      onlyIf: { compare: [{ argument: "amount" }, "<", { value: 100 }] },
      reason: "too much"
    }],
    handler: ({ amount }) => void ran.push(`pay ${amount}`)
  })
  const flow = (title: string, policies: ReadonlyArray<Policy.Policy>) => ({
    title,
    policies,
    steps: [{ prompt: "Help", until: () => false }]
  })

  const talk = (calls: Record<string, ReturnType<typeof toolCall>>) =>
    Effect.gen(function*() {
      ran.length = 0
      let message = ""
      const agent = yield* kit.make({
        name: "Shop",
        tools: [pay],
        flows: [flow("Buy", []), flow("Look", [{ tool: "pay", never: true, reason: "look only" }])]
      }).pipe(Effect.provide(Layer.mergeAll(
        Script.make(({ prompt }) => prompt.content.at(-1)?.role === "user" ? [calls[message]!] : "Done").layer,
        ScriptedUnderstanding.make(() => ({ flowScores: { [message.split(" ")[0]!]: 99 } })).layer
      )))
      return (said: string) => {
        message = said
        return Effect.map(
          agent.respond({ sessionId: "s", message }),
          ({ toolCalls }) => toolCalls.map(({ outcome, output }) => outcome === "denied" ? output : outcome)
        )
      }
    })

  it.effect("apply to calls of that tool, and to calls while that flow is current", () =>
    Effect.gen(function*() {
      const buy = (amount: number, i: number) => [`buy ${i}`, toolCall("pay", { amount }, `c${i}`)] as const
      const say = yield* talk({
        ...Object.fromEntries([buy(10, 1), buy(200, 2), buy(20, 3), buy(30, 4)]),
        "look 1": toolCall("pay", { amount: 5 }, "l1")
      })
      const denied = (message: string) => ({ error: "denied", message: `policy: ${message}` })
      expect(yield* say("buy 1")).toEqual(["ok"])
      expect(yield* say("look 1")).toEqual([denied("look only")])
      expect(yield* say("buy 2")).toEqual([denied("too much")])
      expect(yield* say("buy 3")).toEqual(["ok"])
      expect(yield* say("buy 4")).toEqual([denied("\"pay\" may be called at most 2 times, and has been")])
      expect(ran).toEqual(["pay 10", "pay 20"])
    }).pipe(memory))

  it.effect("are reported by `make` at their path if they are invalid", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.asVoid(
        kit.make({
          name: "Shop",
          tools: [
            kit.tool({ id: "give", handler: () => "", policies: [{ onlyIf: { called: "tke" } }] }),
            kit.tool({ id: "take", handler: () => "", policies: [{} as never] })
          ],
          flows: [flow("Buy", [{ tool: "pey", never: true }])]
        }).pipe(Effect.provide(Script.make(() => "").layer))
      ))
      expect(error.issues.map(({ path, what }) => `${path}: ${what}`)).toEqual([
        "tools[0].policies[0].onlyIf: unknown tool \"tke\"",
        "flows[0].policies[0].tool: unknown tool \"pey\"",
        "tools[1].policies[0]: tools[1].policies[0]"
      ])
    }).pipe(memory))

  it.effect("are refused on a tool that a hook injects, because earlier calls would not be counted", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make({
        name: "Shop",
        flows: [{ title: "Buy", steps: [{ prompt: "Help", prepare: () => ({ injectTools: [pay] }) }] }]
      }).pipe(Effect.provide(Layer.mergeAll(
        Script.make(() => "Done").layer,
        ScriptedUnderstanding.make(() => ({ flowScores: { buy: 99 } })).layer
      )))
      const error = yield* Effect.flip(Effect.asVoid(agent.respond({ sessionId: "s", message: "hello" })))
      expect(String(error)).toContain("policies: its rules are not known before")
    }).pipe(memory))
})

describe("the policy option `satisfy`", () => {
  const lookUp = (ran: Array<string>) =>
    kit.tool({
      id: "get_order",
      isReadOnly: true,
      parameters: { order: Schema.String },
      policies: [{ onlyIf: { called: "get_shop" }, satisfy: true }],
      handler: ({ order }) => {
        ran.push(`get_order ${order}`)
        return { ok: true, outputMessage: order, details: { total: 100 } }
      }
    })
  const payment = (ran: Array<string>) =>
    kit.tool({
      id: "pay",
      parameters: { order: Schema.String, amount: Schema.Number },
      policies: [{
        onlyIf: {
          compare: [{ argument: "amount" }, "<=", {
            result: "get_order",
            path: "total",
            with: { order: { argument: "order" } }
          }]
        },
        satisfy: true
      }],
      handler: ({ order }) => void ran.push(`pay ${order}`)
    })

  const tools = (ran: Array<string>, more: object = {}) => [
    kit.tool({
      id: "get_shop",
      isReadOnly: true,
      policies: [{ onlyIf: { called: "get_order" }, satisfy: true }],
      handler: () => (ran.push("get_shop"), "open"),
      ...more
    }),
    lookUp(ran),
    payment(ran)
  ]
  const help = { title: "Help", when: "help", steps: [{ prompt: "Help", until: () => false }] }

  const talk = (options: object, script: ReadonlyArray<Script.Answer>) =>
    Effect.gen(function*() {
      let message = 0
      const model = Script.make(({ prompt }) => prompt.content.at(-1)?.role === "user" ? script[message++]! : "Done")
      const agent = yield* kit.make({ name: "Shop", flows: [help], ...options }).pipe(
        Effect.provide(Layer.merge(
          model.layer,
          ScriptedUnderstanding.make(() => ({ flowScores: { help: 90 } })).layer
        ))
      )
      return { say: () => agent.respond({ sessionId: "s", message: `message ${message}` }), model, agent }
    })
  const paying = (amount: number, id = "p") => [toolCall("pay", { order: "o1", amount }, id)]
  const open = (ran: Array<string>) => [
    kit.tool({ id: "get_shop", isReadOnly: true, handler: () => (ran.push("get_shop"), "open") }),
    ...tools(ran).slice(1)
  ]

  it.effect("makes the library run the required calls, direct and indirect, before the call; the model sees only its own call", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const { agent, model, say } = yield* talk({ tools: open(ran) }, [paying(50), paying(60, "q")])
      const { toolCalls } = yield* say()
      expect(toolCalls.map(({ outcome, toolId }) => [toolId, outcome])).toEqual([
        ["get_shop", "ok"],
        ["get_order", "ok"],
        ["pay", "ok"]
      ])
      expect(ran).toEqual(["get_shop", "get_order o1", "pay o1"])
      expect(model.asked.length).toBe(2)
      expect(model.asked.at(-1)!.text).not.toContain("get_order")
      expect((yield* agent.session("s").snapshot)?.callLog?.calls.map(({ toolId }) => toolId)).toEqual([
        "get_shop",
        "get_order",
        "pay"
      ])
      yield* say()
      // The order is read again, because the first payment may have changed it.
      expect(ran.slice(3)).toEqual(["get_order o1", "pay o1"])
    }).pipe(memory))

  it.effect("refuses the call once if the policy still does not hold after the missing calls", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const { say } = yield* talk({ tools: open(ran) }, [paying(500)])
      const record = (yield* say()).toolCalls.at(-1)
      expect(record).toMatchObject({ toolId: "pay", outcome: "denied" })
      expect(record!.output).not.toHaveProperty("missing")
      expect(ran).toEqual(["get_shop", "get_order o1"])
    }).pipe(memory))

  it.effect("stops if tools require each other, and makes no call that may change something or needs approval", () =>
    Effect.gen(function*() {
      const outcomes = (options: object) =>
        Effect.gen(function*() {
          const ran: Array<string> = []
          const { say } = yield* talk({ tools: tools(ran, options) }, [paying(50)])
          const { stoppedReason, toolCalls } = yield* say()
          return [stoppedReason, toolCalls.map(({ outcome, toolId }) => `${toolId} ${outcome}`), ran]
        })
      expect(yield* outcomes({})).toEqual([
        "last_step",
        ["get_shop denied", "get_order denied", "pay denied"],
        []
      ])
      const refused = ["last_step", ["get_order denied", "pay denied"], []]
      expect(yield* outcomes({ isReadOnly: false, policies: [] })).toEqual(refused)
      expect(yield* outcomes({ needsApproval: true, policies: [] })).toEqual(refused)
    }).pipe(memory, Effect.provide(SessionStore.layerMemory)))

  it.effect("makes the library run the required calls also for a step with `call`", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const pay = payment(ran)
      const { say } = yield* talk({
        tools: open(ran),
        flows: [{
          ...help,
          steps: [{ id: "pay", call: pay.with({ order: "o1", amount: 5 }) }, { reply: "Paid" }]
        }]
      }, ["Hello"])
      expect((yield* say()).message).toBe("Paid")
      expect(ran).toEqual(["get_shop", "get_order o1", "pay o1"])
    }).pipe(memory))

  it.effect("lets the call see what the required calls have written", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const limits = kit.tool({
        id: "get_limit",
        isReadOnly: true,
        handler: (_, { updateData }) => Effect.as(updateData({ max: 10 }), "10")
      })
      const pay = kit.tool({
        id: "pay",
        policies: [{ onlyIf: { called: "get_limit" }, satisfy: true }],
        checkPermissions: (_, { data, session }) => (seen.push(data.max, session.data.max), true),
        handler: (_, { data }) => void seen.push(data.max)
      })
      const { say } = yield* talk({ tools: [limits, pay] }, [[toolCall("pay", {})]])
      yield* say()
      expect(seen).toEqual([10, 10, 10])
    }).pipe(memory))

  it.effect("enters the flow that makes the required call, if the library cannot make the call itself", () =>
    Effect.gen(function*() {
      const verify = kit.tool({ id: "verify", handler: () => "verified" })
      const pay = kit.tool({
        id: "pay",
        policies: [{ onlyIf: { called: "verify" }, satisfy: true }],
        handler: () => "paid"
      })
      const { agent, say } = yield* talk({
        tools: [pay],
        flows: [help, {
          title: "Identify",
          when: "who",
          steps: [{ prompt: "Ask who it is" }, { id: "verify", call: verify.with({}) }, { reply: "Thank you" }]
        }]
      }, [[toolCall("pay", {})], "Who are you?"])
      const first = yield* say()
      expect(first.toolCalls.map(({ outcome }) => outcome)).toEqual(["denied"])
      expect((yield* agent.session("s").snapshot)?.currentFlow?.id).toBe("identify")
    }).pipe(memory))
})

describe("a rule that reads a result", () => {
  const within: Policy.Condition = { compare: [{ argument: "amount" }, "<=", { result: "get_balance", path: "free" }] }
  const isOpen: Policy.Condition = { called: "get_balance", result: { open: { value: true } } }
  const pay = (amount: number, id: string, tool = "pay") => toolCall(tool, { amount }, id)
  const look = (id: string) => toolCall("get_balance", {}, id)

  /** A bank account with 100; every answer of the model is a round, `"."` ends a turn. */
  const bank = (policies: ReadonlyArray<Policy.Policy>, rounds: ReadonlyArray<Script.Answer>) =>
    Effect.gen(function*() {
      let free = 100
      const paying = (id: string) =>
        kit.tool({
          id,
          parameters: { amount: Schema.Number },
          isConcurrencySafe: true,
          handler: ({ amount }) => {
            if (amount > free) throw new Error("overdrawn")
            free -= amount
          }
        })
      const script = [...rounds]
      const agent = yield* kit.make({
        name: "Bank",
        policies,
        tools: [
          paying("pay"),
          paying("send"),
          kit.tool({ id: "add", isConcurrencySafe: true, handler: () => void (free += 10) }),
          kit.tool({
            id: "get_balance",
            isReadOnly: true,
            handler: () => ({ ok: true, outputMessage: "read", details: { free, open: free > 30 } })
          })
        ],
        flows: [{ title: "Help", steps: [{ id: "help", prompt: "Help", until: () => false }] }]
      }).pipe(Effect.provide(Layer.mergeAll(
        Script.make(() => script.shift() ?? ".").layer,
        ScriptedUnderstanding.make(() => ({ flowScores: { help: 90 } })).layer
      )))
      const outcomes: Array<ReadonlyArray<string>> = []
      while (script.length > 0) {
        const { toolCalls } = yield* agent.respond({ sessionId: "s", message: "go on" })
        outcomes.push(toolCalls.map(({ callId, outcome }) => `${callId} ${outcome}`))
      }
      return outcomes
    }).pipe(memory)

  const rule: Policy.Policy = { tool: "pay", onlyIf: within }

  it.effect.each<
    [string, ReadonlyArray<Policy.Policy>, ReadonlyArray<Script.Answer>, ReadonlyArray<ReadonlyArray<string>>]
  >([
    ["in one round", [rule], [[look("r"), pay(80, "a"), pay(80, "b")]], [["r ok", "a ok", "b denied"]]],
    ["in one turn", [rule], [[look("r")], [pay(80, "a")], [pay(80, "b")]], [["r ok", "a ok", "b denied"]]],
    [
      "across turns",
      [rule],
      [[look("r"), pay(80, "a")], ".", [pay(80, "b")], ".", [look("r2"), pay(80, "c"), pay(20, "d")]],
      [["r ok", "a ok"], ["b denied"], ["r2 ok", "c denied", "d ok"]]
    ],
    [
      "for all tools of the rule",
      [{ tool: ["pay", "send"], onlyIf: within }],
      [[look("r"), pay(80, "a"), pay(80, "b", "send")]],
      [["r ok", "a ok", "b denied"]]
    ],
    [
      "with `called` and `result`",
      [{ tool: "pay", onlyIf: isOpen }],
      [[look("r"), pay(80, "a"), pay(10, "b"), look("r2"), pay(10, "c")]],
      [["r ok", "a ok", "b denied", "r2 ok", "c denied"]]
    ],
    [
      "in a negation",
      [{ tool: "pay", onlyIf: { not: { called: "get_balance", result: { open: { value: false } } } } }],
      [[look("r"), pay(80, "a"), look("r2"), pay(5, "b"), pay(5, "c")]],
      [["r ok", "a ok", "r2 ok", "b denied", "c denied"]]
    ],
    [
      "and after all tools of `since`",
      [{
        tool: "pay",
        onlyIf: {
          compare: [{ argument: "amount" }, "<=", { result: "get_balance", path: "free", since: ["add", "send"] }]
        }
      }],
      [[
        look("r"),
        toolCall("add", {}, "x"),
        pay(5, "a"),
        look("r2"),
        pay(5, "b", "send"),
        pay(5, "c"),
        look("r3"),
        pay(5, "d")
      ]],
      [["r ok", "x ok", "a denied", "r2 ok", "b ok", "c denied", "r3 ok", "d ok"]]
    ],
    [
      "unless it has `ever`",
      [{
        tool: "pay",
        onlyIf: { compare: [{ argument: "amount" }, "<=", { result: "get_balance", path: "free", ever: true }] }
      }],
      [[look("r"), pay(40, "a"), pay(40, "b")]],
      [["r ok", "a ok", "b ok"]]
    ],
    [
      "unless `called` has `ever`",
      [{ tool: "pay", onlyIf: { ...isOpen, ever: true } }],
      [[look("r"), pay(40, "a"), pay(40, "b")]],
      [["r ok", "a ok", "b ok"]]
    ],
    [
      "also with the result of the tool itself, of which the latest counts",
      [{
        tool: "get_balance",
        onlyIf: {
          any: [{ not: { called: "get_balance" } }, {
            compare: [{ result: "get_balance", path: "open" }, "==", { value: true }]
          }]
        }
      }],
      [[look("r"), look("r2"), pay(80, "a"), look("r3"), look("r4")]],
      [["r ok", "r2 ok", "a ok", "r3 ok", "r4 denied"]]
    ]
  ])(
    "needs one that is newer than the last call of its tool %s",
    ([, policies, rounds, expected]) =>
      Effect.gen(function*() {
        expect(yield* bank(policies, rounds)).toEqual(expected)
      })
  )

  it.effect("makes the engine read it again after each call, with `satisfy`", () =>
    Effect.gen(function*() {
      const outcomes = yield* bank([{ ...rule, satisfy: true }], [[pay(80, "a"), pay(80, "b"), pay(20, "c")], ".", [
        pay(5, "d")
      ]])
      expect(outcomes.map((turn) => turn.filter((one) => !one.includes("get_balance")))).toEqual([
        ["a ok", "b denied", "c ok"],
        ["d denied"]
      ])
      expect(outcomes[0]!.filter((one) => one.includes("get_balance"))).toHaveLength(2)
    }))

  it.effect("lets no other call run beside a call of `since`", () =>
    Effect.gen(function*() {
      const since: Policy.Policy = { tool: "pay", onlyIf: { called: "get_balance", since: "add" } }
      expect(yield* bank([since], [[toolCall("add", {}, "x"), look("r")], [pay(1, "a")]])).toEqual([[
        "x ok",
        "r ok",
        "a ok"
      ]])
    }))
})

it.effect("rules calculate, look into lists and long results, and use arguments in paths", () =>
  Effect.gen(function*() {
    const rooms = Object.fromEntries(
      ["single", "double"].map((type, i) => [type, { price: 80.1 + i, text: "x".repeat(6_000), days: ["2027-01-31"] }])
    )
    const book = kit.tool({
      id: "book",
      parameters: { room: Schema.String, day: Schema.String, extra: Schema.Number },
      policies: [
        {
          onlyIf: {
            compare: [
              { calc: [{ result: "get_rooms", path: "rooms[room].price", ever: true }, "+", { argument: "extra" }] },
              "<=",
              { field: "max" }
            ]
          }
        },
        {
          onlyIf: {
            compare: [{ argument: "day" }, "in", { result: "get_rooms", path: "rooms[room].days", ever: true }]
          }
        },
        { onlyIf: { compare: [{ between: [{ now: true }, { argument: "day" }], unit: "days" }, ">=", { value: 14 }] } }
      ],
      handler: ({ room }) => room
    })
    const getRooms = kit.tool({
      id: "get_rooms",
      isReadOnly: true,
      handler: () => ({ ok: true, outputMessage: "two rooms", details: { rooms } })
    })
    const want = (id: string, given: object = {}) =>
      toolCall("book", { room: "single", day: "2027-01-31", extra: 0.2, ...given }, id)
    const script = [
      [
        toolCall("get_rooms", {}),
        want("a"),
        want("b", { room: "double" }),
        want("c", { room: "suite" }),
        want("d", { extra: 0.3 }),
        want("e", { day: "2027-02-01" })
      ],
      "Done",
      [want("f")],
      "Done"
    ]
    const agent = yield* kit.make({
      name: "Hotel",
      tools: [getRooms, book],
      flows: [{
        title: "Help",
        initialData: { max: 80.3 },
        steps: [{ id: "help", prompt: "Help", until: () => false }]
      }]
    }).pipe(Effect.provide(Layer.mergeAll(
      Script.make(() => script.shift() ?? "Done").layer,
      ScriptedUnderstanding.make(() => ({ flowScores: { help: 90 } })).layer
    )))
    const say = Effect.map(
      agent.respond({ sessionId: "s", message: "book" }),
      ({ toolCalls }) => toolCalls.flatMap(({ callId, outcome }) => callId.length > 1 ? [] : [`${callId} ${outcome}`])
    )
    yield* TestClock.setTime(new Date("2027-01-10T12:00:00Z"))
    expect(yield* say).toEqual(["a ok", "b denied", "c denied", "d denied", "e denied"])
    const log = (yield* agent.session("s").calls).find(({ toolId }) => toolId === "get_rooms")
    expect(log?.result).toEqual({
      "rooms[room].price": { single: 80.1, double: 81.1 },
      "rooms[room].days": { single: ["2027-01-31"], double: ["2027-01-31"] }
    })
    yield* TestClock.setTime(new Date("2027-01-20T12:00:00Z"))
    expect(yield* say).toEqual(["f denied"])
  }).pipe(memory))

describe("alternatives in a policy's condition", () => {
  const ok = { ok: { value: true } }
  /** Tools whose calls give `true`, give `false`, or fail. */
  const talk = (
    gives: { readonly a: ReadonlyArray<boolean | "fails">; readonly b: ReadonlyArray<boolean | "fails"> },
    rule: Policy.Rule,
    rounds: ReadonlyArray<Script.Answer>,
    options: object = {}
  ) =>
    Effect.gen(function*() {
      const script = [...rounds]
      const results = { a: [...gives.a], b: [...gives.b] }
      const asking = (id: "a" | "b", more: object = {}) =>
        kit.tool({
          id,
          isReadOnly: true,
          handler: () => {
            const given = results[id].length > 1 ? results[id].shift() : results[id][0]
            return given === "fails"
              ? Effect.fail("no answer")
              : { ok: true, outputMessage: id, details: { ok: given } }
          },
          ...more
        })
      const agent = yield* kit.make({
        name: "Shop",
        policies: [{ tool: "pay", ...rule }],
        tools: [asking("a", options), asking("b"), kit.tool({ id: "pay", handler: () => "paid" })],
        flows: [{ title: "Help", steps: [{ id: "help", prompt: "Help", until: () => false }] }]
      }).pipe(Effect.provide(Layer.mergeAll(
        Script.make(() => script.shift() ?? ".").layer,
        ScriptedUnderstanding.make(() => ({ flowScores: { help: 90 } })).layer
      )))
      const turns: Array<ReadonlyArray<Tool.ToolCallRecord>> = []
      while (script.length > 0) turns.push((yield* agent.respond({ sessionId: "s", message: "go on" })).toolCalls)
      return turns
    }).pipe(memory)

  const either: Policy.Condition = { any: [{ called: "a", result: ok }, { called: "b", result: ok }] }
  const pay = (id = "p") => toolCall("pay", {}, id)
  const outputs = (turns: ReadonlyArray<ReadonlyArray<Tool.ToolCallRecord>>) =>
    turns.flat().flatMap(({ output, toolId }) => toolId === "pay" ? [output] : [])
  const run = (turns: ReadonlyArray<ReadonlyArray<Tool.ToolCallRecord>>) =>
    turns.map((turn) => turn.map(({ outcome, toolId }) => `${toolId} ${outcome}`))
  const calls = (...tools: ReadonlyArray<string>) => tools.map((tool) => ({ tool, arguments: {} }))

  it.effect("are named in order; those whose call was made in this turn with another result are not", () =>
    Effect.gen(function*() {
      const turns = yield* talk({ a: [false], b: [false] }, { onlyIf: either }, [
        [pay("1")],
        [toolCall("a", {})],
        [pay("2")],
        [toolCall("b", {})],
        [pay("3")]
      ])
      const [first, second, third] = outputs(turns)
      expect(first).toMatchObject({ missing: calls("a"), or: [calls("b")] })
      expect(second).toMatchObject({ missing: calls("b") })
      expect(second).not.toHaveProperty("or")
      expect(third).not.toHaveProperty("missing")
    }))

  it.effect("are named again in a later turn, after those that were not made", () =>
    Effect.gen(function*() {
      const turns = yield* talk({ a: [false], b: [false] }, { onlyIf: either }, [[toolCall("a", {})], ".", [pay()]])
      expect(outputs(turns)[0]).toMatchObject({ missing: calls("b"), or: [calls("a")] })
    }))

  it.effect("with a call that failed in this turn come last", () =>
    Effect.gen(function*() {
      const turns = yield* talk({ a: ["fails"], b: [true] }, { onlyIf: either }, [[toolCall("a", {}), pay()]])
      expect(outputs(turns)[0]).toMatchObject({ missing: calls("b"), or: [calls("a")] })
    }))

  it.effect("that no call can meet are not named", () =>
    Effect.gen(function*() {
      const never: Policy.Condition = { compare: [{ value: 1 }, ">", { value: 2 }] }
      const turns = yield* talk(
        { a: [true], b: [true] },
        { onlyIf: { any: [{ all: [{ called: "a" }, never] }, { called: "b" }] } },
        [[pay()]]
      )
      expect(outputs(turns)[0]).toMatchObject({ missing: calls("b") })
    }))

  it.effect.each<
    [string, ReadonlyArray<boolean | "fails">, ReadonlyArray<boolean | "fails">, object, ReadonlyArray<string>]
  >([
    ["the first if it gives the result", [true], [true], {}, ["a ok", "pay ok"]],
    ["the next after another result", [false], [true], {}, ["a ok", "b ok", "pay ok"]],
    ["the next after a failure", ["fails"], [true], {}, ["a failed", "b ok", "pay ok"]],
    ["the next if the engine may not make the first", [true], [true], { isReadOnly: false }, ["b ok", "pay ok"]],
    ["the next if the first needs approval", [true], [true], { needsApproval: true }, ["b ok", "pay ok"]],
    ["each once if none helps", [false], ["fails"], {}, ["a ok", "b failed", "pay denied"]]
  ])("are tried with `satisfy`: %s", ([, a, b, options, expected]) =>
    Effect.gen(function*() {
      const turns = yield* talk({ a, b }, { onlyIf: either, satisfy: true }, [[pay()]], options)
      expect(run(turns)).toEqual([expected])
    }))

  it.effect("are tried again in a later turn, when they may give another result", () =>
    Effect.gen(function*() {
      const turns = yield* talk({ a: [false], b: [false, true] }, { onlyIf: either, satisfy: true }, [[pay()], ".", [
        pay()
      ]])
      expect(run(turns)).toEqual([["a ok", "b ok", "pay denied"], ["a ok", "b ok", "pay ok"]])
    }))

  it.effect("a compared result is read again in a later turn with `satisfy`, and once in a turn", () =>
    Effect.gen(function*() {
      const isOk: Policy.Condition = { compare: [{ result: "a", path: "ok" }, "==", { value: true }] }
      const turns = yield* talk({ a: [false, true], b: [] }, { onlyIf: isOk, satisfy: true }, [
        [pay("1"), pay("2")],
        ".",
        [pay("3")]
      ])
      expect(run(turns)).toEqual([["a ok", "pay denied", "pay denied"], ["a ok", "pay ok"]])
    }))

  it.effect("calls that were made in the wrong order are named again", () =>
    Effect.gen(function*() {
      const turns = yield* talk({ a: [true], b: [true] }, { onlyIf: { inOrder: [{ called: "a" }, { called: "b" }] } }, [
        [toolCall("b", {}), toolCall("a", {}), pay()]
      ])
      expect(outputs(turns)[0]).toMatchObject({ missing: calls("b") })
    }))
})

it.effect("a predicate can read an earlier call's result; if the predicate is undecided, the call is refused", () =>
  Effect.gen(function*() {
    const predicates = {
      near: Policy.predicate(
        Schema.Struct({ amount: Schema.Number, total: Schema.Number }),
        ({ amount, total }) => amount <= total * 1.1
      ),
      broken: Policy.predicate(Schema.Struct({}), () => {
        throw new Error("no")
      })
    }
    const total = { result: "get_order", path: "total", with: { order: { argument: "order" } } } as const
    const { say } = yield* make(
      [{ tool: "refund", onlyIf: { holds: "near", of: { amount: { argument: "amount" }, total } } }, {
        tool: "logout",
        onlyIf: { holds: "broken", of: {} }
      }],
      [
        [refund({}, "r1"), toolCall("logout", {})],
        [toolCall("get_order", { order: "o2" }, "o2"), refund({}, "r2")],
        [toolCall("get_order", { order: "o1" }, "o1"), refund({ amount: "111" }, "r3"), refund({ amount: "85" }, "r4")]
      ],
      { predicates }
    )
    const told = yield* Effect.forEach([1, 2, 3], (n) => Effect.map(say(n), ({ toolCalls }) => results(toolCalls)))
    const why =
      "policy: \"refund\" may be called only if near holds for amount = this call's amount and total = total of " +
      "the result of \"get_order\" with order = this call's order"
    const missing = [{ tool: "get_order", arguments: { order: "o1" } }]
    expect(told).toEqual([
      [["denied", { error: "denied", message: why, missing }], ["denied", {
        error: "denied",
        message: "policy: \"logout\" may be called only if broken holds"
      }]],
      // The result is that of another order.
      [["ok", "Order o2"], ["denied", { error: "denied", message: why, missing }]],
      [["ok", "Order o1"], ["denied", { error: "denied", message: why }], ["ok", "refunded"]]
    ])
  }).pipe(memory))

describe("a definition with an invalid policy", () => {
  const refused = (policy: object, path: string, what: string) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.asVoid(make([policy as Policy.Policy], [], {
        predicates: { near: Policy.predicate(Schema.Struct({ total: Schema.Number }), () => true) }
      })))
      expect(error.issues.map((issue) => [issue.path, issue.what])).toContainEqual([path, what])
    }).pipe(memory)

  it.effect.each<[object, string, string]>([
    [{ tool: "refnd", never: true }, "policies[0].tool", "unknown tool \"refnd\""],
    [{ tool: "refund", onlyIf: { called: "verfy" } }, "policies[0].onlyIf", "unknown tool \"verfy\""],
    [
      { tool: "refund", onlyIf: { called: "verify", since: "log_out" } },
      "policies[0].onlyIf",
      "unknown tool \"log_out\""
    ],
    [
      { tool: "refund", onlyIf: { not: { compare: [{ result: "orders" }, "==", { value: 1 }] } } },
      "policies[0].onlyIf",
      "unknown tool \"orders\""
    ],
    [
      { tool: "refund", onlyIf: { called: "verify", with: { name: { argument: "customer" } } } },
      "policies[0].onlyIf",
      "unknown argument \"name\" of tool \"verify\""
    ],
    [
      { tool: "refund", onlyIf: { compare: [{ argument: "total" }, "<", { value: 1 }] } },
      "policies[0].onlyIf",
      "unknown argument \"total\" of tool \"refund\""
    ],
    [
      { tool: "refund", onlyIf: { compare: [{ field: "maximum" }, "<", { value: 1 }] } },
      "policies[0].onlyIf",
      "unknown field \"maximum\""
    ],
    [
      {
        tool: "refund",
        onlyIf: { compare: [{ result: "get_order", with: { id: { value: 1 } } }, "==", { value: 1 }] }
      },
      "policies[0].onlyIf",
      "unknown argument \"id\" of tool \"get_order\""
    ],
    [{ tool: "refund", onlyIf: { holds: "nea", of: {} } }, "policies[0].onlyIf", "unknown predicate \"nea\""],
    [
      { tool: "refund", onlyIf: { all: [{ holds: "near", of: { total: { value: 1 }, sum: { value: 1 } } }] } },
      "policies[0].onlyIf",
      "unknown value \"sum\" of predicate \"near\""
    ],
    [
      { tool: "refund", onlyIf: { not: { holds: "near", of: {} } } },
      "policies[0].onlyIf",
      "predicate \"near\" lacks the value \"total\""
    ],
    [
      { tool: "refund", onlyIf: { compare: [{ calc: [{ value: 1 }, "+", { field: "maximum" }] }, "<", { value: 1 }] } },
      "policies[0].onlyIf",
      "unknown field \"maximum\""
    ],
    [
      {
        tool: "refund",
        onlyIf: { compare: [{ between: [{ now: true }, { argument: "day" }], unit: "days" }, "<", { value: 1 }] }
      },
      "policies[0].onlyIf",
      "unknown argument \"day\" of tool \"refund\""
    ],
    [
      { tool: "refund", onlyIf: { compare: [{ result: "get_order", path: "lines[line].price" }, "<", { value: 1 }] } },
      "policies[0].onlyIf",
      "unknown argument \"line\" of tool \"refund\""
    ],
    [
      { tool: "refund", onlyIf: { compare: [{ result: "get_order", since: ["log_out"] }, "==", { value: 1 }] } },
      "policies[0].onlyIf",
      "unknown tool \"log_out\""
    ],
    [{ tool: "refund", atMost: 1, per: ["id"] }, "policies[0].per", "unknown argument \"id\" of tool \"refund\""]
  ])("is refused with the policy %j", ([policy, path, what]) => refused(policy, path, what))

  it.effect("is refused if a rule has `satisfy` without `onlyIf`", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.asVoid(make([{ tool: "refund", atMost: 1, satisfy: true }], [])))
      expect(error.message).toContain("satisfy belongs to onlyIf")
    }).pipe(memory))

  it.effect("is refused with a policy of the wrong shape", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.asVoid(make([{ tool: "refund", onlyif: {} } as never], [])))
      expect(error.message).toContain("policies[0]")
    }).pipe(memory))
})
