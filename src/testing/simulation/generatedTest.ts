/** Converts a simulation to the source code of a `Conversation` test that plays the same turns. */
import { of as literalOf, ofRecord as literal } from "../../domain/fields/schema/Literal.js"
import type { Act, Deciding } from "./Act.js"
import { sessionOf } from "./Act.js"
import type { SeenTurn } from "./Turn.js"

/** An act, and the turn that it caused. */
export interface PlayedAct {
  readonly act: Act
  readonly turn: SeenTurn | undefined
}

/**
 * Returns the source code of the turn's `understand` move, with only the flow, values, conditions and signals that
 * differ from its defaults.
 */
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

/** Returns the source code for a timer that fired. */
const woken = (act: Act, turn: SeenTurn | undefined): ReadonlyArray<string> =>
  turn === undefined ? [] : [
    `yield* script.play([${[...understand(turn), ...turn.said].join(", ")}])`,
    `yield* bot.wake("${sessionOf(act)}")`
  ]

/**
 * Returns the source code for a decision. An invalid decision becomes a comment, because a `Conversation` cannot make
 * it.
 */
const decided = (act: Deciding, { principal }: SeenTurn, moves: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (act.stray !== undefined) {
    return [
      `// somebody ${act.stray === "again" ? "makes the decision again" : "decides a call of another session here"}`
    ]
  }
  const by = principal === undefined ? "" : `, principal: ${JSON.stringify(principal)}`
  return [`yield* ${name(act)}.approve(${[`{ approved: ${act.approved}${by} }`, ...moves].join(", ")})`]
}

const line = ({ act, turn }: PlayedAct): ReadonlyArray<string> => {
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

/** Returns the source of the test; its last line is the violation, as a comment. */
export const generatedTest = (
  played: ReadonlyArray<PlayedAct>,
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
