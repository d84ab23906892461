import { expect, it } from "@effect/vitest"
import { ToolFile } from "coxswain"
import { Schema } from "effect"

const file = (n: number): ToolFile.FileOfCall => ({
  mediaType: "text/csv",
  name: `${n}.csv`,
  ref: `s-${n}`,
  size: n,
  callId: `c${n}`,
  toolId: "t"
})

it("a session lists only the last 200 files that tools returned", () => {
  const all = Array.from({ length: 205 }, (_, n) => file(n))
  expect(all.reduce<ReadonlyArray<ToolFile.FileOfCall>>((list, one) => ToolFile.listed(list, [one]), []))
    .toEqual(all.slice(5))
})

it("a tool's file may have any common file name", () => {
  for (const name of ["a.csv", "Rechnung März (2).pdf", "請求書.pdf", "👨‍👩‍👧.png", ".env", "a..b", "x".repeat(200)]) {
    expect([name, Schema.is(ToolFile.Name)(name)]).toEqual([name, true])
  }
})

it("a tool's file may have no name that cannot be encoded in a header", () => {
  const isName = Schema.is(ToolFile.Name)
  const names = Array.from({ length: 0xffff }, (_, code) => `a${String.fromCharCode(code)}`).filter((name) =>
    isName(name)
  )
  expect(names.length).toBeGreaterThan(60_000)
  expect(() => names.forEach(encodeURIComponent)).not.toThrow()
})
