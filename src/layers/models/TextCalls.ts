/**
 * Reads tool calls that an open model wrote into its text, in the form of its training, because its server has no
 * parser for them. Each form has a mark at which it begins; the text behind a mark is no answer to the user.
 */
import * as Predicate from "effect/Predicate"
import * as JsonText from "../../domain/fields/schema/JsonText.js"
import { type Fields, text } from "./Loose.js"

/** A call as it stands in a text. */
export interface TextCall {
  readonly name: string
  readonly params: unknown
}

/** The beginnings of calls: Hermes, Qwen and GLM; Mistral; Llama; Phi; Kimi; DeepSeek; Cohere; MiniMax; gpt-oss. */
export const marks: ReadonlyArray<string> = [
  "<tool_call>",
  "<tool_calls>",
  "<function_call>",
  "<function_calls>",
  "<function=",
  "<invoke name=",
  "[TOOL_CALLS]",
  "<|python_tag|>",
  "<|tool_call|>",
  "<|tool_call_start|>",
  "<|tool_calls_section_begin|>",
  "<|tool_call_begin|>",
  "<｜tool▁calls▁begin｜>",
  "<｜tool▁call▁begin｜>",
  "<|START_ACTION|>",
  "<minimax:tool_call>",
  "<|channel|>commentary to=",
  "<|start|>assistant to=",
  "<|start|>assistant<|channel|>commentary to="
]

const isName = (name: string): boolean => /^[\w.:-]{1,128}$/.test(name)

/** Removes the namespace that some forms write before the name of a tool, and the number behind it. */
const nameOf = (given: string): string => given.trim().replace(/^functions[.:]/, "").replace(/:\d+$/, "")

/** Returns the pieces of a text that stand behind each `open`, each up to the next one. */
const behind = (given: string, open: string): ReadonlyArray<string> => given.split(open).slice(1)

/** Splits a text at the first occurrence of any of the marks. */
const cut = (given: string, ...at: ReadonlyArray<string>): readonly [before: string, after: string] => {
  const found = at.map((mark) => [given.indexOf(mark), mark] as const).filter(([index]) => index >= 0)
  if (found.length === 0) return [given, ""]
  const [index, mark] = found.reduce((one, other) => other[0] < one[0] ? other : one)
  return [given.slice(0, index), given.slice(index + mark.length)]
}

const present = (value: unknown): boolean => value !== undefined && value !== null

/** Returns the call in an object, under the names that models use; undefined if it has no name of a tool. */
const ofObject = (value: unknown): TextCall | undefined => {
  if (!Predicate.isRecord(value)) return undefined
  if (Predicate.isRecord(value.function)) return ofObject(value.function)
  const called: Fields = value
  const name = [called.name, called.function, called.tool_name, called.tool].map(text).find(present)
  if (name === undefined || !isName(nameOf(name))) return undefined
  const params = [called.arguments, called.parameters, called.args, called.input, {}].find(present)
  return { name: nameOf(name), params: typeof params === "string" ? argsOf(params) : params }
}

/** Returns the arguments in a text; `{}` for a blank one, and the text itself if it is no JSON. */
const argsOf = (given: string): unknown => given.trim() === "" ? {} : JsonText.first(given)?.value ?? given

/** Reads parameters that are elements of their own, whose values are texts. */
const ofElements = (given: string, open: string, behindName: string, close: string): Fields =>
  Object.fromEntries(
    behind(given, open).flatMap((element) => {
      const [name, rest] = cut(element, behindName)
      const value = cut(rest, close)[0].replace(/^\r?\n|\r?\n$/g, "")
      const key = name.trim().replace(/^"|"$/g, "")
      return isName(key) && key !== "__proto__" ? [[key, value] as const] : []
    })
  )

/** A form in which a call has its name before its arguments. */
interface Named {
  readonly open: string
  /** The marks between name and arguments. */
  readonly between: ReadonlyArray<string>
  readonly args: (given: string) => unknown
}

