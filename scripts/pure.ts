/**
 * Marks the calls with which a module begins as pure, so that a bundler drops a constant or a class that nobody uses:
 * without the mark it keeps each Schema and each layer of every module that it takes. No module of `src/` does anything
 * when it is imported but to make its constants.
 */
import ts from "typescript"

const mark = "/* @__PURE__ */ "

/** Runs when the module is imported; functions and what an instance begins with run later. */
const isLater = (node: ts.Node): boolean =>
  ts.isFunctionLike(node) ||
  (ts.isPropertyDeclaration(node) && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) !== true)

export const pure = (name: string, text: string): string => {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const places = new Set<number>()
  const visit = (node: ts.Node): void => {
    if (isLater(node)) return
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) places.add(node.getStart(source))
    ts.forEachChild(node, visit)
  }
  source.statements.filter((one) => ts.isVariableStatement(one) || ts.isClassDeclaration(one)).forEach(visit)
  let from = 0
  const pieces = [...places].sort((a, b) => a - b).map((to) => {
    const piece = text.slice(from, to)
    from = to
    return piece
  })
  return [...pieces, text.slice(from)].join(mark)
}
