/** Finds names of people and places in a message, and the value of a short answer. */
import type { Mention, Span } from "./Mentions.js"
import { distinct, matchesOf, outside, overlaps } from "./Mentions.js"
import { numberOf } from "./Numbers.js"
import type { Reading } from "./Reading.js"
import { isPeople, isUnit } from "./Slot.js"
import { isIntent, yesOrNo } from "./Topics.js"
import type { Word } from "./Words.js"
import { monthNames, stopWords, wordSet, wordsOf } from "./Words.js"

/** Small words inside a name: "Rio de Janeiro", "Stratford upon Avon". */
const particles = wordSet(
  "de da do das dos del della dei di du des la le les l'd van von vom der den dem ten ter het bin al upon am ob an zu zur lès sur sous"
)

/** First words of names of places, also in lower case: "las vegas". */
const beginnings = wordSet("las los san santa saint sainte st ste mt ft são")

/** True for abbreviations that end with a full stop. */
const isAbbreviation = (norm: string | undefined) =>
  /^(?:mr|mrs|ms|dr|prof|sra?|dra|hr|fr|st|ste|mt|ft|jr|\p{L})$/u.test(norm ?? "")

const calendar = wordSet(
  "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun today tomorrow tonight " +
    monthNames.join(" ")
)

/** Frequent words of other languages that are no part of a name: a sentence with one is no short answer. */
const foreign = wordSet(
  "ich bin ist nicht ein eine einen mein meine heiße heisse und oder für mit wir sie das keine kein möchte hätte gern weiß " +
    "soy yo mi nombre es llamo no lo sé tengo quiero quisiera para por una un con nosotros somos está que y " +
    "je suis c'est nom ne pas sais voudrais une pour avec nous et j'ai m'appelle que " +
    "eu sou meu não sei quero para com uma um somos chamo obrigado " +
    "io sono mio nome non so vorrei per con una chiamo siamo che " +
    "mijn naam heet ben niet een voor met wij"
)

const isCapital = (text: string): boolean => /^(?:[st]-)?\p{Lu}/u.test(text)

const capital = (word: string): string => word.replace(/^./u, (first) => first.toUpperCase())

