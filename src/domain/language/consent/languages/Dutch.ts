/** Dutch answers. */
import type { Language } from "../ConsentLanguage.js"

export const dutch: Language = {
  code: "nl",
  agrees: `ja, {is|zijn|klinkt|lijkt|past} [me|mij|helemaal|prima|heel] {goed|prima|in
    orde|akkoord|correct|juist|perfect|ok|oke}, {schikt|past} [me|mij] [goed|prima], doorgaan met, verdergaan,
    jazeker, jawel, jep, jup, ja hoor, graag, heel graag, zeker, zeker weten, natuurlijk, uiteraard, tuurlijk,
    klopt, dat klopt, klopt helemaal, klopt allemaal, alles klopt, inderdaad, precies, correct, juist, dat is juist,
    dat is correct, dat is goed, prima, dat is prima, akkoord, ik ga akkoord, ga akkoord, ik ben akkoord, mee eens,
    ok, oke, okay, okey, in orde, dat is in orde, doe maar, toe maar, doe dat maar, doe dat, doe het, doe het maar,
    doe het alsjeblieft, ga je gang, gaat uw gang, ga uw gang, ga door, ga verder, gaat u verder, gaat u door, ga
    maar door, ga maar verder, ga je maar gang, ik bevestig, ik bevestig dit, ik bevestig het, ik bevestig dat,
    bevestigd, bevestig, hierbij bevestig ik, perfect, absoluut, dat mag, mag wel, dat mag je doen, dat mag u doen,
    ziet er goed uit, laten we dat doen, doen we, afgesproken, j, ja maar natuurlijk, jazeker wel, doe dat
    alsjeblieft, dat wil ik, ik wil dat graag, dat is oke, u kunt doorgaan, je kunt doorgaan, doorgaan, ga door met,
    ga verder met, alles is juist, alles is correct, de gegevens kloppen, alle gegevens kloppen, alle gegevens zijn
    correct, ik weet het zeker, goedgekeurd, keur goed, ik keur het goed, akkoord met, ik accepteer, zeker wel, ziet
    er prima uit`,
  refuses:
    `nee, neen, neuh, niet, nooit, nee hoor, nee bedankt, nee dank je, nee dank u, liever niet, toch niet, toch maar
    niet, maar niet, doe maar niet, niet doen, doe het niet, doe dat niet, nog niet, nu niet, vandaag niet, niet
    meer, zeker niet, absoluut niet, natuurlijk niet, in geen geval, stop, stop maar, stoppen, laat maar, laat maar
    zitten, laat het zo, laat het maar zo, laat het maar, vergeet het, vergeet het maar, fout, dat is fout, klopt
    niet, dat klopt niet, niet juist, onjuist, ik heb me bedacht, ik ben van gedachten veranderd, van gedachten
    veranderd, ik wil het niet, ik wil dat niet, wil ik niet, ik wil hem houden, ik wil het houden, geen interesse,
    afbreken, weigeren, geweigerd, afwijzen, afgewezen, ik heb bezwaar, niet akkoord, ik vind het erg, die niet,
    niet deze, doe ik niet, doe ik het niet, zeker weten doe ik het niet`,
  beside:
    `helemaal, alsjeblieft, alstublieft, aub, a.u.b, svp, graag gedaan, dank je, dank je wel, dank u, dank u wel, dankjewel,
    dankuwel, bedankt, heel erg bedankt, hartelijk dank, hartelijk bedankt, bedankt voor uw hulp, bedankt voor je
    hulp, dank voor uw hulp, dank u voor uw hulp, dank u wel voor uw hulp, nu, meteen, direct, gelijk, voor mij,
    ermee, daarmee, dan, goed, heel goed, mooi, fijn, top, super, geweldig, geen probleem, zoals besproken, zoals
    beschreven, hoor, meneer, mevrouw, oh, eens, even, gerust, maar, en bedankt, en dank u`,
  leads:
    `ik wil, ik wil graag, ik zou graag, wil ik, wil ik graag, u mag, je mag, mag u, mag je, u kunt, je kunt, kunt u,
    kun je, voer, uitvoeren, ik wil dat u, ik wil dat je, u kan, je kan, om te, te`,
  explains:
    `omdat, want, ik heb {het|hem|die} niet meer nodig, ik ben {het|hem} kwijt, het was een vergissing, ik begrijp, ik begrijp dat, ik weet dat, bedankt voor, dank voor, dat zou, mijn plannen`,
  links: "dat, het, de, dit, deze, die, mijn, een, hem, ze, haar, ik, me, te",
  prepositions: "voor, met, in, op, om, bij, per, aan het, onder, over, via, door, tussen",
  from: "van, uit, vanaf",
  to: "naar, aan, tot",
  denies: "geen, niets, niks, niemand, zonder, behalve, noch, nauwelijks, tegen, ongedaan, ondanks",
  conditions:
    `als, alleen als, maar alleen als, indien, mits, tenzij, zolang, zodra, op voorwaarde, onder voorwaarde, wanneer,
    voordat, voor dat, nadat, totdat, eerst, hangt ervan af, hangt er van af, ligt eraan, ligt er aan, anders,
    alleen, slechts, ingeval, enkel, tot, of`,
  hesitates:
    `wacht, wacht even, wachten, moment, momentje, een moment, een momentje, seconde, een seconde, even wachten,
    misschien, wellicht, mogelijk, waarschijnlijk, twijfel, ik twijfel, onzeker, niet zeker, weet niet, weet ik
    niet, ik weet het niet, weet het niet, geen idee, ik denk, ik denk het, denk ik, ik geloof, nadenken, even
    nadenken, even denken, later, straks, morgen, hm, hmm, eh, uh, tja, nou ja, mwah, ooit, binnenkort, maakt niet
    uit, ja ja, jaja, in theorie, theoretisch, in principe, gisteren, vast wel, ja hoor vast wel, doei, goed zo,
    eigenlijk, zou kunnen, haha`,
  quotes: `zei, zegt, gezegd, vertelde, verteld, volgens, schijnbaar, beweert, schreef, geschreven, zeggen, beloofd,
    antwoordde, is akkoord, gaat akkoord, heeft bevestigd, heeft goedgekeurd, heb bevestigd, heb gisteren, ik heb
    bevestigd, ik heb gisteren, gebruiker, klant, assistent, systeem, hij, mijn vrouw, mijn man`,
  asks: `wat, waar, wie, waarom, welke, welk, hoe, hoeveel, hoelang, kan ik, kunt u mij, kun je mij, kunt u me, kun je
    me, zou u, zou je, zou ik, krijg ik, moet ik, mag ik, is het, is dat, is er, zijn er, bent u, heeft u, heb je,
    zal ik, vraag, een vraag, vragen, vertel, uitleggen, weten, wablief, huh, weet je het zeker, weet u het zeker,
    is de, is mijn, en nu, en dan, wat kost`,
  more: `ook, bovendien, daarnaast, tevens, nog, nog iets, andere, ander, anders, in plaats, in plaats daarvan, echter,
    hoewel, beide, allebei, allemaal, liever, trouwens, daarna, vervolgens, opnieuw, nogmaals, weer, en dan, elke,
    tweede, dubbel, alles, al, reeds, ja maar, maar nee, maar niet, maar wel, maar nummer, maar eerst, maar dan`,
  verbs:
    `doorverbinden, verbinden, verbind, spreken, spreek, praten, praat, bellen, bel, contact, mailen, sturen, stuur,
    wijzigen, aanpassen, omboeken, boeken, annuleren, terugbetalen, terugsturen, ruilen, toevoegen, verwijderen,
    bestellen, kopen, koop, betalen, betaal, tonen, toon, laten, laat, controleren, vinden, geven, geef, helpen,
    help, reserveren, nemen, neem, maken, maak, verlengen, verplaatsen, leveren, zet, lees, lezen, zeg, zeggen,
    houden, houd, hou, behouden, blokkeren, deblokkeren, sluiten, openen, stoppen, starten, opzeggen, overmaken,
    afschrijven, vervangen, herstellen, activeren, deactiveren, publiceren, delen, afdrukken, opslaan, goedkeuren,
    terugdraaien, draai, verkopen, wissen, ophalen, upgraden, verwerken, afronden, uitvoeren`,
  same: `annuleren annulering annulatie, boeken boeking reserveren reservering, terugbetalen terugbetaling, wijzigen
    wijziging aanpassen aanpassing veranderen verandering, sturen stuur verstuur versturen verzenden zenden,
    verwijderen verwijdering wissen, bestellen bestelling kopen koop, betalen betaal betaling, overmaken overmaking
    maak-over, ruilen omruilen, stoppen stop, opzeggen opzegging, verplaatsen verzetten, houden houd hou behouden`,
  actions: `cancel annuleren, book boeken, delete verwijderen, send sturen, pay betalen, buy kopen, order bestellen,
    change wijzigen, refund terugbetalen, transfer overmaken, close sluiten, stop stoppen, keep behouden, add
    toevoegen`,
  things: `booking boeking reservering, reservation reservering boeking, order bestelling, flight vlucht, room kamer,
    table tafel, appointment afspraak, account account, subscription abonnement, trip reis, ticket ticket`,
  wishes: `mens, medewerker, persoon, iemand, manager, leidinggevende, korting, bon, hotel, vlucht, klacht, hulp, nodig,
    mail, email, vrouw, man, baas`,
  generic:
    `kunt, moeten, klopt, mogen, gegevens, details, verzoek, uw, je, u, ik, wilt, wil, zal, moet, mag, kan, is, zijn, wordt, worden, nu, hier`,
  future: "zal, wordt, worden, zullen, zult",
  requests: "bevestig alstublieft, bevestig, ter bevestiging, antwoord met, om te bevestigen",
  makes: "boeken, reserveren, kopen, bestellen, toevoegen, nemen, sturen",
  takes: "annuleren, verwijderen, wissen, sluiten, opzeggen, beeindigen, blokkeren, retourneren",
  classes: "adres, datum, tijd, vlucht, kamer, tafel, bestelling, boeking, afspraak",
  money: "prijs, kosten, toeslag, verschil, bedrag",
  amounts: "geld, bedrag",
  joins: "en, of",
  or: "of, ook, anders, andere",
  endings: "en, e, ing, n, er, eer, eren, ering, ",
  finite: "t",
  past: "d, de, te, eert, eerd",
  particles: "om, af, aan, uit, op, in, terug, door, over, toe, vast",
  verbLast: true,
  unclear: {
    asks: "U vroeg iets terug, dus ik heb nog niets gedaan.",
    quotes: "Ik weet niet zeker of dit uw eigen antwoord is, dus ik heb nog niets gedaan.",
    condition: "U noemde een voorwaarde, dus ik heb nog niets gedaan.",
    denies: "Ik weet niet zeker of dat een ja of een nee was, dus ik heb nog niets gedaan.",
    hesitates: "U lijkt nog niet zeker te zijn, dus ik heb nog niets gedaan.",
    more: "U noemde ook iets anders, dus ik heb nog niets gedaan.",
    silent: "Ik heb geen duidelijk ja gehoord, dus ik heb nog niets gedaan."
  }
}