const ofParameters = (open: string, behindName: string) => (given: string): unknown =>
  given.includes(open) ? ofElements(given, open, behindName, "</parameter>") : argsOf(given)

const forms: ReadonlyArray<Named> = [
  { open: "<|tool_call_begin|>", between: ["<|tool_call_argument_begin|>"], args: argsOf },
  { open: "<｜tool▁call▁begin｜>function<｜tool▁sep｜>", between: ["\n"], args: argsOf },
  { open: "<｜tool▁call▁begin｜>", between: ["<｜tool▁sep｜>", "\n"], args: argsOf },
  { open: "<function=", between: [">"], args: ofParameters("<parameter=", ">") },
  { open: "<invoke name=\"", between: ["\">"], args: ofParameters("<parameter name=\"", "\">") },
  { open: " to=functions.", between: ["<|message|>"], args: argsOf },
  { open: "[TOOL_CALLS]", between: ["[CALL_ID]", "[ARGS]", "{"], args: argsOf }
]

const called = (name: string, params: unknown): ReadonlyArray<TextCall> =>
  isName(nameOf(name)) ? [{ name: nameOf(name), params }] : []

const ofNamed = (given: string, { args, between, open }: Named): ReadonlyArray<TextCall> =>
  behind(given, open).flatMap((piece) => {
    const [head] = cut(piece, ...between)
    // A name may be followed by a format, as in `to=functions.book <|constrain|>json`.
    const name = /^\s*([\w.:-]+)/.exec(head)?.[1] ?? ""
    return called(name, args(piece.slice(head.length)))
  })

/** Reads GLM's form: the name, then pairs of elements for the key and the value. */
const ofPairs = (given: string): ReadonlyArray<TextCall> =>
  behind(given, "<tool_call>").flatMap((piece) => {
    const [head, pairs] = cut(cut(piece, "</tool_call>")[0], "<arg_key>")
    const values = Object.fromEntries(
      behind(`<arg_key>${pairs}`, "<arg_key>").flatMap((pair) => {
        const [key, rest] = cut(pair, "</arg_key>")
        const value = cut(cut(rest, "<arg_value>")[1], "</arg_value>")[0]
        return isName(key.trim()) && key.trim() !== "__proto__" ? [[key.trim(), value] as const] : []
      })
    )
    return called(head, values)
  })

const ofObjects = (given: string): ReadonlyArray<TextCall> =>
  JsonText.all(given).flat().flatMap((value) => ofObject(value) ?? [])

/** Reads the calls in a text that begins with one of the marks. An empty list: the calls cannot be read. */
export const read = (given: string): ReadonlyArray<TextCall> => {
  for (const form of forms) {
    if (given.includes(form.open)) {
      const calls = ofNamed(given, form)
      if (calls.length > 0) return calls
    }
  }
  const calls = ofObjects(given)
  return calls.length > 0 || !given.startsWith("<tool_call>") ? calls : ofPairs(given)
}

/**
 * Returns the calls in a text that is nothing but JSON, as Llama writes them without a mark. Only tools that are
 * offered count, because an answer may be JSON.
 */
export const bare = (given: string, offered: ReadonlySet<string> = new Set()): ReadonlyArray<TextCall> => {
  const value = JsonText.whole(given)
  const list = value._tag === "Left" ? [] : [value.right].flat()
  const calls = list.flatMap((one) =>
    Predicate.isRecord(one) && ["arguments", "parameters"].some((key) => Predicate.isRecord(one[key]))
      ? ofObject(one) ?? []
      : []
  )
  return calls.length === list.length && calls.every(({ name }) => offered.has(name)) ? calls : []
}

/** True for a list of calls of offered tools in Python, which Llama 4 writes, and which is not read. */
export const isCode = (given: string, offered: ReadonlySet<string> = new Set()): boolean =>
  offered.has(/^\s*\[\s*(\w+)\(/.exec(given)?.[1] ?? "")
