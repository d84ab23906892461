/** Words of a text, and their stems, which the offline model compares. */

/** A word as written (`text`, at `at` up to `end`), in lower case (`norm`), and without its ending (`stem`). */
export interface Word {
  readonly text: string
  readonly norm: string
  readonly stem: string
  readonly at: number
  readonly end: number
}

/** Makes a set from a list of words. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "))

export const monthNames = "january|february|march|april|may|june|july|august|september|october|november|december".split(
  "|"
)

const irregular: ReadonlyMap<string, string> = new Map(
  ("people person,children child,kids child,kid child,forgot forget,forgotten forget,paid pay,bought buy,left leave," +
    "spoke speak").split(",").map((pair) => pair.split(" ") as [string, string])
)

/** Words whose end is not an ending: "evening" is not "even". */
const uncut = wordSet(
  "morning evening wedding nothing something anything everything during string spring building parking ceiling " +
    "hundred indeed speed moment comment apartment department document element station location vacation nation"
)

const endings = ["ations", "ation", "ements", "ement", "ments", "ment", "ings", "ing", "edly", "ed"]

const withoutPlural = (word: string): string => {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`
  return word.endsWith("s") && !word.endsWith("ss") && word.length > 3 ? word.slice(0, -1) : word
}

const withoutEnding = (word: string): string => {
  const ending = uncut.has(word)
    ? undefined
    : endings.find((end) => word.endsWith(end) && word.length - end.length >= 3)
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/** A light stemmer: `cancelled`, `cancellation` and `cancel` get the same stem. Stems are keys, not words. */
export const stemOf = (word: string): string => {
  const singular = withoutPlural(irregular.get(word) ?? word.replaceAll("-", ""))
  const cut = withoutEnding(singular)
  const bare = cut.length > 3 ? cut.replace(/e$/, "") : cut
  const stem = bare.length > 2 ? bare.replace(/y$/, "i") : bare
  return stem.length > 2 && stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem
}

const pattern = /\d+(?:[.,]\d+)+|[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu

/** The words of a text, in order. */
export const wordsOf = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(pattern), (match) => {
    const norm = match[0].toLowerCase().replaceAll("’", "'").replace(/'s$/, "")
    return { text: match[0], norm, stem: stemOf(norm), at: match.index, end: match.index + match[0].length }
  })

/** Joins a verb and its particle: "check in" and "checking in" become "checkin". */
export const withJoinedVerbs = (text: string): string =>
  text.replace(/\b(check|pick|drop|sign|log)(?:ing)?[ -](in|out|up|off)\b/gi, "$1$2")

/** The words of an identifier: `checkInDate` and `check_in_date` become `check in date`. */
export const identifierWords = (name: string): string =>
  name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ").toLowerCase()

/** Words without a topic, and words that describe flows ("the guest wants to …"). */
export const stopWords: ReadonlySet<string> = wordSet(
  "a an the this that these those some any each all both either neither such same other another " +
    "i i'm i'd i'll i've me my mine myself we we're we'd we'll us our you you're your yours he she it it's its they " +
    "them their theirs his her him who whom whose what which when where why how there here " +
    "is am are was were be been being do does did doing done has have had having will would shall should can could may " +
    "might must let let's get gets got go goes going gonna make makes made take takes give gives put come comes " +
    "and or but so if then than as at by for from in into of off on onto out over to too up with within about around " +
    "just only also really very quite please maybe perhaps actually well ok okay oh hm hmm um uh ah " +
    "want wants wanted wanting wanna wish wishes like likes need needs needed love looking look ask asks asked asking " +
    "say says said tell tells talk talks speak speaks sounds seems feels mention mentions know knows think thinks inquire inquires enquire enquires " +
    "guest guests user users customer customers caller callers client clients visitor visitors patient patients person someone somebody " +
    "anyone something anything message question questions information info details regarding concerning new"
)
