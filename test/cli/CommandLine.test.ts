import type { LanguageModel } from "@effect/ai"
import { NodeContext, NodeFileSystem, NodeKeyValueStore } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import type { Agent, Errors } from "coxswain"
import { SessionStore } from "coxswain"
import * as KeyValue from "coxswain/layers/keyvalue"
import * as Offline from "coxswain/layers/offline"
import * as TurnLogs from "coxswain/layers/turn-log"
import { Effect, Layer, Option } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll } from "vitest"
import * as AgentFile from "../../src/cli/AgentFile.js"
import * as CommandLine from "../../src/cli/CommandLine.js"
import * as Screen from "../../src/cli/Screen.js"
import { pasted } from "../support/pasted.js"

const fixtures = path.join(import.meta.dirname, "../fixtures/cli")
const file = (name: string) => path.join(fixtures, name)

const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-cli-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

/** Runs a command line as a process would, and records its output. */
const coxswain = (...args: ReadonlyArray<string>) =>
  Effect.suspend(() => {
    let [out, err] = ["", ""]
    const screen = Screen.make({
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      isTerminal: false,
      colours: false
    })
    return CommandLine.run(["node", "coxswain", ...args]).pipe(
      Effect.provideService(Screen.Screen, screen),
      Effect.provide(NodeContext.layer),
      Effect.map((code) => ({ code, out, err }))
    )
  })

const trips = file("trips.mjs")
const yaml = path.join(import.meta.dirname, "../../templates/desk-yaml/agent.yaml")

