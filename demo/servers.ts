/** The models that could speak: servers on this machine, or a key in the environment. */
import { FetchHttpClient, HttpClient, HttpClientResponse } from "@effect/platform"
import { Effect, Schema } from "effect"

export interface Server {
  readonly name: string
  readonly baseUrl: string
}

/** The usual ports on loopback. */
export const usual: ReadonlyArray<Server> = [
  { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" }
]

/** A server that answers, with the names of its models. */
export interface Found extends Server {
  readonly models: ReadonlyArray<string>
}

const Models = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) })

/**
 * Asks each server for the names of its models, and returns those that answer within a moment. Sends nothing else:
 * no server is used unless `--model` asks for it.
 */
export const find = (servers: ReadonlyArray<Server>): Effect.Effect<ReadonlyArray<Found>> =>
  Effect.map(
    Effect.forEach(servers, (server) =>
      HttpClient.get(`${server.baseUrl}/models`).pipe(
        Effect.flatMap(HttpClientResponse.schemaBodyJson(Models)),
        Effect.map(({ data }): ReadonlyArray<Found> =>
          data.length === 0 ? [] : [{ ...server, models: data.map(({ id }) => id) }]
        ),
        Effect.timeout("300 millis"),
        Effect.orElseSucceed((): ReadonlyArray<Found> => []),
        Effect.provide(FetchHttpClient.layer)
      ), { concurrency: "unbounded" }),
    (found) => found.flat()
  )

/** The part of the environment that names a model's provider. */
export interface Environment {
  readonly OPENAI_API_KEY?: string | undefined
  readonly OPENAI_BASE_URL?: string | undefined
}

/** What `--model` without `--provider` speaks with. */
export type Choice =
  | { readonly _tag: "OpenAi" }
  | { readonly _tag: "Compatible"; readonly baseUrl: string }

/**
 * Chooses the server for a model: the one that the environment names, else OpenAI if there is a key, else a server on
 * this machine, at best one that has the model.
 */
export const choose = (model: string, environment: Environment, found: ReadonlyArray<Found>): Choice | undefined => {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: url } = environment
  if (url !== undefined && url !== "") return { _tag: "Compatible", baseUrl: url }
  const local = found.find(({ models }) => models.includes(model))
  if (local !== undefined) return { _tag: "Compatible", baseUrl: local.baseUrl }
  if (key !== undefined && key !== "") return { _tag: "OpenAi" }
  return found[0] === undefined ? undefined : { _tag: "Compatible", baseUrl: found[0].baseUrl }
}

/** The line that says how to speak with a real model. */
export const hint = (environment: Environment, found: ReadonlyArray<Found>): string => {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: url } = environment
  const [server] = found
  if (url !== undefined && url !== "") {
    return `OPENAI_BASE_URL is set: npm run demo -- --model <name> speaks with its model.`
  }
  if (server !== undefined) {
    return `${server.name} answers at ${server.baseUrl}: npm run demo -- --model ${server.models[0]} speaks with it.`
  }
  return key !== undefined && key !== ""
    ? "OPENAI_API_KEY is set: npm run demo -- --model gpt-4o-mini speaks with a real model."
    : "With Ollama, llama.cpp or OPENAI_API_KEY, npm run demo -- --model <name> speaks with a real model."
}
