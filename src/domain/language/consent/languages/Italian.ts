/** Italian answers. */
import type { Language } from "../ConsentLanguage.js"

export const italian: Language = {
  code: "it",
  agrees: `sí, [mi] {va|vanno|e|sono|sembra} [tutto|molto]
    {bene|benissimo|giusto|giusta|corretto|corretta|corretti|corrette|perfetto|perfetta|ok}, procedere, procedere
    con, continuare, proseguire, si, si grazie, si per favore, certo, certo che sí, certamente, ma certo, ovvio,
    ovviamente, naturalmente, senz'altro, assolutamente, per me va bene, tutto bene, va bene cosi, ok, okay, okey,
    d'accordo, sono d'accordo, giusto, tutto giusto, corretto, tutto corretto, esatto, esattamente, e esatto,
    perfetto, benissimo, confermo, lo confermo, la confermo, ti confermo, le confermo, confermato, conferma,
    confermi, confermi pure, conferma pure, proceda, proceda pure, procedi, procedi pure, puo procedere, puoi
    procedere, procedete, procediamo, vai pure, vada pure, faccia pure, fai pure, fallo, lo faccia, lo faccia pure,
    prosegua, prosegui, continui, continua, accetto, approvo, autorizzo, acconsento, do il mio consenso, ha il mio
    permesso, mi sembra ottimo, affare fatto, sono [assolutamente|proprio] {sicuro|sicura}, affermativo, andiamo,
    facciamolo, facciamo cosi, volentieri, s, vada, vai, faccia, fai, avanti, certo che si, ma certo che sí, proceda
    con, proceda pure con, proceda con l, procedi con, prosegua con, continui con, vorrei procedere, voglio
    procedere, voglio continuare, desidero continuare, lo voglio, lo desidero, e tutto a posto, tutto a posto, tutto
    ok, e giusto cosi, i dati sono corretti, tutti i dati sono corretti, le informazioni sono corrette, tutte le
    informazioni sono corrette, i dettagli sono corretti, approvato, approvi, approva, approvare, accettare,
    accetti, accettato, ha il mio consenso, puo farlo, puoi farlo`,
  refuses:
    `no, no no, nono, non, no grazie, mai, mai e poi mai, per niente, assolutamente no, assolutamente non, certo che
    no, meglio di no, meglio no, non ora, non adesso, non ancora, non oggi, non piu, adesso no, ora no, si fermi,
    fermati, stop, lascia stare, lasci stare, lasci perdere, lascia perdere, lascia cosi, lasci cosi, lascia tutto
    cosi, lasci tutto cosi, non e corretto, non e giusto, come non detto, dimentica, dimentichi, ho cambiato idea,
    cambiato idea, ci ho ripensato, ripensato, non voglio, non lo voglio, non la voglio, non lo faccia, non lo fare,
    non farlo, non faccia nulla, non fare niente, sbagliato, e sbagliato, errato, scorretto, rifiuto, mi rifiuto,
    non mi interessa, non sono interessato, voglio tenerla, voglio tenerlo, la tengo, lo tengo, fermo, ferma,
    negare, negato, rifiutare, rifiuti, respingere, non sono d'accordo, in disaccordo, mi dispiace, mi da fastidio,
    non quello, non quella, ma no`,
  beside: `per favore, per piacere, per cortesia, prego, grazie, grazie mille, mille grazie, molte grazie, tante grazie,
    grazie per l'aiuto, grazie per il suo aiuto, grazie mille per l'aiuto, grazie dell'aiuto, la ringrazio, ti
    ringrazio, ora, adesso, subito, immediatamente, il prima possibile, per me, allora, quindi, bene, molto bene,
    ottimo, eccellente, fantastico, pure, con questo, con cio, nessun problema, non c'e problema, senza problemi,
    come concordato, come d'accordo, signore, signora, ah, oh, beh, e grazie`,
  leads: `voglio, vorrei, desidero, voglio che, vorrei che, puo, puoi, fare, faccia, eseguire, esegua, effettuare,
    effettui, a, di, che, la richiesta, la mia richiesta`,
  explains:
    "perche, poiche, non {mi serve|ne ho} piu [bisogno], l'ho {persa|perso}, e stato un errore, capisco, capisco che, so che, grazie per, sarebbe, i miei piani",
  links: `lo, la, il, i, le, gli, l, un, una, mi, mio, mia, miei, mie, io, questo, questa, quello, quella, ne`,
  prepositions: "con, in, per, su, sul, sulla, tra, nel, nella, nell, tramite, via, col",
  from: "di, d, del, dello, della, dell, dei, delle, da, dal, dalla, dall",
  to: "a, ad, al, alla, all, ai, alle",
  denies:
    `ne, niente, nulla, nessuno, nessuna, nessun, senza, tranne, eccetto, salvo, contro, neanche, nemmeno, neppure`,
  conditions:
    `se, solo se, ma solo se, soltanto se, a patto che, purche, a condizione, a condizione che, a meno che, finche,
    fintanto, appena, non appena, quando, prima, prima di, prima che, dopo, dopo che, fino a, dipende, a seconda,
    altrimenti, senno, se no, in caso, nel caso, qualora, solo, soltanto, solamente, una volta`,
  hesitates:
    `aspetta, aspetti, aspettare, un momento, un attimo, un attimino, un secondo, un minuto, momento, attimo, forse,
    puo darsi, probabilmente, possibilmente, non sono sicuro, non sono sicura, non so, non lo so, boh, credo, credo
    di sí, credo di si, penso, penso di sí, penso di si, suppongo, immagino, ci penso, pensarci, fammi, mi faccia,
    mi lasci, piu tardi, dopo, domani, hm, hmm, mah, ehm, eh, piu o meno, in realta, presto, fa lo stesso, vediamo,
    un giorno, magari, come no, sí sí come no, sí vabbe, vabbe, va be, in teoria, teoricamente, in linea di
    principio, ieri, arrivederci, certo certo, bravo, ecco, e allora, e adesso`,
  quotes: `ha detto, detto, dice, dicono, diceva, disse, secondo, a quanto pare, sostiene, scritto, scrisse, raccontato,
    risposto, rispose, promesso, hanno detto, e d'accordo, ha confermato, ho confermato, ha approvato, utente,
    l'utente, cliente, assistente, sistema, lui, mia moglie, mio marito, concorda, confermato ieri`,
  asks: `che cosa, cosa, quale, quali, dove, chi, perche, come, come mai, quanto, quanta, quanti, posso, potrei,
    potrebbe, potresti, possiamo, puo dirmi, puoi dirmi, mi puo, mi puoi, si puo, c'e, ci sono, devo, avete, ha, e
    possibile, ricevero, avro, saro, sara, domanda, una domanda, chiedere, mi dica, dimmi, spiegare, spieghi,
    sapere, scusi, che ora, che giorno, quando e, e sicuro, sei sicuro, e adesso, e allora, va bene il, va bene l,
    va bene la`,
  more: `anche, inoltre, in piu, altra, altro, altri, altre, un'altra, un altro, invece, al posto, ma, pero, tuttavia,
    comunque, anche se, entrambi, entrambe, tutti, tutte, tutto, tutti e due, diverso, diversa, seconda, poi, e poi,
    gia che ci siamo, a proposito, di nuovo, ancora, bensi, piu, ogni, ciascuno, piuttosto, meglio, due volte, gia,
    gia fatto`,
  verbs: `trasferire, parlare, chiamare, contattare, inviare, mandare, cambiare, modificare, prenotare, annullare,
    cancellare, rimborsare, restituire, aggiungere, togliere, togli, tolga, eliminare, ordinare, comprare, pagare,
    paghi, completare, finalizzare, elaborare, mostrare, verificare, controllare, cercare, cerchi, dare, dammi, dia, aiutare, mettere, metti, metta,
    prolungare, spostare, dire, dica, leggere, legga, tenere, tenga, mantenere, mantenga, bloccare, sbloccare,
    chiudere, chiuda, aprire, apra, fermare, avviare, addebitare, attivare, disattivare, sostituire, pubblicare,
    condividere, stampare, salvare, approvare, ripristinare, ricevere, richiedere, vendere, emettere, rinnovare,
    passare, passami, passi`,
  same: `annullare annullamento cancellare cancellazione, prenotare prenotazione, rimborsare rimborso, cambiare cambio
    cambi modificare modifica aggiornare aggiornamento, inviare invio mandare spedire spedizione invii, trasferire trasferimento,
    comprare acquisto acquistare, ordinare ordine, pagare paghi pagamento, eliminare rimuovere, restituire reso
    restituzione, mantenere mantenga tenere tenga, fermare bloccare, spostare spostamento`,
  actions: `cancel annullare, book prenotare, delete eliminare, send inviare, pay pagare, buy comprare, order
    ordinare, change modificare, refund rimborsare, transfer trasferire, close chiudere, stop fermare, keep
    mantenere, add aggiungere, remove togliere`,
  things: `booking prenotazione, reservation prenotazione, order ordine, flight volo, room camera stanza, table
    tavolo, appointment appuntamento, account conto, subscription abbonamento, trip viaggio, ticket biglietto`,
  wishes:
    `umano, umana, operatore, operatrice, persona, qualcuno, responsabile, direttore, sconto, buono, hotel, albergo,
    volo, reclamo, bisogno, serve, aiuto, email, mail, moglie, marito, capo, costi`,
  generic:
    `puo, va, vanno, dati, dettagli, informazioni, richiesta, suo, sua, tuo, tua, lei, vuole, vuoi, desidera, devo, posso, che, e,
    sono, sara, saranno, ora, io`,
  future: "sara, saranno, verra, verranno",
  requests: "per favore confermi, confermi, per confermare, risponda, rispondi, conferma",
  makes: "prenotare, comprare, ordinare, aggiungere, inviare",
  takes: "annullare, cancellare, eliminare, chiudere, disdire, rimuovere, bloccare, restituire",
  classes: "indirizzo, data, ora, orario, volo, ordine, prenotazione, camera, tavolo",
  money: "prezzo, costo, tariffa, differenza, importo, supplemento",
  amounts: "soldi, denaro, importo, somma",
  joins: "e, ed, o, oppure",
  or: "o, oppure, anche, altrimenti, altro, altra",
  endings:
    `are, i, a, e, ere, ire, azione, zione, amento, imento, isca, isci, atela, ala, alo, arla, arlo, ila, ilo, amela,
    iamo, hi`,
  finite: "isco, isce, o, ano, ono",
  past: "ato, ata, ando, ita, ito, ero",
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
