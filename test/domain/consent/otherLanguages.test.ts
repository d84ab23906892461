/** An answer in another language than the question's counts if it is plain in that language. */
import { describe, expect, it } from "@effect/vitest"
import { Consent } from "coxswain"

const cancelling = "Shall I cancel your booking?"

const plain: ReadonlyArray<readonly [question: string, ...answers: ReadonlyArray<string>]> = [
  [
    cancelling,
    "sim, pode cancelar",
    "Sim, cancele a reserva, por favor.",
    "ja, bitte stornieren",
    "Ja, stornieren Sie die Buchung bitte",
    "ja, die Reservierung stornieren",
    "oui, annulez",
    "oui, annulez-la s'il vous plaît",
    "d'accord, annulez",
    "sí, cancélala",
    "Si, cancelala",
    "Sí, cancela mi reserva por favor",
    "sì, annulli pure",
    "ja, annuleer de boeking",
    "tak, proszę anulować rezerwację",
    "כן, בטל את ההזמנה"
  ],
  [cancelling, "ja", "Ja!", "jo", "sim", "oui", "sí", "sì", "Si", "tak", "ya", "да", "ναι", "так", "ano", "はい"],
  ["Shall I cancel booking OI5L9G?", "sim, cancele OI5L9G", "oui, annulez la réservation OI5L9G"],
  ["Shall I book the room?", "sim, reserve o quarto", "ja, buchen Sie das Zimmer", "sì, prenoti la camera"],
  ["Shall I delete your account?", "ja, löschen Sie mein Konto", "oui, supprimez mon compte", "sim, apague a conta"],
  ["Shall I send 50 euros to Ann?", "sim, envie", "ja, schicken Sie es", "oui, envoyez"],
  ["Soll ich die Buchung stornieren?", "yes, cancel it", "yes please cancel the booking", "oui, annulez"],
  ["Dois-je annuler la réservation ?", "yes, cancel the reservation", "ja, bitte stornieren", "sí, cancélala"],
  ["¿Cancelo la reserva?", "yes, cancel it", "oui, annulez", "ja, bitte stornieren"]
]

/** None of them is a yes, even if the model says so. */
const doubtful: ReadonlyArray<readonly [question: string, ...answers: ReadonlyArray<string>]> = [
  [
    cancelling,
    ...["sim, pode reservar", "ja, bitte buchen", "oui, modifiez", "sí, resérvala", "ja, umbuchen", "tak, zmień"],
    ...["ja, behalten Sie die Buchung", "oui, gardez la réservation", "ja, die Buchung ist richtig"],
    ...["sim, não cancele", "oui, n'annulez pas", "ja, nicht stornieren", "tak, nie anuluj", "ja nein", "oui non"],
    ...["sim, mas só amanhã", "oui, mais pas encore", "ja, aber erst morgen", "sí, pero no ahora", "да, но не сейчас"],
    ...["sim, se for grátis", "si puede", "si no es caro", "sim?", "oui, annulez peut-être"],
    ...["sí, cancela el hotel", "oui, annulez le vol", "ja, stornieren Sie das Zimmer", "sim, cancele ABC123"],
    ...["ja, alles stornieren", "oui, annulez tout", "sim, cancele outra reserva", "sim, cancele a reserva de Ann"],
    ...["oui, annulez et remboursez", "sí, cancélala y reserva otra", "ja, stornieren und neu buchen"],
    ...["annulez", "stornieren bitte", "cancela", "yes, stornieren", "já", "já cancelei", "ne", "no", "nu", "да нет"]
  ],
  [
    "Shall I transfer 50 euros from Ann to Bob?",
    ...[
      "sim, para Ann",
      "sim, transfira para Ann",
      "sim, de Bob para Ann",
      "sí, a Ann",
      "ja, an Ann",
      "sim, transfira 60"
    ]
  ],
  ["Devo transferir 50 euros de Ana para Bob?", "sim, para Ana", "sim, de Bob para Ana"],
  ["Shall I cancel flight LX12 and keep flight LX13?", "ja, stornieren Sie LX13", "sim, cancele LX12", "oui, annulez"],
  ["Shall I keep the booking or cancel it?", "ja, stornieren", "oui, annulez", "sí, cancélala"],
  ["Shall I book it with no insurance?", "ja, buchen mit Versicherung", "oui, réservez avec assurance"],
  ["Shall I delete your account?", "sim, cancele", "ja, abbrechen", "oui, annulez", "sì, annulla"],
  ["Shall I stop the cancellation?", "sim, cancele", "ja, stornieren", "oui, annulez"],
  ["You have a flight and a hotel. Shall I cancel the flight?", "oui, annulez l'hôtel", "sim, cancele o hotel"],
  ["Soll ich die Buchung stornieren?", "yes, book it", "yes, cancel the flight", "yes, cancel everything"],
  ["Posso cancelar a reserva?", "ja", "já"]
]

const each = (rows: typeof plain) =>
  rows.flatMap(([question, ...answers]) => answers.map((message): readonly [string, string] => [message, question]))

describe("an answer in another language than the question's", () => {
  it.each(each(plain))("\"%s\" is a yes to \"%s\"", (message, question) => {
    expect(Consent.answerOf(message, { question })).toBe("yes")
    expect(Consent.objectionTo(message, { question })).toBeUndefined()
  })

  it.each(each(doubtful))("\"%s\" is no yes to \"%s\"", (message, question) => {
    expect(Consent.answerOf(message, { question })).not.toBe("yes")
    expect(Consent.objectionTo(message, { question })).toBeDefined()
  })

  it.each(["não", "nein", "non", "nee", "nie", "нет", "no, gracias", "nein danke"])(
    "\"%s\" is a no",
    (message) => expect(Consent.answerOf(message, { question: cancelling })).toBe("no")
  )
})
