/** The URL of the database of a node. */
import { describe, expect, it } from "@effect/vitest"
import * as NodeCluster from "coxswain/layers/node-cluster"
import { Redacted } from "effect"

const limited = (url: string) => Redacted.value(NodeCluster.databaseUrl(Redacted.make(url)))

describe("NodeCluster.databaseUrl", () => {
  it("limits silent transactions, and keeps the rest of the URL", () => {
    const url = new URL(limited("postgres://bot:s%40cret@localhost:5433/bot?sslmode=require"))
    expect(url.searchParams.get("options")).toBe("-c idle_in_transaction_session_timeout=3000")
    url.searchParams.delete("options")
    expect(url.href).toBe("postgres://bot:s%40cret@localhost:5433/bot?sslmode=require")
  })

  it("does not change a URL that has its own options, nor a text that is no URL", () => {
    for (const url of ["postgres://localhost/bot?options=-c%20search_path%3Da", "/var/run/postgresql bot"]) {
      expect(limited(url)).toBe(url)
    }
  })
})
