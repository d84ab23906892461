/** Parses the text of server-sent events, for clients that read them with `fetch`. */

/** An event; its name is `message` if it has none. */
export interface Received {
  readonly event: string
  readonly data: string
}

/** Returns the complete events of a text, each of which ends with an empty line, and the incomplete text after them. */
export const parse = (text: string): { readonly events: ReadonlyArray<Received>; readonly rest: string } => {
  const blocks = text.split("\n\n")
  const rest = blocks.pop() ?? ""
  const events = blocks.flatMap((block) => {
    const lines = block.split("\n")
    const of = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2))
    const data = of("data")
    return data.length === 0 ? [] : [{ event: of("event")[0] ?? "message", data: data.join("\n") }]
  })
  return { events, rest }
}
