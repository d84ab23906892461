import { describe, expect, it } from "@effect/vitest"
import * as Memo from "../../../src/domain/base/Memo.js"

describe("Memo.weak (caches a function's result per object)", () => {
  it("calls the function once per object, also when the result is undefined", () => {
    const asked: Array<object> = []
    const nameOf = Memo.weak((one: { readonly name: string | undefined }) => {
      asked.push(one)
      return one.name
    })
    const [a, nameless] = [{ name: "a" }, { name: undefined }]
    expect([nameOf(a), nameOf(nameless), nameOf(a), nameOf(nameless)]).toEqual(["a", undefined, "a", undefined])
    expect(asked).toEqual([a, nameless])
  })

  it("distinguishes equal objects by identity", () => {
    const copy = Memo.weak((one: { readonly name: string }) => ({ ...one }))
    expect(copy({ name: "a" })).not.toBe(copy({ name: "a" }))
  })

  it("caches nothing when the function throws", () => {
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

describe("Memo.list (caches a function's result per list)", () => {
  it("calls the function once per list, but each time for an empty list", () => {
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

describe("Memo.lru (caches the values computed last)", () => {
  it("computes a key's value again only after the key was evicted", () => {
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