describe("the `coxswain` command", () => {
  it.effect("without arguments lists every subcommand; `eval --help` lists the options of `eval`", () =>
    Effect.gen(function*() {
      const all = yield* coxswain()
      expect(all.code).toBe(0)
      for (const name of ["new", "chat", "serve", "check", "graph", "simulate", "replay", "eval", "sessions"]) {
        expect(all.out).toContain(`coxswain ${name}`)
      }
      expect((yield* coxswain("--help")).out).toBe(all.out)
      const one = yield* coxswain("eval", "--help")
      // A description stands right below the name, without sentences about types.
      expect(one.out).toContain("<folder>\n  where the conversations are")
      expect(one.out).not.toMatch(/piece of text|true or false|setting is optional|\n\n\n/)
      expect(one).toMatchObject({ code: 0, err: "" })
      expect(one.out).toContain("--junit")
      expect(one.out).not.toContain("\x1b")
    }))

  it.effect("wraps help texts at words, and prints subcommands with their full names", () =>
    Effect.gen(function*() {
      const all = yield* Effect.forEach([[], ["serve"], ["sessions"], ["sessions", "show"]], (args) =>
        coxswain(...args, "--help"))
      for (const { out } of all) {
        expect(
          out.split("\n").filter((line) =>
            line.length > 100
          )
        ).toEqual([])
      }
      const [, serve, sessions, show] = all.map(({ out }) => out)
      expect(serve).toContain("[--context file.json]\n    [--sessions text] [--log text] [--watch] [--cluster]")
      expect(sessions).toMatch(/^ {2}coxswain sessions list .+\n.*\n {4}Sessions, last updated first\.$/m)
      expect(show).toContain("\n$ coxswain sessions show [(-a, --agent text)]")
    }))

  it.effect.each(
    [
      [
        ["nope"],
        "coxswain has no command nope: it has chat, check, draft, eval, explain, graph, import, new, prompts, replay, serve, sessions, simulate."
      ],
      [["srve"], "coxswain has no command srve: did you mean serve?\nThe commands are chat, "],
      [["sesions", "list"], "did you mean sessions?"],
      [["sessions", "lst"], "coxswain sessions has no command lst: did you mean list?"],
      [["check", "--nope"], "there is no option --nope: coxswain check takes --strict, --json"],
      [["check", trips, "--strct"], "there is no option --strct: did you mean --strict?\ncoxswain check --help"],
      [["serve", trips, "--prt", "1"], "did you mean --port?"],
      [["serve", "--session", "x.db"], "did you mean --sessions?"],
      [["graph", trips, "--fromat=dot"], "did you mean --format?"],
      [["graph", trips, "-x", "dot"], "there is no option -x"],
      [["eval", "--jsn"], "did you mean --json?"],
      [["chat", "--verson"], "did you mean --version?"],
      [
        ["serve", trips, "--keep-alive", "0", "--sessions", "memory"],
        "--keep-alive: \"0\" is not a whole number from 1 to 3600"
      ],
      [["simulate", trips, "--turns", "many"], "--turns: \"many\" is not a whole number"],
      [["simulate", trips, "--noise", "2"], "--noise: \"2\" is not a number from 0 to 1"],
      [["graph", trips, "--format", "pdf"], "--format: \"pdf\" is not one of svg, mermaid, dot, json"],
      [["chat", trips, "--provider", "me"], "--provider: \"me\" is not one of offline, openai"],
      [["simulate", trips, "--turns"], "--turns has no value: it is followed by one.\ncoxswain simulate --help"],
      [["graph", "--format", "--session", "u1", trips], "--format has no value"],
      [["graph", trips, "-f"], "-f has no value"],
      [["draft"], "Missing argument <procedure>\ncoxswain draft --help says what it takes."],
      [["simulate", trips, "--turns", "0"], "nothing to simulate"],
      [["check", file("missing.mjs")], "there is no file"],
      [["check", file("no-default.mjs")], "it has no default export"],
      [["check", file("no-agent.mjs")], "neither Layer nor Effect"],
      [["check", file("impostor.mjs")], "makes something else"],
      [["check", file("throws.mjs")], "the file is broken"],
      [["check", file("needy.mjs")], "test/Crm, which nobody provides"],
      [["chat", trips, "--provider", "openai", "--sessions", "memory"], "without --model"],
      [["eval", file("nowhere"), "--agent", trips], "cannot be read"],
      [["eval", file("broken-conversations"), "--agent", trips], "replies"],
      [
        ["eval", file("nameless-conversations"), "--agent", trips],
        "turns.1.principal.id: is unexpected, expected: \"userId\" | \"roles\"; turns.1.principal.userId: is missing"
      ],
      [["sessions", "purge", "--agent", trips, "--sessions", "memory", "--older-than", "soon"], "no span of time"],
      [["sessions", "show", "u1", "--agent", trips, "--sessions", "memory"], "no session \"u1\""],
      [["sessions", "list", "--agent", trips, "--sessions", file("typo.db")], `nothing is at ${file("typo.db")}`],
      [["sessions", "show", "u1", "--agent", trips, "--sessions", file("typo")], "there are no sessions in"],
      [["sessions", "purge", "--agent", trips, "--sessions", file("typo.db"), "--older-than", "1 day"], "--sessions"],
      [["graph", trips, "--session", "u1", "--sessions", file("typo.db")], "there are no sessions in"],
      [["serve", trips, "--host", "0.0.0.0", "--port", "0", "--sessions", "memory"], "authenticate is missing"],
      [["replay", trips], "provides no TurnLog"],
      [["replay", trips, "--log", file("nowhere.jsonl")], "there is no log"],
      [["replay", trips, "--log", file("conversations/lisbon.json")], "no turn of the agent \"Trips\""],
      [["replay", trips, "--log", fixtures], "cannot be"],
      [["explain", "u1", "pay", "--agent", trips], "provides no TurnLog"],
      [["explain", "u1", "pay", "--agent", trips, "--log", file("nowhere.jsonl")], "there is no log"],
      [["sessions", "export", "u1", "--as", "test", "--agent", trips, "--sessions", "memory"], "provides no TurnLog"],
      [["chat", trips, "--sessions", file("trips.mjs/kept")], "Name another place with --sessions"],
      [["chat", trips, "--sessions", "memory", "--log", file("trips.mjs/turns.jsonl")], "Name another with --log"],
      [["serve", trips, "--watch", "--sessions", "memory"], "--watch takes documents only"],
      [["new", fixtures], "there are files in it"]
    ] as const
  )("prints what is wrong with the arguments %j, and exits with code 2", ([args, why]) =>
    Effect.gen(function*() {
      const { code, err, out } = yield* coxswain(...args)
      expect({ code, out }).toEqual({ code: 2, out: "" })
      expect(err).toContain(why)
      expect(err).not.toMatch(/\x1b|\n\s+at /)
      // A mistyped path is not created.
      expect(fs.readdirSync(fixtures).filter((name) => name.startsWith("typo"))).toEqual([])
    }))

  it.effect("accepts option values that look like options, for example `--seed -5`", () =>
    Effect.gen(function*() {
      const said = path.join(temp, "--strange.json")
      expect(yield* coxswain("graph", "-f", "json", "--output", said, trips)).toMatchObject({ code: 0, err: "" })
      expect(fs.existsSync(said)).toBe(true)
      expect(yield* coxswain("simulate", trips, "--turns", "3", "--seed", "-5")).toMatchObject({ code: 0 })
      expect(yield* coxswain("GRAPH".toLowerCase(), trips, "--FORMAT", "dot")).toMatchObject({ code: 0 })
      expect(yield* coxswain("check", "--log-level", "error", trips)).toMatchObject({ code: 0 })
    }))

  it.effect("`check` reports removed flows and steps, compared with an earlier definition or with stored sessions", () =>
    Effect.gen(function*() {
      const document = (name: string, more: string) => {
        const place = path.join(temp, name)
        fs.writeFileSync(
          place,
          `coxswain: 1\nname: Desk\ndata:\n  day: { type: string }\n  name: { type: string }\n${more}`
        )
        return place
      }
      const booking = (steps: string) =>
        `flows:\n  - id: booking\n    title: Booking\n    when: the guest wants to book\n    steps:\n${steps}`
      const [day, name] = ["day", "name"].map((id) =>
        `      - { id: ${id}, prompt: Ask for the ${id}, collect: [${id}] }\n`
      )
      const booked = "      - { id: booked, reply: \"{{data.day}}, {{data.name}}\" }\n"
      const bye = "  - { id: bye, title: Bye, when: the guest leaves, steps: [{ id: bye, reply: Bye! }] }\n"
      const before = document("before.yaml", booking(`${name}${day}${booked}`) + bye)
      const same = document("same.yaml", booking(`${name}${day}${booked}`) + bye)
      const after = document("after.yaml", booking(`${day}${name!.replace("id: name", "id: who")}${booked}`))
      expect(yield* coxswain("check", same, "--against", before)).toMatchObject({ code: 0 })
      const found = yield* coxswain("check", after, "--against", before, "--json")
      expect(found.code).toBe(1)
      expect(JSON.parse(found.out).findings).toMatchObject([
        { severity: "warning", code: "lost-position", path: "booking/name" },
        { severity: "error", code: "lost-position", path: "bye" }
      ])

      // With the earlier definition, the sessions in its flows keep their positions.
      const folderOfKept = path.join(temp, "kept")
      fs.mkdirSync(folderOfKept)
      fs.writeFileSync(
        path.join(folderOfKept, "registry.mjs"),
        `import { Agent } from "coxswain"
        import { Schema } from "effect"
        export default Agent.define({ data: Schema.Struct({}) }).registry({ values: { same: (session) => session } })`
      )
      const nested = `flows:\n${fs.readFileSync(before, "utf8").split("flows:\n")[1]}`.replaceAll(/^/gm, "      ")
        .trimStart()
      const kept = document(
        "kept/agent.yaml",
        `${
          booking(`${day}${name}${booked}`)
        }migrations:\n  version: 2\n  steps: { 1: { value: same } }\n  earlier:\n    - name: Desk\n      ${nested}`
      )
      expect((yield* coxswain("check", kept, "--against", before)).out).toContain("no findings")

      // A session that stands at the step, in a store.
      const folder = path.join(temp, "stored")
      const store = Layer.provide(KeyValue.layer(), NodeKeyValueStore.layerFileSystem(folder))
      yield* AgentFile.load(Option.some(before), Offline.layer).pipe(
        Effect.flatMap(({ agent }) => agent.begin("u1", { flow: "booking" })),
        Effect.scoped,
        Effect.provide([Layer.provide(store, NodeFileSystem.layer), NodeContext.layer])
      )
      expect(yield* coxswain("check", same, "--sessions", folder)).toMatchObject({ code: 0 })
      const stored = yield* coxswain("check", after, "--sessions", folder, "--strict", "--json")
      expect(stored.code).toBe(1)
      expect(JSON.parse(stored.out).findings).toMatchObject([
        { code: "lost-position", path: "booking/name", why: expect.stringContaining("1 stored sessions (u1)") }
      ])
      expect(yield* coxswain("check", after, "--sessions", path.join(temp, "nowhere"))).toMatchObject({ code: 2 })
      expect(yield* coxswain("check", after, "--against", file("refused.mjs"))).toMatchObject({ code: 2 })
    }))

  it.effect("`check` reports faults of a definition and then exits with code 1", () =>
    Effect.gen(function*() {
      expect(yield* coxswain("check", trips)).toMatchObject({ code: 0 })
      for (const name of ["service.mjs", "layer.mjs"]) {
        const found = yield* coxswain("check", file(name))
        expect(found.code).toBe(1)
        expect(found.out).toContain("unreachable-step  flows[0].steps[1]")
      }
      const refused = yield* coxswain("check", file("refused.mjs"), "--json")
      expect(refused.code).toBe(1)
      expect(JSON.parse(refused.out)).toMatchObject({
        agent: "Trips",
        findings: [{ severity: "error", path: expect.any(String) }]
      })
      const layer = yield* coxswain("check", file("refused-layer.mjs"))
      expect(layer).toMatchObject({ code: 1, out: expect.stringMatching(/^Trips: 1 error/) })
    }))

  it.effect("`check`, `graph`, `simulate`, `prompts` and `eval` accept an agent in YAML, with its registry of code", () =>
    Effect.gen(function*() {
      expect(yield* coxswain("check", yaml)).toEqual({
        code: 0,
        out: "Desk: no findings (2 flows, 4 steps, 13 turns walked)\n",
        err: ""
      })
      expect((yield* coxswain("graph", path.dirname(yaml), "--format", "dot")).out).toContain("Opening hours")
      const { code, out } = yield* coxswain("simulate", yaml, "--turns", "40", "--json")
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({ holds: true })
      expect((yield* coxswain("prompts", yaml, "--message", "A table for two")).out).toContain("book a table")
      const played = path.join(import.meta.dirname, "../../templates/desk/conversations")
      expect((yield* coxswain("eval", played, "--agent", yaml)).out).toMatch(/^all +2\/2/m)
    }))

  it.effect("`check` and `serve` report the errors in a YAML agent with their positions, and exit with code 1", () =>
    Effect.gen(function*() {
      const faulty = path.join(temp, "faulty.yaml")
      fs.writeFileSync(faulty, "name: Trips\nflows:\n  - title: Trip\n    steps:\n      - reply: To {{data.cty}}!\n")
      const found = yield* coxswain("check", faulty)
      expect([found.code, found.err]).toEqual([1, ""])
      expect(found.out).toContain(`${faulty}:5:26 flows[0].steps[0].reply`)
      for (const more of [[], ["--watch"]]) {
        const refused = yield* coxswain("serve", faulty, "--port", "0", "--sessions", "memory", ...more)
        expect([refused.code, refused.out]).toEqual([1, ""])
        expect(refused.err).toContain(`${faulty}:5:26 [DocumentError] unknown field "cty" of data`)
      }
    }))

  it.effect("`graph` draws a definition in several formats", () =>
    Effect.gen(function*() {
      expect((yield* coxswain("graph", trips, "--format", "mermaid")).out).toContain("flowchart TD")
      expect((yield* coxswain("graph", trips, "--format", "dot")).out).toContain("digraph")
      const drawing = path.join(temp, "trips.svg")
      expect((yield* coxswain("graph", trips, "--output", drawing)).code).toBe(0)
      expect(fs.readFileSync(drawing, "utf8")).toContain("<svg")
      const output = path.join(temp, "graph.json")
      expect((yield* coxswain("graph", trips, "-f", "json", "-o", output)).out).toBe("")
      expect(JSON.parse(fs.readFileSync(output, "utf8")).agent).toBe("Trips")
    }))

  it.effect("`simulate` plays generated conversations and prints the result as JSON", () =>
    Effect.gen(function*() {
      const { code, out } = yield* coxswain("simulate", trips, "--turns", "40", "--json")
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({ holds: true, seed: 1, turns: expect.any(Number) })
    }))

  it.effect("`simulate` fails if a handler dies, and warns of parts of the definition that were never reached", () =>
    Effect.gen(function*() {
      const args = ["--turns", "30", "--seed", "5"]
      const died = yield* coxswain("simulate", file("dying.mjs"), ...args)
      expect(died.code).toBe(1)
      expect(died.out).toMatch(
        /found tool "pay" died \d+ times, first of: RuntimeException: the till is locked \(seed 5\)/
      )
      expect(died.out).not.toContain("everything held")
      const json = yield* coxswain("simulate", file("dying.mjs"), ...args, "--json")
      expect(json.code).toBe(1)
      expect(JSON.parse(json.out)).toMatchObject({ holds: false, invariant: "no code dies", seed: 5 })

      const warned = yield* coxswain("simulate", file("sparing.mjs"), ...args)
      expect(warned.code).toBe(0)
      expect(warned.out.split("\n").slice(-3)).toEqual([
        expect.stringContaining("everything held (seed 5)"),
        "warning: never came to tool \"hidden\"",
        ""
      ])
      const strict = yield* coxswain("simulate", file("sparing.mjs"), ...args, "--strict", "--json")
      expect(strict.code).toBe(1)
      expect(JSON.parse(strict.out)).toMatchObject({ holds: true, never: ["tool hidden"] })
      expect((yield* coxswain("simulate", trips, "--turns", "300", "--strict")).code).toBe(0)
    }))

  it.effect("`eval` plays recorded conversations and writes a JUnit report", () =>
    Effect.gen(function*() {
      const junit = path.join(temp, "deep/junit.xml")
      const args = ["--agent", trips, "--repeat", "2", "--junit", junit]
      const good = yield* coxswain("eval", file("conversations"), ...args)
      expect(good.out).toContain("lisbon.json   2/2")
      expect(good.code).toBe(0)
      expect(fs.readFileSync(junit, "utf8")).toContain(`<testsuite name="Trips" tests="2" failures="0"`)

      const folder = path.join(temp, "conversations")
      fs.mkdirSync(folder)
      fs.writeFileSync(
        path.join(folder, "bad.json"),
        JSON.stringify({
          name: "<bad> & \"worse\"",
          turns: [{
            user: "I want to travel to Lisbon for 40 guests",
            expect: { data: { guests: 40 }, tools: ["cancel"], rejected: ["guests"], reply: "/nowhere/i" }
          }, { user: "never said" }]
        })
      )
      const bad = yield* coxswain("eval", folder, ...args)
      expect(bad.code).toBe(1)
      for (
        const why of ["expected guests 40, found nothing", "a call of \"cancel\", found no tool call", "\"/nowhere/i\""]
      ) {
        expect(bad.out).toContain(why)
      }
      expect(bad.out).not.toContain("to be rejected")
      expect(bad.out).not.toContain("never said")
      const xml = fs.readFileSync(junit, "utf8")
      expect(xml).toContain(`name="&lt;bad&gt; &amp; &quot;worse&quot; #1"`)
      expect(xml).toContain(`failures="2"`)
    }))

  it.effect("`eval` decides a call that requires a role as the principal of the turn, and says how to name one", () =>
    Effect.gen(function*() {
      const folder = path.join(temp, "refunds")
      fs.mkdirSync(folder)
      const played = (decision: object, reply?: string) => {
        const turns = [
          { user: "I want a refund", expect: { reply: "asked my manager" } },
          { ...decision, ...(reply !== undefined && { expect: { reply } }) }
        ]
        fs.writeFileSync(path.join(folder, "refund.json"), JSON.stringify({ turns }))
        return coxswain("eval", folder, "--agent", file("refunds.mjs"))
      }
      const max = { userId: "max", roles: ["manager"] }
      expect((yield* played({ approve: true, principal: max }, "Your receipt is R1")).code).toBe(0)
      expect((yield* played({ approve: false, principal: max }, "My manager said no")).code).toBe(0)

      const refused = [
        [{ approve: true }, { userId: "ann", roles: ["manager"] }],
        [{ approve: false, principal: { userId: "eve" } }, { userId: "eve", roles: ["manager"] }],
        [{ approve: true, principal: { userId: "eve", roles: ["clerk"] } }, {
          userId: "eve",
          roles: ["clerk", "manager"]
        }]
      ] as const
      for (const [decision, principal] of refused) {
        const { code, out } = yield* played(decision)
        expect(code).toBe(1)
        const advised = { approve: decision.approve, principal }
        expect(out).toContain(`must have the role "manager"`)
        expect(out).toContain(`In the file: ${JSON.stringify(advised)}`)
        expect((yield* played(advised)).code).toBe(0)
      }
      // A role without a user is refused, not left out.
      expect((yield* played({ approve: true, principal: { roles: ["manager"] } })).code).toBe(2)
      expect((yield* played({ approve: true, roles: ["manager"] })).code).toBe(2)
      // A failure for another reason has no advice about roles.
      const twice = yield* played({ approve: true, principal: max }, "nothing of the kind")
      expect(twice.code).toBe(1)
      expect(twice.out).not.toContain("In the file")
    }))

  it.effect("`sessions` lists, shows, exports, removes and purges stored sessions", () =>
    Effect.gen(function*() {
      const place = ["--agent", trips, "--sessions", path.join(temp, "sessions")]
      const none = yield* coxswain("sessions", "list", "--agent", trips, "--sessions", "memory")
      expect(none.out).toContain("no sessions")
      const { agent } = yield* Effect.promise(() => stored(path.join(temp, "sessions")))
      yield* agent("u1", "I want to travel to Lisbon")
      yield* agent("u1", "For 2 guests")
      yield* agent("u2", "I want to travel to Porto")
      const list = yield* coxswain("sessions", "list", ...place)
      expect(list.out.split("\n").slice(0, 3).map((line) => line.split(/\s/)[0])).toEqual(["session", "u2", "u1"])
      expect(JSON.parse((yield* coxswain("sessions", "list", "--limit", "1", "--json", ...place)).out)).toHaveLength(1)
      const shown = yield* coxswain("sessions", "show", "u1", ...place)
      expect(shown.out).toContain("data: {\"city\":\"Lisbon\",\"guests\":2}")
      // Messages are data: control sequences in them do not reach the terminal.
      expect(shown.out).toContain("assistant  Lisbon for 2: a good trip! [31mred[0m")
      const exported = JSON.parse((yield* coxswain("sessions", "export", "u1", ...place)).out)
      expect(exported).toMatchObject({ id: "u1", version: 2, session: { data: { city: "Lisbon" } } })
      expect(exported.messages).toHaveLength(4)
      const sessions = ["--sessions", path.join(temp, "sessions")]
      expect((yield* coxswain("graph", trips, "-f", "mermaid", "--session", "u2", ...sessions)).out)
        .toMatch(/s0.*:::current/)
      expect((yield* coxswain("sessions", "remove", "u1", ...place)).out).toContain("removed: u1")
      expect((yield* coxswain("sessions", "purge", "--older-than", "1 day", ...place)).out).toContain("removed: 0")
      expect((yield* coxswain("sessions", "list", ...place)).out).toContain("u2")
    }))

  it.effect("`replay` replays a turn log, and a stored session can be exported as a test", () =>
    Effect.gen(function*() {
      const log = path.join(temp, "turns.jsonl")
      const { agent } = yield* Effect.promise(() => stored(path.join(temp, "recorded"), log))
      yield* agent("u1", "I want to travel to Lisbon")
      yield* agent("u1", "For 2 guests")
      yield* agent("\u2028 \u009b", "I want to travel to Porto")
      const all = yield* coxswain("replay", trips, "--log", log)
      expect(all).toEqual({ code: 0, out: "Trips: 3 of 3 turns as they were, in 2 sessions.\n", err: "" })
      const one = yield* coxswain("replay", trips, "--log", log, "--session", "u1", "--json")
      expect(JSON.parse(one.out)).toMatchObject({ turns: 2, sessions: [{ sessionId: "u1", reproduced: 2 }] })
      expect((yield* coxswain("replay", trips, "--log", log, "--session", "u2")).err).toContain(
        "no turn of the agent \"Trips\" in a session \"u2\""
      )

      // A changed agent: the output says where it differs, and the exit code is 1.
      const other = yield* coxswain("replay", file("trips-since.mjs"), "--log", log)
      expect([other.code, other.err]).toEqual([1, ""])
      expect(other.out).toContain("u1, turn 1 (\"I want to travel to Lisbon\"): another step")

      const output = path.join(temp, "deeper.test.ts")
      const exported = (id: string, ...more: ReadonlyArray<string>) =>
        coxswain("sessions", "export", id, "--as", "test", "--agent", trips, "--log", log, ...more)
      expect(yield* exported("u1", "--output", output)).toEqual({ code: 0, out: "", err: "" })
      const program = fs.readFileSync(output, "utf8")
      expect(program).toContain(`import agent from "${path.relative(temp, trips)}"`)
      yield* pasted(imported(program), (yield* Effect.promise(() => made)).default)
      const odd = yield* exported("\u2028 \u009b")
      yield* pasted(imported(odd.out), (yield* Effect.promise(() => made)).default)
      expect((yield* exported("u2")).err).toContain("no turn of this session")
      for (const [name, how] of [["service.mjs", "made"], ["layer.mjs", "exports a Layer"]] as const) {
        const args = ["sessions", "export", "u1", "--as", "test", "--agent", file(name), "--log", log]
        expect((yield* coxswain(...args))[how === "made" ? "out" : "err"]).toContain(
          how === "made" ? "const agent = Effect.provide(Made, Made.layer)" : how
        )
      }
    }))

  it.effect("`new` creates a project", () =>
    Effect.gen(function*() {
      const folder = path.join(temp, "My Desk")
      expect((yield* coxswain("new", folder)).out).toContain("npm test")
      expect(fs.readdirSync(folder).sort()).toEqual([
        ".gitignore",
        "README.md",
        "agent.ts",
        "conversations",
        "package.json",
        "test",
        "tsconfig.json"
      ])
      const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))
      expect(manifest).toMatchObject({ name: "my-desk", type: "module" })
      const wanted = { ...manifest.dependencies, ...manifest.devDependencies }
      expect(Object.entries(wanted).filter(([, version]) => version === "*")).toEqual([])
      expect((yield* coxswain("new", folder)).code).toBe(2)
    }))

  it.effect("`new --yaml` creates a project whose flows are in a YAML file", () =>
    Effect.gen(function*() {
      const folder = path.join(temp, "desk-yaml")
      expect((yield* coxswain("new", folder, "--yaml")).code).toBe(0)
      expect(fs.readdirSync(folder).sort()).toEqual([
        ...[".gitignore", "README.md", "agent.yaml", "conversations", "package.json"],
        ...["registry.ts", "test", "tsconfig.json"]
      ])
      expect(fs.readFileSync(path.join(folder, "test/desk.test.ts"), "utf8")).toContain("agent.yaml")
      const { dependencies } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))
      expect(dependencies).toMatchObject({ yaml: expect.any(String), "@marcbachmann/cel-js": expect.any(String) })
      expect(Object.values(dependencies)).not.toContain("*")
      expect(yield* coxswain("check", path.join(folder, "agent.yaml"))).toMatchObject({ code: 0 })
    }))
})

