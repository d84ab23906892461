/** A flow that collects a city and a name and never ends, for tests of rewinding. */
import * as Stage from "./Stage.js"

export const trip = Stage.kit.flow({
  title: "Trip",
  steps: [
    { id: "city", prompt: "ask for the city", collect: ["city"] },
    { id: "name", prompt: "ask for the name", collect: ["name"] },
    { id: "note", prompt: "ask for a note", until: () => false }
  ]
})

/** Understands "Lisbon" as a city and "Ada" as a name. */
export const understand = ({ message }: { readonly message: string }) => ({
  flowScores: { trip: 90 },
  fields: {
    ...(["Lisbon", "Porto"].includes(message) && { city: message }),
    ...(["Ada", "Bo"].includes(message) && { name: message })
  }
})
