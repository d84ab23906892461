/**
 * Reads what the package publishes out of its sources: every exported name with its docstring, its fields, and what it
 * fails with. `scripts/reference.ts` writes the pages from it.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import ts from "typescript"

export interface Field {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly doc: string
  /** The default, as the docstring gives it. */
  readonly default: string | undefined
  readonly fails: ReadonlyArray<string>
}

export interface Entry {
  readonly name: string
  readonly doc: string
  readonly examples: ReadonlyArray<string>
  /** The declaration as one reads it, where there are no fields to list or besides them. */
  readonly signature: string | undefined
  readonly fields: ReadonlyArray<Field>
  readonly fails: ReadonlyArray<string>
}

export interface Module {
  /** `Agent`, `layers/sqlite`, `testing/Conversation`. */
  readonly name: string
  /** The source, relative to `src`. */
  readonly file: string
  /** The module to import it from. */
  readonly subpath: string
  readonly doc: string
  readonly entries: ReadonlyArray<Entry>
}

/** Of a type that nobody has written. */
const longest = 400

const oneLine = (text: string): string =>
  text.replaceAll(/import\("[^"]*"\)\./g, "").replaceAll(/\/\/[^\n]*\n|\/\*[\s\S]*?\*\//g, " ").replaceAll(/\s+/g, " ")
    .trim()

/** Lines that were broken for the width of the source are joined; paragraphs, lists and code stay as they are. */
const unwrapped = (text: string): string =>
  text.split(/^(```[\s\S]*?^```)$/m).map((part) => part.startsWith("```") ? part : joined(part))
    .filter((part) => part !== "").join("\n\n")

const joined = (text: string): string =>
  text.split(/\n{2,}/).map((part) => /^\s*([-*|]|\d+\.)/m.test(part) ? part : part.replaceAll(/\s*\n\s*/g, " "))
    .join("\n\n").trim()

interface Said {
  readonly doc: string
  readonly examples: ReadonlyArray<string>
  readonly isInternal: boolean
}

const commentOf = (comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string =>
  ts.getTextOfJSDocComment(comment) ?? ""

const saidOf = (node: ts.Node): Said => {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const last = docs.at(-1)
  const tags = last?.tags ?? []
  const tag = (name: string) =>
    tags.filter(({ tagName }) => tagName.text === name).map(({ comment }) => commentOf(comment))
  return {
    doc: unwrapped(commentOf(last?.comment)),
    examples: tag("example"),
    isInternal: tags.some(({ tagName }) => tagName.text === "internal")
  }
}

/** "Default 60 seconds." is the default; the rest is what the field means. */
export const splitDefault = (doc: string): { readonly doc: string; readonly default: string | undefined } => {
  const found = /(^|[.;:,)]\s+|\s\()[Dd]efault:? (?!to\b)((?:`[^`]*`|[^.;`()]|\.(?=\S))+)(\.(?=\s|$)|;|\)|$|(?= \())/
    .exec(doc)
  if (found === null) return { doc, default: undefined }
  const [whole, before = "", value = "", after] = found
  const isSentence = before === "" || before.trim() === "."
  if (!isSentence || after !== ".") return { doc, default: value.trim() }
  const rest = `${doc.slice(0, found.index)}${before.trim()} ${doc.slice(found.index + whole.length)}`
  return { doc: rest.replaceAll(/\s+/g, " ").trim(), default: value.trim() }
}

/** The errors of an Effect, a Layer or a Stream, by name. */
const failuresOf = (checker: ts.TypeChecker, type: ts.Type, depth = 0): ReadonlyArray<string> => {
  const [signature] = type.getCallSignatures()
  if (signature !== undefined && depth < 3) return failuresOf(checker, signature.getReturnType(), depth + 1)
  const carriers = ["Effect", "Layer", "Stream"]
  const name = type.aliasSymbol?.name ?? type.symbol?.name
  if (name === undefined || !carriers.includes(name)) return []
  const args = type.aliasTypeArguments ?? checker.getTypeArguments(type as ts.TypeReference)
  const failure = args[1]
  if (failure === undefined) return []
  const names = (one: ts.Type): ReadonlyArray<string> => {
    if (one.flags & ts.TypeFlags.Never) return []
    if (one.aliasSymbol !== undefined) return [one.aliasSymbol.name]
    if (one.isUnion()) return one.types.flatMap(names)
    return [one.symbol?.name ?? checker.typeToString(one)]
  }
  return named(new Set(names(failure).filter((one) => /^[A-Z]\w*$/.test(one))))
}

