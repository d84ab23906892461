import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { findFlow, flowId, slug, stepId } from "../../../src/domain/definition/Definition.js"

describe("slug (the id derived from a title)", () => {
  it("is lower case, with words joined by a dash", () => {
    expect(slug("Book a room")).toBe("book-a-room")
    expect(slug("  Book -- a (room)!  ")).toBe("book-a-room")
    expect(slug("Room 101")).toBe("room-101")
  })

  it("drops accents without splitting words", () => {
    expect(slug("Réserver une chambre à l’hôtel")).toBe("reserver-une-chambre-a-l-hotel")
    expect(slug("Reise buchen: Übernachtung")).toBe("reise-buchen-ubernachtung")
  })

  it("is the same for every Unicode normalization of a title", () => {
    expect(slug("Re\u0301server")).toBe(slug("Réserver"))
    expect(slug("ﬁnd ① room")).toBe("find-1-room")
  })

  it("contains the letters of every script, combining marks included", () => {
    expect(slug("予約する")).toBe("予約する")
    expect(slug("ホテルのガイド")).toBe("ホテルのガイド")
    expect(slug("예약 하기")).toBe("예약-하기")
    expect(slug("होटल बुक करें")).toBe("होटल-बुक-करें")
    expect(slug("Забронировать номер")).toBe("забронировать-номер")
  })

  it("encodes a name without letters by its code points, and is empty only for an empty name", () => {
    expect(slug("🏨")).toBe("1f3e8")
    expect(slug("!?")).toBe("21-3f")
    expect(slug("")).toBe("")
  })

  it.prop("is deterministic, idempotent, and never empty for a nonempty name", [
    fc.string({ unit: "grapheme", minLength: 1 })
  ], ([name]) => {
    expect(slug(name)).toBe(slug(name))
    expect(slug(slug(name))).toBe(slug(name))
    expect(slug(name)).not.toBe("")
  })
})

describe("default ids", () => {
  it("a flow's id defaults to the slug of its title", () => {
    expect(flowId({ title: "Book a room" })).toBe("book-a-room")
    expect(flowId({ id: "B", title: "Book a room" })).toBe("B")
  })

  it("a step's id defaults to the slug of its description, else to its position", () => {
    expect(stepId({ description: "Ask the city" }, 3)).toBe("ask-the-city")
    expect(stepId({ id: "a", description: "Ask the city" }, 3)).toBe("a")
    expect(stepId({}, 3)).toBe("step-4")
    expect(stepId({ description: "" }, 0)).toBe("step-1")
  })
})

describe("findFlow (finds a flow by id or title)", () => {
  it("prefers the flow with this id to the flow with this title", () => {
    const flows = [{ id: "a", title: "b" }, { id: "b", title: "c" }]
    expect(findFlow(flows, "b")).toBe(flows[1])
    expect(findFlow(flows, "c")).toBe(flows[1])
    expect(findFlow(flows, "d")).toBeUndefined()
  })
})
