/** Converts a recorded session to a test file that runs unchanged. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import * as Replay from "../pipeline/recording/Replay.js"
import type * as TurnLog from "../services/turn/TurnLog.js"
import type { LoadedAgent } from "./AgentFile.js"
import { Unusable } from "./CommandFailure.js"
import * as Log from "./Log.js"
import * as Package from "./Package.js"
import { escaped } from "./Screen.js"

/** True if Vitest is installed in the agent's project. */
const hasVitest = (file: string): boolean => Package.resolvedIn(path.resolve(file), "@effect/vitest") !== undefined

/** The import path of the agent's file from `folder`. */
const specifierOf = (file: string, folder: string): string => {
  const relative = path.relative(folder, path.resolve(file)).split(path.sep).join("/")
  return (relative.startsWith(".") ? relative : `./${relative}`).replace(/\.([cm]?)tsx?$/, ".$1js")
}

/** The names that a program uses outside of its string literals. */
const used = (program: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const code = program.replace(/"(?:[^"\\\n]|\\.)*"?/g, "\"\"")
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(code))
}

interface Agent {
  readonly imported: string
  readonly made: ReadonlyArray<string>
}

/** Returns the code that imports the agent, and defines `agent`, the Effect that makes it. */
const agentOf = ({ exports, file }: LoadedAgent, specifier: string): Effect.Effect<Agent, Unusable> => {
  const exported = exports.default
  if (Context.isTag(exported)) {
    return Effect.succeed({
      imported: `import Made from "${specifier}"`,
      made: ["const agent = Effect.provide(Made, Made.layer)"]
    })
  }
  return Layer.isLayer(exported)
    ? new Unusable({
      what: "no test can be written",
      why: `${file} exports a Layer, which has a model and a store already; a test gives the agent its own`,
      fix: "Export what kit.make gives, or the class of kit.Service, from a file of its own, and name it with --agent"
    })
    : Effect.succeed({ imported: `import agent from "${specifier}"`, made: [] })
}

/** Replaces `it.effect` where Vitest is not installed. */
const nodeRunner = [
  "",
  "/** Time stands still in the test, but for where it advances it. */",
  "const it = {",
  "  effect: (name: string, dialogue: () => Effect.Effect<void, unknown>) =>",
  "    test(name, () => Effect.runPromise(Effect.provide(dialogue(), TestContext.TestContext)))",
  "}"
]

const importOf = (names: ReadonlyArray<string>, from: string): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`import { ${names.join(", ")} } from "${from}"`]

/** Returns the content of the test file: the imports, the code for the agent, and the test. */
const around = (test: string, { imported, made }: Agent, vitest: boolean): string => {
  const name = Package.manifest.name
  const moves = used(test, ["call", "say", "understand"])
  return [
    ...(vitest ? importOf(["it"], "@effect/vitest") : []),
    ...importOf(used(test, ["Directive", "SessionStore", "ToolExecutor"]).map(typed), name),
    ...importOf(used(test, ["Conversation", "ScriptedModel"]), `${name}/testing`),
    ...importOf(vitest ? ["Effect"] : ["Effect", "TestContext"], "effect"),
    ...(vitest ? [] : importOf(["test"], "node:test")),
    imported,
    "",
    ...(moves.length === 0 ? [] : [`const { ${moves.join(", ")} } = ScriptedModel`]),
    ...made,
    ...(vitest ? [] : nodeRunner),
    "",
    test
  ].join("\n")
}

const typed = (name: string): string => name === "Directive" ? "type Directive" : name

/**
 * Turns the recorded turns of a session into a test file for `folder`. It imports the agent's file, and runs on
 * `@effect/vitest` if that is installed, otherwise on Node's own test runner.
 */
export const make = (
  loaded: LoadedAgent,
  log: TurnLog.Service,
  sessionId: string,
  folder: string
): Effect.Effect<string, Unusable> =>
  Effect.gen(function*() {
    const agent = yield* agentOf(loaded, specifierOf(loaded.file, folder))
    const test = yield* Effect.catchTag(
      Replay.toTest(log, sessionId, loaded.agent),
      "TurnLogError",
      (error) => Log.unreadable(error)
    )
    if (!test.includes("yield* talk.")) {
      return yield* new Unusable({
        what: `no test of "${sessionId}" can be written`,
        why: "the log has no turn of this session that was answered, and not taken back",
        fix: "Name a session that was recorded, or its log with --log"
      })
    }
    return escaped(around(test, agent, hasVitest(loaded.file)))
  })
