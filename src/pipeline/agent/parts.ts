/** The functions of a kit that declare parts, and the Schemas that a kit binds. They run without the pipeline. */
import type * as Schema from "effect/Schema"
import type { Simplify } from "effect/Types"
import type { Wrong } from "../../domain/authored/typing/Wrong.js"
import * as Erase from "../../domain/definition/Erase.js"
import type * as Job from "../../domain/job/Job.js"
import type { KitBinding } from "../state/agentInternals.js"

export type Struct<F extends Schema.Struct.Fields> = Schema.Struct<F> & { readonly Context: never }

/**
 * The type of data or context as code reads it; without fields, an empty record. It equals `Schema.Struct.Type`, which
 * has one mapped type per field: the compiler would instantiate all of them wherever a definition uses the data.
 */
export type StructType<F extends Schema.Struct.Fields> = [keyof F] extends [never] ? {}
  : [Optional<F>] extends [never] ? { readonly [K in keyof F]: Schema.Schema.Type<F[K]> }
  : Simplify<
    & { readonly [K in Exclude<keyof F, Optional<F>>]: Schema.Schema.Type<F[K]> }
    & { readonly [K in Optional<F>]?: Schema.Schema.Type<F[K]> }
  >

/** The fields that may be absent. */
type Optional<F extends Schema.Struct.Fields> = {
  [K in keyof F]: F[K] extends { readonly _TypeToken: "?:" } ? K : never
}[keyof F]

/**
 * The struct with the fields `F`; a sentence if `S`, the type of what was given in its place, is that of another value,
 * such as the fields alone.
 */
type CheckedStruct<S, F extends Schema.Struct.Fields, Name extends string> = unknown extends S ? Struct<F>
  : S extends { readonly fields: unknown; readonly pick: unknown } ? Struct<F>
  : Wrong<`${Name} is a Schema.Struct: write ${Name}: Schema.Struct({ … })`>

/** The Schemas that a kit binds, and its jobs. `D` and `C` are the types of the data and the context as they are given. */
export interface Given<
  DF extends Schema.Struct.Fields,
  CF extends Schema.Struct.Fields,
  Ev,
  J extends Causes,
  D = unknown,
  C = unknown
> {
  readonly data: CheckedStruct<NoInfer<D>, DF, "data"> & D
  readonly context?: CheckedStruct<NoInfer<C>, CF, "context"> & C
  /** The external events, by name, each with the Schema of its payload. */
  readonly events?: Ev
  /** The jobs that directives may start; each job declares the events that it causes. */
  readonly jobs?: J
}

/** The jobs of an agent, which cause events. */
export type Causes = ReadonlyArray<Job.Any>

/** All events of an agent: its own, and those that its jobs cause. */
export type Happening<Ev, J extends Job.Any> = [J] extends [never] ? Ev : Simplify<Ev & Job.Events<J>>

export const identity = <A>(part: A): A => part

/** The functions that declare parts; their types are those of a kit. */
export const functions = {
  step: identity,
  flow: identity,
  instruction: identity,
  tool: Erase.makeTool,
  signal: Erase.makeSignal
}

/** Reads the Schemas, events and jobs that are given to a kit. */
export const bind = (schemas: object): KitBinding => {
  const { context, data, ...happening } = Erase.structs(schemas)
  return { data, context, happening }
}
