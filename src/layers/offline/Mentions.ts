/** The position of a mention in a message; `end` is exclusive. */

export interface Span {
  readonly at: number
  readonly end: number
}

export interface Mention<A> extends Span {
  readonly value: A
}

export const overlaps = (one: Span, other: Span): boolean => one.at < other.end && other.at < one.end

export const outside = (spans: ReadonlyArray<Span>) => (span: Span): boolean =>
  !spans.some((other) => overlaps(span, other))

/** Every match of a pattern. */
export const matchesOf = (text: string, pattern: RegExp): ReadonlyArray<Mention<string>> =>
  Array.from(text.matchAll(pattern), (match) => ({
    at: match.index,
    end: match.index + match[0].length,
    value: match[0]
  }))

/** Returns the mentions that overlap no earlier one. */
export const distinct = <A extends Span>(mentions: ReadonlyArray<A>): ReadonlyArray<A> =>
  mentions.filter((mention, index) => outside(mentions.slice(0, index))(mention))
