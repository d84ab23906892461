/** Writes end-to-end tests of Rasa as tests whose understanding is scripted. */
import * as Arr from "effect/Array"
import * as CodeWriter from "../../CodeWriter.js"
import { cancels } from "../Patterns.js"
import type { Values } from "./Results.js"
import type { Case } from "./Tests.js"
import type { Turn } from "./Turn.js"

/** The scores of two flows that a message asks for. */
const scores = [90, 70] as const

const meaningOf = ({ cancels: isCancelled, fields, flow, then, withdrawn }: Turn): string =>
  CodeWriter.value({
    ...(flow !== undefined && { flow: then === undefined ? flow : { [flow]: scores[0], [then]: scores[1] } }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(withdrawn.length > 0 && { withdrawn }),
    ...(isCancelled && { conditions: [cancels] })
  })

/** Writes the calls of the model, if there are any. */
const callsOf = ({ calls }: Turn): string =>
  calls.length === 0
    ? ""
    : `calls: [${
      calls.map(({ args, tool }) => `call(${CodeWriter.text(tool)}, ${CodeWriter.value(args)})`).join(", ")
    }], `

/** Writes an action with its results; several if they differ. */
const resultOf = (results: ReadonlyArray<Values>): string => {
  const different = Arr.dedupe(results.map(CodeWriter.value))
  return different.length === 1
    ? `() => Effect.succeed(${different[0]})`
    : `inOrder(${results.map(CodeWriter.value).join(", ")})`
}

const inOrder = [
  "/** The results of an action, one for each call; the last for all later ones. */",
  "const inOrder = <A>(...results: ReadonlyArray<A>) => {",
  "  let calls = 0",
  "  return () => Effect.sync(() => results[Math.min(calls++, results.length - 1)]!)",
  "}",
  ""
]

const testOf = ({ acts, before, name, turns }: Case): string => {
  const actions = CodeWriter.record(
    Array.from(acts, ([action, results]) => [action, resultOf(results)] as const)
  )
  return [
    "test(",
    `  ${CodeWriter.text(name)},`,
    `  run(${actions}, ${CodeWriter.value(before)}, [`,
    turns.map((turn) =>
      `    { user: ${CodeWriter.text(turn.user)}, means: ${meaningOf(turn)}, ${
        callsOf(turn)
      }expect: (talk, response) => [${turn.expects.map((one) => `\n      ${one}`).join(",")}${
        turn.expects.length === 0 ? "" : "\n    "
      }] }`
    ).join(",\n"),
    "  ])",
    ")"
  ].join("\n")
}

const took = [
  "/** The message stated these values. A value that was refused is known no more. */",
  "const took = ({ cleared, collected }: Response, values: Readonly<Record<string, unknown>>) =>",
  "  Effect.sync(() => {",
  "    for (const [field, value] of Object.entries(values)) {",
  "      if (!cleared.includes(field)) assert.deepEqual(collected[field], value, field)",
  "    }",
  "  })",
  ""
]

/** Writes the tests as a file; undefined if there are none. */
export const write = (cases: ReadonlyArray<Case>): string | undefined => {
  if (cases.length === 0) return undefined
  const tests = cases.map(testOf).join("\n\n")
  const calls = cases.some(({ turns }) => turns.some((turn) => turn.calls.length > 0))
  return [
    "/** The end-to-end tests of the project that was imported. What each message means stands beside it. */",
    `import { NodeContext } from "@effect/platform-node"`,
    `import { SessionStore } from "coxswain"`,
    `import * as Document from "coxswain/layers/document"`,
    `import { Conversation, ScriptedModel } from "coxswain/testing"`,
    `import { Effect } from "effect"`,
    ...(tests.includes("took(response") ? [`import assert from "node:assert/strict"`] : []),
    `import { test } from "node:test"`,
    `import { fileURLToPath } from "node:url"`,
    `import { type Actions, registryOf, stubs } from "../registry.js"`,
    "",
    `const { ${calls ? "call, " : ""}sayTask, understand } = ScriptedModel`,
    "",
    "type Talk = Effect.Effect.Success<ReturnType<typeof begin>>",
    `type Response = Effect.Effect.Success<ReturnType<Talk["user"]>>`,
    "",
    "interface Turn {",
    "  readonly user: string",
    "  readonly means: Parameters<typeof understand>[0]",
    ...(calls
      ? [
        "  /** The calls that the model makes before it speaks. */",
        "  readonly calls?: ReadonlyArray<ReturnType<typeof call>>"
      ]
      : []),
    "  readonly expect: (",
    "    talk: Talk,",
    "    response: Response",
    "  ) => ReadonlyArray<Effect.Effect<unknown, Conversation.ExpectationFailed>>",
    "}",
    "",
    "/** Begins a conversation in which code has written values before the first message. */",
    "const begin = (actions: Partial<Actions>, before: Readonly<Record<string, unknown>>) =>",
    "  Effect.gen(function*() {",
    `    const source = yield* Document.read(fileURLToPath(new URL("..", import.meta.url)))`,
    "    const agent = yield* Document.agent(source, registryOf({ ...stubs, ...actions }))",
    "    const talk = yield* Conversation.make(agent)",
    "    if (Object.keys(before).length > 0) yield* agent.dispatch(talk.sessionId, { dataUpdate: before })",
    "    return talk",
    "  })",
    "",
    ...(tests.includes("took(response") ? took : []),
    "/** Plays a conversation; the model says what it is told to say. */",
    "const run = (",
    "  actions: Partial<Actions>,",
    "  before: Readonly<Record<string, unknown>>,",
    "  turns: ReadonlyArray<Turn>",
    ") =>",
    "() => {",
    "  let at = 0",
    ...(calls ? ["  let calls: Array<ReturnType<typeof call>> = []"] : []),
    "  const model = ScriptedModel.layer((question) =>",
    `    question._tag === "Understand" ? understand(turns[at]!.means) : ${calls ? "calls.shift() ?? " : ""}sayTask`,
    "  )",
    "  return Effect.runPromise(",
    "    Effect.gen(function*() {",
    "      const talk = yield* begin(actions, before)",
    "      for (const [i, turn] of turns.entries()) {",
    "        at = i",
    ...(calls ? ["        calls = [...turn.calls ?? []]"] : []),
    "        const response = yield* talk.user(turn.user)",
    "        for (const expected of turn.expect(talk, response)) yield* expected",
    "      }",
    "    }).pipe(Effect.provide([model, SessionStore.layerMemory, NodeContext.layer]))",
    "  )",
    "}",
    "",
    ...(tests.includes(": inOrder(") ? inOrder : []),
    tests,
    ""
  ].join("\n")
}
