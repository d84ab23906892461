import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import * as Postgres from "coxswain/layers/postgres"
import * as Sqlite from "coxswain/layers/sqlite"
import { Config, ConfigError, ConfigProvider, Effect, Layer } from "effect"

const from = (settings: Record<string, string>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings))))

describe("layerConfig (a layer whose options come from Effect's Config)", () => {
  it.scoped("reads the options of a store from the configuration", () =>
    Effect.gen(function*() {
      const sessions = Sqlite.layerConfig({ filename: Config.string("DATABASE_FILE") })
      const context = yield* Layer.build(Layer.provide(sessions, from({ DATABASE_FILE: ":memory:" })))
      const store = yield* Effect.provide(SessionStore.SessionStore, context)
      expect((yield* store.list({ limit: 10 })).items).toEqual([])
    }))

  it.scoped("fails with a ConfigError that names the missing setting", () =>
    Effect.gen(function*() {
      const sessions = Postgres.layerConfig({ url: Config.redacted("DATABASE_URL") })
      const error = yield* Effect.flip(Layer.build(Layer.provide(sessions, from({}))))
      expect(ConfigError.isConfigError(error) && String(error)).toContain("DATABASE_URL")
    }))

  it.scoped("accepts one `Config` that contains all settings of a model", () =>
    Effect.gen(function*() {
      const model = OpenAiCompatible.layerConfig(
        Config.all({ model: Config.string("MODEL"), baseUrl: Config.string("URL") })
      )
      yield* Layer.build(Layer.provide(model, from({ MODEL: "small", URL: "http://localhost:1/v1" })))
      const error = yield* Effect.flip(Layer.build(Layer.provide(model, from({ MODEL: "small" }))))
      expect(ConfigError.isConfigError(error) && String(error)).toContain("URL")
    }))
})
