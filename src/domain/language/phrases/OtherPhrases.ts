/** The library's own sentences in the languages but English. A turn loads them when it says one of them. */
import type { Phrases } from "./Phrases.js"

export const otherPhrases: ReadonlyArray<Phrases> = [
  {
    code: "de",
    common:
      "der die das den dem des ein eine einen einem ist sind war es ich du sie er wir ihr mir mich mein meine meinen und oder nicht kein " +
      "mit für von vom zu zum zur auf an am im bitte was wie bei nach ja nein kannst können soll",
    ask: "Soll ich das tun?",
    refused: "Das darf ich nicht tun.",
    yes: "ja",
    no: "nein",
    characters: "{} Zeichen",
    from: {
      user: "von Ihnen",
      confirmed: "von Ihnen bestätigt",
      person: "von einer Person",
      code: "von der Anwendung",
      tool: "aus dem Ergebnis eines Werkzeugs",
      document: "aus einem Dokument",
      agent: "von einem anderen Agenten",
      model: "vom Modell gewählt",
      several: "aus mehreren Quellen"
    },
    named: {
      tool: "aus dem Ergebnis von {}",
      document: "aus dem Dokument {}",
      agent: "aus dem Bericht von {}"
    },
    nothing: "Nichts in diesem Aufruf kommt von Ihnen."
  },
  {
    code: "fr",
    common:
      "le la les un une des du de et est sont je tu il elle nous vous mon ma mes moi pour avec dans sur au aux ce cette que qui ne pas " +
      "plaît merci oui non à où quel quelle",
    ask: "Dois-je le faire ?",
    refused: "Je n'ai pas le droit de faire cela.",
    yes: "oui",
    no: "non",
    characters: "{} caractères",
    from: {
      user: "de vous",
      confirmed: "confirmé par vous",
      person: "d'une personne",
      code: "de l'application",
      tool: "du résultat d'un outil",
      document: "d'un document",
      agent: "d'un autre agent",
      model: "choisi par le modèle",
      several: "de plusieurs sources"
    },
    named: {
      tool: "du résultat de {}",
      document: "du document {}",
      agent: "du rapport de {}"
    },
    nothing: "Rien dans cet appel ne vient de vous."
  },
  {
    code: "es",
    common:
      "el la los las un una de del y es son yo tú él ella nosotros mi mis me para por con en al que qué no se lo su favor gracias sí " +
      "quiero puede puedes cuál",
    ask: "¿Lo hago?",
    refused: "No estoy autorizado a hacer eso.",
    yes: "sí",
    no: "no",
    characters: "{} caracteres",
    from: {
      user: "de usted",
      confirmed: "confirmado por usted",
      person: "de una persona",
      code: "de la aplicación",
      tool: "del resultado de una herramienta",
      document: "de un documento",
      agent: "de otro agente",
      model: "elegido por el modelo",
      several: "de varias fuentes"
    },
    named: {
      tool: "del resultado de {}",
      document: "del documento {}",
      agent: "del informe de {}"
    },
    nothing: "Nada de esta llamada viene de usted."
  },
  {
    code: "pt",
    common:
      "o a os as um uma de do da dos das e é são eu tu ele ela nós meu minha meus minhas me para por com em no na ao que não se favor " +
      "obrigado obrigada sim quero pode qual",
    ask: "Devo fazer isto?",
    refused: "Não tenho permissão para fazer isso.",
    yes: "sim",
    no: "não",
    characters: "{} caracteres",
    from: {
      user: "de si",
      confirmed: "confirmado por si",
      person: "de uma pessoa",
      code: "da aplicação",
      tool: "do resultado de uma ferramenta",
      document: "de um documento",
      agent: "de outro agente",
      model: "escolhido pelo modelo",
      several: "de várias fontes"
    },
    named: {
      tool: "do resultado de {}",
      document: "do documento {}",
      agent: "do relatório de {}"
    },
    nothing: "Nada nesta chamada vem de si."
  },
  {
    code: "it",
    common:
      "il lo la i gli le un una di del della dei e è sono io tu lui lei noi mio mia miei mi per con in nel al che non si favore grazie " +
      "sì voglio puoi può quale",
    ask: "Devo farlo?",
    refused: "Non sono autorizzato a farlo.",
    yes: "sì",
    no: "no",
    characters: "{} caratteri",
    from: {
      user: "da Lei",
      confirmed: "confermato da Lei",
      person: "da una persona",
      code: "dall'applicazione",
      tool: "dal risultato di uno strumento",
      document: "da un documento",
      agent: "da un altro agente",
      model: "scelto dal modello",
      several: "da più fonti"
    },
    named: {
      tool: "dal risultato di {}",
      document: "dal documento {}",
      agent: "dal rapporto di {}"
    },
    nothing: "Nulla in questa chiamata viene da Lei."
  },
  {
    code: "nl",
    common:
      "de het een is zijn was ik jij je u hij zij wij we mijn mij me en of niet geen met voor van naar op aan in bij wat hoe alstublieft " +
      "graag dank ja nee kunt kan wil",
    ask: "Zal ik dit doen?",
    refused: "Dat mag ik niet doen.",
    yes: "ja",
    no: "nee",
    characters: "{} tekens",
    from: {
      user: "van u",
      confirmed: "door u bevestigd",
      person: "van een persoon",
      code: "van de toepassing",
      tool: "uit het resultaat van een hulpmiddel",
      document: "uit een document",
      agent: "van een andere agent",
      model: "gekozen door het model",
      several: "uit meerdere bronnen"
    },
    named: {
      tool: "uit het resultaat van {}",
      document: "uit het document {}",
      agent: "uit het verslag van {}"
    },
    nothing: "Niets in deze oproep komt van u."
  },
  {
    code: "pl",
    common:
      "i w na z do nie to jest są się ja ty on ona my mój moja moje mnie mi dla od po przy czy co jak proszę dziękuję tak chcę mogę może " +
      "który która",
    ask: "Czy mam to zrobić?",
    refused: "Nie wolno mi tego zrobić.",
    yes: "tak",
    no: "nie",
    characters: "znaki: {}",
    from: {
      user: "od Państwa",
      confirmed: "potwierdzone przez Państwa",
      person: "od osoby",
      code: "z aplikacji",
      tool: "z wyniku narzędzia",
      document: "z dokumentu",
      agent: "od innego agenta",
      model: "wybrane przez model",
      several: "z kilku źródeł"
    },
    named: {
      tool: "z wyniku {}",
      document: "z dokumentu {}",
      agent: "z raportu {}"
    },
    nothing: "Nic w tym wywołaniu nie pochodzi od Państwa."
  },
  {
    code: "he",
    common:
      "את של על לא זה זאת הוא היא אני אתה אתם אנחנו עם או גם כי אם מה מי איך בבקשה תודה כן רוצה אפשר לי שלי יש אין כל",
    ask: "האם לעשות זאת?",
    refused: "אסור לי לעשות זאת.",
    yes: "כן",
    no: "לא",
    characters: "{} תווים",
    from: {
      user: "ממך",
      confirmed: "אושר על ידך",
      person: "מאדם אחר",
      code: "מהיישום",
      tool: "מתוצאה של כלי",
      document: "ממסמך",
      agent: "מסוכן אחר",
      model: "נבחר על ידי המודל",
      several: "מכמה מקורות"
    },
    named: {
      tool: "מהתוצאה של {}",
      document: "מהמסמך {}",
      agent: "מהדוח של {}"
    },
    nothing: "שום דבר בקריאה הזו לא בא ממך."
  }
]
