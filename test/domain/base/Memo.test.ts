import { describe, expect, it } from "@effect/vitest"
import * as Memo from "../../../src/domain/base/Memo.js"

describe("what is kept by an object", () => {
  it("is made once for each, whatever it is", () => {
    const asked: Array<object> = []
    const nameOf = Memo.weak((one: { readonly name: string | undefined }) => {
      asked.push(one)
      return one.name
    })
    const [a, nameless] = [{ name: "a" }, { name: undefined }]
    expect([nameOf(a), nameOf(nameless), nameOf(a), nameOf(nameless)]).toEqual(["a", undefined, "a", undefined])
    expect(asked).toEqual([a, nameless])
  })

  it("is of the object, not of one like it", () => {
    const copy = Memo.weak((one: { readonly name: string }) => ({ ...one }))
    expect(copy({ name: "a" })).not.toBe(copy({ name: "a" }))
  })

  it("is not kept when making it fails", () => {
    let fails = true
    const made = Memo.weak(() => {
      if (fails) throw new Error("not yet")
      return "made"
    })
    const one = {}
    expect(() => made(one)).toThrow("not yet")
    fails = false
    expect(made(one)).toBe("made")
  })
})

describe("what is kept by a list", () => {
  it("is made once for each list, and anew for an empty one", () => {
    const asked: Array<ReadonlyArray<string>> = []
    const joined = Memo.list((list: ReadonlyArray<string>) => {
      asked.push(list)
      return list.join()
    })
    const [some, none] = [["a", "b"], []]
    expect([some, none, some, none].map(joined)).toEqual(["a,b", "", "a,b", ""])
    expect(asked).toEqual([some, none, none])
  })
})

describe("what is kept by a text", () => {
  it("is made once as long as it is among the last that were made", () => {
    const made: Array<string> = []
    const kept = Memo.lru<string>(2)
    const get = (key: string) =>
      kept(key, () => {
        made.push(key)
        return key.toUpperCase()
      })
    expect(["a", "b", "a", "c", "b", "a"].map(get)).toEqual(["A", "B", "A", "C", "B", "A"])
    expect(made).toEqual(["a", "b", "c", "a"])
  })
})
