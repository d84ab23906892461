import { describe, expect, it } from "@effect/vitest"
import { Agent, Approval, BlobStore, Errors, Limits, Session, type Tool, ToolExecutor } from "coxswain"
import { compileTool } from "coxswain/domain/definition/compile/CompileTool"
import * as Fields from "coxswain/domain/fields/Fields"
import { Cause, DateTime, Deferred, Duration, Effect, Exit, Fiber, type Layer, Logger, Schema, TestClock } from "effect"
import { Context } from "effect"
import type { JsonObject } from "../../../src/domain/base/Json.js"
import { hostile } from "../../support/Hostile.js"

const data = Schema.Struct({ city: Schema.String, guests: Schema.Number })
const ambient = Schema.Struct({ tier: Schema.String })
const kit = Agent.define({ data, context: ambient })
const surroundings = {
  services: Context.empty(),
  fields: Fields.fromStruct(Schema.Struct<Schema.Struct.Fields>(data.fields)),
  contextFields: Fields.fromStruct(Schema.Struct<Schema.Struct.Fields>(ambient.fields))
}

const context: ToolExecutor.ToolInvocation["context"] = {
  data: {},
  context: {},
  session: Session.make({ id: "s", now: DateTime.unsafeMake(0) }),
  history: [],
  parts: [],
  message: "hi",
  callId: "c",
  step: undefined,
  dispatch: () => Effect.void,
  updateData: () => Effect.void,
  updateContext: () => Effect.void,
  progress: () => Effect.void
}

type AnyTool = Tool.Tool<never, never>
type More = Partial<Pick<ToolExecutor.ToolInvocation, "decision" | "limits" | "place" | "timeout">>

/** One call of a tool through an executor; the default one unless another is given. */
const call = (
  tool: AnyTool,
  params: unknown = {},
  more: More = {},
  layer: Layer.Layer<ToolExecutor.ToolExecutor> = ToolExecutor.layer
) =>
  Effect.flatMap(ToolExecutor.ToolExecutor, ({ execute }) =>
    execute({
      tool: compileTool(tool, surroundings),
      params,
      context,
      timeout: Duration.seconds(30),
      ...more
    })).pipe(Effect.provide(layer))

/** A person's decision about a call that was shown with these arguments. */
const decided = (tool: AnyTool, decision: Approval.Decision, args: JsonObject = {}) => ({
  decision: {
    ...decision,
    binding: Approval.bind({
      sessionId: "s",
      sessionVersion: 1,
      callId: "c",
      toolId: tool.id,
      fingerprint: compileTool(tool, surroundings).fingerprint(),
      args
    })
  }
})

const fails = (outcome: string, message: string) => ({
  _tag: "ToolResult",
  outcome,
  output: { error: outcome, message },
  isFailure: true
})
const ok = (output: unknown) => ({ _tag: "ToolResult", outcome: "ok", output, isFailure: false })

