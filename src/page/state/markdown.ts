/**
 * The part of Markdown that agents write, as a tree: paragraphs, headings, lists, quotes, code, emphasis and links.
 * Everything else, including HTML, stays text. Each character is read a bounded number of times, so that parsing takes
 * linear time.
 */

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "del"; readonly inside: ReadonlyArray<Inline> }
  | { readonly kind: "link"; readonly href: string; readonly inside: ReadonlyArray<Inline> }
  | { readonly kind: "break" }

export type Block =
  | { readonly kind: "paragraph" | "heading" | "quote"; readonly inside: ReadonlyArray<Inline> }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: ReadonlyArray<ReadonlyArray<Inline>> }
  | { readonly kind: "rule" }

const marks = [["**", "strong"], ["__", "strong"], ["~~", "del"], ["*", "em"], ["_", "em"]] as const

/** Maximum number of characters in which the end of a mark, such as `**`, is searched. */
const reach = 2000

const isSpace = (char: string | undefined): boolean => char === undefined || /\s/.test(char)
const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}]/u.test(char)

interface InlineMatch {
  readonly inline: Inline
  readonly end: number
}

const codeAt = (text: string, at: number): InlineMatch | undefined => {
  if (text[at] !== "`") return undefined
  const end = text.slice(at, at + reach).indexOf("`", 1)
  return end < 2 ? undefined : { inline: { kind: "code", text: text.slice(at + 1, at + end) }, end: at + end + 1 }
}

/** Reads `[label](address)`, a picture in the same syntax, or an address without a label. */
const linkAt = (text: string, at: number): InlineMatch | undefined => {
  const near = text.slice(at, at + reach)
  const written = /^!?\[([^[\]\n]{0,500})\]\(([^()\s]{1,1000})\)/.exec(near)
  if (written !== null) {
    const [whole, label = "", href = ""] = written
    return { inline: { kind: "link", href, inside: inlines(label === "" ? href : label) }, end: at + whole.length }
  }
  const bare = isWord(text[at - 1])
    ? undefined
    : /^https?:\/\/[^\s<>"'`)\]]{1,1000}/.exec(near)?.[0].replace(/[.,;:!?]$/, "")
  return bare == null
    ? undefined
    : { inline: { kind: "link", href: bare, inside: [{ kind: "text", text: bare }] }, end: at + bare.length }
}

const markAt = (text: string, at: number): InlineMatch | undefined => {
  const [mark, kind] = marks.find(([mark]) => text.startsWith(mark, at)) ?? []
  if (mark === undefined || kind === undefined || isSpace(text[at + mark.length])) return undefined
  const inside = text.slice(at + mark.length, at + reach)
  const end = inside.indexOf(mark)
  if (end < 1 || isSpace(inside[end - 1])) return undefined
  // In a name such as `snake_case` the underscore is a letter, not a mark.
  if (mark.startsWith("_") && (isWord(text[at - 1]) || isWord(inside[end + mark.length]))) return undefined
  return { inline: { kind, inside: inlines(inside.slice(0, end)) }, end: at + end + 2 * mark.length }
}

export const inlines = (text: string): ReadonlyArray<Inline> => {
  const found: Array<Inline> = []
  let begin = 0
  const flush = (end: number) => {
    if (end > begin) found.push({ kind: "text", text: text.slice(begin, end) })
  }
  for (let at = 0; at < text.length;) {
    const one = text[at] === "\n"
      ? { inline: { kind: "break" } as const, end: at + 1 }
      : codeAt(text, at) ?? linkAt(text, at) ?? markAt(text, at)
    if (one === undefined) {
      at++
      continue
    }
    flush(at)
    found.push(one.inline)
    at = begin = one.end
  }
  flush(text.length)
  return found
}

const bullet = /^ {0,6}(?:[-*+]|(\d{1,9})[.)]) {1,4}(.*)$/

/** Returns the index of the first line from `at` on that does not fit. */
const run = (lines: ReadonlyArray<string>, at: number, fits: (line: string) => boolean): number => {
  let end = at
  while (end < lines.length && fits(lines[end]!)) end++
  return end
}

const isPlain = (line: string): boolean =>
  line.trim() !== "" && !/^ {0,3}(?:```|>|#{1,6} )/.test(line) && !bullet.test(line)

/** Returns the block that begins with this line, and the index of the line after the block. */
const blockAt = (lines: ReadonlyArray<string>, at: number): readonly [Block, number] => {
  const line = lines[at]!
  if (/^ {0,3}```/.test(line)) {
    const end = run(lines, at + 1, (one) => !/^ {0,3}```/.test(one))
    return [{ kind: "code", text: lines.slice(at + 1, end).join("\n") }, end + 1]
  }
  if (/^ {0,3}#{1,6} /.test(line)) {
    return [{ kind: "heading", inside: inlines(line.replace(/^ {0,3}#{1,6} /, "")) }, at + 1]
  }
  if (/^ {0,3}(?:-{3,50}|\*{3,50})$/.test(line)) return [{ kind: "rule" }, at + 1]
  if (/^ {0,3}>/.test(line)) {
    const end = run(lines, at, (one) => /^ {0,3}>/.test(one))
    const text = lines.slice(at, end).map((one) => one.replace(/^ {0,3}> ?/, "")).join("\n")
    return [{ kind: "quote", inside: inlines(text) }, end]
  }
  if (bullet.test(line)) {
    const end = run(lines, at, (one) => bullet.test(one))
    const items = lines.slice(at, end).map((one) => inlines(bullet.exec(one)?.[2] ?? ""))
    return [{ kind: "list", ordered: bullet.exec(line)?.[1] !== undefined, items }, end]
  }
  const end = Math.max(at + 1, run(lines, at, isPlain))
  return [{ kind: "paragraph", inside: inlines(lines.slice(at, end).join("\n")) }, end]
}

export const blocks = (text: string): ReadonlyArray<Block> => {
  const lines = text.split("\n")
  const found: Array<Block> = []
  for (let at = 0; at < lines.length;) {
    if (lines[at]!.trim() === "") {
      at++
      continue
    }
    const [block, end] = blockAt(lines, at)
    found.push(block)
    at = end
  }
  return found
}

/** Returns an address if a link may have it; otherwise undefined, and the link is shown as text. */
export const safe = (href: string): string | undefined => {
  try {
    return ["http:", "https:", "mailto:"].includes(new URL(href).protocol) ? href : undefined
  } catch {
    return undefined
  }
}
