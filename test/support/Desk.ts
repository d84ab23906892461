/**
 * An agent for the tests of servers, and a client of it without a network. The user's message determines the model's
 * answer: text in several deltas; for `pay 40` a tool call; for `form` a tool call that replaces the text; for `fail` a
 * failure; for `wait:` the model waits until the latch `gate` opens.
 */
import type { LanguageModel } from "@effect/ai"
import { HttpLayerRouter, type HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Agent, SessionStore, Understanding } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Cause, Context, Effect, Layer, Runtime, Schema } from "effect"
import * as Script from "./Script.js"
import * as StreamedModel from "./StreamedModel.js"

export const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String }),
  context: Schema.Struct({ tier: Schema.optional(Schema.String), since: Schema.optional(Schema.Date) }),
  events: { paid: Schema.Struct({ amount: Schema.Number }) }
})

export const pay = kit.tool({
  id: "pay",
  parameters: { euros: Schema.Number },
  needsApproval: true,
  handler: ({ euros }, { approval }) => `paid ${euros}, as ${JSON.stringify(approval?.by)} decided`
})

export const refund = kit.tool({
  id: "refund",
  parameters: { euros: Schema.Number },
  needsApproval: { by: "manager" },
  handler: ({ euros }) => `refunded ${euros}`
})

export const look = kit.tool({ id: "look", parameters: {}, handler: () => "nothing to see" })

/** Replaces the model's text by a reply of its own. */
export const form = kit.tool({
  id: "form",
  parameters: {},
  handler: () => ({
    ok: true,
    outputMessage: "shown",
    details: { fields: ["name"] },
    directive: { reply: "Use the form." }
  })
})

/** The last user message, as the model sees it. */
const lastSaid = ({ prompt }: LanguageModel.ProviderOptions): string => {
  const users = prompt.content.filter(({ role }) => role === "user")
  return JSON.stringify(users.at(-1)?.content ?? "")
}

export class Desk extends kit.Service<Desk>()("Desk", {
  name: "Desk",
  tools: [pay, refund, look, form],
  on: {
    paid: ({ event }) =>
      event.amount < 0
        ? { handOff: "person", reason: "a negative payment", reply: "A colleague comes." }
        : { reply: `Thank you for ${event.amount}.` }
  },
  flows: [{
    title: "Talk",
    optionalFields: ["city"],
    steps: [{ id: "talk", prompt: ({ context }) => `Talk to a ${context.tier ?? "new"} guest`, until: () => false }]
  }]
}) {}

const understanding = Layer.succeed(Understanding.Understanding, {
  answer: ({ message }) =>
    Effect.succeed({
      flowScores: {},
      conditions: {},
      signals: {},
      fields: message.includes("Lisbon") ? { city: "Lisbon" } : {}
    })
})

/** The model's answers; `gate` is awaited in the answer to `wait:`. */
export const lines =
  (gate: Effect.Effect<void>) => (_: number, asked: LanguageModel.ProviderOptions): StreamedModel.Line => {
    const { prompt } = asked
    const last = prompt.content.at(-1)
    if (last?.role === "tool") {
      return { say: [/as [^ ]+ decided/.exec(JSON.stringify(last.content).replaceAll("\\", ""))?.[0] ?? "Done."] }
    }
    const said = lastSaid(asked)
    const back = /refund (\d+)/.exec(said)?.[1]
    if (back !== undefined) return { say: [{ call: "refund", params: { euros: Number(back) } }] }
    const euros = /pay (\d+)/.exec(said)?.[1]
    if (euros !== undefined) return { say: [{ call: "pay", params: { euros: Number(euros) } }] }
    if (said.includes("form")) return { say: ["Let me ", "see.", { call: "form" }] }
    if (said.includes("look")) return { say: [{ call: "look" }] }
    if (said.includes("fail")) return { say: [Effect.fail(Script.refusal(400))] }
    if (said.includes("wait:")) return { say: ["One ", gate, "two ", "three."] }
    if (said.includes("tier")) {
      return { say: [/Talk to a \W*(\w+)/.exec(JSON.stringify(prompt.content))?.[1] ?? "?"] }
    }
    return { say: ["You ", "said ", "it."] }
  }

