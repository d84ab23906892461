/** One test of the suite. */
import * as Effect from "effect/Effect"
import type { YieldWrap } from "effect/Utils"
import type { Service } from "../../services/session/SessionStore.js"

/** A test of a session store. */
export interface Check {
  readonly name: string
  readonly run: (store: Service) => Effect.Effect<void, unknown>
}

/** Makes a test from a generator function. */
export const check = (
  name: string,
  body: (store: Service) => Generator<YieldWrap<Effect.Effect<unknown, unknown>>, void, never>
): Check => ({ name, run: (store) => Effect.gen(() => body(store)) })