describe("the checks before a tool call runs (decode, validate, permission, approval)", () => {
  const passing = (passed: Array<string>, stops?: string) =>
    kit.tool({
      id: "t",
      parameters: { n: Schema.NumberFromString },
      validateInput: ({ n }) => {
        passed.push(`validate ${n}`)
        return stops === "validate" ? Effect.fail("no such n") : { n: n + 1 }
      },
      checkPermissions: ({ n }) => {
        passed.push(`permit ${n}`)
        return stops !== "permit"
      },
      needsApproval: ({ n }) => {
        passed.push(`approve ${n}`)
        return stops === "approve"
      },
      handler: ({ n }) => {
        passed.push(`run ${n}`)
        return n
      }
    })

  it.effect("run in order: decode, `validateInput` (may correct), `checkPermissions`, approval, handler", () =>
    Effect.gen(function*() {
      const passed: Array<string> = []
      expect(yield* call(passing(passed), { n: "1" })).toEqual(ok(2))
      expect(passed).toEqual(["validate 1", "permit 2", "approve 2", "run 2"])
    }))

  for (const [stops, before] of [["validate", 1], ["permit", 2], ["approve", 3]] as const) {
    it.effect(`stop after ${stops} if that check refuses the call`, () =>
      Effect.gen(function*() {
        const passed: Array<string> = []
        yield* call(passing(passed, stops), { n: "1" })
        expect(passed).toHaveLength(before)
        expect(passed.some((one) => one.startsWith("run"))).toBe(false)
      }))
  }

  it.effect("return an invalid result that names each problem for bad arguments, and stop", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tool = kit.tool({
        id: "t",
        parameters: { n: Schema.Number, city: Schema.String },
        validateInput: () => void ran.push("validate"),
        handler: () => ran.push("run")
      })
      const result = yield* call(tool, { n: "x" })
      expect(result).toEqual(fails("invalid", "n: Expected number, actual \"x\"; city: is missing"))
      expect(ran).toEqual([])
    }))

  it.effect("return an invalid result with the message when `validateInput` fails", () =>
    Effect.gen(function*() {
      expect(yield* call(passing([], "validate"), { n: "1" })).toEqual(fails("invalid", "no such n"))
    }))

  it.effect("return a denied result for a denied call, with the reason if there is one", () =>
    Effect.gen(function*() {
      const asking = (permission: Tool.Permission) =>
        kit.tool({ id: "t", checkPermissions: () => permission, handler: () => Effect.dieMessage("ran") })
      expect(yield* call(asking(false))).toEqual(fails("denied", "the call is not permitted"))
      expect(yield* call(asking({ allowed: false, reason: "guests may not" }))).toEqual(
        fails("denied", "guests may not")
      )
    }))

  it.effect("do not run the handler when a check fails, dies, is interrupted or returns another type", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const gates: Record<string, unknown> = {
        failing: Effect.fail("down"),
        dying: Effect.dieMessage("down"),
        interrupted: Effect.interrupt,
        undefined,
        null: null,
        "a string": "yes"
      }
      for (const [what, gate] of Object.entries(gates)) {
        const gated = { id: "t", handler: () => ran.push(what) }
        const denied = yield* call(
          kit.tool({ ...gated, checkPermissions: () => gate as Tool.Permission })
        )
        expect(denied, what).toMatchObject({ outcome: "denied", isFailure: true })
        const asked = yield* call(kit.tool({ ...gated, needsApproval: () => gate as Tool.ApprovalNeed }))
        expect(asked._tag === "ApprovalNeeded" || asked.outcome === "denied", what).toBe(true)
      }
      expect(ran).toEqual([])
    }))

  it.effect("return `ApprovalNeeded` for a call that needs approval, with the reason if there is one", () =>
    Effect.gen(function*() {
      const asking = (needsApproval: boolean | (() => Tool.ApprovalNeed)) =>
        kit.tool({ id: "t", needsApproval, handler: () => Effect.dieMessage("ran") })
      expect(yield* call(asking(true))).toMatchObject({ _tag: "ApprovalNeeded", args: {}, editable: false })
      expect(yield* call(asking(() => ({ reason: "costs 500", expiresAfter: "1 hour", edit: true })))).toMatchObject({
        _tag: "ApprovalNeeded",
        reason: "costs 500",
        editable: true,
        expiresAfter: Duration.hours(1)
      })
      expect(yield* call(kit.tool({ id: "t", needsApproval: () => false, handler: () => "ran" }))).toEqual(ok("ran"))
    }))

  it.effect("skip the approval only if `autoApprove` returns true", () =>
    Effect.gen(function*() {
      const paying = (autoApprove: (args: { readonly euros: number }) => unknown, by = "manager") =>
        kit.tool({
          id: "pay",
          parameters: { euros: Schema.Number },
          needsApproval: { by, autoApprove: autoApprove as (args: { readonly euros: number }) => boolean },
          handler: ({ euros }) => `paid ${euros}`
        })
      const small = ({ euros }: { readonly euros: number }) => euros < 50
      expect(yield* call(paying(small), { euros: 49 })).toEqual(ok("paid 49"))
      expect(yield* call(paying((args) => Effect.succeed(small(args))), { euros: 49 })).toEqual(ok("paid 49"))
      const asked = yield* call(paying(small), { euros: 50 })
      expect(asked).toMatchObject({ _tag: "ApprovalNeeded", role: "manager", args: { euros: 50 } })
      for (const given of [1, "true", undefined, null, {}, Effect.succeed("true")]) {
        expect(yield* call(paying(() => given), { euros: 1 })).toMatchObject({ _tag: "ApprovalNeeded" })
      }
      for (const broken of [Effect.fail("down"), Effect.die("down"), Effect.interrupt]) {
        expect(yield* call(paying(() => broken), { euros: 1 })).toMatchObject({ outcome: "denied" })
      }
      expect(yield* call(paying(() => true), { euros: "many" })).toMatchObject({ outcome: "invalid" })
      // Also when needsApproval is a function of the call.
      const made = kit.tool({
        id: "pay",
        parameters: { euros: Schema.Number },
        needsApproval: ({ euros }) => ({ autoApprove: () => euros < 50 }),
        handler: ({ euros }) => `paid ${euros}`
      })
      expect(yield* call(made, { euros: 1 })).toEqual(ok("paid 1"))
      expect(yield* call(made, { euros: 99 })).toMatchObject({ _tag: "ApprovalNeeded" })
      // A decision is bound to the approval need as it was shown.
      const yes = decided(paying(small), { approved: true }, { euros: 50 })
      expect(yield* call(paying(small), { euros: 50 }, yes)).toEqual(ok("paid 50"))
      expect(yield* call(paying(({ euros }) => euros < 5), { euros: 50 }, yes)).toMatchObject({
        _tag: "ApprovalNeeded"
      })
      expect(yield* call(paying(small, "boss"), { euros: 50 }, yes)).toMatchObject({ _tag: "ApprovalNeeded" })
    }))

  it.effect("run an approved call, and deny a declined one even when approval is no longer needed", () =>
    Effect.gen(function*() {
      let ran = 0
      const tool = (needsApproval: boolean) => kit.tool({ id: "t", needsApproval, handler: () => ++ran })
      expect(yield* call(tool(true), {}, decided(tool(true), { approved: true }))).toEqual(ok(1))
      const no = decided(tool(true), { approved: false, reason: "too dear" })
      expect(yield* call(tool(true), {}, no)).toEqual(fails("denied", "too dear"))
      expect(yield* call(tool(true), {}, decided(tool(true), { approved: false }))).toEqual(
        fails("denied", "a person declined the call")
      )
      // Also when the tool no longer needs approval.
      expect(yield* call(tool(false), {}, no)).toEqual(fails("denied", "too dear"))
      expect(ran).toBe(1)
    }))

  it.effect("test permissions and arguments of an approved call too", () =>
    Effect.gen(function*() {
      const tool = kit.tool({
        id: "t",
        parameters: { n: Schema.Number },
        checkPermissions: () => false,
        needsApproval: true,
        handler: () => Effect.dieMessage("ran")
      })
      const yes = decided(tool, { approved: true }, { n: 1 })
      expect(yield* call(tool, { n: 1 }, yes)).toMatchObject({ outcome: "denied" })
      expect(yield* call(tool, { n: "x" }, yes)).toMatchObject({ outcome: "invalid" })
    }))

  it.effect("ask for approval again when the arguments or the tool differ from the approved ones", () =>
    Effect.gen(function*() {
      const make = (handler: () => unknown, raise: number) =>
        kit.tool({
          id: "pay",
          parameters: { amount: Schema.Number },
          validateInput: ({ amount }) => ({ amount: amount + raise }),
          needsApproval: true,
          handler
        })
      const pay = make(() => "paid", 0)
      const yes = decided(pay, { approved: true }, { amount: 40 })
      expect(yield* call(pay, { amount: 40 }, yes)).toEqual(ok("paid"))
      // Another amount, an amount that a check of the call has raised, and changed code.
      expect(yield* call(pay, { amount: 4000 }, yes)).toMatchObject({ _tag: "ApprovalNeeded", args: { amount: 4000 } })
      expect(yield* call(make(() => "paid", 1), { amount: 40 }, yes)).toMatchObject({ args: { amount: 41 } })
      expect(yield* call(make(() => "paid twice", 0), { amount: 40 }, yes)).toMatchObject({ _tag: "ApprovalNeeded" })
      // A forged binding.
      const forged = { decision: { ...yes.decision, binding: { ...yes.decision.binding, args: "00" } } }
      expect(yield* call(pay, { amount: 40 }, forged)).toMatchObject({ _tag: "ApprovalNeeded" })
    }))

  it.effect("decode and check arguments that the approver edited, like those of the model", () =>
    Effect.gen(function*() {
      const seen: Array<number> = []
      const pay = kit.tool({
        id: "pay",
        parameters: { amount: Schema.Number },
        validateInput: ({ amount }) => amount > 100 ? Effect.fail("at most 100") : Effect.void,
        needsApproval: { edit: true },
        handler: ({ amount }) => {
          seen.push(amount)
          return "paid"
        }
      })
      const edited = (args: JsonObject) => decided(pay, { approved: true, args }, { amount: 40 })
      expect(yield* call(pay, { amount: 40 }, edited({ amount: 30 }))).toEqual(ok("paid"))
      expect(yield* call(pay, { amount: 40 }, edited({ amount: 300 }))).toMatchObject({ outcome: "invalid" })
      expect(yield* call(pay, { amount: 40 }, edited({ amount: "thirty" }))).toMatchObject({ outcome: "invalid" })
      expect(seen).toEqual([30])
    }))
})

