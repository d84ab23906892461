/** The work of the compiler on a definition: it grows with the flows, and no faster. */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { expect, it } from "vitest"
import * as LargeDefinition from "../../bench/support/LargeDefinition.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const file = path.join(root, "test/types/__large.ts")
const parsed = new Map<string, ts.SourceFile | undefined>()

/** The instantiations that the check of an agent of so many flows takes, whose steps are ten each. */
const instantiations = (flows: number): number => {
  const { config } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)
  const all: ts.CompilerOptions = {
    ...options,
    plugins: []
  }
  const code = LargeDefinition.source(flows, 10)
  const host = ts.createCompilerHost(all)
  const { fileExists, getSourceFile } = host
  host.fileExists = (name) => name === file || fileExists(name)
  host.getSourceFile = (name, target, ...rest) => {
    if (name === file) return ts.createSourceFile(name, code, target)
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, target, ...rest))
    return parsed.get(name)
  }
  const program = ts.createProgram([file], all, host)
  const wrong = program.getSemanticDiagnostics(program.getSourceFile(file))
  expect(wrong.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([])
  return program.getInstantiationCount()
}

it(
  "a step costs the TypeScript compiler fewer than 600 instantiations, whatever the number of flows",
  { timeout: 120_000 },
  () => {
    const [five, ten, twenty] = [instantiations(5), instantiations(10), instantiations(20)] as const
    const small = (ten - five) / 50
    const large = (twenty - ten) / 100
    expect(large).toBeLessThan(600)
    expect(large / small).toBeCloseTo(1, 1)
  }
)
