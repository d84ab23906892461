/** The compiler's messages for typical mistakes: the first line names the key or the fix. */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

const head = `import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int }),
  context: Schema.Struct({ tier: Schema.String })
})
`

const promise =
  "Wrong<\"a Promise is neither a value nor an Effect: return a value, or wrap it with Effect.promise or Effect.tryPromise\">"
const steps = (code: string) => `kit.make({ name: "Bot", flows: [{ title: "T", steps: [{ id: "a", ${code} }] }] })`

/** A mistake, and what the first line of the compiler's message must contain. */
const mistakes: ReadonlyArray<readonly [what: string, code: string, says: string]> = [
  [
    "goto in a hook",
    steps("prompt: \"x\", prepare: () => ({ goto: \"b\" })"),
    "there is no key \\\"goto\\\", did you mean \\\"goTo\\\"?"
  ],
  [
    "goto beside a key that exists",
    steps("prompt: \"x\", finalize: ({ data }) => ({ goto: \"b\", dataUpdate: { city: data.city ?? \"\" } })"),
    "there is no key \\\"goto\\\", did you mean \\\"goTo\\\"?"
  ],
  [
    "goto in an Effect of a hook",
    "kit.make({ name: \"Bot\", hooks: { beforeRespond: () => Effect.succeed({ goto: \"b\" }) } })",
    "there is no key \\\"goto\\\", did you mean \\\"goTo\\\"?"
  ],
  [
    "a wrong value in a hook",
    steps("prompt: \"x\", finalize: () => ({ complete: false })"),
    "this value of \\\"complete\\\""
  ],
  ["until beside reply", steps("reply: \"x\", until: () => true"), "a step with reply says its text and goes on"],
  ["goto in a branch", steps("prompt: \"x\", branches: [{ then: { goto: \"b\" } }]"), "'goto' does not exist"],
  [
    "flow for flows",
    "kit.make({ name: \"Bot\", flow: [] })",
    "there is no key \\\"flow\\\", did you mean \\\"flows\\\"?"
  ],
  [
    "maxToolRound",
    "kit.make({ name: \"Bot\", maxToolRound: 5 })",
    "there is no key \\\"maxToolRound\\\", did you mean \\\"maxToolRounds\\\"?"
  ],
  ["a misspelt key of a step", steps("prompt: \"x\", colect: [\"city\"]"), "there is no key \\\"colect\\\""],
  [
    "a misspelt key of a flow",
    "kit.flow({ title: \"T\", step: [], steps: [{ prompt: \"x\" }] })",
    "there is no key \\\"step\\\", did you mean \\\"steps\\\"?"
  ],
  ["an async hook", steps("prompt: \"x\", prepare: async () => {}"), promise],
  ["a Promise in an Effect", steps("prompt: \"x\", prepare: () => Effect.sync(async () => {})"), promise],
  ["an async predicate", steps("prompt: \"x\", if: async () => true"), promise],
  ["an async predicate among others", steps("prompt: \"x\", skip: [() => true, async () => true]"), promise],
  ["an async template", steps("reply: async () => \"x\""), promise],
  [
    "an async onComplete",
    "kit.flow({ title: \"T\", steps: [{ prompt: \"x\" }], onComplete: async () => {} })",
    promise
  ],
  ["an async tool", "kit.tool({ id: \"t\", handler: async () => 1 })", promise],
  ["an async tool written out", "kit.make({ name: \"Bot\", tools: [{ id: \"t\", handler: async () => 1 }] })", promise],
  ["an async gate", "kit.tool({ id: \"t\", checkPermissions: async () => true, handler: () => 1 })", promise],
  ["an async signal", "kit.signal({ id: \"s\", phase: \"pre\", handler: async () => {} })", promise],
  [
    "a field the data does not have",
    steps("collect: [\"citty\"]"),
    "Type '\"citty\"' is not assignable to type '\"city\" | \"guests\"'"
  ],
  [
    "a write to a field the data does not have",
    steps("prompt: \"x\", prepare: () => ({ dataUpdate: { citys: \"x\" } })"),
    "the schema has no field \\\"citys\\\", did you mean \\\"city\\\"?"
  ],
  ["a write of the wrong type", steps("prompt: \"x\", prepare: () => ({ dataUpdate: { city: 5 } })"), "city"],
  [
    "a misspelt key of a tool's output",
    "kit.tool({ id: \"t\", handler: () => ({ ok: true, outputmessage: \"x\" }) })",
    "there is no key \\\"outputmessage\\\", did you mean \\\"outputMessage\\\"?"
  ],
  [
    "a misspelt key of the directive in a tool's output",
    "kit.tool({ id: \"t\", handler: () => ({ ok: true, outputMessage: \"x\", directive: { goto: \"b\" } }) })",
    "there is no key \\\"goto\\\", did you mean \\\"goTo\\\"?"
  ],
  [
    "a result that success does not encode",
    "kit.tool({ id: \"t\", success: Schema.Number, handler: () => \"five\" })",
    "Type 'string' is not assignable to type"
  ],
  [
    "a missing layer",
    "void Effect.runPromise(kit.make({ name: \"Bot\" }))",
    "LanguageModel"
  ],
  [
    "a Service whose option is misspelt",
    "class extends kit.Service<unknown>()(\"B\", { name: \"B\", signal: [] }) {}",
    "did you mean \\\"signals\\\"?"
  ]
]

const fileOf = (i: number) => path.join(root, "test", "types", `__mistake-${i}.ts`)

interface Told {
  readonly lines: ReadonlyArray<string>
  /** The code at the position of the message. */
  readonly at: string
}

const compile = (): ReadonlyArray<Told> => {
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)
  const sources = new Map(mistakes.map(([, code], i) => [fileOf(i), `${head}export const it = () => [\n${code}\n]\n`]))
  const all = {
    ...options,
    noEmit: true,
    noUnusedLocals: false
  }
  const host = ts.createCompilerHost(all)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (file) => sources.has(file) || fileExists(file)
  host.readFile = (file) => sources.get(file) ?? readFile(file)
  host.getSourceFile = (file, target, ...rest) => {
    const code = sources.get(file)
    return code === undefined ? getSourceFile(file, target, ...rest) : ts.createSourceFile(file, code, target)
  }
  const program = ts.createProgram([...sources.keys()], all, host)
  return mistakes.map((_, i) => {
    const [first] = program.getSemanticDiagnostics(program.getSourceFile(fileOf(i)))
    return first === undefined ? { lines: ["it compiles"], at: "" } : {
      lines: ts.flattenDiagnosticMessageText(first.messageText, "\n").split("\n"),
      at: first.file?.text.slice(first.start) ?? ""
    }
  })
}

describe("the first line of the compiler's error for a mistake in a definition", () => {
  it("contains the wrong key or the fix", { timeout: 120_000 }, () => {
    const told = compile()
    const wrong = mistakes.flatMap(([what, , says], i) =>
      told[i]!.lines[0]!.includes(says) ? [] : [{ what, says, line: told[i]!.lines[0] }]
    )
    expect(wrong).toEqual([])
    // A wrong value of a hook is reported at the hook, and briefly.
    const hook = told[mistakes.findIndex(([what]) => what === "a wrong value in a hook")]!
    expect(hook.at).toMatch(/^finalize: /)
    expect(hook.lines.length).toBeLessThanOrEqual(3)
    expect(hook.lines.join("\n").length).toBeLessThan(400)
  })
})
