import { PgClient } from "@effect/sql-pg"
import { describe, it } from "@effect/vitest"
import * as Postgres from "coxswain/layers/postgres"
import { Redacted } from "effect"
import * as Servers from "../../setup/servers.js"
import { secretsSuite, serverOutage, sqlSuite } from "./sqlSuite.js"

const server = await Servers.postgres()

describe("PostgreSQL", () => {
  if (server === undefined) return it.skip("conformance, on a real server", () => {})
  const url = Redacted.make(server.url)
  sqlSuite({
    name: "PostgreSQL",
    client: PgClient.layer({ url }),
    layer: (options) => Postgres.layer({ url, ...options }),
    ...serverOutage(server),
    close: server.close,
    address: ["postgres", server.url]
  })
  secretsSuite("PostgreSQL", (url) => Postgres.layer({ url }), server.url)
})