describe("the handler of a tool call", () => {
  class NoRooms extends Schema.TaggedError<NoRooms>()("NoRooms", { message: Schema.String }) {}

  it.effect("gives a failed result for a typed failure, a defect, and a failure that is plain data", () =>
    Effect.gen(function*() {
      const failing = (effect: Effect.Effect<string, unknown>) => kit.tool({ id: "t", handler: () => effect })
      expect(yield* call(failing(Effect.fail(new NoRooms({ message: "all full" }))))).toEqual(
        fails("failed", "all full")
      )
      expect(yield* call(failing(Effect.die(new Error("bug"))))).toEqual(fails("failed", "the call failed"))
      expect(yield* call(failing(Effect.fail({ code: 7 })))).toEqual(fails("failed", "{\"code\":7}"))
      expect(yield* call(failing(Effect.fail(undefined)))).toEqual(fails("failed", "it failed without a message"))
      const throwing = kit.tool({
        id: "t",
        handler: () => {
          throw new Error("thrown")
        }
      })
      expect(yield* call(throwing)).toEqual(fails("failed", "the call failed"))
    }))

  it.effect("logs a defect of any callback with toolId and callId, and omits the defect from the result", () =>
    Effect.gen(function*() {
      const logged: Array<{ level: string; said: string; toolId: unknown; callId: unknown }> = []
      const logger = Logger.make(({ annotations, cause, logLevel, message }) => {
        const ids = Object.fromEntries(annotations)
        logged.push({
          level: logLevel.label,
          said: `${String(message)} ${Cause.pretty(cause)}`,
          toolId: ids.toolId,
          callId: ids.callId
        })
      })
      const secret = "postgres://admin:hunter2@db"
      const dies = (): never => {
        throw new Error(secret)
      }
      const broken = Schema.transform(Schema.String, Schema.String, { decode: (text) => text, encode: dies })
      const tools = [
        kit.tool({ id: "handler", handler: dies }),
        kit.tool({ id: "dies", handler: () => Effect.die(new Error(secret)) }),
        kit.tool({ id: "validate", validateInput: dies, handler: () => 1 }),
        kit.tool({ id: "permit", checkPermissions: dies, handler: () => 1 }),
        kit.tool({ id: "approve", needsApproval: dies, handler: () => 1 }),
        kit.tool({ id: "encode", success: broken, handler: () => "x" }),
        kit.tool({ id: "fail", onFailure: "fail", handler: dies })
      ]
      const ends = yield* Effect.forEach(tools, (tool) => Effect.exit(call(tool))).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      expect(JSON.stringify(ends)).not.toContain("hunter2")
      expect(logged.map(({ callId, level, toolId }) => [level, toolId, callId])).toStrictEqual(
        tools.map(({ id }) => ["ERROR", id, "c"])
      )
      expect(logged.every(({ said }) => said.includes(secret))).toBe(true)
    }))

  it.effect("gets no arguments beyond `limits.toolArguments`; details beyond `limits.toolDetails` are dropped", () =>
    Effect.gen(function*() {
      const tool = kit.tool({
        id: "t",
        parameters: { n: Schema.String },
        handler: ({ n }) => ({ ok: true, outputMessage: "done", details: n, meta: { n } })
      })
      const given = (length: number, limits?: Limits.Options) =>
        call(tool, { n: "x".repeat(length) }, limits === undefined ? {} : { limits: Limits.resolve(limits) })
      expect(yield* given(65_528)).toMatchObject({ outcome: "ok", details: expect.any(String) })
      expect(yield* given(65_529)).toEqual(fails("invalid", "the arguments have more than 65536 characters"))
      expect(yield* given(3, { toolArguments: 10 })).toEqual(
        fails("invalid", "the arguments have more than 10 characters")
      )
      expect(yield* given(2, { toolDetails: 4 })).toEqual({ ...ok("done"), details: "xx" })
    }))

  it.effect.prop(
    "gives one result for arguments of any depth and size",
    [hostile],
    ([params]) =>
      Effect.gen(function*() {
        const tool = kit.tool({ id: "t", parameters: { n: Schema.Unknown }, handler: ({ n }) => n })
        for (const given of [params, { n: params }]) {
          expect(yield* call(tool, given)).toMatchObject({ _tag: "ToolResult" })
        }
      })
  )

  it.effect("gives an interrupted result when the handler interrupts itself", () =>
    Effect.gen(function*() {
      const tool = kit.tool({ id: "t", handler: () => Effect.interrupt })
      expect(yield* call(tool)).toEqual(fails("interrupted", "the call was interrupted"))
    }))

  it.effect("is interrupted after the timeout of the call, which the result reports", () =>
    Effect.gen(function*() {
      let interrupted = false
      for (const interruptBehavior of ["cancel", "block"] as const) {
        interrupted = false
        const tool = kit.tool({
          id: "t",
          interruptBehavior,
          handler: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted = true)))
        })
        const fiber = yield* Effect.fork(call(tool, {}, { timeout: Duration.seconds(2) }))
        yield* TestClock.adjust("1999 millis")
        expect(interrupted).toBe(false)
        yield* TestClock.adjust("1 millis")
        expect(yield* Fiber.join(fiber)).toEqual(fails("timed_out", "the call took longer than timeouts.tool (2s)"))
        expect(interrupted).toBe(true)
      }
    }))

  it.effect("is cancelled when the turn is interrupted, or awaited with `interruptBehavior: \"block\"`", () =>
    Effect.gen(function*() {
      for (const interruptBehavior of ["cancel", "block"] as const) {
        const started = yield* Deferred.make<void>()
        let finished = false
        const tool = kit.tool({
          id: "t",
          interruptBehavior,
          handler: () =>
            Deferred.succeed(started, undefined).pipe(
              Effect.zipRight(Effect.sleep("1 seconds")),
              Effect.zipRight(Effect.sync(() => (finished = true)))
            )
        })
        const fiber = yield* Effect.fork(call(tool))
        yield* Deferred.await(started)
        const stopping = yield* Effect.fork(Fiber.interrupt(fiber))
        yield* TestClock.adjust("1 seconds")
        expect(Exit.isInterrupted(yield* Fiber.join(stopping))).toBe(true)
        expect(finished).toBe(interruptBehavior === "block")
      }
    }))

  it.effect("fails with ToolExecutionError under `onFailure: \"fail\"`; a refused call still gives a result", () =>
    Effect.gen(function*() {
      const cause = new NoRooms({ message: "all full" })
      const tool = kit.tool({
        id: "book",
        parameters: { n: Schema.Number },
        onFailure: "fail",
        handler: () => Effect.fail(cause)
      })
      const error = yield* Effect.flip(call(tool, { n: 1 }))
      expect(error).toBeInstanceOf(Errors.ToolExecutionError)
      expect(error.toolId).toBe("book")
      expect(error.cause).toBe(cause)
      expect(error.message).toMatch(/^\[ToolExecutionError\] tool "book": all full\. /)
      expect(yield* call(tool, { n: "x" })).toMatchObject({ outcome: "invalid" })
    }))
})

