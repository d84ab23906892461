/** A client that imports a definition: its bundle has no code of the server. */
import * as esbuild from "esbuild"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The files whose code is in the bundle of a program for browsers. */
const bundled = async (program: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await esbuild.build({
    stdin: { contents: program, resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    outdir: root,
    tsconfig: path.join(root, "tsconfig.json"),
    ...{ bundle: true, write: false, metafile: true, format: "esm", platform: "browser", target: "es2022" }
  })
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => bytesInOutput > 0 ? [file] : [])
  )
}

/** The files of the pipeline that declare and do not run. */
const declaring = /^src\/pipeline\/(agent\/(Definition|parts|schemas)|state\/agentInternals)\.ts$/

const ofServer = (file: string): boolean =>
  /^src\/(pipeline|services|layers|domain\/(definition\/(compile|validation)|document|walk|brief|check))\//.test(
    file
  ) &&
  !declaring.test(file)

describe("the bundle of a client", () => {
  it("that imports a definition apart from its code has no code of the server", async () => {
    const files = await bundled("export * from \"./examples/definition/client.ts\"")
    expect(files).toContain("examples/definition/hotel.ts")
    expect(files.filter(ofServer)).toEqual([])
  })

  it("that imports an agent has the code of the server", async () => {
    const files = await bundled("import { Agent } from \"coxswain\"; console.log(Agent.implement)")
    expect(files.filter(ofServer).length).toBeGreaterThan(50)
  })
})
