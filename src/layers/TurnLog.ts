/**
 * Persistent turn logs: a file of JSON lines, or a table of a SQL database.
 *
 * ```ts
 * import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
 * import * as TurnLogs from "coxswain/layers/turn-log"
 * import { Layer } from "effect"
 *
 * export const TurnsLive = TurnLogs.layerFile({ path: "turns.jsonl" }).pipe(Layer.provide(NodeFileSystem.layer))
 * ```
 *
 * `layerSql` needs `@effect/sql`, and a `SqlClient`; `coxswain/layers/sqlite`, `…/postgres` and `…/mysql` bring theirs
 * as `layerTurnLog`.
 */
export { type FileOptions, layerFile, makeFile } from "./turnlog/TurnLogFile.js"
export { layerSql, makeSql, type SqlOptions } from "./turnlog/TurnLogTable.js"