describe("invalid return values of a tool's callbacks", () => {
  for (
    const [what, handler, fix] of [
      ["a Promise", () => Promise.resolve(1), "Effect.tryPromise"],
      ["a Promise that rejects", () => Promise.reject(new Error("never seen")), "Effect.tryPromise"],
      ["a generator", function*() {}, "Effect.gen"]
    ] as ReadonlyArray<[string, () => any, string]>
  ) {
    it.effect(`${what} gives a failed result that names the Effect function to use`, () =>
      Effect.gen(function*() {
        const result = yield* call(kit.tool({ id: "t", handler }))
        expect(result).toMatchObject({ outcome: "failed", isFailure: true })
        expect(JSON.stringify(result)).toContain(`tool:t.handler returned ${what.replace(" that rejects", "")}`)
        expect(JSON.stringify(result)).toContain(fix)
      }))
  }

  it.effect("a Promise from a check stops the call; a Promise from `isReadOnly` etc. counts as the safest value", () =>
    Effect.gen(function*() {
      const later = (): any => Promise.resolve(true)
      let ran = 0
      const handler = () => void ran++
      for (const gate of ["checkPermissions", "needsApproval", "validateInput"] as const) {
        const result = yield* call(kit.tool({ id: "t", [gate]: later, handler }))
        expect(result).toMatchObject({ _tag: "ToolResult", isFailure: true })
        expect(JSON.stringify(result)).toContain(`tool:t.${gate} returned a Promise`)
      }
      expect(ran).toBe(0)
      const no = (): any => Promise.resolve(false)
      const flagged = compileTool(
        kit.tool({ id: "t", isReadOnly: no, isDestructive: no, isConcurrencySafe: no, handler }),
        surroundings
      )
      expect([flagged.isReadOnly({}), flagged.isConcurrencySafe({}), flagged.isDestructive({})]).toEqual([
        false,
        false,
        true
      ])
    }))

  for (
    const [what, output, why] of [
      ["an unknown key in a ToolOutput", { directve: { reply: "x" } }, "directve"],
      ["a data write that the Schema refuses", { dataUpdate: { guests: "two" } }, "guests"],
      ["a write of an unknown data field", { dataUpdate: { nope: 1 } }, "nope"],
      ["an invalid directive", { directive: { goto: "Other" } }, "goto"],
      [
        "a directive with data that the Schema refuses",
        { directive: { goTo: { flow: "F", data: { city: 5 } } } },
        "city"
      ],
      ["a context write that the Schema refuses", { contextUpdate: { tier: 5 } }, "tier"]
    ] as ReadonlyArray<[string, object, string]>
  ) {
    it.effect(`${what} gives a done_unrecorded result that names the problem, without the output's directive`, () =>
      Effect.gen(function*() {
        const handler = (): any => ({ ok: true, outputMessage: "Booked", ...output })
        const result = yield* call(kit.tool({ id: "t", handler }))
        expect(result).toMatchObject({ outcome: "done_unrecorded", isFailure: true })
        expect(result).not.toHaveProperty("directive")
        expect(JSON.stringify(result)).toContain(why)
      }))
  }

  it.effect("an invalid write through the handler's context fails immediately; the handler may catch the failure", () =>
    Effect.gen(function*() {
      const write = { guests: "two" } as any
      const fails = kit.tool({ id: "t", handler: (_, { updateData }) => updateData(write) })
      expect(yield* call(fails)).toMatchObject({ outcome: "done_unrecorded", isFailure: true })
      const goesOn = kit.tool({
        id: "t",
        handler: (_, { dispatch }) =>
          Effect.catchTag(dispatch({ dataUpdate: write }), "DataValidationError", () => Effect.succeed("without"))
      })
      expect(yield* call(goesOn)).toEqual(ok("without"))
    }))
})

