/**
 * Keeps the shape of `src/`: which folder may import which, where Node and vendor packages may appear, no
 * circles, no long files, no vague names, few casts; and that what is published is what the sources call themselves. `check` is pure over a tree on disk, so the tests run it on fixtures.
 */
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import ts from "typescript"
import * as Docstrings from "./docstrings.js"
import { type Import, importsOf } from "./imports.js"
import * as Rooms from "./rooms.js"

/** A folder may import itself and those to its left. */
const folders = ["domain", "services", "pipeline", "layers", "testing", "cli"]

const rooms: Readonly<Record<string, ReadonlyArray<string>>> = Rooms.rooms

/** Files in a room; a room within it counts as one. Phases and features stand in a row, and may be more. */
const maxFiles = 12
const anySize = ["pipeline/phases", "pipeline/features"]

/** The public modules: the entry point, the checker, and what an application's tests import. */
const entries = ["index.ts", "check.ts", "testing.ts"]

const core = ["effect", "@effect/ai", "@noble/hashes"]
const layerCore = [...core, "@effect/platform", "@effect/experimental", "@effect/sql"]

/** The page runs in a browser: it imports itself, `domain`, and the types of the API, and nothing imports it. */
const page = "page"
const pageImports = ["page/", "domain/", "layers/server/", "layers/GraphLayout"]

/** The folders that may import Node and vendor packages. */
const outermost = ["layers", "testing", "cli"]

/** A vendor package, and the beginnings of the files in `src/` that may import it. */
const drivers: Record<string, ReadonlyArray<string>> = {
  "@marcbachmann/cel-js": ["pipeline/document/Cel", "pipeline/document/Document"],
  "yaml": ["layers/document/", "cli/rasa/Project"],
  "@agentclientprotocol/sdk": ["layers/delegates/Acp"],
  "@dagrejs/dagre": ["layers/GraphLayout"],
  "@preact/signals": ["page/"],
  "preact": ["page/"],
  "@secretlint/core": ["layers/guardrails/Secrets"],
  "@secretlint/secretlint-rule-preset-recommend": ["layers/guardrails/Secrets"],
  "aws4fetch": ["layers/blobs/S3"],
  "card-validator": ["layers/guardrails/Cards"],
  "minisearch": ["layers/Shortlist"],
  "multipasta": ["layers/server/files/formParts"],
  "tinyld": ["layers/guardrails/Language"],
  "@ai-sdk/react": ["layers/react/"],
  "ai": ["layers/react/", "layers/server/clients/AiSdk"],
  "react": ["layers/react/"],
  "compromise": ["layers/offline"],
  "chrono-node": ["layers/offline"],
  "@effect/ai-openai": ["layers/models/OpenAi", "cli/"],
  "@effect/cluster": ["layers/cluster", "layers/node/NodeCluster"],
  "@effect/cli": ["cli/"],
  "@effect/platform-node": ["layers/node", "cli/"],
  "@effect/rpc": ["layers/cluster", "layers/node/NodeCluster"],
  "@effect/sql-mysql2": ["layers/stores/MySql"],
  "@effect/sql-pg": ["layers/stores/Postgres"],
  "@effect/sql-sqlite-node": ["layers/stores/Sqlite"],
  "@effect/opentelemetry": ["layers/OpenTelemetry"],
  "@opentelemetry/semantic-conventions": ["layers/OpenTelemetry"],
  "@modelcontextprotocol/client": ["layers/mcp/"],
  "@modelcontextprotocol/server": ["layers/mcp/"],
  "re2js": ["layers/schemas/ForeignPattern"],
  "ioredis": ["layers/stores/Redis"],
  "@effect/vitest": ["layers/conformance/"],
  "@effect/workflow": ["layers/jobs/Workflow"],
  "vitest": ["layers/conformance/"]
}

const maxModule = 400
/** A file of components of the page. */
const maxComponent = 150
/** Of a thousand lines. A folder of examples has too few lines to count. */
const maxCasts = 3
const vagueName = /manager|engine|helper|utils?\b|unified/i

export interface Violation {
  readonly file: string
  readonly line: number
  readonly what: string
  readonly why: string
  readonly fix: string
}

export interface Report {
  readonly files: number
  readonly imports: number
  readonly violations: ReadonlyArray<Violation>
  /** What may be better in another way, and fails nothing. */
  readonly advice: ReadonlyArray<Violation>
}

