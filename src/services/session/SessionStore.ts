/**
 * Stores sessions: one atomic write per turn, guarded by the session's version.
 *
 * @since 0.1.0
 */
export { checked, checkId, checkKey } from "./CheckedStore.js"
export { layerMemory, makeMemory } from "./Memory.js"
export * from "./Port.js"
