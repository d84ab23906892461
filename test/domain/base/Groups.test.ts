import { describe, expect, it } from "@effect/vitest"
import * as Groups from "../../../src/domain/base/Groups.js"

describe("Groups.by (groups list elements by a key)", () => {
  it("keeps the order of elements within a group, and orders groups by their first element", () =>
    expect([...Groups.by(["b1", "a1", "b2", "a2"], ([letter]) => letter)]).toEqual([
      ["b", ["b1", "b2"]],
      ["a", ["a1", "a2"]]
    ]))

  it("accepts any key, such as constructor and __proto__", () =>
    expect([...Groups.by(["constructor", "__proto__", ""], (word) => word || undefined)]).toEqual([
      ["constructor", ["constructor"]],
      ["__proto__", ["__proto__"]],
      [undefined, [""]]
    ]))
})
