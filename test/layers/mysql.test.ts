import { MysqlClient } from "@effect/sql-mysql2"
import { describe, it } from "@effect/vitest"
import * as Mysql from "coxswain/layers/mysql"
import { Redacted } from "effect"
import * as Servers from "../setup/servers.js"
import { secretsSuite, serverOutage, sqlSuite } from "./sqlSuite.js"

const server = await Servers.mysql()

describe("MySQL", () => {
  if (server === undefined) return it.skip("conformance, on a real server", () => {})
  const url = Redacted.make(server.url)
  sqlSuite({
    name: "MySQL",
    client: MysqlClient.layer({ url }),
    layer: (options) => Mysql.layer({ url, ...options }),
    ...serverOutage(server),
    close: server.close,
    address: ["mysql", server.url]
  })
  secretsSuite("MySQL", (url) => Mysql.layer({ url }), server.url)
})
