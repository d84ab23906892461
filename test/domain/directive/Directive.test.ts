import { describe, expect, it } from "@effect/vitest"
import { Directive, Errors } from "coxswain"
import type { Schema as SchemaType } from "effect"
import { Effect, Either, Exit, FastCheck as fc, Schema } from "effect"
import { storable } from "../../../src/domain/directive/StorableDirective.js"
import { partial } from "../../../src/domain/fields/Fields.js"
import { runs } from "../../support/Runs.js"

type Literal = Directive.SignalDirective

const text = fc.string({ maxLength: 6 })
const writes = fc.dictionary(fc.constantFrom("city", "guests", "__proto__"), fc.oneof(text, fc.integer()), {
  maxKeys: 3
})
const flags = fc.boolean()
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] })

/** At most one position, as `validate` requires. */
const position: fc.Arbitrary<Literal> = fc.oneof(
  fc.constant({}),
  fc.record({
    goTo: fc.oneof(text, some({ flow: text, step: text, data: writes, carry: fc.constant("reset" as const) }))
  }),
  fc.record({ goToStep: fc.oneof(text, fc.record({ step: text, flow: text })) }),
  fc.record({ complete: fc.oneof(fc.constant(true as const), some({ reason: text })) }),
  fc.record({ abort: fc.oneof(text, fc.record({ reason: text, clearSession: flags })) }),
  fc.record({ reset: fc.oneof(fc.constant(true as const), some({ step: text, clearData: flags })) })
)

const timerId = fc.constantFrom("a", "b", "c")
const scheduled = fc.oneof(
  fc.record({ id: timerId, event: fc.constant("ping"), in: fc.nat(9) }),
  fc.record({ id: timerId, event: fc.constant("ping"), at: fc.constant("2026-01-01T00:00:00Z"), payload: fc.nat(9) })
)

const call = fc.record({ job: fc.constantFrom("a", "b"), payload: fc.nat(9) })

const tool = fc.record({ id: fc.constantFrom("a", "b", "c"), n: fc.nat(9) })

const directive: fc.Arbitrary<Literal> = fc.tuple(
  position,
  some({
    reply: text,
    dataUpdate: writes,
    contextUpdate: writes,
    appendPrompt: fc.array(text, { maxLength: 3 }),
    injectTools: fc.uniqueArray(tool, { selector: ({ id }) => id }),
    halt: flags,
    replyWith: text,
    stopOtherSignals: flags,
    schedule: fc.oneof(scheduled, fc.uniqueArray(scheduled, { minLength: 2, selector: ({ id }) => id })),
    cancel: fc.oneof(timerId, fc.uniqueArray(timerId, { minLength: 2 })),
    run: fc.oneof(call, fc.array(call, { minLength: 2, maxLength: 3 }))
  })
).map(([moves, rest]) => ({ ...moves, ...rest }))

const tiers = [
  { abort: "the guest left" },
  { complete: true },
  { goTo: "Feedback" },
  { goToStep: "ask" },
  { reset: true },
  { handOff: "person", reason: "asked" }
] satisfies ReadonlyArray<Literal>
const tierOf = (d: Literal) => "handOff" in d ? 4 : "abort" in d ? 3 : "complete" in d ? 2 : "reset" in d ? 0 : 1

