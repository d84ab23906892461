/** The people who speak in the agent's place: an id, or an object with an id. */
type Person = string | { readonly id: string; readonly name?: string }

export const personId = (by: Person): string => typeof by === "string" ? by : by.id

export const personName = (by: Person): string => typeof by === "string" ? by : by.name ?? by.id
