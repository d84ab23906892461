import { describe, expect, it } from "@effect/vitest"
import * as Kept from "../../src/domain/Kept.js"

describe("what is kept by an object", () => {
  it("is made once for each, whatever it is", () => {
    const asked: Array<object> = []
    const nameOf = Kept.by((one: { readonly name: string | undefined }) => {
      asked.push(one)
      return one.name
    })
    const [a, nameless] = [{ name: "a" }, { name: undefined }]
    expect([nameOf(a), nameOf(nameless), nameOf(a), nameOf(nameless)]).toEqual(["a", undefined, "a", undefined])
    expect(asked).toEqual([a, nameless])
  })

  it("is of the object, not of one like it", () => {
    const copy = Kept.by((one: { readonly name: string }) => ({ ...one }))
    expect(copy({ name: "a" })).not.toBe(copy({ name: "a" }))
  })

  it("is not kept when making it fails", () => {
    let fails = true
    const made = Kept.by(() => {
      if (fails) throw new Error("not yet")
      return "made"
    })
    const one = {}
    expect(() => made(one)).toThrow("not yet")
    fails = false
    expect(made(one)).toBe("made")
  })
})
