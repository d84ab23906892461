/**
 * Writes the public surface of the package as text: every exported name with its signature, one file in `api/` per public module.
 * `npm run api` writes the files; `npm test` compares them, so that a change of the surface is seen where it is reviewed.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import ts from "typescript"

/** File in `api/` -> text. */
export type Report = ReadonlyMap<string, string>

const parse = (root: string): ts.ParsedCommandLine =>
  ts.getParsedCommandLineOfConfigFile(path.join(root, "tsconfig.build.json"), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"))
    }
  })!

/** The declarations of all sources, without comments, by where they would be emitted. */
const declarations = (root: string): ReadonlyMap<string, string> => {
  const { fileNames, options } = parse(root)
  const emitted = new Map<string, string>()
  const program = ts.createProgram(fileNames, {
    ...options,
    ...{ declarationMap: false, removeComments: true, emitDeclarationOnly: true }
  })
  program.emit(undefined, (file, text) => void emitted.set(path.normalize(file), text))
  return emitted
}

/** A program of those declarations, which are on no disk. */
const programOf = (root: string, files: ReadonlyMap<string, string>): ts.Program => {
  const options = { ...parse(root).options, noEmit: true }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (file) => files.has(path.normalize(file)) || fileExists(file)
  host.readFile = (file) => files.get(path.normalize(file)) ?? readFile(file)
  host.directoryExists = () => true
  host.getSourceFile = (file, version) => {
    const text = host.readFile(file)
    return text === undefined ? undefined : ts.createSourceFile(file, text, version)
  }
  return ts.createProgram([...files.keys()], options, host)
}

/** `class A extends A_base`: the emitted constant that holds the fields. */
const baseOf = (declaration: ts.Declaration): ReadonlyArray<string> => {
  const base = ts.isClassDeclaration(declaration) ? declaration.heritageClauses?.[0]?.types[0]?.expression : undefined
  if (base === undefined || !ts.isIdentifier(base)) return []
  const statement = declaration.getSourceFile().statements.find((statement) =>
    ts.isVariableStatement(statement) &&
    statement.declarationList.declarations.some(({ name }) => ts.isIdentifier(name) && name.text === base.text)
  )
  return statement === undefined ? [] : [statement.getText().replace(/^declare /, "")]
}

const textOf = (declaration: ts.Declaration): string => {
  // A constant's type is in its declaration, its keywords in the statement around.
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const own = node.getText(declaration.getSourceFile()).replace(/^export (declare )?/, "").replace(/^declare /, "")
  return [...baseOf(declaration), own].join("\n")
}

/** `report` of the modules that `exports` of `package.json` names, and of the namespaces that those export. */
export const report = (root: string): Report => {
  const files = declarations(root)
  const program = programOf(root, files)
  const checker = program.getTypeChecker()
  const reports = new Map<string, string>()

  const resolve = (symbol: ts.Symbol) => symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

  const line = (symbol: ts.Symbol): string => {
    const resolved = resolve(symbol)
    const own = (resolved.declarations ?? []).filter((one) => files.has(path.normalize(one.getSourceFile().fileName)))
    if (own.length === 0) return `export ${symbol.name}, of another package`
    const texts = own.map(textOf)
    return symbol.name === resolved.name ? texts.join("\n") : `// ${symbol.name} is\n${texts.join("\n")}`
  }

  const add = (name: string, module: ts.Symbol): void => {
    const lines: Array<string> = []
    const byName = [...checker.getExportsOfModule(module)].sort((a, b) => a.name < b.name ? -1 : 1)
    for (const symbol of byName) {
      const resolved = resolve(symbol)
      const source = resolved.declarations?.find(ts.isSourceFile)
      if (source === undefined) lines.push(line(symbol))
      else if (files.has(path.normalize(source.fileName))) {
        add(`${name === "index" ? "" : `${name}.`}${symbol.name}`, resolved)
      } else lines.push(`namespace ${symbol.name}, of another package`)
    }
    if (lines.length > 0) reports.set(`${name}.txt`, `${lines.join("\n\n")}\n`)
  }

  const { exports } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | { readonly types: string }>
  }
  for (const [subpath, conditions] of Object.entries(exports)) {
    if (typeof conditions === "string") continue
    const source = program.getSourceFile(path.join(root, conditions.types))
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${subpath} is published, but ${conditions.types} is not emitted`)
    add(subpath === "." ? "index" : subpath.slice(2).replaceAll("/", "."), module)
  }
  return reports
}

/** The declarations that only one of two reports has, with the file that they are in. */
export const differences = (before: Report, now: Report): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((name) => {
    const [old, current] = [before, now].map((report) =>
      (report.get(name) ?? "").split("\n\n").map((text) => text.trim())
    )
    const lines = (sign: string, from: ReadonlyArray<string>, without: ReadonlyArray<string>) =>
      from.filter((text) => !without.includes(text)).map((text) => `${sign} ${name}: ${text}`)
    const found = [...lines("-", old!, current!), ...lines("+", current!, old!)]
    return found.length > 0 || before.get(name) === now.get(name) ? found : [`${name}: the order differs`]
  })

/** The report that is checked in. */
export const stored = (root: string): Report => {
  const folder = path.join(root, "api")
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []
  return new Map(names.map((name) => [name, fs.readFileSync(path.join(folder, name), "utf8")]))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = process.cwd()
  const folder = path.join(root, "api")
  const reports = report(root)
  if (process.argv.includes("--check")) {
    const lines = differences(stored(root), reports)
    for (const line of lines) console.error(line)
    if (lines.length > 0) {
      console.error("After an intended change, run `npm run api` and commit the result.")
      process.exitCode = 1
    }
  } else {
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder)
    for (const [name, text] of reports) fs.writeFileSync(path.join(folder, name), text)
    console.log(`api: ${reports.size} modules`)
  }
}