interface Module {
  /** Relative to `src`, with forward slashes. */
  readonly name: string
  readonly lines: number
  readonly imports: ReadonlyArray<Import>
  readonly casts: number
  readonly text: string
}

/** `as` with a type; `as const` claims nothing that the compiler does not check. */
const castsIn = (source: ts.SourceFile): number => {
  let casts = 0
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) casts++
    ts.forEachChild(node, visit)
  }
  visit(source)
  return casts
}

const read = (src: string, name: string): Module => {
  const text = fs.readFileSync(path.join(src, name), "utf8")
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest)
  return {
    name,
    text,
    lines: text.replace(/\n$/, "").split("\n").length,
    imports: importsOf(source),
    casts: castsIn(source)
  }
}

const folderOf = (name: string) => name.includes("/") ? name.slice(0, name.indexOf("/")) : undefined

const roomOf = (name: string) => name.split("/").slice(0, -1)[1]

const packageOf = (specifier: string) => specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

/** The module of `src` a relative import means; `undefined` when it leaves `src`. */
const target = (from: string, specifier: string): string | undefined => {
  const to = path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, ".ts")
  return to.startsWith("..") ? undefined : to
}

type Finding = readonly [what: string, why: string, fix: string]

const ofPage = (from: string, to: string): Finding | undefined => {
  if (folderOf(from) !== page) {
    return folderOf(to) === page
      ? [`imports ${to}`, "the page runs in a browser", "move what both need into domain"]
      : undefined
  }
  return pageImports.some((begin) => to.startsWith(begin))
    ? undefined
    : [`imports ${to}`, "the page is a client of the API", "ask the server for it, or move what is pure into domain"]
}

const direction = (from: string, to: string | undefined): Finding | undefined => {
  if (to !== undefined && [from, to].some((name) => folderOf(name) === page)) return ofPage(from, to)
  if (to === undefined) {
    return ["imports a file outside src", "the published package holds only src", "move the file into src"]
  }
  const above = folderOf(from)
  const below = folderOf(to)
  if (from === "index.ts") {
    return outermost.includes(below ?? "")
      ? [`imports ${to}`, "users of the core must not need a layer's dependencies", "export it as coxswain/layers/*"]
      : undefined
  }
  if (above === undefined) return undefined
  if (below === undefined || folders.indexOf(below) > folders.indexOf(above)) {
    return [
      `${above} imports ${to}`,
      `imports go one way: ${folders.join(" <- ")}`,
      `move what is needed into ${above} or below, or let it arrive as a service`
    ]
  }
  return above === below ? order(above, from, to) : undefined
}

const order = (folder: string, from: string, to: string): Finding | undefined => {
  const here = rooms[folder]
  const [above, below] = [roomOf(from), roomOf(to)]
  if (here === undefined || above === undefined || below === undefined) return undefined
  return here.indexOf(below) <= here.indexOf(above) ? undefined : [
    `${folder}/${above} imports ${folder}/${below}`,
    `rooms of ${folder} are imported one way: ${here.join(" <- ")}`,
    `move what is needed into ${above} or a room before it`
  ]
}

const packages = (from: string, specifier: string): Finding | undefined => {
  const name = packageOf(specifier)
  const outer = outermost.includes(folderOf(from) ?? "") || from === "testing.ts"
  if (isBuiltin(specifier)) {
    return outer ? undefined : [
      `imports the Node built-in ${specifier}`,
      "the core runs wherever JavaScript runs",
      "put it behind a service and implement that in src/layers"
    ]
  }
  if ((outer ? layerCore : core).includes(name)) return undefined
  const homes = drivers[name]
  if (homes?.some((home) => from.startsWith(home))) return undefined
  if (homes !== undefined) {
    return [
      `imports ${name}`,
      "only the layer named after a package may need it installed",
      `import it in src/${homes.join("* or src/")}* only, behind a service`
    ]
  }
  return outer
    ? [
      `imports ${name}`,
      "a layer's packages are listed, so that nobody installs one by surprise",
      "add it to `drivers` in scripts/arch.ts, and to the optional peer dependencies"
    ]
    : [
      `imports ${name}`,
      `the core depends on ${core.join(", ")} alone`,
      "put it behind a service and implement that in src/layers"
    ]
}

