/** Drafts a document from a written procedure, with a model. */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Document from "../../layers/document/Document.js"
import * as DocumentFaults from "../DocumentFaults.js"
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

/** Returns the texts of the faults of a document. */
export const faultsOf = (text: string, file: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(DocumentFaults.of(Document.parse(text, file)), (faults) => faults.map((fault) => fault.text))

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