describe("the result of a tool call", () => {
  it.effect("is sent to the model as JSON, with null for undefined, if the handler returns a plain value", () =>
    Effect.gen(function*() {
      const value = { free: true, rooms: [1, 2] }
      expect(yield* call(kit.tool({ id: "t", handler: () => value }))).toEqual(ok(value))
      expect(yield* call(kit.tool({ id: "t", handler: () => Effect.void }))).toEqual(ok(null))
      expect(yield* call(kit.tool({ id: "t", handler: () => new Date(0) }))).toEqual(ok("1970-01-01T00:00:00.000Z"))
    }))

  it.effect("is encoded by the Schema `success`, and fails if the value does not encode or is not JSON", () =>
    Effect.gen(function*() {
      const success = Schema.Struct({ day: Schema.Date })
      const giving = (value: any) => kit.tool({ id: "t", success, handler: (): any => value })
      expect(yield* call(giving({ day: new Date(0) }))).toEqual(ok({ day: "1970-01-01T00:00:00.000Z" }))
      const wrong = yield* call(giving({ day: 5 }))
      expect(wrong).toMatchObject({ outcome: "failed", isFailure: true })
      expect(JSON.stringify(wrong)).toContain("the result does not encode: day: Expected DateFromSelf")
      const circle: { self?: unknown } = {}
      circle.self = circle
      for (const value of [10n, circle]) {
        const result = yield* call(kit.tool({ id: "t", handler: () => value }))
        expect(result).toMatchObject({ outcome: "failed", isFailure: true })
        expect(JSON.stringify(result)).toMatch(/the result does not encode: .*(BigInt|circular)/)
      }
    }))

  it.effect("is said as what it is: maps, sets, dates and errors inside", () =>
    Effect.gen(function*() {
      const value = {
        prices: new Map([["single", 80]]),
        pairs: new Map([[1, "a"]]),
        days: new Set(["mon"]),
        at: new Date(0),
        why: new Error("full"),
        left: undefined
      }
      expect(yield* call(kit.tool({ id: "t", handler: () => value }))).toEqual(ok({
        prices: { single: 80 },
        pairs: [[1, "a"]],
        days: ["mon"],
        at: "1970-01-01T00:00:00.000Z",
        why: "full"
      }))
    }))

  it.effect("is refused with the reason where JSON has no form for it", () =>
    Effect.gen(function*() {
      for (
        const [value, why] of [
          [NaN, "it is NaN"],
          [{ price: Infinity }, "\"price\" is Infinity"],
          [() => 1, "it is a function"],
          [{ rooms: [{ book: () => 1 }] }, "\"book\" is a function"],
          [/a/, "it is a RegExp, which has no JSON form"],
          [{ at: new WeakMap() }, "\"at\" is a WeakMap, which has no JSON form"]
        ] as const
      ) {
        expect(yield* call(kit.tool({ id: "t", handler: (): any => value }))).toEqual(
          fails("failed", `the result does not encode: ${why}`)
        )
      }
    }))

  it.effect("fails if the handler returns an error in place of failing with it", () =>
    Effect.gen(function*() {
      const tool = kit.tool({ id: "t", handler: () => new Error("the hotel is full") })
      expect(yield* call(tool)).toEqual(fails("failed", "the hotel is full"))
    }))

  it.effect("times out if a limit inside of the handler is over", () =>
    Effect.gen(function*() {
      const tool = kit.tool({ id: "t", handler: () => Effect.timeout(Effect.never, "1 second") })
      const fiber = yield* Effect.fork(call(tool))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toMatchObject({ outcome: "timed_out", isFailure: true })
    }))

  it.effect("shows the model a ToolOutput's `outputMessage`, keeps `details` and `meta`, merges its writes", () =>
    Effect.gen(function*() {
      const full = kit.tool({
        id: "t",
        handler: () => ({
          ok: true,
          outputMessage: "Booked",
          details: { id: 7 },
          meta: { ms: 3 },
          dataUpdate: { city: "Oslo" },
          contextUpdate: { tier: "vip" },
          directive: { goTo: "Other", dataUpdate: { city: "Rome", guests: 2 } }
        })
      })
      expect(yield* call(full)).toEqual({
        ...ok("Booked"),
        details: { id: 7 },
        meta: { ms: 3 },
        directive: { goTo: "Other", dataUpdate: { city: "Oslo", guests: 2 }, contextUpdate: { tier: "vip" } }
      })
      const failed = kit.tool({
        id: "t",
        handler: (): any => ({ ok: false, outputMessage: "Sold out", details: 10n })
      })
      expect(yield* call(failed)).toEqual({
        _tag: "ToolResult",
        outcome: "failed",
        output: "Sold out",
        isFailure: true
      })
    }))

  it.effect("is truncated with a notice beyond `maxResultSizeChars`, whatever its kind", () =>
    Effect.gen(function*() {
      const sized = (handler: () => unknown, max = 4) => call(kit.tool({ id: "t", maxResultSizeChars: max, handler }))
      const notice = "\n[Truncated: 6 chars total, showing first 4]"
      expect(yield* sized(() => "abcd")).toEqual(ok("abcd"))
      expect(yield* sized(() => "abcdef")).toEqual(ok(`abcd${notice}`))
      expect(yield* sized(() => [1, 23])).toEqual(ok(`[1,2${notice}`))
      expect(yield* sized(() => ({ ok: true, outputMessage: "abcdef" }))).toEqual(ok(`abcd${notice}`))
      expect(yield* sized(() => Effect.fail("abcdef"))).toEqual(fails("failed", `abcd${notice}`))
      const long = kit.tool({ id: "t", handler: () => "x".repeat(20_001) })
      expect(yield* call(long)).toEqual(
        ok(`${"x".repeat(20_000)}\n[Truncated: 20001 chars total, showing first 20000]`)
      )
    }))

  it.effect("is truncated without splitting a character", () =>
    Effect.gen(function*() {
      const tool = kit.tool({ id: "t", maxResultSizeChars: 2, handler: () => "a😀b" })
      expect(yield* call(tool)).toEqual(ok("a\n[Truncated: 4 chars total, showing first 1]"))
    }))
})

