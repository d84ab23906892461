/**
 * Separates the text of an open model into its answer, its thoughts and its tool calls, for servers that do not do so.
 * The pieces may be cut anywhere, as a stream cuts them.
 */
import * as Either from "effect/Either"
import * as JsonText from "../../domain/fields/schema/JsonText.js"
import * as TextCalls from "./TextCalls.js"

/**
 * The place of a model's thoughts in its text: between tags such as `<think>` and `</think>` (`tags`); up to the first
 * closing tag, because the server has written the opening one (`begun`); or none, so that the text is the answer as it
 * is (`none`).
 */
export type Thoughts = "tags" | "begun" | "none"

export interface Options {
  readonly thoughts: Thoughts
  /** The names of the offered tools; undefined: calls in the text are not read. */
  readonly tools: ReadonlySet<string> | undefined
  /** True if the answer should be JSON, in which tags may be part of a value. */
  readonly json: boolean
}

export type Piece =
  | { readonly _tag: "text" | "reasoning"; readonly text: string }
  /** The text so far was a thought. */
  | { readonly _tag: "thought" }
  | { readonly _tag: "call"; readonly call: TextCalls.TextCall }
  /** A tool call that cannot be read. */
  | { readonly _tag: "unread" }

const tags: ReadonlyArray<readonly [open: string, close: string]> = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<reason>", "</reason>"],
  ["<seed:think>", "</seed:think>"],
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|channel|>analysis<|message|>", "<|end|>"]
]

/** Marks that say nothing by themselves: the borders of an answer, and of a message. */
const borders: ReadonlyArray<string> = [
  "<|start|>assistant<|channel|>final<|message|>",
  "<|channel|>final<|message|>",
  "<|start|>assistant<|channel|>analysis<|message|>",
  "<|START_RESPONSE|>",
  "<|END_RESPONSE|>",
  "<|begin_of_solution|>",
  "<|end_of_solution|>",
  "<|im_end|>",
  "<|eot_id|>",
  "<|endoftext|>",
  "<|return|>",
  "<|end|>"
]

type Mark =
  | { readonly _tag: "open"; readonly text: string; readonly close: string }
  | { readonly _tag: "close" | "call" | "border"; readonly text: string }

const thinking: ReadonlyArray<Mark> = [
  ...tags.map(([text, close]) => ({ _tag: "open" as const, text, close })),
  // gpt-oss begins a further thought with the border of a message.
  { _tag: "open", text: "<|start|>assistant<|channel|>analysis<|message|>", close: "<|end|>" },
  ...tags.filter(([, close]) => close !== "<|end|>").map(([, text]) => ({ _tag: "close" as const, text })),
  ...borders.map((text) => ({ _tag: "border" as const, text }))
]
const calling: ReadonlyArray<Mark> = TextCalls.marks.map((text) => ({ _tag: "call", text }))

/** Returns the first mark in the text, the longest one of those at the same place. */
const firstMark = (
  text: string,
  marks: ReadonlyArray<Mark>
): { readonly at: number; readonly mark: Mark } | undefined => {
  let first: { readonly at: number; readonly mark: Mark } | undefined
  for (const mark of marks) {
    const at = text.indexOf(mark.text)
    if (
      at < 0 ||
      (first !== undefined && (at > first.at || (at === first.at && mark.text.length < first.mark.text.length)))
    ) {
      continue
    }
    first = { at, mark }
  }
  return first
}

/** Returns the length of the text's end that may be the beginning of one of the marks. */
const unfinished = (text: string, marks: ReadonlyArray<string>): number => {
  const longest = Math.max(...marks.map(({ length }) => length)) - 1
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (marks.some((mark) => mark.length > length && mark.startsWith(end))) return length
  }
  return 0
}

/**
 * The part that the text held back belongs to: nothing yet (`start`), the answer, a thought before it, a thought in the middle of
 * it, a tool call, or an answer that is JSON so far and may be a tool call.
 */
type State = "start" | "answer" | "thought" | "digression" | "call" | "json"

/** Separates one answer. */
export class ModelText {
  private readonly marks: ReadonlyArray<Mark>
  private readonly texts: ReadonlyArray<string>
  private state: State
  private held = ""
  /** The mark that opened the thought, and those that end it. */
  private opening = ""
  private ends: ReadonlyArray<string> = tags.map(([, close]) => close)
  /** True once a thought has ended. */
  private hasThought = false
  private lastTold = ""

  constructor(private readonly options: Options) {
    this.marks = [...options.thoughts === "none" ? [] : thinking, ...options.tools === undefined ? [] : calling]
    this.texts = this.marks.map(({ text }) => text)
    this.state = options.thoughts === "begun" ? "thought" : "start"
  }

  /** Takes the next piece of the text, and returns what can be told. */
  take(delta: string): ReadonlyArray<Piece> {
    if (this.marks.length === 0) return said("text", delta)
    // A tag in a JSON answer may be part of a value.
    if (this.options.json && this.held === "" && Either.isRight(JsonText.whole(delta))) return said("text", delta)
    this.held += delta
    const pieces: Array<Piece> = []
    while (this.advance(pieces)) { /* goes on until the text held back has no whole mark */ }
    return pieces
  }

