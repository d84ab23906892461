/** The tarball of `npm pack`, installed in an application. */
import * as esbuild from "esbuild"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { isBuiltin } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { afterAll, describe, expect, it } from "vitest"
import * as limits from "../setup/limits.js"
import { isOffline, packed } from "../support/packed.js"
import { run } from "../support/Program.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = fs.readFileSync(path.join(root, "README.md"), "utf8")
const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""
const promised = /\/\/ (A room .*)$/m.exec(program)?.[1] ?? ""
const [, tarball = "", beside = ""] = /^npm install \.\.\/coxswain\/(\S+) (.*)$/m.exec(readme) ?? []
const packages = beside.split(" ")

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-package-"))
const app = path.join(temp, "app")

const npm = (cwd: string, ...args: ReadonlyArray<string>) => run("npm", args, cwd, limits.long)

const made = await packed(root)
fs.mkdirSync(app)
const installed = await npm(
  app,
  "install",
  "--prefer-offline",
  ...["--no-audit", "--no-fund"],
  made.tarball,
  ...packages
)
const isOut = isOffline(installed)
if (isOut) console.warn("\n*** NOT TESTED: the package in an application: the registry is out of reach ***\n")

const onPath = (command: string): boolean => spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0

/** The answer of a project's server, and its exit code at SIGINT. */
const served = async (project: string, ...args: ReadonlyArray<string>) => {
  const bin = path.join(project, "node_modules/.bin/coxswain")
  const child = spawn(bin, ["serve", "--port", "0", ...args], { cwd: project, timeout: limits.child })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const url = await new Promise<string>((resolve, reject) => {
    let said = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text
        const found = /is at (http:\S+),/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
    }
    void ended.then(() => reject(new Error(`it said only: ${said}`)))
  })
  const response = await fetch(`${url}/sessions/u1/turns`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: "A table for 2 guests on 2027-03-12" })
  })
  const answer: unknown = await response.json()
  child.kill("SIGINT")
  return { answer, code: await ended }
}

/** A program that makes an agent and nothing else, bundled for Node: in one file, or what of several loads first. */
const bundled = async (resolveDir: string, splitting: boolean) => {
  const { metafile, outputFiles } = await esbuild.build({
    stdin: {
      contents: `import { Agent, SessionStore } from "coxswain"
        import * as Effect from "effect/Effect"
        import * as Schema from "effect/Schema"

        const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
        export const answered = Effect.gen(function*() {
          const agent = yield* kit.make({ name: "Trips", flows: [{ title: "Trip", steps: [{ id: "a", collect: ["city"] }] }] })
          return yield* agent.respond({ sessionId: "u1", message: "To Lisbon" })
        }).pipe(Effect.provide(SessionStore.layerMemory))`,
      resolveDir
    },
    ...{ bundle: true, minify: true, write: false, metafile: true, format: "esm", platform: "node", target: "es2022" },
    ...{ absWorkingDir: resolveDir, outdir: resolveDir, splitting, logLevel: "silent" }
  })
  // What is imported dynamically is loaded later, with all that it alone imports.
  const first = new Set<string>()
  const load = (name: string): void => {
    if (first.has(name)) return
    first.add(name)
    for (const { kind, path } of metafile.outputs[name]?.imports ?? []) if (kind === "import-statement") load(path)
  }
  for (const [name, { entryPoint }] of Object.entries(metafile.outputs)) if (entryPoint === "<stdin>") load(name)
  const loaded = outputFiles.filter(({ path: at }) => first.has(path.relative(resolveDir, at)))
  const sizes = loaded.map(({ contents }) => gzipSync(contents).length)
  return { bytes: sizes.reduce((sum, size) => sum + size), text: loaded.map(({ text }) => text).join("") }
}

/** The long texts that only one source of the package's code has, by which a bundle shows what it contains. */
const literals = (dist: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  const sources = new Map<string, number>()
  for (
    const name of fs.readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"))
  ) {
    const text = fs.readFileSync(path.join(dist, name), "utf8")
    // Before the code of each module stands the path of its source.
    for (
      const [, source = "", code = ""] of text.matchAll(/^\/\/ src\/(.+)\n([\s\S]*?)(?=^\/\/ src\/|$(?![\s\S]))/gm)
    ) {
      const own = new Set(Array.from(code.matchAll(/"([\w ,:;.'()-]{25,})"/g), ([, literal = ""]) => literal))
      found.set(source, [...found.get(source) ?? [], ...own])
      for (const literal of own) sources.set(literal, (sources.get(literal) ?? 0) + 1)
    }
  }
  return new Map(Array.from(found, ([source, all]) => [source, all.filter((one) => sources.get(one) === 1)]))
}

