import { describe, expect, it } from "@effect/vitest"
import * as Groups from "../../../src/domain/base/Groups.js"

describe("what belongs together", () => {
  it("keeps its order, and the groups come in the order of their first", () =>
    expect([...Groups.by(["b1", "a1", "b2", "a2"], ([letter]) => letter)]).toEqual([
      ["b", ["b1", "b2"]],
      ["a", ["a1", "a2"]]
    ]))

  it("is told by any key, one that objects have too", () =>
    expect([...Groups.by(["constructor", "__proto__", ""], (word) => word || undefined)]).toEqual([
      ["constructor", ["constructor"]],
      ["__proto__", ["__proto__"]],
      [undefined, [""]]
    ]))
})
