/** The targets of a step's call for each outcome, and the possible results of a check that refuses the call. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, type Tool } from "coxswain"
import * as Check from "coxswain/check"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ order: Schema.String, email: Schema.String, price: Schema.Number })
})

type Data = { readonly order: string; readonly email: string; readonly price: number }

interface Shop {
  readonly price?: number
  readonly permission?: (data: Partial<Data>) => Tool.Permission<Data>
  readonly handler?: Effect.Effect<unknown, string>
  readonly then?: "all" | "failed" | "none"
}

const shop = ({ handler, permission = () => true, price = 7, then = "all" }: Shop = {}) =>
  Effect.gen(function*() {
    const ran: Array<string> = []
    const stage = yield* Stage.make({
      understand: ({ message }) => {
        const [field, value] = message.split(" ")
        return value === undefined ? {} : { fields: { [field!]: value } }
      }
    })
    const buy = kit.tool({
      id: "buy",
      parameters: { order: Schema.String.pipe(Schema.maxLength(10)) },
      checkPermissions: (_, { data }) => permission(data),
      handler: ({ order }) => {
        ran.push(order)
        return handler ?? Effect.succeed({ price })
      }
    })
    const agent = yield* kit.make({
      name: "Shop",
      flows: [{
        title: "Buy",
        steps: [
          { id: "what", prompt: "Ask what", collect: ["order"] },
          {
            id: "buy",
            call: buy.with(({ data }) => ({ order: data.order })),
            bind: { price: "price" },
            ...(then === "all" && {
              then: {
                ok: [
                  {
                    id: "dear",
                    if: ({ result }) =>
                      Schema.is(Schema.Struct({ price: Schema.Number }))(result.value) && result.value.price > 100,
                    then: "dear"
                  },
                  { then: "done" }
                ],
                denied: "denied",
                invalid: "invalid",
                failed: [{ if: ({ result }) => result.outcome === "timed_out", then: "late" }, { then: "sorry" }]
              }
            }),
            ...(then === "failed" && { then: { failed: "sorry" } })
          },
          { id: "done", reply: "Bought.", branches: [{ then: { complete: true } }] },
          { id: "dear", reply: "That is dear.", branches: [{ then: { complete: true } }] },
          { id: "denied", reply: "You may not.", branches: [{ then: { complete: true } }] },
          { id: "invalid", reply: "No such order.", branches: [{ then: { complete: true } }] },
          { id: "late", reply: "Too late.", branches: [{ then: { complete: true } }] },
          { id: "sorry", reply: "That did not work.", branches: [{ then: { complete: true } }] },
          { id: "mail", prompt: "Ask for the address", collect: ["email"], branches: [{ then: "buy" }] }
        ]
      }]
    }).pipe(Effect.provide(stage.layer))
    return { ...stage, ran, say: Stage.talk(agent) }
  })

const answers = (options: Shop, message: string) =>
  Effect.flatMap(shop(options), ({ say }) => Effect.map(say(message), (response) => response.message))

describe("the option `then` of a step that calls a tool", () => {
  it.effect("selects the first branch that matches the result", () =>
    Effect.gen(function*() {
      expect(yield* answers({ price: 7 }, "order A")).toBe("Bought.")
      expect(yield* answers({ price: 700 }, "order A")).toBe("That is dear.")
    }))

  it.effect("has different targets for a refused call, invalid arguments and a failure", () =>
    Effect.gen(function*() {
      expect(yield* answers({ permission: () => false }, "order A")).toBe("You may not.")
      expect(yield* answers({}, "order ABCDEFGHIJKLMNOP")).toBe("No such order.")
      expect(yield* answers({ handler: Effect.fail("sold out") }, "order A")).toBe("That did not work.")
    }))

  it.effect("`failed` is used for invalid arguments if `invalid` is absent, but not for refused calls", () =>
    Effect.gen(function*() {
      expect(yield* answers({ then: "failed", permission: () => false }, "order A")).toBe(
        "I am not allowed to do that."
      )
      expect(yield* answers({ then: "failed" }, "order ABCDEFGHIJKLMNOP")).toBe("That did not work.")
    }))

  it.effect("the selected branch is in `directiveChain` of the response", () =>
    Effect.gen(function*() {
      const { say } = yield* shop({ price: 700 })
      const { directiveChain } = yield* say("order A")
      expect(directiveChain.map(({ source }) => source)).toContain("buy/buy/ok/dear")
    }))

  it.effect("`make` refuses a branch without `if` that is not last, and an unknown target", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({})
      const buy = kit.tool({ id: "buy", handler: () => 1 })
      const { message } = yield* Effect.flip(
        kit.make({
          name: "Shop",
          flows: [{
            title: "Buy",
            steps: [{
              id: "buy",
              call: buy.with({}),
              then: { ok: [{ then: "buy" }, { if: () => true, then: "nowhere" }] }
            }]
          }]
        }).pipe(Effect.provide(stage.layer))
      )
      expect(message).toContain("fallback that is not last (flows[0].steps[0].then.ok[0])")
      expect(message).toContain("unknown target \"nowhere\" (flows[0].steps[0].then.ok[1].then)")
    }))
})

describe("a permission check that refuses a step's call", () => {
  it.effect("with missing fields makes the flow ask for these fields; then the call runs", () =>
    Effect.gen(function*() {
      const { prompts, ran, say } = yield* shop({
        permission: ({ email }) =>
          email !== undefined || { allowed: false, reason: "we need an address", missing: ["email"] }
      })
      const first = yield* say("order A")
      expect(first.toolCalls).toMatchObject([{
        outcome: "denied",
        output: { message: "we need an address; missing: email" }
      }])
      expect(first.session.currentStep?.id).toBe("mail")
      expect(prompts).toHaveLength(1)
      expect(ran).toEqual([])
      const second = yield* say("email a@b.org")
      expect(second.message).toBe("Bought.")
      expect(ran).toEqual(["A"])
    }))

  it.effect("can return a directive, which has precedence over `then` of the step", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* shop({
        permission: () => ({ allowed: false, reason: "no", directive: { goToStep: "late" } })
      })
      expect((yield* say("order A")).message).toBe("Too late.")
      expect(ran).toEqual([])
    }))

  it.effect("with an invalid directive still refuses the call", () =>
    Effect.gen(function*() {
      const { ran, say } = yield* shop({
        permission: () => ({ allowed: false, directive: { goto: "late" } }) as never
      })
      const { message, toolCalls } = yield* say("order A")
      expect(message).toBe("You may not.")
      expect(toolCalls[0]?.output).toMatchObject({ message: expect.stringContaining("\"goTo\" is near") })
      expect(ran).toEqual([])
    }))

  it.effect("causes no error of the checker; the targets of `then` cause none either", () =>
    Effect.gen(function*() {
      const pay = kit.tool({
        id: "pay",
        checkPermissions: (_, { data }) => data.email !== undefined || { allowed: false, missing: ["email"] },
        handler: () => "paid"
      })
      const found = yield* Effect.sync(() =>
        Check.check(kit, {
          name: "Shop",
          flows: [{
            title: "Buy",
            steps: [
              {
                id: "pay",
                call: pay.with({}),
                then: { denied: "mail", ok: [{ if: () => true, then: "done" }, { then: "mail" }] }
              },
              { id: "done", reply: "Paid.", branches: [{ then: { complete: true } }] },
              {
                id: "mail",
                prompt: "Ask for the address",
                collect: ["email"],
                branches: [{ then: { complete: true } }]
              }
            ]
          }]
        })
      )
      expect(found.findings.filter(({ severity }) => severity === "error")).toEqual([])
    }))
})
