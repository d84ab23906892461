/** Compiles the options of a struct: those whose kinds have one compiled form, and plain ones, which stay as written. */
import * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import { recordOf } from "../../base/Json.js"
import * as OptionForm from "../../code/OptionForm.js"
import type { CompiledKinds, CompiledOptions } from "../Definition.js"
import { listOf } from "../Definition.js"
import type { make as makeCode } from "./CompileCode.js"

/** Compiles the value of an option. `name` names its code in errors, `steps` are the steps that targets may name. */
type CompileKind = (given: never, name: string, steps: ReadonlyArray<string>) => unknown

/** Returns the function that compiles the options of a struct; `named` names the code of an option in errors. */
export const make = ({ after, handlers, hook, interrupted, test, tests }: ReturnType<typeof makeCode>) => {
  const duration = (given: Duration.DurationInput | undefined) =>
    given === undefined ? undefined : Duration.decode(given)
  const byKind: { readonly [K in keyof CompiledKinds]: CompileKind } = {
    predicate: (given: Parameters<ReturnType<typeof test>>[0] | undefined, name) => given && test(name)(given),
    predicates: (given: Parameters<typeof tests>[1], name) => tests(name, given),
    hook: (given: Parameters<typeof hook>[1], name) => hook(name, given),
    interruption: (given: Parameters<typeof interrupted>[1] | undefined, name) => given && interrupted(name, given),
    fields: (given: ReadonlyArray<string> | undefined) => listOf(given),
    handlers: (given: Parameters<typeof handlers>[1], name, steps) => handlers(name, given, steps),
    after: (given: Parameters<typeof after>[1], name, steps) => after(name, given, steps),
    duration,
    durationOrZero: duration
  }
  const kinds: { readonly [K in OptionForm.Kind]?: CompileKind } = byKind
  return <F extends Schema.Struct.Fields>(
    { ast }: Schema.Struct<F>,
    written: object | undefined,
    named: (option: string) => string,
    steps: ReadonlyArray<string> = []
  ): CompiledOptions<F> => {
    const given = recordOf(written)
    const compiled = OptionForm.optionsOf(ast).flatMap(({ ast, byDefault, name }) => {
      const { kind, structure } = OptionForm.formOf(ast)
      const value = given[name] ?? byDefault
      if (kind === undefined) return structure._tag === "Plain" ? [[name, value]] : []
      // Safe: the Schema of the option has checked its value.
      return kinds[kind] === undefined ? [] : [[name, kinds[kind](value as never, named(name), steps)]]
    })
    // Safe: the kinds of the options are those of their Schemas, from which the type is made.
    return Object.fromEntries(compiled) as CompiledOptions<F>
  }
}
