import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { attempt } from "../CommandFailure.js"
import * as Package from "../Package.js"
import * as Screen from "../Screen.js"

/** The template in TypeScript. The YAML template adds files to it, replaces some, and has no `agent.ts`. */
const template = path.join(Package.root, "templates/desk")
const inYaml = path.join(Package.root, "templates/desk-yaml")

/** The packages that a project imports, and those that its tools need, in the versions tested with this version. */
const needs = {
  dependencies: [
    "@effect/ai",
    "@effect/experimental",
    "@effect/platform",
    "@effect/platform-node",
    "@effect/rpc",
    "chrono-node",
    "compromise",
    "effect"
  ],
  devDependencies: ["@types/node", "tsx", "typescript"],
  yaml: ["@marcbachmann/cel-js", "yaml"]
} as const

const { devDependencies, peerDependencies } = Package.manifest

const versions = (names: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, peerDependencies[name] ?? devDependencies[name] ?? "*"]))

const manifestOf = (folder: string, yaml: boolean): object => ({
  name: nameOf(folder),
  version: "0.0.0",
  private: true,
  type: "module",
  scripts: {
    start: yaml ? "coxswain serve --watch" : "coxswain serve",
    chat: "coxswain chat",
    check: "tsc && coxswain check",
    evaluate: "coxswain eval",
    test: "npm run check && tsx --test test/*.test.ts && npm run evaluate"
  },
  dependencies: {
    [Package.manifest.name]: Package.dependencyFrom(folder),
    ...versions([...needs.dependencies, ...(yaml ? needs.yaml : [])])
  },
  devDependencies: versions(needs.devDependencies)
})

/** Returns a package name that npm allows, made from the folder's name. */
const nameOf = (folder: string): string => {
  const words = path.basename(folder).toLowerCase().split(/[^a-z0-9._]/).filter((word) => word !== "")
  return words.join("-").replace(/^[._-]+/, "") || "agent"
}

/**
 * Returns the name of a template's file in the new project: `gitignore` becomes `.gitignore`, which npm does not pack.
 */
const renamed = (name: string): string => name === "gitignore" ? ".gitignore" : name

const copy = (from: string, to: string, without: ReadonlyArray<string> = []): void => {
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    if (without.includes(entry.name)) continue
    const [source, target] = [path.join(from, entry.name), path.join(to, renamed(entry.name))]
    if (entry.isDirectory()) {
      fs.mkdirSync(target, { recursive: true })
      copy(source, target, without)
    } else fs.copyFileSync(source, target, fs.constants.COPYFILE_EXCL)
  }
}

const isFree = (folder: string): boolean => !fs.existsSync(folder) || fs.readdirSync(folder).length === 0

const options = {
  folder: Args.text({ name: "folder" }).pipe(Args.withDescription("the folder to make, for example desk")),
  yaml: Options.boolean("yaml").pipe(
    Options.withDescription("flows, fields and texts in agent.yaml instead of agent.ts")
  )
}

type Arguments = Command.Command.ParseConfig<typeof options>

const run = ({ folder: given, yaml }: Arguments) =>
  Effect.gen(function*() {
    const folder = path.resolve(given)
    yield* attempt(`no project can be begun in ${given}`, "Name a folder that is empty or does not exist yet", () => {
      if (!isFree(folder)) throw new Error("there are files in it")
      fs.mkdirSync(folder, { recursive: true })
      copy(template, folder, yaml ? ["agent.ts", "README.md", "desk.test.ts"] : [])
      if (yaml) copy(inYaml, folder)
      fs.writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifestOf(folder, yaml), undefined, 2)}\n`)
    })
    yield* Screen.line([
      `${given} holds an agent that books tables, its test, and conversations it must get right.`,
      "",
      `  cd ${given}`,
      "  npm install",
      "  npm test                 check the definition, run the test, play the conversations",
      "  npx coxswain chat        talk with it",
      yaml
        ? "  npx coxswain serve --watch  the same over HTTP; a changed agent.yaml is taken at once"
        : "  npx coxswain serve       the same over HTTP",
      "",
      "It answers offline, by rules: README.md says how a language model answers instead."
    ].join("\n"))
  })

export const create = Command.make("new", options, run)
