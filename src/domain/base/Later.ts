/** Modules that are loaded at their first use. Bundlers write them to files of their own, so that programs begin sooner. */
import * as Effect from "effect/Effect"

/** A module that is loaded later. */
export interface Later<A> {
  /** Loads the module at its first run; then returns it at once. */
  readonly load: Effect.Effect<A>
  /** The module, after `load`. Throws before. */
  readonly get: () => A
}

/** Loads a module at its first use. */
export const make = <A>(importing: () => Promise<A>): Later<A> => {
  let loaded: { readonly module: A } | undefined
  return {
    load: Effect.suspend(() =>
      loaded !== undefined
        ? Effect.succeed(loaded.module)
        : Effect.map(Effect.promise(importing), (module) => (loaded = { module }).module)
    ),
    get: () => {
      if (loaded === undefined) throw new Error("A module is used before it is loaded")
      return loaded.module
    }
  }
}
