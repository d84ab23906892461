/** Rule sets with one planted violation each, made from hand-written parts, and a sound twin of each. */
import { Agent, Policy } from "coxswain"
import type * as Check from "coxswain/check"
import { Effect, Schema } from "effect"

const { predicate } = Policy

export const Data = Schema.Struct({
  subject: Schema.String.annotations({ description: "who or what it is about" }),
  urgent: Schema.Boolean,
  limit: Schema.Number.annotations({ extract: "never" })
})

export const kit = Agent.define({ data: Data })

/** The tools of a trade: `act` is the call that policies are about, the others are what it needs. */
export interface Trade {
  readonly title: string
  readonly act: string
  readonly check: string
  readonly open: string
  readonly close: string
  readonly argument: string
}

const trade = (title: string, act: string, check: string, open: string, close: string, argument: string): Trade => ({
  title,
  act,
  check,
  open,
  close,
  argument
})

export const trades: ReadonlyArray<Trade> = [
  trade("Get money back", "refund", "verify_customer", "login", "logout", "order"),
  trade("Send money", "transfer", "check_balance", "unlock_account", "lock_account", "account"),
  trade("Take medicine", "prescribe", "check_allergies", "open_record", "close_record", "patient"),
  trade("Travel another day", "rebook", "find_booking", "hold_seat", "release_seat", "booking"),
  trade("Enter the building", "unlock_door", "identify_visitor", "start_visit", "end_visit", "badge")
]

/** A definition with a violation, its sound twin, and the finding that the checker must report. */
export interface Planted {
  readonly name: string
  readonly options: object
  readonly sound: object
  readonly code: Check.FindingCode
  readonly path: string
  /** The tool whose call is refused, and how the model calls it if no step does. */
  readonly tool: string
  readonly model?: Readonly<Record<string, string | number>>
}

type Step = object
type Parts = ReturnType<typeof partsOf>

const partsOf = ({ act, argument, check, close, open, title }: Trade) => {
  const tool = (id: string, more: object = {}) =>
    kit.tool({
      id,
      parameters: { [argument]: Schema.String, amount: Schema.Number },
      handler: () => ({ ok: true, outputMessage: "done", details: { total: 100, state: "good" } }),
      ...more
    })
  const call = (
    id: string,
    { then, ...more }: { readonly then?: object; readonly [option: string]: unknown } = {},
    given: object | undefined = undefined,
    options: object = {}
  ): Step => ({
    id: `call_${id}`,
    then: { denied: { abort: "it is refused" }, ...then },
    call: tool(id, options).with(
      (given ?? (({ data }: { data: { subject: string } }) => ({ [argument]: data.subject, amount: 50 }))) as never
    ),
    ...more
  })
  const ask: Step = { id: "ask", prompt: `Ask for the ${argument}`, collect: ["subject"] }
  const bye: Step = { id: "bye", reply: "That is all." }
  const talk = (more: object = {}): Step => ({ id: "talk", prompt: "Help", until: () => false, ...more })
  const agent = (
    steps: ReadonlyArray<Step>,
    policies: ReadonlyArray<Policy.Policy>,
    more: object = {},
    flow: object = {}
  ) => ({
    name: title,
    flows: [{ title, steps, ...flow }],
    policies,
    ...more
  })
  const same = { [argument]: { argument } }
  const checked: Policy.Policy = { tool: act, onlyIf: { called: check, with: same } }
  return { act, agent, ask, argument, bye, call, check, checked, close, open, same, talk, tool }
}

interface Kind {
  readonly name: string
  readonly code: Check.FindingCode
  readonly path: string
  readonly isByModel?: boolean
  /** The definition: with the violation, or without it. */
  readonly make: (parts: Parts, isSound: boolean) => object
}

const unmet = (name: string, step: number, make: Kind["make"]): Kind => ({
  name,
  code: "policy-unmet",
  path: `flows[0].steps[${step}]`,
  make
})

const never = (name: string, path: string, make: Kind["make"]): Kind => ({
  name,
  code: "policy-never-met",
  path,
  isByModel: true,
  make
})

