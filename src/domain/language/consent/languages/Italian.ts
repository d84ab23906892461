/** Italian answers. */
import type { Language } from "../ConsentLanguage.js"

/**
 * @since 0.2.0
 * @category languages
 */
export const italian: Language = {
  code: "it",
  agrees:
    `sí, sí sí, si, si si, si grazie, si per favore, certo, certo che sí, certo che si, certamente, ma certo, come no, ovvio, ovviamente, naturalmente, senz'altro, assolutamente, assolutamente sí, assolutamente si, va bene, va benissimo, mi va bene, per me va bene, tutto bene, va bene cosi, ok, okay, okey, d'accordo, sono d'accordo, giusto, e giusto, tutto giusto, corretto, e
    corretto, tutto corretto, e tutto corretto, esatto, esattamente, e esatto, perfetto, benissimo, confermo, lo confermo, la confermo, ti confermo, le confermo, confermato, conferma, confermi, confermi pure, conferma pure, proceda, proceda pure, procedi, procedi pure, puo procedere, puoi procedere, procedete, procediamo, vada avanti, vai avanti, vada, vai, vai pure, vada pure,
    faccia, faccia pure, fai, fai pure, fallo, lo faccia, lo faccia pure, avanti, prosegua, prosegui, continui, continua, accetto, approvo, autorizzo, acconsento, do il mio consenso, ha il mio permesso, mi sembra giusto, mi sembra corretto, mi sembra perfetto, mi sembra ottimo, affare fatto, sono sicuro, sono sicura, sicuro, affermativo, andiamo, facciamolo, facciamo cosi, lo
    voglio, la voglio, volentieri`,
  refuses:
    `no, no no, nono, non, no grazie, mai, mai e poi mai, per niente, assolutamente no, assolutamente non, certo che no, meglio di no, meglio no, non ora, non adesso, non ancora, non oggi, non piu, adesso no, ora no, fermo, ferma, si fermi, fermati, stop, lascia stare, lasci stare, lasci perdere, lascia perdere, lascia cosi, lasci cosi, lascia tutto cosi, lasci tutto cosi, non e corretto, non e giusto, come non
    detto, dimentica, dimentichi, ho cambiato idea, cambiato idea, ci ho ripensato, ripensato, non voglio, non lo voglio, non la voglio, non lo faccia, non lo fare, non farlo, non faccia nulla, non fare niente, sbagliato, e sbagliato, errato, scorretto, rifiuto, mi rifiuto, non mi interessa, non sono interessato, voglio tenerla, voglio tenerlo, la tengo, lo tengo, 👎, ❌,
    🚫`,
  beside:
    `per favore, per piacere, per cortesia, prego, grazie, grazie mille, molte grazie, tante grazie, ciao, salve, buongiorno, buonasera, questo, questa, quello, quella, lo, la, il, i, le, gli, l', un, una, un', mi, mio, mia, io, lei, tu, e, sono, di, del, della, dell', d', a, al, con, con questo, con cio, con il, con la, con l', ora, adesso, subito, immediatamente, il prima
    possibile, per me, allora, quindi, bene, molto bene, ottimo, eccellente, fantastico, pure, voglio, vorrei, desidero, puo, puoi, puo farlo, puoi farlo, che, nessun problema, non c'e problema, senza problemi, i dati sono corretti, tutti i dati sono corretti, le informazioni sono corrette, i dettagli sono corretti, come concordato, come d'accordo, fare, farlo, eseguire, effettuare, signore,
    signora, ah, oh, beh, richiesta, la richiesta, la mia richiesta, modifica, 👍, ✅, 👌, ✔, 🙏, 🙂, 😊, 😀, 😁, 😃, ❤, 🎉, 👋`,
  denies:
    "ne, niente, nulla, nessuno, nessuna, nessun, senza, tranne, eccetto, salvo, contro, neanche, nemmeno, neppure",
  conditions:
    `se, solo se, ma solo se, soltanto se, a patto che, purche, a condizione, a condizione che, a meno che, finche, fintanto, appena, non appena, quando, prima, prima di, prima che, dopo, dopo che, fino a, dipende, a seconda, altrimenti, senno, se no, in caso, nel caso, qualora, solo, soltanto,
    solamente, una volta`,
  hesitates:
    `aspetta, aspetti, aspettare, un momento, un attimo, un attimino, un secondo, un minuto, momento, attimo, forse, magari, puo darsi, probabilmente, possibilmente, non sono sicuro, non sono sicura, non so, non lo so, boh, credo, credo di sí, credo di si, penso, penso di sí, penso di si, suppongo, immagino, ci penso, pensarci, fammi, mi faccia, mi lasci, piu tardi, dopo, domani, hm, hmm, mah, ehm,
    eh, piu o meno, in realta, presto, fa lo stesso, vediamo, un giorno, 🤔, 🤨, 😕, 🤷, 🙄`,
  quotes:
    "ha detto, detto, dice, dicono, diceva, disse, secondo, a quanto pare, sostiene, scritto, scrisse, raccontato, risposto, rispose, promesso, hanno detto",
  asks:
    `che cosa, cosa, quale, quali, dove, chi, perche, come, come mai, quanto, quanta, quanti, posso, potrei, potrebbe, potresti, possiamo, puo dirmi, puoi dirmi, mi puo, mi puoi, si puo, c'e, ci sono, devo, avete, ha, e possibile, ricevero, avro, saro, sara, domanda, una domanda, chiedere, mi dica, dimmi, spiegare, spieghi, sapere, scusi, che ora, che
    giorno, quando e`,
  more:
    `anche, inoltre, in piu, altra, altro, altri, altre, un'altra, un altro, invece, al posto, ma, pero, tuttavia, comunque, anche se, entrambi, entrambe, tutti, tutte, tutto, tutti e due, diverso, diversa, seconda, poi, e poi, gia che ci siamo, a proposito, di nuovo, ancora, bensi, piu, ogni, ciascuno, piuttosto, meglio, due volte`,
  wishes:
    `trasferire, trasferiscimi, trasferisca, passami, passi, mi passi, parlare, parlo, chiamare, chiami, chiama, contattare, inviare, invia, invii, mandare, mandami, manda, cambiare, cambia, cambi, modificare, modifichi, prenotare, prenota, prenoti, annullare, annulla, annulli, cancellare, cancella, cancelli, rimborsare, rimborso, restituire, reso, aggiungere, aggiungi,
    aggiunga, togliere, togli, tolga, eliminare, ordinare, comprare, pagare, mostrare, mostri, mostrami, verificare, verifichi, controllare, controlli, cercare, cerchi, cerca, dare, dammi, dia, aiutare, aiuto, aiuti, bisogno, serve, umano, umana, operatore, operatrice, persona, qualcuno, responsabile, direttore, sconto, buono, hotel, albergo, volo, reclamo, mettere, metti, metta,
    prolungare, spostare, dire, leggere, email, mail, tenere`,
  joins: "e, ed, o, oppure",
  endings:
    "are, o, a, i, e, ano, ato, ata, ando, azione, zione, amento, imento, ere, ire, ito, ita, isca, isci, atela, ala, alo, arla, arlo, ila, ilo, li, la, lo, tela",
  unclear: {
    asks: "Lei ha chiesto qualcosa, quindi non ho ancora fatto nulla.",
    quotes: "Non sono sicuro che questa sia la sua risposta, quindi non ho ancora fatto nulla.",
    condition: "Lei ha posto una condizione, quindi non ho ancora fatto nulla.",
    denies: "Non so se fosse un sì o un no, quindi non ho ancora fatto nulla.",
    hesitates: "Non sembra ancora sicuro, quindi non ho ancora fatto nulla.",
    more: "Lei ha menzionato anche altro, quindi non ho ancora fatto nulla.",
    silent: "Non ho capito un sì chiaro, quindi non ho ancora fatto nulla."
  }
}
