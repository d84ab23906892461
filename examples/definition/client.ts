/** The browser's part: it has the types and the Schemas of the agent from its definition, and no code of the server. */
import * as Definition from "coxswain/definition"
import { Effect, Schema } from "effect"
import { Hotel } from "./hotel.js"

const decode = Schema.decodeUnknown(Definition.schemas(Hotel).response)

/** Returns what the page shows for an answer of the server. */
export const shown = (answer: unknown) =>
  Effect.map(decode(answer), ({ message, session: { data } }) => {
    const guests: number | undefined = data.guests
    return `${message} [${data.city ?? "?"}, ${guests ?? "?"}]`
  })
