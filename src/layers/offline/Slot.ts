/** The meaning of a field, by its name and description, for schemas that only say "a string" or "a number". */
import type { Field } from "./FieldKind.js"
import { identifierWords, stemOf, stopWords, wordSet, wordsOf } from "./Words.js"

export type Role = "email" | "link" | "phone" | "date" | "time" | "code" | "place" | "street" | "person" | "free"

/** The kind of things that a number counts, if known. */
type CountedThing = "people" | "money" | "age"

/** A field with its meaning. */
export interface Slot extends Field {
  readonly role: Role
  /** Stems of the words of its name (`nameStems`), and of its name and description (`cueStems`). */
  readonly nameStems: ReadonlySet<string>
  readonly cueStems: ReadonlySet<string>
  /** True if the field is the start (`begins`) or the end (`ends`) of a range in time or space. */
  readonly begins: boolean
  readonly ends: boolean
  readonly counts: CountedThing | undefined
}

const things = "hotel|product|company|project|file|event|team|user|brand|street|pet|dog|cat|song|address"

/** The role of a field: the first rule that matches the name, else the first that matches the description. */
const roles: ReadonlyArray<readonly [Role, RegExp]> = [
  ["street", /\bstreet(?: address| line| and number)?$/],
  ["free", /\b(?:notes?|comments?|reasons?|feedback|requests?|subject|topic|titles?|details|wishes|problem|issue)\b/],
  ["email", /\be-?mails?\b/],
  ["phone", /\b(?:phone|telephone|mobile|cell)\b/],
  ["link", /\b(?:url|website|link|homepage)\b/],
  ["code", /\b(?:id|code|ref|reference|sku|iban|zip|postcode|postal|number|plate)\b/],
  ["free", new RegExp(`\\b(?:(?:${things})(?: names?)?$|names? of (?:the |a |your )?(?:${things})\\b)`)],
  ["place", /\b(?:city|town|place|location|destination|country|origin|where|airport|region|village|island|from|to)\b/],
  ["date", /\b(?:date|day|birthday|deadline|check ?in|check ?out|arrival|departure|when)\b/],
  ["time", /\btime\b/],
  ["person", /\b(?:names?|who|person|passenger|attendee|surname|guest|customer|contact|host)\b/]
]

const roleIn = (words: string): Role | undefined => roles.find(([, pattern]) => pattern.test(words))?.[0]

/** Removes words that say nothing about the role when they are part of a sentence. */
const roleOfDescription = (description: string): Role | undefined =>
  roleIn(description.replace(/\b(?:from|to|where|who|when|guests?|customer|contact|host|id)\b/g, " "))

/** Further names of a field, by its role. */
const roleStems: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["date", ["date", "day"]],
  ["time", ["time"]],
  ["person", ["name"]],
  ["phone", ["phone"]],
  ["email", ["email"]]
].map(([role, words]) => [role as string, (words as ReadonlyArray<string>).map(stemOf)]))

/** True if a stem names the field: it occurs in its name, or is a common name of its role. */
export const isNamed = (slot: Slot, stem: string): boolean =>
  slot.nameStems.has(stem) || (roleStems.get(slot.kind._tag === "Date" ? "date" : slot.role)?.includes(stem) ?? false)

const beginning = /\b(?:check ?in|arrival|arrive|start|starting|from|begin|beginning|pick ?up|origin|departure)\b/
const ending = /\b(?:check ?out|end|until|till|return|leave|leaving|drop ?off|to|destination)\b/

const stems = (words: string): ReadonlySet<string> => new Set(words.split(" ").map(stemOf))

const people = stems(
  "guest person adult pax traveller passenger attendee visitor child us participant diner baby seats"
)

const units = stems(
  "second minute hour day night week weekday month year room bed table seat ticket floor euro dollar pound percent cent " +
    "km kilometer mile meter kg kilo gram litre star time bag item copy piece money"
)

const currencies = stems("euro dollar pound franc buck cent")

export const isCurrency = (stem: string): boolean => currencies.has(stem)

export const isPeople = (stem: string): boolean => people.has(stem)

export const isUnit = (stem: string): boolean => units.has(stem)

const noise = wordSet(
  "number amount count total many value string integer instance positive given between least most"
)

const cueStems = (text: string): ReadonlySet<string> =>
  new Set(
    wordsOf(text)
      .filter(({ norm, stem }) => people.has(stem) || !(stopWords.has(norm) || noise.has(norm) || /^\d/.test(norm)))
      .map(({ stem }) => stem)
  )

const measures: ReadonlyArray<readonly [CountedThing, RegExp]> = [
  ["money", /\b(?:price|budget|cost|fee|salary|deposit|payment|amount)\b/],
  ["age", /\bage\b/]
]

const countedBy = (name: string, all: string, named: ReadonlySet<string>, cues: ReadonlySet<string>) => {
  const measure = measures.find(([, pattern]) => pattern.test(all))?.[0]
  if (measure !== undefined) return measure
  const isGroup = [...named].some(isPeople) || /\b(?:party|group)\b/.test(name)
  return isGroup || ([...cues].some(isPeople) && ![...named].some(isUnit)) ? "people" : undefined
}

/** Tells from the name of a field alone the kind of things that it counts, and the stems of the words of its name. */
export const unitOfName = (name: string): Pick<Slot, "counts" | "nameStems"> => {
  const words = identifierWords(name)
  const nameStems = cueStems(words)
  return { counts: countedBy(words, words, nameStems, nameStems), nameStems }
}

export const slotOf = (field: Field): Slot => {
  const name = identifierWords(field.name)
  const described = field.description.toLowerCase()
  const all = `${name} ${described}`
  const nameStems = cueStems(name)
  const cues = new Set([...nameStems, ...cueStems(described)])
  return {
    ...field,
    role: roleIn(name) ?? roleOfDescription(described) ?? "free",
    nameStems,
    cueStems: cues,
    begins: beginning.test(name) || (beginning.test(described) && !ending.test(name)),
    ends: ending.test(name),
    counts: countedBy(name, all, nameStems, cues)
  }
}
