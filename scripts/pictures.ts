/** Draws the pictures of the documentation. A test says when they are not current. */
import { SessionStore } from "coxswain"
import * as Graph from "coxswain/graph"
import * as GraphSvg from "coxswain/layers/graph-svg"
import { ScriptedModel, Simulation } from "coxswain/testing"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Hotel from "../demo/hotel.js"
import { message, phases, rooms } from "./boxes.js"
import { terminal } from "./terminal.js"

const root = fileURLToPath(new URL("..", import.meta.url))

const hotel = Graph.make(Hotel.definition)

/** Each picture by its path in the repository. */
export const pictures: Readonly<Record<string, string>> = {
  "docs/pictures/hotel.svg": GraphSvg.toSvg(hotel)
}

/** The coverage of made-up users in a simulation that is too short to reach every part. */
export const covered = {
  name: "docs/pictures/hotel-coverage.svg",
  svg: Effect.gen(function*() {
    const { coverage } = yield* Simulation.run(yield* Hotel.hotel, { turns: 60 })
    return GraphSvg.toSvg(Graph.withCoverage(hotel, coverage))
  }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory]))
}

const talk = [
  "I need a room in Lisbon for two people on 2027-03-15",
  "when do you open?",
  "actually make it Porto",
  "do you have a jacuzzi?",
  "I am Ada Lovelace",
  "yes",
  "what did I book?",
  "bye"
]

/** The demo, run in a process of its own and recorded. */
export const demo = {
  name: "docs/pictures/demo.svg",
  svg: (): string => {
    const { stderr, stdout } = spawnSync(
      process.execPath,
      ["--import", "tsx", "demo/main.ts", "--sessions", ":memory:", "--today", "2027-03-01"],
      {
        cwd: root,
        env: { ...process.env, OPENAI_API_KEY: "", OPENAI_BASE_URL: "" },
        input: talk.map((line) => `${line}\n`).join(""),
        encoding: "utf8"
      }
    )
    if (stderr !== "") throw new Error(stderr)
    return terminal("npm run demo", stdout)
  }
}

/** The pictures that are drawn of the code itself. */
export const drawings: Readonly<Record<string, string>> = {
  "docs/pictures/message.svg": message(root),
  "docs/pictures/rooms.svg": rooms(root),
  "docs/pictures/turn.svg": phases(root)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const all = {
    ...pictures,
    [covered.name]: await Effect.runPromise(covered.svg),
    [demo.name]: demo.svg(),
    ...drawings
  }
  for (const [name, svg] of Object.entries(all)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), svg)
    console.log(name)
  }
}