describe("Directive.merge (combines directives)", () => {
  it.prop("is associative", [directive, directive, directive], ([a, b, c]) => {
    expect(Directive.merge(Directive.merge(a, b), c)).toStrictEqual(Directive.merge(a, Directive.merge(b, c)))
  }, runs(1000))

  it.prop("has {} as identity", [directive], ([d]) => {
    expect(Directive.merge({}, d)).toStrictEqual(d)
    expect(Directive.merge(d, {})).toStrictEqual(d)
  }, runs(1000))

  it("keeps the last of several timers with one id, and drops a timer that is cancelled later", () => {
    const at = (id: string, ms: number) => ({ schedule: { id, in: ms, event: "ping" } })
    expect(Directive.merge(at("a", 1), at("a", 2))).toStrictEqual(at("a", 2))
    expect(Directive.merge(at("a", 1), { cancel: "a" })).toStrictEqual({ cancel: "a" })
    expect(Directive.merge({ cancel: "a" }, at("a", 1))).toStrictEqual({ cancel: "a", ...at("a", 1) })
  })

  it("ranks `handOff` > `abort` > `complete` > `goTo` and `goToStep` > `reset`, in any order", () => {
    for (const a of tiers) {
      for (const b of tiers) {
        const winner = tierOf(a) > tierOf(b) ? a : tierOf(b) > tierOf(a) ? b : b
        expect(Directive.merge(a, b)).toStrictEqual(winner)
      }
    }
  })

  it("keeps the later of two position fields of the same rank, for example `goTo` and `goToStep`", () => {
    expect(Directive.merge({ goTo: "A" }, { goTo: "B" })).toStrictEqual({ goTo: "B" })
    expect(Directive.merge({ goTo: "A" }, { goToStep: "b" })).toStrictEqual({ goToStep: "b" })
    expect(Directive.merge({ goToStep: "b" }, { goTo: "A" })).toStrictEqual({ goTo: "A" })
  })

  it.prop(
    "keeps the last position field of the highest rank, wherever it is in the sequence",
    [fc.array(fc.constantFrom(...tiers), { minLength: 1, maxLength: 8 })],
    ([sequence]) => {
      const best = Math.max(...sequence.map(tierOf))
      expect(Directive.mergeAll(sequence)).toStrictEqual(sequence.findLast((d) => tierOf(d) === best))
    }
  )

  it.prop(
    "keeps all data and context writes, the last per key, whichever position is kept",
    [fc.array(directive, { maxLength: 6 })],
    ([sequence]) => {
      const merged = Directive.mergeAll(sequence)
      for (const field of ["dataUpdate", "contextUpdate"] as const) {
        const expected = new Map(sequence.flatMap((d) => Object.entries(d[field] ?? {})))
        expect(new Map(Object.entries(merged[field] ?? {}))).toStrictEqual(expected)
      }
    }
  )

  it("replaces a written object instead of merging its properties", () => {
    expect(Directive.merge<object>({ dataUpdate: { a: { x: 1 }, b: 1 } }, { dataUpdate: { a: { y: 2 } } }))
      .toStrictEqual({
        dataUpdate: { a: { y: 2 }, b: 1 }
      })
  })

  it("keeps the last `reply` that is not blank, and the last `replyWith`", () => {
    expect(Directive.merge({ reply: "a", replyWith: "x" }, { reply: "b" })).toStrictEqual({
      reply: "b",
      replyWith: "x"
    })
    for (const blank of ["", " \n"]) {
      expect(Directive.merge({ reply: "a" }, { reply: blank })).toStrictEqual({ reply: "a" })
      expect(Directive.merge({ reply: blank }, { reply: "a" })).toStrictEqual({ reply: "a" })
    }
  })

  it("concatenates `appendPrompt` and keeps duplicates", () => {
    expect(Directive.merge({ appendPrompt: ["a", "b"] }, { appendPrompt: ["a"] })).toStrictEqual({
      appendPrompt: ["a", "b", "a"]
    })
  })

  it("concatenates `injectTools` and keeps the later of two tools with one id", () => {
    const [a1, b, a2] = [{ id: "a", n: 1 }, { id: "b" }, { id: "a", n: 2 }]
    expect(Directive.merge<unknown, unknown, object>({ injectTools: [a1, b] }, { injectTools: [a2] })).toStrictEqual({
      injectTools: [b, a2]
    })
  })

  it("sets `halt` or `stopOtherSignals` if either directive sets that field", () => {
    for (const key of ["halt", "stopOtherSignals"] as const) {
      expect(Directive.merge({ [key]: true }, { [key]: false })).toStrictEqual({ [key]: true })
      expect(Directive.merge({ [key]: false }, { [key]: true })).toStrictEqual({ [key]: true })
      expect(Directive.merge({ [key]: false }, { [key]: false })).toStrictEqual({ [key]: false })
    }
  })

  it("treats an undefined field as absent", () => {
    const loose = { goTo: undefined, reply: undefined, halt: undefined, dataUpdate: undefined } as object
    expect(Directive.merge({ goTo: "A", reply: "a" }, loose)).toStrictEqual({ goTo: "A", reply: "a" })
  })

  it("`wins` is true if the merge kept the directive's position, or the directive has none", () => {
    const [a, b] = [{ goTo: "A" }, { abort: "x" }]
    const merged = Directive.merge(a, b)
    expect([Directive.wins(a, merged), Directive.wins(b, merged), Directive.wins({ reply: "x" }, merged)])
      .toStrictEqual([
        false,
        true,
        true
      ])
  })
})

