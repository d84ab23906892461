import { MysqlClient } from "@effect/sql-mysql2"
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Mysql from "coxswain/layers/mysql"
import { Effect, Option, Redacted } from "effect"
import * as Servers from "../../setup/servers.js"
import { lostAnswerSuite, secretsSuite, serverOutage, sqlSuite, write } from "./sqlSuite.js"

const server = await Servers.mysql()

describe("the MySQL store", () => {
  if (server === undefined) return it.skip("passes the conformance checks on a real server", () => {})
  const url = Redacted.make(server.url)
  sqlSuite({
    name: "MySQL",
    client: MysqlClient.layer({ url }),
    layer: (options) => Mysql.layer({ url, timeout: "1 minute", ...options }),
    turnLog: (options) => Mysql.layerTurnLog({ url, ...options }),
    ...serverOutage(server),
    close: server.close,
    address: ["mysql", server.url]
  })
  it.live("refuses ids that a lenient server would truncate", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      // A NUL takes five characters in the database.
      const answered = { messageId: "\0".repeat(120), response: 1 }
      for (const bad of [write("\0".repeat(60), 0), write("s", 0, { answered })]) {
        expect(yield* Effect.flip(store.commit(bad))).toMatchObject({ _tag: "SessionStoreError", operation: "commit" })
        expect(yield* store.load(bad.id)).toEqual(Option.none())
      }
    }).pipe(Effect.provide(Mysql.layer({ url, tablePrefix: "lengths_" }))))

  lostAnswerSuite("MySQL", (url) => Mysql.layer({ url, tablePrefix: "lost_" }), server.url, /COMMIT/)
  secretsSuite("MySQL", (url) => Mysql.layer({ url }), server.url)
})
