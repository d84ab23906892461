/** Many conversations, with the state that is expected after every turn and one understanding a turn at most. */
import { describe, expect, it } from "@effect/vitest"
import { play } from "../support/Dialogue.js"
import { desk } from "../support/TravelDesk.js"
import { dialogues } from "./dialogues.js"

describe("at the travel desk", () => {
  it("there are at least sixty conversations, each with a name of its own", () => {
    expect(new Set(dialogues.map(([name]) => name)).size).toBe(dialogues.length)
    expect(dialogues.length).toBeGreaterThanOrEqual(60)
  })

  for (const [name, lines] of dialogues) it.effect(name, () => play(desk, lines))
})
