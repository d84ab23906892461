/** Errors for a missing optional package, in a program whose `node_modules` has all packages except that one. */
import * as esbuild from "esbuild"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { run } from "../support/Program.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-missing-"))
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>
}

afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

/** Links all packages except the missing ones. */
const link = (from: string, to: string, missing: ReadonlyArray<string>, scope = ""): void => {
  fs.mkdirSync(to, { recursive: true })
  for (const name of fs.readdirSync(from)) {
    const whole = `${scope}${name}`
    if (name.startsWith(".") || missing.includes(whole)) continue
    const inside = missing.some((one) => one.startsWith(`${whole}/`))
    if (inside) link(path.join(from, name), path.join(to, name), missing, `${whole}/`)
    else fs.symlinkSync(path.join(from, name), path.join(to, name))
  }
}

let count = 0

/** The output of a program that bundles our modules and imports packages as an application does. */
const said = async (program: string, ...missing: ReadonlyArray<string>): Promise<string> => {
  const app = path.join(temp, `app${count++}`)
  link(path.join(root, "node_modules"), path.join(app, "node_modules"), missing)
  fs.copyFileSync(path.join(root, "package.json"), path.join(app, "package.json"))
  // The command line looks for its package.json two folders above itself.
  const outfile = path.join(app, "dist/cli/program.mjs")
  await esbuild.build({
    ...{ stdin: { contents: program, resolveDir: path.join(root, "src"), loader: "ts" }, outfile, bundle: true },
    ...{ format: "esm", platform: "node", target: "es2022", packages: "external", logLevel: "silent" }
  })
  const { stderr, stdout } = await run(process.execPath, [outfile], app)
  return stdout + stderr
}

/** A program that builds a layer and prints the error, if any. */
const building = (imports: string, layer: string): string =>
  `import { Effect, Layer, Redacted } from "effect"
   ${imports}
   console.log(String(await Effect.runPromise(Effect.scoped(Layer.build(${layer})).pipe(Effect.as("it works"), Effect.catchAll((error) => Effect.succeed(error))))))`

const openai = building(
  `import { layer } from "./layers/models/OpenAi.js"`,
  `layer({ model: "m", apiKey: Redacted.make("sk-of-nobody-0123456789") })`
)

/** The `npm install` command for a package in a compatible version. */
const command = (name: string): string =>
  `npm install ${name}@${/\^(0\.\d+|\d+)/.exec(manifest.peerDependencies[name]!)![1]}`

describe("a missing optional package", () => {
  it("OpenAI's layer fails with the command to install a compatible package, and works with the package", async () => {
    const name = "@effect/ai-openai"
    expect(await said(openai, name)).toContain(
      `coxswain/layers/openai needs the package ${name}, which does not load (Cannot find package '${name}'`
    )
    expect(await said(openai, name)).toContain(`Install it: ${command(name)}`)
    expect(await said(openai)).toContain("it works")
  })

  it("the command line prints the packages to install for the chosen provider", async () => {
    const program = building(
      `import { Option } from "effect"
       import { answering } from "./cli/Setting.js"`,
      `answering({
        provider: "openai",
        model: Option.some("m"),
        baseUrl: Option.none(),
        temperature: Option.none(),
        maxTokens: Option.none()
      })`
    )
    const text = await said(program, "@effect/ai-openai")
    expect(text).toContain("openai does not load: Cannot find package '@effect/ai-openai'")
    expect(text).toContain("Install what it needs: npm install @effect/platform@")
    expect(text).toContain(command("@effect/ai-openai").replace("npm install ", ""))
  })

  it("the MCP client fails with an error that names the package to install", async () => {
    const program = `import { Effect } from "effect"
      import { loading } from "./layers/mcp/McpError.js"
      const load = loading("client", () => import("@modelcontextprotocol/client"))
      console.log(String((await Effect.runPromise(Effect.flip(load))).message))`
    expect(await said(program, "@modelcontextprotocol/client")).toContain(
      "Install it: npm install @modelcontextprotocol/client"
    )
  })

  // These packages are imported with their layer, so that Node's error names them.
  const layers: Readonly<Record<string, string>> = {
    ioredis: "stores/Redis.js",
    "@effect/sql-pg": "stores/Postgres.js",
    "@effect/sql-mysql2": "stores/MySql.js",
    "@effect/sql-sqlite-node": "stores/Sqlite.js",
    "@dagrejs/dagre": "GraphSvg.js",
    "@secretlint/core": "guardrails/Secrets.js",
    "card-validator": "guardrails/Cards.js",
    tinyld: "guardrails/Language.js",
    minisearch: "Shortlist.js",
    aws4fetch: "blobs/S3.js",
    compromise: "offline/Offline.js",
    "chrono-node": "offline/Offline.js",
    "@agentclientprotocol/sdk": "delegates/Acp.js",
    "@effect/workflow": "jobs/Workflow.js",
    "@effect/opentelemetry": "OpenTelemetry.js",
    "@effect/platform-node": "node/NodeServer.js"
  }
  for (const [name, file] of Object.entries(layers)) {
    it(`an import of ${file} fails with the name of the package ${name}`, async () => {
      expect(manifest.peerDependenciesMeta[name]?.optional).toBe(true)
      expect(await said(`export * from "./layers/${file}"`, name)).toMatch(
        new RegExp(`Cannot find package '${name}' imported from`)
      )
    })
  }
})