afterAll(() => fs.promises.rm(temp, { recursive: true, force: true }), limits.long)

describe("the package", () => {
  it("contains the documented files and nothing else", () => {
    expect(made.status, `${made.stdout}\n${made.stderr}`).toBe(0)
    const names = execFileSync("tar", ["-tzf", made.tarball], { encoding: "utf8" }).trim().split("\n")
      .map((name) => name.replace(/^package\//, ""))
    for (
      const name of [
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "dist/index.js",
        "dist/index.d.ts",
        "docs/reference/agent.md"
      ]
    ) {
      expect(names).toContain(name)
    }
    const tops = new Set(names.map((name) => name.split("/")[0]))
    expect([...tops].sort())
      .toEqual([
        ...["CHANGELOG.md", "LICENSE", "README.md", "dist", "docs", "examples", "llms.txt", "package.json"],
        ...["schema", "templates"]
      ])
    expect(names.filter((name) => name.endsWith(".tsbuildinfo"))).toEqual([])
    expect(names.length).toBeLessThanOrEqual(1_200)
    expect(fs.statSync(made.tarball).size).toBeLessThanOrEqual(3_000_000)
    // Types are one file per module; code is bundled into fewer files, because each file slows every start.
    const [code, types] = [".js", ".d.ts"].map((end) => names.filter((name) => name.endsWith(end)).length)
    expect(code).toBeLessThan(types!)
    const missing = names.filter((name) => name.endsWith(".d.ts")).flatMap((name) =>
      Array.from(
        fs.readFileSync(path.join(root, name), "utf8").matchAll(/(?:from |import\(|declare module )"(\.[^"]*)\.js"/g),
        ([, to = ""]) => path.posix.join(path.posix.dirname(name), `${to}.d.ts`)
      ).filter((to) => !names.includes(to))
    )
    expect(missing).toEqual([])
    for (const [, link = ""] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) expect(names).toContain(link)
  })

  describe.skipIf(isOut)("installed in an application", { concurrent: true }, () => {
    it("installs as the README says, without a warning", () => {
      expect(tarball).toBe(path.basename(made.tarball))
      expect(packages).toContain("tsx")
      expect(installed.status, installed.stderr).toBe(0)
      // npm's warnings about its own configuration or other packages' scripts do not count.
      const warnings = installed.stderr.split("\n").filter((line) =>
        /warn|ERESOLVE/i.test(line) && !/Unknown (user|env|project|global|builtin|cli) config/.test(line) &&
        (!line.includes("install-scripts") || line.includes("coxswain@"))
      )
      expect(warnings).toEqual([])
    })

    fs.writeFileSync(path.join(app, "app.ts"), program)
    for (const [name, ...command] of [["node", "--import", "tsx"], ["bun"], ["deno", "run", "-A"]] as const) {
      const executable = name === "node" ? process.execPath : name
      const isThere = onPath(executable)
      if (!isThere) console.warn(`\n*** NOT TESTED: the package on ${name}: it is not installed ***\n`)
      it.skipIf(!isThere)(`runs the program of the README on ${name}`, async () => {
        const { stderr, stdout } = await run(executable, [...command, "app.ts"], app)
        expect(promised).not.toBe("")
        expect(stdout, stderr).toContain(promised)
      }, limits.long)
    }

    it("has all imports that the tests of an application's agent need", async () => {
      const own = fs.readFileSync(path.join(root, "test/system/fixtures/own-agent.ts"), "utf8")
      const imported = Array.from(own.matchAll(/ from "([^"]+)"/g), ([, name]) => name!)
      expect(imported.filter((name) => !isBuiltin(name))).toEqual([
        "coxswain",
        "coxswain/check",
        "coxswain/graph",
        "coxswain/testing",
        "effect"
      ])
      fs.writeFileSync(path.join(app, "own.test.ts"), own)
      const { status, stderr, stdout } = await run(
        process.execPath,
        ["--import", "tsx", "--test", "--test-reporter", "tap", "own.test.ts"],
        app
      )
      expect(status, `${stdout}\n${stderr}`).toBe(0)
      expect(stdout).toMatch(/^# pass 4$/m)
    }, limits.long)

    it("creates a project that installs, serves and passes its tests without a key", async () => {
      const made = await npm(app, "exec", "--no", "--", "coxswain", "new", "desk")
      expect(made.status, made.stderr).toBe(0)
      const desk = path.join(app, "desk")
      const ready = await npm(desk, "install", "--prefer-offline", "--no-audit", "--no-fund")
      expect(ready.status, ready.stderr).toBe(0)
      const { answer, code } = await served(desk, "--log", "turns.jsonl")
      expect([code, answer]).toEqual([130, expect.objectContaining({ stoppedReason: "needs_input" })])
      const exported = await npm(
        ...[desk, "exec", "--no", "--", "coxswain", "sessions", "export", "u1", "--as", "test"] as const,
        ...["--log", "turns.jsonl", "--output", "test/u1.test.ts"]
      )
      expect(exported.status, exported.stderr).toBe(0)
      const tested = await npm(desk, "test")
      expect(tested.status, `${tested.stdout}\n${tested.stderr}`).toBe(0)
      expect(tested.stdout).toContain("Desk: no findings")
      expect(tested.stdout).toContain("plays session u1 as it was recorded")
      expect(tested.stdout).toMatch(/^all +2\/2/m)
    }, limits.long)

    it("is what `npm create coxswain` calls: create-coxswain makes the same project as `coxswain new`", async () => {
      const packed = await npm(root, "pack", "./packages/create", "--json", "--pack-destination", temp)
      expect(packed.status, packed.stderr).toBe(0)
      const [creator] = fs.readdirSync(temp).filter((name) => name.startsWith("create-coxswain"))
      const empty = path.join(temp, "empty")
      fs.mkdirSync(empty)
      const tarballs = [made.tarball, path.join(temp, creator ?? "")]
      const ready = await npm(empty, "install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs)
      expect(ready.status, ready.stderr).toBe(0)
      for (const [name, ...options] of [["desk"], ["desk-yaml", "--yaml"]] as const) {
        const created = await npm(empty, "exec", "--no", "--", "create-coxswain", name, ...options)
        expect(created.status, created.stderr).toBe(0)
        const own = await npm(empty, "exec", "--no", "--", "coxswain", "new", `own-${name}`, ...options)
        expect(own.status, own.stderr).toBe(0)
        const files = (folder: string) =>
          fs.readdirSync(path.join(empty, folder), { recursive: true, encoding: "utf8" }).sort()
        expect(files(name)).toEqual(files(`own-${name}`))
        expect(files(name)).toContain(name === "desk" ? "agent.ts" : "agent.yaml")
      }
      const refused = await npm(empty, "exec", "--no", "--", "create-coxswain", "desk")
      expect(refused.status).not.toBe(0)
      expect(refused.stderr).toContain("Name a folder that is empty or does not exist yet")
    }, limits.long)

    it("creates a project in YAML that installs and passes its tests", async () => {
      const made = await npm(app, "exec", "--no", "--", "coxswain", "new", "desk-yaml", "--yaml")
      expect(made.status, made.stderr).toBe(0)
      const desk = path.join(app, "desk-yaml")
      const ready = await npm(desk, "install", "--prefer-offline", "--no-audit", "--no-fund")
      expect(ready.status, ready.stderr).toBe(0)
      const tested = await npm(desk, "test")
      expect(tested.status, `${tested.stdout}\n${tested.stderr}`).toBe(0)
      expect(tested.stdout).toContain("Desk: no findings")
      expect(tested.stdout).toMatch(/^all +2\/2/m)
    }, limits.long)

    it.each([
      { skipLibCheck: true, exactOptionalPropertyTypes: true },
      { skipLibCheck: false, exactOptionalPropertyTypes: true },
      { skipLibCheck: false, exactOptionalPropertyTypes: false }
    ])("type-checks an application with %o", async (checks) => {
      const { skipLibCheck } = checks
      const project = path.join(app, `typed-${Object.values(checks).join("-")}`)
      fs.mkdirSync(project)
      fs.writeFileSync(path.join(project, "typed.ts"), program)
      // An empty list of types is not possible on the command line.
      const compilerOptions = {
        noEmit: true,
        strict: true,
        types: [],
        target: "ES2022",
        module: "NodeNext",
        lib: ["ES2023", "DOM"],
        ...checks
      }
      fs.writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["typed.ts"] }))
      const { stdout } = await run(process.execPath, [
        path.join(root, "node_modules/typescript/bin/tsc"),
        ...["--pretty", "false", "-p", project]
      ], app)
      // Continuation lines of a message are indented.
      const found = stdout.split("\n").filter((line) => /error TS\d+/.test(line))
      // Without skipLibCheck the declarations of dependencies are checked too; their errors do not count.
      const ours = found.filter((line) =>
        !line.startsWith("node_modules/") || line.startsWith("node_modules/coxswain/")
      )
      expect(ours).toEqual([])
      if (skipLibCheck) expect(found).toEqual([])
    }, limits.long)

    it.each([
      ["a browser", ["browser"]],
      ["an edge worker", ["workerd", "worker", "browser"]]
    ])("bundles for %s without Node's built-in modules", async (_for, conditions) => {
      const { metafile } = await esbuild.build({
        stdin: { contents: `export * from "coxswain"`, resolveDir: app },
        ...{ bundle: true, write: false, metafile: true, format: "esm", platform: "browser", conditions },
        ...{ absWorkingDir: app, logLevel: "silent" }
      })
      const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path))
      expect(imports.filter((name) => isBuiltin(name))).toEqual([])
      const inputs = Object.keys(metafile.inputs)
      expect(inputs.length).toBeGreaterThan(20)
      expect(inputs.filter((file) => file.includes("@effect/ai-openai"))).toEqual([])
    }, limits.long)

    it("an agent's bundle contains no checker, no graph, no replay and no job runner", async () => {
      const { bytes, text } = await bundled(app, false)
      const inputs = Array.from(literals(path.join(app, "node_modules/coxswain/dist")))
        .filter(([, literals]) => literals.some((literal) => text.includes(literal))).map(([source]) => source)
      expect(inputs).toContain("domain/definition/compile/Compile.ts")
      const apart =
        /^(check|domain\/(check|graph)\/|pipeline\/(features\/(jobs\/(JobRunner|runJob|lease)|timers\/Scheduler)|recording\/[Rr]eplay)|testing|layers|cli)/
      expect(inputs.filter((file) => apart.test(file))).toEqual([])
      expect(bytes).toBeLessThan(324_000)
    }, limits.long)

    it(
      "an agent's bundle begins without the recognition of answers, the search for origins and the check of policies",
      async () => {
        const all = literals(path.join(app, "node_modules/coxswain/dist"))
        const sourcesIn = ({ text }: { readonly text: string }) =>
          Array.from(all).filter(([, literals]) => literals.some((literal) => text.includes(literal)))
            .map(([source]) => source)
        const later = "domain/language/consent/English.ts"
        const words = "it is not so that "
        const whole = await bundled(app, false)
        expect(sourcesIn(whole)).toContain(later)
        expect(whole.text).toContain(words)
        const first = await bundled(app, true)
        expect(sourcesIn(first)).not.toContain(later)
        expect(first.text).not.toContain(words)
        expect(first.bytes).toBeLessThan(266_000)
      },
      limits.long
    )

    it("the modules of a layer use the same tags and classes as the core", async () => {
      fs.writeFileSync(
        path.join(app, "same.mjs"),
        `import { KeyValueStore } from "@effect/platform"
        import { Agent, Errors, SessionStore } from "coxswain"
        import * as Check from "coxswain/check"
        import * as KeyValue from "coxswain/layers/keyvalue"
        import { Effect, Layer, Schema } from "effect"

        const broken = () => Effect.fail(new Error("broken"))
        const files = { get: broken, has: broken, set: broken, remove: broken, clear: broken(), size: broken() }
        const layer = Layer.provide(
          KeyValue.layer(),
          Layer.succeed(KeyValueStore.KeyValueStore, KeyValueStore.makeStringOnly(files))
        )
        const load = Effect.flatMap(SessionStore.SessionStore, (store) => store.load("u1"))
        const error = await Effect.runPromise(Effect.flip(load).pipe(Effect.provide(layer)))
        console.log(error instanceof Errors.SessionStoreError)
        const kit = Agent.define({ data: Schema.Struct({}) })
        console.log(Check.check(kit, { name: "A", flows: [] }).agent)`
      )
      const { stderr, stdout } = await run(process.execPath, ["same.mjs"], app)
      expect(stdout, stderr).toBe("true\nA\n")
    }, limits.long)
  })
})
