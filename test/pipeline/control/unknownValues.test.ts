/** Texts that read unknown fields: in tests they fail, in production the field is asked for or the sentence left out. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Either, Layer, Schema } from "effect"

const { call, say, sayTask, understand } = ScriptedModel

const kit = Agent.define({
  data: Schema.Struct({
    recipient: Schema.String,
    euros: Schema.Number,
    day: Schema.Date,
    guests: Schema.Array(Schema.Struct({ name: Schema.optional(Schema.String) })),
    address: Schema.Struct({ city: Schema.String, street: Schema.optional(Schema.String) })
  }),
  context: Schema.Struct({ name: Schema.optional(Schema.String) })
})

interface Ctx {
  readonly data: Partial<{
    readonly recipient: string
    readonly euros: number
    readonly day: Date
    readonly guests: ReadonlyArray<{ readonly name?: string }>
    readonly address: { readonly city: string; readonly street?: string }
  }>
  readonly context: { readonly name?: string }
}

const made = (definition: object) => kit.make({ name: "Bank", ...definition } as never)
const flowOf = (...steps: ReadonlyArray<object>) => ({ flows: [{ title: "Transfer", steps }] })
const stage = Layer.mergeAll(ScriptedModel.layer(), SessionStore.layerMemory)

/** Says something to an agent as an application does, outside of a test's conversation. */
const respond = (definition: object, moves: ReadonlyArray<ScriptedModel.Speech | ScriptedModel.Understand>) =>
  Effect.gen(function*() {
    const agent = yield* made(definition)
    const script = yield* ScriptedModel.ScriptedModel
    yield* script.play(moves)
    return yield* agent.respond({ sessionId: "s1", message: "Hello" })
  }).pipe(Effect.provide(stage))

const texts: Record<string, { readonly text: (ctx: Ctx) => unknown; readonly said: string; readonly names: string }> = {
  "a member": { text: ({ data }) => `Hello. For ${data.recipient}!`, said: "Hello.", names: "recipient" },
  "a number": { text: ({ data }) => `It costs ${data.euros! * 2} euros. Good.`, said: "Good.", names: "euros" },
  "a method": { text: ({ data }) => `On ${data.day!.toISOString()}. Good.`, said: "", names: "day" },
  "a list": { text: ({ data }) => `With ${data.guests!.map(({ name }) => name).join()}.`, said: "", names: "guests" },
  "one of two": {
    text: ({ data }) => `Dear ${data.recipient ?? "guest"}. It costs ${data.euros}.`,
    said: "Dear guest.",
    names: "euros"
  },
  "two in one sentence": { text: ({ data }) => `${data.euros} to ${data.recipient}.`, said: "", names: "euros" },
  "the context": { text: ({ context }) => `Dear ${context.name}. Good.`, said: "Good.", names: "context.name" },
  "an effect": {
    text: ({ data }) => Effect.succeed(`For ${data.recipient}. Good.`),
    said: "Good.",
    names: "recipient"
  },
  "a date": { text: ({ data }) => `On ${new Date(data.day as never)}. Good.`, said: "Good.", names: "day" }
}

describe("a reply that reads an unknown field", () => {
  for (const [name, { names, said, text }] of Object.entries(texts)) {
    it.effect(`leaves the sentence out, with a trace: ${name}`, () =>
      Effect.gen(function*() {
        const { message, trace } = yield* respond(flowOf({ id: "a", reply: text }, { id: "b", reply: "So." }), [])
        expect(message).toBe(said === "" ? "So." : said)
        const lack = trace.find(({ kind }) => kind === "text_lacks")
        expect(lack).toMatchObject({ source: "step:a.reply" })
        expect(lack?.message).toContain(`"${names}"`)
      }))
  }

  it.effect("fails in tests with the name of the field", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* made(flowOf({ id: "a", reply: texts["a member"]!.text })))
      const failed = yield* Effect.either(talk.user("Hello"))
      expect(String(Either.getOrThrow(Either.flip(failed)))).toContain("step:a.reply: it names \"recipient\"")
    }).pipe(Effect.provide(stage)))

  it.effect("finds an unknown part of a known value", () =>
    Effect.gen(function*() {
      const { message, trace } = yield* respond(
        {
          initialData: { address: { city: "Lisbon" }, guests: [{ name: "Ann" }, {}] },
          ...flowOf({
            id: "a",
            reply: ({ data }: Ctx) =>
              `In ${data.address!.city}. At ${data.address!.street}. With ${data.guests![1]!.name}.`
          })
        },
        []
      )
      expect(message).toBe("In Lisbon.")
      expect(trace.find(({ kind }) => kind === "text_lacks")?.message).toContain(
        "\"address.street\", \"guests.1.name\""
      )
    }))

  for (
    const [name, text] of Object.entries({
      "a default": ({ data }: Ctx) => `Hello ${data.recipient ?? "you"}.`,
      "a condition": ({ data }: Ctx) => {
        if (data.recipient) return `Hello ${data.recipient}.`
        return "Hello you."
      },
      "the word itself": ({ data }: Ctx) => `Hello you${data.recipient ?? ""}. Es sind null Grad.`,
      "the word without a field": () => "Hello you. undefined is not a function."
    })
  ) {
    it.effect(`says a text that minds the unknown as it is: ${name}`, () =>
      Effect.gen(function*() {
        const { message, trace } = yield* respond(flowOf({ id: "a", reply: text }), [])
        expect(message).toMatch(/^Hello you\./)
        expect(message).toBe(name.startsWith("the word") ? text({ data: {}, context: {} }) : "Hello you.")
        expect(trace).toEqual([])
      }))
  }
})

