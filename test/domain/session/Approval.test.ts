import { describe, expect, it } from "@effect/vitest"
import { Approval, Limits } from "coxswain"
import { Either, FastCheck as fc } from "effect"
import { createHash } from "node:crypto"
import { canonical, type Json } from "../../../src/domain/base/Json.js"
import { hostile, hostileJson } from "../../support/Hostile.js"

describe("Approval.check (validates a decision about a tool call)", () => {
  it("accepts a valid decision about a call", () => {
    for (
      const decision of [
        { approved: true },
        { approved: false, reason: "too dear" },
        { approved: true, by: "ana" },
        { approved: true, by: { id: "ana", name: "Ana", roles: ["manager"] }, args: { nights: 2 } }
      ]
    ) {
      expect(Approval.check(decision)).toStrictEqual(Either.right(decision))
    }
    expect(Approval.check({ approved: true, reason: undefined })).toStrictEqual(Either.right({ approved: true }))
  })

  it("refuses any other value; the error says that the call still waits", () => {
    for (
      const wrong of [
        {},
        null,
        undefined,
        "no",
        true,
        [],
        [{ approved: true }],
        { approved: "false" },
        { approved: 0 },
        { approved: 1 },
        { approved: null },
        { approved: new Boolean(true) },
        { Approved: true },
        Object.create({ approved: true }),
        { approved: true, callId: "x" },
        JSON.parse("{\"approved\":true,\"__proto__\":{}}"),
        { approved: true, reason: 5 },
        { approved: true, reason: "x".repeat(2_001) },
        { approved: true, by: "" },
        { approved: true, by: { id: "a", admin: true } },
        { approved: true, by: {} },
        { approved: true, args: [] },
        { approved: true, args: { at: new Date(0) } }
      ]
    ) {
      const checked = Approval.check(wrong)
      expect(Either.isLeft(checked), JSON.stringify(wrong)).toBe(true)
      if (Either.isLeft(checked)) {
        expect(checked.left).toMatchObject({ _tag: "InvalidRequest", what: "decision" })
        expect(checked.left.message).toContain("the call still waits")
      }
    }
  })

  it("applies the agent's limits to the arguments that the approver edited", () => {
    const decision = { approved: true, args: { a: "xxxx" } }
    expect(Either.isRight(Approval.check(decision, Limits.resolve({ toolArguments: 12 })))).toBe(true)
    expect(Either.isLeft(Approval.check(decision, Limits.resolve({ toolArguments: 11 })))).toBe(true)
  })

  it.prop("accepts only a boolean in the field `approved`, for any input", [hostile, hostile], ([u, args]) => {
    for (const given of [u, { approved: u }, { approved: true, args }, { approved: true, by: args }]) {
      const checked = Approval.check(given)
      if (Either.isRight(checked)) expect(typeof checked.right.approved).toBe("boolean")
      else expect(checked.left.message.length).toBeLessThan(6_000)
    }
  })
})

describe("Approval.digest (the hash of a JSON value)", () => {
  it.prop("returns the SHA-256 of the value's canonical JSON text", [hostileJson], ([value]) => {
    expect(Approval.digest(value)).toBe(createHash("sha256").update(canonical(value), "utf8").digest("hex"))
  })

  it.prop("differs for different values, and ignores the order of keys", [hostileJson, hostileJson], ([a, b]) => {
    expect(Approval.digest(a) === Approval.digest(b)).toBe(canonical(a) === canonical(b))
    expect(Approval.digest({ a, b })).toBe(Approval.digest({ b, a }))
  })
})

describe("Approval.fingerprint (the hash of a tool's definition)", () => {
  const handler = (): number => 1
  const tool = { id: "book", description: "Books", jsonSchema: { type: "object" }, code: [handler, undefined, true] }

  it("changes with every part of the tool's definition, and with nothing else", () => {
    const same = Approval.fingerprint(tool)
    expect(Approval.fingerprint({ ...tool, code: [...tool.code], version: undefined })).toBe(same)
    const others = [
      { ...tool, id: "cancel" },
      { ...tool, description: "Books a room" },
      { ...tool, jsonSchema: { type: "object", required: ["city"] } },
      { ...tool, code: [(): number => 2, undefined, true] },
      { ...tool, code: [handler, handler, true] },
      { ...tool, code: [handler, undefined, false] },
      { ...tool, version: "2" }
    ].map(Approval.fingerprint)
    expect(new Set([same, ...others]).size).toBe(others.length + 1)
  })
})

describe("Approval.bind (binds an approval to the tool call that was shown)", () => {
  const about = { sessionId: "s", sessionVersion: 3, callId: "c", toolId: "book", fingerprint: "f" }
  const args: Json = { city: "Rome", nights: 2 }

  it("returns a binding that holds only for the tool and the arguments that were shown", () => {
    const binding = Approval.bind({ ...about, args })
    expect(Approval.holds(binding, { fingerprint: "f", args: { nights: 2, city: "Rome" } })).toBe(true)
    expect(Approval.holds(binding, { fingerprint: "g", args })).toBe(false)
    expect(Approval.holds(binding, { fingerprint: "f", args: { city: "Rome", nights: 3 } })).toBe(false)
  })

  it("returns a different binding for each session version; a binding with a changed part is invalid", () => {
    const binding = Approval.bind({ ...about, args })
    expect(Approval.bind({ ...about, sessionVersion: 4, args }).digest).not.toBe(binding.digest)
    for (
      const change of [{ sessionVersion: 4 }, { callId: "d" }, { toolId: "pay" }, { sessionId: "t" }, {
        requestedBy: "eve"
      }]
    ) {
      expect(Approval.holds({ ...binding, ...change }, { fingerprint: "f", args })).toBe(false)
    }
  })

  it.prop("returns a binding that holds only for equal arguments", [hostileJson, fc.string()], ([value, name]) => {
    const binding = Approval.bind({ ...about, callId: name, args: value })
    expect(Approval.holds(binding, { fingerprint: "f", args: value })).toBe(true)
    expect(Approval.holds(binding, { fingerprint: "f", args: [value] })).toBe(false)
  })
})
