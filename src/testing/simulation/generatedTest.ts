/**
 * What was simulated, as a test of a `Conversation` that plays the same.
 *
 * @since 0.1.0
 */
import { of as literalOf, ofRecord as literal } from "../../domain/fields/schema/Literal.js"
import type { Act, Deciding } from "./Act.js"
import { sessionOf } from "./Act.js"
import type { SeenTurn } from "./Turn.js"

/** An act, and the turn it made. */
export interface Played {
  readonly act: Act
  readonly turn: SeenTurn | undefined
}

/** Only what matters: flows that score nothing, and conditions and signals that are not there, go without a word. */
const understand = ({ heard }: SeenTurn): ReadonlyArray<string> => {
  if (heard === undefined) return []
  const flows = Object.entries(heard.flowScores).filter(([, score]) => score > 0)
  const { conditions, fields, signals, withdrawn = [] } = heard
  const carried = Object.values(signals).some((value) => value !== undefined)
  const told = [
    ...flows.slice(0, 1).map(([id]) => `flow: ${JSON.stringify(id)}`),
    ...(Object.keys(fields).length > 0 ? [`fields: ${literal(fields)}`] : []),
    ...(withdrawn.length > 0 ? [`withdrawn: ${literalOf(withdrawn)}`] : []),
    `conditions: ${JSON.stringify([...new Set(conditions)])}`,
    `signals: ${carried ? literal(signals) : JSON.stringify(Object.keys(signals))}`
  ]
  return [`understand({ ${told.join(", ")} })`]
}

const name = (act: Act): string => `user${act.user + 1}`

/** A timer that went off. */
const woken = (act: Act, turn: SeenTurn | undefined): ReadonlyArray<string> =>
  turn === undefined ? [] : [
    `yield* script.play([${[...understand(turn), ...turn.said].join(", ")}])`,
    `yield* bot.wake("${sessionOf(act)}")`
  ]

/** A decision that has to be refused is none of a `Conversation`: it is told as a comment. */
const decided = (act: Deciding, { principal }: SeenTurn, moves: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (act.stray !== undefined) {
    return [
      `// somebody ${act.stray === "again" ? "makes the decision again" : "decides a call of another session here"}`
    ]
  }
  const by = principal === undefined ? "" : `, principal: ${JSON.stringify(principal)}`
  return [`yield* ${name(act)}.approve(${[`{ approved: ${act.approved}${by} }`, ...moves].join(", ")})`]
}

const line = ({ act, turn }: Played): ReadonlyArray<string> => {
  if (act._tag === "Wait") return [`yield* ${name(act)}.advance("${act.hours} hours")`, ...woken(act, turn)]
  if (turn === undefined) return []
  const moves = [...understand(turn), ...turn.said]
  if (act._tag === "Happen" || act._tag === "Tell") {
    const payload = act.payload === undefined ? "undefined" : literalOf(act.payload)
    return [`yield* ${name(act)}.event(${[literalOf(act.event), payload, ...moves].join(", ")})`]
  }
  if (act._tag === "Decide") return decided(act, turn, moves)
  const said = `{ message: ${JSON.stringify(act.message)}, messageId: ${JSON.stringify(act.messageId)} }`
  return [`yield* ${name(act)}.user(${[said, ...moves].join(", ")})`]
}

/** The test, and what it shows as its last line. */
export const generatedTest = (
  played: ReadonlyArray<Played>,
  broken: { readonly name: string; readonly found: string }
): string => {
  const users = new Map(played.map(({ act }) => [name(act), sessionOf(act)]))
  const wakes = played.some(({ act, turn }) => act._tag === "Wait" && turn !== undefined)
  return [
    `it.effect(${JSON.stringify(broken.name)}, () =>`,
    "  Effect.gen(function*() {",
    "    const bot = yield* agent",
    ...(wakes ? ["    const script = yield* ScriptedModel.ScriptedModel"] : []),
    ...[...users].map(([user, id]) => `    const ${user} = yield* Conversation.make(bot, { sessionId: "${id}" })`),
    ...played.flatMap(line).map((one) => `    ${one}`),
    `    // ${broken.found.replace(/\s+/g, " ")}`,
    "  }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory])))"
  ].join("\n")
}
