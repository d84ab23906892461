/**
 * What the demo answers to more than a hundred messages in six languages, as its visitors write them. A person reads the
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
  ]]
]

it.effect("the demo answers the messages as recorded", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const hotel = yield* Hotel.hotel
    const talks = yield* Effect.forEach(conversations, ([title, messages]) =>
      Effect.map(
        Effect.forEach(messages, (message) =>
          Effect.map(
            hotel.respond({ sessionId: title, message }),
            (response) => `> ${message}\n${response.message}`
          )),
        (lines) => `# ${title}\n\n${lines.join("\n")}\n`
      ))
    const said = talks.join("\n")
    expect(conversations.flatMap(([, messages]) => messages).length).toBeGreaterThanOrEqual(100)
    expect(said).not.toMatch(/\b(?:undefined|null|NaN)\b|\d{4}-\d\d-\d\d/)
    yield* Effect.promise(() => expect(said).toMatchFileSnapshot("../fixtures/demo/messages.txt"))
  }).pipe(Effect.provide([Offline.layer, SessionStore.layerMemory]), Logger.withMinimumLogLevel(LogLevel.None)))
