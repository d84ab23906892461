/** A callback that returns a Promise is reported at run time when its type did not show it. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors } from "coxswain"
import { Context, Effect, Logger, Schema } from "effect"
import * as Stage from "../support/Stage.js"

const { kit, talk } = Stage

/** Rejects: an unhandled rejection would end the process. */
const later = (): any => Promise.reject(new Error("never seen"))
const inEffect = (): any => Effect.sync(later)

const chat = (
  step: object,
  flow: object = {}
) => [{ title: "Chat", steps: [{ id: "a", prompt: "Chat", ...step }], ...flow }]

const turnOf = (options: object) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make()
    const make: (options: object) => ReturnType<typeof kit.make<{ readonly name: "Bot" }>> = kit.make as never
    const agent = yield* make({ name: "Bot", ...options }).pipe(Effect.provide(stage.layer))
    return yield* Effect.either(talk(agent)("hi"))
  })

describe("a Promise returned by a callback fails the turn with an error that names the callback and the fix", () => {
  for (
    const [name, options] of Object.entries({
      "step:a.prepare": { flows: chat({ prepare: later }) },
      "step:a.finalize": { flows: chat({ finalize: inEffect }) },
      "step:a.prompt": { flows: chat({ prompt: later }) },
      "step:a.reply": { flows: chat({ prompt: undefined, reply: inEffect }) },
      "flow:chat.onEnter": { flows: chat({}, { hooks: { onEnter: later } }) },
      "agent.beforeRespond": { hooks: { beforeRespond: later }, flows: chat({}) },
      "persona": { persona: later, flows: chat({}) },
      "idle.prompt": { idle: { prompt: later } }
    })
  ) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const result: any = yield* turnOf(options)
        expect(result).toMatchObject({ _tag: "Left" })
        expect(result.left).toBeInstanceOf(Errors.FlowConfigurationError)
        expect(result.left.message).toContain(`${name} returned a Promise`)
        expect(result.left.message).toContain("Effect.tryPromise")
      }))
  }

  it.effect("a Promise that `contextProvider` returns", () =>
    Effect.gen(function*() {
      const ambient = Agent.define({
        data: Schema.Struct({}),
        context: Schema.Struct({ tier: Schema.optional(Schema.String) })
      })
      const stage = yield* Stage.make()
      const agent = yield* ambient.make({ name: "Bot", contextProvider: Effect.sync(later) }).pipe(
        Effect.provide(stage.layer)
      )
      const error = yield* Effect.flip(talk(agent)("hi"))
      expect(error).toBeInstanceOf(Errors.FlowConfigurationError)
      expect(error.message).toContain("contextProvider returned a Promise")
    }))

  it.effect("a template that returns a number fails the turn too", () =>
    Effect.gen(function*() {
      const result: any = yield* turnOf({ flows: chat({ prompt: () => 5 }) })
      expect(result.left.message).toContain("step:a.prompt made no text")
    }))
})

describe("a text with a Promise or an Effect in place of its result fails the turn", () => {
  const waiting = new Promise<string>(() => {})
  for (
    const [what, reply] of Object.entries({
      "a Promise in a template": () => `For ${String(waiting)}`,
      "an Effect in a template": () => `For ${String(Effect.succeed("Ada"))}`,
      "a Promise in a text by locale": { en: () => `For ${String(waiting)}` },
      "a Promise in the text of an Effect": () => Effect.succeed(`For ${String(waiting)}`)
    })
  ) {
    it.effect(what, () =>
      Effect.gen(function*() {
        const result: any = yield* turnOf({ flows: chat({ prompt: undefined, reply }) })
        expect(result.left).toBeInstanceOf(Errors.FlowConfigurationError)
        expect(result.left.message).toBe(
          "[FlowConfigurationError] step:a.reply made no text: it returned something that has a Promise or an Effect in place of its result. Return a string, or an Effect of one."
        )
      }))
  }

  it.effect("but not a text that quotes the words from the message", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{ title: "Chat", steps: [{ id: "a", reply: ({ message }) => `You said ${message}` }] }]
      }).pipe(Effect.provide(stage.layer))
      const { message } = yield* talk(agent)("I see [object Promise] on the page")
      expect(message).toBe("You said I see [object Promise] on the page")
    }))
})

