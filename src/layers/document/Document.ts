/**
 * Agents in files: YAML or JSON, one file or a folder.
 *
 * ```ts
 * import { SessionStore } from "coxswain"
 * import * as Document from "coxswain/layers/document"
 * import * as Offline from "coxswain/layers/offline"
 * import { Effect } from "effect"
 *
 * const text = `
 * coxswain: 1
 * name: Trips
 * data:
 *   city: { type: string, description: the city to go to }
 * flows:
 *   - title: Plan a trip
 *     steps:
 *       - id: city
 *         collect: [city]
 *       - id: done
 *         reply: Have a good time in {{data.city}}!
 * `
 *
 * const program = Effect.gen(function*() {
 *   const source = yield* Document.parse(text)
 *   const agent = yield* Document.agent(source)
 *   const { message } = yield* agent.respond({ sessionId: "u1", message: "To Lisbon, please" })
 *   return message
 * })
 *
 * Effect.runPromise(program.pipe(Effect.provide([Offline.layer, SessionStore.layerMemory])))
 * ```
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Yaml from "yaml"
import type { ConfigurationIssue, FlowConfigurationError } from "../../domain/base/error/Errors.js"
import { isJsonObject, type JsonObject } from "../../domain/base/Json.js"
import { offsetOf } from "../../domain/document/ReadDocument.js"
import { fromDocument } from "../../pipeline/agent/Agent.js"
import type { FromDocument } from "../../pipeline/agent/Kit.js"
import { documents } from "../../pipeline/document/Document.js"
import { Documents } from "../../pipeline/document/Documents.js"
import * as Fault from "./Fault.js"
import * as Join from "./Join.js"
import * as Tree from "./Tree.js"

export { edit, write } from "./Edit.js"
export { DocumentError, DocumentFault } from "./Fault.js"

/** A document that was read from files, and the position of each of its values in these files. */
export interface Source {
  /** The document, for `Agent.fromDocument`. */
  readonly document: JsonObject
  /** The names of its files. */
  readonly files: ReadonlyArray<string>
  /** Returns the fault for an issue, with its file, line and column. */
  readonly fault: (issue: ConfigurationIssue) => Fault.DocumentFault
}

type Faults = Array<Fault.DocumentFault>

const refused = ([first, ...rest]: Faults): Effect.Effect<void, Fault.DocumentError> =>
  first === undefined ? Effect.void : Fault.error([first, ...rest])

interface Text {
  readonly name: string
  readonly text: string
}

/** How to mend what people write who know the language of the expressions better than YAML. */
const fixes: { readonly [C in Yaml.ErrorCode]?: string } = {
  BLOCK_AS_IMPLICIT_KEY: "Put a text with a colon in quotes",
  TAG_RESOLVE_FAILED: "Put a text that begins with ! in quotes",
  BAD_SCALAR_START: "Put a text that begins with this character in quotes",
  TAB_AS_INDENT: "Indent with spaces"
}

/** Tokens of the lexer that are not in the text. */
const isMarker = (token: string): boolean => /^[\u0002\u0018\u001f]$/.test(token)

/** Returns the position of the quote that is not closed; undefined if there is none. */
const openQuote = (text: string): number | undefined => {
  let offset = 0
  for (const token of new Yaml.Lexer().lex(text)) {
    const [quote] = token
    if ((quote === "\"" || quote === "'") && (token.length === 1 || !token.endsWith(quote))) return offset
    if (!isMarker(token)) offset += token.length
  }
  return undefined
}

/** Returns the position to report for an error of YAML, its reason and how to mend it. */
const explained = (text: string, { code, message, pos: [offset] }: Yaml.YAMLError | Yaml.YAMLWarning) => {
  // YAML reads `{{` as the start of two nested maps.
  if (text.slice(offset - 2, offset + 2).includes("{{")) {
    return { offset, why: message, fix: "Put a text that begins with a placeholder in quotes" }
  }
  const opened = code === "MISSING_CHAR" ? openQuote(text) : undefined
  return opened === undefined
    ? { offset, why: message, fix: fixes[code] ?? "Correct the text" }
    : { offset: opened, why: "this quote is never closed", fix: "Close it, or leave it out" }
}

/** Parses a text and adds its faults to `faults`. */
const treeOf = ({ name, text }: Text, faults: Faults): Tree.Tree => {
  const lines = new Yaml.LineCounter()
  const file: Tree.File = { name, text, lines }
  const document = Yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  for (const error of [...document.errors, ...document.warnings]) {
    const { fix, offset, why } = explained(text, error)
    faults.push(Fault.at({ file, offset }, { path: "", what: "not YAML", why, fix }))
  }
  const start: Tree.Location = { file, offset: 0 }
  try {
    return document.errors.length > 0 ? { at: start } : Tree.make(document, file)
  } catch (cause) {
    const why = cause instanceof Tree.TooLarge ? "it has too many values" : "its values cannot be listed"
    faults.push(Fault.at(start, { path: "", what: name, why, fix: "Shorten it" }))
    return { at: start }
  }
}

const isName = (issue: ConfigurationIssue): boolean => /^there is no (option|parameter) of this name/.test(issue.why)

/** True for a file of a folder that would add nothing: a list or a text. An empty file lacks nothing. */
const isNoPart = ({ entries, items, scalar }: Tree.Tree): boolean =>
  items !== undefined || (entries === undefined && scalar !== undefined && scalar.value !== null)

