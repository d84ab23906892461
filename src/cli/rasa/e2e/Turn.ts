/** The messages of imported tests, and what is known of the project. */
import type * as Either from "effect/Either"
import type { Json } from "../../../domain/base/Json.js"
import type { Condition } from "../Condition.js"
import type { Domain } from "../Domain.js"
import type { Setter } from "../FlowDocuments.js"
import type { Graph } from "../FlowGraph.js"
import type { Report } from "../ImportReport.js"
import type { Item } from "../Project.js"
import type { Action } from "../RegistryCode.js"

/** A message of a test: its meaning, and the expectations after it. */
export interface Turn {
  readonly user: string
  flow?: string | undefined
  /** A second flow that the message asks for; it begins after the first one. */
  then?: string | undefined
  readonly fields: Record<string, Json>
  readonly expects: Array<string>
  readonly utters: Array<string>
  /** The expectations of responses, by response. */
  readonly replies: Map<string, string>
  /** The slots that get a value which the test does not tell. */
  readonly mentioned: Array<string>
  /** The expectations of words that no response has. */
  readonly words: Array<string>
  /** The calls with which the model sets slots of an agent. */
  readonly calls: Array<Call>
  /** The answers to questions that only patterns of Rasa ask. */
  readonly answers: Array<Json>
  /** True if the test says that a flow ends. */
  completes: boolean
  /** The known slots that the user takes back. */
  withdrawn: ReadonlyArray<string>
  /** The results of actions that the test tells. */
  readonly told: Record<string, Json>
  readonly item: Item
  /** True if the test says by commands what the message means. */
  isTold: boolean
  cancels: boolean
}

interface Call {
  readonly tool: string
  readonly args: Readonly<Record<string, Json>>
}

export interface ProjectIndex {
  readonly graphs: ReadonlyMap<string, Graph>
  /** The first node of each flow. */
  readonly firsts: ReadonlyMap<string, string>
  /** The flows that a message can enter. */
  readonly entered: ReadonlySet<string>
  /** The slots that keep their value when a flow ends. */
  readonly kept: ReadonlySet<string>
  readonly parse: (item: Item) => Either.Either<Condition, string>
  readonly domain: Domain
  readonly actions: ReadonlyArray<Action>
  /** The slots that agents set. */
  readonly ofAgents: ReadonlySet<string>
  /** The tools with which agents set slots, by id. */
  readonly setters: ReadonlyMap<string, Setter>
  /** The slots that flows ask for. */
  readonly asked: ReadonlySet<string>
  /** For each response, the id of the first flow that says it. */
  readonly says: ReadonlyMap<string, string>
  readonly flows: ReadonlySet<string>
  readonly report: Report
}
