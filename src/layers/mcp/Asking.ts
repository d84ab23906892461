/**
 * What a server asks the user while one of its tools runs.
 *
 * A turn does not wait for the user's next message. So the question is given back to the model as the result of the call;
 * it asks the user, and calls the tool again with what was answered, which is checked and handed to the server when it
 * asks again.
 *
 * @since 0.1.0
 */
import type { ElicitResult } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import type { Question } from "./Connection.js"

/**
 * What is answered to a server that asks: the values, or that there are none.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, string | number | boolean>> }
  | { readonly action: "decline" | "cancel" }

/**
 * A question of a server, to somebody who can answer while the call waits.
 *
 * @since 0.1.0
 * @category models
 */
export interface Asked {
  readonly message: string
  /** The JSON schema of what is to be answered. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** The argument in which a model hands on what the user answered. */
export const answersArgument = "answers_for_server"

/** A call that runs, as far as questions go. */
export interface Running {
  /** What the user has answered before the call. */
  readonly answers: Readonly<Record<string, unknown>> | undefined
  /** What was asked and not answered. */
  readonly open: Array<Asked>
}

const maxText = 2000

const askedOf = (question: Question): Asked | undefined =>
  "requestedSchema" in question && Predicate.isRecord(question.requestedSchema)
    ? { message: String(question.message).slice(0, maxText), schema: question.requestedSchema }
    : undefined

const fieldsOf = ({ schema }: Asked): ReadonlyArray<string> =>
  Predicate.isRecord(schema.properties) ? Object.keys(schema.properties) : []

/** The answers that the question is about. Whether they are as it wants them is the server's to check. */
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

/** Answers a server: by the application, or by what the call that runs brought along. */
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
  // The protocol does not say of which call a question is: with several under way, none may be answered by guess.
  const [call, ...others] = running
  if (call === undefined || others.length > 0) return { action: "cancel" }
  const answer = given(call, asked)
  if (answer?.action === "accept") return { action: "accept", content: { ...answer.content } }
  call.open.push(asked)
  return { action: "cancel" }
}

/** The open questions, as the model is told of them. */
export const told = ({ open }: Running): string =>
  open.map((asked) =>
    `The tool asks the user: ${
      JSON.stringify(asked.message)
    }. Ask the user, and call it again with the same arguments and ` +
    `${answersArgument} as ${JSON.stringify(asked.schema).slice(0, 2 * maxText)}.`
  ).join("\n")