const placement = (module: Module): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  const add = (line: number, [what, why, fix]: Finding) =>
    violations.push({ file: `src/${module.name}`, line, what, why, fix })
  const folder = folderOf(module.name)
  if (folder === undefined ? !entries.includes(module.name) : ![...folders, page].includes(folder)) {
    add(1, ["has no place in src", "every module has a layer", `move it into one of ${folders.join(", ")}`])
  }
  if (vagueName.test(module.name)) {
    add(1, ["has a vague name", "such a name attracts unrelated code", "name it after the one noun it holds"])
  }
  return violations
}

/** Advice about a long file: it may hold two ideas, and splitting one idea into two files makes it harder to read. */
const long = (module: Module): ReadonlyArray<Violation> => {
  const maxLines = module.name.endsWith(".tsx") ? maxComponent : maxModule
  return module.lines <= maxLines ? [] : [{
    file: `src/${module.name}`,
    line: maxLines + 1,
    what: `has ${module.lines} lines`,
    why: "a file this long may hold more than one idea",
    fix: "if so, split it by noun"
  }]
}

/** Rooms that are not listed, and rooms with too many files. */
const sizes = (modules: ReadonlyArray<Module>): ReadonlyArray<Violation> => {
  const held = new Map<string, Set<string>>()
  for (const { name } of modules) {
    const parts = name.split("/")
    for (let depth = 2; depth < parts.length && parts[0]! in rooms; depth++) {
      const room = parts.slice(0, depth).join("/")
      held.set(room, (held.get(room) ?? new Set()).add(parts[depth]!))
    }
  }
  return [...held].flatMap(([room, files]) => {
    const [folder = "", name = "", ...within] = room.split("/")
    const file = `src/${room}`
    if (within.length === 0 && !rooms[folder]!.includes(name)) {
      return [{
        file,
        line: 1,
        what: `is no room of ${folder}`,
        why: "the order of the rooms says which may import which",
        fix: "list it in scripts/rooms.ts"
      }]
    }
    return files.size <= maxFiles || anySize.includes(room) ? [] : [{
      file,
      line: 1,
      what: `holds ${files.size} files`,
      why: `with more than ${maxFiles} a reader does not find the one to begin with`,
      fix: "group those that belong together in a room of their own"
    }]
  })
}

/** Casts are where the compiler is told instead of asked: they stay rare over all. */
const cast = (modules: ReadonlyArray<Module>): ReadonlyArray<Violation> => {
  const lines = modules.reduce((sum, module) => sum + module.lines, 0)
  const casts = modules.reduce((sum, module) => sum + module.casts, 0)
  const [worst] = modules.toSorted((one, other) => other.casts - one.casts)
  return worst === undefined || lines < 1_000 || casts / lines <= maxCasts / 1_000 ? [] : [{
    file: `src/${worst.name}`,
    line: 1,
    what: `src has ${casts} casts in ${lines} lines, most of them here`,
    why: `more than ${maxCasts} in a thousand lines hide what the compiler would find`,
    fix: "decode, guard or annotate instead"
  }]
}

/** One violation per import that closes a circle; an import of types alone counts too. */
const circles = (modules: ReadonlyMap<string, Module>): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  const done = new Set<string>()
  const visit = (module: Module, trail: ReadonlyArray<string>): void => {
    const here = [...trail, module.name]
    for (const { line, specifier } of module.imports) {
      const to = specifier.startsWith(".") ? target(module.name, specifier) : undefined
      const next = to === undefined ? undefined : modules.get(to) ?? modules.get(`${to}x`)
      if (next === undefined || done.has(next.name)) continue
      if (!here.includes(next.name)) {
        visit(next, here)
        continue
      }
      violations.push({
        file: `src/${module.name}`,
        line,
        what: `closes a circle: ${[...here.slice(here.indexOf(next.name)), next.name].join(" -> ")}`,
        why: "neither module can be read, or changed, without the other",
        fix: "move what both need into a third module"
      })
    }
    done.add(module.name)
  }
  for (const module of modules.values()) if (!done.has(module.name)) visit(module, [])
  return violations
}

const json = (file: string) => JSON.parse(fs.readFileSync(file, "utf8"))

