/**
 * A feature of turns: the phases call its seams and do not know its name. A definition that does not use a feature never
 * enters it.
 */
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { FlowConfigurationError } from "../../domain/base/error/Errors.js"
import type { Definition } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type { Session } from "../../domain/session/Session.js"
import type * as TurnEntry from "../../domain/turn/TurnEntry.js"
import type { Internal } from "../state/Input.js"
import type { Seams } from "../state/parts/Seams.js"
import type { Opened, Runtime } from "../state/TurnState.js"

export interface Feature {
  readonly name: string
  /** True if a definition uses the feature. Default: no definition does, and only the `part` of a session opens it. */
  readonly isUsed?: (definition: Definition) => boolean
  /** Loads code of the feature that bundlers keep apart. It has ended when the first seam of a turn is called. */
  readonly load?: Effect.Effect<void>
  /** The seams of a feature that has no state in a turn. */
  readonly seams?: Seams<Opened>
  /** Makes the seams for a turn that begins. They alone read and write the state of the feature. */
  readonly open?: () => Seams<Opened>
  /** The property of a session that the feature keeps. A session that has it uses the feature. */
  readonly part?: keyof Session
  /** Returns when the feature's part of a session is due. */
  readonly wakeAt?: (session: Session) => DateTime.Utc | undefined
  /** The properties of a directive that the feature carries out, and how it does so. */
  readonly directive?: {
    readonly parts: ReadonlyArray<keyof Directive>
    readonly apply: (turn: Opened, directive: Directive) => Effect.Effect<void, FlowConfigurationError>
  }
  /** Returns the input that the log has, if it comes from this feature. */
  readonly inputOf?: (logged: TurnEntry.Internal, sessionId: string) => Internal | undefined
  /** Drops what this process keeps of a session that was removed. */
  readonly forget?: (runtime: Runtime, sessionId: string) => void
}
