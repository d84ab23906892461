/**
 * Hand-written travel desk conversations: each message, its understanding, and the expected state.
 */
import type { Line } from "../support/Dialogue.js"

export const dialogues: ReadonlyArray<readonly [name: string, lines: ReadonlyArray<Line>]> = [
  ["\"Yes\" to a digression does not confirm what comes back", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "What is on my account?", wants: "balance", then: { at: "balance/more", suspended: ["transfer"] } },
    {
      say: "No, thanks",
      holds: ["no"],
      then: { at: "transfer/sure", said: "Send it?", completed: ["balance"], aborted: [] }
    },
    { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT" } }
  ]],
  ["\"Yes please\" to a digression does not confirm what comes back", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "What is on my account?", wants: "balance", then: { at: "balance/more", suspended: ["transfer"] } },
    {
      say: "No, thanks",
      holds: ["no"],
      then: { at: "transfer/sure", said: "Send it?", completed: ["balance"], aborted: [] }
    },
    { say: "Yes please", holds: ["yes"], then: { said: "MONEY SENT" } }
  ]],
  ["\"Sure, go on\" to a digression does not confirm what comes back", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "What is on my account?", wants: "balance", then: { at: "balance/more", suspended: ["transfer"] } },
    {
      say: "No, thanks",
      holds: ["no"],
      then: { at: "transfer/sure", said: "Send it?", completed: ["balance"], aborted: [] }
    },
    { say: "Sure, go on", holds: ["yes"], then: { said: "MONEY SENT" } }
  ]],
  ["a yes inside a digression answers the digression", [
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
  ["a no inside a digression does not abort what waits", [
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
  ["a bare yes after a digression sets no boolean", [
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
  ["a flow that ends by itself gives the floor back, and its question is asked again", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    {
      say: "Weather?",
      wants: "weather",
      then: { said: "Sunny", at: "transfer/sure", completed: ["weather"], suspended: [] }
    },
    { say: "Yes", holds: ["yes"], then: { said: "Send it?", at: "transfer/sure" } },
    { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT" } }
  ]],
  ["three deep, with weather, and back", [
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
  ["three deep, with complaint, and back", [
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
  ["three deep and all of it left", [
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
  ["back to the outermost first", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee" } },
    { say: "My balance?", wants: "balance", then: { suspended: ["hotel", "transfer"] } },
    { say: "The room first", wants: "hotel", then: { at: "hotel/city", suspended: ["transfer", "balance"] } },
    { say: "Done", holds: ["done"], then: { at: "balance/more", suspended: ["transfer"] } }
  ]],
  ["what the digression learns counts for what waits", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    {
      say: "How is the weather in Rome?",
      wants: "weather",
      states: { city: "Rome" },
      then: { said: "Sunny", at: "hotel/city", data: { city: "Rome" } }
    },
    { say: "Well?", then: { at: "hotel/date" } }
  ]],
  ["a digression to balance and done", [
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
  ["a digression to complaint and done", [
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
  ["a digression to transfer and done", [
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
  ["done with hotel, now complaint", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    {
      say: "Done. Now a complaint",
      wants: { complaint: 90, hotel: 80 },
      holds: ["done"],
      then: { at: "complaint/what", completed: ["hotel"], suspended: [] }
    }
  ]],
  ["cancel hotel, now complaint", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    {
      say: "Cancel that. A complaint",
      wants: { complaint: 90, hotel: 80 },
      holds: ["cancel"],
      then: { at: "complaint/what", aborted: ["hotel"], suspended: [], reason: "aborted" }
    }
  ]],
  ["done with taxi, now complaint", [
    { say: "A taxi", wants: "taxi", then: { at: "taxi/from" } },
    {
      say: "Done. Now a complaint",
      wants: { complaint: 90, taxi: 80 },
      holds: ["done"],
      then: { at: "complaint/what", completed: ["taxi"], suspended: [] }
    }
  ]],
  ["cancel taxi, now complaint", [
    { say: "A taxi", wants: "taxi", then: { at: "taxi/from" } },
    {
      say: "Cancel that. A complaint",
      wants: { complaint: 90, taxi: 80 },
      holds: ["cancel"],
      then: { at: "complaint/what", aborted: ["taxi"], suspended: [], reason: "aborted" }
    }
  ]],
  ["done with transfer, now complaint", [
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee" } },
    {
      say: "Done. Now a complaint",
      wants: { complaint: 90, transfer: 80 },
      holds: ["done"],
      then: { at: "complaint/what", completed: ["transfer"], suspended: [] }
    }
  ]],
  ["cancel transfer, now complaint", [
    { say: "Send money", wants: "transfer", then: { at: "transfer/payee" } },
    {
      say: "Cancel that. A complaint",
      wants: { complaint: 90, transfer: 80 },
      holds: ["cancel"],
      then: { at: "complaint/what", aborted: ["transfer"], suspended: [], reason: "aborted" }
    }
  ]],
  ["done with balance, now complaint", [
    { say: "Balance", wants: "balance", then: { at: "balance/more" } },
    {
      say: "Done. Now a complaint",
      wants: { complaint: 90, balance: 80 },
      holds: ["done"],
      then: { at: "complaint/what", completed: ["balance"], suspended: [] }
    }
  ]],
  ["cancel balance, now complaint", [
    { say: "Balance", wants: "balance", then: { at: "balance/more" } },
    {
      say: "Cancel that. A complaint",
      wants: { complaint: 90, balance: 80 },
      holds: ["cancel"],
      then: { at: "complaint/what", aborted: ["balance"], suspended: [], reason: "aborted" }
    }
  ]],
  ["leave and switch with something suspended: it goes on after", [
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
  ["the value for the next flow comes with the leaving", [
    { say: "A taxi from here", wants: "taxi", states: { from: "here" }, then: { at: "taxi/to" } },
    {
      say: "Cancel. Send 20 to Bo",
      wants: "transfer",
      states: { payee: "Bo", amount: 20 },
      holds: ["cancel"],
      then: { at: "transfer/sure", data: { payee: "Bo", amount: 20 } }
    }
  ]],
  ["no, and something else", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "No. A taxi", wants: "taxi", holds: ["no"], then: { at: "taxi/from", aborted: ["transfer"], data: {} } }
  ]],
  ["cancelling a flow does not begin it again", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Cancel the room", wants: "hotel", holds: ["cancel"], then: { at: "nowhere", aborted: ["hotel"] } },
    { say: "A room after all", wants: "hotel", then: { at: "hotel/city" } }
  ]],
  ["a person, please, from anywhere", [
    { say: "A person", holds: ["a person"], then: { said: "I will get someone.", at: "nowhere" } },
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "A person", holds: ["a person"], then: { said: "I will get someone.", at: "hotel/city" } },
    { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "hotel/date" } }
  ]],
  ["a transfer is dropped for a taxi", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "A taxi", wants: "taxi", then: { at: "taxi/from", suspended: [], data: {} } }
  ]],
  ["a transfer is suspended for a balance", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "Balance", wants: "balance", then: { suspended: ["transfer"], data: { payee: "Ada", amount: 50 } } }
  ]],
  ["a complaint is complete when something else comes", [
    { say: "Complaint", wants: "complaint", then: { at: "complaint/what" } },
    { say: "A room", wants: "hotel", then: { at: "hotel/city", completed: ["complaint"], suspended: [] } }
  ]],
  ["a room and a taxi", [
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
  ["three wishes, the best first", [
    {
      say: "Balance, a room and a taxi",
      wants: { balance: 95, hotel: 80, taxi: 60 },
      then: { at: "balance/more", agenda: ["hotel", "taxi"] }
    },
    { say: "Done", holds: ["done"], then: { at: "hotel/city", agenda: ["taxi"] } },
    { say: "Cancel", holds: ["cancel"], then: { at: "taxi/from", agenda: [] } }
  ]],
  ["a wish with its values", [
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
  ["a digression before the second wish", [
    { say: "A room and a taxi", wants: { hotel: 90, taxi: 70 }, then: { agenda: ["taxi"] } },
    { say: "My balance?", wants: "balance", then: { at: "balance/more", agenda: ["taxi"], suspended: ["hotel"] } },
    { say: "Done", holds: ["done"], then: { at: "hotel/city", agenda: ["taxi"] } },
    { say: "Cancel", holds: ["cancel"], then: { at: "taxi/from" } }
  ]],
  ["asking for the second wish first", [
    { say: "A room and a taxi", wants: { hotel: 90, taxi: 70 }, then: { agenda: ["taxi"] } },
    { say: "The taxi first", wants: "taxi", then: { at: "taxi/from", agenda: [], suspended: ["hotel"] } }
  ]],
  ["forgetting it all forgets the second wish", [
    { say: "A room and a taxi", wants: { hotel: 90, taxi: 70 }, then: { agenda: ["taxi"] } },
    { say: "Forget it all", holds: ["forget it all"], then: { at: "nowhere", agenda: [] } }
  ]],
  ["what scores below the threshold is no wish", [
    { say: "A room, the weather is awful", wants: { hotel: 90, weather: 39 }, then: { agenda: [] } }
  ]],
  ["the active flow keeps the floor, the other is next", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    {
      say: "Lisbon, and what about a taxi?",
      wants: { hotel: 80, taxi: 85 },
      states: { city: "Lisbon" },
      then: { at: "hotel/date", agenda: ["taxi"] }
    }
  ]],
  ["a correction on the way", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "hotel/date" } },
    {
      say: "No, Rome, on Friday",
      states: { city: "Rome", date: "Friday" },
      then: { at: "hotel/breakfast", data: { city: "Rome", date: "Friday" } }
    }
  ]],
  ["a correction after the end", [
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
  ["no correction once another flow has had the floor", [
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
  ["a correction while the next flow begins is that flow’s", [
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
  ["a larger amount goes another way", [
    { say: "Send 50 to Ada", wants: "transfer", states: { payee: "Ada", amount: 50 }, then: { at: "transfer/sure" } },
    { say: "Five thousand", states: { amount: 5000 }, then: { at: "transfer/sure" } }
  ]],
  ["a larger amount, told before the question, goes another way", [
    {
      say: "Send 5000 to Ada",
      wants: "transfer",
      states: { payee: "Ada", amount: 5000 },
      then: { at: "transfer/call" }
    },
    { say: "No, 50", states: { amount: 50 }, then: { at: "transfer/sure" } }
  ]],
  ["the date is taken back", [
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
  ["two are taken back, the first is asked first", [
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
  ["one that is not needed is taken back and not asked for", [
    {
      say: "A room in Lisbon on Friday, with breakfast",
      wants: "hotel",
      states: { city: "Lisbon", date: "Friday", breakfast: true },
      then: { at: "hotel/sure" }
    },
    {
      say: "Forget the breakfast",
      more: { withdrawn: ["breakfast"] },
      then: { at: "hotel/sure", cleared: ["breakfast"] }
    }
  ]],
  ["what is not known cannot be taken back", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Forget the date", more: { withdrawn: ["date"] }, then: { at: "hotel/city", cleared: [] } }
  ]],
  ["taken back and told anew", [
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
  ["a second taxi asks anew", [
    {
      say: "From home to airport at 7",
      wants: "taxi",
      states: { from: "home", to: "airport", time: "7" },
      then: { completed: ["taxi"], data: {} }
    },
    { say: "Another taxi", wants: "taxi", then: { at: "taxi/from", data: {} } }
  ]],
  ["a second taxi takes what is said", [
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
  ["a room cannot be booked twice by itself", [
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
  ["a balance as often as one likes", [
    { say: "Balance", wants: "balance", then: { at: "balance/more" } },
    { say: "Done", holds: ["done"], then: { at: "nowhere" } },
    { say: "Balance", wants: "balance", then: { at: "balance/more" } }
  ]],
  ["the values of a suspended ride are kept", [
    { say: "A taxi from home", wants: "taxi", states: { from: "home" }, then: { at: "taxi/to" } },
    { say: "Balance", wants: "balance", then: { data: { from: "home" }, suspended: ["taxi"] } },
    { say: "Done", holds: ["done"], then: { at: "taxi/to", data: { from: "home" } } }
  ]],
  ["the values of a cancelled ride are gone", [
    { say: "A taxi from home", wants: "taxi", states: { from: "home" }, then: { at: "taxi/to" } },
    { say: "Cancel", holds: ["cancel"], then: { data: {} } }
  ]],
  ["any time will do", [
    { say: "A taxi from a to b", wants: "taxi", states: { from: "a", to: "b" }, then: { at: "taxi/time" } },
    { say: "Whenever", more: { dontCare: ["time"] }, then: { completed: ["taxi"] } }
  ]],
  ["any time will do, said at once", [
    {
      say: "A taxi from a to b, whenever",
      wants: "taxi",
      states: { from: "a", to: "b" },
      more: { dontCare: ["time"] },
      then: { completed: ["taxi"], said: "The taxi comes" }
    }
  ]],
  ["the place is not all the same", [
    { say: "A taxi", wants: "taxi", then: { at: "taxi/from" } },
    { say: "Wherever", more: { dontCare: ["from"] }, then: { at: "taxi/from", trace: ["value_not_taken"] } }
  ]],
  ["breakfast before it was asked", [
    {
      say: "A room with breakfast",
      wants: "hotel",
      states: { breakfast: true },
      then: { at: "hotel/city", data: { breakfast: true } }
    }
  ]],
  ["a bare \"Ja, bitte\" means nothing yet", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Ja, bitte", states: { breakfast: true }, then: { at: "hotel/city", data: {}, trace: ["value_not_taken"] } }
  ]],
  ["a bare \"Oui\" means nothing yet", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "Oui", states: { breakfast: true }, then: { at: "hotel/city", data: {}, trace: ["value_not_taken"] } }
  ]],
  ["a bare \"はい\" means nothing yet", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "はい", states: { breakfast: true }, then: { at: "hotel/city", data: {}, trace: ["value_not_taken"] } }
  ]],
  ["a bare \"да\" means nothing yet", [
    { say: "A room please", wants: "hotel", then: { at: "hotel/city" } },
    { say: "да", states: { breakfast: true }, then: { at: "hotel/city", data: {}, trace: ["value_not_taken"] } }
  ]],
  ["a yes to its own question", [
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
