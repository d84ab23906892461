/** A small hotel with three flows: booking, opening hours, cancellation. */
import { kit } from "./Stage.js"

export const booking = kit.flow({
  title: "Booking",
  when: "the guest wants a room",
  requiredFields: ["city", "checkIn", "guests"],
  steps: [
    { id: "city", prompt: "Ask which city", collect: ["city"] },
    { id: "checkIn", prompt: "Ask which day", collect: ["checkIn"] },
    { id: "guests", prompt: "Ask how many guests", collect: ["guests"] },
    { id: "confirm", prompt: ({ data }) => `Confirm ${data.city}, ${data.checkIn}, ${data.guests}` }
  ]
})

export const hours = kit.flow({
  title: "Opening hours",
  id: "hours",
  when: "the guest asks when we are open",
  reentrant: true,
  steps: [{ id: "tell", prompt: "Say that we are open from 8 to 22" }]
})

export const cancellation = kit.flow({
  title: "Cancellation",
  id: "cancel",
  when: "the guest wants to cancel",
  onInterrupt: "drop",
  steps: [{ id: "sure", prompt: "Ask whether to cancel", collect: ["breakfast"] }, { id: "bye", prompt: "Say goodbye" }]
})

export const booked = { city: "Lisbon", checkIn: "2027-03-15", guests: 2 }
