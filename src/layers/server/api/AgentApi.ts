/** The part of the API that describes the agent: what a client may send, and for operators the whole definition. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { JsonObject } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import { Graph } from "../../../domain/graph/Graph.js"
import { Authentication } from "../requests/Access.js"
import { describe } from "./ApiParts.js"

const names = Schema.Array(Schema.String)

/** The facts about an agent that its clients need, and who the client is. */
export const About = Schema.Struct({
  name: Schema.String,
  /** The purpose of the agent, as its definition says it. */
  goal: optional(Schema.String),
  you: Schema.Struct({ userId: Schema.String, roles: names, isOperator: Schema.Boolean }),
  /** The effect of a message that arrives while a turn runs. */
  whileBusy: Schema.Literal("queue", "reject", "cancel"),
  /** The accepted files; absent if the agent takes none. */
  files: optional(Schema.Struct({
    accept: names,
    maxBytes: Schema.Number,
    maxFiles: Schema.Number,
    /** Files may be given by URL. */
    urls: Schema.Boolean,
    /** Files may be given as bytes or uploaded. */
    uploads: Schema.Boolean
  })),
  /**
   * The first language of the request's `Accept-Language` that the context takes as its `locale`, in full ("de-AT") or alone
   * ("de"); a client sends it with its messages. Absent if there is none, or the agent has a `contextProvider`.
   */
  locale: optional(Schema.String),
  /** The keys of the context that a client may send. */
  clientContext: names,
  /** Messages with which a user may begin a conversation: the examples of the first flows, else their titles. */
  suggestions: names,
  features: Schema.Struct({
    /** True if a session can be rewound to an earlier turn, or copied as it was after that turn. */
    snapshots: Schema.Boolean,
    /** Turns are recorded. */
    turnLog: Schema.Boolean,
    /** The clock of a session can be moved. */
    clock: Schema.Boolean
  })
}).annotations({ identifier: "About" })

const Named = Schema.Struct({ name: Schema.String, schema: JsonObject })

/** The definition of an agent, as far as it can be shown. Prompts made by code are given as their source text. */
export const DefinitionBody = Schema.Struct({
  graph: Graph,
  steps: Schema.Array(Schema.Struct({
    /** `flow/step`, as in the graph. */
    id: Schema.String,
    prompt: optional(Schema.String),
    description: optional(Schema.String)
  })),
  tools: Schema.Array(Schema.Struct({
    id: Schema.String,
    description: optional(Schema.String),
    /** True if a call may send something to others or destroy something; then whoever approves it is asked again. */
    hasEffect: Schema.Boolean,
    /** The JSON Schema of its arguments. */
    parameters: JsonObject
  })),
  fields: Schema.Array(Schema.Struct({
    ...Named.fields,
    label: Schema.String,
    /** How long a value is stored: until its flow ends, until the session ends, or for all sessions of its user. */
    scope: Schema.Literal("flow", "session", "user")
  })),
  context: Schema.Array(Named),
  /** The events that `POST /sessions/:id/events/:name` takes, with the JSON Schema of their payloads. */
  events: Schema.Array(Named)
}).annotations({ identifier: "Definition" })

export const agent = HttpApiGroup.make("agent")
  .add(
    HttpApiEndpoint.get("about", "/agent").addSuccess(About)
      .annotateContext(describe("The agent's name, what it takes, and who you are."))
  )
  .add(
    HttpApiEndpoint.get("definition", "/definition").addSuccess(DefinitionBody)
      .annotateContext(describe("The graph, prompts, tools, fields and events of the agent, for operators."))
  )
  .middleware(Authentication)
