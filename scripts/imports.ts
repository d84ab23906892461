/** The modules that a file names, and the tests that a change concerns. */
import * as fs from "node:fs"
import * as path from "node:path"
import ts from "typescript"

export interface Import {
  readonly specifier: string
  readonly line: number
}

/** Imports, exports from elsewhere, and types by `import("…")`. */
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

/** Folders that are not the project's own. */
const foreign = /(^|\/)(node_modules|dist|\.[^/]+)(\/|$)/

/** For each file of TypeScript the files that import it, by paths relative to `root`. */
const importersIn = (root: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const names = fs.readdirSync(root).filter((name) => !foreign.test(name)).flatMap((name) =>
    fs.statSync(path.join(root, name)).isDirectory()
      ? fs.readdirSync(path.join(root, name), { recursive: true, encoding: "utf8" })
        .map((file) => `${name}/${file.split(path.sep).join("/")}`)
      : [name]
  ).filter((name) => /\.tsx?$/.test(name) && !foreign.test(name))
  const known = new Set(names)
  const paths: Readonly<Record<string, ReadonlyArray<string>>> =
    JSON.parse(fs.readFileSync(path.join(root, "tsconfig.json"), "utf8")).compilerOptions.paths
  const sourceOf = (from: string, specifier: string): string | undefined => {
    const to = specifier.startsWith(".")
      ? path.posix.join(path.posix.dirname(from), specifier)
      : path.posix.normalize(paths[specifier]?.[0] ?? `src/${specifier.replace(/^coxswain\//, "")}.ts`)
    return [to, to.replace(/\.js$/, ".ts"), to.replace(/\.js$/, ".tsx")].find((name) => known.has(name))
  }
  const importers = new Map<string, Array<string>>()
  for (const name of names) {
    const text = fs.readFileSync(path.join(root, name), "utf8")
    for (const { specifier } of importsOf(ts.createSourceFile(name, text, ts.ScriptTarget.Latest))) {
      const to = sourceOf(name, specifier)
      if (to !== undefined) importers.set(to, (importers.get(to) ?? []).concat(name))
    }
  }
  return importers
}

/** The folders that a test and a changed file share: tests mirror the sources. */
const shared = (test: string, changed: string): number => {
  const [one, other] = [test, changed].map((file) => file.replace(/\.test\.ts$|\.tsx?$/, "").split("/").slice(1))
  const apart = one!.findIndex((part, at) => part !== other![at])
  return apart < 0 ? one!.length : apart
}

/**
 * The test files that import changed files, directly or through others, the nearest first: those that import one
 * themselves, then those whose folder mirrors the folder of one, then those with fewer files between.
 */
export const relatedTests = (root: string, changed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const importers = importersIn(root)
  const distances = new Map(changed.map((file) => [file, 0]))
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1)
    }
  }
  const rank = (test: string, distance: number): readonly [direct: number, apart: number, distance: number] => [
    Math.min(distance, 2),
    -Math.max(...changed.map((file) => shared(test, file))),
    distance
  ]
  return [...distances].filter(([file]) => file.endsWith(".test.ts") && fs.existsSync(path.join(root, file)))
    .map(([test, distance]) => ({ test, rank: rank(test, distance) }))
    .sort(({ rank: one }, { rank: other }) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2])
    .map(({ test }) => test)
}
