/** Drafts of documents, with the scripted model and with a provider over HTTP. */
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { ScriptedModel } from "coxswain/testing"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll } from "vitest"
import * as CommandLine from "../../src/cli/CommandLine.js"
import * as Draft from "../../src/cli/draft/Draft.js"
import * as Instructions from "../../src/cli/draft/Instructions.js"
import * as Screen from "../../src/cli/Screen.js"
import { dialects } from "../layers/models/dialects.js"
import { serve } from "../layers/models/server.js"

const { say } = ScriptedModel

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-draft-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

const good =
  "name: Trips\nflows:\n  - title: Trip\n    when: the guest wants to travel\n    steps:\n      - reply: Good bye.\n"
const unknownField = good.replace("Good bye.", "To {{data.city}}.")
const unreached = `${good}      - id: never\n        prompt: Chat\n`.replace(
  "Good bye.",
  "Good bye.\n        ends: true"
)

/** Drafts with a model that gives these answers, one after the other. */
const drafted = (...answers: ReadonlyArray<string>) => {
  const left = [...answers]
  return Draft.draft("# Trips\n\nSay good bye.").pipe(
    Effect.provide(ScriptedModel.layer(() => say(left.shift() ?? "no more answers")))
  )
}

const dialect = dialects.find(({ name }) => name === "openai-compatible")!

/** Runs `coxswain draft` against a server that gives these answers. */
const command = (answers: ReadonlyArray<string>, output: string) =>
  Effect.gen(function*() {
    const server = yield* serve(dialect)
    server.does = answers.map((text) => ({ _tag: "Say", said: { text } }))
    const procedure = path.join(temp, "procedure.md")
    fs.writeFileSync(procedure, "# Trips\n\nSay good bye.\n")
    let [out, err] = ["", ""]
    const screen = Screen.make({
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      isTerminal: false,
      colours: false
    })
    const args = [
      "draft",
      procedure,
      "-o",
      output,
      "--provider",
      "openai-compatible",
      "--model",
      "m",
      "--base-url",
      server.url
    ]
    const code = yield* CommandLine.run(["node", "coxswain", ...args]).pipe(
      Effect.provideService(Screen.Screen, screen),
      Effect.provide(NodeContext.layer)
    )
    return { code, out, err, requests: server.requests.map(({ body }) => JSON.stringify(body)) }
  }).pipe(Effect.scoped)

describe("the prompt that asks a model to draft an agent document", () => {
  it.effect("contains an example document without errors", () =>
    Effect.gen(function*() {
      expect(yield* Draft.faultsOf(Instructions.example, "example.yaml")).toEqual([])
    }))
})

describe("an agent document that a model drafts", () => {
  it.effect("is taken from the model's answer, without the code fence around it", () =>
    Effect.gen(function*() {
      expect(yield* drafted(good)).toEqual({ text: good, rounds: 1, faults: [] })
      expect(yield* drafted(`Here it is:\n\n\`\`\`yaml\n${good}\`\`\`\nHave fun!`)).toMatchObject({ text: good })
    }))

  it.effect("is sent back to the model with its format errors, or with the checker's findings", () =>
    Effect.gen(function*() {
      expect(yield* drafted(unknownField, unreached, good)).toEqual({ text: good, rounds: 3, faults: [] })
      expect(yield* Draft.faultsOf(unreached, "x.yaml")).toEqual([expect.stringContaining("never reached")])
    }))

  it.effect("is returned to the caller with its remaining errors after three answers of the model", () =>
    Effect.gen(function*() {
      const { faults, rounds, text } = yield* drafted(unknownField, "flows: [", unknownField)
      expect({ rounds, text }).toEqual({ rounds: 3, text: unknownField })
      expect(faults).toEqual([expect.stringContaining("unknown field \"city\" of data")])
    }))
})

describe("`coxswain draft`, with a provider over HTTP", () => {
  it.scoped("writes a new file for review, and never overwrites a file", () =>
    Effect.gen(function*() {
      const output = path.join(temp, "trips.yaml")
      const { code, out, requests } = yield* command([unknownField, good], output)
      expect(code).toBe(0)
      expect(out).toContain("is a draft, which the checker accepts. Review it")
      expect(fs.readFileSync(output, "utf8")).toMatch(
        /^# yaml-language-server.*\n# A model drafted this from .*procedure\.md/
      )
      expect(fs.readFileSync(output, "utf8").endsWith(good)).toBe(true)
      expect(requests).toHaveLength(2)
      expect(requests[0]).toContain("Say good bye.")
      expect(requests[1]).toContain("unknown field")
      expect((yield* command([good], output)).err).toContain("cannot be written")
    }))

  it.scoped("prints the remaining errors, and exits with code 1", () =>
    Effect.gen(function*() {
      const output = path.join(temp, "faulty.yaml")
      const { code, err, requests } = yield* command([unknownField], output)
      expect({ code, rounds: requests.length }).toEqual({ code: 1, rounds: 3 })
      expect(err).toContain(`${output}:8:26 [DocumentError] unknown field "city" of data`)
      expect(err).toContain("is the last of 3 drafts")
    }))
})
