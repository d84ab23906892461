import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import * as limits from "./test/setup/limits.js"

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** `coxswain` and its subpaths are the sources here, as `tsconfig.json` says. */
const { compilerOptions } = JSON.parse(readFileSync(file("./tsconfig.json"), "utf8")) as {
  compilerOptions: { paths: Record<string, [string]> }
}
export const alias = Object.entries(compilerOptions.paths).map(([name, [path]]) => ({
  find: new RegExp(`^${name.replace("*", "(.+)")}$`),
  replacement: file(path.replace("*", "$1"))
}))

const setup = ["test/setup/monitor.ts", "test/support/Seed.ts"]

const project = (name: string, options: object) => ({
  resolve: { alias },
  test: {
    name,
    pool: "forks" as const,
    testTimeout: limits.test,
    hookTimeout: limits.test,
    setupFiles: setup,
    ...options
  }
})

/** The files of `test/system` that run one after the other when all others have ended. */
const alone = [
  // They measure, or what they test depends on how soon something happens.
  ...["contest", "deaths", "delegates", "expressions", "fairness", "jobs", "kill", "leak", "patterns", "processes"],
  ...["cluster", "page/behind", "serve-cluster", "stores/OpenSearchServer", "summary", "timers", "workflow"],
  // They write what others read: the site `docs/reference`, the package also `dist`.
  ...["missing", "package", "rasa", "site/site", "tutorial"]
].map((name) => `test/system/${name}.test.ts`)

export default defineConfig({
  test: {
    globalSetup: ["test/setup/packages.ts", "test/setup/scope.ts", "test/setup/engines.ts"],
    // Vitest leaves one core to itself, which on two cores is half of them.
    maxWorkers: availableParallelism(),
    // Tests that run at the same time in one file wait for processes, which need a core each.
    maxConcurrency: availableParallelism(),
    poolOptions: {
      forks: {
        execArgv: [
          `--import=${file("./test/setup/rpc.mjs")}`,
          // A turn leaves much behind: with 16 MB for what is new, as V8 has it, it is collected four times as often.
          ...["--min-semi-space-size=32", "--max-semi-space-size=64"]
        ]
      }
    },
    projects: [
      // What needs nothing but this process. All projects run with `--no-isolate`, which is an option of the command line
      // only: files share a process, because importing Effect anew for each took most of the time. So no file may leave
      // anything behind; `npm run unit -- --sequence.shuffle.files` is how to find out.
      project("unit", {
        include: ["test/**/*.test.ts"],
        exclude: ["test/system/**", "test/fixtures/**", "**/node_modules/**"],
        setupFiles: [...setup, "test/setup/unit.ts"]
      }),
      // What starts processes, servers or examples, or takes its time.
      project("system", { include: ["test/system/**/*.test.ts"], exclude: [...alone, "**/node_modules/**"] }),
      project("alone", { include: alone, poolOptions: { forks: { singleFork: true } } })
    ]
  }
})