describe("the position field of a directive", () => {
  it("`handOff` may have a `reason`; a `reason` without `handOff` is refused", () => {
    expect(Directive.position({ handOff: "person" })).toStrictEqual({ _tag: "HandOff" })
    expect(Directive.position({ handOff: "person", reason: "r" })).toStrictEqual({ _tag: "HandOff", reason: "r" })
    expect(Directive.merge({ handOff: "person", reason: "a" }, { handOff: "person" })).toStrictEqual({
      handOff: "person"
    })
    expect(Directive.merge({ handOff: "person", reason: "a" }, { goTo: "F" })).toStrictEqual({
      handOff: "person",
      reason: "a"
    })
    expect(Directive.issues({ reason: "r" })).toMatchObject([{ what: "reason without handOff" }])
    expect(Directive.issues({ handOff: "robot" })).toMatchObject([{ what: "wrong handOff" }])
    expect(Directive.issues({ handOff: "person", goTo: "F" })).toMatchObject([{ what: "several position fields" }])
  })

  it("every form of a position is normalized to a tagged value", () => {
    expect(Directive.position({})).toBeUndefined()
    expect(Directive.position({ goTo: "F" })).toStrictEqual({ _tag: "GoTo", flow: "F" })
    expect(Directive.position({ goTo: { step: "s", carry: "reset" } })).toStrictEqual({
      _tag: "GoTo",
      step: "s",
      carry: "reset"
    })
    expect(Directive.position({ goToStep: "s" })).toStrictEqual({ _tag: "GoTo", step: "s" })
    expect(Directive.position({ goToStep: { step: "s", flow: "F", data: { a: 1 } } })).toStrictEqual({
      _tag: "GoTo",
      step: "s",
      flow: "F",
      data: { a: 1 }
    })
    expect(Directive.position({ complete: true })).toStrictEqual({ _tag: "Complete" })
    expect(Directive.position({ complete: { next: { goTo: "F" } } })).toStrictEqual({
      _tag: "Complete",
      next: { goTo: "F" }
    })
    const abort = { _tag: "Abort", reason: "x", stack: false, clearSession: false }
    expect(Directive.position({ abort: "x" })).toStrictEqual(abort)
    expect(Directive.position({ abort: { reason: "x", stack: true } })).toStrictEqual({ ...abort, stack: true })
    // clearSession drops the suspended flows too.
    expect(Directive.position({ abort: { reason: "x", clearSession: true } })).toStrictEqual({
      ...abort,
      stack: true,
      clearSession: true
    })
    expect(Directive.position({ reset: true })).toStrictEqual({ _tag: "Reset", clearData: false })
    expect(Directive.position({ reset: { step: "s", clearData: true } })).toStrictEqual({
      _tag: "Reset",
      step: "s",
      clearData: true
    })
  })
})

/** The path and subject of each issue that `validate` finds. */
const told = (u: unknown) =>
  Directive.validate(u as Directive.Directive).pipe(
    Effect.match({
      onFailure: ({ issues }) => issues.map(({ path, what }) => `${path}: ${what}`),
      onSuccess: () => []
    })
  )

