/** Conditions of Rasa as CEL, evaluated by the language of documents. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Either } from "effect"
import * as Condition from "../../../src/cli/rasa/Condition.js"

const types: Readonly<Record<string, Condition.SlotType>> = {
  name: "text",
  ok: "bool",
  kind: "categorical",
  amount: "float",
  tags: "list"
}

const cel = (text: string) =>
  Either.flatMap(Condition.parse(text), (condition) => Condition.toCel(condition, (slot) => types[slot] ?? "any"))

/** Answers with the value of a condition over data: a flow says yes if it holds. */
const holds = (condition: string, data: Readonly<Record<string, unknown>>) =>
  Effect.gen(function*() {
    const agent = yield* Agent.fromDocument({
      name: "Desk",
      data: {
        name: { type: "string" },
        ok: { type: "boolean" },
        kind: { enum: ["a", "b"] },
        amount: { type: "number" },
        tags: { type: "array", items: { type: "string" } }
      },
      flows: [{
        title: "Ask",
        initialData: data,
        steps: [{ id: "yes", if: condition, reply: "yes", ends: true }, { id: "no", reply: "no", ends: true }]
      }],
      initialFlow: "ask"
    })
    return (yield* agent.begin("u1")).message === "yes"
  }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory, Document.layer]))

describe("the translation of Rasa's conditions", () => {
  it.effect.each(
    [
      ["slots.amount < 18", { amount: 17 }, true],
      ["slots.amount < 18", { amount: 18 }, false],
      ["slots.amount < 18", {}, false],
      ["slots.amount >= 18 and slots.amount < 65", { amount: 18 }, true],
      ["(slots.amount > 18 and (slots.name = \"yes\" or slots.name = \"y\"))", { amount: 19, name: "y" }, true],
      ["(slots.amount > 18 and (slots.name = \"yes\" or slots.name = \"y\"))", { amount: 19, name: "n" }, false],
      ["slots.name is 'Ann'", { name: "Ann" }, true],
      ["slots.name is not 'Ann'", { name: "Bob" }, true],
      ["slots.name is not 'Ann'", {}, true],
      ["slots.name != 'Ann'", { name: "Ann" }, false],
      ["slots.name is null", {}, true],
      ["slots.name is not null", {}, false],
      ["slots.name is not null", { name: "x" }, true],
      ["slots.ok", { ok: true }, true],
      ["slots.ok", { ok: false }, false],
      ["slots.ok", {}, false],
      ["not slots.ok", {}, true],
      ["not slots.ok", { ok: true }, false],
      ["slots.ok is True", { ok: true }, true],
      ["slots.ok = false", {}, false],
      ["slots.name", { name: "" }, false],
      ["slots.amount", { amount: 0 }, false],
      ["not (slots.ok or slots.amount > 1)", { amount: 1 }, true],
      ["slots.ok and not slots.name", { ok: true }, true],
      ["{\"a\", \"c\"} contains slots.kind", { kind: "a" }, true],
      ["{\"a\", \"c\"} contains slots.kind", { kind: "b" }, false],
      ["{\"a\" \"b\"} contains slots.kind", {}, false],
      ["slots.tags contains \"x\"", { tags: ["x", "y"] }, true],
      ["slots.name contains \"nn\"", { name: "Ann" }, true],
      ["amount > 2.5", { amount: 2.6 }, true],
      ["1000 <= slots.amount", { amount: 1000 }, true],
      ["true", {}, true],
      ["False", {}, false],
      ["slots.kind = 'a' or slots.kind = 'b' and slots.ok", { kind: "a" }, true]
    ] as const
  )(
    "the condition %s is translated so that for the data %j its value is %s",
    ([text, data, expected]) =>
      Effect.gen(function*() {
        const written = yield* cel(text)
        expect(yield* holds(written, data), written).toBe(expected)
      })
  )

  it.each([
    ["slots.name matches \"[0-9]+\"", "a document has no regular expressions"],
    ["context.canceled_name = \"x\"", "context.canceled_name is no slot"],
    ["slots.amount <", "it ends too early"],
    ["slots.amount < 1 1", "\"1\" is not expected"],
    ["(slots.ok", "a parenthesis is not closed"],
    ["slots.a + 1", "\"+\" is not expected"],
    ["\"text\"", "a text or a number stands where a condition is expected"],
    ["slots.amount < null", "null can be compared for equality only"],
    ["{slots.a", "it ends too early"]
  ])("the condition %s is refused with the reason: %s", (text, why) => {
    expect(cel(text)).toEqual(Either.left(why))
  })

  it("a condition that an agent document cannot express is translated to TypeScript", () => {
    const written = Either.map(
      Condition.parse("slots.name matches \"^[0-9]{4}$\" or slots.amount > 3"),
      Condition.toTypeScript
    )
    expect(written).toEqual(Either.right(
      "((data.name != null && /^[0-9]{4}$/.test(String(data.name))) || (data.amount != null && Number(data.amount) > 3))"
    ))
  })
})
