/**
 * What the demo answers to almost two hundred messages in six languages, as its visitors write them. A person reads the
 * file of the answers; after a change on purpose, `-u` writes it anew.
 */
import { expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Effect, Logger, LogLevel, TestClock } from "effect"
import * as Hotel from "../../demo/hotel.js"

/** A Friday. */
const now = Date.UTC(2026, 10, 27, 9)

/** Each conversation begins anew. */
const conversations: ReadonlyArray<readonly [title: string, messages: ReadonlyArray<string>]> = [
  ["a booking with questions in between", [
    "Hi there!",
    "What can you do?",
    "I'd like a room in Lisbon for me, my wife and our two kids",
    "when do you open?",
    "Do you have a sauna?",
    "do you have a jacuzzi in the room?",
    "next Wednesday",
    "how much is it?",
    "is breakfast included?",
    "my name's Ada Lovelace",
    "hmm, for five people actually",
    "yes please",
    "What did I book?",
    "thanks a lot",
    "bye"
  ]],
  ["a full house", [
    "book me something in Paris tomorrow for two",
    "what about Lisbon?",
    "then Sunday",
    "Grace Hopper",
    "no, the name is Grace Brewster Hopper",
    "ok"
  ]],
  ["refused and impossible values", [
    "A room in Porto for twelve people on 31 February",
    "ok, four",
    "yesterday",
    "two days after Christmas",
    "I'm John O'Neill",
    "no",
    "never mind",
    "what did I book?"
  ]],
  ["a city without a house, and a change of mind", [
    "Can you find me a room in Rome for the day after tomorrow? There are 2 of us",
    "Madrid then",
    "asdf qwer",
    "I want to talk to a human",
    "forget it",
    "goodbye"
  ]],
  ["two wishes in one message", [
    "Do you have a pool? And book me a room in Madrid",
    "Monday, just me",
    "Can I bring my dog and is there parking?",
    "What's the wifi password?",
    "Linus Torvalds",
    "yes",
    "actually make it Berlin",
    "yes",
    "cancel my booking",
    "are you sure it costs nothing?",
    "yes",
    "do I have a booking?"
  ]],
  ["words on the keyboard, and a change of mind after a no", [
    "A room in Porto for 4 on December 27",
    "how much is it per night?",
    "is there anything cheaper?",
    "hjkl",
    "Bob Smith",
    "no",
    "never mind",
    "what did I book?",
    "leave it"
  ]],
  ["a couple, and a question without an answer", [
    "Any room in Lisbon this weekend?",
    "could you send me a confirmation by email?",
    "for 3",
    "too expensive",
    "Peter Parker",
    "hmm no, Porto please",
    "yes",
    "thank you so much, bye!"
  ]],
  ["German, a full house", [
    "Ich möchte bitte ein Zimmer in Berlin buchen",
    "nächsten Freitag",
    "für vier Personen",
    "mein Name ist Hans-Peter Kröger",
    "nein",
    "vergiss es"
  ]],
  ["Spanish, a no", [
    "¿Tienen habitaciones libres en Lisboa el 5 de enero?",
    "somos cuatro",
    "¿aceptan perros?",
    "me llamo Lucía Pérez",
    "no",
    "déjalo"
  ]],
  ["French, a large family", [
    "Je cherche une chambre pour ce week-end à Paris",
    "nous sommes trois",
    "alors Lisbonne",
    "c'est combien ?",
    "je m'appelle Hélène",
    "oui"
  ]],
  ["Portuguese, a cancellation", [
    "Quero reservar um quarto em Faro para o próximo sábado",
    "para 2 adultos e 1 criança",
    "chamo-me João Silva",
    "sim",
    "cancelar a reserva",
    "sim"
  ]],
  ["Italian, a price", [
    "Vorrei prenotare una stanza a Madrid per due notti da domani",
    "per due persone",
    "quanto costa?",
    "sono Giulia Rossi",
    "sì grazie"
  ]],
  ["German", [
    "Guten Tag, was können Sie?",
    "Ich brauche ein Doppelzimmer in Lissabon für zwei Personen am 15. März",
    "Gibt es ein Schwimmbad?",
    "Ich heiße Jürgen Müller",
    "ja, bitte",
    "Was habe ich gebucht?",
    "Tschüss"
  ]],
  ["Spanish", [
    "Hola, quisiera una habitación en Madrid para tres personas el martes",
    "¿El desayuno está incluido?",
    "mi nombre es José García",
    "sí",
    "quiero cancelar la reserva",
    "sí",
    "adiós"
  ]],
  ["French", [
    "Bonjour, je voudrais une chambre à Faro pour deux personnes demain",
    "Avez-vous un parking ?",
    "je m'appelle Zoé Martin",
    "oui",
    "je voudrais parler à quelqu'un",
    "au revoir"
  ]],
  ["Portuguese", [
    "Olá, preciso de um quarto no Porto para duas pessoas amanhã",
    "quanto custa?",
    "meu nome é Inês Costa",
    "sim",
    "o que reservei?",
    "obrigada"
  ]],
  ["Italian", [
    "Buongiorno, vorrei una camera a Berlino per quattro persone il 4 dicembre",
    "avete una piscina?",
    "mi chiamo Luca D'Angelo",
    "sì",
    "annullare la prenotazione",
    "no",
    "arrivederci"
  ]],
  ["a card, a name as in a register, and another day", [
    "hey, got anything in Porto for this coming weekend? just the two of us",
    "do you take American Express?",
    "that's a bit much, anything cheaper?",
    "SMITH, John",
    "could you put us in a room on a high floor?",
    "yes book it",
    "can you move it to Tuesday instead?",
    "yes",
    "2 nights",
    "what's my booking number?"
  ]],
  ["nights, and a city that is full", [
    "We'd like to stay 2 nights in Madrid from Dec 10, two adults",
    "3 nights",
    "hmm make it 3 people",
    "SMITH, John",
    "sure",
    "I can't make it, please cancel",
    "yes"
  ]],
  ["a bed for tonight", [
    "I need a bed for tonight",
    "Berlin",
    "just myself",
    "van der Berg, Anna",
    "sounds good"
  ]],
  ["a day that no year has", [
    "is there a shuttle from the airport?",
    "where exactly are you in Lisbon?",
    "can we check in at midnight?",
    "do you have a family room?",
    "book it for 29 February 2027",
    "ok then the 28th of february 2027",
    "Faro, 4 people",
    "MÜLLER, Hans",
    "no wait, 3 people",
    "yes"
  ]],
  ["German, a weekend", [
    "Moin, habt ihr am Wochenende noch was frei in Berlin?",
    "wir sind zu dritt, zwei Erwachsene und ein Kind",
    "Kann man bei euch auch mit Hund wohnen?",
    "Müller, Sabine",
    "passt",
    "Ich muss leider stornieren",
    "ja"
  ]],
  ["German, two of them", [
    "Ich hätte gern ein Zimmer für zwei Nächte in Porto ab dem 12. Dezember",
    "für mich und meine Freundin",
    "Was kostet das?",
    "Gibt es WLAN?",
    "Schmidt",
    "ja gerne"
  ]],
  ["French, a baby, and another day", [
    "Salut, il vous reste une chambre à Lisbonne pour le 20 décembre ?",
    "on est deux adultes et un bébé",
    "vous prenez les chiens ?",
    "le petit-déjeuner est compris ?",
    "Dupont, Marie",
    "d'accord",
    "en fait, plutôt le 21",
    "oui"
  ]],
  ["French, nothing to cancel", [
    "Je veux annuler ma réservation",
    "bon, alors une chambre pour deux nuits à Paris demain, pour une personne",
    "c'est trop cher",
    "merci, au revoir"
  ]],
  ["Spanish, a long weekend", [
    "Buenas, ¿hay sitio en Oporto para el puente de diciembre?",
    "el 6 de diciembre",
    "dos adultos y un niño",
    "¿tienen garaje?",
    "García, Ana",
    "vale",
    "¿me puede repetir la reserva?",
    "gracias, hasta luego"
  ]],
  ["Italian, New Year's Eve", [
    "Ciao, cercavo una doppia a Lisbona per Capodanno",
    "siamo in due",
    "si può portare il cane?",
    "Rossi, Mario",
    "va bene",
    "vorrei cambiare la data, il 2 gennaio",
    "sì"
  ]],
  ["Portuguese, a couple", [
    "Bom dia, têm quartos livres em Lisboa na próxima sexta-feira?",
    "somos um casal",
    "aceitam cartão?",
    "Silva, Pedro",
    "pode ser",
    "queria cancelar, por favor",
    "sim, pode cancelar"
  ]]
]