describe("other texts that read an unknown field", () => {
  const lacking = ({ data }: Ctx) => `For ${data.recipient}. Good.`
  const traced = (response: { readonly trace: ReadonlyArray<{ readonly kind: string; readonly source: string }> }) =>
    response.trace.filter(({ kind }) => kind === "text_lacks").map(({ source }) => source)

  it.effect("a prompt, the persona, the instructions and the idle prompt", () =>
    Effect.gen(function*() {
      const step = yield* respond(flowOf({ id: "a", prompt: lacking, until: () => false }), [sayTask])
      expect([step.message, traced(step)]).toEqual(["Good.", ["step:a.prompt"]])
      const persona = yield* respond({ persona: lacking }, [say("Hi")])
      expect(traced(persona)).toEqual(["persona"])
      const idle = yield* respond({ idle: { prompt: lacking } }, [sayTask])
      expect([idle.message, traced(idle)]).toEqual(["Good.", ["idle.prompt"]])
    }))

  it.effect("labels of choices", () =>
    Effect.gen(function*() {
      const choices = (
        { data }: Ctx
      ) => [{ value: "Ann", label: `Ann, ${data.euros} euros` }, { value: "Bob", label: "Bob" }]
      const asked = yield* respond(flowOf({ id: "a", collect: ["recipient"], choices }), [understand({}), say("Who?")])
      expect(JSON.stringify(asked.expects)).not.toContain("undefined")
      expect(asked.expects).toMatchObject({
        properties: { recipient: { suggestions: [{ value: "Ann", label: "Ann" }, { value: "Bob", label: "Bob" }] } }
      })
      expect(traced(asked)).toEqual(["step:a.choices"])
    }))

  for (
    const [name, confirmation, asked] of [
      ["in part", ({ note }: { readonly note?: string | undefined }) => `Send it? The note is ${note}.`, "Send it?"],
      ["as a whole", ({ note }: { readonly note?: string | undefined }) => `Send it with ${note}?`, "May I?"]
    ] as const
  ) {
    it.effect(`a confirmation over an optional argument, ${name}`, () =>
      Effect.gen(function*() {
        const send = kit.tool({
          id: "send",
          parameters: { note: Schema.optional(Schema.String) },
          needsApproval: { by: "user" },
          confirmation,
          handler: () => "sent"
        })
        const response = yield* respond(
          { tools: [send], idle: { prompt: "Help" } },
          [call("send", {}), ...(name === "in part" ? [] : [say("May I?")])]
        )
        expect(response.message).toBe(asked)
        expect(traced(response)).toEqual(["tool:send.confirmation"])
      }))
  }

  it.effect("the texts of needsApproval", () =>
    Effect.gen(function*() {
      const send = kit.tool({
        id: "send",
        parameters: { note: Schema.optional(Schema.String) },
        needsApproval: ({ note }) => ({
          by: "desk",
          reason: `It has the note ${note}.`,
          pendingReply: `One moment. We look at ${note}.`
        }),
        handler: () => "sent"
      })
      const response = yield* respond({ tools: [send], idle: { prompt: "Help" } }, [call("send", {})])
      expect(response.message).toBe("One moment.")
      expect(JSON.stringify(response)).not.toContain("the note undefined")
      expect(traced(response)).toEqual(["tool:send.needsApproval"])
    }))
})

