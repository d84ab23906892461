import * as AiError from "@effect/ai/AiError"
import { describe, expect, it } from "@effect/vitest"
import { Cause, DateTime, Duration, Effect, Inspectable, TestClock } from "effect"
import { classify, redact } from "../../../../src/services/model/call/CallFailure.js"

const request = { method: "POST", url: "http://localhost/v1", urlParams: [], hash: undefined, headers: {} }
const http = (status: number, body?: unknown, headers: Record<string, string> = {}) =>
  new AiError.HttpResponseError({
    module: "Test",
    method: "generateText",
    reason: "StatusCode",
    request,
    response: { status, headers },
    body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body, null, 2)
  } as never, { disableValidation: true })
const unreadable = (method: string) =>
  new AiError.HttpResponseError(
    { module: "Test", method, reason: "Decode", request, response: { status: 200, headers: {} } } as never,
    { disableValidation: true }
  )
const transport = new AiError.HttpRequestError(
  { module: "Test", method: "generateText", reason: "Transport", request, cause: new Error("ECONNREFUSED") } as never,
  { disableValidation: true }
)
const unknown = (description: unknown) =>
  new AiError.UnknownError({
    module: "Test",
    method: "streamText",
    description: typeof description === "string" ? description : JSON.stringify(description)
  })

describe("GenerationFailure.classify (the reason of a failed model call)", () => {
  const cases: ReadonlyArray<readonly [string, unknown, string, boolean]> = [
    [
      "OpenAI 401",
      http(401, { error: { message: "Incorrect API key provided", code: "invalid_api_key" } }),
      "auth",
      false
    ],
    ["402", http(402, { error: { message: "Insufficient Balance" } }), "auth", false],
    ["403", http(403, { error: { message: "no access" } }), "auth", false],
    ["404", http(404, { error: { message: "The model `x` does not exist" } }), "invalid_request", false],
    ["408", http(408), "timeout", true],
    ["409", http(409), "unknown", true],
    ["413", http(413, { type: "error", error: { type: "request_too_large", message: "x" } }), "context_length", false],
    ["422", http(422, { detail: "bad" }), "invalid_request", false],
    ["429", http(429, { error: { message: "Rate limit reached" } }), "rate_limited", true],
    ["429 without credit", http(429, { error: { message: "x", code: "insufficient_quota" } }), "rate_limited", false],
    ["500", http(500, "oops"), "overloaded", true],
    ["503", http(503), "overloaded", true],
    ["504", http(504), "timeout", true],
    ["Anthropic 529", http(529, { error: { type: "overloaded_error", message: "Overloaded" } }), "overloaded", true],
    [
      "OpenAI context",
      http(400, { error: { message: "too much", code: "context_length_exceeded" } }),
      "context_length",
      false
    ],
    [
      "Anthropic context",
      http(400, { error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" } }),
      "context_length",
      false
    ],
    ["Azure filter", http(400, { error: { code: "content_filter", message: "filtered" } }), "content_filter", false],
    ["Gemini key", http(400, [{ error: { code: 400, message: "API key not valid." } }]), "auth", false],
    ["400", http(400, { error: { message: "bad parameter" } }), "invalid_request", false],
    ["refused connection", transport, "network", true],
    ["unreadable answer", unreadable("generateText"), "malformed_output", true],
    ["broken stream", unreadable("streamRequest"), "network", true],
    [
      "malformed input",
      new AiError.MalformedInput({ module: "T", method: "m", description: "no" }),
      "invalid_request",
      false
    ],
    ["malformed output", new AiError.MalformedOutput({ module: "T", method: "m" }), "malformed_output", true],
    ["event with a status", unknown({ error: { code: 502, message: "bad gateway" } }), "overloaded", true],
    ["event with a code", unknown({ code: "server_error", message: "The server had an error" }), "overloaded", true],
    ["event with a rate limit", unknown({ code: "rate_limit_exceeded", message: "slow" }), "rate_limited", true],
    ["words", unknown("something odd"), "unknown", false],
    ["Effect's timeout", new Cause.TimeoutException(), "timeout", true],
    ["an exception", new TypeError("x is not a function"), "unknown", false],
    ["nothing", undefined, "unknown", false]
  ]
  for (const [name, error, reason, retryable] of cases) {
    it.effect(`classifies ${name} as ${reason}`, () =>
      Effect.gen(function*() {
        const failure = yield* classify(error, "speak")
        expect(failure).toMatchObject({ _tag: "ResponseGenerationError", phase: "speak", reason, retryable })
        expect(failure.message).toMatch(
          /^\[ResponseGenerationError\] model "default" \(speak\): [^\n]+\. [A-Z][^\n]+\.$/
        )
      }))
  }

  it.effect("includes the provider's message in the error", () =>
    Effect.gen(function*() {
      const body = { error: { message: "The model `gpt-9` does not exist.", code: "model_not_found" } }
      expect((yield* classify(http(404, body), "understand", "fast")).message).toBe(
        "[ResponseGenerationError] model \"fast\" (understand): 404 The model `gpt-9` does not exist. " +
          "Check the model's name and that it supports what the request uses."
      )
    }))

  it.effect("reads the time to wait before a retry from the retry-after headers", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(DateTime.unsafeMake("2026-01-01T00:00:00Z").epochMillis)
      const wait = (headers: Record<string, string>) =>
        Effect.map(classify(http(429, undefined, headers), "speak"), ({ retryAfter }) =>
          retryAfter && Duration.toMillis(retryAfter))
      expect(yield* wait({ "retry-after": "2" })).toBe(2000)
      expect(yield* wait({ "retry-after": "0.5" })).toBe(500)
      expect(yield* wait({ "retry-after": "2", "retry-after-ms": "1500" })).toBe(1500)
      expect(yield* wait({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" })).toBe(30_000)
      expect(yield* wait({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })).toBe(0)
      expect(yield* wait({ "retry-after": "soon" })).toBeUndefined()
      expect(yield* wait({})).toBeUndefined()
    }))

  it.effect("redacts secrets from every form of the error", () =>
    Effect.gen(function*() {
      const secret = "sk-proj-abcdefghijklmnop123456"
      const error = http(401, {
        error: {
          message:
            `Incorrect API key provided: ${secret}. Header Authorization: Bearer ${secret}, x-api-key: hunter22222 ` +
            "https://user:hunter2@host/v1?key=AIzaSyA1234567890abcdef&x=1"
        }
      })
      Object.assign(error.request.headers, { authorization: `Bearer ${secret}` })
      const failure = yield* classify(error, "speak")
      const all = [
        failure.message,
        JSON.stringify(failure),
        Inspectable.toStringUnknown(failure),
        Cause.pretty(Cause.fail(failure)),
        String(failure.stack)
      ].join("\n")
      for (const leak of [secret, "hunter2", "AIza"]) expect(all).not.toContain(leak)
      expect(failure.message).toContain("Incorrect API key provided: <redacted>")
    }))

  it("`redact` leaves ordinary words unchanged", () => {
    for (
      const words of [
        "The key to success",
        "task-management is basic information",
        "the bearer understands",
        "token limit: 4096",
        "bearer of news"
      ]
    ) {
      expect(redact(words)).toBe(words)
    }
  })
})
