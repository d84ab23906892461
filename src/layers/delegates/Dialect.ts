/** Runs programs that take one task at the start, and then write one JSON value per line until they end. */
import * as CommandExecutor from "@effect/platform/CommandExecutor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { DelegateFailure } from "../../domain/job/Delegate.js"
import * as DelegateAgent from "../../services/jobs/DelegateAgent.js"
import { type Adapter, failure, type Request, type Result, type Said } from "../../services/jobs/DelegateAgent.js"
import * as ChildProgram from "./ChildProgram.js"

/** The end of a task: with a result, or with the reason why the agent did not do it. */
export type Outcome = { readonly result: Result } | { readonly refused: string }

/** The rules for reading the output of one kind of program. */
export interface Dialect<State, Line, Encoded> {
  /** The Schema of a line. It must also decode lines of unknown kinds. */
  readonly line: Schema.Schema<Line, Encoded>
  readonly initial: State
  readonly read: (state: State, line: Line) => readonly [State, ReadonlyArray<Said>]
  /** Returns the end of the task; `undefined` until the program has reported it. */
  readonly outcome: (state: State) => Outcome | undefined
}

/**
 * Any object whose type is not among `known`. Such lines are skipped, because a newer version of the program may write
 * more types. A malformed line of a known type does not decode.
 */
export const unknown = (...known: ReadonlyArray<string>) =>
  Schema.transform(
    Schema.Struct({ type: Schema.String.pipe(Schema.filter((type) => !known.includes(type))) }),
    Schema.Struct({ type: Schema.Literal("other") }),
    { strict: true, decode: () => ({ type: "other" as const }), encode: (other) => other }
  )

/** A key that a program may omit or set to null. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** Maximum time between a program's result and its end. */
const leaving = "5 seconds"

const refused = (adapter: string, why: string) =>
  Effect.fail(failure(adapter, "refused", why, "Change the task, or what the agent needs for it"))

/** Waits for the end of the program, and returns how the task ended. */
const conclude = (
  adapter: string,
  program: ChildProgram.Program,
  outcome: Outcome | undefined
): Effect.Effect<ReadonlyArray<Said>, DelegateFailure, Scope.Scope> =>
  Effect.gen(function*() {
    yield* Effect.forkScoped(program.drain)
    if (outcome !== undefined && "refused" in outcome) return yield* refused(adapter, program.hide(outcome.refused))
    const ended = yield* Effect.timeoutOption(program.ended, leaving)
    const wrong = Option.getOrUndefined(Option.filter(ended, (why) => why !== undefined))
    if (outcome === undefined) return yield* program.exit(`it ${wrong ?? "ended"} before it told a result`)
    return wrong === undefined ? [{ _tag: "Completed", ...outcome.result }] : yield* program.exit(`it ${wrong}`)
  })

/** A program, and the dialect of its output. */
interface Spec<State, Line, Encoded> extends Pick<Adapter, "name" | "capabilities"> {
  readonly dialect: Dialect<State, Line, Encoded>
  /** The command that starts the program, if the options name none. */
  readonly command: string
  readonly options: ChildProgram.Options
  readonly args: (request: Request) => ReadonlyArray<string>
}

/** Makes an agent that passes its task to the program and reads the output. */
export const make = <State, Line, Encoded>(
  spec: Spec<State, Line, Encoded>
): Effect.Effect<DelegateAgent.Service, never, CommandExecutor.CommandExecutor> =>
  Effect.map(CommandExecutor.CommandExecutor, (executor) =>
    DelegateAgent.make({
      name: spec.name,
      capabilities: spec.capabilities,
      run: (request) => Stream.provideService(run(spec, request), CommandExecutor.CommandExecutor, executor)
    }))

const run = <State, Line, Encoded>(
  { args, command, dialect, name: adapter, options }: Spec<State, Line, Encoded>,
  request: Request
) =>
  Stream.unwrapScoped(Effect.gen(function*() {
    const stdin = Stream.succeed(new TextEncoder().encode(request.input))
    const program = yield* ChildProgram.start(adapter, { name: command, options, args: args(request), request, stdin })
    const state = yield* Ref.make(dialect.initial)
    const decode = ChildProgram.decoder(adapter, dialect.line, program.hide)
    const said = program.lines.pipe(
      Stream.mapEffect((said) =>
        Effect.flatMap(decode(said), (line) =>
          Ref.modify(state, (before) => {
            const [after, said] = dialect.read(before, line)
            return [said, after]
          }))
      ),
      Stream.takeUntilEffect(() => Effect.map(Ref.get(state), (now) => dialect.outcome(now) !== undefined))
    )
    const end = Effect.flatMap(Ref.get(state), (last) => conclude(adapter, program, dialect.outcome(last)))
    return Stream.concat(said, Stream.scoped(end))
  }))