describe("an unknown field that an earlier step gives", () => {
  const begin = (...steps: ReadonlyArray<object>) =>
    made({
      flows: [{
        title: "Transfer",
        hooks: { onEnter: () => ({ goToStep: "last" }) },
        steps: [{ id: "recipient", collect: ["recipient"], prompt: "To whom?" }, ...steps]
      }]
    })
  const send = kit.tool({
    id: "send",
    parameters: { recipient: Schema.optional(Schema.String), note: Schema.optional(Schema.String) },
    handler: ({ recipient }) => `sent to ${recipient}`
  })

  for (
    const [name, last] of Object.entries({
      reply: { reply: ({ data }: Ctx) => `For ${data.recipient}.` },
      prompt: { prompt: ({ data }: Ctx) => `For ${data.recipient}.`, until: () => false },
      call: { call: send.with(({ data }) => ({ recipient: data.recipient })), bind: "recipient" },
      "text of an argument": { call: send.with(({ data }) => ({ note: `for ${data.recipient}` })) }
    })
  ) {
    it.effect(`is asked for before it is used by a ${name}`, () =>
      Effect.gen(function*() {
        const agent = yield* begin({ id: "last", ...last })
        const script = yield* ScriptedModel.ScriptedModel
        yield* script.play([understand({}), sayTask])
        const first = yield* agent.respond({ sessionId: "s1", message: "Hello" })
        expect(first.message).toContain("To whom?")
        expect(first.session.currentStep?.id).toBe("recipient")
        expect(first.toolCalls).toEqual([])
      }).pipe(Effect.provide(stage)))
  }

  it.effect("is asked for before a read-back names it", () =>
    Effect.gen(function*() {
      const agent = yield* begin({
        id: "last",
        collect: ["euros"],
        prompt: "How much?",
        confirm: ({ data }: Ctx) => `${data.euros} to ${data.recipient}?`
      })
      const script = yield* ScriptedModel.ScriptedModel
      yield* script.play([understand({ fields: { euros: 50 } }), sayTask])
      expect((yield* agent.respond({ sessionId: "s1", message: "50 euros" })).message).toContain("To whom?")
      yield* script.play([understand({ fields: { recipient: "Ann" } })])
      expect((yield* agent.respond({ sessionId: "s1", message: "Ann" })).message).toBe("50 to Ann?")
    }).pipe(Effect.provide(stage)))

  it.effect("is not asked for if code has moved past its step: the optional argument is left out", () =>
    Effect.gen(function*() {
      const agent = yield* made({
        flows: [{
          title: "Transfer",
          steps: [
            { id: "recipient", collect: ["recipient"], prompt: "To whom?", finalize: () => ({ goToStep: "last" }) },
            { id: "last", call: send.with(({ data }) => ({ recipient: data.recipient })) },
            { id: "end", reply: "Done." }
          ]
        }]
      })
      const script = yield* ScriptedModel.ScriptedModel
      yield* script.play([understand({}), sayTask])
      yield* agent.respond({ sessionId: "s1", message: "Hello" })
      yield* script.play([understand({})])
      const { message, toolCalls } = yield* agent.respond({ sessionId: "s1", message: "Nobody" })
      expect(message).toBe("Done.")
      expect(toolCalls).toMatchObject([{ toolId: "send", params: {}, outcome: "ok" }])
    }).pipe(Effect.provide(stage)))

  it.effect("is not found a second time by a call of the same turn", () =>
    Effect.gen(function*() {
      let calls = 0
      const find = kit.tool({
        id: "find",
        isReadOnly: true,
        handler: () => {
          calls++
          return "Ann"
        }
      })
      const agent = yield* made(flowOf(
        { id: "find", call: find.with({}), bind: "recipient" },
        { id: "forget", auto: true, onEnter: () => ({ clear: ["recipient"] }) },
        { id: "last", reply: ({ data }: Ctx) => `For ${data.recipient}. Good.` }
      ))
      const { message } = yield* agent.respond({ sessionId: "s1", message: "Hello" })
      expect([message, calls]).toEqual(["Good.", 1])
    }).pipe(Effect.provide(stage)))

  it.effect("is asked for when it is forgotten, although code has moved past its step with the value", () =>
    Effect.gen(function*() {
      const agent = yield* made(flowOf(
        { id: "amount", auto: true, onEnter: () => ({ dataUpdate: { recipient: "Ann" }, goToStep: "last" }) },
        { id: "recipient", collect: ["recipient"], prompt: "To whom?" },
        { id: "last", prompt: ({ data }: Ctx) => `For ${data.recipient}.`, until: () => false }
      ))
      const script = yield* ScriptedModel.ScriptedModel
      yield* script.play([understand({}), sayTask])
      yield* agent.respond({ sessionId: "s1", message: "As always" })
      yield* script.play([understand({ withdrawn: ["recipient"] }), sayTask])
      expect((yield* agent.respond({ sessionId: "s1", message: "Not Ann" })).message).toContain("To whom?")
    }).pipe(Effect.provide(stage)))
})
