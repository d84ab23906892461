/** The understanding benchmark: its labelled messages, the bench, and `coxswain eval` for a user's own messages. */
import { it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Labelled } from "coxswain/cli/evaluation/Labelled"
import { measure, type Measured } from "coxswain/cli/evaluation/Measure"
import type * as MeasureReport from "coxswain/cli/evaluation/MeasureReport"
import { runtimeOf } from "coxswain/pipeline/state/agentInternals"
import { ScriptedModel } from "coxswain/testing"
import { answersOf } from "coxswain/testing/script/ScriptPlayer"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect } from "vitest"
import bank from "../../bench/understanding/agents/bank.js"
import booking from "../../bench/understanding/agents/booking.js"
import clinic from "../../bench/understanding/agents/clinic.js"
import shop from "../../bench/understanding/agents/shop.js"
import support from "../../bench/understanding/agents/support.js"
import { dialects } from "../layers/models/dialects.js"
import { serve } from "../layers/models/server.js"
import * as limits from "../setup/limits.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-understanding-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

const agents = { bank, booking, clinic, shop, support }
const domains = Object.keys(agents) as ReadonlyArray<keyof typeof agents>

const read = (domain: string) =>
  Schema.decodeSync(Schema.parseJson(Labelled), { onExcessProperty: "error" })(
    fs.readFileSync(path.join(root, `bench/understanding/messages/${domain}.json`), "utf8")
  )

type Means = Labelled["conversations"][number]["turns"][number]["means"]

/** Measures a domain with an understanding that is computed from the label. */
const measured = (domain: keyof typeof agents, understand: (user: string, label: Means) => Means) =>
  Effect.gen(function*() {
    const given = read(domain)
    const labels = new Map(given.conversations.flatMap(({ turns }) => turns.map(({ means, user }) => [user, means])))
    const runtime = runtimeOf(yield* agents[domain])!
    const understanding = {
      answer: (asked: Parameters<typeof runtime.understanding.answer>[0]) =>
        Effect.sync(() => answersOf(understand(asked.message, labels.get(asked.message)!), asked))
    }
    return yield* measure({ ...runtime, understanding }, domain, given, { atOnce: 1 })
  }).pipe(Effect.provide([ScriptedModel.layer({}, { strict: false }), SessionStore.layerMemory]))

const run = (script: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly out: string; readonly err: string }>((resolve) =>
    execFile(
      process.execPath,
      ["--import", "tsx", script, ...args],
      { cwd: root, timeout: limits.child },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err })
    )
  )

const json = (text: string) =>
  JSON.parse(text) as {
    readonly measured: ReadonlyArray<Measured>
    readonly summaries: ReadonlyArray<MeasureReport.Summary>
  }

describe("the labelled messages of the understanding benchmark", () => {
  it("are at least 400, include every difficult kind, and are in three languages", () => {
    const all = domains.flatMap((domain) =>
      read(domain).conversations.flatMap(({ language, turns }) =>
        turns.flatMap(({ kind }) => kind === undefined ? [] : [{ kind, language }])
      )
    )
    expect(all.length).toBeGreaterThanOrEqual(400)
    expect(new Set(all.map(({ language }) => language))).toEqual(new Set(["en", "de", "es"]))
    const kinds = new Set(all.map(({ kind }) => kind))
    for (const kind of ["flow", "date", "number", "correction", "reference", "condition", "withdrawal"]) {
      expect(kinds).toContain(kind)
    }
    for (const kind of ["two wishes", "consent", "injection", "signal"]) expect(kinds).toContain(kind)
  })

  it.effect.each(domains)(
    "labelled messages of %s give no mistakes if the understanding answers exactly with the labels",
    (domain) =>
      Effect.gen(function*() {
        const found = yield* measured(domain, (_, label) => label)
        expect(found.filter(({ differs }) => differs.length > 0)).toEqual([])
      })
  )

  it.effect(
    "labelled messages that state field values are counted as mistakes if the understanding extracts no fields",
    () =>
      Effect.gen(function*() {
        const found = yield* measured("shop", () => ({}))
        const wrong = new Set(found.filter(({ differs }) => differs.length > 0).map(({ user }) => user))
        const stated = read("shop").conversations.flatMap(({ turns }) => turns)
          .filter(({ kind, means }) => kind !== undefined && Object.keys(means.fields ?? {}).length > 0)
        for (const { user } of stated) expect(wrong).toContain(user)
      })
  )
})

