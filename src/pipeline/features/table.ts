/** The features of turns, in the order in which the phases call them. */
import * as Memo from "../../domain/base/Memo.js"
import type { Definition } from "../../domain/definition/Definition.js"
import type { Seams } from "../state/parts/Seams.js"
import type { Opened } from "../state/TurnState.js"
import type { Feature } from "./Feature.js"
import { speculation } from "./speculation/speculation.js"

const table: ReadonlyArray<Feature> = [speculation]

const usedBy = Memo.weak((definition: Definition) => table.filter(({ isUsed }) => isUsed(definition)))

/** Opens the features that a definition uses, for one turn. */
export const open = (definition: Definition): ReadonlyArray<Seams<Opened>> =>
  usedBy(definition).map(({ open }) => open())
