/**
 * Effect decodes a union of tagged structs by converting the tag to a string, which throws for a list that is nested too
 * deep and for an object whose `toString` is no function. Both are valid JSON, so anybody can send them.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import * as Fields from "../../src/domain/fields/Fields.js"
import * as Decode from "../../src/domain/fields/schema/Decode.js"
import * as Approval from "../../src/domain/session/Approval.js"
import * as PartCheck from "../../src/domain/session/part/PartCheck.js"
import * as Transcript from "../../src/domain/session/Transcript.js"

const nested: unknown = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
const hostile: ReadonlyArray<unknown> = [nested, JSON.parse(`{"toString":1,"valueOf":1}`), [{ toString: 1 }]]

const Shape = Schema.Union(
  Schema.TaggedStruct("Circle", { radius: Schema.Number }),
  Schema.TaggedStruct("Square", { side: Schema.Number })
)

describe("a value that cannot be converted to a string", () => {
  const [shape] = Fields.fromStruct(Schema.Struct({ shape: Shape }) as never).values()

  for (const [i, tag] of hostile.entries()) {
    it(`is refused as the tag of a field's value (${i})`, () => {
      expect(Either.isLeft(shape!.decode({ _tag: tag }))).toBe(true)
      expect(Either.isLeft(shape!.check({ _tag: tag }))).toBe(true)
    })
    it(`is refused as the type of a message part (${i})`, () => {
      expect(Either.isLeft(PartCheck.check([{ type: tag, text: "x" }], undefined))).toBe(true)
    })
    it(`is refused as the role or the part type of a stored message (${i})`, () => {
      expect(Either.isLeft(Transcript.decode({ role: tag, content: [] } as never))).toBe(true)
      expect(Either.isLeft(Transcript.decode({ role: "user", content: [{ type: tag }] } as never))).toBe(true)
    })
    it.effect(`is refused as the tag of a union of structs, with a short reason (${i})`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Decode.effect(Shape)({ _tag: tag }))
        expect(Fields.complaints(error).length).toBeLessThan(1_000)
        expect(Either.getLeft(Decode.valid(Shape)({ _tag: tag }))._tag).toBe("Some")
      }))
    it(`is refused in a decision about an approval (${i})`, () => {
      expect(Either.isLeft(Approval.check({ approved: true, by: tag }))).toBe(true)
    })
  }
})
