/** Claims the parts of an address written in one line: "Herengracht 12, 1017 AB Amsterdam". */
import type { Claim, Message } from "./Claims.js"
import { matchesOf, outside } from "./Mentions.js"
import type { Slot } from "./Slot.js"
import { identifierWords } from "./Words.js"

type Part = "street" | "number" | "zip" | "city"

/** The parts of an address. A field is for a part if the end of its name matches the part's pattern. */
const parts: ReadonlyArray<readonly [Part, RegExp]> = [
  ["street", /\bstreet(?: name| address| line| and number)?$/],
  ["number", /^(?:house |street )?(?:number|nr)$/],
  ["zip", /\b(?:zip|postcode|postal|zip code|postal code)$/],
  ["city", /\b(?:city|town)$/]
]

/** The name of a field within its struct. */
const ownName = ({ name }: Slot): string => name.slice(name.lastIndexOf(".") + 1)

const parentOf = ({ name }: Slot): string => name.slice(0, name.lastIndexOf(".") + 1)

const partOf = (slot: Slot): Part | undefined =>
  parts.find(([, pattern]) => pattern.test(identifierWords(ownName(slot))))?.[0]

/** A street with its number, a zip code and a city, as written in most of Europe. */
const line =
  /(?<![\p{L}\p{N}])(?<street>\p{Lu}[\p{L}'’.-]{1,30}(?: (?:\p{Lu}[\p{L}'’.-]{0,30}|den?|der|van|la|le|du|des|di|am|zu[mr])){0,4}) (?<number>\d{1,4}[a-z]?), ?(?<zip>\d{4}(?: ?[A-Z]{2}|\d)?) (?<city>\p{Lu}[\p{L}'’-]{1,30}(?: \p{Lu}[\p{L}'’-]{1,30}){0,2})(?![\p{L}\p{N}])/gu

const within = new RegExp(line.source, "du")

/**
 * Claims a line as an address only if other fields of the same struct ask for the street and at least one other part,
 * and the zip field accepts the zip code.
 */
export const addressClaims = ({ reading, slots }: Message, slot: Slot): ReadonlyArray<Claim> => {
  const part = partOf(slot)
  if (part === undefined) return []
  const beside = new Map(
    slots.filter((one) => parentOf(one) === parentOf(slot)).map((one) => [partOf(one) ?? "other", one])
  )
  const found = parts.filter(([one]) => beside.has(one)).length
  if (!beside.has("street") || found < 2) return []
  return matchesOf(reading.text, line).filter(outside(reading.dates)).flatMap((mention) => {
    const { groups = {}, indices } = within.exec(mention.value)!
    const zip = beside.get("zip")
    const isWhole = part === "street" && !beside.has("number")
    const [from, to] = indices!.groups![part]!
    const end = isWhole ? indices!.groups!.number![1] : to
    return zip?.accepts(groups.zip!) === false
      ? []
      : [{ at: mention.at + from, end: mention.at + end, slot, value: mention.value.slice(from, end), score: 9.5 }]
  })
}
