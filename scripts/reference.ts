/**
 * Writes `docs/reference/` from the types and docstrings of what the package publishes. The pages are part of the package
 * and not of the repository.
 */
import * as Duration from "effect/Duration"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { AgentOptions } from "../src/domain/authored/AgentOptions.js"
import { Flow } from "../src/domain/authored/Flow.js"
import { Instruction } from "../src/domain/authored/Instruction.js"
import { Signal } from "../src/domain/authored/Signal.js"
import { Step } from "../src/domain/authored/Step.js"
import { Tool } from "../src/domain/authored/Tool.js"
import * as Limits from "../src/domain/base/error/Limits.js"
import * as OptionForm from "../src/domain/code/OptionForm.js"
import * as Compaction from "../src/domain/language/Compaction.js"
import type { Entry, Field, Module } from "./reference/surface.js"
import { read } from "./reference/surface.js"

interface Primitive {
  readonly page: string
  readonly title: string
  /** `Module.Name` whose fields the page begins with. */
  readonly main: string
  /** The modules whose other exports the page lists. */
  readonly modules: ReadonlyArray<string>
  readonly guides: ReadonlyArray<readonly [string, string]>
  /** The consequence of a mistake in it. */
  readonly errors: ReadonlyArray<string>
}

const flows = ["Flows and steps", "flows.md"] as const
const directives = ["Directives", "directives.md"] as const

const primitives: ReadonlyArray<Primitive> = [
  {
    ...{ page: "agent", title: "Agent", main: "AgentOptions.AgentOptions", modules: ["AgentOptions", "Agent"] },
    guides: [["In an application", "applications.md"], flows, ["Limits", "security.md#how-much-and-how-long"]],
    errors: ["FlowConfigurationError", "ToolCreationError", "TurnError"]
  },
  {
    ...{ page: "flow", title: "Flow", main: "Flow.Flow", modules: ["Flow"] },
    guides: [flows, ["Recipes", "recipes/README.md"]],
    errors: ["FlowConfigurationError"]
  },
  {
    ...{ page: "step", title: "Step", main: "Step.Step", modules: ["Step"] },
    guides: [flows, ["Recipes", "recipes/README.md"]],
    errors: ["FlowConfigurationError"]
  },
  {
    ...{ page: "tool", title: "Tool", main: "Tool.ToolOptions", modules: ["Tool"] },
    guides: [["Tools", "tools.md"], ["Approvals", "approvals.md"]],
    errors: ["ToolCreationError", "ToolExecutionError"]
  },
  {
    ...{ page: "instruction", title: "Instruction", main: "Instruction.Instruction", modules: ["Instruction"] },
    guides: [["Prompts", "prompts.md"]],
    errors: ["FlowConfigurationError"]
  },
  {
    ...{ page: "directive", title: "Directive", main: "Directive.Directive", modules: ["Directive"] },
    guides: [directives],
    errors: ["FlowConfigurationError", "DataValidationError"]
  },
  {
    ...{ page: "pre-directive", title: "PreDirective", main: "Directive.PreDirective", modules: [] },
    guides: [directives, ["Signals", "signals.md"]],
    errors: ["FlowConfigurationError", "DataValidationError"]
  },
  {
    ...{ page: "signal", title: "Signal", main: "Signal.SignalOptions", modules: ["Signal"] },
    guides: [["Signals", "signals.md"]],
    errors: ["FlowConfigurationError"]
  }
]

/** The values that apply where nothing is given, by the interface they are of. */
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "AgentOptions.AgentOptions": OptionForm.defaultsOf(AgentOptions),
  "AgentOptions.HandOff": OptionForm.defaultsOf(AgentOptions.fields.handOff.from),
  "AgentOptions.Timeouts": OptionForm.defaultsOf(AgentOptions.fields.timeouts.from),
  "AgentOptions.Understanding": OptionForm.defaultsOf(AgentOptions.fields.understanding.from),
  "Flow.Flow": OptionForm.defaultsOf(Flow),
  "Step.Step": OptionForm.defaultsOf(Step),
  "Tool.ToolOptions": OptionForm.defaultsOf(Tool),
  "Instruction.Instruction": OptionForm.defaultsOf(Instruction),
  "Signal.SignalOptions": OptionForm.defaultsOf(Signal),
  "Limits.Limits": { ...Limits.defaults },
  "Compaction.Settings": { ...Compaction.resolve({ maxTokens: 1 }) }
}

const shown = (value: unknown): string => {
  if (typeof value === "number") return value.toLocaleString("en-US")
  if (Array.isArray(value) || (typeof value === "object" && Object.keys(value ?? {}).length === 0)) return "none"
  return typeof value === "string" && !/^\d/.test(value)
    ? `\`"${value}"\``
    : typeof value === "boolean"
    ? `\`${value}\``
    : String(value)
}

