import { describe, expect, it } from "@effect/vitest"
import * as Source from "../../../../src/domain/check/shape/Source.js"

describe("the checker's analysis of a function's source text", () => {
  it("drops comments, separates strings from code, and reads template expressions as code", () => {
    const { code, strings } = Source.parse("({ data }) => `a ${data.x /* goTo */} b` + 'it\\'s' // reset")
    expect(strings).toEqual(["a ", " b", "it's"])
    expect(code).toContain("data.x")
    expect(code).not.toMatch(/goTo|reset|it's/)
  })

  it("`isClosed` is true only for a function that refers to nothing but its arguments", () => {
    const limit = 4
    const closed = (run: unknown) => Source.isClosed(Source.of(run))
    expect(closed(() => true)).toBe(true)
    expect(closed(({ data }: { readonly data: { readonly guests?: number } }) => (data.guests ?? 0) > 4)).toBe(true)
    expect(closed((ctx: { readonly data: { readonly city: string } }) => ctx.data.city === "Lisbon")).toBe(true)
    expect(closed(({ data }: { readonly data: { readonly guests: number } }) => data.guests > limit)).toBe(false)
    let calls = 0
    expect(closed(() => {
      calls = calls + 1
      return true
    })).toBe(false)
    expect(closed(() => performance.now() > 4)).toBe(false)
  })

  it("`moves` and `targets` find the directives that move, and their targets where these are literals", () => {
    expect(Source.moves(Source.of(() => ({ dataUpdate: { city: "goTo" } })))).toBeUndefined()
    expect(Source.moves(Source.of(() => ({ goTo: "Feedback" })))).toMatchObject({
      toFlow: true,
      completes: false,
      aborts: false,
      names: ["Feedback"]
    })
    expect(
      Source.moves(
        Source.of((ctx: { readonly dispatch: (d: unknown) => unknown }, made: unknown) => ctx.dispatch(made))
      )
    )
      .toMatchObject({ toFlow: true, toStep: true, completes: true, aborts: true, restarts: true })
    const made = { goTo: "Feedback" }
    expect(Source.moves(Source.of(() => ({ directive: { schedule: { id: "due", in: "1 day" } } })))).toBeUndefined()
    expect(Source.moves(Source.of(() => ({ directive: made })))).toMatchObject({
      toFlow: true,
      completes: true,
      aborts: true
    })
    expect(Source.moves(Source.of(() => ({ directive: { ...made } })))).toMatchObject({
      toFlow: true,
      completes: true,
      aborts: true
    })
    const later = Source.parse("({ day, ...rest }) => ({ directive: { schedule: { event: 'due', payload: rest } } })")
    expect(Source.moves(later)).toBeUndefined()
    for (
      const text of [
        "(args, { data: { day, ...rest } }) => { return { directive: { dataUpdate: rest } } }",
        "function ({ day, ...rest }) { return { directive: { dataUpdate: rest } } }",
        "(first, ...rest) => ({ directive: { dataUpdate: rest } })",
        "(args) => { const { day, ...rest } = args; return { directive: { dataUpdate: rest } } }"
      ]
    ) expect(Source.moves(Source.parse(text)), text).toBeUndefined()
    expect(Source.moves(Source.parse("({ ...rest }) => ({ directive: { ...rest } })"))).toMatchObject({ toFlow: true })
    expect(Source.targets(() => ({ goTo: "Feedback", goToStep: "x" }))).toEqual([
      { key: "goTo", name: "Feedback" },
      { key: "goToStep", name: "x" }
    ])
  })

  it("`reads` returns the fields that the code reads without handling their absence", () => {
    type Ctx = { readonly data: { readonly a?: string; readonly b?: string; readonly c?: string } }
    expect(
      Source.reads(Source.of(({ data }: Ctx) => `${data.a} ${data.b ?? "none"} ${data.c === undefined ? "" : data.c}`))
    )
      .toEqual(["a"])
  })
})
