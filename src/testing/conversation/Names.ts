/** The names of flows and steps in a definition, at the type level. */

/**
 * A definition with the names of flows and steps, or a part of one: the result of `kit.agent`, or `{ flows: [booking]
 * }`.
 */
export interface Defined {
  readonly flows?: ReadonlyArray<object>
}

type FlowsOf<O> = O extends { readonly flows: infer L extends ReadonlyArray<unknown> } ? L[number] : unknown

type Letter =
  | ("a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m")
  | ("n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z")
  | ("0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9")
type Gap = " " | "-" | "_" | "." | "," | ";" | ":" | "!" | "?" | "'" | "\"" | "(" | ")" | "/" | "&" | "+"

type Trimmed<T extends string> = T extends `${infer Rest}-` ? Rest : T

/**
 * Converts a title to an id, letter by letter. If the title has characters other than plain letters and digits, the
 * result is `string`.
 */
type Slug<T extends string, Done extends string = ""> = string extends T ? string
  : T extends `${infer First}${infer Rest}` ? First extends Letter ? Slug<Rest, `${Done}${First}`>
    : First extends Gap ? Slug<Rest, Done extends "" | `${string}-` ? Done : `${Done}-`>
    : string
  : Trimmed<Done>

type NameOf<T, Named extends string> = T extends { readonly id: infer Id extends string } ? Id
  : T extends { readonly [K in Named]: infer Text extends string } ? Slug<Lowercase<Text>>
  : string

type FlowName<F> = F extends unknown
  ? NameOf<F, "title"> | (F extends { readonly title: infer T extends string } ? T : never)
  : never

/** The flows of a definition, by id or title; any string if the definition is unknown. */
export type FlowOf<O> = FlowName<FlowsOf<O>>

/** The flow with this name. */
type FlowNamed<F, Name> = F extends unknown ? Name extends FlowName<F> ? F : never : never

/** The names of a step. A step without an id or description is named by its position, so any string is accepted. */
type StepName<S> = S extends { readonly id: string } | { readonly description: string } ? NameOf<S, "description">
  : string

/** The steps of a flow, by id. */
export type StepOf<O, Name> = FlowNamed<FlowsOf<O>, Name> extends infer F
  ? F extends { readonly steps: infer L extends ReadonlyArray<unknown> } ? StepName<L[number]> : string
  : never
