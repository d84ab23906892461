/**
 * Hand-written travel desk conversations: each message, its understanding, and the expected state.
 */
import type { Line } from "../support/Dialogue.js"

export const dialogues: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<Line>]> = [
  ["\"No, thanks\" ends only the digression, and \"Yes\" then confirms the resumed transfer", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "What is on my account?", wants: "balance", then: { at: "balance/more", suspended: ["transfer"] } },
    {
      say: "No, thanks",
      holds: ["no"],
      then: { at: "transfer/sure", said: "Send it?", completed: ["balance"], aborted: [] }
    },
    { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT" } }
  ]],
  ["\"No, thanks\" ends only the digression, and \"Yes please\" then confirms the resumed transfer", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "What is on my account?", wants: "balance", then: { at: "balance/more", suspended: ["transfer"] } },
    {
      say: "No, thanks",
      holds: ["no"],
      then: { at: "transfer/sure", said: "Send it?", completed: ["balance"], aborted: [] }
    },
    { say: "Yes please", holds: ["yes"], then: { said: "MONEY SENT" } }
  ]],
  ["\"No, thanks\" ends only the digression, and \"Sure, go on\" then confirms the resumed transfer", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "What is on my account?", wants: "balance", then: { at: "balance/more", suspended: ["transfer"] } },
    {
      say: "No, thanks",
      holds: ["no"],
      then: { at: "transfer/sure", said: "Send it?", completed: ["balance"], aborted: [] }
    },
    { say: "Sure, go on", holds: ["yes"], then: { said: "MONEY SENT" } }
  ]],
  ["a yes during a digression answers the digression's question, and not the suspended flow's question", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "My balance?", wants: "balance", then: { at: "balance/more" } },
    {
      say: "Yes",
      holds: ["yes"],
      then: { said: "A statement is on its way.", at: "balance/more", suspended: ["transfer"] }
    },
    { say: "Done", holds: ["done"], then: { at: "transfer/sure", completed: ["balance"] } },
    { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT", at: "transfer/sent" } }
  ]],
  ["a no during a digression completes the digression, and does not abort the suspended booking", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    { say: "My balance?", wants: "balance", then: { at: "balance/more" } },
    { say: "No", holds: ["no"], then: { at: "hotel/sure", said: "Shall I book?", aborted: [] } },
    { say: "No", holds: ["no"], then: { at: "nowhere", aborted: ["hotel"] } }
  ]],
  ["a yes during a digression does not set the boolean field that the suspended flow asked for", [
    {
      say: "A room in Rome on Monday",
      wants: "hotel",
      states: { city: "Rome", date: "Monday" },
      then: { at: "hotel/breakfast" }
    },
    { say: "My balance?", wants: "balance", then: { at: "balance/more" } },
    {
      say: "Yes",
      states: { breakfast: true },
      holds: ["yes"],
      then: { at: "balance/more", data: { city: "Rome", date: "Monday" }, trace: ["value_not_taken"] }
    },
    { say: "Done", holds: ["done"], then: { at: "hotel/breakfast" } },
    {
      say: "Yes",
      states: { breakfast: true },
      then: { at: "hotel/sure", data: { city: "Rome", date: "Monday", breakfast: true } }
    }
  ]],
  ["after a flow that completes immediately, the suspended flow resumes and asks its question again", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    {
      say: "Weather?",
      wants: "weather",
      then: { said: "Sunny", at: "transfer/sure", completed: ["weather"], suspended: [] }
    },
    { say: "Yes", holds: ["yes"], then: { said: "Send it?", at: "transfer/sure" } },
    { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT" } }
  ]],
  ["suspended flows resume one after the other, the flow suspended last first", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee", suspended: ["hotel"] } },
    { say: "My balance?", wants: "balance", then: { at: "balance/more", suspended: ["hotel", "transfer"] } },
    {
      say: "Weather?",
      wants: "weather",
      then: { said: "Sunny", at: "balance/more", suspended: ["hotel", "transfer"] }
    },
    { say: "Done", holds: ["done"], then: { at: "transfer/payee", suspended: ["hotel"] } },
    { say: "Ada", states: { payee: "Ada" }, then: { at: "transfer/amount" } },
    { say: "50", states: { amount: 50 }, then: { at: "transfer/sure" } },
    { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT", at: "transfer/sent" } },
    { say: "Good", then: { at: "hotel/city", completed: ["transfer"], data: {} } },
    { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "hotel/date" } }
  ]],
  ["each cancellation aborts the current flow and resumes the flow that was suspended last", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee", suspended: ["hotel"] } },
    { say: "My balance?", wants: "balance", then: { at: "balance/more", suspended: ["hotel", "transfer"] } },
    {
      say: "I have a complaint",
      wants: "complaint",
      then: { at: "complaint/what", suspended: ["hotel", "transfer", "balance"] }
    },
    {
      say: "Never mind",
      holds: ["never mind"],
      then: { at: "balance/more", aborted: ["complaint"], suspended: ["hotel", "transfer"] }
    },
    { say: "Cancel", holds: ["cancel"], then: { at: "transfer/payee", aborted: ["balance"], suspended: ["hotel"] } },
    { say: "Cancel", holds: ["cancel"], then: { at: "hotel/city", aborted: ["transfer"], suspended: [] } },
    { say: "Cancel", holds: ["cancel"], then: { at: "nowhere", aborted: ["hotel"] } }
  ]],
  ["\"forget it all\" aborts the current flow and all three suspended flows", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee" } },
    { say: "My balance?", wants: "balance", then: { at: "balance/more" } },
    { say: "Complaint!", wants: "complaint", then: { suspended: ["hotel", "transfer", "balance"] } },
    {
      say: "Forget it all",
      holds: ["forget it all"],
      then: { at: "nowhere", suspended: [], aborted: ["complaint"], reason: "aborted" }
    }
  ]],
  ["the user can ask for the flow that was suspended first, and this flow then resumes", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee" } },
    { say: "My balance?", wants: "balance", then: { suspended: ["hotel", "transfer"] } },
    { say: "The room first", wants: "hotel", then: { at: "hotel/city", suspended: ["transfer", "balance"] } },
    { say: "Done", holds: ["done"], then: { at: "balance/more", suspended: ["transfer"] } }
  ]],
  ["a value stated during a digression is also used by the suspended flow", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    {
      say: "How is the weather in Rome?",
      wants: "weather",
      states: { city: "Rome" },
      then: { said: "Sunny", at: "hotel/city", data: { city: "Rome" } }
    },
    { say: "Well?", then: { at: "hotel/date" } }
  ]],
  ["after a digression to the balance flow, the booking resumes and is confirmed", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    {
      say: "My balance?",
      wants: "balance",
      then: { at: "balance/more", suspended: ["hotel"], data: { city: "Lisbon", date: "Friday", breakfast: true } }
    },
    {
      say: "Done",
      holds: ["done"],
      then: { at: "hotel/sure", said: "Shall I book?", completed: ["balance"], suspended: [] }
    },
    { say: "Yes", holds: ["yes"], then: { said: "Booked." } },
    { say: "Thanks", then: { at: "nowhere", completed: ["hotel"] } }
  ]],
  ["after a digression to the complaint flow, the booking resumes and is confirmed", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    {
      say: "A complaint",
      wants: "complaint",
      then: { at: "complaint/what", suspended: ["hotel"], data: { city: "Lisbon", date: "Friday", breakfast: true } }
    },
    {
      say: "Done",
      holds: ["done"],
      then: { at: "hotel/sure", said: "Shall I book?", completed: ["complaint"], suspended: [] }
    },
    { say: "Yes", holds: ["yes"], then: { said: "Booked." } },
    { say: "Thanks", then: { at: "nowhere", completed: ["hotel"] } }
  ]],
  ["after a digression to the transfer flow, the booking resumes and is confirmed", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    {
      say: "Send money",
      wants: "transfer",
      then: { at: "transfer/payee", suspended: ["hotel"], data: { city: "Lisbon", date: "Friday", breakfast: true } }
    },
    {
      say: "Done",
      holds: ["done"],
      then: { at: "hotel/sure", said: "Shall I book?", completed: ["transfer"], suspended: [] }
    },
    { say: "Yes", holds: ["yes"], then: { said: "Booked." } },
    { say: "Thanks", then: { at: "nowhere", completed: ["hotel"] } }
  ]],
  ["one message completes the hotel flow and enters the complaint flow", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    {
      say: "Done. Now a complaint",
      wants: { complaint: 90, hotel: 80 },
      holds: ["done"],
      then: { at: "complaint/what", completed: ["hotel"], suspended: [] }
    }
  ]],
  ["one message aborts the hotel flow and enters the complaint flow", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    {
      say: "Cancel that. A complaint",
      wants: { complaint: 90, hotel: 80 },
      holds: ["cancel"],
      then: { at: "complaint/what", aborted: ["hotel"], suspended: [], reason: "aborted" }
    }
  ]],
  ["one message completes the taxi flow and enters the complaint flow", [
    { say: "A taxi", wants: "taxi", then: { at: "taxi/from" } },
    {
      say: "Done. Now a complaint",
      wants: { complaint: 90, taxi: 80 },
      holds: ["done"],
      then: { at: "complaint/what", completed: ["taxi"], suspended: [] }
    }
  ]],
  ["one message aborts the taxi flow and enters the complaint flow", [
    { say: "A taxi", wants: "taxi", then: { at: "taxi/from" } },
    {
      say: "Cancel that. A complaint",
      wants: { complaint: 90, taxi: 80 },
      holds: ["cancel"],
      then: { at: "complaint/what", aborted: ["taxi"], suspended: [], reason: "aborted" }
    }
  ]],
  ["one message completes the transfer flow and enters the complaint flow", [
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee" } },
    {
      say: "Done. Now a complaint",
      wants: { complaint: 90, transfer: 80 },
      holds: ["done"],
      then: { at: "complaint/what", completed: ["transfer"], suspended: [] }
    }
  ]],
  ["one message aborts the transfer flow and enters the complaint flow", [
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee" } },
    {
      say: "Cancel that. A complaint",
      wants: { complaint: 90, transfer: 80 },
      holds: ["cancel"],
      then: { at: "complaint/what", aborted: ["transfer"], suspended: [], reason: "aborted" }
    }
  ]],
  ["one message completes the balance flow and enters the complaint flow", [
    { say: "Balance", wants: "balance", then: { at: "balance/more" } },
    {
      say: "Done. Now a complaint",
      wants: { complaint: 90, balance: 80 },
      holds: ["done"],
      then: { at: "complaint/what", completed: ["balance"], suspended: [] }
    }
  ]],
  ["one message aborts the balance flow and enters the complaint flow", [
    { say: "Balance", wants: "balance", then: { at: "balance/more" } },
    {
      say: "Cancel that. A complaint",
      wants: { complaint: 90, balance: 80 },
      holds: ["cancel"],
      then: { at: "complaint/what", aborted: ["balance"], suspended: [], reason: "aborted" }
    }
  ]],
  ["when one message switches to another flow, a suspended flow resumes only after that other flow", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "My balance?", wants: "balance", then: { suspended: ["hotel"] } },
    {
      say: "Done. Send money",
      wants: "transfer",
      holds: ["done"],
      then: { at: "transfer/payee", completed: ["balance"], suspended: ["hotel"], steps: ["transfer/payee"] }
    },
    { say: "Cancel", holds: ["cancel"], then: { at: "hotel/city", suspended: [] } }
  ]],
  ["one message cancels a flow, enters another flow and states the values of that other flow", [
    { say: "A taxi from here", wants: "taxi", states: { from: "here" }, then: { at: "taxi/to" } },
    {
      say: "Cancel. Send 20 to Bo",
      wants: "transfer",
      states: { payee: "Bo", amount: 20 },
      holds: ["cancel"],
      then: { at: "transfer/sure", data: { payee: "Bo", amount: 20 } }
    }
  ]],
  ["one message answers a confirmation with no and asks for another flow", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "No. A taxi", wants: "taxi", holds: ["no"], then: { at: "taxi/from", aborted: ["transfer"], data: {} } }
  ]],
  ["a message that cancels a flow does not enter the same flow again", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Cancel the room", wants: "hotel", holds: ["cancel"], then: { at: "nowhere", aborted: ["hotel"] } },
    { say: "A room after all", wants: "hotel", then: { at: "hotel/city" } }
  ]],
  ["the agent's branch for \"a person\" replies in any flow, and the flow then continues", [
    { say: "A person", holds: ["a person"], then: { said: "I will get someone.", at: "nowhere" } },
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "A person", holds: ["a person"], then: { said: "I will get someone.", at: "hotel/city" } },
    { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "hotel/date" } }
  ]],
  ["the `onInterrupt` function of the transfer drops the transfer when the user asks for a taxi", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "A taxi", wants: "taxi", then: { at: "taxi/from", suspended: [], data: {} } }
  ]],
  ["the `onInterrupt` function of the transfer suspends the transfer when the user asks for the balance", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "Balance", wants: "balance", then: { suspended: ["transfer"], data: { payee: "Ada", amount: 50 } } }
  ]],
  ["a flow with `onInterrupt: \"complete\"` completes when the user asks for another flow", [
    { say: "Complaint", wants: "complaint", then: { at: "complaint/what" } },
    { say: "A room", wants: "hotel", then: { at: "hotel/city", completed: ["complaint"], suspended: [] } }
  ]],
  ["of two flows that a message asks for, the second is entered when the first has completed", [
    { say: "A room and a taxi", wants: { hotel: 90, taxi: 70 }, then: { at: "hotel/city", agenda: ["taxi"] } },
    {
      say: "Lisbon, Friday, no breakfast",
      states: { city: "Lisbon", date: "Friday", breakfast: false },
      then: { at: "hotel/sure" }
    },
    { say: "Yes", holds: ["yes"], then: { said: "Booked.", agenda: ["taxi"] } },
    { say: "Fine", then: { at: "taxi/from", completed: ["hotel"], agenda: [] } },
    {
      say: "Hotel to airport at 7",
      states: { from: "hotel", to: "airport", time: "7" },
      then: { at: "nowhere", completed: ["taxi"], data: { city: "Lisbon", date: "Friday", breakfast: false } }
    }
  ]],
  ["three flows that one message asks for are entered in the order of their scores", [
    {
      say: "Balance, a room and a taxi",
      wants: { balance: 95, hotel: 80, taxi: 60 },
      then: { at: "balance/more", agenda: ["hotel", "taxi"] }
    },
    { say: "Done", holds: ["done"], then: { at: "hotel/city", agenda: ["taxi"] } },
    { say: "Cancel", holds: ["cancel"], then: { at: "taxi/from", agenda: [] } }
  ]],
  ["a value that a message states for the second requested flow is stored for that flow", [
    {
      say: "Send 50 to Ada and a taxi to the airport",
      wants: { transfer: 90, taxi: 70 },
      states: { payee: "Ada", amount: 50, to: "airport" },
      then: { at: "transfer/sure", agenda: ["taxi"] }
    },
    { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT" } },
    { say: "Ok", then: { at: "taxi/from", data: { to: "airport" } } },
    { say: "From home", states: { from: "home" }, then: { at: "taxi/time" } }
  ]],
  ["the second requested flow is entered after a digression and the resumed first flow", [
    { say: "A room and a taxi", wants: { hotel: 90, taxi: 70 }, then: { agenda: ["taxi"] } },
    { say: "My balance?", wants: "balance", then: { at: "balance/more", agenda: ["taxi"], suspended: ["hotel"] } },
    { say: "Done", holds: ["done"], then: { at: "hotel/city", agenda: ["taxi"] } },
    { say: "Cancel", holds: ["cancel"], then: { at: "taxi/from" } }
  ]],
  ["the user can ask for the second requested flow, which then interrupts the first flow", [
    { say: "A room and a taxi", wants: { hotel: 90, taxi: 70 }, then: { agenda: ["taxi"] } },
    { say: "The taxi first", wants: "taxi", then: { at: "taxi/from", agenda: [], suspended: ["hotel"] } }
  ]],
  ["\"forget it all\" also removes the second requested flow from the agenda", [
    { say: "A room and a taxi", wants: { hotel: 90, taxi: 70 }, then: { agenda: ["taxi"] } },
    { say: "Forget it all", holds: ["forget it all"], then: { at: "nowhere", agenda: [] } }
  ]],
  ["a flow whose score is below the threshold is not added to the agenda", [
    { say: "A room, the weather is awful", wants: { hotel: 90, weather: 39 }, then: { agenda: [] } }
  ]],
  ["a flow that scores only slightly more than the active flow is added to the agenda", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    {
      say: "Lisbon, and what about a taxi?",
      wants: { hotel: 80, taxi: 85 },
      states: { city: "Lisbon" },
      then: { at: "hotel/date", agenda: ["taxi"] }
    }
  ]],
  ["the user can correct a value and answer the current question in one message", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "hotel/date" } },
    {
      say: "No, Rome, on Friday",
      states: { city: "Rome", date: "Friday" },
      then: { at: "hotel/breakfast", data: { city: "Rome", date: "Friday" } }
    }
  ]],
  ["the user can correct values of a completed flow", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    { say: "Yes", holds: ["yes"], then: { said: "Booked." } },
    { say: "Thanks", then: { at: "nowhere", completed: ["hotel"] } },
    {
      say: "Sorry, on Saturday",
      states: { date: "Saturday" },
      then: { at: "nowhere", data: { city: "Lisbon", date: "Saturday", breakfast: true } }
    },
    {
      say: "And in Porto",
      states: { city: "Porto" },
      then: { data: { city: "Porto", date: "Saturday", breakfast: true } }
    }
  ]],
  ["the user cannot correct values of a completed flow after another flow was active", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    { say: "Yes", holds: ["yes"], then: {} },
    { say: "Thanks", then: { at: "nowhere", completed: ["hotel"] } },
    { say: "Balance", wants: "balance", then: { at: "balance/more" } },
    { say: "Done", holds: ["done"], then: { at: "nowhere" } },
    {
      say: "On Saturday",
      states: { date: "Saturday" },
      then: { data: { city: "Lisbon", date: "Friday", breakfast: true }, trace: ["value_not_taken"] }
    }
  ]],
  ["values in a message that enters a flow do not change the completed flow's values", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    { say: "Yes", holds: ["yes"], then: {} },
    { say: "Thanks", then: { at: "nowhere", completed: ["hotel"] } },
    {
      say: "A taxi from the hotel",
      wants: "taxi",
      states: { from: "hotel" },
      then: { at: "taxi/to", data: { city: "Lisbon", date: "Friday", breakfast: true, from: "hotel" } }
    }
  ]],
  ["a larger amount stated at the confirmation does not change the chosen branch", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "Five thousand", states: { amount: 5000 }, then: { at: "transfer/sure" } }
  ]],
  ["a corrected amount, stated before the confirmation, selects the branch again", [
    {
      say: "Send 5000 to Ada",
      wants: "transfer",
      states: { payee: "Ada", amount: 5000 },
      then: { at: "transfer/call" }
    },
    { say: "No, 50", states: { amount: 50 }, then: { at: "transfer/sure" } }
  ]],
  ["a withdrawn date is cleared and asked for again", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    {
      say: "Forget the date",
      more: { withdrawn: ["date"] },
      then: { at: "hotel/date", cleared: ["date"], data: { city: "Lisbon", breakfast: true } }
    },
    { say: "Sunday", states: { date: "Sunday" }, then: { at: "hotel/sure" } }
  ]],
  ["two withdrawn values are cleared, and asked for in the order of the steps", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    {
      say: "Forget city and date",
      more: { withdrawn: ["city", "date"] },
      then: { at: "hotel/city", cleared: ["city", "date"] }
    }
  ]],
  ["a withdrawn value that the flow does not require is cleared, and asked for by the step that collects it", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    {
      say: "Forget the breakfast",
      more: { withdrawn: ["breakfast"] },
      then: { at: "hotel/breakfast", cleared: ["breakfast"] }
    }
  ]],
  ["withdrawing an unknown value has no effect", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Forget the date", more: { withdrawn: ["date"] }, then: { at: "hotel/city", cleared: [] } }
  ]],
  ["a value that one message withdraws and states again is replaced", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    {
      say: "Not Friday, Sunday",
      states: { date: "Sunday" },
      more: { withdrawn: ["date"] },
      then: { at: "hotel/sure", cleared: [], data: { city: "Lisbon", date: "Sunday", breakfast: true } }
    }
  ]],
  ["a second taxi booking starts without the values of the first", [
    {
      say: "From home to airport at 7",
      wants: "taxi",
      states: { from: "home", to: "airport", time: "7" },
      then: { completed: ["taxi"], data: {} }
    },
    { say: "Another taxi", wants: "taxi", then: { at: "taxi/from", data: {} } }
  ]],
  ["a second taxi booking starts with the values that the message states", [
    {
      say: "From home to airport at 7",
      wants: "taxi",
      states: { from: "home", to: "airport", time: "7" },
      then: { completed: ["taxi"], data: {} }
    },
    {
      say: "Another one to the opera",
      wants: "taxi",
      states: { to: "opera" },
      then: { at: "taxi/from", data: { to: "opera" } }
    }
  ]],
  ["a completed hotel flow, which is not reentrant, is not entered again", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    { say: "Yes", holds: ["yes"], then: {} },
    { say: "Thanks", then: { at: "nowhere", completed: ["hotel"] } },
    { say: "A room", wants: "hotel", then: { at: "nowhere" } }
  ]],
  ["a completed reentrant flow is entered again", [
    { say: "Balance", wants: "balance", then: { at: "balance/more" } },
    { say: "Done", holds: ["done"], then: { at: "nowhere" } },
    { say: "Balance", wants: "balance", then: { at: "balance/more" } }
  ]],
  ["a suspended flow keeps its flow-scoped values", [
    { say: "A taxi from home", wants: "taxi", states: { from: "home" }, then: { at: "taxi/to" } },
    { say: "Balance", wants: "balance", then: { data: { from: "home" }, suspended: ["taxi"] } },
    { say: "Done", holds: ["done"], then: { at: "taxi/to", data: { from: "home" } } }
  ]],
  ["an aborted flow loses its flow-scoped values", [
    { say: "A taxi from home", wants: "taxi", states: { from: "home" }, then: { at: "taxi/to" } },
    { say: "Cancel", holds: ["cancel"], then: { data: {} } }
  ]],
  ["the answer \"whenever\" completes the field `time`, for which any value will do", [
    { say: "A taxi from a to b", wants: "taxi", states: { from: "a", to: "b" }, then: { at: "taxi/time" } },
    { say: "Whenever", more: { dontCare: ["time"] }, then: { completed: ["taxi"] } }
  ]],
  ["\"whenever\" in the first message completes the field `time` without a question", [
    {
      say: "A taxi from a to b, whenever",
      wants: "taxi",
      states: { from: "a", to: "b" },
      more: { dontCare: ["time"] },
      then: { completed: ["taxi"], said: "The taxi comes" }
    }
  ]],
  ["the answer \"wherever\" does not complete the field `from`, which needs a value", [
    { say: "A taxi", wants: "taxi", then: { at: "taxi/from" } },
    { say: "Wherever", more: { dontCare: ["from"] }, then: { at: "taxi/from", trace: ["value_not_taken"] } }
  ]],
  ["a boolean value that the message states explicitly is stored before its question is asked", [
    {
      say: "A room with breakfast",
      wants: "hotel",
      states: { breakfast: true },
      then: { at: "hotel/city", data: { breakfast: true } }
    }
  ]],
  ["a bare \"Ja, bitte\" sets no boolean field before its question was asked", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Ja, bitte", states: { breakfast: true }, then: { at: "hotel/city", data: {}, trace: ["value_not_taken"] } }
  ]],
  ["a bare \"Oui\" sets no boolean field before its question was asked", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Oui", states: { breakfast: true }, then: { at: "hotel/city", data: {}, trace: ["value_not_taken"] } }
  ]],
  ["a bare \"はい\" sets no boolean field before its question was asked", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "はい", states: { breakfast: true }, then: { at: "hotel/city", data: {}, trace: ["value_not_taken"] } }
  ]],
  ["a bare \"да\" sets no boolean field before its question was asked", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "да", states: { breakfast: true }, then: { at: "hotel/city", data: {}, trace: ["value_not_taken"] } }
  ]],
  ["a yes to the question for a boolean field sets that field", [
    {
      say: "A room in Rome on Monday",
      wants: "hotel",
      states: { city: "Rome", date: "Monday" },
      then: { at: "hotel/breakfast" }
    },
    {
      say: "Yes",
      states: { breakfast: true },
      holds: ["yes"],
      then: { at: "hotel/sure", data: { city: "Rome", date: "Monday", breakfast: true } }
    }
  ]]
]