describe("Directive.validate (checks a directive that code returns)", () => {
  const cases: ReadonlyArray<readonly [rule: string, directive: unknown, issues: ReadonlyArray<string>]> = [
    ["accepts a directive that does nothing", {}, []],
    ["accepts one position field, with the fields that do not move", {
      goTo: "F",
      reply: "x",
      dataUpdate: { a: 1 },
      halt: true
    }, []],
    ["accepts a position field given as undefined beside another", { goTo: undefined, abort: "x" }, []],
    ["refuses two position fields", { goTo: "A", reset: true }, ["directive: several position fields"]],
    ["refuses goTo beside goToStep", { goTo: "A", goToStep: "b" }, ["directive: several position fields"]],
    ["refuses an empty goTo", { goTo: {} }, ["directive: empty goTo"]],
    ["refuses a goTo without a target", { goTo: { reason: "why" } }, ["directive: empty goTo"]],
    ["refuses reply with abort", { reply: "bye", abort: "x" }, ["directive: reply with abort"]],
    ["accepts one level of complete.next", { complete: { next: { complete: true } } }, []],
    ["refuses a second level of complete.next", { complete: { next: { complete: { next: {} } } } }, [
      "directive: nested complete.next"
    ]],
    ["checks what complete.next holds", { complete: { next: { goTo: {}, nope: 1 } } }, [
      "directive.complete.next: unknown directive field",
      "directive.complete.next: empty goTo"
    ]],
    ["refuses a complete.next that is no directive", { complete: { next: "Feedback" } }, [
      "directive.complete.next: not a directive"
    ]],
    ["refuses unknown keys", { goto: "A" }, ["directive: unknown directive field"]],
    ["refuses unknown keys inside a position", { goTo: { flow: "A", stepp: "b" } }, ["directive.goTo: wrong goTo"]],
    ["refuses what is no plain object", "Booking", ["directive: not a directive"]],
    ["refuses null", null, ["directive: not a directive"]],
    ["refuses a list", [{ goTo: "A" }], ["directive: not a directive"]],
    ["refuses a Promise", Promise.resolve({ goTo: "A" }), ["directive: not a directive"]],
    ["refuses an Effect", Effect.succeed({ goTo: "A" }), ["directive: not a directive"]],
    ["refuses complete: false", { complete: false }, ["directive.complete: wrong complete"]],
    ["refuses reset: false", { reset: false }, ["directive.reset: wrong reset"]],
    ["refuses goTo: null", { goTo: null }, ["directive.goTo: wrong goTo"]],
    ["refuses goToStep without a step", { goToStep: { flow: "A" } }, ["directive.goToStep: wrong goToStep"]],
    ["refuses abort without a reason", { abort: {} }, ["directive.abort: wrong abort"]],
    ["refuses a reply that is no text", { reply: 5 }, ["directive.reply: wrong reply"]],
    ["refuses writes that are no object", { dataUpdate: [1], contextUpdate: "x" }, [
      "directive.dataUpdate: wrong dataUpdate",
      "directive.contextUpdate: wrong contextUpdate"
    ]],
    ["refuses an appendPrompt that is no list of strings", { appendPrompt: "be kind" }, [
      "directive.appendPrompt: wrong appendPrompt"
    ]],
    ["refuses halt that is no boolean", { halt: "yes" }, ["directive.halt: wrong halt"]],
    ["reports all problems together", { goTo: "A", abort: "x", reply: "bye", nope: 1 }, [
      "directive: unknown directive field",
      "directive: several position fields",
      "directive: reply with abort"
    ]]
  ]
  for (const [rule, directive, issues] of cases) {
    it.effect(rule, () => Effect.map(told(directive), (found) => expect(found).toStrictEqual(issues)))
  }

  it.effect("`validate` fails with a FlowConfigurationError that has subject, reason and fix", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Directive.validate({ goTo: "A", abort: "x" }))
      expect(error).toBeInstanceOf(Errors.FlowConfigurationError)
      expect(error.message).toBe(
        "[FlowConfigurationError] several position fields: abort and goTo would move the conversation to two places. Keep one of them."
      )
    }))

  it.effect("`validate` returns the same directive object when it is valid", () =>
    Effect.gen(function*() {
      const d = { goTo: { flow: "A", data: { n: 1 } }, reply: "hi" }
      expect(yield* Directive.validate(d)).toBe(d)
    }))

  it.effect.prop(
    "`validate` never throws, and accepts only directives that can be merged, stored and applied",
    [fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom("goTo", "goToStep", "complete", "abort", "reset", "reply", "halt"), fc.anything())
    )],
    ([u]) =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(Directive.validate(u as Directive.Directive))
        if (Exit.isFailure(exit)) expect(exit.cause._tag).toBe("Fail")
        else {
          const d = Directive.merge({}, exit.value)
          Directive.position(d)
          storable(d)
        }
      }),
    runs(500)
  )
})