/** Unions that the compiler has flattened, by the members that give them away. */
const unions = {
  TurnError: ["SessionBusy", "TurnTimeout", "BudgetExceeded", "ToolExecutionError"],
  ConfigError: ["And", "InvalidData", "MissingData", "Or", "SourceUnavailable", "Unsupported"]
}

const named = (found: ReadonlySet<string>): ReadonlyArray<string> => {
  const all = new Set(found)
  for (const [name, members] of Object.entries(unions)) {
    if (!members.every((one) => all.has(one))) continue
    for (const one of name === "TurnError" ? [...all].filter((one) => one.length > 1) : members) all.delete(one)
    all.add(name)
  }
  return [...all].sort()
}

const isOurs = (root: string, node: ts.Node): boolean =>
  node.getSourceFile().fileName.startsWith(path.join(root, "src") + path.sep)

class Reader {
  constructor(private readonly root: string, private readonly checker: ts.TypeChecker) {}

  private field(symbol: ts.Symbol, at: ts.Node): ReadonlyArray<Field> {
    const declaration = symbol.declarations?.find((one) => isOurs(this.root, one))
    if (declaration === undefined || symbol.name.startsWith("__@")) return []
    const { checker } = this
    const written = (ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) && declaration.type
    const type = checker.getTypeOfSymbolAtLocation(symbol, at)
    const text = written
      ? written.getText()
      : ts.isMethodSignature(declaration)
      ? methodType(declaration)
      : checker.typeToString(type, at, ts.TypeFormatFlags.NoTruncation)
    return [{
      name: symbol.name,
      type: oneLine(text),
      isOptional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      ...splitDefault(saidOf(declaration).doc),
      fails: failuresOf(checker, type)
    }]
  }

  private fields(type: ts.Type, at: ts.Node): ReadonlyArray<Field> {
    return this.checker.getPropertiesOfType(type).flatMap((symbol) => this.field(symbol, at))
  }

  /** In the order they are written: the compiler has an order of its own. */
  private written(type: ts.Type, at: ts.Node): ReadonlyArray<Field> {
    const file = at.getSourceFile()
    const place = (symbol: ts.Symbol) =>
      symbol.declarations?.find((one) => one.getSourceFile() === file)?.pos ?? Number.MAX_SAFE_INTEGER
    return [...this.checker.getPropertiesOfType(type)].sort((a, b) => place(a) - place(b))
      .flatMap((symbol) => this.field(symbol, at)).filter(({ name }) => name !== "message")
  }

  /** A class is a Schema, an error, or the tag of a service. */
  private ofClass(node: ts.ClassDeclaration): Pick<Entry, "fields" | "signature"> {
    const base = node.heritageClauses?.[0]?.types[0]?.expression
    const text = base?.getText() ?? ""
    if (!/^Context\.(Tag|Reference)/.test(text)) {
      const symbol = this.checker.getSymbolAtLocation(node.name!)!
      return { fields: this.written(this.checker.getDeclaredTypeOfSymbol(symbol), node), signature: undefined }
    }
    const shape = base !== undefined && ts.isCallExpression(base) ? base.typeArguments?.[1] : undefined
    const isLiteral = shape !== undefined && ts.isTypeLiteralNode(shape)
    return {
      signature: `class ${node.name!.text} extends ${
        oneLine(isLiteral ? text.replace(shape.getText(), "{ … }") : text)
      }`,
      fields: isLiteral ? this.fields(this.checker.getTypeFromTypeNode(shape), node) : []
    }
  }

  private constantSignature(node: ts.VariableDeclaration): string {
    const name = node.name.getText()
    const value = node.initializer
    if (node.type !== undefined) return `const ${name}: ${oneLine(node.type.getText())}`
    if (value !== undefined && ts.isArrowFunction(value)) {
      const generics = value.typeParameters === undefined
        ? ""
        : `<${value.typeParameters.map((one) => oneLine(one.getText())).join(", ")}>`
      const parameters = value.parameters.map((one) => oneLine(one.getText())).join(", ")
      const result = value.type?.getText() ??
        this.inferred(this.checker.getSignatureFromDeclaration(value)!.getReturnType(), value)
      return `const ${name}: ${generics}(${parameters}) => ${oneLine(result)}`
    }
    return `const ${name}: ${this.inferred(this.checker.getTypeAtLocation(node), node)}`
  }

  /** The compiler's own cut counts the paths of modules, which differ from machine to machine. */
  private inferred(type: ts.Type, at: ts.Node): string {
    const text = oneLine(this.checker.typeToString(type, at, ts.TypeFormatFlags.NoTruncation))
    return text.length > longest ? `${text.slice(0, longest)}…` : text
  }

