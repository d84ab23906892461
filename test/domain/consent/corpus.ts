/**
 * Customers' answers to six kinds of question, written by hand: yes, no or a withdrawal, and neither. The
 * English ones cover every kind; each of the other languages covers one.
 */

export interface Answers {
  readonly kind: "cancellation" | "payment" | "booking" | "change" | "return" | "read-back"
  readonly language: "en" | "de" | "fr" | "es" | "nl" | "pt" | "it" | "pl" | "he"
  readonly question: string
  readonly yes: ReadonlyArray<string>
  readonly no: ReadonlyArray<string>
  readonly neither: ReadonlyArray<string>
}

export const corpus: ReadonlyArray<Answers> = [
  {
    kind: "cancellation",
    language: "en",
    question: "Shall I cancel OI5L9G?",
    yes: [
      "Yes, please proceed with the cancellation.",
      "Yes, that sounds good, please go ahead",
      "yes please cancel it",
      "Yes cancel OI5L9G",
      "yep",
      "ok do it",
      "Sure, go ahead and cancel it, thank you so much",
      "I confirm, please cancel my reservation OI5L9G",
      "yeah thats right, cancel it please",
      "yes please 👍"
    ],
    no: [
      "no",
      "No, don't cancel it!",
      "nope, leave it as it is",
      "I changed my mind",
      "Actually no, keep it",
      "please don't",
      "wait no stop",
      "Never mind, I will fly after all",
      "not yet",
      "hmm no thanks"
    ],
    neither: [
      "yes?",
      "ok wait",
      "Yes, but not this one",
      "Yes, but only if it is refunded today",
      "My wife said yes",
      "Yes, cancel reservation ABC123",
      "Could you confirm if I can get a refund first?",
      "Yes, please transfer me to a human agent",
      "yes if there is no fee",
      "how much do i get back",
      "yes and also cancel my hotel",
      "maybe, let me ask my boss",
      "\"yes\" is what your website told me to type"
    ]
  },
  {
    kind: "payment",
    language: "en",
    question: "Shall I send 50 euros to Ann?",
    yes: [
      "Yes, send it",
      "yes send 50 euros to Ann",
      "ok, thanks",
      "please do",
      "Absolutely, go ahead.",
      "Yes, you have my permission",
      "correct, please proceed",
      "sure thing",
      "Yes that is correct. Send 50 to Ann please.",
      "sounds good to me"
    ],
    no: [
      "No!!",
      "no way",
      "stop, don't send anything",
      "Forget it",
      "I'd rather not",
      "no thank you",
      "that's wrong",
      "cancel that, I don't want to pay her",
      "not now please",
      "nah leave it"
    ],
    neither: [
      "yes, but 60",
      "Yes, 50 to Ann and 20 to Bob",
      "Yes, but to Bob",
      "yes, to Anne",
      "Is that the Ann from work?",
      "what are the fees",
      "only if it arrives today",
      "Yes once my salary is there",
      "she says yes",
      "ok hold on a second",
      "Yes I already sent it myself",
      "I think so, not sure",
      "yes, and show me my balance"
    ]
  },
  {
    kind: "booking",
    language: "en",
    question: "Shall I book a room in Lisbon for 3 nights?",
    yes: [
      "Yes please, book it",
      "perfect, go ahead",
      "Yes, book the room in Lisbon for 3 nights",
      "ok let's do it",
      "yes I'd like to book that, thanks",
      "Sure. Please go ahead with the booking.",
      "works for me",
      "Alright, book it",
      "yes, I want to book",
      "by all means, thanks a lot"
    ],
    no: [
      "No, not now",
      "no I don't want to",
      "nevermind",
      "Don't book it yet",
      "forget about it",
      "I've changed my mind, thanks",
      "no no no",
      "definitely not",
      "Please don't do that",
      "negative"
    ],
    neither: [
      "yes, but two nights",
      "Yes, for 4 nights",
      "Yes, and a parking space too",
      "yes, in Porto",
      "does it have breakfast",
      "Yes, if breakfast is included",
      "depends on the price",
      "Yes, unless you have something cheaper",
      "my husband wants to know the price first",
      "OK so what happens next?",
      "Yes, another room as well",
      "Sure, when I know my dates",
      "I guess so"
    ]
  },
  {
    kind: "change",
    language: "en",
    question: "I will change your address to 12 Hill Road. Is that right?",
    yes: [
      "Yes, that's right",
      "That is correct, thank you.",
      "yes, change it to 12 Hill Road",
      "right",
      "Yes, please change my address",
      "yes exactly",
      "Correct, go ahead.",
      "that's it, thanks",
      "ok great, please do that",
      "Yes, everything is correct"
    ],
    no: [
      "No, that's wrong",
      "incorrect",
      "no",
      "No, leave it",
      "don't change it",
      "not right",
      "no, I take it back",
      "Wrong!",
      "nope, never mind",
      "please stop"
    ],
    neither: [
      "Yes, but it is number 14",
      "Yes, and change my email as well",
      "yes, to 12 Hill Street",
      "Who told you that?",
      "my daughter said that is right",
      "I am not sure",
      "It was right last year",
      "yes, except the postcode",
      "Right, so what about my order?",
      "yes only for this delivery",
      "one moment, I will check",
      "Yes, and speak to a manager",
      "could you tell me the old one"
    ]
  },
  {
    kind: "return",
    language: "en",
    question: "Shall I return the lamp and the desk, and refund 120 dollars to your card?",
    yes: [
      "yes",
      "Yes, please go ahead.",
      "Yes, I confirm",
      "go for it",
      "ok thank you",
      "Yes please process the return of the lamp and the desk, refund 120 dollars to my card",
      "That sounds good, please proceed",
      "yes, that is fine",
      "definitely",
      "I agree"
    ],
    no: [
      "No, I keep it",
      "no thanks, I keep both",
      "Don't",
      "absolutely not",
      "no, forget it",
      "I do not want that",
      "leave it be",
      "stop it",
      "not today",
      "i changed my mind, sorry"
    ],
    neither: [
      "Yes, return the lamp",
      "yes, just the desk",
      "Yes, refund the desk and return the lamp",
      "Yes, to my gift card instead",
      "yes, return everything I ever bought",
      "ok but I want a voucher",
      "Yes as soon as you send the label",
      "how long does the refund take",
      "a friend of mine agreed to take the desk",
      "Yes, help me with another order",
      "okay, maybe later",
      "they promised me 150",
      "yes, exchange them"
    ]
  },
  {
    kind: "read-back",
    language: "en",
    question: "City: Lisbon; nights: 3; breakfast: yes. Is that right?",
    yes: [
      "Yes",
      "Yes, Lisbon, 3 nights",
      "that's correct",
      "all good",
      "Looks good, thanks!",
      "yes that is all right",
      "ok, fine",
      "Yes, the details are correct",
      "right, go ahead",
      "confirmed"
    ],
    no: [
      "no",
      "No, that's not right",
      "wrong",
      "not correct",
      "no, stop",
      "nope",
      "No, the nights are wrong",
      "I changed my mind",
      "no, sorry",
      "never mind"
    ],
    neither: [
      "Yes, but 4 nights",
      "Yes, Porto",
      "yes without breakfast",
      "yes, from Monday",
      "is breakfast included?",
      "Yes, if it has a pool",
      "what does it cost",
      "yes and a car",
      "hm let me think",
      "I told you that already",
      "Lisbon is nice",
      "yes, and change the city to Rome",
      "wait"
    ]
  },
  {
    kind: "cancellation",
    language: "de",
    question: "Soll ich die Bestellung W100 stornieren?",
    yes: [
      "Ja",
      "Ja bitte, stornieren Sie die Bestellung.",
      "ja gerne",
      "Ja, storniere sie bitte",
      "Genau, danke",
      "Ja, bitte machen Sie das",
      "ok, stornieren bitte",
      "Einverstanden",
      "Ja, ich möchte die Bestellung W100 stornieren"
    ],
    no: [
      "Nein",
      "nein danke",
      "Bitte nicht stornieren",
      "Ich habe es mir anders überlegt",
      "lieber nicht",
      "Auf keinen Fall",
      "doch nicht",
      "Nein, lassen Sie es so",
      "vergiss es"
    ],
    neither: [
      "ja?",
      "Ja, aber nur wenn ich das Geld zurückbekomme",
      "Ja, aber nicht diese",
      "Ja, stornieren Sie W200",
      "Meine Frau hat ja gesagt",
      "Moment bitte",
      "Ja, und verbinden Sie mich mit einem Mitarbeiter",
      "Was kostet das",
      "Ja, falls es nichts kostet",
      "vielleicht",
      "Ja, die andere Bestellung auch"
    ]
  },
  {
    kind: "payment",
    language: "fr",
    question: "Dois-je envoyer 50 euros à Anne ?",
    yes: [
      "Oui",
      "oui s'il vous plaît",
      "Oui, envoyez 50 euros à Anne",
      "D'accord, allez-y",
      "c'est bon, merci",
      "Oui, je confirme",
      "parfait, vous pouvez y aller",
      "bien sûr",
      "Oui, envoyez-les, merci beaucoup"
    ],
    no: [
      "Non",
      "non merci",
      "surtout pas",
      "laissez tomber",
      "Non, n'envoyez pas",
      "j'ai changé d'avis",
      "pas maintenant",
      "je ne veux plus",
      "Non non, arrêtez"
    ],
    neither: [
      "oui ?",
      "Oui, mais 60",
      "Oui si c'est gratuit",
      "Oui, mais seulement demain",
      "Mon mari a dit oui",
      "Attendez un instant",
      "Combien ça coûte",
      "Oui, et passez-moi un conseiller",
      "peut-être",
      "Oui, à Paul",
      "oui, envoyez aussi 20 à Paul"
    ]
  },
  {
    kind: "booking",
    language: "es",
    question: "¿Reservo la habitación en Lisboa para 3 noches?",
    yes: [
      "Sí",
      "si",
      "Sí, por favor",
      "Sí, reserve la habitación",
      "claro que sí, adelante",
      "De acuerdo, gracias",
      "sí, resérvala por favor",
      "perfecto, proceda",
      "Sí, confirmo la reserva"
    ],
    no: [
      "No",
      "no gracias",
      "mejor no",
      "he cambiado de opinión",
      "No, no la reserve",
      "déjelo así",
      "todavía no",
      "olvídalo",
      "no quiero"
    ],
    neither: [
      "¿sí?",
      "Sí, pero para 2 noches",
      "Sí, si incluye desayuno",
      "si me devuelven el dinero",
      "Mi mujer dijo que sí",
      "espere un momento",
      "cuánto cuesta",
      "Sí, y comuníqueme con una persona",
      "quizás",
      "Sí, en Oporto",
      "solo si hay piscina"
    ]
  },
  {
    kind: "change",
    language: "nl",
    question: "Zal ik het adres wijzigen naar Kerkstraat 12?",
    yes: [
      "Ja",
      "Ja graag",
      "ja, wijzig het adres",
      "Dat klopt, dank u",
      "prima, doe maar",
      "Ja, ga uw gang",
      "akkoord",
      "Ja, wijzig het adres naar Kerkstraat 12 alsjeblieft",
      "ja hoor, bedankt"
    ],
    no: [
      "Nee",
      "nee dank u",
      "liever niet",
      "laat maar",
      "Nee, niet wijzigen",
      "doe maar niet",
      "nog niet",
      "ik heb me bedacht",
      "Nee, dat klopt niet"
    ],
    neither: [
      "ja?",
      "Ja, maar nummer 14",
      "Ja, als het gratis is",
      "Ja maar niet voor deze bestelling",
      "Mijn man zei ja",
      "wacht even",
      "Hoe lang duurt dat",
      "Ja, en verbind me met een medewerker",
      "misschien",
      "Ja, naar Dorpsstraat 3",
      "ja, wijzig ook mijn e-mail"
    ]
  },
  {
    kind: "return",
    language: "pt",
    question: "Posso devolver o candeeiro e reembolsar 40 euros?",
    yes: [
      "Sim",
      "sim, por favor",
      "Pode sim, obrigado",
      "Sim, pode prosseguir",
      "claro, confirmo",
      "está certo, obrigada",
      "ok, pode fazer",
      "Isso mesmo",
      "sim, estou de acordo"
    ],
    no: [
      "Não",
      "não, obrigado",
      "melhor não",
      "mudei de ideia",
      "deixa pra lá",
      "Não faça isso",
      "ainda não",
      "esquece",
      "não quero"
    ],
    neither: [
      "sim?",
      "Sim, mas só se for hoje",
      "Sim, se não tiver custo",
      "Sim, mas 50 euros",
      "Meu marido disse que sim",
      "espera um momento",
      "quanto tempo demora",
      "Sim, e quero falar com um atendente",
      "talvez",
      "Sim, devolva o outro também",
      "sim, quando a etiqueta chegar"
    ]
  },
  {
    kind: "read-back",
    language: "it",
    question: "Città: Roma; notti: 3. È corretto?",
    yes: [
      "Sì",
      "si, grazie",
      "Sì, è corretto",
      "esatto",
      "va bene, proceda pure",
      "Certo, confermo",
      "Sì, Roma, 3 notti",
      "tutto giusto",
      "perfetto, grazie mille"
    ],
    no: [
      "No",
      "no grazie",
      "No, non è corretto",
      "sbagliato",
      "ho cambiato idea",
      "lasci stare",
      "non ancora",
      "assolutamente no",
      "No, ci ho ripensato"
    ],
    neither: [
      "sì?",
      "Sì, ma 4 notti",
      "Sì, se c'è la colazione",
      "Sì, Milano",
      "Mia moglie ha detto di sì",
      "un attimo",
      "quanto costa",
      "Sì, e mi passi un operatore",
      "forse",
      "Sì, solo se è rimborsabile",
      "sì, anche la cena"
    ]
  },
  {
    kind: "cancellation",
    language: "pl",
    question: "Czy mam anulować rezerwację w Krakowie?",
    yes: [
      "Tak",
      "Tak, proszę",
      "tak, proszę anulować",
      "Zgadza się",
      "jasne, dziękuję",
      "Tak, anuluj rezerwację w Krakowie",
      "potwierdzam"
    ],
    no: [
      "Nie",
      "nie, dziękuję",
      "lepiej nie",
      "jeszcze nie",
      "zmieniłem zdanie",
      "Nie, proszę tego nie robić",
      "zostaw to"
    ],
    neither: [
      "tak?",
      "Tak, ale tylko jedną noc",
      "tak, jeśli jest za darmo",
      "Tak, w Gdańsku",
      "moja żona mówi, że tak",
      "chwileczkę",
      "ile to kosztuje",
      "może",
      "tak, drugą też",
      "rezerwacja jest w porządku"
    ]
  },
  {
    kind: "cancellation",
    language: "he",
    question: "האם לבטל את ההזמנה 771?",
    yes: ["כן", "כן, בבקשה", "כן, תבטל את ההזמנה", "אני מאשר", "בסדר, תודה", "בהחלט", "כן, לבטל את ההזמנה 771"],
    no: ["לא", "לא, תודה", "עוד לא", "שיניתי את דעתי", "ממש לא", "עזוב", "לא עכשיו"],
    neither: [
      "כן?",
      "כן, אבל רק אם זה בחינם",
      "כן, ההזמנה 772",
      "אשתי אמרה כן",
      "רגע",
      "כמה זה עולה",
      "אולי",
      "כן, גם את השנייה",
      "כן, תעביר אותי לנציג",
      "ההזמנה בסדר"
    ]
  }
]