describe("a service that nobody provided", () => {
  class Crm extends Context.Tag("test/Crm")<Crm, { readonly tier: string }>() {}
  const needing = (): any => Effect.map(Crm, ({ tier }) => tier)
  for (
    const [name, options] of Object.entries({
      "step:a.prepare": { flows: chat({ prepare: needing }) },
      "step:a.reply": { flows: chat({ prompt: undefined, reply: needing }) },
      "agent.beforeRespond": { hooks: { beforeRespond: needing }, flows: chat({}) }
    })
  ) {
    it.effect(`fails the turn with an error that names it and the code that needs it: ${name}`, () =>
      Effect.gen(function*() {
        const result: any = yield* turnOf(options)
        expect(result.left).toBeInstanceOf(Errors.FlowConfigurationError)
        expect(result.left.message).toContain(`${name} needs the service "test/Crm": nobody provided it`)
        expect(result.left.message).toContain("kit.make({ … }).pipe(Effect.provide(layer))")
      }))
  }

  it.effect("counts as false in a predicate, and the trace names it", () =>
    Effect.gen(function*() {
      const result: any = yield* turnOf({
        flows: [{ title: "Chat", steps: [{ id: "no", reply: "No", if: needing }, { id: "yes", reply: "Yes" }] }]
      })
      expect(result.right.message).toBe("Yes")
      expect(JSON.stringify(result.right.trace)).toContain("needs the service \\\"test/Crm\\\"")
    }))

  it.effect("and any other defect is none", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(turnOf({ flows: chat({ prepare: () => Effect.dieMessage("Service is down") }) }))
      expect(String(exit)).toContain("Service is down")
      expect(String(exit)).not.toContain("nobody provided")
    }))
})

describe("a returned Promise that does not fail the turn", () => {
  it.effect("a Promise from a predicate counts as false, and the trace names the cause", () =>
    Effect.gen(function*() {
      const result: any = yield* turnOf({
        flows: [{ title: "Chat", steps: [{ id: "no", reply: "No", if: later }, { id: "yes", reply: "Yes" }] }]
      })
      expect(result.right.message).toBe("Yes")
      expect(JSON.stringify(result.right.trace)).toContain("returned a Promise")
    }))

  it.effect("a Promise from a signal handler is recorded as its handlerError, and the turn continues", () =>
    Effect.gen(function*() {
      const result: any = yield* turnOf({ signals: [{ id: "s", phase: "pre", handler: later }], flows: chat({}) })
      expect(result.right.message).toBe("Chat")
      expect(JSON.stringify(result.right.triggeredSignals)).toContain("signal:s.handler returned a Promise")
    }))
})

it.effect("`make` warns of data fields that no flow collects, requires, lists as optional or initialises", () =>
  Effect.gen(function*() {
    const some = Agent.define({
      data: Schema.Struct({
        a: Schema.String,
        b: Schema.String,
        c: Schema.String,
        d: Schema.String,
        e: Schema.String,
        f: Schema.String.annotations({ extract: "never" })
      })
    })
    const stage = yield* Stage.make()
    const logged: Array<unknown> = []
    const logger = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void logged.push(message)))
    yield* some.make({
      name: "Bot",
      initialData: { c: "x" },
      flows: [{ title: "F", optionalFields: ["b"], steps: [{ id: "a", collect: ["a"], requires: ["a"] }] }]
    }).pipe(Effect.provide([stage.layer, logger]))
    expect(String(logged)).toContain("no flow declares the data \"d\", \"e\", ")
    expect(String(logged)).toContain("annotate it with extract: \"never\"")
    yield* some.make({ name: "Bot" }).pipe(Effect.provide([stage.layer, logger]))
    expect(logged).toHaveLength(1)
  }))