/** Writes a name in lower case, but for the letter after that of "O'NEILL" and "D'ANGELO". */
const quieted = (name: string): string =>
  name.toLowerCase().replace(/(?<!\p{L})\p{L}['’]\p{L}/gu, (said) => said.toUpperCase())

/** Capitalises a name: "rio de janeiro" becomes "Rio de Janeiro", "LISBON" becomes "Lisbon", "McKay" stays. */
export const titled = (name: string): string =>
  (isShouted(name) ? quieted(name) : name).replace(/[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu, (word, at: number) => {
    if (/^[st]$/.test(word) && /['’]/.test(name[at - 1] ?? "")) return word
    if (/^\p{L}$/u.test(word) && name[at + 1] === "." && at > 0) return word
    const isSmall = particles.has(word.toLowerCase()) || /^(?:and|of|on|the)$/i.test(word)
    return isSmall ? at === 0 ? capital(word) : word.toLowerCase() : word === word.toLowerCase() ? capital(word) : word
  })

/** True for names in capitals, such as "LISBON" and "LAS VEGAS", but not for "NYC". */
const isShouted = (name: string): boolean => name === name.toUpperCase() && /\p{L}{5}/u.test(name)

/**
 * True if a word follows the word before it without punctuation; the full stop of an abbreviation does not count: "St.
 * Louis".
 */
const isJoined = (text: string, before: Word | undefined, word: Word): boolean => {
  const between = before === undefined ? "" : text.slice(before.end, word.at)
  return between.trim() === "" || (/^\. ?$/.test(between) && isAbbreviation(before?.norm))
}

type Case = "capital" | "any"

const isNamePart = (word: Word, written: Case): boolean => {
  if (/\d/.test(word.text) || calendar.has(word.norm) || numberOf(word.norm) !== undefined) return false
  if (!isCapital(word.text) && (written === "capital" || foreign.has(word.norm))) return false
  return !stopWords.has(word.norm)
}

/** Returns the name that begins at `index`: up to four words, with particles between them. */
const nameFrom = ({ text, words }: Reading, index: number, written: Case): Mention<string> | undefined => {
  let last = -1
  for (let next = index; next < Math.min(words.length, index + 4); next++) {
    const [before, word] = [next === index ? undefined : words[next - 1], words[next]!]
    if (!isJoined(text, before, word)) break
    const isLed = beginnings.has(before?.norm ?? "") || (before === undefined && beginnings.has(word.norm))
    if (isNamePart(word, isLed ? "any" : written)) last = next
    else if (!particles.has(word.norm)) break
  }
  if (last < 0) return undefined
  const span = whole(text, words[index]!, words[last]!)
  return { ...span, value: withoutOwned(text, span) }
}

/** The river or region behind the name of a place: "Frankfurt a. M.", "Rothenburg o. d. T." */
const region = /^ ?(?:a|b|i|o|v)\. ?(?:d\. ?)?\p{Lu}\p{Ll}{0,4}\./u

/** Returns the span from one word to another, with the apostrophe before the first and the full stop after the last. */
const whole = (text: string, { at, norm: first }: Word, { at: begin, end, norm }: Word): Span => {
  const isLed = /(?:^|\s)['’]$/.test(text.slice(Math.max(0, at - 2), at)) && /^[st]-?/.test(first)
  const isDotted = text[end] === "." && begin > at && /^(?:jr|sr|\p{L})$/u.test(norm)
  const place = region.exec(text.slice(end, end + 16))?.[0].length ?? 0
  return { at: isLed ? at - 1 : at, end: isDotted ? end + 1 : end + place }
}

/** Removes the "'s" of an owner before a noun: "Lisbon's airport". In "a room in St. John's" it belongs to the name. */
const withoutOwned = (text: string, { at, end }: Span): string => {
  const isOwner = /^ \p{L}/u.test(text.slice(end, end + 2)) &&
    !stopWords.has(wordsOf(text.slice(end, end + 30))[0]!.norm)
  return text.slice(at, end).replace(isOwner ? /['’]s$/ : /$^/, "")
}

const after = (reading: Reading, pattern: RegExp, written: Case): ReadonlyArray<Mention<string>> =>
  matchesOf(reading.text, pattern).flatMap(({ end }) => {
    const index = reading.words.findIndex(({ at }) => at >= end)
    const found = index < 0 || reading.words[index]!.at > end + 2 ? undefined : nameFrom(reading, index, written)
    return found === undefined ? [] : [found]
  })

/** Phrases before a name, in several languages; and phrases before a name or something else ("I am Ada", "I am tired"). */
const named =
  /(?<!\p{L})(?:(?:my|the|full|first|last|guest|her|his) names?(?: is| are|['’]s|:| =)?|name(?: is|['’]s|:| =)|call me|i go by|in the name of|under the name(?: of)?|mein name(?: ist|:)|ich hei(?:ß|ss)e|auf den namen|(?:mi|su) nombre(?: es|:)|me llamo|a nombre de|mon nom(?: est|:)|je m['’]appelle|au nom de|(?:o )?meu nome(?: é|:)|(?:eu )?(?:me chamo|chamo-me)|em nome de|(?:il )?mio nome(?: è|:)|mi chiamo|a nome(?: di)?|mijn naam(?: is|:)|ik heet|jag heter|mitt namn är|jeg hedder|nazywam się|mam na imię)\s{1,9}(?!\s)/giu
const introduced =
  /(?<!\p{L})(?:i am|i['’]m|im|ich bin(?: (?:der|die))?|(?:yo )?soy|je suis|c['’]est|(?:eu )?sou(?: [oa])?|(?:io )?sono|ik ben|jag är|jestem)\s{1,9}(?!\s)/giu
const led = /\b(?:for|under|with|by|this is|it's|it’s|it is)\s{1,9}(?!\s)/gi
const placed = /\b(?:in|to|near|around|at|from|of)\s{1,9}(?!\s)/gi

/** True if the message says who somebody is: what follows is a name, or no answer to a question for one. */
export const introduces = (text: string): boolean =>
  [named, introduced].some((pattern) => new RegExp(pattern.source, "iu").test(text))

/** Words that are no names: "I am Portuguese", "I'm Fine". */
export const notNames = /^(?:\S+ese|\S{3,}ish|\S{3,}ian|\S{2,}can|ok|fine|sorry|ready|vegan|vegetarian)$/i

/** Finds people: introduced ones ("my name is …", "I am …"), and other words that look like a person's name. */
export const peopleIn = (
  reading: Reading
): { readonly introduced: ReadonlyArray<Mention<string>>; readonly others: ReadonlyArray<Mention<string>> } => {
  const likely = (mention: Span) => reading.people.some((person) => overlaps(person, mention))
  const isPlace = (mention: Span) => reading.places.some((place) => overlaps(place, mention)) && !likely(mention)
  const starts = new Set(reading.people.map(({ at }) => at))
  const certain = distinct([
    ...after(reading, named, "any"),
    ...after(reading, introduced, "capital").filter((mention) =>
      !isPlace(mention) && !notNames.test(mention.value) && !/^d[aeiu]s? /.test(mention.value)
    ),
    ...after(reading, introduced, "any").filter(({ at }) => starts.has(at))
  ])
  const others = [
    ...after(reading, led, "capital").filter(likely),
    ...reading.people.filter(({ value }) => isCapital(value) && value.includes(" "))
  ]
  return { introduced: certain, others: distinct([...certain, ...others]).slice(certain.length) }
}

/** Extends a place to its whole name, because `compromise` may find only its first word: "Las" of "Las Vegas". */
const completed = (reading: Reading) => (place: Mention<string>): Mention<string> => {
  const index = reading.words.findIndex(({ at }) => at >= place.at)
  if (index < 0) return place
  const isAllCapitals = reading.text === reading.text.toUpperCase()
  const begins = beginnings.has(reading.words[index]!.norm)
  const found = isAllCapitals && !begins ? undefined : nameFrom(reading, index, "capital")
  if (found === undefined || found.end <= place.end) return place
  const isPerson = reading.people.some((person) => overlaps(person, found) && !overlaps(person, place))
  const goesOn = particles.has(reading.words.find(({ at }) => at >= place.end)?.norm ?? "")
  return isPerson && !begins && !goesOn ? place : found
}

/** Finds places: known ones, and capitalised names after words such as "in". */
export const placesIn = (reading: Reading, people: ReadonlyArray<Span>): ReadonlyArray<Mention<string>> => {
  const free = outside([...people, ...reading.dates])
  return distinct([...reading.places.map(completed(reading)), ...after(reading, placed, "capital")].filter(free))
    .filter(({ value }) => ![calendar, foreign, stopWords].some((words) => words.has(value.toLowerCase())))
    .slice().sort((one, other) => one.at - other.at)
}

const fillers = wordSet(
  "ok okay well hmm hm um uh so oh ah yes yeah yep please thanks thank you it's its it is that's that would be i'd i like " +
    "want think say let's let go with in to at for from the a of maybe sure just then probably actually my name city i'm am " +
    "make no rather instead put then"
)

const vague = wordSet(
  "anywhere somewhere nowhere whatever everything nothing none skip pass next back stop quit exit idk dunno sorry lol haha " +
    "mother father mum mom dad wife husband partner son daughter sister brother friend boss colleague myself " +
    "hello hi hey bye goodbye later unsure undecided good great nice cool fine morning evening"
)

const rows = ["qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm"].flatMap((row) => [
  row,
  [...row].reverse().join("")
])

/** True for four or more neighbouring keys, and for one letter repeated: "asdf", "xxx". */
const isMashed = (norm: string): boolean =>
  /^(\p{L})\1{2,}$/u.test(norm) || (norm.length >= 4 && rows.some((row) => row.includes(norm)))

/** True if a word can be part of a value: it is no number, no day, no yes or no, and no connecting word. */
const sayable = (said: ReadonlyArray<Word>) => (word: Word): boolean => {
  const isName = said.length > 1 && isCapital(word.text)
  if (/\d/.test(word.text) || vague.has(word.norm) || calendar.has(word.norm) || isMashed(word.norm)) return false
  if (said.length > 1 && foreign.has(word.norm) && !isCapital(word.text)) return false
  return isName || ((!stopWords.has(word.norm) || particles.has(word.norm)) && yesOrNo(word.norm) === undefined)
}

const capitalised = "\\p{Lu}[\\p{L}\\p{M}'’-]+(?: \\p{Lu}[\\p{L}\\p{M}'’-]*\\.?){0,2}"

/** Matches a name as registers write it: "SMITH, John", "van der Berg, Anna". */
const register = new RegExp(
  `(?<![\\p{L}\\p{N}'’-])((?:(?:${[...particles].join("|")}) ){0,3}${capitalised}), (${capitalised})[.!]?$`,
  "u"
)

/** Returns the name of a message that ends with a family name, a comma and first names, in the usual order. */
export const registered = (text: string): Mention<string> | undefined => {
  const [, family = "", first = ""] = register.exec(text.trimEnd()) ?? []
  if (family === "" || bareAnswer(family)?.value !== family || bareAnswer(first)?.value !== first) return undefined
  const isLoud = family === family.toUpperCase() && first !== first.toUpperCase()
  const at = text.lastIndexOf(`${family}, ${first}`)
  return { at, end: at + family.length + 2 + first.length, value: `${titled(first)} ${surname(family, isLoud)}` }
}

const surname = (family: string, isLoud: boolean): string => titled(`x ${isLoud ? quieted(family) : family}`).slice(2)

/** True for a count instead of a name: "three nights", "two adults". */
const isCount = ([number, what]: ReadonlyArray<Word>): boolean =>
  number !== undefined && what !== undefined && numberOf(number.norm) !== undefined &&
  (isUnit(what.stem) || isPeople(what.stem))

/** Returns the value of a short answer, without polite words; undefined for an intent, a question, a yes or no. */
export const bareAnswer = (text: string): Mention<string> | undefined => {
  if (text.length > 120 || /[?@()[\]{}$*+\\<>=|^~_#]/.test(text)) return undefined
  const words = wordsOf(text)
  const first = words.findIndex(({ norm }) => !fillers.has(norm))
  const last = words.findLastIndex(({ norm }) => !fillers.has(norm))
  const kept = first < 0 ? [] : words.slice(first, last + 1)
  const stop = kept.findIndex((word, index) =>
    index > 0 && /[,;.!]\s/.test(text.slice(kept[index - 1]!.end, word.at)) && !isJoined(text, kept[index - 1], word)
  )
  const said = stop < 0 ? kept : kept.slice(0, stop)
  if (said.length === 0 || said.length > 5 || !said.every(sayable(said)) || said.every(isIntent)) return undefined
  if (isCount(said) || (said.length === 1 && numberOf(said[0]!.norm) !== undefined)) return undefined
  const span = whole(text, said[0]!, said.at(-1)!)
  return { ...span, value: text.slice(span.at, span.end) }
}