describe("the program bench/understanding.ts", () => {
  it.scoped("sends requests to a provider, and counts calls and tokens", () =>
    Effect.gen(function*() {
      const server = yield* serve(dialects.find(({ name }) => name === "openai-compatible")!)
      server.does = [{ _tag: "Say", said: { text: "{}", json: {} } }]
      const picture = path.join(temp, "picture.svg")
      const { code, err, out } = yield* Effect.promise(() =>
        run(
          ...["bench/understanding.ts", "--provider=openai-compatible", "--base-url", `${server.url}/v1`] as const,
          ...["--model", "tiny", "--most", "1", "--json", "--svg", picture]
        )
      )
      expect(code, err).toBe(0)
      const { measured, summaries } = json(out)
      const all = summaries.find(({ name }) => name === "all")!
      expect(all.messages).toBe(measured.length)
      expect(all.modelCalls).toBe(server.requests.length)
      expect(all.modelCalls).toBeGreaterThan(5)
      expect(all.inputTokens).toBeGreaterThan(50)
      expect(fs.readFileSync(picture, "utf8")).toContain("% of")
    }))

  it.scoped("records the answers of a model, and measures them again without it", () =>
    Effect.gen(function*() {
      const server = yield* serve(dialects.find(({ name }) => name === "openai-compatible")!)
      server.does = [{ _tag: "Say", said: { text: "{}", json: {} } }]
      const file = path.join(temp, "answers.json")
      const bench = (...args: ReadonlyArray<string>) =>
        Effect.promise(() => run("bench/understanding.ts", "--most", "1", ...args))
      const recorded = yield* bench(
        ...["--provider=openai-compatible", "--base-url", `${server.url}/v1`, "--model", "tiny", "--record", file]
      )
      expect(recorded.code, recorded.err).toBe(0)
      const asked = server.requests.length
      expect(asked).toBeGreaterThan(5)
      const replayed = yield* bench("--replay", file)
      expect(replayed.code, replayed.err).toBe(0)
      expect(server.requests.length).toBe(asked)
      // A model whose answers are empty understands as much as one that answers nothing.
      const [, right] = /^all +(\S+)/m.exec(replayed.out) ?? []
      expect(replayed.out).toContain(`A model that answers nothing: ${right}`)
      expect(replayed.out).toMatch(/^flow +0\/\d+ +0 +0\/\d+$/m)
    }))
})

describe("`coxswain eval`", () => {
  const folder = path.join(temp, "labelled")
  const labelled = {
    now: "2027-03-10T09:00:00.000Z",
    conversations: [{
      language: "en",
      turns: [
        { user: "A table please", means: { flow: "Booking" } },
        { user: "for 4 guests", kind: "number", means: { fields: { guests: 4 } } },
        { user: "tomorrow", kind: "date", means: { fields: { day: "2027-03-11" } } },
        { user: "half of us only", kind: "number", means: { fields: { guests: 2 } } }
      ]
    }]
  }
  const evaluate = (content: object, ...args: ReadonlyArray<string>) => {
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, "table.json"), JSON.stringify(content))
    return run("src/cli/main.ts", "eval", folder, "--agent", "templates/desk/agent.ts", ...args)
  }

  it("measures an application's own agent, and takes the state before each message from the labels", async () => {
    const shown = await evaluate(labelled, "--svg", path.join(temp, "own.svg"))
    expect(shown.out, shown.err).toMatch(/^number\s+1\/2\s+50/m)
    expect(shown.out).toMatch(/^date\s+1\/1\s+100/m)
    expect(shown.out).toContain("number: half of us only\n  guests: expected 2, found 4")
    expect(shown.code).toBe(0)
    expect(fs.readFileSync(path.join(temp, "own.svg"), "utf8")).toContain("67 % of 3 messages")
    const { measured } = json((await evaluate(labelled, "--json")).out)
    expect(measured.map(({ kind }) => kind)).toEqual(["number", "date", "number"])
  })

  it("reports an unknown flow in a label and a misspelt key", async () => {
    const turns = [{ user: "A table please", kind: "flow", means: { flow: "tabel" } }]
    const misnamed = await evaluate({ conversations: [{ turns }] })
    expect(misnamed.out).toContain("the label names the flow \"tabel\", which is not asked there")
    const misspelt = await evaluate({ conversations: [{ turns: [{ user: "Hi", kind: "flow", meens: {} }] }] })
    expect(misspelt.err).toContain("conversations.0.turns.0.means: is missing")
    expect(misspelt.code).toBe(2)
  })
})
