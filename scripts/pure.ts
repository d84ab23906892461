/**
 * Marks what a module makes when it is imported as pure, so that a bundler drops a constant or a class that nobody uses:
 * without the mark it keeps each Schema and each layer of every module that it takes. No module of `src/` does anything
 * when it is imported but to make its constants.
 */
import ts from "typescript"

const mark = "/* @__PURE__ */ "

/** Runs when the module is imported; functions and what an instance begins with run later. */
const isLater = (node: ts.Node): boolean =>
  ts.isFunctionLike(node) ||
  (ts.isPropertyDeclaration(node) && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) !== true)

/** Code that may have effects for a bundler although it is no call: a spread calls iterators, a property may be a getter. */
const isSuspect = (node: ts.Node): boolean =>
  !isLater(node) && (
    ts.isSpreadElement(node) || ts.isSpreadAssignment(node) ||
    (ts.isPropertyAccessExpression(node) && !(ts.isCallExpression(node.parent) && node.parent.expression === node)) ||
    ts.isElementAccessExpression(node) || ts.isTemplateExpression(node) ||
    (ts.forEachChild(node, isSuspect) ?? false)
  )

const isAwaiting = (node: ts.Node): boolean =>
  !isLater(node) && (ts.isAwaitExpression(node) || (ts.forEachChild(node, isAwaiting) ?? false))

/** The expressions of a constant or a class that run when the module is imported. */
const expressionsOf = (node: ts.Statement | ts.ClassExpression): ReadonlyArray<ts.Expression> => {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.flatMap(({ initializer }) => initializer ?? [])
  }
  if (!ts.isClassLike(node)) return []
  return [
    ...(node.heritageClauses ?? []).filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
      .flatMap(({ types }) => types.map(({ expression }) => expression)),
    ...node.members.flatMap((member) =>
      ts.isPropertyDeclaration(member) && !isLater(member) ? member.initializer ?? [] : []
    )
  ]
}

export const pure = (name: string, text: string): string => {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const inserted = new Map<number, string>()
  const insert = (at: number, piece: string) => inserted.set(at, (inserted.get(at) ?? "") + piece)
  const visit = (node: ts.Node): void => {
    if (isLater(node)) return
    const at = node.getStart(source)
    if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && !inserted.has(at)) insert(at, mark)
    ts.forEachChild(node, visit)
  }
  for (const expression of source.statements.flatMap(expressionsOf)) {
    if (isSuspect(expression) && !isAwaiting(expression)) {
      // A function that is called at once is dropped whole, and a minifier writes its expression in place of the call.
      insert(expression.getStart(source), `${mark}(() => (`)
      insert(expression.end, "))()")
    } else visit(expression)
  }
  let from = 0
  const pieces = [...inserted].sort(([a], [b]) => a - b).map(([at, piece]) => {
    const before = text.slice(from, at)
    from = at
    return before + piece
  })
  return [...pieces, text.slice(from)].join("")
}
