/** Draws the pictures of the documentation. A test says when they are not current. */
import { Graph } from "coxswain"
import * as GraphSvg from "coxswain/layers/graph-svg"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Hotel from "../demo/hotel.js"
import { phases, rooms } from "./boxes.js"

const root = fileURLToPath(new URL("..", import.meta.url))

const hotel = Hotel.kit.graph(Hotel.definition)

/** What a dozen conversations may have visited. */
const counts = {
  flows: { booking: 12, cancellation: 2 },
  steps: { "booking/stay": 31, "booking/name": 11, "booking/confirm": 9, "cancellation/cancelled": 2 },
  branches: {}
}

/** Each picture by its path in the repository. */
export const pictures: Readonly<Record<string, string>> = {
  "docs/pictures/hotel.svg": GraphSvg.toSvg(hotel),
  "docs/pictures/hotel-coverage.svg": GraphSvg.toSvg(Graph.withCoverage(hotel, counts))
}

/** What is drawn of the code itself. */
export const drawings: Readonly<Record<string, string>> = {
  "docs/pictures/rooms.svg": rooms(root),
  "docs/pictures/turn.svg": phases(root)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [name, svg] of Object.entries({ ...pictures, ...drawings })) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), svg)
    console.log(name)
  }
}