describe("the layers of ToolExecutor", () => {
  it.effect("`layerDryRun` reports a destructive call instead of running it; other tools and all checks run", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const tool = (id: string, isDestructive: boolean | (() => boolean), allowed = true) =>
        kit.tool({
          id,
          parameters: { n: Schema.Number },
          isDestructive,
          checkPermissions: () => allowed,
          handler: () => ran.push(id)
        })
      const dry = (one: AnyTool, params: unknown = { n: 1 }) => call(one, params, {}, ToolExecutor.layerDryRun)
      expect(yield* dry(tool("drop", true))).toEqual({
        _tag: "ToolResult",
        outcome: "dry_run",
        output: { dryRun: true, wouldCall: "drop", with: { n: 1 } },
        isFailure: false
      })
      const broken = () => {
        throw new Error("who knows")
      }
      expect(yield* dry(tool("drop", broken))).toMatchObject({ outcome: "dry_run" })
      expect(yield* dry(tool("drop", true, false))).toMatchObject({ outcome: "denied" })
      expect(yield* dry(tool("drop", true), { n: "x" })).toMatchObject({ outcome: "invalid" })
      expect(ran).toEqual([])
      yield* dry(tool("read", () => false))
      expect(ran).toEqual(["read"])
    }))

  it.effect("`layerStub` answers by tool id in place of the handler; all checks and other tools run", () =>
    Effect.gen(function*() {
      const tool = (id: string, allowed = true) =>
        kit.tool({
          id,
          parameters: { n: Schema.Number },
          success: Schema.Struct({ day: Schema.Date }),
          checkPermissions: () => allowed,
          handler: () => ({ day: new Date(0) })
        })
      const layer = ToolExecutor.layerStub({
        stub: (args) => ({ day: new Date((args as { readonly n: number }).n) }),
        failing: () => Effect.fail("stubbed away"),
        throwing: () => {
          throw new Error("stub bug")
        }
      })
      const stubbed = (one: AnyTool, params: unknown = { n: 1000 }) => call(one, params, {}, layer)
      expect(yield* stubbed(tool("stub"))).toEqual(ok({ day: "1970-01-01T00:00:01.000Z" }))
      expect(yield* stubbed(tool("other"))).toEqual(ok({ day: "1970-01-01T00:00:00.000Z" }))
      expect(yield* stubbed(tool("toString"))).toEqual(ok({ day: "1970-01-01T00:00:00.000Z" }))
      expect(yield* stubbed(tool("failing"))).toEqual(fails("failed", "stubbed away"))
      expect(yield* stubbed(tool("throwing"))).toEqual(fails("failed", "the call failed"))
      expect(yield* stubbed(tool("stub", false))).toMatchObject({ outcome: "denied" })
      expect(yield* stubbed(tool("stub"), { n: "x" })).toMatchObject({ outcome: "invalid" })
    }))
})

