import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { pathToFileURL } from "node:url"
import * as Graph from "../../domain/graph/Graph.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as AgentFile from "../AgentFile.js"
import { type Unusable, unusable } from "../CommandFailure.js"
import * as Output from "../Output.js"
import * as Package from "../Package.js"
import * as Screen from "../Screen.js"
import * as Setting from "../Setting.js"

const options = {
  agent: Setting.agentArgument,
  format: Setting.oneOf("format", ["svg", "mermaid", "dot", "json"], "svg", "svg needs @dagrejs/dagre").pipe(
    Options.withAlias("f")
  ),
  output: Options.text("output").pipe(
    Options.withAlias("o"),
    Options.optional,
    Options.withDescription("the file to write; when not given, an SVG is in graph.svg, all else in standard output")
  ),
  session: Options.text("session").pipe(
    Options.optional,
    Options.withDescription("mark where this conversation stands, what waits in it, and where it has been")
  ),
  sessions: Setting.sessions
}

/** The file of an SVG when none is named. */
const drawing = "graph.svg"

type Arguments = Command.Command.ParseConfig<typeof options>

const svg = (graph: Graph.Graph): Effect.Effect<string, Unusable> =>
  Effect.tryPromise({
    try: () => import("../../layers/GraphSvg.js").then(({ toSvg }) => toSvg(graph)),
    catch: unusable(
      "the graph cannot be drawn as SVG",
      `Install what lays it out: ${Package.install("@dagrejs/dagre")}. Or take --format mermaid`
    )
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
    const isDrawn = format === "svg" && Option.isNone(output)
    yield* Output.write(isDrawn ? Option.some(drawing) : output, text)
    if (isDrawn) yield* Screen.line(`The graph is in ${pathToFileURL(drawing).href}`)
  }).pipe(
    Effect.provide(Option.isSome(session) ? Setting.kept(sessions) : SessionStore.layerMemory),
    Effect.scoped
  )

export const graph = Command.make("graph", options, run)
