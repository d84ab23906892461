/**
 * Where sessions live. One atomic write per turn, guarded by the session's version.
 *
 * @since 0.1.0
 */
export { checked, checkId, checkKey } from "./session/Checked.js"
export { layerMemory, makeMemory } from "./session/Memory.js"
export * from "./session/Port.js"
