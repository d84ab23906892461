/**
 * Every regular expression literal in `src`, and inputs that make a superlinear one slow.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

export interface Expression {
  /** Relative to `src`, with forward slashes. */
  readonly file: string
  readonly line: number
  readonly source: string
  readonly flags: string
}

const sources = fileURLToPath(new URL("../../src", import.meta.url))

/** The literals of one source text. */
export const literalsOf = (file: string, text: string): ReadonlyArray<Expression> => {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Array<Expression> = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/")
      found.push({
        file,
        line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1,
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1)
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** The literals of all of `src`. */
export const expressions = (): ReadonlyArray<Expression> =>
  fs.readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .flatMap((name) => literalsOf(name.split(path.sep).join("/"), fs.readFileSync(path.join(sources, name), "utf8")))

/** Texts whose repetition can cause backtracking: the expression's words and characters, and one of each class. */
const pumps = (source: string): ReadonlyArray<string> => {
  const plain = source.replace(/\\[a-zA-Z](\{[^}]*\})?|\(\?[:=!<]*|[\^$|()[\]{}*+?\\]/g, "\n")
  const words = plain.split("\n").filter((word) => word !== "" && word.length <= 20)
  return [
    ...new Set([...words, ...words.map((word) => word[0]!), " ", "\t", "\n", "a", "a ", "0", "-", ".", "/", "\"", "é"])
  ]
}

/** Adversarial texts of about the given length: many repetitions between ends that do not match. */
export const attacks = (source: string, length: number): ReadonlyArray<string> =>
  pumps(source).flatMap((pump) => {
    const repeated = pump.repeat(Math.ceil(length / pump.length))
    return [`${repeated}\u0000\n`, `\u0000${repeated}\u0000${pump}`]
  })

/**
 * Literals that are known to be superlinear. Each has to be replaced; until then its input must be short. Add none.
 */
export const superlinear: ReadonlySet<string> = new Set([
  // domain/check and domain/graph: the source text of the author's own functions.
  "^\\(?\\s{0,9}(\\w{1,99})\\s{0,9}\\)?\\s{0,9}=>.*[(,]\\s{0,9}\\1\\s{0,9}[),]",
  "=>\\s*(?:\\{\\s*return\\s+)?(.*?);?\\s*\\}?$",
  // layers/models/Provider.ts, layers/blobs/S3.ts: the base address of a configuration.
  "\\/+$",
  // domain/base/error/Expectation.ts: the error messages of a Schema.
  "^.*; (it must be .*)$",
  "^Expected (.*?), actual .*$",
  // layers/stores/Stored.ts: a driver's message.
  "^[^/]*\\/\\/[^/@]*?:(.*)@"
])