type Making = Effect.Effect<
  Agent.Agent<object, object>,
  Errors.FlowConfigurationError,
  LanguageModel.LanguageModel | SessionStore.SessionStore
>

const made: Promise<{ readonly default: Making }> = import(trips)

/** A program without its imports; `pasted` provides those names. */
const imported = (program: string): string =>
  program.replace(/^import .*$/gm, "").replace(/^const \{.*\} = ScriptedModel$/m, "")

describe("`coxswain explain`, which explains a recorded tool call", () => {
  let logs = 0
  const explained = (message: string, ...more: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const log = path.join(temp, `explain-${logs++}.jsonl`)
      const policed: Promise<{ readonly default: Making }> = import(file("policed.mjs"))
      const { default: make } = yield* Effect.promise(() => policed)
      yield* Effect.flatMap(make, (agent) => agent.respond({ sessionId: "u1", message })).pipe(
        Effect.provide([
          Offline.layer,
          SessionStore.layerMemory,
          Layer.provide(TurnLogs.layerFile({ path: log }), NodeFileSystem.layer)
        ])
      )
      return yield* coxswain("explain", "u1", ...more, "--agent", file("policed.mjs"), "--log", log)
    })

  it.live("prints the policy that refused the call, the values that the policy read, and the arguments' origins", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* explained("I want to pay 90 euros", "pay")
      expect([code, err]).toEqual([0, ""])
      expect(out.replace(/call \S+,/, "call c1,").replace(/at \S+Z/, "at then").trimEnd().split("\n")).toEqual([
        "pay {\"team\":\"a\",\"euros\":90}: denied",
        "call c1, of the turn \"I want to pay 90 euros\"",
        "team comes from the application",
        "euros comes from the user",
        "flows[0].steps[2].call.policies[0] refuses pay: a team pays at most what is left",
        "  this call's euros: 90",
        "  left of the result of \"get_budget\" with team = this call's team: 60",
        "  this call's team: \"a\"",
        "  read: get_budget {\"team\":\"a\"} at then"
      ])
    }))

  it.live("prints a call that no turn made from the log of calls in the session", () =>
    Effect.gen(function*() {
      yield* explained("I want to pay 50 euros", "pay")
      const log = path.join(temp, `explain-${logs - 1}.jsonl`)
      const made = {
        id: "job_1",
        callId: "job_1",
        toolId: "audit",
        at: "2027-01-31T09:00:00.000Z",
        outcome: "done",
        args: { euros: 50 },
        result: {},
        origins: { euros: [{ kind: "agent", job: "llm.generate" }] }
      }
      const lines = fs.readFileSync(log, "utf8").trimEnd().split("\n").map((line) => {
        const entry = JSON.parse(line)
        for (const { session } of entry.written ?? []) session.callLog = { calls: [made] }
        return JSON.stringify(entry)
      })
      fs.writeFileSync(log, `${lines.join("\n")}\n`)
      const explain = (...more: ReadonlyArray<string>) =>
        coxswain("explain", "u1", ...more, "--agent", file("policed.mjs"), "--log", log)
      expect((yield* explain("audit")).out.trimEnd().split("\n")).toEqual([
        "audit {\"euros\":50}: done",
        "call job_1, at 2027-01-31T09:00:00.000Z, in the log of calls",
        "euros comes from the report of the job \"llm.generate\""
      ])
      expect(JSON.parse((yield* explain("job_1", "--json")).out)).toMatchObject({ callId: "job_1" })
    }))

  it.live("prints the policies that allowed the call; with `--json`, prints them as JSON", () =>
    Effect.gen(function*() {
      const { out } = yield* explained("I want to pay 50 euros", "pay")
      expect(out).toContain("policies[0] allows pay")
      expect(out).toContain("policies[1] allows pay: at most once for the same team")
      const json = yield* explained("I want to pay 50 euros", "pay", "--json")
      expect(JSON.parse(json.out)).toMatchObject({
        toolId: "pay",
        outcome: "ok",
        policies: [{ met: true }, { met: true }]
      })
      const free = yield* explained("I want to pay 50 euros.", "get_budget")
      expect(free.out).toContain("no policy was checked for this call")
    }))

  it.live("exits with code 2 if the session has no call of the named tool", () =>
    Effect.gen(function*() {
      const { code, err } = yield* explained("I want to pay 50 euros!!", "refund")
      expect(code).toBe(2)
      expect(err).toContain("no call \"refund\" in the session \"u1\"")
    }))
})

/** The fixture's agent on the sessions of a folder; its turns are recorded to `log` if given. */
const stored = async (folder: string, log?: string) => {
  const { default: make } = await made
  const turns = log === undefined
    ? Layer.empty
    : Layer.provide(TurnLogs.layerFile({ path: log }), NodeFileSystem.layer)
  return {
    agent: (sessionId: string, message: string) =>
      Effect.flatMap(make, (agent) => agent.respond({ sessionId, message })).pipe(
        Effect.provide([
          Offline.layer,
          Layer.provide(KeyValue.layer(), NodeKeyValueStore.layerFileSystem(folder)),
          turns
        ])
      )
  }
}
