/**
 * Sixty flows of one large desk, each with five messages that ask for it in the users' words, not in those of the
 * definition.
 */
import { Agent } from "coxswain"
import { Schema } from "effect"

type Row = readonly [
  title: string,
  when: string,
  prompt: string,
  messages: readonly [string, string, string, string, string]
]

const rows: ReadonlyArray<Row> = [
  ["Lost card", "the customer has lost a bank card or had it stolen", "Ask where the card was last used", [
    "I can't find my debit card anywhere",
    "someone stole my credit card on the train",
    "my card is gone, please block it",
    "lost my bank card yesterday",
    "help, my wallet with all cards was stolen"
  ]],
  ["New card", "the customer wants a new bank card", "Ask which kind of card they want", [
    "my card has expired, I need a new one",
    "could you send me a replacement card",
    "the chip of my card is broken",
    "I'd like to order a second debit card",
    "how do I get a credit card"
  ]],
  ["Card PIN", "the customer has forgotten or wants to change the PIN of a card", "Ask whether they know the old PIN", [
    "I forgot my PIN",
    "can I change the pin code of my card",
    "wrong pin three times, now it is blocked",
    "what was my PIN again?",
    "please reset my card's pin"
  ]],
  ["Open account", "the customer wants to open a bank account", "Ask for the kind of account", [
    "I want to open a savings account",
    "how can I become a customer with an account",
    "opening an account for my daughter",
    "do you have free current accounts?",
    "I need a bank account for my business"
  ]],
  ["Close account", "the customer wants to close a bank account", "Ask why they leave", [
    "please close my account",
    "I'm leaving your bank, shut down my account",
    "closing my savings account",
    "cancel my bank account and pay out the rest",
    "how do I terminate the account"
  ]],
  ["Balance", "the customer wants to know the balance of an account", "Ask which account", [
    "how much money do I have",
    "what's my balance",
    "show me the balance of my savings",
    "is there anything left in my account",
    "current account balance please"
  ]],
  ["Transfer", "the customer wants to transfer money to somebody", "Ask for the recipient and the amount", [
    "send 50 euros to my brother",
    "I need to transfer money to Spain",
    "make a bank transfer",
    "wire 300 dollars to Anna",
    "transfer the rent to my landlord"
  ]],
  ["Standing order", "the customer wants to set up a regular payment or a standing order", "Ask how often to pay", [
    "pay my rent automatically every month",
    "set up a standing order",
    "I want to change my standing order",
    "a recurring payment of 20 euros",
    "stop the regular payment to my gym"
  ]],
  ["Loan", "the customer wants to borrow money or asks about a loan", "Ask for the amount and the term", [
    "can I get a loan of 10000",
    "I want to borrow money for a car",
    "what are your loan rates",
    "apply for a personal loan",
    "I'd like some credit to renovate my kitchen"
  ]],
  ["Mortgage", "the customer asks about a mortgage for a house", "Ask for the price of the house", [
    "we want to buy a house and need financing",
    "mortgage rates?",
    "can I refinance my mortgage",
    "how much house can we afford",
    "a mortgage for a flat in Porto"
  ]],
  ["Exchange rate", "the customer asks for the exchange rate of a currency", "Ask which currencies", [
    "how many dollars for 100 euros",
    "what is the exchange rate of the pound",
    "convert 50 euro to yen",
    "current rate for swiss francs?",
    "I need foreign currency for my trip"
  ]],
  ["Disputed charge", "the customer does not recognise a charge or a debit", "Ask for date and amount of the charge", [
    "there is a charge on my statement I don't know",
    "somebody debited 40 euros and it wasn't me",
    "I want to dispute a payment",
    "I was charged twice by the same shop",
    "unknown debit from my account"
  ]],
  ["Book flight", "the customer wants to book a flight", "Ask where to fly and when", [
    "I need a flight to Madrid",
    "book me a plane ticket for Friday",
    "two seats on the flight to Oslo",
    "cheapest way to fly to New York",
    "flights from Lisbon to Rome in May"
  ]],
  ["Change flight", "the customer wants to change or rebook a flight", "Ask for the booking code of the flight", [
    "can I move my flight to Sunday",
    "rebook me on the evening flight",
    "I need to change the date of my flight",
    "switch my flight to an earlier one",
    "I booked the wrong flight date"
  ]],
  ["Cancel flight", "the customer wants to cancel a flight", "Ask for the booking code of the flight", [
    "cancel my flight",
    "I can't fly on Monday, cancel please",
    "I don't need the flight any more",
    "please cancel my plane ticket",
    "cancelling flight TP123"
  ]],
  ["Check in", "the customer wants to check in for a flight or get a boarding pass", "Ask for the seat they prefer", [
    "check me in",
    "where is my boarding pass",
    "online check-in for tomorrow",
    "I can't check in on the website",
    "can you send the boarding pass to my phone"
  ]],
  ["Baggage allowance", "the customer asks how much baggage or luggage may be taken", "Ask for the fare", [
    "how many bags can I take",
    "what does an extra suitcase cost",
    "how heavy may my luggage be",
    "is hand baggage included",
    "add one more bag to my booking"
  ]],
  ["Lost baggage", "the customer's baggage or luggage is lost, late or damaged", "Ask for the baggage tag", [
    "my suitcase did not arrive",
    "my luggage is missing",
    "you lost my bag",
    "the airline broke my suitcase",
    "still waiting for my baggage at the airport"
  ]],
  ["Seat", "the customer wants to choose or change a seat", "Ask for window or aisle", [
    "I'd like a window seat",
    "can we sit together",
    "change my seat to the aisle",
    "which seats are left",
    "I want more leg room"
  ]],
  ["Flight status", "the customer asks whether a flight is delayed or on time", "Ask for the flight number", [
    "is flight 204 on time",
    "is my flight delayed",
    "when does the plane from Paris land",
    "what gate do I have to go to",
    "has the flight to Rome departed"
  ]],
  ["Book hotel", "the customer wants to book a hotel room", "Ask for city, dates and guests", [
    "I need a room in Lisbon",
    "a hotel for two nights",
    "do you have a double room next week",
    "book a hotel near the beach",
    "looking for somewhere to stay in Berlin, a hotel"
  ]],
  ["Cancel hotel", "the customer wants to cancel a hotel booking", "Ask for the hotel's confirmation number", [
    "cancel my hotel room",
    "we don't need the hotel any more",
    "please cancel the reservation at the hotel",
    "I want to cancel the room for Friday",
    "call off my hotel booking"
  ]],
  ["Hotel breakfast", "the customer asks about breakfast or meals at the hotel", "Tell the times of breakfast", [
    "is breakfast included",
    "when can we have breakfast",
    "do you have a vegan breakfast",
    "what does half board cost",
    "are meals served in the room"
  ]],
  ["Late checkout", "the customer wants to leave the hotel room later", "Ask until when they want to stay", [
    "can I check out later",
    "late checkout please",
    "we would like to keep the room until 2 pm",
    "what time must we leave the room",
    "is it possible to stay in the room until the evening"
  ]],
  ["Parking", "the customer asks where to park or wants a parking space", "Ask for the number plate", [
    "where can I park my car",
    "do you have a garage",
    "I need a parking space",
    "how much is parking per day",
    "is there parking for bikes"
  ]],
  ["Rent car", "the customer wants to rent a car", "Ask for the pick-up place", [
    "I'd like to rent a car for the weekend",
    "hire a van",
    "do you have rental cars at the airport",
    "a small rental car from Monday",
    "renting a car in Faro"
  ]],
  ["Car damage", "the customer reports damage to a rental car or an accident", "Ask whether anybody is hurt", [
    "I had an accident with the rental car",
    "there is a scratch on the car",
    "somebody hit my car",
    "the windscreen is damaged",
    "I crashed the van"
  ]],
  ["Track parcel", "the customer asks where a parcel or an order is", "Ask for the order number", [
    "where is my order",
    "my parcel has not arrived",
    "track my package",
    "when will it be delivered",
    "the tracking number doesn't work"
  ]],
  ["Return item", "the customer wants to return or send back an item", "Ask for the reason of the return", [
    "I want to send this back",
    "how do returns work",
    "return the shoes I bought",
    "they don't fit, can I return them",
    "I need a return label"
  ]],
  ["Refund", "the customer asks for money back or where a refund is", "Ask how they paid", [
    "I want my money back",
    "where is my refund",
    "when do I get refunded",
    "you have not refunded me yet",
    "refund please"
  ]],
  [
    "Exchange item",
    "the customer wants to exchange an item for another size or colour",
    "Ask for the right size or colour",
    [
      "can I swap it for a bigger size",
      "exchange the blue one for red",
      "I need another size",
      "wrong colour, I'd like the black one",
      "these jeans are too small, can I get a larger size"
    ]
  ],
  ["Broken item", "the customer got a broken, damaged or faulty item", "Ask for a photo of the damage", [
    "it arrived broken",
    "the vase is in pieces",
    "the screen doesn't turn on, it is faulty",
    "you sent me a damaged lamp",
    "my new kettle is defective"
  ]],
  ["Missing item", "an item is missing in the delivery", "Ask what is missing", [
    "one item is missing from the box",
    "I only got two of three shirts",
    "the delivery was incomplete",
    "there are parts missing",
    "you forgot the charger in my parcel"
  ]],
  ["Change address", "the customer has moved and wants to change the address", "Ask for the new address", [
    "I moved, here is my new address",
    "change my address",
    "we are moving to Porto next month",
    "update my postal address",
    "you still have my old address"
  ]],
  [
    "Change email",
    "the customer wants to change the email address or phone number",
    "Ask for the new email or number",
    [
      "I have a new phone number",
      "please use another email for me",
      "update my e-mail",
      "my mobile number has changed",
      "how can I change the email I log in with"
    ]
  ],
  [
    "Forgotten password",
    "the customer cannot log in or has forgotten the password",
    "Send the link for a new password",
    [
      "I can't log in",
      "forgot my password",
      "my login doesn't work",
      "send me a password reset",
      "locked out of my profile"
    ]
  ],
  ["Delete profile", "the customer wants personal data or the profile deleted", "Ask whether they are sure", [
    "delete all my data",
    "I want you to erase my profile",
    "remove my personal information",
    "GDPR deletion request",
    "please delete everything you know about me"
  ]],
  ["Newsletter", "the customer wants to subscribe to or unsubscribe from the newsletter", "Ask for the email", [
    "stop sending me these mails, unsubscribe me",
    "subscribe me to the newsletter",
    "no more newsletters please",
    "how do I unsubscribe",
    "too many advertising mails from your newsletter"
  ]],
  ["Invoice", "the customer needs an invoice or a receipt", "Ask for the order number of the invoice", [
    "I need an invoice for my taxes",
    "can you send the receipt again",
    "the invoice is wrong",
    "where do I find my invoices",
    "an invoice with VAT please"
  ]],
  ["Pay bill", "the customer wants to pay a bill or an invoice that is due", "Ask how they want to pay", [
    "I want to pay my bill",
    "how can I pay",
    "can I pay in instalments",
    "my bill is due tomorrow",
    "pay with paypal"
  ]],
  ["Voucher", "the customer has a voucher, a coupon or a gift card", "Ask for the code of the voucher", [
    "my coupon code does not work",
    "I have a gift card",
    "how do I redeem a voucher",
    "is there a discount code",
    "buy a gift voucher for a friend"
  ]],
  ["Warranty", "the customer asks about the warranty or guarantee", "Ask when it was bought", [
    "is it still under warranty",
    "how long is the guarantee",
    "warranty claim for my washing machine",
    "extend the warranty",
    "does the guarantee cover water"
  ]],
  ["Repair", "the customer wants something repaired", "Ask what is to be repaired", [
    "can you fix my phone",
    "I need a repair",
    "my washing machine needs repairing",
    "how much does it cost to fix the screen",
    "book a technician, the dishwasher leaks"
  ]],
  ["Mobile plan", "the customer wants to change the mobile plan or tariff", "Ask how much data they use", [
    "I need more gigabytes",
    "a cheaper tariff please",
    "upgrade my mobile plan",
    "which plans do you have",
    "switch me to the unlimited plan"
  ]],
  ["Roaming", "the customer asks about roaming or using the phone abroad", "Ask which country", [
    "can I use my phone in Brazil",
    "what does roaming cost",
    "turn on roaming",
    "no network abroad",
    "internet on holiday in Turkey, what does it cost abroad"
  ]],
  ["SIM card", "the customer needs a SIM card or an eSIM", "Ask for the model of the phone", [
    "I need an eSIM",
    "my sim is broken",
    "activate my new SIM card",
    "switch to esim on my iphone",
    "lost my sim"
  ]],
  ["Internet outage", "the customer's internet or wifi does not work or is slow", "Ask which lights are on", [
    "the internet is down",
    "my wifi is so slow",
    "no connection since this morning",
    "the router blinks red",
    "internet keeps dropping"
  ]],
  [
    "Keep number",
    "the customer wants to take the phone number along to another provider or from one",
    "Ask for the old provider",
    [
      "can I keep my number",
      "port my number to you",
      "take my phone number to another provider",
      "number porting",
      "I'm switching provider and want the same number"
    ]
  ],
  [
    "Meter reading",
    "the customer wants to tell the reading of an electricity, gas or water meter",
    "Ask for the number on the meter",
    [
      "my electricity meter says 4711",
      "submit a meter reading",
      "where do I enter the gas meter",
      "water meter: 230",
      "here is the reading of the meter"
    ]
  ],
  ["Power cut", "the customer has no electricity or reports a power cut", "Ask for the street", [
    "we have no power",
    "the lights went out in the whole street",
    "power cut in Main Street",
    "electricity is gone",
    "when will the power be back"
  ]],
  ["Doctor appointment", "the patient wants an appointment with a doctor", "Ask for the doctor and the day", [
    "I need to see a doctor",
    "an appointment with Dr Silva",
    "is there a slot with the dermatologist",
    "can I come in tomorrow, my back hurts, doctor",
    "book an appointment for my son with the paediatrician"
  ]],
  ["Prescription", "the patient needs a prescription or a medicine", "Ask for the name of the medicine", [
    "I'm running out of my medicine",
    "renew my prescription",
    "please send the prescription to the pharmacy",
    "can I get antibiotics",
    "I need more of my pills"
  ]],
  ["Lab results", "the patient asks for results of a test or the lab", "Ask for the date of the test", [
    "are my blood results there",
    "what did the lab say",
    "results of my test please",
    "I'm waiting for the x-ray results",
    "did the lab send my values"
  ]],
  ["Insurance claim", "the customer reports a claim to the insurance", "Ask what happened", [
    "I want to file a claim",
    "water damage in my flat, does the insurance pay",
    "report a claim to my insurance",
    "my bike was stolen, I'm insured",
    "how is my claim going"
  ]],
  ["Insurance quote", "the customer wants an insurance quote or an offer", "Ask what is to be insured", [
    "what does car insurance cost",
    "I need travel insurance",
    "a quote for home insurance",
    "insure my dog",
    "how much would life insurance be"
  ]],
  [
    "Table reservation",
    "the guest wants to reserve a table in the restaurant",
    "Ask for the time and how many people",
    [
      "a table for four tonight",
      "reserve a table at 8",
      "can we have dinner at your place on Saturday, table for two",
      "do you have a table outside",
      "is the restaurant full on Sunday"
    ]
  ],
  ["Order food", "the guest wants to order food for delivery or take-away", "Ask for the dishes", [
    "two pizzas to take away please",
    "I'd like to order a burger",
    "deliver sushi to my home",
    "can I get food delivered",
    "one pad thai and a coke to go"
  ]],
  ["Allergies", "the guest asks about allergens, ingredients or a diet", "Ask for the allergy", [
    "is there gluten in the soup",
    "I'm allergic to nuts",
    "which dishes are vegan",
    "what are the ingredients of the sauce",
    "lactose free options?"
  ]],
  ["Job application", "somebody asks for a job or about an application", "Ask for the kind of work", [
    "are you hiring",
    "I applied for a job last week",
    "any open positions for a cook",
    "how do I send my CV",
    "I want to work for you"
  ]],
  ["Complaint", "the customer is unhappy and wants to complain about the service or a person", "Ask what went wrong", [
    "I want to complain",
    "your staff was rude",
    "this is the worst service ever",
    "let me speak to your manager",
    "I'm very unhappy with how I was treated"
  ]]
]

export const Data = Schema.Struct(Object.fromEntries(rows.map((_, i) => [`value${i}`, Schema.String])))

export const kit = Agent.define({ data: Data })

/** The first flows of the desk; each asks for something of its own. */
export const flows = (count = rows.length) =>
  rows.slice(0, count).map(([title, when, prompt], i) =>
    kit.flow({
      title,
      when,
      reentrant: true,
      steps: [{ id: "ask", prompt, collect: [`value${i}`] }, { id: "done", prompt: "Close" }]
    })
  )

/** Every message with the id of the flow that it asks for. */
export const messages: ReadonlyArray<{ readonly message: string; readonly flow: string }> = rows.flatMap(
  ([title, , , messages]) => messages.map((message) => ({ message, flow: title.toLowerCase().replace(" ", "-") }))
)
