import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ConfigurationIssue } from "../../domain/base/error/Errors.js"
import * as Checker from "../../domain/check/Checker.js"
import { type Finding, render, type Report } from "../../domain/check/Finding.js"
import type { Source } from "../../layers/document/Document.js"
import type { DocumentFault } from "../../layers/document/Fault.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as Against from "../Against.js"
import * as AgentFile from "../AgentFile.js"
import { Unsuccessful, unusable } from "../CommandFailure.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

const options = {
  agent: Setting.agentArgument,
  strict: Options.boolean("strict").pipe(Options.withDescription("warnings are a failure too")),
  json: Setting.json,
  against: Options.text("against").pipe(
    Options.optional,
    Options.withDescription("the file of an earlier definition: its positions that this one does not have are findings")
  ),
  sessions: Options.text("sessions").pipe(
    Options.optional,
    Options.withDescription("stored sessions to look at: those that this definition cannot continue are findings")
  )
}

type Arguments = Command.Command.ParseConfig<typeof options>

/** Turns the problems of a definition that `make` refuses into findings. */
const refused = (agent: string, issues: ReadonlyArray<Finding>): Report => ({
  agent,
  findings: issues,
  flows: 0,
  steps: 0,
  places: 0,
  turns: 0,
  cut: false
})

const invalid = ({ fix, path, what, why }: Pick<Finding, "fix" | "path" | "what" | "why">): Finding => ({
  severity: "error",
  code: "invalid",
  path,
  what,
  why,
  fix
})

const inFile = (fault: DocumentFault): string => `${fault.file}:${fault.line}:${fault.column} ${fault.path}`.trimEnd()

/** Replaces the path of each finding by file, line, column and path, if the agent is defined in a document. */
const placed = (report: Report, source: Source | undefined): Report =>
  source === undefined ? report : {
    ...report,
    findings: report.findings.map((finding) => ({
      ...finding,
      path: inFile(source.fault(new ConfigurationIssue(finding)))
    }))
  }

/** Returns the findings about positions of an earlier definition, and about stored sessions. */
const compared = ({ against, sessions }: Arguments, loaded: AgentFile.LoadedAgent) =>
  Effect.gen(function*() {
    const before = Option.isNone(against)
      ? []
      : yield* Effect.flatMap(
        Effect.mapError(AgentFile.load(against, Setting.silent), earlier),
        (before) => Against.definition(before, loaded)
      )
    const stored = Option.isNone(sessions) ? [] : yield* Effect.mapError(Against.store(loaded.runtime), unreadable)
    return [...before, ...stored]
  })

const earlier = unusable("the earlier definition is refused", "Name with --against a definition that was in use")

const unreadable = unusable("the sessions cannot be read", "Name their store with --sessions")

const reportOf = (given: Arguments) =>
  AgentFile.load(given.agent, Setting.silent).pipe(
    Effect.flatMap((loaded) => {
      const { runtime, source, written } = loaded
      const report = Checker.check(written.options, runtime.definition.fields, {}, written.happening)
      return Effect.map(compared(given, loaded), (findings) => {
        const checked = placed(report, source)
        return { ...checked, findings: [...checked.findings, ...findings] }
      })
    }),
    Effect.catchTags({
      FlowConfigurationError: ({ agent, issues }) =>
        Effect.map(AgentFile.locate(given.agent), (file) => refused(agent ?? file, issues.map(invalid))),
      // Without a definition there is no agent name, so the report names the file.
      DocumentError: ({ faults }) =>
        Effect.map(
          AgentFile.locate(given.agent),
          (file) => refused(file, faults.map((fault) => invalid({ ...fault, path: inFile(fault) })))
        )
    }),
    Effect.scoped,
    Effect.provide(Option.match(given.sessions, { onNone: () => SessionStore.layerMemory, onSome: Setting.kept }))
  )

const run = (given: Arguments) =>
  Effect.gen(function*() {
    const { json, strict } = given
    const report = yield* reportOf(given)
    yield* json ? Screen.json(report) : Screen.line(render(report))
    const worst = strict ? report.findings : report.findings.filter(({ severity }) => severity === "error")
    if (worst.length > 0) return yield* new Unsuccessful()
  })

export const check = Command.make("check", options, run)
