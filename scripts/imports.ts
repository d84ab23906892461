/** The modules that a file names: imports, exports from elsewhere, and types by `import("…")`. */
import ts from "typescript"

export interface Import {
  readonly specifier: string
  readonly line: number
}

export const importsOf = (source: ts.SourceFile): ReadonlyArray<Import> => {
  const imports: Array<Import> = []
  const add = (node: ts.Node | undefined) => {
    if (node === undefined || !ts.isStringLiteralLike(node)) return
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
    imports.push({ specifier: node.text, line })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier)
    else if (ts.isExternalModuleReference(node)) add(node.expression)
    else if (ts.isImportTypeNode(node)) add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0])
    ts.forEachChild(node, visit)
  }
  visit(source)
  return imports
}