/** `exports` of `package.json` and `paths` of `tsconfig.json` name the same modules, and those exist. */
const published = (root: string): ReadonlyArray<Violation> => {
  const [manifest, config] = ["package.json", "tsconfig.json"].map((name) => path.join(root, name))
  if (!fs.existsSync(manifest!) || !fs.existsSync(config!)) return []
  const { exports, name } = json(manifest!)
  const paths: Record<string, ReadonlyArray<string>> = json(config!).compilerOptions.paths
  const expected = Object.fromEntries(
    Object.entries(paths).filter(([subpath]) => !subpath.includes("*")).map(([subpath, [source = ""]]) => {
      const emitted = source.replace("./src/", "./dist/").replace(/\.ts$/, "")
      return [subpath.replace(name, "."), {
        types: `${emitted}.d.ts`,
        import: `${emitted}.js`,
        default: `${emitted}.js`
      }]
    })
  )
  const violation = (what: string): Violation => ({
    file: "package.json",
    line: 1,
    what,
    why: "`exports` in package.json and `paths` in tsconfig.json must name the same modules",
    fix: "write the module into both"
  })
  const actual = Object.keys(exports).filter((subpath) => !subpath.endsWith(".json"))
  return [
    ...actual.filter((subpath) => !(subpath in expected)).map((subpath) => violation(`exports ${subpath} alone`)),
    ...Object.entries(expected).flatMap(([subpath, conditions]) =>
      JSON.stringify(exports[subpath]) === JSON.stringify(conditions)
        ? []
        : [violation(`does not export ${subpath} as ${JSON.stringify(conditions)}`)]
    ),
    ...Object.values(paths).flat().filter((source) => !source.includes("*") && !fs.existsSync(path.join(root, source)))
      .map((source) => violation(`publishes ${source}, which does not exist`))
  ]
}

const docstrings = (modules: ReadonlyArray<Module>): ReadonlyArray<Violation> =>
  Docstrings.check(new Map(modules.map(({ name, text }) => [`src/${name}`, text]))).map((finding) => ({
    ...finding,
    why: "subject, verb, object: a reader takes it in at once",
    fix: "say what it does or holds"
  }))

const maxReadme = 25

/** Each room says what it is for, in a few lines. */
const readmes = (src: string): ReadonlyArray<Violation> =>
  Object.entries(rooms).flatMap(([folder, names]) =>
    names.filter((name) => fs.existsSync(path.join(src, folder, name))).flatMap((name) => {
      const file = path.join(src, folder, name, "README.md")
      const lines = fs.existsSync(file) ? fs.readFileSync(file, "utf8").trimEnd().split("\n").length : 0
      return lines > 0 && lines <= maxReadme ? [] : [{
        file: `src/${folder}/${name}/README.md`,
        line: 1,
        what: lines === 0 ? "does not exist" : `has ${lines} lines`,
        why: "a reader of a room begins with it",
        fix: `say in at most ${maxReadme} lines what the room is for, its entry points, which file to read first`
      }]
    })
  )

/** Checks `root/src`, and that `root/package.json` publishes it. */
export const check = (root: string): Report => {
  const src = path.join(root, "src")
  const names = fs.existsSync(src)
    ? fs.readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => /\.[cm]?tsx?$/.test(name)).sort()
    : []
  const modules = new Map(names.map((file) => {
    const name = file.split(path.sep).join("/")
    return [name, read(src, name)]
  }))
  const all = [...modules.values()]
  const violations = all.flatMap((module) => [
    ...placement(module),
    ...module.imports.flatMap(({ line, specifier }) => {
      const found = specifier.startsWith(".")
        ? direction(module.name, target(module.name, specifier))
        : packages(module.name, specifier)
      return found ? [{ file: `src/${module.name}`, line, what: found[0], why: found[1], fix: found[2] }] : []
    })
  ])
  return {
    files: all.length,
    imports: all.reduce((sum, module) => sum + module.imports.length, 0),
    advice: all.flatMap(long),
    violations: [
      ...violations,
      ...sizes(all),
      ...readmes(src),
      ...docstrings(all),
      ...cast(all),
      ...circles(modules),
      ...published(root)
    ]
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { advice, files, imports, violations } = check(process.cwd())
  const told = ({ file, fix, line, what, why }: Violation): string => `${file}:${line}  ${what} — ${why} — ${fix}`
  for (const one of advice) console.warn(`advice: ${told(one)}`)
  for (const one of violations) console.error(told(one))
  console.log(`arch: ${files} files, ${imports} imports, ${violations.length} violations`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
