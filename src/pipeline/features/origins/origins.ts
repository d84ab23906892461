/** The origins of values: a tool may refuse arguments that come only from untrusted text. */
import * as Effect from "effect/Effect"
import { forget } from "../../../domain/fields/Fields.js"
import type { Feature } from "../Feature.js"
import { ofCall } from "./callOrigins.js"
import { committed, keep, ofStrangers } from "./fields.js"
import { noticeOf } from "./question.js"
import { load } from "./search.js"

/** A hook may offer a tool that checks the origins of its arguments, whatever the definition says. */
export const sinks: Feature = {
  name: "sinks",
  isUsed: () => true,
  seams: {
    prepare: (turn, call, preparing) =>
      Effect.flatMap(preparing, (one) =>
        Effect.map(
          ofCall(turn, call, one.invocation),
          (sink) => ({ ...one, invocation: { ...one.invocation, sink } })
        )),
    recorded: (_turn, _call, record, invocation) =>
      Effect.succeed(invocation?.sink === undefined ? record : { ...record, origins: invocation.sink.origins })
  }
}

export const origins: Feature = {
  name: "origins",
  part: "origins",
  isUsed: ({ keepsOrigins }) => keepsOrigins,
  load,
  seams: {
    // The model is not told untrusted text as a known value.
    answer: (turn, questions, ask) =>
      ask(
        questions.known === undefined
          ? questions
          : { ...questions, known: forget(questions.known, ofStrangers(turn, turn.state.session)) }
      ),
    written: keep,
    question: (turn, text, fields) => Effect.map(noticeOf(turn, fields), (notice) => `${text}${notice}`),
    commit: (turn, session) => Effect.sync(() => ({ ...session, origins: committed(turn) }))
  }
}
