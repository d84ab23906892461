/**
 * Questions that a server asks the user while one of its tools runs.
 *
 * A turn does not wait for the user's next message. So the call returns the question to the model as its result. The
 * model asks the user and calls the tool again, with the answers as an argument. When the server repeats its question
 * during this second call, it gets these answers.
 */
import type { ElicitResult } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import type { Question } from "./Connection.js"

/** The answer to a server's question: values, or a refusal. */
export type Answer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, string | number | boolean>> }
  | { readonly action: "decline" | "cancel" }

/** A server's question, for an application that can answer while the call waits. */
export interface Asked {
  readonly message: string
  /** JSON schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** Name of the argument with which a model passes on the user's answers. */
export const answersArgument = "answers_for_server"

/** The questions and answers of a running call. */
export interface Running {
  /** The user's answers in the arguments of the call; undefined if there are none. */
  readonly answers: Readonly<Record<string, unknown>> | undefined
  /** The questions that the server has asked during this call, and that have no answer yet. */
  readonly open: Array<Asked>
}

const maxText = 2000

const askedOf = (question: Question): Asked | undefined =>
  "requestedSchema" in question && Predicate.isRecord(question.requestedSchema)
    ? { message: Excerpt.start(String(question.message), maxText), schema: question.requestedSchema }
    : undefined

const fieldsOf = ({ schema }: Asked): ReadonlyArray<string> =>
  Predicate.isRecord(schema.properties) ? Object.keys(schema.properties) : []

/**
 * Returns the user's answers to the fields of a question; undefined if there are none. The server validates the
 * answers.
 */
const given = ({ answers }: Running, asked: Asked): Answer | undefined => {
  if (answers === undefined) return undefined
  const content = Object.fromEntries(
    fieldsOf(asked).flatMap((name) => {
      const value = answers[name]
      return ["string", "number", "boolean"].includes(typeof value) ? [[name, value as string | number | boolean]] : []
    })
  )
  return Object.keys(content).length === 0 ? undefined : { action: "accept", content }
}

/** Answers a server's questions by `elicit`; without it, by the answers in the arguments of the running call. */
export const answering = (
  running: ReadonlySet<Running>,
  runtime: Runtime.Runtime<never>,
  elicit: ((asked: Asked) => Effect.Effect<Answer, unknown>) | undefined
) =>
async (question: Question): Promise<ElicitResult> => {
  const asked = askedOf(question)
  if (asked === undefined) return { action: "decline" }
  if (elicit !== undefined) {
    const answer = await Runtime.runPromise(runtime)(
      Effect.orElseSucceed(elicit(asked), (): Answer => ({ action: "cancel" }))
    )
    return answer.action === "accept" ? { action: "accept", content: { ...answer.content } } : { action: answer.action }
  }
  // The protocol does not say to which call a question belongs. With several calls, this library does not guess.
  const [call, ...others] = running
  if (call === undefined || others.length > 0) return { action: "cancel" }
  const answer = given(call, asked)
  if (answer?.action === "accept") return { action: "accept", content: { ...answer.content } }
  call.open.push(asked)
  return { action: "cancel" }
}

/** Returns the questions without an answer, as text for the model. */
export const told = ({ open }: Running): string =>
  open.map((asked) =>
    `The tool asks the user: ${
      JSON.stringify(asked.message)
    }. Ask the user, and call it again with the same arguments and ` +
    `${answersArgument} as ${Excerpt.start(JSON.stringify(asked.schema), 2 * maxText)}.`
  ).join("\n")