describe("Directive.is (recognises a directive)", () => {
  it("returns true only for plain objects with directive keys", () => {
    expect([{}, { goTo: "A" }, { halt: true }, JSON.parse("{\"reply\":\"x\"}")].every(Directive.is)).toBe(true)
    expect(
      [null, "A", [], { nope: 1 }, Effect.void, new Date(), new Map(), Promise.resolve(), () => ({})].some(Directive.is)
    ).toBe(false)
  })
})

describe("Directive.storable (removes what a stored directive cannot have)", () => {
  it("drops undefined values, functions and fields used only before the model call, also in `complete.next`", () => {
    const loose = {
      goTo: { flow: "A", step: undefined },
      reply: undefined,
      dataUpdate: { guests: 2 },
      appendPrompt: ["x"],
      injectTools: [{ id: "t" }],
      halt: true,
      replyWith: () => "x",
      stopOtherSignals: true
    } as object
    expect(storable(loose)).toStrictEqual({ goTo: { flow: "A" }, dataUpdate: { guests: 2 } })
    expect(
      storable({ complete: { next: { goTo: "B", appendPrompt: ["x"], reply: undefined } as object } })
    ).toStrictEqual({ complete: { next: { goTo: "B" } } })
  })

  it("names fields that are written as undefined in `clear`", () => {
    expect(storable({ dataUpdate: { city: undefined, guests: 2 } })).toStrictEqual({
      dataUpdate: { guests: 2 },
      clear: ["city"]
    })
    expect(
      storable({
        complete: {
          next: { goTo: { flow: "B", data: { city: undefined } }, clear: { fields: ["note"], also: "stated" } }
        }
      })
    ).toStrictEqual({
      complete: { next: { goTo: { flow: "B", data: {} }, clear: { fields: ["note", "city"], also: "stated" } } }
    })
  })

  it.prop("returns a value that encodes to JSON, for any valid directive", [directive], ([d]) => {
    fc.pre(Directive.issues(d).length === 0)
    const stored = Schema.encodeSync(Directive.Directive)(storable(d) as never)
    expect(Schema.decodeUnknownSync(Directive.Directive)(JSON.parse(JSON.stringify(stored)))).toStrictEqual(
      storable(d)
    )
  })

  it("`preOnlyFields` returns the fields that have no effect after the model call", () => {
    expect(Directive.preOnlyFields({ appendPrompt: [], halt: false, reply: "x" })).toStrictEqual([
      "appendPrompt",
      "halt"
    ])
  })
})

const Data = Schema.Struct({
  city: Schema.NonEmptyString,
  guests: Schema.Int,
  when: Schema.Date,
  tags: Schema.optional(Schema.Array(Schema.String))
})
const Caller = Schema.Struct({ tier: Schema.Literal("vip", "std"), since: Schema.DateTimeUtc })
const wire = Directive.schema(partial(Data), partial(Caller))

const date = fc.date({ noInvalidDate: true })
const typed: fc.Arbitrary<SchemaType.Schema.Type<typeof wire>> = (() => {
  const data = some({ city: fc.string({ minLength: 1 }), guests: fc.integer(), when: date })
  const flat = fc.oneof(
    fc.constant({}),
    fc.record({
      goTo: fc.oneof(
        text,
        some({
          flow: text,
          step: text,
          data,
          reason: text,
          carry: fc.constantFrom("preserve" as const, "reset" as const)
        })
      )
    }),
    fc.record({ goToStep: fc.oneof(text, fc.record({ step: text, data })) }),
    fc.record({ abort: fc.oneof(text, fc.record({ reason: text, clearSession: flags })) }),
    fc.record({ reset: fc.oneof(fc.constant(true as const), some({ step: text, clearData: flags, reason: text })) })
  )
  const written = some({
    reply: text,
    dataUpdate: data,
    contextUpdate: some({ tier: fc.constantFrom("vip" as const, "std" as const) })
  })
  const next = fc.tuple(flat, written).map(([a, b]) => ({ ...a, ...b }))
  const completing = fc.record({
    complete: fc.oneof(fc.constant(true as const), fc.record({ next }), some({ reason: text }))
  })
  return fc.tuple(fc.oneof(flat, completing), written).map(([a, b]) => ({ ...a, ...b }))
})()

