/** A step's code is not called without the fields that the step requires. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { toolCall } from "../../support/Script.js"
import { table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, talk } = Stage

/** Dies without the city. */
const upper = ({ data }: { readonly data: { readonly city: string } }) => data.city.toUpperCase()

const desk = (needsApproval: boolean, finalized: Array<string>) =>
  Effect.gen(function*() {
    const forget = kit.tool({
      id: "forget",
      needsApproval,
      handler: () => ({ ok: true, outputMessage: "forgotten", directive: { clear: ["city"] } })
    })
    const stage = yield* Stage.make({
      understand: table({ Porto: { fields: { city: "Porto" } } }),
      speak: (asked) =>
        asked.text.includes("forgotten") || Stage.task(asked).includes("Where")
          ? Stage.task(asked)
          : [toolCall("forget", {}, "c1")]
    })
    const agent = yield* kit.make({
      name: "Bot",
      flows: [{
        id: "f",
        title: "F",
        steps: [
          { id: "city", prompt: "Where to?", collect: ["city"] },
          kit.step({
            id: "offer",
            requires: ["city"],
            tools: [forget],
            prompt: (ctx) => `Offer rooms in ${upper(ctx)}`,
            finalize: (ctx) => void finalized.push(upper(ctx)),
            until: () => false
          })
        ]
      }]
    }).pipe(Effect.provide(stage.layer))
    return { agent, stage, say: talk(agent) }
  })

describe("a step that requires a field", () => {
  it.effect("ends without `finalize` if a tool clears the field, and the next turn asks for the field again", () =>
    Effect.gen(function*() {
      const finalized: Array<string> = []
      const { say, stage } = yield* desk(false, finalized)
      yield* say("Hi")
      const offered = yield* say("Porto")
      expect(offered.message).toBe("Offer rooms in PORTO")
      expect(offered.cleared).toEqual(["city"])
      expect(finalized).toEqual([])
      const again = yield* say("Well")
      expect(at(again)).toBe("f/city")
      expect(again.message).toContain("Where to?")
      expect(stage.prompts.length).toBe(4)
    }))

  it.effect("gives the model no step prompt if an approved tool call clears the field", () =>
    Effect.gen(function*() {
      const finalized: Array<string> = []
      const { agent, say, stage } = yield* desk(true, finalized)
      yield* say("Hi")
      const waiting = yield* say("Porto")
      expect(waiting.approvals).toHaveLength(1)
      const done = yield* agent.approve("s1", waiting.approvals[0]!.id, { approved: true })
      expect(done.toolCalls.map(({ outcome }) => outcome)).toEqual(["ok"])
      expect(stage.prompts.map(({ text }) => text.includes("Offer rooms"))).toEqual([false, true, false])
      expect(finalized).toEqual([])
      expect(at(yield* say("Well"))).toBe("f/city")
    }))

  it.effect("runs its hooks and its reply with the field's value if no tool clears the field", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const stage = yield* Stage.make({ understand: table({ Porto: { fields: { city: "Porto" } } }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "city", prompt: "Where to?", collect: ["city"] },
            kit.step({
              id: "offer",
              requires: ["city"],
              onEnter: (ctx) => void seen.push(`enter ${upper(ctx)}`),
              prepare: (ctx) => void seen.push(`prepare ${upper(ctx)}`),
              finalize: (ctx) => void seen.push(`finalize ${upper(ctx)}`),
              reply: { en: upper, de: "x" }
            })
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("Porto")).message).toBe("PORTO")
      expect(seen).toEqual(["enter PORTO", "prepare PORTO", "finalize PORTO"])
    }))
})