/**
 * Returns the position to report for an issue: the character in a text, if it is known; the name, if the name is wrong
 * or the value is a list or record; else the value.
 */
const locationOf = (tree: Tree.Tree, issue: ConfigurationIssue): Tree.Location => {
  const found = Tree.find(tree, issue.path)
  const offset = offsetOf(issue)
  if (offset !== undefined && found.isWhole) return Tree.inside(found.tree, offset)
  return found.name !== undefined && (isName(issue) || found.tree.scalar === undefined) ? found.name : found.tree.at
}

const sourceOf = (texts: readonly [Text, ...ReadonlyArray<Text>]): Effect.Effect<Source, Fault.DocumentError> =>
  Effect.suspend(() => {
    const faults: Faults = []
    const [first, ...rest] = texts
    const trees = [treeOf(first, faults), ...rest.map((text) => treeOf(text, faults))] as const
    const [one, ...others] = trees
    if (others.length > 0) {
      for (const { at } of trees.filter(isNoPart)) {
        faults.push(Fault.at(at, {
          path: "",
          what: `${at.file.name} is no part of a document`,
          why: "it is no record of names and values",
          fix: "Begin with the name of a part, such as flows:, or with title: and steps: for one flow"
        }))
      }
    }
    const tree = others.length === 0 ? one : Join.join(
      [Join.asDocument(one), ...others.map(Join.asDocument)],
      ({ again, first, name }) => {
        const { line } = first.file.lines.linePos(first.offset)
        faults.push(Fault.at(again, {
          path: name,
          what: `${name} twice`,
          why: `${first.file.name}:${line} has it too`,
          fix: "Keep one of them"
        }))
      }
    )
    const document = Tree.valueOf(tree)
    if (faults.length === 0 && !isJsonObject(document)) {
      faults.push(Fault.at(tree.at, {
        path: "",
        what: "not a document",
        why: "it is no record of names and values, or nested too deep",
        fix: "Begin with: name: …"
      }))
    }
    const source: Source = {
      document: isJsonObject(document) ? document : {},
      files: texts.map(({ name }) => name),
      fault: (issue) => Fault.at(locationOf(tree, issue), issue)
    }
    return Effect.as(refused(faults), source)
  })

/** Parses a document in YAML or JSON. `file` is its name in messages. */
export const parse = (text: string, file = "document"): Effect.Effect<Source, Fault.DocumentError> =>
  sourceOf([{ name: file, text }])

/** Converts the issues of a definition to faults in the files of the definition. */
export const located = (source: Source, { issues: [first, ...rest] }: FlowConfigurationError): Fault.DocumentError =>
  Fault.error([source.fault(first), ...rest.map(source.fault)])

const unreadable = (name: string, why: string, fix: string): Fault.DocumentError => {
  const lines = new Yaml.LineCounter()
  return Fault.error([
    Fault.at({ file: { name, text: "", lines }, offset: 0 }, { path: "", what: `${name} cannot be read`, why, fix })
  ])
}

const isYaml = (name: string): boolean => /\.ya?ml$/.test(name)

/** The files of a folder: those in it, then those of its folder `flows`, each in the order of their names. */
const filesIn = (folder: string) =>
  Effect.gen(function*() {
    const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
    const within = (of: string) =>
      Effect.map(fs.readDirectory(of), (names) => names.filter(isYaml).sort().map((name) => path.join(of, name)))
    const flows = path.join(folder, "flows")
    return [...yield* within(folder), ...(yield* fs.exists(flows)) ? yield* within(flows) : []]
  })

/**
 * Reads a document from a file, or from a folder: all `.yaml` files in it and in its folder `flows`. Lists with the
 * same name in several files are joined, and so are records. A file with a `title` and `steps` is one flow.
 */
export const read = (
  given: string
): Effect.Effect<Source, Fault.DocumentError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const isFolder = (yield* fs.stat(given)).type === "Directory"
    const names = isFolder ? yield* filesIn(given) : [given]
    const texts = yield* Effect.forEach(names, (name) =>
      Effect.gen(function*() {
        // Reading a pipe or a device would wait for ever.
        const { type } = yield* fs.stat(name)
        if (type !== "File") return yield* unreadable(name, `it is no file (${type})`, "Put a file in its place")
        return { name, text: yield* fs.readFileString(name) }
      }))
    const [first, ...rest] = texts
    return first === undefined
      ? yield* unreadable(given, "no .yaml file is in it", "Name a file, or a folder with one")
      : yield* sourceOf([first, ...rest])
  }).pipe(
    Effect.catchTag(
      "BadArgument",
      "SystemError",
      ({ message }) => Effect.fail(unreadable(given, message, "Name a file or a folder that exists"))
    )
  )

/**
 * Makes the agent of a document. The registry contains the code to which the document refers by name, see
 * `Agent.fromDocument`.
 */
export const agent: FromDocument<Source, Fault.DocumentError, never> = (source: Source, registry: object = {}) =>
  fromDocument(source.document, registry).pipe(
    Effect.provideService(Documents, documents),
    Effect.mapError((error) => located(source, error))
  ) as never

/** Provides `Documents` for `Agent.fromDocument` and `Agent.toDocument`: documents whose expressions are CEL. */
export const layer: Layer.Layer<Documents> = Layer.succeed(Documents, documents)
