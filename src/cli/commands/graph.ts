import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import * as Graph from "../../domain/graph/Graph.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as AgentFile from "../AgentFile.js"
import { Unusable } from "../CommandFailure.js"
import * as Output from "../Output.js"
import * as Package from "../Package.js"
import * as Setting from "../Setting.js"

const options = {
  agent: Setting.agentArgument,
  format: Setting.oneOf("format", ["mermaid", "dot", "svg", "json"], "mermaid", "svg needs @dagrejs/dagre").pipe(
    Options.withAlias("f")
  ),
  output: Output.output,
  session: Options.text("session").pipe(
    Options.optional,
    Options.withDescription("mark where this conversation stands, what waits in it, and where it has been")
  ),
  sessions: Setting.sessions
}

type Arguments = Command.Command.ParseConfig<typeof options>

const svg = (graph: Graph.Graph): Effect.Effect<string, Unusable> =>
  Effect.tryPromise({
    try: () => import("../../layers/GraphSvg.js").then(({ toSvg }) => toSvg(graph)),
    catch: (cause) =>
      new Unusable({
        what: "the graph cannot be drawn as SVG",
        why: reasonOf(cause),
        fix: `Install what lays it out: ${Package.install("@dagrejs/dagre")}. Or take --format mermaid`
      })
  })

const textOf = (graph: Graph.Graph, format: Arguments["format"]): Effect.Effect<string, Unusable> => {
  switch (format) {
    case "mermaid":
      return Effect.succeed(Graph.toMermaid(graph))
    case "dot":
      return Effect.succeed(Graph.toDot(graph))
    case "json":
      return Effect.succeed(JSON.stringify(graph, undefined, 2))
    case "svg":
      return svg(graph)
  }
}

const run = ({ agent, format, output, session, sessions }: Arguments) =>
  Effect.gen(function*() {
    const { agent: loaded, written } = yield* AgentFile.load(agent, Setting.silent)
    const bare = Graph.make(written.options)
    const graph = Option.isNone(session)
      ? bare
      : Graph.withSession(bare, yield* loaded.session(session.value).snapshot)
    const text = yield* textOf(graph, format)
    yield* Output.write(output, text)
  }).pipe(
    Effect.provide(Option.isSome(session) ? Setting.kept(sessions) : SessionStore.layerMemory),
    Effect.scoped
  )

export const graph = Command.make("graph", options, run)