const isSame = (a: string, b: string): boolean => {
  const plain = (text: string) => text.replaceAll(/[`",]/g, "")
  const millis = (text: string) => Duration.toMillis(Duration.decode(text as Duration.DurationInput))
  if (plain(a) === plain(b)) return true
  const times = [a, b].map((text) => /^(\d+) ?(s|seconds?|min|minutes?)$/.exec(plain(text)))
  return times.every((one) => one !== null) &&
    new Set(times.map((one) => millis(`${one![1]} ${one![2]!.startsWith("s") ? "seconds" : "minutes"}`))).size === 1
}

/** The default of a field: of the table of defaults, with which the docstring must agree, or what the docstring says. */
const defaultOf = (owner: string, { default: said, name }: Field): string => {
  const value = owner === "Compaction.Settings" && name === "maxTokens" ? undefined : defaults[owner]?.[name]
  if (value === undefined) return said ?? ""
  if (said !== undefined && !isSame(said, shown(value)) && !(said === "none" && shown(value) === "none")) {
    throw new Error(`${owner}.${name}: the docstring says the default is ${said}, the code says ${shown(value)}`)
  }
  return shown(value)
}

const cell = (text: string): string => text.replaceAll("\n", " ").replaceAll("|", "\\|")

const list = (names: ReadonlyArray<string>): string =>
  names.map((name) => name.length === 1 ? `what the agent's own code fails with (\`${name}\`)` : `\`${name}\``).join(
    ", "
  )

const failing = ({ fails }: Pick<Field, "fails">): string => fails.length === 0 ? "" : `Fails with ${list(fails)}.`

const row = (owner: string, field: Field): string => {
  const meaning = [field.doc, failing(field)].filter((part) => part !== "").join(" ")
  const type = field.type.length > 0 ? `\`${field.type.replace(/ \| undefined$/, "")}\`` : ""
  const name = `\`${field.name}${field.isOptional ? "?" : ""}\``
  return `| ${name} | ${cell(type)} | ${cell(defaultOf(owner, field))} | ${cell(meaning)} |`
}

const table = (owner: string, fields: ReadonlyArray<Field>): string =>
  ["| field | type | default | meaning |", "|---|---|---|---|", ...fields.map((field) => row(owner, field))].join("\n")

const example = (text: string): string =>
  text.trim().startsWith("```") ? text.trim() : `\`\`\`ts\n${text.trim()}\n\`\`\``

/** The parts of one name: an interface and the Schema of the same name are told together. */
const entry = (module: Module, parts: ReadonlyArray<Entry>, heading: string): string => {
  const shape = parts.find(({ fields }) => fields.length > 0)
  const doc = parts.map(({ doc }) => doc).filter((doc) => doc !== "")
  const type = parts.find(({ signature }) => signature?.startsWith("type ") === true)?.signature
  const isBoth = (shape ?? type) !== undefined &&
    parts.some(({ signature }) => signature?.includes(": Schema.") === true)
  const signatures = isBoth ? [type] : parts.map(({ signature }) => signature)
  const written = signatures.filter((text) => text !== undefined)
  return [
    heading,
    ...doc,
    ...(shape === undefined ? [] : [table(`${module.name}.${shape.name}`, shape.fields)]),
    ...(written.length === 0 ? [] : [`\`\`\`ts no-check\n${written.join("\n")}\n\`\`\``]),
    ...(isBoth ? ["There is a Schema of the same name."] : []),
    ...parts.map(failing).filter((text) => text !== ""),
    ...parts.flatMap(({ examples }) => examples).map(example)
  ].join("\n\n")
}

const byName = (entries: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<Entry>> => {
  const groups = new Map<string, Array<Entry>>()
  for (const one of entries) groups.set(one.name, [...(groups.get(one.name) ?? []), one])
  return [...groups.values()]
}

/** True for what has fields to list; such types follow the functions and layers that take and give them. */
const isShape = (parts: ReadonlyArray<Entry>): boolean =>
  parts.some(({ fields, signature }) => fields.length > 0 || signature?.includes(": Schema.") === true)

const sections = (module: Module, leave: ReadonlySet<string>, level: string): ReadonlyArray<string> => {
  const groups = byName(module.entries.filter(({ name }) => !leave.has(name) && !name.endsWith("TypeId")))
  return [...groups.filter((parts) => !isShape(parts)), ...groups.filter(isShape)].map((parts) =>
    entry(module, parts, `${level} ${parts[0]!.name}`)
  )
}

const header = (what: string): string => `<!-- Written by npm run reference from the sources. -->\n\n# ${what}`

const importOf = (module: Module): string => {
  const last = module.name.split("/").at(-1)!
  if (module.subpath === "coxswain" || module.subpath === "coxswain/testing") {
    return `\`import { ${last} } from "${module.subpath}"\``
  }
  const name = last.split("-").map((part) => part[0]!.toUpperCase() + part.slice(1)).join("")
  return `\`import * as ${name} from "${module.subpath}"\``
}

const modulePage = (module: Module, up: string): string =>
  [
    header(module.name.split("/").at(-1)!),
    importOf(module),
    module.doc,
    ...sections(module, new Set(), "##"),
    `Back to [the reference](${up}README.md).`
  ].filter((part) => part !== "").join("\n\n") + "\n"

const find = (modules: ReadonlyArray<Module>, name: string): Module => {
  const found = modules.find((module) => module.name === name)
  if (found === undefined) throw new Error(`no module ${name} is published`)
  return found
}

const errorLine = (modules: ReadonlyArray<Module>, tag: string): string => {
  const found = find(modules, "Errors").entries.find(({ doc, name }) => name === tag && doc !== "")
  if (found === undefined) throw new Error(`there is no error ${tag}`)
  return `- [\`${tag}\`](errors.md): ${found.doc}`
}

const primitivePage = (modules: ReadonlyArray<Module>, primitive: Primitive): string => {
  const [moduleName = "", name = ""] = primitive.main.split(".")
  const module = find(modules, moduleName)
  const main = module.entries.find((one) => one.name === name && one.fields.length > 0)
  if (main === undefined) throw new Error(`${primitive.main} has no fields`)
  const others = primitive.modules.map((one) => find(modules, one))
  const rest = others.flatMap((one) => sections(one, one === module ? new Set([name]) : new Set(), "###"))
  return [
    header(primitive.title),
    module.doc,
    `Guide: ${primitive.guides.map(([title, page]) => `[${title}](../${page})`).join(", ")}.`,
    "## Fields",
    main.doc,
    table(primitive.main, main.fields),
    "## Errors",
    "What a mistake here, or what it does at run time, ends in:",
    primitive.errors.map((tag) => errorLine(modules, tag)).join("\n"),
    ...(rest.length === 0 ? [] : ["## More", ...rest]),
    "Back to [the reference](README.md)."
  ].filter((part) => part !== "").join("\n\n") + "\n"
}

const kebab = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, "$1-$2").toLowerCase()

const firstSentence = (doc: string): string =>
  /^([\s\S]*?[.:])(\s|$)/.exec(doc)?.[1]?.replace(/:$/, ".").replaceAll("\n", " ") ?? ""

/** The place of a module in the index, by the folder of its source. */
const groups: ReadonlyArray<readonly [string, RegExp]> = [
  ["Values and definitions", /^domain\//],
  ["What runs them", /^pipeline\//],
  ["Services", /^services\//],
  ["Layers: models", /^layers\/(models|offline)\//],
  ["Layers: stores", /^layers\/stores\//],
  ["Layers: others", /^layers\/(?!conformance)/],
  ["Testing", /^(testing|layers\/conformance)/],
  ["More", /^/]
]

/** Each page by its path in `docs/reference/`. */
export const pages = (modules: ReadonlyArray<Module>): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const lines = new Map<string, Array<string>>(groups.map(([title]) => [title, []]))
  for (const primitive of primitives) found.set(`${primitive.page}.md`, primitivePage(modules, primitive))
  const taken = new Set(primitives.flatMap(({ modules }) => modules))
  for (const module of modules.filter(({ name }) => !taken.has(name))) {
    const page = `${module.name.split("/").map(kebab).join("/")}.md`
    found.set(page, modulePage(module, "../".repeat(module.name.split("/").length - 1)))
    const [title] = groups.find(([, folder]) => folder.test(module.file))!
    const name = module.name.startsWith("layers/") ? module.subpath : module.name.split("/").at(-1)!
    lines.get(title)!.push(`- [${name}](${page}): ${firstSentence(module.doc)}`)
  }
  const index = [
    header("Reference"),
    "Every field, its type, its default, what it means and what it fails with. These pages are written from the types and " +
    "docstrings of the sources. A name with `?` may be left out.",
    "## Primitives",
    primitives.map(({ page, title, main }) => {
      const [module = "", name = ""] = main.split(".")
      const doc = find(modules, module).entries.find((one) => one.name === name && one.doc !== "")?.doc ?? ""
      return `- [${title}](${page}.md): ${firstSentence(doc)}`
    }).join("\n"),
    ...[...lines].filter(([, all]) => all.length > 0).map(([title, all]) => `## ${title}\n\n${all.sort().join("\n")}`),
    "Back to [the documentation](../README.md)."
  ].join("\n\n") + "\n"
  return new Map([["README.md", index], ...found])
}

/** Published names without a docstring: fields of the primitives, and options of layers. */
export const unexplained = (modules: ReadonlyArray<Module>): ReadonlyArray<string> => {
  const mains = new Set(primitives.map(({ main }) => main))
  return modules.flatMap((module) =>
    module.entries.flatMap((one) =>
      mains.has(`${module.name}.${one.name}`) || /(Options|Hooks|Context)$/.test(one.name)
        ? one.fields.filter(({ default: value, doc }) => doc === "" && value === undefined)
          .map(({ name }) => `${module.name}.${one.name}.${name}`)
        : []
    )
  )
}

const folder = "docs/reference"

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = fileURLToPath(new URL("..", import.meta.url))
  const all = pages(read(root))
  fs.rmSync(path.join(root, folder), { recursive: true, force: true })
  for (const [name, text] of all) {
    const file = path.join(root, folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
  console.log(`reference: ${all.size} pages`)
}
