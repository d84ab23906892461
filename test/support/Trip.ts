/** A flow that takes a city and a name and then goes on for ever, for tests that go back in a conversation. */
import * as Stage from "./Stage.js"

export const trip = Stage.kit.flow({
  title: "Trip",
  steps: [
    { id: "city", prompt: "ask for the city", collect: ["city"] },
    { id: "name", prompt: "ask for the name", collect: ["name"] },
    { id: "note", prompt: "ask for a note", until: () => false }
  ]
})

/** "Lisbon" is a city, "Ada" is a name. */
export const understand = ({ message }: { readonly message: string }) => ({
  flowScores: { trip: 90 },
  fields: {
    ...(["Lisbon", "Porto"].includes(message) && { city: message }),
    ...(["Ada", "Bo"].includes(message) && { name: message })
  }
})
