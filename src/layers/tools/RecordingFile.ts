/**
 * A file of recordings, for tests and demonstrations: answers of models and results of tools. People review its JSON, so
 * each write replaces the whole file.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Purpose } from "../../domain/base/error/Errors.js"
import { Json } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as Unused from "../../domain/turn/Unused.js"
import { RecordedAnswer } from "../../services/model/call/RecordedAnswer.js"
import { RecordedCall } from "../../services/tool/RecordedCall.js"

/** A question to a model, with its answer. */
export const Answer = Schema.Struct({
  purpose: Purpose,
  /** The question, line by line, so that changes of a prompt are easy to review. */
  asked: Schema.Array(Schema.String),
  answer: RecordedAnswer
}).annotations({ identifier: "ModelRecording" })

export type Answer = typeof Answer.Type

/** A call of a tool, with its result. */
export const Call = Schema.Struct({
  tool: Schema.String,
  /** The arguments as the model gave them. */
  params: Json,
  /** The position of this call among the calls of this tool with the same arguments, from 1. */
  call: Schema.Int,
  ...RecordedCall.fields
}).annotations({ identifier: "Recording" })

export type Call = typeof Call.Type

/** The content of the file. */
export const Content = Schema.Struct({
  version: Schema.Literal(1),
  answers: optional(Schema.Array(Answer)),
  calls: optional(Schema.Array(Call))
}).annotations({ identifier: "Recordings" })

const parse = Decode.effect(Schema.parseJson())
const decode = Decode.effect(Content)

/** Recordings of one kind. */
interface Recordings<A> extends Unused.Unused<A> {
  readonly all: ReadonlyArray<A>
  /** Adds a recording, which counts as used, and writes the file. */
  readonly add: (recording: A) => Effect.Effect<void, PlatformError>
}

/** An open file. */
export interface RecordingFile {
  readonly path: string
  readonly answers: Recordings<Answer>
  readonly calls: Recordings<Call>
  /** Returns the value as the file has it: without secrets. */
  readonly cleaned: (json: Json) => Json
  /** Returns an error text for a request without an answer in the file. */
  readonly missing: (what: string) => string
}

interface Options {
  /** True to ignore the content of the file; the first write replaces it. */
  readonly anew: boolean
  /** Removes secrets from a text that is written. Default: nothing is removed. */
  readonly clean?: (text: string) => string
}

/** Opens the file, which may be absent. */
export const open = (path: string, { anew, clean = identity }: Options): Effect.Effect<
  RecordingFile,
  PlatformError | ParseResult.ParseError,
  FileSystem.FileSystem
> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const alone = yield* Effect.makeSemaphore(1)
    const isThere = !anew && (yield* fs.exists(path))
    const stored = isThere ? yield* Effect.flatMap(Effect.flatMap(fs.readFileString(path), parse), decode) : undefined
    const answers = [...stored?.answers ?? []]
    const calls = [...stored?.calls ?? []]
    const textOf = (json: unknown) =>
      JSON.stringify(json, (_, value) => typeof value === "string" ? clean(value) : value, 2)
    // Writes a temporary file and renames it, so that a process that dies leaves either the old or the new file.
    const save = Effect.suspend(() => {
      const text = textOf({
        version: 1,
        ...(answers.length > 0 && { answers }),
        ...(calls.length > 0 && { calls })
      })
      return Effect.zipRight(fs.writeFileString(`${path}.tmp`, `${text}\n`), fs.rename(`${path}.tmp`, path))
    }).pipe(alone.withPermits(1))
    const recordings = <A>(all: Array<A>): Recordings<A> => ({
      ...Unused.unused(all),
      all,
      add: (recording) => Effect.zipRight(Effect.sync(() => void all.push(recording)), save)
    })
    return {
      path,
      answers: recordings(answers),
      calls: recordings(calls),
      cleaned: (json) => JSON.parse(textOf(json)),
      missing: (what) => `${what} is not recorded in "${path}"`
    }
  })
