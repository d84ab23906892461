/** The page's texts in German. */
import type { Words } from "./en.js"
import { size } from "./size.js"

export const de: Words = {
  lang: "de",
  quote: (text) => `„${text}“`,
  skip: "Zur Nachricht",
  loading: "Lädt …",
  offline: "Der Server ist nicht erreichbar. Die Seite versucht es selbst wieder.",
  retry: "Noch einmal",
  close: "Schließen",
  cancel: "Abbrechen",
  copy: "Kopieren",
  copied: "Kopiert",
  more: "Mehr zeigen",
  help: "Tasten",
  theme: { auto: "Farben: wie das System", light: "Farben: hell", dark: "Farben: dunkel" },
  login: {
    title: "Der Server fragt, wer Sie sind",
    hint: "Fügen Sie Ihr Token ein. Die Seite behält es, bis Sie gehen, und nirgends sonst.",
    wrong: "Der Server hat dieses Token nicht angenommen.",
    token: "Token",
    send: "Weiter"
  },
  problem: {
    id: (id) => `Anfrage ${id}`,
    fix: {
      401: "Laden Sie die Seite neu und geben Sie Ihr Token noch einmal ein.",
      403: "Fragen Sie jemanden, der die Rolle hat.",
      404: "Gehen Sie zurück zur Liste der Sitzungen.",
      409: "Warten Sie einen Moment und senden Sie dann noch einmal.",
      429: "Warten Sie einen Moment und senden Sie dann noch einmal.",
      503: "Die Seite versucht es wieder; oder laden Sie sie neu.",
      other: "Versuchen Sie es noch einmal. Geben Sie sonst die Nummer der Anfrage denen, die den Server betreiben."
    }
  },
  sessions: {
    title: "Sitzungen",
    search: "Sitzungen suchen",
    new: "Neu",
    newHint: "Neues Gespräch",
    none: "Noch kein Gespräch. Beginnen Sie eines.",
    noMatch: (text) => `Keine Sitzung passt zu „${text}“.`,
    waits: "wartet auf Freigabe",
    wantsPerson: "wünscht einen Menschen",
    hasFloor: (name) => `${name} hat das Wort`,
    idle: "kein Ablauf",
    turns: (count) => `${count} ${count === 1 ? "Nachricht" : "Nachrichten"}`,
    erase: "Löschen",
    eraseSure: (name) => `„${name}“ mit allen Nachrichten löschen? Das lässt sich nicht rückgängig machen.`,
    export: "Exportieren"
  },
  desk: {
    title: "Pult",
    count: (count) => `Pult (${count})`,
    empty: "Nichts wartet.",
    hint: "Was auf einen Menschen wartet, das Älteste zuerst.",
    notOperator: "Das Pult ist für Personen mit der Rolle des Betreibers.",
    open: "Gespräch öffnen",
    since: (time) => `wartet ${time}`,
    who: (role) => role === undefined ? "jeder darf entscheiden" : `für die Rolle ${role}`,
    person: "Ein Mensch wird gewünscht",
    copy: (of) => `Was-wäre-wenn-Kopie von ${of}`,
    yours: "Ihres",
    theirs: (name) => `${name} hat es übernommen`,
    taken: "Bei einem Menschen"
  },
  talk: {
    title: "Gespräch",
    messages: "Nachrichten",
    you: "Nutzer",
    agent: "Agent",
    message: "Nachricht",
    send: "Senden",
    stop: "Anhalten",
    attach: "Dateien anhängen",
    remove: (name) => `${name} entfernen`,
    older: "Frühere Nachrichten",
    empty: "Sagen Sie etwas, oder versuchen Sie eines davon:",
    noFlows: "Dieser Agent hat keine Abläufe: Er antwortet, wie seine Rolle es sagt.",
    begin: "Den Agenten beginnen lassen",
    busy: {
      queue: "Eine Antwort ist unterwegs. Ihre Nachricht wird danach beantwortet.",
      cancel: "Eine Antwort ist unterwegs. Ihre Nachricht hält sie an; beide werden zusammen beantwortet.",
      reject: "Eine Antwort ist unterwegs. Bis sie endet, lehnt der Server Nachrichten ab."
    },
    stopped: "angehalten",
    failed: "Der Zug ist gescheitert; nichts davon ist gespeichert.",
    event: (name) => `Ereignis ${name}`,
    job: "Aufgabe",
    handedOver: (name) => name === "" ? "Ein Mensch wird gewünscht" : `${name} hat das Wort`,
    released: "Der Agent hat wieder das Wort",
    rewound: "Das Gespräch wurde zurückgesetzt",
    replaced: "Was ersetzt wurde",
    why: "Warum?",
    running: "läuft",
    arguments: "Argumente",
    result: "Ergebnis",
    arrived: (text) => `Der Agent sagt: ${text}`,
    tooLarge: (bytes) => `ist größer als ${size(bytes, "de")}`,
    notAccepted: (types) => `ist von einer Art, die nicht angenommen wird (${types})`,
    tooMany: (count) => `ist eine zu viel: höchstens ${count} Dateien`,
    flow: "Ablauf",
    anyFlow: "irgendein Ablauf"
  },
  origins: {
    title: "Woher sie kommen",
    kinds: {
      user: "vom Benutzer",
      confirmed: "vom Benutzer bestätigt",
      person: "von einem Menschen",
      code: "von der Anwendung",
      tool: "aus dem Ergebnis von",
      document: "aus einem Dokument",
      agent: "aus dem Bericht von",
      model: "vom Modell",
      several: "von mehreren Stellen"
    }
  },
  denied: { title: "Von einer Regel abgelehnt", missing: "Was fehlt" },
  form: {
    send: "Senden",
    choose: "wählen …",
    yes: "ja",
    no: "nein",
    notJson: "Das ist kein JSON."
  },
  approval: {
    title: (tool) => `${tool} wartet auf Freigabe`,
    role: (role) => `Rolle: ${role}`,
    approve: "Freigeben",
    edit: "Ändern",
    deny: "Ablehnen",
    reason: "Grund (freiwillig)",
    asUser: "Der Nutzer wird im Gespräch gefragt."
  },
  floor: {
    yours: "Sie haben das Wort. Der Agent schweigt.",
    theirs: (name) => `${name} hat das Wort.`,
    wanted: (reason) => reason === "" ? "Ein Mensch wird gewünscht." : `Ein Mensch wird gewünscht: ${reason}`,
    take: "Übernehmen",
    suggest: "Vorschlagen",
    release: "Zurückgeben",
    directive: "Weiter mit",
    same: "wo es war",
    say: "Selbst sagen"
  },
  side: {
    title: "Hinter dem Gespräch",
    where: "Wo",
    why: "Warum",
    data: "Daten",
    whatif: "Was wäre",
    talk: "Gespräch",
    list: "Liste"
  },
  where: {
    empty: "Den Graphen sehen nur Betreiber.",
    graph: "Graph der Abläufe",
    follow: "Dem Gespräch folgen",
    in: "Vergrößern",
    out: "Verkleinern",
    fit: "Ganzer Graph",
    find: "Schritt suchen",
    suspended: "Unterbrochen",
    agenda: "Kommt noch",
    here: "hier",
    prompt: "Prompt",
    fields: "Erfragt",
    tools: "Werkzeuge",
    branches: "Wege weiter",
    marks: { current: "aktuell", visited: "besucht", suspended: "unterbrochen" },
    judged: (holds) => holds ? "traf zu" : "traf nicht zu",
    noStep: "Wählen Sie einen Schritt, um zu sehen, was darin ist."
  },
  why: {
    empty: "Sagen Sie etwas: Jeder Zug wird hier erklärt.",
    older: "Frühere Züge sind bekannt, wenn der Server sie aufzeichnet (turn log).",
    turn: (n) => `Zug ab Nachricht ${n}`,
    place: "Stelle zeigen",
    prompt: "Prompt",
    answer: "Antwort",
    calls: "Prompts und Antworten der Modelle",
    noCalls: "Der Zug hat kein Modell gefragt, oder der Server hat ihn nicht aufgezeichnet.",
    changed: "Der Agent hat sich seither geändert: Das ist der Prompt von jetzt."
  },
  data: {
    empty: "Noch ist nichts bekannt.",
    field: "Feld",
    value: "Wert",
    from: "Von",
    scopes: { flow: "gilt für den Ablauf", session: "gilt für die Sitzung" },
    part: "zum Teil bekannt",
    context: "Kontext",
    unknown: "nicht bekannt"
  },
  whatif: {
    hint: "Wählen Sie einen Zug und sagen Sie dort etwas anderes.",
    turn: "Anstelle von",
    after: "nach dem letzten Zug",
    message: "Stattdessen sagen",
    fork: "Ausprobieren",
    original: "Wie es war",
    forked: "Stattdessen",
    differs: "anders",
    noSnapshots:
      "Dieser Agent behält keine früheren Stände; nur der jetzige lässt sich kopieren. Setzen Sie `snapshots` im Agenten.",
    replay: "Auf dem jetzigen Stand laufen lassen",
    test: "Als Test",
    noLog: "Der Server zeichnet keine Züge auf. Geben Sie ihm ein TurnLog, oder starten Sie ihn mit --log.",
    reproduced: (as, of) => `${as} von ${of} Zügen sind wie damals.`,
    turnDiffers: (turn, kind) => `Zug ${turn} ist anders: ${kind}.`,
    was: "war",
    is: "ist jetzt",
    event: "Ereignis senden",
    eventName: "Ereignis",
    clock: "Uhr vorstellen",
    forward: "vor",
    now: (time) => `In dieser Sitzung ist es ${time}.`
  },
  keys: {
    title: "Tasten",
    list: [
      ["/", "Nachricht schreiben"],
      ["j, k", "nächster und voriger Zug"],
      ["1 – 4", "Wo, Warum, Daten, Was wäre"],
      ["g s", "Sitzungen"],
      ["g d", "Pult"],
      [".", "Antwort anhalten"],
      ["?", "diese Liste"]
    ]
  }
}
