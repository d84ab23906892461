import type * as Prompt from "@effect/ai/Prompt"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { textOf } from "../../domain/session/Transcript.js"
import { makeHandle } from "../../pipeline/agent/handle.js"
import type { ModelCall } from "../../services/model/Model.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import { fromModel } from "../../services/understanding/Understanding.js"
import * as AgentFile from "../AgentFile.js"
import { unusable } from "../CommandFailure.js"
import * as Output from "../Output.js"
import * as Setting from "../Setting.js"
import { keeping } from "../SilentModel.js"

const options = {
  agent: Setting.agentArgument,
  message: Options.text("message").pipe(
    Options.withAlias("m"),
    Options.withDefault("Hello"),
    Options.withDescription("the message that is to be understood and answered; Hello when not given")
  ),
  at: Options.text("at").pipe(
    Options.optional,
    Options.withDescription("where the conversation stands: a flow, or flow/step; at its beginning when not given")
  ),
  json: Setting.json,
  output: Output.output
}

type Arguments = Command.Command.ParseConfig<typeof options>

const rolled = (message: Prompt.Message): string => `[${message.role}]\n${textOf(message)}`

/** Formats a call as text: its messages by role, then the offered tools and the schema of its answer. */
const shown = ({ json, prompt, purpose, tools = [] }: ModelCall): string =>
  [
    `== ${purpose}`,
    ...prompt.content.map(rolled),
    ...tools.map(({ description = "", jsonSchema, name }) =>
      `[tool ${name}] ${description}\n${JSON.stringify(jsonSchema, undefined, 2)}`
    ),
    ...(json === undefined ? [] : [`[schema of the answer]\n${JSON.stringify(json.schema, undefined, 2)}`])
  ].join("\n\n")

const encoded = ({ json, prompt, purpose, tools }: ModelCall) => ({
  purpose,
  messages: prompt.content.map((message) => ({ role: message.role, text: textOf(message) })),
  ...(tools !== undefined && { tools }),
  ...(json !== undefined && { schema: json.schema })
})

const impossible = unusable(
  "the turn that shows the prompts failed",
  "Name another message or place with --message or --at, or correct the agent"
)

const sessionId = "prompts"

/** The directive that moves the conversation to `flow`, or to `flow/step`. */
const goTo = (at: string) => {
  const [flow = "", step] = at.split("/")
  return { goTo: { flow, ...(step !== undefined && { step }) } }
}

const run = ({ agent, at, json, message, output }: Arguments) =>
  Effect.gen(function*() {
    const { runtime } = yield* AgentFile.load(agent, Setting.silent)
    const calls: Array<ModelCall> = []
    const model = keeping(runtime.model, calls)
    const store = yield* SessionStore.SessionStore
    const handle = makeHandle({ ...runtime, model, understanding: fromModel(model), store })
    if (Option.isSome(at)) {
      yield* handle.dispatch(sessionId, goTo(at.value))
      yield* handle.respond({ sessionId, message: "(an earlier message)" })
      calls.length = 0
    }
    yield* handle.respond({ sessionId, message })
    yield* Output.write(
      output,
      json ? JSON.stringify(calls.map(encoded), undefined, 2) : calls.map(shown).join("\n\n")
    )
  }).pipe(
    Effect.mapError(impossible),
    Effect.provide(SessionStore.layerMemory),
    Effect.scoped
  )

export const prompts = Command.make("prompts", options, run)