const isUrgent = ({ data }: { readonly data: { readonly urgent?: boolean } }) => data.urgent === true

export const kinds: ReadonlyArray<Kind> = [
  unmet(
    "a step makes the call before the required call",
    1,
    ({ act, agent, ask, bye, call, check, checked }, isSound) =>
      agent(isSound ? [ask, call(check), call(act), bye] : [ask, call(act), call(check), bye], [checked])
  ),
  unmet(
    "the step with the required call may be skipped",
    3,
    ({ act, agent, ask, bye, call, check, checked }, isSound) =>
      agent([
        ask,
        { id: "speed", prompt: "Ask how urgent it is", collect: ["urgent"] },
        call(check, isSound ? {} : { if: ({ data }: never) => !isUrgent({ data }) }),
        call(act),
        bye
      ], [checked])
  ),
  unmet(
    "a branch may bypass the step with the required call",
    3,
    ({ act, agent, ask, bye, call, check, checked }, isSound) =>
      agent([
        ask,
        {
          id: "speed",
          prompt: "Ask how urgent it is",
          collect: ["urgent"],
          branches: [{ if: isUrgent, then: isSound ? `call_${check}` : `call_${act}` }]
        },
        call(check),
        call(act),
        bye
      ], [checked])
  ),
  unmet("the flow goes on after a failed check", 2, ({ act, agent, ask, bye, call, check, checked }, isSound) =>
    agent([
      ask,
      call(check, isSound ? { then: { failed: "bye" } } : { then: { failed: `call_${act}` } }, undefined, {
        handler: () => Effect.fail("there is none")
      }),
      call(act, isSound ? { then: { ok: "bye" } } : {}),
      bye
    ], [checked])),
  unmet(
    "the call named in `since` comes between the required call and the call",
    4,
    ({ act, agent, ask, bye, call, check, close }, isSound) => {
      const steps = [call(close), call(act)]
      return agent([ask, call(check), { id: "mid", reply: "Now." }, ...(isSound ? steps.toReversed() : steps), bye], [
        { tool: act, onlyIf: { called: check, since: close } }
      ])
    }
  ),
  unmet("the required calls come in the wrong order", 3, ({ act, agent, ask, bye, call, check, open }, isSound) => {
    const steps = [call(check), call(open)]
    return agent([ask, ...(isSound ? steps.toReversed() : steps), call(act), bye], [
      { tool: act, onlyIf: { inOrder: [{ called: open }, { called: check }] } }
    ])
  }),
  unmet("the call comes after a call that excludes it", 2, ({ act, agent, ask, bye, call, close }, isSound) => {
    const steps = [call(close), call(act)]
    return agent([ask, ...(isSound ? steps.toReversed() : steps), bye], [
      { tool: act, onlyIf: { not: { called: close } } }
    ])
  }),
  unmet(
    "the flow exceeds a limit of calls",
    2,
    ({ act, agent, ask, bye, call }, isSound) =>
      agent([ask, call(act), { ...call(act), id: "again" }, bye], [{ tool: act, atMost: isSound ? 2 : 1 }])
  ),
  unmet("the flow exceeds a limit of calls per argument", 1, ({ act, agent, argument, bye, call }, isSound) =>
    agent([
      call(act, {}, { [argument]: "x1", amount: 5 }),
      { ...call(act, {}, { [argument]: isSound ? "x2" : "x1", amount: 6 }), id: "again" },
      bye
    ], [{ tool: act, atMost: 1, per: [argument] }])),
  unmet(
    "neither of two alternative calls is made before",
    2,
    ({ act, agent, ask, bye, call, check, close, open }, isSound) =>
      agent([ask, call(isSound ? open : close), call(act), bye, call(check), { ...call(open), id: "late" }], [
        { tool: act, onlyIf: { any: [{ called: check }, { called: open }] } }
      ])
  ),
  unmet("the call whose result is compared comes later", 1, ({ act, agent, ask, bye, call, check, same }, isSound) => {
    const steps = [call(act), call(check)]
    return agent([ask, ...(isSound ? steps.toReversed() : steps), bye], [{
      tool: act,
      onlyIf: { compare: [{ argument: "amount" }, "<=", { result: check, path: "total", with: same }] }
    }])
  }),
  unmet("the value of a predicate comes from a later call", 1, ({ act, agent, ask, bye, call, check }, isSound) => {
    const steps = [call(act), call(check)]
    return agent([ask, ...(isSound ? steps.toReversed() : steps), bye], [
      { tool: act, onlyIf: { holds: "good", of: { state: { result: check, path: "state" } } } }
    ], {
      policyPredicates: { good: predicate(Schema.Struct({ state: Schema.String }), ({ state }) => state === "good") }
    })
  }),
  unmet(
    "a policy of the flow is violated",
    1,
    ({ act, agent, ask, bye, call, check, checked }, isSound) =>
      agent(isSound ? [ask, call(check), call(act), bye] : [ask, call(act), call(check), bye], [], {}, {
        policies: [checked]
      })
  ),
  unmet("a policy of the tool is violated", 1, ({ act, agent, ask, bye, call, check, same }, isSound) => {
    const steps = [call(act, {}, undefined, { policies: [{ onlyIf: { called: check, with: same } }] }), call(check)]
    return agent([ask, ...(isSound ? steps.toReversed() : steps), bye], [])
  }),
  {
    ...unmet(
      "the model may make the call before the required call",
      2,
      ({ act, agent, check, checked, talk, tool }, isSound) =>
        agent([
          { id: "speed", prompt: "Ask how urgent it is", collect: ["urgent"] },
          {
            id: "checking",
            prompt: "Check",
            tools: [tool(check)],
            ...(!isSound && { if: ({ data }: never) => !isUrgent({ data }) })
          },
          talk({ id: "acting", tools: [tool(act)] })
        ], [checked])
    ),
    isByModel: true
  },
  never(
    "two tools require each other",
    "policies[0]",
    ({ act, agent, check, checked, talk, tool }, isSound) =>
      agent([talk()], [checked, { tool: check, ...(isSound ? { atMost: 9 } : { onlyIf: { called: act } }) }], {
        tools: [tool(act), tool(check)]
      })
  ),
  never(
    "no step offers the required tool",
    "policies[0]",
    ({ act, agent, check, checked, talk, tool }, isSound) =>
      agent([talk({ tools: [tool(act), tool(check)], onlyTools: isSound ? [act, check] : [act] })], [checked])
  ),
  never(
    "no step offers the tool that the required tool requires",
    "policies[1]",
    ({ act, agent, check, checked, open, talk, tool }, isSound) =>
      agent([talk({ onlyTools: isSound ? [act, check, open] : [act, check] })], [
        checked,
        { tool: check, onlyIf: { called: open } }
      ], { tools: [tool(act), tool(check), tool(open)], idle: "silent" })
  ),
  never(
    "the policy reads a field that no step sets",
    "policies[0]",
    ({ act, agent, talk, tool }, isSound) =>
      agent([talk()], [{ tool: act, onlyIf: { compare: [{ argument: "amount" }, "<", { field: "limit" }] } }], {
        tools: [tool(act, { handler: () => "done" })],
        ...(isSound && { initialData: { limit: 100 } })
      })
  ),
  {
    ...never(
      "the step's literal argument exceeds the limit",
      "policies[0]",
      ({ act, agent, argument, bye, call }, isSound) =>
        agent([call(act, {}, { [argument]: "x1", amount: isSound ? 50 : 500 }), bye], [
          { tool: act, onlyIf: { compare: [{ argument: "amount" }, "<=", { value: 100 }] } }
        ])
    ),
    isByModel: undefined as never
  }
]

export const planted: ReadonlyArray<Planted> = trades.flatMap((one) =>
  kinds.map(({ code, isByModel, make, name, path }): Planted => ({
    name: `${name} (${one.title})`,
    options: make(partsOf(one), false),
    sound: make(partsOf(one), true),
    code,
    path,
    tool: path === "policies[1]" ? one.check : one.act,
    ...(isByModel === true && { model: { [one.argument]: "x1", amount: 50 } })
  }))
)