describe("the files of a tool's result", () => {
  const bytes = new Uint8Array([1, 2])
  const made = { ok: true, outputMessage: "made", files: [{ mediaType: "text/csv", name: "a.csv", bytes }] }
  const tool = (interruptBehavior: "cancel" | "block") =>
    kit.tool({ id: "t", interruptBehavior, files: { accept: ["text/csv"] }, handler: () => made })

  const slow = Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const blobs = BlobStore.makeMemory()
    const removed: Array<string> = []
    const store: BlobStore.Service = {
      ...blobs,
      put: (id, blob) =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(go)),
          Effect.zipRight(blobs.put(id, blob))
        ),
      remove: (id) => Effect.sync(() => void removed.push(id))
    }
    return { begun, go, removed, place: { store, newId: Effect.succeed("f1"), limits: undefined } }
  })

  it.effect("make the call fail outside of a conversation's turn", () =>
    Effect.gen(function*() {
      const result = yield* call(tool("cancel"))
      expect(result).toMatchObject(
        fails(
          "failed",
          "its files were not given: outside of a conversation's turn nothing tells of them. The tool said: made"
        )
      )
    }))

  it.effect("are stored completely when the turn is interrupted, with `interruptBehavior: \"block\"`", () =>
    Effect.gen(function*() {
      const { begun, go, place, removed } = yield* slow
      const ended: Array<unknown> = []
      const fiber = yield* Effect.fork(
        Effect.uninterruptible(Effect.tap(call(tool("block"), {}, { place }), (one) => ended.push(one)))
      )
      yield* Deferred.await(begun)
      const stopped = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(stopped)
      expect(ended).toMatchObject([{ outcome: "ok", files: [{ name: "a.csv", ref: "f1", size: 2 }] }])
      expect(removed).toEqual([])
    }))

  it.effect("are removed when the turn is interrupted while the files are being stored", () =>
    Effect.gen(function*() {
      const { begun, place, removed } = yield* slow
      const fiber = yield* Effect.fork(call(tool("cancel"), {}, { place }))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      expect(removed).toEqual(["f1"])
    }))

  it.effect("are awaited no longer than the tool's timeout, with `interruptBehavior: \"block\"`", () =>
    Effect.gen(function*() {
      const { begun, place } = yield* slow
      const fiber = yield* Effect.fork(call(tool("block"), {}, { place }))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("31 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ outcome: "failed" })
    }))
})
