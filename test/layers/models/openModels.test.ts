/** What open models and their servers send: thoughts and calls as text, words around JSON, errors within a stream. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, type Model, SessionStore } from "coxswain"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Chunk, Effect, Layer, Schema, Stream } from "effect"
import { asking, data, dialect } from "./asking.js"
import { serve } from "./server.js"

const chunk = (delta: object, finish_reason: string | null = null) =>
  data({ choices: [{ index: 0, delta, finish_reason }] })
const completion = (content: string) =>
  JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] })

/** The events of an answer whose content comes in pieces of `size` characters. */
const events = (content: string, size: number) =>
  (content.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? []).map((piece) => chunk({ content: piece })).join("") +
  chunk({}, "stop") + "data: [DONE]\n\n"

const json = { name: "understanding", schema: { type: "object", required: ["city"], properties: { city: {} } } }
const tools = [
  { name: "book", jsonSchema: { type: "object", properties: { city: { type: "string" }, guests: { type: "number" } } } }
]
const params = { city: "Lisbon", guests: 2 }

type Options = Omit<OpenAiCompatible.Options, "model" | "baseUrl">
const layer = (options: Options = {}) => (url: string) =>
  OpenAiCompatible.layer({ model: "m", baseUrl: url, ...options })

/** The answer to the same content: whole, and streamed in pieces of 1, 3 and 1000 characters with what was told. */
const answers = (content: string, call: Partial<Model.ModelCall> = {}, options: Options = {}) =>
  Effect.gen(function*() {
    const sizes = [1, 3, 1000]
    const bodies = [completion(content), ...sizes.map((size) => events(content, size))]
    const { ask } = yield* asking("openai-compatible", layer(options), ...bodies)
    const whole = yield* ask(call)
    const streamed = yield* Effect.forEach(sizes, () => {
      let told = ""
      const onPart = (part: Model.ModelPart) =>
        Effect.sync(() => {
          if (part._tag === "Text") told += part.text
          else if (part._tag === "Retracted") told = ""
        })
      return Effect.map(ask({ ...call, onPart }), (answer) => ({ answer, told }))
    })
    for (const { answer, told } of streamed) {
      const { text, toolCalls } = answer
      expect({ text, calls: toolCalls.map(({ name, params }) => ({ name, params })), reasoning: answer.reasoning })
        .toEqual({
          text: whole.text,
          calls: whole.toolCalls.map(({ name, params }) => ({ name, params })),
          reasoning: whole.reasoning
        })
      expect(told).toBe(text)
    }
    return whole
  })

describe("thoughts in the text", () => {
  const thoughts: ReadonlyArray<readonly [name: string, content: string, reasoning: string | undefined, text: string]> =
    [
      ["think", "<think>\nHe greets.\n</think>\n\nHello!", "\nHe greets.\n", "Hello!"],
      ["an empty thought", "<think>\n\n</think>\n\nHello!", "\n\n", "Hello!"],
      ["two thoughts", "<think>a</think>\n<think>b</think>Hello!", "ab", "Hello!"],
      ["thinking", "<thinking>a</thinking>Hello!", "a", "Hello!"],
      ["Magistral", "[THINK]a[/THINK]Hello!", "a", "Hello!"],
      ["Kimi", "◁think▷a◁/think▷Hello!", "a", "Hello!"],
      ["Command", "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Hello!<|END_RESPONSE|>", "a", "Hello!"],
      [
        "gpt-oss",
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|return|>",
        "a",
        "Hello!"
      ],
      ["only closed", "He greets.</think>\n\nHello!", "He greets.", "Hello!"],
      ["in the middle", "Hello!<think>a</think> Welcome.", "a", "Hello! Welcome."],
      ["opened in the middle and not closed", "Use <think> for that.", undefined, "Use <think> for that."],
      ["tags in quotes", "Write `<think>` and `</think>`.", undefined, "Write `<think>` and `</think>`."],
      ["something similar", "a < b, <thin> and </thinker>", undefined, "a < b, <thin> and </thinker>"]
    ]
  for (const [name, content, reasoning, text] of thoughts) {
    it.scopedLive(`${name}: thoughts are reasoning, however the stream is cut`, () =>
      Effect.map(answers(content), (answer) => {
        expect(answer.text).toBe(text)
        expect(answer.reasoning).toBe(reasoning)
      }))
  }

  it.scopedLive("a thought that is never closed is no answer", () =>
    Effect.gen(function*() {
      const { ask, stream } = yield* asking(
        "openai-compatible",
        layer(),
        completion("<think>hm"),
        events("<think>hm", 1)
      )
      expect((yield* Effect.flip(ask()))._tag).toBe("ResponseGenerationError")
      expect(yield* Effect.flip(stream())).toMatchObject({ reason: "empty" })
    }))

  it.scopedLive("`begun` holds the words back until the thought ends", () =>
    Effect.map(
      answers("He greets.</think>Hello!", {}, { thoughts: "begun" }),
      ({ reasoning, text }) => expect({ reasoning, text }).toEqual({ reasoning: "He greets.", text: "Hello!" })
    ))

  it.scopedLive("`begun` tells no word of the thought as text", () =>
    Effect.gen(function*() {
      const { ask } = yield* asking("openai-compatible", layer({ thoughts: "begun" }), events("a thought</think>Hi", 2))
      const parts: Array<Model.ModelPart> = []
      yield* ask({ onPart: (part) => Effect.sync(() => void parts.push(part)) })
      const of = (tag: "Text" | "Reasoning") => parts.map((part) => part._tag === tag ? part.text : "").join("")
      expect([of("Reasoning"), of("Text")]).toEqual(["a thought", "Hi"])
    }))

  it.scopedLive("`none` passes the text on as it is", () =>
    Effect.map(
      answers("<think>a</think>Hello!", {}, { thoughts: "none" }),
      ({ text }) => expect(text).toBe("<think>a</think>Hello!")
    ))
})