/** Days on which a hotel is asked, too: after the days of the other tests, and in a leap year. */
const otherDays: ReadonlyArray<readonly [title: string, now: number, messages: ReadonlyArray<string>]> = [
  ["in April of the next year", Date.UTC(2027, 3, 10, 9), [
    "a room in Lisbon for two on 15 March please",
    "hm, tomorrow then",
    "Grace Hopper",
    "yes",
    "what did I book?"
  ]],
  ["on a leap day", Date.UTC(2028, 1, 29, 9), [
    "a double in Porto for tonight",
    "2 people",
    "rather tomorrow",
    "Ada Lovelace",
    "yes"
  ]]
]

it.effect("the demo answers the messages as recorded", () =>
  Effect.gen(function*() {
    const hotel = yield* Hotel.hotel
    const all = [
      ...conversations.map(([title, messages]) => [title, now, messages] as const),
      ...otherDays
    ]
    const talks = yield* Effect.forEach(all, ([title, day, messages]) =>
      Effect.zipRight(
        TestClock.setTime(day),
        Effect.map(
          Effect.forEach(messages, (message) =>
            Effect.map(
              hotel.respond({ sessionId: title, message }),
              (response) => `> ${message}\n${response.message}`
            )),
          (lines) => `# ${title}\n\n${lines.join("\n")}\n`
        )
      ))
    const said = talks.join("\n")
    expect(conversations.flatMap(([, messages]) => messages).length).toBeGreaterThanOrEqual(170)
    expect(said).not.toMatch(/\b(?:undefined|null|NaN)\b|\d{4}-\d\d-\d\d/)
    yield* Effect.promise(() => expect(said).toMatchFileSnapshot("../fixtures/demo/messages.txt"))
  }).pipe(Effect.provide([Offline.layer, SessionStore.layerMemory]), Logger.withMinimumLogLevel(LogLevel.None)))