  /** Returns what was held back, at the end of the text. */
  end(): ReadonlyArray<Piece> {
    const { held, opening, options, state } = this
    this.held = ""
    switch (state) {
      case "thought":
        return said("reasoning", held)
      case "digression":
        return said("text", opening + held)
      case "call":
        return called(TextCalls.read(held)) ?? [{ _tag: "unread" }]
      case "json":
        return TextCalls.isCode(held, options.tools)
          ? [{ _tag: "unread" }]
          : called(TextCalls.bare(held, options.tools)) ?? said("text", held)
      case "start":
        return said("text", this.hasThought ? held.trimStart() : held)
      default:
        return said("text", held)
    }
  }

  /** Tells a part of the text held back. Returns false if the rest has to wait for more text. */
  private advance(pieces: Array<Piece>): boolean {
    if (this.state === "call" || this.state === "json") return false
    if (this.state === "thought" || this.state === "digression") return this.think(pieces)
    if (this.state === "start" && this.options.tools !== undefined) {
      const begun = this.held.trimStart()
      if (isJson(begun)) {
        this.state = "json"
        return false
      }
      if (mayBeJson(begun)) return false
    }
    return this.answer(pieces)
  }

  /** Tells a thought up to its end. A thought in the middle of an answer is only told when it has ended. */
  private think(pieces: Array<Piece>): boolean {
    const found = firstMark(this.held, this.ends.map((text) => ({ _tag: "close", text })))
    if (found === undefined) {
      if (this.state === "thought") this.tell(pieces, "reasoning", this.ends)
      return false
    }
    add(pieces, "reasoning", this.held.slice(0, found.at))
    this.held = this.held.slice(found.at + found.mark.text.length)
    this.state = this.state === "thought" ? "start" : "answer"
    this.hasThought = true
    return true
  }

  /** Tells the answer up to the next mark. */
  private answer(pieces: Array<Piece>): boolean {
    const found = firstMark(this.held, this.marks)
    if (found === undefined) {
      this.tell(pieces, "text", this.texts)
      return false
    }
    const { at, mark } = found
    // A mark in quotes is a word of the answer.
    const isQuoted = (at === 0 ? this.lastTold : this.held[at - 1]) === "`"
    this.say(pieces, this.held.slice(0, isQuoted ? at + mark.text.length : at))
    this.held = this.held.slice(mark._tag === "call" && !isQuoted ? at : at + mark.text.length)
    if (!isQuoted) this.pass(pieces, mark)
    return this.state !== "call"
  }

  private pass(pieces: Array<Piece>, mark: Mark): void {
    switch (mark._tag) {
      case "call":
        this.state = "call"
        return
      case "open":
        this.opening = mark.text
        this.ends = [mark.close]
        this.state = this.state === "answer" ? "digression" : "thought"
        return
      case "close":
        // The server has written the opening tag into the prompt, so that all before was a thought.
        if (this.state === "answer" && !this.hasThought) {
          pieces.push({ _tag: "thought" })
          this.state = "start"
        }
        this.hasThought = true
        return
      case "border":
        return
    }
  }

  /** Tells a piece of the answer. White space at its beginning waits, and is left out behind a thought. */
  private say(pieces: Array<Piece>, text: string): void {
    if (this.state === "start" && text.trim() === "") return
    const telling = this.state === "start" && this.hasThought ? text.trimStart() : text
    if (telling === "") return
    this.state = "answer"
    this.lastTold = telling.slice(-1)
    pieces.push({ _tag: "text", text: telling })
  }

  /** Tells the text held back, but for an end that may be the beginning of a mark. */
  private tell(pieces: Array<Piece>, as: "text" | "reasoning", marks: ReadonlyArray<string>): void {
    const until = this.held.length - unfinished(this.held, marks)
    const telling = this.held.slice(0, until)
    if (as === "text" && this.state === "start" && telling.trim() === "") return
    this.held = this.held.slice(until)
    if (as === "text") this.say(pieces, telling)
    else add(pieces, as, telling)
  }
}

const said = (_tag: "text" | "reasoning", text: string): ReadonlyArray<Piece> => text === "" ? [] : [{ _tag, text }]

const add = (pieces: Array<Piece>, _tag: "text" | "reasoning", text: string): void => {
  if (text !== "") pieces.push({ _tag, text })
}

const called = (calls: ReadonlyArray<TextCalls.TextCall>): ReadonlyArray<Piece> | undefined =>
  calls.length === 0 ? undefined : calls.map((call) => ({ _tag: "call", call }))

/** True if the text begins as JSON does, or as a list of calls in Python. */
const isJson = (begun: string): boolean =>
  /^(?:\[\s*)?\{\s*"/.test(begun) || /^\[\s*\w+\(/.test(begun) || begun.startsWith(fence)

const mayBeJson = (begun: string): boolean => /^(?:\[\s*\w*|(?:\[\s*)?\{\s*)$/.test(begun) || fence.startsWith(begun)

const fence = "```json"
