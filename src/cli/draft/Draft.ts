/** Drafts a document from a written procedure, with a model. */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import { ConfigurationIssue } from "../../domain/base/error/Errors.js"
import * as Checker from "../../domain/check/Checker.js"
import * as Document from "../../layers/document/Document.js"
import { runtimeOf, writtenOf } from "../../pipeline/state/agentInternals.js"
import * as SessionStore from "../../services/session/SessionStore.js"
import * as Setting from "../Setting.js"
import * as Instructions from "./Instructions.js"

/** Largest number of attempts of the model at a document. */
const rounds = 3

interface Draft {
  readonly text: string
  /** The number of documents that the model wrote. */
  readonly rounds: number
  /** The remaining faults of the last document. */
  readonly faults: ReadonlyArray<string>
}

/** Returns the document in an answer, without a Markdown fence around it. */
const documentIn = (answer: string): string => {
  const fenced = /```(?:ya?ml)?\n([\s\S]*?)```/.exec(answer)
  return `${(fenced?.[1] ?? answer).trim()}\n`
}

/** Returns the faults of a document: the faults of its form; without any, those that the checker finds. */
export const faultsOf = (text: string, file: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const source = yield* Document.parse(text, file)
    const agent = yield* Document.agent(source)
    const [runtime, written] = [runtimeOf(agent)!, writtenOf(agent)!]
    const { findings } = Checker.check(written.options, runtime.definition.fields, {}, written.happening)
    return findings.filter(({ severity }) => severity === "error").map((finding) =>
      source.fault(new ConfigurationIssue(finding)).text
    )
  }).pipe(
    Effect.catchTag("DocumentError", ({ faults }) => Effect.succeed(faults.map(({ text }) => text))),
    Effect.provide([Setting.silent, SessionStore.layerMemory])
  )

const user = (text: string): Prompt.Message =>
  Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text })] })
const assistant = (text: string): Prompt.Message =>
  Prompt.makeMessage("assistant", { content: [Prompt.makePart("text", { text })] })

/** Asks the model for a document, and sends its faults back, until there are none or after `rounds` attempts. */
export const draft = (procedure: string) =>
  Effect.gen(function*() {
    const messages: Array<Prompt.Message> = [
      Prompt.makeMessage("system", { content: Instructions.instructions }),
      user(Instructions.asked(procedure))
    ]
    let last: Draft = { text: "", rounds: 0, faults: [] }
    for (let round = 1; round <= rounds; round++) {
      const answer = yield* LanguageModel.generateText({ prompt: Prompt.fromMessages(messages) })
      const text = documentIn(answer.text)
      last = { text, rounds: round, faults: yield* faultsOf(text, "document.yaml") }
      if (last.faults.length === 0) break
      messages.push(assistant(text), user(Instructions.refused(last.faults.join("\n\n"))))
    }
    return last
  })
