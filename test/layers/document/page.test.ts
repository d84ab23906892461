/** The documents of the page are documents, and the published JSON Schema accepts them. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Either } from "effect"
import * as fs from "node:fs"
import { text } from "../../../scripts/schema.js"
import { isJsonObject } from "../../../src/domain/base/Json.js"
import * as ForeignSchema from "../../../src/layers/schemas/ForeignSchema.js"

const page = fs.readFileSync(new URL("../../../docs/documents.md", import.meta.url), "utf8")
const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []

const registry = {
  tools: { freeTables: { id: "free_tables", handler: () => "" } },
  hooks: { book: () => undefined }
}

/** The schema without its texts, which make it longer than schemas from outside may be. */
const bare = (u: unknown): unknown =>
  Array.isArray(u)
    ? u.map(bare)
    : isJsonObject(u)
    ? Object.fromEntries(
      Object.entries(u).flatMap(([key, one]) =>
        key === "description" && typeof one === "string" ? [] : [[key, bare(one)]]
      )
    )
    : u

describe("the documentation page docs/documents.md", () => {
  it.effect("has an example document from which an agent can be made", () =>
    Effect.gen(function*() {
      const source = yield* Document.parse(yaml)
      const agent = yield* Document.agent(source, registry)
      expect(yield* Agent.toDocument(agent, registry)).toEqual(source.document)
    }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory, Document.layer])))

  it.effect("has an example document that the published JSON Schema accepts; a misspelt key is refused", () =>
    Effect.gen(function*() {
      const { document } = yield* Document.parse(yaml)
      const check = Either.getOrThrowWith(ForeignSchema.make(bare(JSON.parse(text()))), String)
      expect(check(document)).toBeUndefined()
      expect(check({ ...document, persna: "x" })).toContain("persna")
      expect(check({ ...document, flows: [{ title: "A", steps: [{ reply: 5 }] }] })).toContain("flows[0]")
      expect(check({ ...document, consent: { recognise: { value: "house" } } })).toBeUndefined()
      expect(check({ ...document, consent: "plain" })).toContain("consent")
    }))

  it("describes documents whose published JSON Schema has a description for every option", () => {
    const { $defs } = JSON.parse(text()) as {
      readonly $defs: Record<string, { readonly properties?: Record<string, { readonly description?: string }> }>
    }
    for (const name of ["FlowDocument", "Flow", "Step", "Branch", "Instruction", "Signal", "Guardrail", "Field"]) {
      const bare = Object.entries($defs[name]?.properties ?? {}).filter(([, { description }]) =>
        description === undefined
      )
      expect(bare.map(([key]) => `${name}.${key}`)).toEqual([])
    }
  })
})
