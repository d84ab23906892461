/** Stores sessions: one atomic write per turn, guarded by the session's version. */
export { checked, checkId, checkKey } from "./CheckedStore.js"
export { layerMemory, makeMemory } from "./Memory.js"
export * from "./Port.js"
