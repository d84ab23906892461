/** The sentence of a schema's complaint that says which values are accepted, in words for a customer. */

const letters = "(?:YYYY|YY|MM|DD|HH|mm|SS)"

/** Matches the form of a value as models are told it: ", as YYYY-MM-DD", " (HH:MM)". */
export const form = new RegExp(
  `(,?) (\\()?(?:(?:as|like|in the form|in the format|format:?|written as)(?: of)? )?(${letters}(?:[-/.:T ]${letters})+)\\)?`,
  "i"
)

const example: Readonly<Record<string, string>> = { YYYY: "2030", YY: "30", MM: "12", DD: "24", HH: "18", SS: "00" }

/** Returns a text for models as a customer reads it: the form of a value becomes an example, ", such as 2030-12-24". */
export const forCustomers = (text: string): string =>
  text.replace(form, (_, comma: string, open: string | undefined, shape: string) => {
    const value = shape.replace(/:MM/i, ":30").replace(
      new RegExp(letters, "gi"),
      (part) => example[part.toUpperCase()]!
    )
    return open === undefined ? `${comma} such as ${value}` : ` (such as ${value})`
  })

/**
 * Returns the last sentence of a complaint, without the value and the type, which a reader sees beside it: "it must be at
 * least 1" of "Expected the number of guests, actual 0; it must be at least 1".
 */
export const expectationOf = (complaint: string): string =>
  forCustomers(
    (complaint.trim().split("\n").at(-1) ?? "").replace(/^[\s│├└─]+/, "")
      .replace(/^.*; (it must be .*)$/, "$1")
      .replace(/^Expected (.*?), actual .*$/, "expected $1")
      .replace(/\.$/, "")
  )
