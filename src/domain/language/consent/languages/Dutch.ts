/** Dutch answers. */
import type { Language } from "../ConsentLanguage.js"

/**
 * @since 0.2.0
 * @category languages
 */
export const dutch: Language = {
  code: "nl",
  agrees:
    `ja, jazeker, jawel, jep, jup, ja hoor, ja graag, graag, heel graag, zeker, zeker weten, natuurlijk, uiteraard, tuurlijk, klopt, dat klopt, klopt helemaal, klopt allemaal, alles klopt, inderdaad,
    precies, correct, juist, dat is juist, dat is correct, dat is goed, is goed, prima, dat is prima, akkoord, ik ga akkoord, ga akkoord, ik ben akkoord, mee eens, eens, ok, oke, okay, okey, in orde, dat is in orde, doe maar, toe maar, doe
    dat maar, doe dat, doe het, doe het maar, doe het alsjeblieft, ga je gang, gaat uw gang, ga uw gang, ga door, ga verder, gaat u verder, gaat u door, ga maar door, ga maar verder, ga je maar gang, ik bevestig, ik bevestig dit, ik bevestig het, ik bevestig dat, bevestigd, bevestig, hierbij bevestig
    ik, perfect, absoluut, mag, dat mag, mag wel, dat mag je doen, dat mag u doen, ziet er goed uit, komt goed, klinkt goed, laten we dat doen, doen we, afgesproken`,
  refuses:
    `nee, neen, neuh, no, niet, nooit, nee hoor, nee bedankt, nee dank je, nee dank u, liever niet, toch niet, toch maar niet, maar niet, doe maar niet, niet doen, doe het niet, doe dat niet, nog niet, nu niet, vandaag niet, niet
    meer, zeker niet, absoluut niet, natuurlijk niet, in geen geval, stop, stop maar, stoppen, laat maar, laat maar zitten, laat het zo, laat het maar zo, laat het maar, vergeet het, vergeet het maar, fout, dat is fout, klopt niet,
    dat klopt niet, niet juist, onjuist, ik heb me bedacht, ik ben van gedachten veranderd, van gedachten veranderd, ik wil het niet, ik wil dat niet, wil ik niet, ik wil hem houden, ik wil het houden, geen interesse, afbreken, 👎, ❌, 🚫`,
  beside:
    `alsjeblieft, alstublieft, aub, a.u.b, svp, dank je, dank je wel, dank u, dank u wel, dankjewel, dankuwel, bedankt, hartelijk dank, hoi, hallo, dag, dat, het, de, dit, deze, die, mijn, een, ik, u, jij, je, wij, we, mij, me, is, zijn, zo, nu, meteen, direct,
    gelijk, voor mij, ermee, daarmee, dan, goed, heel goed, mooi, fijn, top, super, geweldig, geen probleem, ik wil, ik wil graag, ik zou graag, wil ik, wil ik graag, u mag, je mag, u kunt, je kunt, mag u, mag je, kunt u, kun je, de gegevens, alle gegevens, alles, te, om te, van, zoals besproken, zoals beschreven,
    uitvoeren, hoor, met de, met het, met mijn, meneer, mevrouw, oh, nou, eens, even, verzoek, wijziging, 👍, ✅, 👌, ✔, 🙏, 🙂, 😊, 😀, 😁, 😃, ❤, 🎉, 👋`,
  denies: "geen, niets, niks, niemand, zonder, behalve, noch, nauwelijks, tegen, ongedaan, ondanks",
  conditions:
    `als, alleen als, maar alleen als, indien, mits, tenzij, zolang, zodra, op voorwaarde, onder voorwaarde, wanneer, voordat, voor dat, nadat, totdat, tot, eerst, hangt ervan af, hangt er van af, ligt eraan, ligt er aan, of, anders, alleen, slechts, ingeval, enkel`,
  hesitates:
    `wacht, wacht even, wachten, moment, momentje, een moment, een momentje, seconde, een seconde, even wachten, misschien, wellicht, mogelijk, waarschijnlijk, twijfel, ik twijfel, onzeker, niet zeker, weet niet, weet ik niet, ik weet het niet, weet het niet, geen idee, ik denk, ik
    denk het, denk ik, ik geloof, nadenken, even nadenken, even denken, later, straks, morgen, hm, hmm, eh, uh, tja, nou ja, mwah, ooit, eigenlijk, binnenkort, maakt niet uit, 🤔, 🤨, 😕, 🤷, 🙄`,
  quotes:
    "zei, zegt, gezegd, vertelde, verteld, volgens, schijnbaar, beweert, schreef, geschreven, zeggen, beloofd, antwoordde",
  asks:
    `wat, waar, wie, waarom, welke, welk, hoe, hoeveel, hoelang, kan ik, kunt u mij, kun je mij, kunt u me, kun je me, zou u, zou je, zou ik, krijg ik, moet ik, mag ik, is het, is dat, is er, zijn er, bent u, heeft u, heb je, zal ik, vraag, een vraag, vragen, vertel, uitleggen, weten, wablief,
    huh`,
  more:
    `ook, bovendien, daarnaast, tevens, nog, nog iets, andere, ander, anders, in plaats, in plaats daarvan, echter, hoewel, beide, allebei, allemaal, liever, trouwens, daarna, vervolgens, opnieuw, nogmaals, weer, en dan, maar, elke, tweede, dubbel`,
  wishes:
    `verbind, doorverbinden, verbinden, spreken, spreek, praten, praat, bellen, bel, contact, mail, mailen, email, sturen, stuur, wijzigen, wijzig, aanpassen, omboeken, boeken, boek, annuleren, annuleer, terugbetalen, terugbetaling, terugsturen, ruilen, toevoegen, voeg, verwijderen, bestellen, bestel, kopen, koop,
    betalen, tonen, toon, laten, laat, controleren, controleer, vinden, geven, geef, help, helpen, hulp, nodig, mens, medewerker, persoon, iemand, manager, leidinggevende, korting, bon, hotel, vlucht, klacht, reserveren, nemen, neem, maken, maak, verlengen, verplaatsen, leveren, zet, lees, zeg`,
  joins: "en, of",
  endings: "en, e, ing, t, d, n, de, te, er, eer, eren, eert, ering",
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
