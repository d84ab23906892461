/**
 * Names of people and places in a message, values called by the name of their field, and bare answers.
 *
 * @since 0.1.0
 */
import type { Mention, Reading, Span } from "./Mentions.js"
import { overlaps } from "./Mentions.js"
import type { Slot } from "./Roles.js"
import type { Word } from "./Words.js"
import { isIntent, stopWords, wordsOf, yesOrNo } from "./Words.js"

const particles = new Set(["de", "da", "do", "dos", "del", "di", "la", "le", "van", "von", "der", "den", "bin", "al"])

const calendar = new Set(
  ("monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april may " +
    "june july august september october november december today tomorrow tonight").split(" ")
)

const isCapital = (text: string): boolean => /^\p{Lu}/u.test(text)

/** As a name is written: "rio de janeiro" is "Rio de Janeiro", "LISBON" is "Lisbon", "McKay" stays. */
export const titled = (name: string): string =>
  name.replace(/[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu, (word, at: number) => {
    if (particles.has(word.toLowerCase())) return at === 0 ? capital(word) : word.toLowerCase()
    if (word === word.toLowerCase()) return capital(word)
    return word === word.toUpperCase() && word.length > 4 ? capital(word.toLowerCase()) : word
  })

const capital = (word: string): string => word.replace(/^./u, (first) => first.toUpperCase())

/** The words from `index` on that are one name: capitalised, with particles between. */
const nameFrom = (reading: Reading, index: number, anyCase = false): Mention<string> | undefined => {
  const { text, words } = reading
  let last = -1
  for (let next = index; next < words.length && next < index + 4; next++) {
    const word = words[next]!
    const between = next === index ? "" : text.slice(words[next - 1]!.end, word.at)
    const isTitle = /^(?:mr|mrs|ms|dr|prof|st|\p{L})$/u.test(words[next - 1]?.norm ?? "")
    if (!/^[\s]*$/.test(between) && !(isTitle && between === ". ")) break
    const isName = (isCapital(word.text) || anyCase) && !/\d/.test(word.text) && !calendar.has(word.norm) &&
      !(stopWords.has(word.norm) && (word.norm !== "will" || anyCase || next > index))
    if (isName) last = next
    else if (!particles.has(word.norm)) break
  }
  if (last < 0) return undefined
  const span = { at: words[index]!.at, end: words[last]!.end }
  return { ...span, value: text.slice(span.at, span.end).replace(/['’]s$/, "") }
}

const after = (reading: Reading, pattern: RegExp, anyCase: boolean): ReadonlyArray<Mention<string>> =>
  Array.from(reading.text.matchAll(pattern)).flatMap((match) => {
    const end = match.index + match[0].length
    const index = reading.words.findIndex(({ at }) => at >= end)
    const found = index < 0 || reading.words[index]!.at > end + 2 ? undefined : nameFrom(reading, index, anyCase)
    return found === undefined ? [] : [found]
  })

const distinct = (mentions: ReadonlyArray<Mention<string>>): ReadonlyArray<Mention<string>> =>
  mentions.filter((mention, index) => !mentions.slice(0, index).some((before) => overlaps(before, mention)))

const named =
  /\b(?:(?:my|the|full|first|last|guest|her|his) names?(?: is| are|'s|:| =)?|name(?: is|'s|:| =)|call me|in the name of|under the name(?: of)?)\s+/gi
const introduced = /\b(?:i am|i'm|i’m|im)\s+/gi
const led = /\b(?:for|under|with|by|this is|it's|it’s|it is)\s+/gi

/**
 * People: who is introduced ("my name is …", "I am …"), and who else reads like a person.
 *
 * @internal
 */
export const peopleIn = (
  reading: Reading
): { readonly introduced: ReadonlyArray<Mention<string>>; readonly others: ReadonlyArray<Mention<string>> } => {
  const likely = (mention: Span) => reading.people.some((person) => overlaps(person, mention))
  const isPlace = (mention: Span) => reading.places.some((place) => overlaps(place, mention)) && !likely(mention)
  const starts = new Set(reading.people.map(({ at }) => at))
  const certain = distinct([
    ...after(reading, named, true),
    ...after(reading, introduced, false).filter((mention) => !isPlace(mention) && !notNames.test(mention.value)),
    ...after(reading, introduced, true).filter(({ at }) => starts.has(at))
  ])
  const others = [
    ...after(reading, led, false).filter(likely),
    ...reading.people.filter(({ value }) => isCapital(value) && value.includes(" "))
  ]
  return { introduced: certain, others: distinct([...certain, ...others]).slice(certain.length) }
}

/**
 * "I am Portuguese", "I'm Fine".
 *
 * @internal
 */
export const notNames = /^(?:\S+ese|\S{3,}ish|\S{3,}ian|\S{2,}can|ok|fine|sorry|ready|vegan|vegetarian)$/i

const leads = /\b(?:in|to|near|around|at|from|of)\s+/gi

/**
 * Places: what is known as one, and what stands capitalised where a place does.
 *
 * @internal
 */
export const placesIn = (reading: Reading, people: ReadonlyArray<Span>): ReadonlyArray<Mention<string>> => {
  const free = (mention: Span) => ![...people, ...reading.dates].some((other) => overlaps(other, mention))
  return distinct([...reading.places, ...after(reading, leads, false)].filter(free))
    .filter(({ value }) => !calendar.has(value.toLowerCase()) && !stopWords.has(value.toLowerCase()))
    .slice().sort((one, other) => one.at - other.at)
}

const fillers = new Set(
  ("ok okay well hmm hm um uh so oh ah yes yeah yep please thanks thank you it's its it is that's that would be i'd i like " +
    "want think say let's go with in to at for from the a of maybe sure just then probably actually my name city i'm am " +
    "make no rather instead").split(" ")
)

/**
 * What is left of a short answer without its politeness, where that can be a value: not an intent, a question, a yes or no.
 *
 * @internal
 */
export const bareAnswer = (text: string): Mention<string> | undefined => {
  if (text.length > 120 || /[?@()[\]{}$*+\\<>=|^~_#]/.test(text)) return undefined
  const words = wordsOf(text)
  let first = 0
  let last = words.length - 1
  while (first <= last && fillers.has(words[first]!.norm)) first++
  while (last >= first && fillers.has(words[last]!.norm)) last--
  const kept = words.slice(first, last + 1)
  const comma = kept.findIndex((word, index) => /[,;.!]\s/.test(text.slice(word.end, kept[index + 1]?.at ?? word.end)))
  const said = comma < 0 ? kept : kept.slice(0, comma + 1)
  if (said.length === 0 || said.length > 5 || !said.every(sayable(said)) || said.every(isIntent)) return undefined
  const span = { at: said[0]!.at, end: said.at(-1)!.end }
  return { ...span, value: text.slice(span.at, span.end) }
}

const vague = new Set(
  ("anywhere somewhere nowhere whatever everything nothing none skip pass next back stop quit exit idk dunno sorry lol haha " +
    "hello hi hey bye goodbye later unsure undecided good great nice cool fine morning evening").split(" ")
)

const sayable = (said: ReadonlyArray<Word>) => (word: Word): boolean =>
  !/\d/.test(word.text) && !vague.has(word.norm) && !calendar.has(word.norm) &&
  (!stopWords.has(word.norm) || particles.has(word.norm) || (said.length > 1 && isCapital(word.text))) &&
  (yesOrNo(word.norm) === undefined || (said.length > 1 && isCapital(word.text)))

/**
 * The value after the name of its field: "change the city to Porto", "guests: 3".
 *
 * @internal
 */
export const labelled = (reading: Reading, slot: Slot): Mention<string> | undefined => {
  const { text, words } = reading
  for (let index = 0; index < words.length; index++) {
    if (!slot.nameStems.has(words[index]!.stem)) continue
    const rest = text.slice(words[index]!.end, words[index]!.end + 300)
    const link = /^(?:\s+(?:to|is|should be|must be|will be|as)\s+|\s*[:=]\s*|\s+(?:to|is)\s*[:=]\s*)(?!not\b)/.exec(
      rest
    )
    if (link === null) continue
    const value = rest.slice(link[0].length).split(/[.!?;\n](?:\s|$)|,?\s(?:and|but|please)\s/, 1)[0]!.trim()
    const at = words[index]!.end + link[0].length
    if (value !== "") return { at, end: at + value.length, value }
  }
  return undefined
}

const corrections =
  /\b(?:make (?:it|that)|change (?:it|that) to|switch (?:it )?to|i meant?|let's (?:do|say)|no,|nope,|actually,?)\s+/i

/**
 * Whether the message corrects something that was said before.
 *
 * @internal
 */
export const corrects = (text: string): boolean =>
  corrections.test(text) || /\b(?:instead|rather|wait|sorry|correction|change|switch)\b/i.test(text)

/**
 * What a correction names: "actually make it Porto", "no, Porto instead".
 *
 * @internal
 */
export const correctedTo = (text: string): Mention<string> | undefined => {
  const match = corrections.exec(text)
  const from = match === null ? 0 : match.index + match[0].length
  if (match === null && !/\binstead\b/i.test(text)) return undefined
  const bare = bareAnswer(text.slice(from).replace(/\binstead\b.*/is, (rest) => " ".repeat(rest.length)))
  return bare === undefined ? undefined : { at: bare.at + from, end: bare.end + from, value: bare.value }
}
