/** Sources in which each function reports that it was called. */
import type { Plugin } from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"
import ts from "typescript"

/** The name of the global array that receives one entry for each call, while it exists. */
export const calls = "__calls"

const report = `const __called = (at) => { globalThis.${calls}?.push(at) };\n`

const isNamed = (node: ts.Node) =>
  ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isMethodDeclaration(node) ||
  ts.isFunctionDeclaration(node) || ts.isPropertyDeclaration(node)

/** The name of a function, or of the nearest declaration that it stands in. */
const nameOf = (node: ts.SignatureDeclaration): string => {
  if (node.name !== undefined && ts.isIdentifier(node.name)) return node.name.text
  for (let up: ts.Node = node.parent; !ts.isSourceFile(up); up = up.parent) {
    if (isNamed(up) && up.name !== undefined) return `${up.name.getText()}/λ`
  }
  return "λ"
}

type WithBody = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody }

const hasBody = (node: ts.Node): node is WithBody =>
  ts.isFunctionLike(node) && "body" in node && node.body !== undefined && !ts.isConstructorDeclaration(node)

/** Where text is inserted into the source. */
type Insertion = readonly [at: number, text: string]

const insertions = (file: string, source: ts.SourceFile): ReadonlyArray<Insertion> => {
  const found: Array<Insertion> = []
  const visit = (node: ts.Node): void => {
    if (hasBody(node)) {
      const call = `__called(${JSON.stringify(`${file}\t${nameOf(node)}`)})`
      const { body } = node
      if (ts.isBlock(body)) found.push([body.getStart() + 1, `${call};`])
      else found.push([body.getStart(), `(${call}, `], [body.getEnd(), ")"])
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found.toSorted(([a], [b]) => b - a)
}

const instrument = (file: string, text: string): string =>
  report + insertions(file, ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)).reduce(
    (changed, [at, insertion]) => changed.slice(0, at) + insertion + changed.slice(at),
    text
  )

/** Instruments the sources in `src`; the functions report the path of their file in it, and their name. */
export const plugin = (src: string): Plugin => ({
  name: "instrument",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
      file.startsWith(src)
        ? { loader: "ts", contents: instrument(path.relative(src, file), fs.readFileSync(file, "utf8")) }
        : undefined)
})