/** The services of the desk except the store; see `lines` for `gate`. */
export const services = (gate: Effect.Effect<void> = Effect.void) =>
  Layer.mergeAll(StreamedModel.make(lines(gate)).layer, understanding)

/** The agent with its services. */
export const layer = (gate: Effect.Effect<void> = Effect.void, store = SessionStore.layerMemory) =>
  Layer.provideMerge(Desk.layer, Layer.mergeAll(services(gate), store))

/** Trusts a header such as `authorization: ann` or `authorization: olga operator`. */
export const authenticate: Server.Authenticate = ({ headers }) => {
  const [userId, ...roles] = (headers.authorization ?? "").split(" ")
  return userId === undefined || userId === "" || userId === "nobody"
    ? Effect.fail(new Server.Unauthorized({ why: "no known name" }))
    : Effect.succeed({ userId, roles })
}

/** The full id of a user's session, as other users write it in a path. */
export const idOf = (name: string, user = "ann"): string => encodeURIComponent(Server.sessionIdOf(user, name))

export interface Asking {
  readonly as?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: any
}

export interface Client {
  /** The response with an unread body. */
  readonly open: (method: string, path: string, asking?: Asking) => Effect.Effect<Response>
  /** The whole response. */
  readonly ask: (method: string, path: string, asking?: Asking) => Effect.Effect<Answer>
  readonly stop: Effect.Effect<void>
  /** Sends a request; interrupted, it is a client that goes away. */
  readonly send: (request: Request) => Effect.Effect<Response>
  /** For clients that are given a `fetch`. */
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
}

const requestOf = (method: string, path: string, { as = "ann", body, headers }: Asking): Request =>
  new Request(`http://localhost${path}`, {
    method,
    headers: {
      ...(as !== "" && { authorization: as }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) })
  })

export const answerOf = (response: Response): Effect.Effect<Answer> =>
  Effect.map(Effect.promise(() => response.text()), (text) => {
    const isJson = response.headers.get("content-type")?.includes("json") === true
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
  })

/** Serves an agent without a network on the test's clock, while the scope is open. */
export const serve = Effect.fnUntraced(function*<I, E>(
  app: Layer.Layer<Server.Server, E, I | HttpLayerRouter.HttpRouter | HttpRouter.HttpRouter.DefaultServices>
) {
  const context = yield* Layer.build(
    app.pipe(Layer.provideMerge(HttpLayerRouter.layer), Layer.provide(HttpServer.layerContext))
  )
  const handler = Context.get(context, HttpLayerRouter.HttpRouter).asHttpEffect()
  const runtime = yield* Effect.runtime()
  const send = (request: Request): Effect.Effect<Response> =>
    handler.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request)),
      // 404 for an unknown path; 500 for a defect.
      Effect.catchAllCause((cause) =>
        Effect.succeed(HttpServerResponse.empty({ status: Cause.isFailure(cause) ? 404 : 500 }))
      ),
      Effect.map((response) => HttpServerResponse.toWeb(response, { runtime }))
    ) as Effect.Effect<Response>
  const open: Client["open"] = (method, path, asking = {}) =>
    Effect.suspend(() => send(requestOf(method, path, asking)))
  const client: Client = {
    open,
    ask: (method, path, asking) => Effect.flatMap(open(method, path, asking), answerOf),
    stop: Context.get(context, Server.Server).stop,
    send,
    fetch: (url, init) => Runtime.runPromise(runtime)(send(new Request(url, init)))
  }
  return client
})

/** The desk behind HTTP, and a client of it. */
export const client = (
  options: Server.Options<{ readonly tier?: string; readonly since?: Date }, never> = {},
  desk: Layer.Layer<Desk, unknown> = layer()
) => serve(Layer.provide(Server.layer(Desk, { authenticate, docs: false, ...options }), desk))
