/**
 * Compiles every `ts` code block of `README.md` and `docs/`, each as a module of its own, so that what the
 * documentation shows keeps type-checking. A block fenced as `ts no-check` is left out. One fenced as `ts file=name.ts`
 * is a file that the reader saves: the blocks after it, of the page and of the later pages of its folder, may import it.
 * The tests run what a block exports as `conversation`.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import ts from "typescript"

export interface Block {
  /** The line of the page that holds the first line of code, from 1. */
  readonly line: number
  readonly code: string
  /** The file a reader saves it as, when the fence says `file=name.ts`; later blocks may import it. */
  readonly file?: string
}

export interface Report {
  readonly pages: number
  readonly blocks: number
  /** `page:line:column  message` */
  readonly errors: ReadonlyArray<string>
}

/** The TypeScript code blocks of a Markdown page. */
export const blocks = (markdown: string): ReadonlyArray<Block> => {
  const found: Array<Block> = []
  const lines = markdown.split("\n")
  for (let i = 0; i < lines.length; i++) {
    const [, indent = "", fence, info = ""] = /^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$/.exec(lines[i]!) ?? []
    if (fence === undefined) continue
    const start = i + 1
    const isEnd = (line: string) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0]!, "") === ""
    do i++
    while (i < lines.length && !isEnd(lines[i]!))
    const [language = "", ...flags] = info.split(/\s+/)
    if (!["ts", "typescript"].includes(language) || flags.includes("no-check")) continue
    const code = lines.slice(start, i).map((line) => line.startsWith(indent) ? line.slice(indent.length) : line)
    const file = flags.find((flag) => flag.startsWith("file="))?.slice("file=".length)
    found.push({ line: start + 1, code: code.join("\n"), ...(file !== undefined && { file }) })
  }
  return found
}

const pagesOf = (root: string): ReadonlyArray<string> => {
  const docs = path.join(root, "docs")
  const pages = fs.existsSync(docs)
    ? fs.readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md")).sort()
    : []
  return ["README.md", ...pages.map((page) => path.join("docs", page))].filter((page) =>
    fs.existsSync(path.join(root, page))
  )
}

const optionsOf = (root: string): ts.CompilerOptions => {
  const file = path.join(root, "tsconfig.json")
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile)
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, "\n"))
  // The files of the project are not wanted here, only its options.
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file] }, ts.sys, root, undefined, file)
  return {
    ...options,
    noEmit: true,
    noUnusedLocals: false
  }
}

const write = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

/** The files that the earlier pages of the same folder told the reader to save, as they were last. */
const filesBefore = (root: string, pages: ReadonlyArray<string>, page: string): ReadonlyMap<string, string> => {
  const earlier = pages.filter((other) => path.dirname(other) === path.dirname(page) && other < page)
  const saved = earlier.flatMap((other) => blocks(fs.readFileSync(path.join(root, other), "utf8")))
  return new Map(saved.flatMap(({ code, file }) => file === undefined ? [] : [[file, code] as const]))
}

/** A block of a page, and the file that it was written to. */
export interface Written extends Block {
  readonly page: string
  readonly path: string
}

/** Writes the blocks of the pages (paths relative to `root`) into a folder, each page beside the files it may import. */
export const writeBlocks = (root: string, pages: ReadonlyArray<string>, folder: string): ReadonlyArray<Written> => {
  const all = pagesOf(root)
  return pages.flatMap((page) => {
    const place = path.join(folder, page.replaceAll(/[^\w-]+/g, "_"))
    for (const [name, code] of filesBefore(root, all, page)) write(path.join(place, name), code)
    return blocks(fs.readFileSync(path.join(root, page), "utf8")).map((block) => {
      const file = path.join(place, block.file ?? `block_${block.line}.ts`)
      // Empty lines before the code give it the line numbers of the page.
      write(file, "\n".repeat(block.line - 1) + block.code)
      return { ...block, page, path: file }
    })
  })
}

/** Compiles the code blocks of the pages (paths relative to `root`) with the options of `root/tsconfig.json`. */
export const check = (root: string, pages: ReadonlyArray<string> = pagesOf(root)): Report => {
  // Inside the folder of tests, so that a block finds the packages of the project and those of the tests.
  fs.mkdirSync(path.join(root, "test"), { recursive: true })
  const temp = fs.mkdtempSync(path.join(root, "test/.docs-check-"))
  try {
    const origin = new Map(writeBlocks(root, pages, temp).map((written) => [written.path, written.page]))
    const program = ts.createProgram([...origin.keys()], optionsOf(root))
    const errors = [
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...[...origin.keys()].flatMap((file) => {
        const source = program.getSourceFile(file)
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
      })
    ].filter(({ category }) => category <= ts.DiagnosticCategory.Error).map(({ file, messageText, start }) => {
      const message = ts.flattenDiagnosticMessageText(messageText, "\n")
      if (file === undefined) return message
      const { character, line } = file.getLineAndCharacterOfPosition(start ?? 0)
      return `${origin.get(path.normalize(file.fileName))}:${line + 1}:${character + 1}  ${message}`
    })
    return { pages: pages.length, blocks: origin.size, errors }
  } finally {
    fs.rmSync(temp, { recursive: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { blocks, errors, pages } = check(process.cwd())
  for (const error of errors) console.error(error)
  console.log(`docs: ${pages} pages, ${blocks} code blocks, ${errors.length} errors`)
  process.exitCode = errors.length > 0 ? 1 : 0
}
