import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as Simulation from "../../testing/Simulation.js"
import * as AgentFile from "../AgentFile.js"
import { Unsuccessful, Unusable } from "../CommandFailure.js"
import * as ContextFile from "../ContextFile.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"
import * as ValuesFile from "../ValuesFile.js"

const options = {
  agent: Setting.agentArgument,
  turns: Setting.whole("turns", 1000, "how many in all"),
  users: Setting.whole("users", 3, "how many talk at a time"),
  seed: Setting.whole("seed", 1, "the same seed, the same users"),
  noise: Setting.share("noise", 0, "how often something is misheard, from 0 to 1"),
  context: ContextFile.option,
  values: ValuesFile.option,
  strict: Options.boolean("strict").pipe(
    Options.withDescription("what nobody came to (flows, steps, tools) is a failure too")
  ),
  json: Setting.json
}

type Arguments = Command.Command.ParseConfig<typeof options>

type Coverage = Simulation.Report["coverage"]

/** Lists the flows, steps and tools that no simulated turn reached. */
const neverOf = ({ coverage }: Simulation.Report): Coverage =>
  coverage.filter(({ kind, turns }) => turns === 0 && (kind === "flow" || kind === "step" || kind === "tool"))

const summary = (report: Simulation.Report, seed: number, never: Coverage): string =>
  [
    Simulation.table(report.coverage),
    "",
    `${report.turns} turns in ${report.sessions} sessions: everything held (seed ${seed})`,
    ...never.map(({ kind, name }) => `warning: never came to ${kind} "${name}"`)
  ].join("\n")

const checked = ({ noise, turns, users }: Arguments): Effect.Effect<void, Unusable> =>
  turns >= 1 && users >= 1 && noise >= 0 && noise <= 1
    ? Effect.void
    : new Unusable({
      what: "there is nothing to simulate",
      why: `--turns ${turns}, --users ${users}, --noise ${noise}`,
      fix: "Turns and users are at least 1, noise is from 0 to 1"
    })

const run = (given: Arguments) =>
  Effect.gen(function*() {
    const { agent, json, noise, seed, strict, turns, users } = given
    yield* checked(given)
    const { line } = yield* Screen.Screen
    const loaded = yield* AgentFile.load(agent, Setting.silent)
    const around = {
      ...yield* ContextFile.read(given.context, loaded),
      ...yield* ValuesFile.read(given.values, loaded)
    }
    const told = yield* Effect.either(Simulation.run(loaded.agent, { turns, users, seed, noise, ...around }))
    if (told._tag === "Left") {
      const error = told.left
      yield* json && error._tag === "InvariantBroken"
        ? Screen.json({ holds: false, ...error })
        : line(error.message)
      return yield* new Unsuccessful()
    }
    const report = told.right
    const never = neverOf(report)
    yield* json
      ? Screen.json({ holds: true, seed, ...report, never: never.map(({ kind, name }) => `${kind} ${name}`) })
      : line(summary(report, seed, never))
    if (strict && never.length > 0) return yield* new Unsuccessful()
  }).pipe(Effect.scoped, Effect.provide(SessionStore.layerMemory))

export const simulate = Command.make("simulate", options, run)
