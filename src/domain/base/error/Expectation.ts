/** The sentence of a schema's complaint that says which values are accepted. */

/**
 * Returns the last sentence of a complaint, without the value and the type, which a reader sees beside it: "it must be at
 * least 1" of "Expected the number of guests, actual 0; it must be at least 1".
 */
export const expectationOf = (complaint: string): string =>
  (complaint.trim().split("\n").at(-1) ?? "").replace(/^[\s│├└─]+/, "")
    .replace(/^.*; (it must be .*)$/, "$1")
    .replace(/^Expected (.*?), actual .*$/, "expected $1")
    .replace(/\.$/, "")
