/** The marks by which a bundler drops what a program does not use of the package. */
import { describe, expect, it } from "@effect/vitest"
import * as esbuild from "esbuild"
import { pure } from "../../scripts/pure.js"

const module = `
import * as Schema from "effect/Schema"
const shared = { code: Schema.String, list: ["shared"] }
const step = (of: { readonly code: unknown }) => ({ made: "called", of })
export const spread = { ...shared, more: "spread" }
export const elements = [...shared.list, "elements"]
export const property = shared.code
export const template = \`\${String(shared.list)} template\`
export const called = step({ ...shared })
export const chained = Schema.Struct({ ...shared }).annotations({ title: "chained" })
export const instance = new Map([...shared.list].map((key) => [key, "instance"]))
export class Failure extends Schema.TaggedError<Failure>()("failure", { ...shared }) {
  static readonly empty = { ...shared, list: ["static"] }
  override get message() {
    return "getter"
  }
}
export const used = { ...shared, more: "used" } as const
`

/** What a bundler leaves of a program that uses `contents` of the module. */
const bundled = async (contents: string, text: string) => {
  const { outputFiles } = await esbuild.build({
    stdin: { contents },
    ...{ bundle: true, write: false, format: "esm", external: ["effect/*"], minify: true },
    plugins: [{
      name: "module",
      setup: (build) => {
        build.onResolve({ filter: /^module$/ }, ({ path }) => ({ path, namespace: "module" }))
        build.onLoad({ filter: /.*/, namespace: "module" }, () => ({ contents: text, loader: "ts" }))
      }
    }]
  })
  return outputFiles[0]!.text
}

describe("what the build marks as pure", () => {
  it("constants and classes that a program does not use are dropped, whatever they are made of", async () => {
    const text = await bundled(`import { used } from "module"\nconsole.log(used)`, pure("module.ts", module))
    for (
      const other of [
        "elements",
        "template",
        "called",
        "chained",
        "instance",
        "failure",
        "static",
        "getter",
        "\"spread"
      ]
    ) expect(text).not.toContain(other)
    expect(text).toContain("used")
  })

  it("without the marks they stay", async () => {
    const text = await bundled(`import { used } from "module"\nconsole.log(used)`, module)
    for (const other of ["elements", "chained", "failure", "static"]) expect(text).toContain(other)
  })

  it("what is used has the same value", async () => {
    const values = `const shared = { a: 1, list: [1, 2] }
      export const [first] = [...shared.list]
      export const object = { ...shared, b: \`\${shared.a}\` }, last = shared.list[1]
      export class Base { constructor(readonly given = shared.a) {} }
      export class Sub extends [Base, ...shared.list].at(0) { static copy = [...shared.list]; own = { ...shared } }
      const made = new Sub()
      export default JSON.stringify([first, object, last, Sub.copy, made.own, made.given, Sub.name])`
    const text = await bundled(`export { default } from "module"`, pure("module.ts", values))
    const { default: given } = await import(`data:text/javascript,${encodeURIComponent(text)}`)
    expect(JSON.parse(given).slice(0, 6)).toEqual([
      1,
      { a: 1, list: [1, 2], b: "1" },
      2,
      [1, 2],
      { a: 1, list: [1, 2] },
      1
    ])
  })

  it("code that waits when the module is imported stays as it is", () => {
    const text = "const file = { ...(await import(\"./file.js\")) }"
    expect(pure("module.ts", text)).not.toContain("=>")
  })
})
