/** Writes `docs/examples.md`: every example with what its first comment says. A test compares the page. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

export const file = "docs/examples.md"

/** The first sentence of the comment that a program begins with. */
const about = (source: string): string => {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? ""
  const text = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "")).join(" ").replaceAll(/\s+/g, " ").trim()
  return /^(.*?[.])(\s|$)/.exec(text)?.[1] ?? text
}

export const page = (root: string): string => {
  const folder = path.join(root, "examples")
  const rows = fs.readdirSync(folder).filter((name) => /^\d\d-[\w-]+\.ts$/.test(name)).sort().map((name) =>
    `| [${path.basename(name, ".ts")}](../examples/${name}) | ${
      about(fs.readFileSync(path.join(folder, name), "utf8"))
    } |`
  )
  return [
    "<!-- Written by npm run reference from the first comment of each example. -->",
    "# Examples",
    "Programs that run without a key, in a clone: `npx tsx examples/01-booking.ts`. Beside each stands what it prints, in a " +
    "file that ends in `.out`; the tests run them all and compare.",
    ["| program | what it shows |", "|---|---|", ...rows].join("\n"),
    "On a real model: `COXSWAIN_PROVIDER` names its provider (`openai`, `anthropic`, `google`, `openrouter`, " +
    "`openai-compatible`), `COXSWAIN_MODEL` the model, and the key stands in the variable of [the provider](models.md#providers); " +
    "for `openai-compatible` also the address, in `OPENAI_COMPATIBLE_BASE_URL`. What is missing is said. Those examples whose " +
    "point is what a model is told, which of two models answers, or a test, stay on their script. A real model words its answers itself, so that they " +
    "differ from what stands in the `.out` files.",
    "```sh\nCOXSWAIN_PROVIDER=anthropic ANTHROPIC_API_KEY=… npx tsx examples/01-booking.ts\n```",
    "Back to [the documentation](README.md)."
  ].join("\n\n") + "\n"
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = fileURLToPath(new URL("..", import.meta.url))
  fs.writeFileSync(path.join(root, file), page(root))
}
