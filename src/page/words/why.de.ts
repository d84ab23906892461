/** The sentences of `Why` in German. */
import { expectationOf } from "../../domain/base/error/Expectation.js"
import type { Emitted, Sentence } from "../../domain/turn/why/Why.js"
import type { Piece, Wording } from "../../domain/turn/why/WhyWording.js"
import { because, directive, listed, name, quote } from "../../domain/turn/why/WhyWording.js"

const ended: Readonly<Record<Extract<Sentence, { readonly _tag: "Ended" }>["reason"], string>> = {
  needs_input: "Wartet auf den Nutzer.",
  last_step: "Wartet auf den Nutzer, beim letzten Schritt des Ablaufs.",
  completed: "Der Ablauf ist vollständig.",
  aborted: "Der Zug wurde beendet.",
  goto: "Geht mit der nächsten Nachricht anderswo weiter.",
  reset: "Beginnt mit der nächsten Nachricht von vorn.",
  halt: "Sagte nichts: Eine Anweisung verbot es.",
  reply: "Eine Anweisung gab die Antwort.",
  idle: "Kein Ablauf ist aktiv.",
  max_tool_rounds: "Das Modell wollte mehr Werkzeuge, als erlaubt sind, und antwortete ohne.",
  needs_approval: "Wartet auf die Entscheidung eines Menschen.",
  handled: "Dazu gibt es nichts zu sagen.",
  handed_over: "Ein Mensch hat das Gespräch; der Agent schweigt."
}

const purposes: Readonly<Record<string, string>> = {
  understand: "zum Verstehen",
  speak: "zum Sprechen",
  signals: "zu Signalen",
  summarize: "zum Zusammenfassen",
  guard: "für eine Schranke"
}

const quoted = (words: string | undefined): ReadonlyArray<Piece> => words === undefined ? [] : [" wegen ", quote(words)]

const changed = (was: string | undefined): ReadonlyArray<Piece> => was === undefined ? [] : [" statt ", was]
const by = ({ source }: Emitted): string => ` (${source})`

export const german: Wording = {
  Said: ({ message }) => ["Der Nutzer sagte ", quote(message), "."],
  Happened: ({ event }) => ["Dies geschah: ", name(event), "."],
  Took: ({ field, from, value, was }) => [
    "Nahm ",
    name(field),
    ` = ${value}`,
    ...changed(was),
    ...(from === undefined ? [" aus der Nachricht"] : [" aus ", quote(from)]),
    "."
  ],
  Wrote: (
    { field, source, value, was }
  ) => ["Code schrieb ", name(field), ` = ${value}`, ...changed(was), ` (${source}).`],
  Refused: (
    { field, reason, value }
  ) => ["Lehnte ", name(field), ` ab: ${value}, denn `, expectationOf(reason), ". Fragt noch einmal."],
  Forgot: ({ field, reason }) => ["Vergaß ", name(field), ...(reason === "" ? [] : [": ", reason]), "."],
  Judged: ({ condition, held, words }) => [
    "Die Bedingung ",
    quote(condition),
    held ? " traf zu" : " traf nicht zu",
    ...quoted(words),
    "."
  ],
  Noticed: ({ failure, reason, signal }) => [
    "Das Signal ",
    name(signal),
    failure === undefined ? " traf zu" : " blieb ohne Wirkung",
    ...because(failure ?? reason),
    "."
  ],
  Scored: ({ scores, went }) => [
    ...scores.flatMap(({ flow, score, words }, i) => [`${i === 0 ? "" : ", "}${flow} ${score}`, ...quoted(words)]),
    ...(went === undefined ? [": wechselte keinen Ablauf."] : [": ging zu ", name(went), "."])
  ],
  Entered: ({ flow, resumed }) => [resumed ? "Ging zurück zu " : "Betrat ", name(flow), "."],
  Skipped: ({ fields, step }) => [
    "Übersprang ",
    name(step),
    ": ",
    ...listed(fields.map(name)),
    fields.length === 1 ? " ist bekannt." : " sind bekannt."
  ],
  Reached: ({ step }) => ["Ging zum Schritt ", name(step), "."],
  Called: ({ outcome, tool }) => ["Rief ", name(tool), ` auf: ${outcome}.`],
  Waits: (
    { role, tool }
  ) => [
    "Der Aufruf von ",
    name(tool),
    " wartet auf ",
    role === undefined ? "einen Menschen" : `die Rolle ${role}`,
    "."
  ],
  Directed: (sentence) => [directive(sentence.by), ` wurde angewandt${by(sentence.by)}.`],
  Won: ({ by: winner, over, rule }) => [
    "Zwei Anweisungen: ",
    directive(winner),
    `${by(winner)} gewann gegen `,
    directive(over),
    `${by(over)}: `,
    rule === "later" ? "von gleichen zählt die spätere." : `${winner.act} geht vor ${over.act}.`
  ],
  Dropped: (sentence) => [
    directive(sentence.by),
    `${by(sentence.by)} wurde nicht angewandt`,
    sentence.reason === "" ? "" : `: ${sentence.reason}`,
    "."
  ],
  Asked: ({ cost, failure, model, purpose, tokens }) => [
    "Fragte das Modell ",
    name(model),
    ` ${purposes[purpose] ?? purpose}: ${tokens} Tokens`,
    cost === undefined ? "" : `, $${cost.toFixed(4)}`,
    failure === undefined ? "." : `. Es scheiterte: ${failure}`
  ],
  Guarded: (
    { did, guardrail, reason }
  ) => ["Die Schranke ", name(guardrail), did === "blocked" ? " hielt an: " : " schrieb um: ", reason, "."],
  Completed: ({ flow }) => [name(flow), " ist vollständig."],
  Aborted: (
    { flow, reason }
  ) => [flow === undefined ? "Beendet" : "Verließ ", ...(flow === undefined ? [] : [name(flow)]), ": ", reason, "."],
  HandedOver: ({ by: person, reason }) => [
    person === undefined ? "Wartet auf einen Menschen" : `${person} hat das Gespräch`,
    reason === "" ? "" : `: ${reason}`,
    "."
  ],
  Noted: ({ message, source }) => [name(source), `: ${message}.`],
  Ended: ({ reason }) => [ended[reason]],
  Stopped: () => ["Die Antwort wurde angehalten."],
  Failed: ({ message }) => ["Der Zug scheiterte, und nichts davon ist gespeichert: ", message]
}