  private ofDeclaration(node: ts.Declaration): Pick<Entry, "fields" | "signature" | "fails"> {
    const { checker } = this
    const none = { fields: [], fails: [], signature: undefined }
    if (ts.isInterfaceDeclaration(node)) return { ...none, fields: this.fields(checker.getTypeAtLocation(node), node) }
    if (ts.isClassDeclaration(node)) return { ...none, ...this.ofClass(node) }
    if (ts.isTypeAliasDeclaration(node)) {
      const text = oneLine(node.getText().replace(/^[\s\S]*?export type/, "type"))
      if (!/^typeof \w+\.Type$/.test(node.type.getText())) return { ...none, signature: text }
      const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias
      const type = checker.getTypeAtLocation(node)
      return { ...none, signature: `type ${node.name.text} = ${oneLine(checker.typeToString(type, node, flags))}` }
    }
    if (ts.isVariableDeclaration(node)) {
      return {
        ...none,
        signature: this.constantSignature(node),
        fails: failuresOf(checker, checker.getTypeAtLocation(node))
      }
    }
    if (ts.isFunctionDeclaration(node)) {
      const text = node.body === undefined ? node.getText() : node.getText().replace(node.body.getText(), "")
      return { ...none, signature: oneLine(text).replace(/^export /, "") }
    }
    return none
  }

  private entries(symbol: ts.Symbol): ReadonlyArray<Entry> {
    const resolved = symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol
    return (resolved.declarations ?? []).filter((one) => isOurs(this.root, one)).flatMap((declaration) => {
      const holder = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
      const { isInternal, ...said } = saidOf(holder)
      return isInternal ? [] : [{ name: symbol.name, ...said, ...this.ofDeclaration(declaration) }]
    })
  }

  /** The module and, when it exports namespaces, those. */
  modules(name: string, subpath: string, symbol: ts.Symbol): ReadonlyArray<Module> {
    const exported = this.checker.getExportsOfModule(symbol).map((one) => {
      const resolved = one.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(one) : one
      return { one, resolved, source: resolved.declarations?.find(ts.isSourceFile) }
    })
    const own = exported.flatMap(({ one, source }) => source === undefined ? this.entries(one) : [])
    const inner = exported.flatMap(({ one, resolved, source }) =>
      source !== undefined && isOurs(this.root, source)
        ? this.modules(name === "" ? one.name : `${name}/${one.name}`, subpath, resolved)
        : []
    )
    const source = symbol.declarations?.find(ts.isSourceFile)
    const doc = source === undefined ? "" : moduleDoc(source.text)
    const file = path.relative(path.join(this.root, "src"), source?.fileName ?? "")
    return own.length === 0 ? inner : [{ name, file, subpath, doc, entries: own }, ...inner]
  }
}

const methodType = (node: ts.MethodSignature): string =>
  `(${node.parameters.map((one) => one.getText()).join(", ")}) => ${node.type?.getText() ?? "void"}`

/** The comment that a file begins with. */
const moduleDoc = (text: string): string => {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? ""
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "")).join("\n")
  return lines.replaceAll(/^@example\s*$/gm, "").trim()
    .split(/(```[\s\S]*?```)/).map((part) => part.startsWith("```") ? part : unwrapped(part)).join("\n\n").trim()
}

/** Every module that `exports` of `package.json` names, from the sources. */
export const read = (root: string): ReadonlyArray<Module> => {
  const config = ts.getParsedCommandLineOfConfigFile(path.join(root, "tsconfig.build.json"), {}, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"))
    }
  })!
  const program = ts.createProgram(config.fileNames, config.options)
  const reader = new Reader(root.replace(/[/\\]$/, ""), program.getTypeChecker())
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | { readonly types: string }>
  }
  return Object.entries(exports).flatMap(([subpath, conditions]) => {
    if (typeof conditions === "string") return []
    const file = conditions.types.replace(/^\.\/dist\//, "src/").replace(/\.d\.ts$/, ".ts")
    const source = program.getSourceFile(path.join(root, file))
    const symbol = source === undefined ? undefined : program.getTypeChecker().getSymbolAtLocation(source)
    if (symbol === undefined) throw new Error(`${subpath} is published, but ${file} is not there`)
    return reader.modules(subpath.slice(2), subpath === "." ? "coxswain" : `coxswain/${subpath.slice(2)}`, symbol)
  })
}
