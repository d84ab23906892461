/** Scripted conversations that check the state after every turn, with at most one understanding in a turn. */
import { describe, expect, it } from "@effect/vitest"
import { play } from "../support/Dialogue.js"
import { desk } from "../support/TravelDesk.js"
import { dialogues } from "./dialogues.js"

describe("scripted conversations at the travel desk", () => {
  it("there are at least sixty scripted conversations with distinct names", () => {
    expect(new Set(dialogues.map(([name]) => name)).size).toBe(dialogues.length)
    expect(dialogues.length).toBeGreaterThanOrEqual(60)
  })

  for (const [name, lines] of dialogues) it.effect(name, () => play(desk, lines))
})
