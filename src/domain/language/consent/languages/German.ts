/** German answers. */
import type { Language } from "../ConsentLanguage.js"

/**
 * @since 0.2.0
 * @category languages
 */
export const german: Language = {
  code: "de",
  agrees:
    `ja, jo, jep, jawohl, jup, na klar, klar, ja klar, naturlich, selbstverstandlich, gerne, gern, sehr gerne, genau, richtig, korrekt, stimmt,
    das stimmt, stimmt so, stimmt alles, das ist richtig, das ist korrekt, das passt, passt, passt so, passt alles, alles klar, alles richtig, alles
    korrekt, einverstanden, ich bin einverstanden, bin einverstanden, ok, okay, okey, in ordnung, ist in ordnung, geht in ordnung, geht klar, mach das,
    machen sie das, mach es, machen sie es, mach mal, machen sie mal, bitte machen, tu das, tun sie das, ich bestatige, ich bestatige das, bestatigt,
    hiermit bestatige ich, bestatige, bestatige ich, ich stimme zu, stimme zu, zugestimmt, so machen wir das, so machen wir es, machen wir, machen wir so,
    unbedingt, auf jeden fall, definitiv, absolut, perfekt, nur zu, los, los geht's, fortfahren, fahren sie fort, bitte fortfahren, jawoll, logisch`,
  refuses:
    `nein, nee, ne, no, nicht, nie, niemals, auf keinen fall, keinesfalls, bitte nicht, lieber nicht, doch nicht, dann nicht, noch nicht, jetzt nicht,
    heute nicht, stopp, stop, abbrechen, bitte abbrechen, vergiss es, vergessen sie es, lass es, lassen sie es, lass das, lassen sie das, lass mal, lassen
    sie mal, lass es so, lassen sie es so, nein danke, falsch, das ist falsch, stimmt nicht, das stimmt nicht, nicht richtig, passt nicht, ich habe es mir
    anders uberlegt, ich hab es mir anders uberlegt, ich hab's mir anders uberlegt, anders uberlegt, ich mochte das nicht, ich will das nicht, will ich nicht, mochte
    ich nicht, ich lehne ab, abgelehnt, kein interesse, ich mochte sie behalten, ich mochte es behalten, 👎, ❌, 🚫`,
  beside:
    `bitte, bitte sehr, danke, danke schon, dankeschon, vielen dank, besten dank, herzlichen dank, danke sehr, hallo, hi, guten tag, das, es, die, der,
    den, dem, des, diese, diesen, dieses, dieser, mein, meine, meinen, meiner, ein, eine, einen, einer, ich, sie, du, wir, ihr, mir, mich, uns, ist, sind, so, jetzt, sofort, gleich, direkt,
    fur mich, damit, dann, gut, sehr gut, schon, prima, toll, wunderbar, super, kein problem, keine sorge, ich mochte, ich will, ich wurde gern,
    ich wurde gerne, ich hatte gern, mochte ich, will ich, konnen sie, kannst du, durfen sie, alle angaben, die angaben, angaben, die daten, alles,
    zu, wie besprochen, wie beschrieben, wie gesagt, durchfuhren, ausfuhren, vornehmen, erledigen, herr, frau, mit der, mit dem, nun, also, ach, oh, doch, mal, na, weiter, so weiter,
    vorgang, auftrag, anderung, 👍, ✅, 👌, ✔, 🙏, 🙂, 😊, 😀, 😁, 😃, ❤, 🎉, 👋`,
  denies:
    "kein, keine, keinen, keiner, keinem, keines, nichts, niemand, ohne, ausser, weder, noch, statt, kaum, gegen, nirgends, ungern",
  conditions:
    `wenn, nur wenn, aber nur wenn, falls, sofern, solange, vorausgesetzt, unter der bedingung, unter der voraussetzung, sobald, erst, zuerst, bevor, nachdem, bis,
    kommt darauf an, kommt drauf an, hangt davon ab, ob, ansonsten, sonst, im falle, nur, es sei denn, vorher`,
  hesitates:
    `warte, warten, warten sie, moment, momentchen, einen moment, moment mal, sekunde, eine sekunde, augenblick, einen augenblick, vielleicht, eventuell,
    moglicherweise, wahrscheinlich, unsicher, nicht sicher, ich glaube, glaube ich, glaub, ich denke, denke ich, ich uberlege, uberlegen, uberlege, mal sehen, spater, morgen, hm, hmm, ah moment, ahm, jein, naja, na ja, schaun
    wir mal, weiss nicht, ich weiss nicht, keine ahnung, egal, halt, bald, eigentlich, irgendwann, 🤔, 🤨, 😕, 🤷, 🙄`,
  quotes:
    "sagt, sagte, gesagt, meinte, meint, erzahlt, laut, angeblich, behauptet, geschrieben, schrieb, hat ja gesagt, versprochen, antwortete",
  asks:
    `was, wann, wo, wer, warum, wieso, weshalb, welche, welcher, welches, welchen, wie, wie viel, wieviel, wie lange, kann ich, konnten sie, konntest du, konnte ich, werde ich, wird
    es, muss ich, ist das, ist es, gibt es, sind sie, haben sie, bekomme ich, kriege ich, soll ich, darf ich, frage, eine frage, fragen, sagen sie mir, erklaren, wissen, wie bitte, hah`,
  more:
    `auch, ausserdem, zusatzlich, dazu, noch, noch etwas, andere, anderen, anderes, anderer, anderem, ein anderes, stattdessen, aber, jedoch, allerdings, beide, beides, alle, lieber, trotzdem, ubrigens,
    daneben, danach, anschliessend, gleichzeitig, nochmal, nochmals, wieder, sondern, und dann, doppelt, zweimal, jeweils`,
  wishes:
    `verbinden, verbind, weiterleiten, leiten, sprechen, sprich, reden, anrufen, ruf, rufen, kontaktieren, mail, email, senden, schicken, schick, andern, umbuchen, umbuch, buchen, stornieren, erstatten,
    erstattung, ruckerstattung, zurucksenden, umtauschen, hinzufugen, entfernen, loschen, bestellen, kaufen, zahlen, bezahlen, zeigen, zeig, prufen, finden, geben, gib, helfen, hilfe, brauche, brauchen, mensch, menschen, mitarbeiter,
    person, berater, jemand, jemanden, jemandem, vorgesetzte, manager, rabatt, gutschein, hotel, flug, beschwerde, reservieren, nehmen, nimm, machen, verlangern, verschieben, liefern, wechseln, sag, sagen, nenn, nennen, lesen, lies`,
  joins: "und, oder, sowie",
  endings: "en, e, ung, t, st, et, n, te, iert, ieren, iere, ier",
  verbLast: true,
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