describe("tool calls in the text", () => {
  const args = JSON.stringify(params)
  const call = `{"name": "book", "arguments": ${args}}`
  const forms: ReadonlyArray<readonly [name: string, content: string, strings?: true]> = [
    ["Hermes and Qwen", `<tool_call>\n${call}\n</tool_call>`],
    ["a call that is not closed", `<tool_call>\n${call}`],
    ["a list", `<tool_calls>[${call}]</tool_calls>`],
    ["a call with `function`", `<tool_call>{"type": "function", "function": ${call}}</tool_call>`],
    ["arguments as text", `<tool_call>{"name": "book", "arguments": ${JSON.stringify(args)}}</tool_call>`],
    ["a trailing comma", `<tool_call>{"name": "book", "arguments": ${args},}</tool_call>`],
    ["a fence", `<tool_call>\n\`\`\`json\n${call}\n\`\`\`\n</tool_call>`],
    [
      "Qwen Coder",
      "<tool_call>\n<function=book>\n<parameter=city>\nLisbon\n</parameter>\n<parameter=guests>\n2\n</parameter>\n</function>\n</tool_call>",
      true
    ],
    [
      "GLM",
      "<tool_call>book\n<arg_key>city</arg_key>\n<arg_value>Lisbon</arg_value>\n<arg_key>guests</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
      true
    ],
    [
      "MiniMax",
      "<minimax:tool_call>\n<invoke name=\"book\">\n<parameter name=\"city\">Lisbon</parameter>\n<parameter name=\"guests\">2</parameter>\n</invoke>\n</minimax:tool_call>",
      true
    ],
    ["Llama", `<|python_tag|>{"name": "book", "parameters": ${args}}`],
    ["Llama without a mark", `{"name": "book", "parameters": ${args}}`],
    ["Llama's functions", `<function=book>${args}</function>`],
    ["Mistral's list", `[TOOL_CALLS] [${call}]`],
    ["Mistral's newer form", `[TOOL_CALLS]book[ARGS]${args}`],
    ["Mistral's form with an id", `[TOOL_CALLS]book[CALL_ID]abcdefghi[ARGS]${args}`],
    ["Mistral without a mark for arguments", `[TOOL_CALLS]book${args}`],
    [
      "DeepSeek V3",
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>book\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`
    ],
    [
      "DeepSeek V3.1",
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>book<｜tool▁sep｜>${args}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`
    ],
    [
      "Kimi",
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.book:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`
    ],
    ["Command", `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "book", "parameters": ${args}}]<|END_ACTION|>`],
    ["Phi", `<|tool_call|>[${call}]<|/tool_call|>`],
    ["gpt-oss", `<|channel|>commentary to=functions.book <|constrain|>json<|message|>${args}<|call|>`],
    ["JSON in a fence", `\`\`\`json\n${call}\n\`\`\``]
  ]
  for (const [name, content, strings] of forms) {
    it.scopedLive(`${name}: the call is made, and is no text`, () =>
      Effect.map(answers(content, { tools }), ({ finishReason, text, toolCalls }) => {
        const expected = strings === undefined ? params : { city: "Lisbon", guests: "2" }
        expect(toolCalls.map(({ name, params }) => ({ name, params }))).toEqual([{ name: "book", params: expected }])
        expect({ finishReason, text }).toEqual({ finishReason: "tool-calls", text: "" })
      }))
  }

  it.scopedLive("a thought and words before two calls", () =>
    Effect.map(
      answers(`<think>a</think>Let me see.\n<tool_call>${call}</tool_call>\n<tool_call>${call}</tool_call>`, { tools }),
      ({ reasoning, text, toolCalls }) => {
        expect({ reasoning, text }).toEqual({ reasoning: "a", text: "Let me see.\n" })
        expect(toolCalls.map(({ params }) => params)).toEqual([params, params])
        expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2)
      }
    ))

  for (
    const content of [
      "<tool_call>book Lisbon for two</tool_call>",
      "[TOOL_CALLS]",
      "<|python_tag|>book.call(city=\"Lisbon\")",
      "[book(city=\"Lisbon\", guests=2)]"
    ]
  ) {
    it.scopedLive(`a call that cannot be read says which option of the server to set: ${content}`, () =>
      Effect.gen(function*() {
        const { ask, stream } = yield* asking("openai-compatible", layer(), completion(content), events(content, 2))
        for (const failure of [yield* Effect.flip(ask({ tools })), yield* Effect.flip(stream({ tools }))]) {
          expect(failure).toMatchObject({ reason: "malformed_output", retryable: false })
          expect(failure.message).toMatch(/--enable-auto-tool-choice.*--jinja.*textCalls: false/)
        }
      }))
  }

  it.scopedLive("JSON that is no call of an offered tool is text", () =>
    Effect.map(
      answers("{\"name\": \"cook\", \"parameters\": {}}", { tools }),
      ({ text, toolCalls }) =>
        expect({ text, calls: toolCalls.length }).toEqual({
          text: "{\"name\": \"cook\", \"parameters\": {}}",
          calls: 0
        })
    ))

  it.scopedLive("textCalls: false passes the text on", () =>
    Effect.map(
      answers(`<tool_call>${call}</tool_call>`, { tools }, { textCalls: false }),
      ({ text, toolCalls }) =>
        expect({ text, calls: toolCalls.length }).toEqual({ text: `<tool_call>${call}</tool_call>`, calls: 0 })
    ))

  it.scopedLive("arguments of a call in a fence are read", () =>
    Effect.gen(function*() {
      const calls = [{
        id: "c",
        type: "function",
        function: { name: "book", arguments: `\`\`\`json\n${args}\n\`\`\`` }
      }]
      const body = JSON.stringify({ choices: [{ message: { tool_calls: calls }, finish_reason: "tool_calls" }] })
      const { ask } = yield* asking("openai-compatible", layer(), body)
      expect((yield* ask({ tools })).toolCalls[0]!.params).toEqual(params)
    }))
})

