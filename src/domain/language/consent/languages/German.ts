/** German answers. */
import type { Language } from "../ConsentLanguage.js"

export const german: Language = {
  code: "de",
  agrees: `ja, [ja] {das|es|alles|so} {passt|stimmt|klingt|ist|geht|sieht} [alles|mir|fur mich|so|sehr|ganz|genau]
    {so|gut|richtig|korrekt|perfekt|super|prima|in ordnung|okay|ok|gut aus|klar}, {ist|sind|passt|klingt|stimmt}
    [sehr|mir|alles|so] {gut|richtig|korrekt|perfekt|okay|ok|in ordnung}, {das|es} {konnen|durfen|kannst|darfst}
    {sie|du} [gern|gerne] {machen|tun}, [ja] {durfen|konnen|machen|tun} sie [das] [gern|gerne], jo, jep, jawohl,
    jup, na klar, klar, naturlich, selbstverstandlich, gerne, gern, sehr gerne, genau, richtig, korrekt, stimmt, das
    stimmt, stimmt so, stimmt alles, das passt, passt, passt so, passt alles, alles klar, alles richtig, alles
    korrekt, [ja] ich bin mir [ganz|absolut] sicher, einverstanden, ich bin einverstanden, bin einverstanden, ok,
    okay, okey, in ordnung, geht in ordnung, geht klar, mach das, mach es, machen sie es, mach mal, machen sie mal,
    bitte machen, tu das, ich bestatige, ich bestatige das, bestatigt, hiermit bestatige ich, bestatige, bestatige
    ich, ich stimme zu, stimme zu, zugestimmt, so machen wir das, so machen wir es, machen wir, machen wir so, auf
    jeden fall, definitiv, absolut, perfekt, nur zu, los, los geht's, fortfahren, fahren sie fort, bitte fortfahren,
    jawoll, j, ja bitte, aber ja, sieht gut aus, das ist gut so, sie konnen fortfahren, bitte fahren sie fort, ich
    bin sicher, ich bin dafur, alle angaben stimmen, die angaben stimmen, die angaben sind korrekt, alle angaben
    sind korrekt, die daten stimmen, die daten sind korrekt, alles stimmt, logisch, unbedingt, weiter, mach weiter,
    genehmigt, ich genehmige, genehmige, ich akzeptiere, akzeptiert, so ist es, gerne doch, tun sie es, ich
    bestatige die, fahren sie mit der, fahren sie mit dem, fahren sie bitte mit der, fort, das mochte ich, das will
    ich, ich will das, ich mochte das`,
  refuses:
    `nein, nee, nicht, nie, niemals, auf keinen fall, keinesfalls, bitte nicht, lieber nicht, doch nicht, dann nicht,
    noch nicht, jetzt nicht, heute nicht, stopp, stop, abbrechen, bitte abbrechen, vergiss es, vergessen sie es,
    lass es, lassen sie es, lass das, lassen sie das, lass mal, lassen sie mal, lass es so, lassen sie es so, nein
    danke, falsch, das ist falsch, stimmt nicht, das stimmt nicht, nicht richtig, passt nicht, ich habe es mir
    anders uberlegt, ich hab es mir anders uberlegt, ich hab's mir anders uberlegt, anders uberlegt, ich mochte das
    nicht, ich will das nicht, will ich nicht, mochte ich nicht, ich lehne ab, abgelehnt, kein interesse, ich mochte
    sie behalten, ich mochte es behalten, ablehnen, ich lehne das ab, verweigern, verweigert, nicht einverstanden,
    nicht loschen, ich habe etwas dagegen, ich hab was dagegen, das stort mich, dagegen, bin dagegen`,
  beside:
    `bitte, bitte sehr, bitte schon, danke, danke schon, dankeschon, danke dir, danke ihnen, ich danke ihnen, vielen
    dank, vielen lieben dank, besten dank, herzlichen dank, danke sehr, danke im voraus, vielen dank fur ihre hilfe,
    danke fur ihre hilfe, danke fur die hilfe, danke fur deine hilfe, jetzt, sofort, gleich, direkt, umgehend, fur
    mich, damit, dann, gut, sehr gut, schon, prima, toll, wunderbar, super, kein problem, keine sorge, wie
    besprochen, wie beschrieben, wie gesagt, wie angegeben, herr, frau, also, ach, oh, doch, mal, na, ruhig, und
    danke, und vielen dank`,
  leads: `ich mochte, ich mochte gerne, ich will, ich wurde gern, ich wurde gerne, ich hatte gern, ich mochte dass sie,
    sie konnen, du kannst, sie durfen, du darfst, konnen sie, kannst du, fuhren sie, fuhre, durchfuhren, ausfuhren,
    vornehmen, vorzunehmen, durchzufuhren, erledigen, nehmen sie, mochte ich, will ich`,
  explains:
    `weil, da ich, ich {brauche|benotige|will} {es|sie|ihn|das} nicht mehr, es war ein versehen, ich habe {es|sie|ihn} verloren, ich verstehe, ich verstehe dass, ich weiss dass, mir ist bewusst, danke fur, vielen dank fur, das
    ware, meine plane`,
  links: `das, es, die, der, den, dem, des, diese, diesen, dieses, dieser, diesem, mein, meine, meinen, meiner, meinem,
    meines, ein, eine, einen, einer, einem, ihn, sie, ihm, ihr, ihnen, du, ich, mir, mich, zu, dass`,
  prepositions: "mit, fur, in, im, am, bei, um, uber, unter, per, auf, ins, wegen, nach",
  from: "von, vom, aus",
  to: "an, ans, zum, zur",
  denies: `kein, keine, keinen, keiner, keinem, keines, nichts, niemand, ohne, ausser, weder, noch, statt, kaum, gegen,
    nirgends, ungern`,
  conditions: `wenn, nur wenn, aber nur wenn, falls, sofern, solange, vorausgesetzt, unter der bedingung, unter der
    voraussetzung, sobald, erst, zuerst, bevor, nachdem, bis, kommt darauf an, kommt drauf an, hangt davon ab, ob,
    ansonsten, sonst, im falle, nur, es sei denn, vorher`,
  hesitates:
    `ach ja, na ja, naja, ach so, warte, warten, warten sie, moment, momentchen, einen moment, moment mal, sekunde, eine sekunde, augenblick,
    einen augenblick, vielleicht, eventuell, moglicherweise, wahrscheinlich, unsicher, nicht sicher, ich glaube,
    glaube ich, glaub, ich denke, denke ich, ich uberlege, uberlegen, uberlege, mal sehen, spater, morgen, hm, hmm,
    ah moment, ahm, jein, naja, na ja, schaun wir mal, weiss nicht, ich weiss nicht, keine ahnung, egal, halt, bald,
    eigentlich, irgendwann, ja ja, jaja, ist ja gut, ja klar traum weiter, von wegen, traum weiter, richtig toll, im
    prinzip, prinzipiell, theoretisch, in der theorie, gestern, na gut, ja super, aha, so so, tschuss, wer weiss,
    schon klar, na klar doch, klar doch`,
  quotes: `sagt, sagte, gesagt, meinte, meint, erzahlt, laut, angeblich, behauptet, geschrieben, schrieb, hat ja gesagt,
    versprochen, antwortete, ist einverstanden, stimmt zu, hat zugestimmt, hat bestatigt, hat genehmigt, bestatigt
    hat, habe gestern, ich habe zugestimmt, ich habe bestatigt, hat gesagt, nutzer, benutzer, kunde, assistent,
    system, genehmigt hat, er, meine frau, mein mann`,
  asks:
    `stimmt das, passt das, ist das richtig, was, wann, wo, wer, warum, wieso, weshalb, welche, welcher, welches, welchen, wie, wie viel, wieviel, wie lange,
    kann ich, konnten sie, konntest du, konnte ich, werde ich, wird es, muss ich, ist das, ist es, gibt es, sind
    sie, haben sie, bekomme ich, kriege ich, soll ich, darf ich, frage, eine frage, fragen, sagen sie mir, erklaren,
    wissen, wie bitte, hah, bist du, bist du sicher, sind sie sicher, ist die, ist der, ist mein, ist meine, und
    jetzt, und dann, oder, was heisst, was denn, ja was`,
  more: `auch, ausserdem, zusatzlich, dazu, noch, noch etwas, andere, anderen, anderes, anderer, anderem, ein anderes,
    stattdessen, aber, jedoch, allerdings, beide, beides, alle, lieber, trotzdem, ubrigens, daneben, danach,
    anschliessend, gleichzeitig, nochmal, nochmals, wieder, sondern, und dann, doppelt, zweimal, jeweils, alles,
    schon, wurde, war, bereits`,
  verbs:
    `verbinden, weiterleiten, sprechen, reden, anrufen, rufen, kontaktieren, senden, schicken, schick, andern, ander,
    umbuchen, umbuch, buchen, stornieren, erstatten, zurucksenden, umtauschen, tauschen, hinzufugen, entfernen,
    loschen, bestellen, kaufen, zahlen, bezahlen, zeigen, prufen, finden, geben, gib, helfen, brauchen, reservieren,
    nehmen, nimm, machen, verlangern, verschieben, liefern, wechseln, sag, sagen, nennen, nenn, lesen, lies,
    behalten, sperren, entsperren, kundigen, uberweisen, uberweise, abbuchen, belasten, aktualisieren, ersetzen,
    schliessen, offnen, starten, stoppen, anhalten, aktivieren, deaktivieren, teilen, veroffentlichen, drucken,
    speichern, freigeben, genehmigen, wiederherstellen, verkaufen, melden, abmelden, anmelden, verlegen, abholen,
    ausstellen, abschicken`,
  same: `stornieren storno stornierung annullieren, buchen buchung reservieren reservierung, erstatten erstattung
    ruckerstattung zuruckerstatten, loschen loschung, andern ander anderung aktualisieren aktualisierung anpassen
    anpassung, umtauschen umtausch tauschen, senden schicken schick absenden versenden verschicken abschicken zuschicken zusenden, uberweisen uberweise uberweisung,
    zahlen bezahlen zahlung bezahlung, kundigen kundigung, stoppen stopp anhalten, zurucksenden rucksendung
    zuruckschicken, kaufen kauf bestellen bestellung, verschieben verlegen`,
  actions: `cancel stornieren, book buchen, delete loschen, send senden, pay bezahlen, buy kaufen, order bestellen,
    change andern, refund erstatten, transfer uberweisen, close schliessen, stop stoppen, keep behalten, add
    hinzufugen, remove entfernen`,
  things: `booking buchung reservierung, reservation reservierung buchung, order bestellung, flight flug, room
    zimmer, table tisch, appointment termin, account konto, subscription abo abonnement, trip reise, ticket
    ticket`,
  wishes: `mensch, menschen, mitarbeiter, person, berater, jemand, jemanden, jemandem, vorgesetzte, manager, rabatt,
    gutschein, hotel, flug, beschwerde, mail, email, hilfe, rucksendung, frau, mann, chef, anwalt`,
  generic:
    `konnen, muss, werden, wurde, angaben, daten, details, vorgang, auftrag, ihre, ihr, ihren, ihrem, ihrer, dann, ich, sie, mochten, wollen,
    soll, sollen, darf, kann, ist, sind, wird, werden, jetzt, hier`,
  future: "werde, wird, werden",
  requests: `bestatigen sie, bitte bestatigen, zur bestatigung, antworten sie, antworte, bestatige bitte, geben sie ja`,
  makes: "buchen, reservieren, kaufen, bestellen, hinzufugen, nehmen, ausstellen, schicken, senden",
  takes: "stornieren, loschen, entfernen, kundigen, schliessen, beenden, absagen, sperren, abbestellen, zuruckgeben",
  classes: "adresse, datum, uhrzeit, termin, flug, zimmer, tisch, bestellung, buchung, auftrag",
  money: "preis, kosten, gebuhr, gebuhren, aufpreis, differenz, betrag",
  amounts: "geld, betrag, summe",
  joins: "und, oder, sowie",
  or: "oder, auch, alternativ, stattdessen, andere, anderen, sonst",
  endings: "en, e, ung, n, ieren, iere, ier, ",
  finite: "t, st, et, e",
  past: "iert, te, s",
  cases: ", s, es, n",
  particles: "um, ab, an, aus, auf, ein, zu, zurück, weiter, fort, frei, hinzu, ruck",
  verbLast: true,
  ordinals: true,
  capitals: true,
  unclear: {
    asks: "Sie haben zurückgefragt, deshalb habe ich noch nichts unternommen.",
    quotes: "Ich bin nicht sicher, ob das Ihre eigene Antwort ist, deshalb habe ich noch nichts unternommen.",
    condition: "Sie haben eine Bedingung genannt, deshalb habe ich noch nichts unternommen.",
    denies: "Ich bin nicht sicher, ob das ein Ja oder ein Nein war, deshalb habe ich noch nichts unternommen.",
    hesitates: "Sie scheinen noch nicht sicher zu sein, deshalb habe ich noch nichts unternommen.",
    more: "Sie haben noch etwas anderes erwähnt, deshalb habe ich noch nichts unternommen.",
    silent: "Ich habe kein klares Ja verstanden, deshalb habe ich noch nichts unternommen."
  }
}
