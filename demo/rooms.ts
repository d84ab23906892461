/** The rooms of the hotel's houses, and which of them are taken. It stands for the hotel's own booking system. */

export interface Room {
  readonly name: string
  readonly beds: number
  /** Euros for one night. */
  readonly price: number
  /** Days of the week on which the room is taken, 0 for Sunday. */
  readonly taken: ReadonlyArray<number>
}

const room = (name: string, beds: number, price: number, taken: ReadonlyArray<number> = []): Room => ({
  name,
  beds,
  price,
  taken
})

export const houses: Readonly<Record<string, ReadonlyArray<Room>>> = {
  Lisbon: [room("a double room", 2, 90, [5, 6]), room("a family room", 4, 140), room("the suite", 8, 260, [6])],
  Porto: [room("a double room", 2, 80), room("a family room", 4, 120), room("the apartment", 6, 190, [5, 6, 0])],
  Faro: [room("a double room", 2, 70, [0]), room("the garden house", 5, 150)],
  Madrid: [room("a double room", 2, 95), room("a family room", 3, 125, [4, 5])],
  Berlin: [room("a double room", 2, 85), room("the loft", 6, 210, [5, 6])],
  Paris: [room("a small double room", 2, 120, [5, 6, 0])]
}

export const cities: ReadonlyArray<string> = Object.keys(houses)

/** Other names of the cities. */
const names: Readonly<Record<string, string>> = {
  lissabon: "Lisbon",
  lisboa: "Lisbon",
  lisbonne: "Lisbon",
  lisbona: "Lisbon"
}

/** The city of a house, whatever language names it; undefined if there is no house. */
export const houseIn = (city: string): string | undefined =>
  cities.find((one) => one.toLowerCase() === city.toLowerCase()) ?? names[city.toLowerCase()]

const dayMillis = 86_400_000

const freeOn = (city: string, day: Date, guests: number): Room | undefined =>
  houses[city]?.find(({ beds, taken }) => beds >= guests && !taken.includes(day.getUTCDay()))

/** Why there is no room, and what there is instead. */
export type Refusal =
  | { readonly _tag: "NoHouse" }
  | { readonly _tag: "TooMany"; readonly most: number; readonly elsewhere: ReadonlyArray<string> }
  | { readonly _tag: "Past" }
  | { readonly _tag: "Full"; readonly days: ReadonlyArray<Date>; readonly elsewhere: ReadonlyArray<string> }

/** Looks for the cheapest room. */
export const find = (city: string, day: Date, guests: number, today: Date): Room | Refusal => {
  const house = houseIn(city)
  if (house === undefined) return { _tag: "NoHouse" }
  const most = Math.max(...houses[house]!.map(({ beds }) => beds))
  const others = cities.filter((one) => one !== house && freeOn(one, day, guests) !== undefined)
  if (guests > most) return { _tag: "TooMany", most, elsewhere: others }
  if (day.getTime() < Math.floor(today.getTime() / dayMillis) * dayMillis) return { _tag: "Past" }
  const found = freeOn(house, day, guests)
  if (found !== undefined) return found
  const days = [-2, -1, 1, 2, 3].map((days) => new Date(day.getTime() + days * dayMillis))
    .filter((one) => one > today && freeOn(house, one, guests) !== undefined)
  return { _tag: "Full", days: days.slice(0, 2), elsewhere: others.slice(0, 2) }
}
