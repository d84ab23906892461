import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FlowConfigurationError } from "../../domain/base/error/Errors.js"
import * as Checker from "../../domain/check/Checker.js"
import { render, type Report } from "../../domain/check/Finding.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as AgentFile from "../AgentFile.js"
import { Unsuccessful } from "../Failure.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

interface Given {
  readonly agent: Option.Option<string>
  readonly strict: boolean
  readonly json: boolean
}

/**
 * Turns the problems of a definition that `make` refuses into findings. The report names the file, because no agent
 * exists.
 */
const refused = (file: string, { issues }: FlowConfigurationError): Report => ({
  agent: file,
  findings: issues.map(({ fix, path, what, why }) => ({ severity: "error", code: "invalid", path, what, why, fix })),
  flows: 0,
  steps: 0,
  places: 0,
  turns: 0,
  cut: false
})

const reportOf = (agent: Option.Option<string>) =>
  AgentFile.load(agent, Setting.silent).pipe(
    Effect.map(({ runtime, written }) =>
      Checker.check(written.options, runtime.definition.fields, {}, written.happening)
    ),
    Effect.catchTag("FlowConfigurationError", (error) =>
      Effect.succeed(refused(Option.getOrElse(agent, () => "the agent"), error))),
    Effect.scoped,
    Effect.provide(SessionStore.layerMemory)
  )

const run = ({ agent, json, strict }: Given) =>
  Effect.gen(function*() {
    const report = yield* reportOf(agent)
    yield* json ? Screen.json(report) : Effect.flatMap(Screen.Screen, ({ line }) => line(render(report)))
    const worst = strict ? report.findings : report.findings.filter(({ severity }) => severity === "error")
    if (worst.length > 0) return yield* new Unsuccessful()
  })

export const check = Command.make("check", {
  agent: Setting.agentArgument,
  strict: Options.boolean("strict").pipe(Options.withDescription("warnings are a failure too")),
  json: Setting.json
}, run)
