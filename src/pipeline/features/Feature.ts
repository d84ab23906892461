/**
 * A feature of turns: the phases call its seams and do not know its name. A definition that does not use a feature never
 * enters it.
 */
import type { Definition } from "../../domain/definition/Definition.js"
import type { Seams } from "../state/parts/Seams.js"
import type { Opened, Runtime } from "../state/TurnState.js"

export interface Feature {
  readonly name: string
  readonly isUsed: (definition: Definition) => boolean
  /** Makes the seams for a turn that begins. They alone read and write the state of the feature. */
  readonly open: () => Seams<Opened>
  /** Drops what this process keeps of a session that was removed. */
  readonly forget?: (runtime: Runtime, sessionId: string) => void
}