describe("an answer that should be JSON", () => {
  const object = "{\"city\": \"Lisbon\"}"
  for (
    const [name, content] of [
      ["a thought before it", `<think>{"city": "Porto"}</think>\n${object}`],
      ["a thought that only ends", `He says {"city": "Porto"} or so.</think>${object}`],
      ["words around it", `Here it is:\n${object}\nAnything else?`],
      ["a fence with words around it", `Sure!\n\`\`\`json\n${object}\n\`\`\`\nDone.`],
      ["a byte order mark", `\uFEFF${object}`],
      ["a comma before the bracket", "{\"city\": \"Lisbon\",\n}"],
      ["an example before it", `Like {"example": 1}: ${object}`],
      ["quotes around it", `He said "hi". ${object}`]
    ] as const
  ) {
    it.scopedLive(`${name}: the first object that fits counts`, () =>
      Effect.gen(function*() {
        const { ask } = yield* asking("openai-compatible", layer(), completion(content))
        expect((yield* ask({ json })).value).toEqual({ city: "Lisbon" })
      }))
  }

  it.scopedLive("tags in a value belong to it", () =>
    Effect.gen(function*() {
      const value = { city: "<think>a</think> , ] b" }
      const { ask } = yield* asking("openai-compatible", layer(), completion(JSON.stringify(value)))
      expect((yield* ask({ json })).value).toEqual(value)
    }))

  it.scopedLive("a text without JSON is malformed", () =>
    Effect.gen(function*() {
      const { ask } = yield* asking("openai-compatible", layer(), completion("I cannot {do} that [now"))
      expect(yield* Effect.flip(ask({ json }))).toMatchObject({ reason: "malformed_output" })
    }))
})

