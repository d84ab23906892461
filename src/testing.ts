/**
 * What an application's own tests import.
 *
 * `sessionStoreConformance` is the contract of a `SessionStore` as tests. Every store of this library runs it; run
 * it on yours:
 *
 * ```ts
 * import { SessionStore } from "coxswain"
 * import { sessionStoreConformance } from "coxswain/testing"
 *
 * sessionStoreConformance("my store", SessionStore.layerMemory)
 * ```
 *
 * @since 0.1.0
 */
export { sessionStoreConformance } from "./layers/conformance/SessionStore.js"
export type { SessionStoreConformanceOptions } from "./layers/conformance/SessionStore.js"