describe("Directive.schema (encodes and decodes a directive)", () => {
  it.effect.prop(
    "round-trips every directive through JSON, including dates in its data",
    [typed],
    ([d]) =>
      Effect.gen(function*() {
        const encoded = JSON.stringify(yield* Schema.encode(wire)(d))
        expect(yield* Schema.decodeUnknown(wire)(JSON.parse(encoded))).toStrictEqual(d)
      }),
    runs(500)
  )

  it.effect("decodes data by the agent's own Schema, for example a date from text", () =>
    Effect.gen(function*() {
      const when = "2027-03-15T00:00:00.000Z"
      const decoded = yield* Schema.decodeUnknown(wire)({
        goTo: { flow: "Booking", data: { when } },
        dataUpdate: { when }
      })
      expect(decoded).toStrictEqual({
        goTo: { flow: "Booking", data: { when: new Date(when) } },
        dataUpdate: { when: new Date(when) }
      })
    }))

  const refused: ReadonlyArray<readonly [where: string, u: object]> = [
    ["at the top", { goTo: "A", nope: 1 }],
    ["of a pre-directive", { halt: true }],
    ["in goTo", { goTo: { flow: "A", nope: 1 } }],
    ["in goToStep", { goToStep: { step: "a", nope: 1 } }],
    ["in complete", { complete: { nope: 1 } }],
    ["in complete.next", { complete: { next: { goTo: "A", nope: 1 } } }],
    ["in complete.next.goTo", { complete: { next: { goTo: { flow: "A", nope: 1 } } } }],
    ["in abort", { abort: { reason: "x", nope: 1 } }],
    ["in reset", { reset: { nope: 1 } }],
    ["in dataUpdate", { dataUpdate: { nope: 1 } }],
    ["in goTo.data", { goTo: { flow: "A", data: { nope: 1 } } }],
    ["in contextUpdate", { contextUpdate: { nope: 1 } }],
    ["named __proto__", JSON.parse("{\"__proto__\":{\"goTo\":\"A\"}}")],
    ["named __proto__ in dataUpdate", JSON.parse("{\"dataUpdate\":{\"__proto__\":{\"city\":\"A\"}}}")]
  ]
  for (const [where, u] of refused) {
    it(`refuses an unknown key ${where}`, () => {
      expect(Either.isLeft(Schema.decodeUnknownEither(wire)(u))).toBe(true)
    })
  }

  it("refuses a second level of `complete.next` and values of the wrong type", () => {
    for (
      const u of [{ complete: { next: { complete: { next: {} } } } }, { goTo: 1 }, { dataUpdate: { guests: 1.5 } }]
    ) {
      expect(Either.isLeft(Schema.decodeUnknownEither(wire)(u))).toBe(true)
    }
  })
})

describe("Directive.schema, for structs with required fields", () => {
  it.effect("accepts a directive that writes only some of the fields, decoded by the fields' Schemas", () =>
    Effect.gen(function*() {
      const Data = Schema.Struct({ city: Schema.String, when: Schema.Date })
      const schema = Directive.schema(Data, Schema.Struct({ tier: Schema.String }))
      const wire = {
        goTo: { flow: "Feedback", data: { city: "Porto" } },
        dataUpdate: { when: "2027-03-15T00:00:00.000Z" }
      }
      const decoded = yield* Schema.decodeUnknown(schema)(wire)
      expect(decoded.dataUpdate).toEqual({ when: new Date("2027-03-15T00:00:00.000Z") })
      expect(yield* Schema.encode(schema)(decoded)).toEqual(wire)
    }))
})