describe("errors in an answer with status 200", () => {
  for (
    const [name, body] of [
      ["a JSON body", "{\"error\": {\"message\": \"the model exploded\", \"code\": 500}}"],
      ["an indented JSON body", JSON.stringify({ error: { message: "the model exploded" } }, null, 2)],
      ["vLLM's form", "{\"object\": \"error\", \"message\": \"the model exploded\", \"code\": 500}"],
      ["FastAPI's form", "{\"detail\": \"the model exploded\"}"],
      ["an error event", "event: error\ndata: {\"message\": \"the model exploded\", \"code\": 500}\n\n"],
      ["an error event of plain text", "event: error\ndata: the model exploded\n\n"],
      ["an error in a data event", data({ error: "the model exploded" })],
      [
        "an error after words",
        chunk({ content: "Hel" }) + "event: error\ndata: {\"message\": \"the model exploded\"}\n\n"
      ]
    ] as const
  ) {
    it.scopedLive(`${name}: the vendor's words are told`, () =>
      Effect.gen(function*() {
        const { stream } = yield* asking("openai-compatible", layer(), body)
        const failure = yield* Effect.flip(stream())
        expect(failure.message).toContain("the model exploded")
        expect(failure.message).not.toContain("output limit")
      }))
  }

  it.scopedLive("whole JSON in place of a stream is the answer", () =>
    Effect.gen(function*() {
      const { stream } = yield* asking("openai-compatible", layer(), completion("<think>a</think>Hello!"))
      expect(yield* stream()).toMatchObject({ text: "Hello!", reasoning: "a", finishReason: "stop" })
    }))

  it.scopedLive("a page in place of a stream is no answer", () =>
    Effect.gen(function*() {
      const { stream } = yield* asking("openai-compatible", layer(), "<!doctype html><title>Sign in</title>")
      const failure = yield* Effect.flip(stream())
      expect(failure).toMatchObject({ reason: "malformed_output" })
      expect(failure.message).toContain("server-sent events")
    }))
})

describe("a server that is set up differently", () => {
  for (
    const [status, message, fix] of [
      [500, "tools param requires --jinja flag", "Start llama-server with --jinja"],
      [
        400,
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
        "Start vLLM with"
      ],
      [
        400,
        "'response_format.type' : value is not one of the allowed values ['text', 'json_object']",
        "structuredOutput"
      ],
      [422, "response_format: json_schema is not supported by this model", "structuredOutput"],
      [400, "registry.ollama.ai/library/gemma:2b does not support tools", "Use a model with a template for tools"],
      [500, "Conversation roles must alternate user/assistant/user/assistant/...", "profile"]
    ] as const
  ) {
    it.scopedLive(`${status} ${message}`, () =>
      Effect.gen(function*() {
        const { ask, server } = yield* asking("openai-compatible", layer(), "")
        server.does = [{ _tag: "Refuse", status, message }]
        const failure = yield* Effect.flip(ask())
        expect(failure).toMatchObject({ reason: "invalid_request", retryable: false })
        expect(failure.message).toContain(fix)
      }))
  }
})

describe("a conversation with a model that only closes its thoughts", () => {
  it.scopedLive("the reader's words are replaced, and neither history nor message has the thought", () =>
    Effect.gen(function*() {
      const server = yield* serve(dialect("openai-compatible"))
      const said = "He greets, so I greet.</think>\n\nHello!"
      server.does = [{ _tag: "Send", text: events(said, 4) }, { _tag: "Send", text: completion("Bye!") }]
      const agent = yield* Agent.define({ data: Schema.Struct({}) }).make({ name: "Bot" }).pipe(
        Effect.provide(Layer.merge(layer()(server.url), SessionStore.layerMemory))
      )
      const told = Chunk.toReadonlyArray(yield* Stream.runCollect(agent.stream({ sessionId: "s", message: "hi" })))
      let shown = ""
      for (const event of told) {
        if (event._tag === "TextDelta") shown += event.text
        else if (event._tag === "MessageReplaced") shown = event.message
        else if (event._tag === "TurnCompleted") expect(event.response.message).toBe("Hello!")
      }
      expect(shown).toBe("Hello!")
      yield* agent.respond({ sessionId: "s", message: "bye" })
      expect(JSON.stringify(server.requests[1]!.body)).not.toContain("He greets")
    }))
})
