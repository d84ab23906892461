/** The import of a Rasa project; `test/system/rasa.test.ts` runs the tests that it writes. */
import { describe, expect, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll } from "vitest"
import * as Import from "../../../src/cli/rasa/Import.js"

const fixtures = path.join(import.meta.dirname, "../../fixtures/rasa")
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "coxswain-rasa-"))
afterAll(() => fs.rmSync(temp, { recursive: true, force: true }))

/** Imports a project with these files. */
const imported = (files: Readonly<Record<string, string>>) => {
  const folder = fs.mkdtempSync(path.join(temp, "project-"))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  return Import.run(folder)
}

const notes = (files: Readonly<Record<string, string>>) =>
  imported(files).notes.map(({ file, line, what }) => `${file}:${line} ${what}`)

const flow = (steps: string): string => `flows:\n  a:\n    description: Does it.\n    steps:\n${steps}`

describe("the import of a Rasa project", () => {
  it.each(
    [["bank", "imported"], ["clinic", "imported-clinic"], ["names", "imported-names"], [
      "payments",
      "imported-payments"
    ]] as const
  )(
    "the import writes documents, stubs, tests and a report of the project %s",
    (project, expected) => {
      const { files } = Import.run(path.join(fixtures, project))
      const folder = path.join(fixtures, expected)
      for (const [name, text] of files) expect(text, name).toBe(fs.readFileSync(path.join(folder, name), "utf8"))
      const written = fs.readdirSync(folder, { recursive: true }).filter((name) => /\.\w+$/.test(String(name)))
      expect(written).toHaveLength(files.size)
    }
  )

  it.each<readonly [string, string, string]>([
    ["an unknown kind of step", flow("      - think: hard\n"), "f.yml:5 a step of another kind"],
    ["an unknown option of a step", flow("      - collect: x\n        colour: red\n"), "f.yml:6 step ask_x: colour"],
    [
      "an unknown option of a flow",
      "flows:\n  a:\n    steps: [{ noop: true }]\n    block_digressions: true\n",
      "f.yml:4 flow a: block_digressions"
    ],
    ["a call of an agent", flow("      - call: researcher\n"), "f.yml:5 step: call researcher"],
    ["a flow that calls itself", flow("      - call: a\n"), "f.yml:5 step: call a"],
    ["a link to nowhere", flow("      - link: b\n"), "f.yml:5 step b: link b"],
    ["a response that is missing", flow("      - action: utter_x\n"), "f.yml:5 step: action utter_x"],
    ["a default action", flow("      - action: action_restart\n"), "f.yml:5 step: action action_restart"],
    ["a question without words", flow("      - collect: x\n"), "f.yml:5 step ask_x: no response utter_ask_x"],
    [
      "a condition on the context",
      flow("      - noop: true\n        next:\n          - if: context.x\n            then: END\n"),
      "f.yml:7 condition context.x: context.x is no slot"
    ],
    ["a flow without steps", "flows:\n  a:\n    description: Nothing.\n", "f.yml:2 flow a: no steps"],
    ["a file that is no YAML", "flows: [\n", "f.yml:2 no YAML"],
    ["a name at the top", "surprise: 1\n", "f.yml:1 surprise"],
    ["a form", "forms:\n  f: { required_slots: [a] }\n", "f.yml:1 domain: forms"],
    ["a slot of another type", "slots:\n  s: { type: mine.Slot }\n", "f.yml:2 slot s: type mine.Slot"],
    [
      "a response that shows a slot which changes in the same turn",
      flow("      - action: utter_a\n      - set_slots: [{ day: null }]\n      - collect: day\n") +
      "slots:\n  day: { type: text }\nresponses:\n  utter_a: [{ text: \"Not on {day}.\" }]\n",
      "f.yml:5 response utter_a shows day, which is set before the response is said"
    ],
    ["a response with an image", "responses:\n  utter_a:\n    - image: x.png\n", "f.yml:3 response utter_a: image"]
  ])("the import reports %s", (_, text, note) => {
    expect(notes({ "f.yml": text }).join("\n")).toContain(note)
  })

  it("a slot that is compared with a value of another type holds that type, too, and the report says so", () => {
    const { files, notes } = Import.run(path.join(fixtures, "payments"))
    expect(files.get("flows/transfer.yaml")).toContain("has(data.confirmed) && data.confirmed == true")
    expect(files.get("agent.yaml")).toMatch(/confirmed:\n {4}anyOf:\n {6}- type: string\n {6}- type: boolean/)
    expect(notes.map(({ what }) => what)).toContain(
      "slot confirmed: text, but it is compared in project.yml:23 with bool"
    )
  })

  it("actions that no flow runs are reported; a slot that a step clears stays the result of its action", () => {
    const { files, notes } = Import.run(path.join(fixtures, "payments"))
    const unused = notes.flatMap(({ what }) => /^action (\w+): no flow/.exec(what)?.[1] ?? [])
    expect(unused).toEqual(["action_unused", "action_ask_recipient"])
    expect(files.get("registry.ts")).toMatch(/check: \{ reads: [^\n]+ sets: Schema.Struct\(\{ ok: /)
  })

  it("the checks of a slot are asked before those of the step, and a correction leads back to the step", () => {
    const { files } = Import.run(path.join(fixtures, "payments"))
    const steps = files.get("flows/transfer.yaml")!
    expect(steps.indexOf("data.amount <= 0.0")).toBeLessThan(steps.indexOf("data.amount > 5000.0"))
    expect(steps).toContain("Say first: \"Too little.\" Then ask: \"Again, how much?\"")
    expect(steps).toContain("dependsOn:\n      - amount")
  })

  it("cancelling is a branch of the agent, and its words are said when no flow is active", () => {
    const agent = Import.run(path.join(fixtures, "payments")).files.get("agent.yaml")!
    expect(agent).toContain("when: the user cancels what is under way")
    expect(agent).toContain("abort: cancelled by the user")
    expect(agent).toContain("Okay, stopping .")
  })

  it("a response before a question is said with it; with what comes then, if the question is not asked", () => {
    const { files, notes } = imported({
      "f.yml": flow(
        "      - action: utter_a\n      - collect: x\n      - action: do_it\n        next:\n" +
          "          - if: slots.ok\n            then: [{ action: utter_b, next: END }]\n" +
          "          - else: [{ action: utter_c, next: END }]\n"
      ) + "slots: { x: { type: text }, ok: { type: bool } }\nactions: [do_it]\nresponses:\n" +
        "  utter_a: [{ text: One. }]\n  utter_b: [{ text: Two. }]\n  utter_c: [{ text: Three. }]\n" +
        "  utter_ask_x: [{ text: What? }]\n"
    })
    const steps = files.get("flows/a.yaml")!
    expect(steps).toContain("Say first: \"One.\" Then ask: \"What?\"")
    expect(steps).toContain("if: has(data.x)")
    expect(steps).toContain("One.\n\n      Two.")
    expect(steps).toContain("One.\n\n      Three.")
    expect(steps.match(/tool: do_it/g)).toHaveLength(2)
    expect(notes).toEqual([])
  })

  it("a response before a link is said by the linked flow's first step, whose steps then stand in the flow", () => {
    const project = (last: string) =>
      "flows:\n  a:\n    description: Does it.\n    steps: [{ action: utter_a }, { link: b }]\n" +
      `  b:\n    description: Does more.\n    steps: [{ collect: x }, { action: utter_b }, { link: ${last} }]\n` +
      "  c: { description: Ends, steps: [{ action: utter_c }] }\n" +
      "slots: { x: { type: text } }\nresponses: { utter_a: [{ text: One. }], utter_b: [{ text: Two. }], " +
      "utter_c: [{ text: Three. }], utter_ask_x: [{ text: What? }] }\n"
    const { files, notes } = imported({ "f.yml": project("c") })
    const steps = files.get("flows/a.yaml")!
    expect(steps).toContain("Say first: \"One.\" Then ask: \"What?\"")
    expect(steps).toContain("Two.\n\n      Three.")
    expect(steps).not.toContain("goTo")
    expect(notes).toEqual([])
    // A flow that leads back to itself stays a link.
    const round = imported({ "f.yml": project("a") })
    expect(round.files.get("flows/a.yaml")).toContain("goTo: a")
  })

  it("an action that checks a slot is called once it has a value, and the slot is asked for again if it takes it away", () => {
    const { files, notes } = imported({
      "f.yml": flow("      - collect: x\n      - action: utter_a\n") +
        "slots: { x: { type: text } }\nactions: [validate_x]\n" +
        "responses: { utter_ask_x: [{ text: What? }], utter_a: [{ text: One. }] }\n"
    })
    const steps = files.get("flows/a.yaml")!
    expect(steps).toMatch(
      /id: ask_x\n[^]*id: ask_x_validate_x\n {4}call:\n {6}tool: validate_x\n {6}arguments:\n {8}x: data.x\n/
    )
    expect(files.get("agent.yaml")).toContain("clear:\n      - says")
    expect(files.get("registry.ts")).toContain("sets.x === null ? { clear: [\"x\"] } : {}")
    expect(notes).toEqual([])
  })

  it("action_session_start runs before the first message, and sets what flows read and no other action sets", () => {
    const { files, notes } = imported({
      "f.yml": flow("      - action: utter_a\n") +
        "slots: { name: { type: text } }\nactions: [action_session_start]\nresponses: { utter_a: [{ text: \"Hi {name}\" }] }\n"
    })
    expect(files.get("agent.yaml")).toContain("hook: action_session_start")
    expect(files.get("registry.ts")).toContain(
      "action_session_start: { reads: Schema.Struct({}), sets: Schema.Struct({ name: Schema.optional(Schema.NullOr(Schema.String)) }) }"
    )
    expect(notes).toEqual([])
  })

  it("steps stand in the order in which a conversation comes to them, so that a value taken back is asked for again", () => {
    const steps = imported({
      "f.yml": flow(
        "      - collect: x\n        next:\n          - if: slots.x\n            then: [{ collect: y, next: last }]\n" +
          "          - else: last\n      - id: last\n        collect: z\n"
      ) + "slots: { x: { type: bool }, y: { type: text }, z: { type: text } }\nresponses:\n" +
        "  utter_ask_x: [{ text: A? }]\n  utter_ask_y: [{ text: B? }]\n  utter_ask_z: [{ text: C? }]\n"
    }).files.get("flows/a.yaml")!
    expect(Array.from(steps.matchAll(/- id: (\w+)/g), ([, id]) => id)).toEqual(["ask_x", "ask_y", "last"])
  })

  it("an action gets the slots that a step before has asked for and none has cleared; Rasa does not ask again for others", () => {
    const steps = imported({
      "f.yml": flow(
        "      - collect: x\n      - action: one\n      - set_slots: [{ x: null }]\n      - action: two\n      - collect: y\n" +
          "      - action: three\n"
      ) + "slots: { x: { type: text }, y: { type: text } }\nactions: [one, two, three]\n"
    }).files.get("flows/a.yaml")!
    expect(steps).toMatch(/tool: one\n {6}arguments:\n {8}x: data.x\n {2}-/)
    expect(steps).toMatch(/tool: two\n {6}arguments: \{\}/)
    expect(steps).toMatch(/tool: three\n {6}arguments:\n {8}y: data.y\n/)
  })

  it("a slot that a flow clears before its last words is cleared by the flow's end, unless the flow keeps it", () => {
    const project = (collect: string) =>
      flow(
        `      - collect: x\n${collect}      - action: utter_a\n      - set_slots: [{ x: null }, { y: null }]\n      - action: utter_b\n`
      ) + "slots: { x: { type: text }, y: { type: text } }\n" +
      "responses: { utter_ask_x: [{ text: What? }], utter_a: [{ text: \"It is {x}.\" }], utter_b: [{ text: Else? }] }\n"
    const { files, notes } = imported({ "f.yml": project("") })
    expect(files.get("flows/a.yaml")).toContain("It is {{data.x}}.\n\n      Else?")
    expect(files.get("flows/a.yaml")).toContain("clear:\n        - y\n")
    expect(notes).toEqual([])
    const kept = imported({ "f.yml": project("        reset_after_flow_ends: false\n") }).files.get("flows/a.yaml")
    expect(kept).toContain("clear:\n        - x\n        - y\n")
  })

  it("a flow that listens waits for a message", () => {
    const { files, notes } = imported({
      "f.yml": flow("      - id: one\n        action: do_it\n      - action: action_listen\n        next: one\n") +
        "actions: [do_it]\n"
    })
    expect(files.get("flows/a.yaml")).toContain(
      "- id: action_listen\n    prompt: Answer the user\n    branches:\n      - then: one"
    )
    expect(notes.map(({ what }) => what)).toEqual(["step action_listen: action_listen"])
  })

  it("a question is not said in two ways if a branch has found that its slot has no value", () => {
    const steps = imported({
      "f.yml": flow(
        "      - noop: true\n        next:\n          - if: slots.x is not null\n            then: last\n" +
          "          - else: [{ action: utter_a }, { collect: x, next: last }]\n      - id: last\n        action: utter_b\n"
      ) + "slots: { x: { type: text } }\n" +
        "responses: { utter_ask_x: [{ text: What? }], utter_a: [{ text: One. }], utter_b: [{ text: Two. }] }\n"
    }).files.get("flows/a.yaml")!
    expect(steps).toContain("Say first: \"One.\" Then ask: \"What?\"")
    expect(steps).not.toContain("One.\n\n")
  })

  it("steps in a circle are joined once", () => {
    const { files } = imported({
      "f.yml": flow(
        "      - id: one\n        action: utter_a\n      - action: utter_b\n        next: one\n"
      ) + "responses: { utter_a: [{ text: One. }], utter_b: [{ text: Two. }] }\n"
    })
    expect(files.get("flows/a.yaml")!.match(/One\./g)!.length).toBeLessThan(3)
  })

  it("a flow can begin again; a slot with an initial value is not asked for, and may be stated", () => {
    const { files, notes } = imported({
      "f.yml": flow("      - collect: x\n      - collect: y\n") +
        "slots: { x: { type: bool, initial_value: false }, y: { type: text } }\n" +
        "responses: { utter_ask_y: [{ text: What? }] }\n"
    })
    const steps = files.get("flows/a.yaml")!
    expect(steps).toContain("reentrant: keep")
    expect(steps).toContain("optionalFields:\n  - x")
    expect(steps).toContain("initialData:\n  x: false")
    expect(steps).not.toContain("collect:\n      - x")
    expect(notes.map(({ what }) => what)).toEqual(["step ask_x: its slot has an initial value"])
  })

  it("a slot with an initial value that a step clears is asked for", () => {
    const steps = imported({
      "f.yml": flow("      - set_slots: [{ x: null }]\n      - collect: x\n") +
        "slots: { x: { type: bool, initial_value: false } }\nresponses: { utter_ask_x: [{ text: What? }] }\n"
    }).files.get("flows/a.yaml")!
    expect(steps).toContain("collect:\n      - x")
  })

  it("a button whose payload is an answer is a choice, if the slot holds the answer", () => {
    const { files, notes } = imported({
      "f.yml": flow("      - collect: x\n      - collect: y\n") +
        "slots: { x: { type: bool }, y: { type: categorical, values: [big, small] } }\nresponses:\n" +
        "  utter_ask_x: [{ text: Sure?, buttons: [{ title: Sure, payload: \"yes\" }, { title: Nope, payload: \"no\" }] }]\n" +
        "  utter_ask_y: [{ text: Size?, buttons: [{ title: L, payload: Big }, { title: M, payload: middle }] }]\n"
    })
    const steps = files.get("flows/a.yaml")!
    expect(steps).toContain("- value: true\n        label: Sure")
    expect(steps).toContain("- value: false\n        label: Nope")
    expect(steps).toContain("- value: big\n        label: L")
    expect(notes.map(({ what }) => what)).toEqual(["response utter_ask_y: button M"])
  })

  it("an action that asks is a template, and every other action of the domain has a stub", () => {
    const { files } = imported({
      "f.yml": flow("      - collect: x\n") + "slots: { x: { type: text } }\nactions: [action_ask_x, unused]\n"
    })
    expect(files.get("flows/a.yaml")).toContain("template: action_ask_x")
    expect(files.get("registry.ts")).toContain("action_ask_x: ({ data }) => `Ask for x`")
    expect(files.get("registry.ts")).toContain("unused: () => Effect.succeed({})")
    expect(files.get("registry.ts")).not.toContain("action_ask_x: () =>")
  })

  describe("the meaning of a message in a test that does not tell it", () => {
    const project = flow(
      "      - collect: who\n      - id: how_much\n        collect: amount\n      - action: check\n        next:\n" +
        "          - if: not slots.ok\n            then: [{ action: utter_no }, { set_slots: [{ amount: null }], next: how_much }]\n" +
        "          - else: [{ collect: sure, ask_before_filling: true, next: [{ if: slots.sure, then: [{ action: utter_done, next: END }] }, { else: END }] }]\n"
    ) + "  other:\n    description: Something else.\n    steps: [{ action: utter_other }]\n" +
      "slots: { who: { type: text }, amount: { type: float }, ok: { type: bool }, sure: { type: bool } }\nactions: [check]\n" +
      "responses:\n  utter_ask_who: [{ text: Who? }]\n  utter_ask_amount: [{ text: How much? }]\n  utter_no: [{ text: Too much. }]\n" +
      "  utter_ask_sure: [{ text: Sure? }]\n  utter_done: [{ text: Done. }]\n  utter_other: [{ text: Other. }]\n" +
      "  utter_ask_confirm_slot_correction: [{ text: Change it? }]\n"

    /** Returns what each message means in the test that the import writes for a test of Rasa. */
    const meaningOf = (...turns: ReadonlyArray<readonly [user: string, ...utters: ReadonlyArray<string>]>) => {
      const steps = turns.flatMap(([user, ...utters]) => [
        `      - user: "${user}"`,
        ...utters.map((utter) => `      - utter: utter_${utter}`)
      ])
      const tests = `test_cases:\n  - test_case: one\n    steps:\n${steps.join("\n")}\n`
      const written = imported({ "f.yml": project, "e2e.yml": tests }).files.get("test/imported.test.ts")!
      return Array.from(written.matchAll(/means: (.*), expect: /g), ([, means]) => means)
    }

    it("states what the flow would ask before the response that is expected", () => {
      expect(meaningOf(["send 50 to Ann", "ask_sure"], ["yes", "done"])).toEqual([
        `{ flow: "a", fields: { who: "something", amount: 50 } }`,
        `{ fields: { sure: true } }`
      ])
      expect(meaningOf(["send 5000", "no", "ask_amount"])).toEqual([
        `{ flow: "a", fields: { who: "something", amount: 5000 } }`
      ])
    })

    it("is nothing if only a pattern answers, and a withdrawal if a question is asked again", () => {
      expect(meaningOf(
        ["send", "ask_who"],
        ["Ann", "ask_amount"],
        ["no, somebody else", "ask_confirm_slot_correction"],
        ["yes", "ask_who"],
        ["Bob", "ask_amount"]
      )).toEqual([
        `{ flow: "a" }`,
        `{ fields: { who: "Ann" } }`,
        `{}`,
        `{ withdrawn: ["who"] }`,
        `{ fields: { who: "Bob" } }`
      ])
    })

    it("enters another flow and comes back; a flow that has ended is entered anew", () => {
      expect(meaningOf(
        ["send", "ask_who"],
        ["what else?", "other", "ask_who"],
        ["Ann", "ask_amount"],
        ["5", "ask_sure"],
        ["yes", "done"],
        ["again, 5 for Bob", "ask_sure"]
      )).toEqual([
        `{ flow: "a" }`,
        `{ flow: "other" }`,
        `{ fields: { who: "Ann" } }`,
        `{ fields: { amount: 5 } }`,
        `{ fields: { sure: true } }`,
        `{ flow: "a", fields: { who: "something", amount: 5 } }`
      ])
    })

    it("is two flows if one says the first response, and another one the second", () => {
      expect(meaningOf(["what else, and send", "other", "ask_who"])).toEqual([`{ flow: { other: 90, a: 70 } }`])
    })

    it("is what a command says: values, a value taken back, or what the test expects if there is no such flow", () => {
      const tests =
        "test_cases:\n  - test_case: one\n    steps:\n      - user: send\n      - commands: [{ start_flow: nowhere }]\n" +
        "      - utter: utter_ask_who\n      - user: /SetSlots(who=Ann, other=1)\n      - utter: utter_ask_amount\n" +
        "      - user: no\n      - commands: [{ set_slot: [{ who: None }] }]\n      - utter: utter_ask_confirm_slot_correction\n" +
        "      - user: yes\n      - utter: utter_corrected_previous_input\n      - utter: utter_ask_who\n"
      const written = imported({ "f.yml": project, "e2e.yml": tests }).files.get("test/imported.test.ts")!
      expect(Array.from(written.matchAll(/means: (.*), expect: /g), ([, means]) => means)).toEqual([
        `{ flow: "a" }`,
        `{ fields: { who: "Ann" } }`,
        `{}`,
        `{ withdrawn: ["who"] }`
      ])
    })

    it("is reported if no flow says what is expected after it", () => {
      const { notes } = imported({
        "f.yml": project,
        "e2e.yml":
          "test_cases:\n  - test_case: one\n    steps:\n      - user: x\n      - utter: utter_no\n      - utter: utter_done\n"
      })
      expect(notes.map(({ file, line, what }) => `${file}:${line} ${what}`)).toContain(
        "e2e.yml:4 test one: no way leads to what is expected"
      )
    })
  })

  describe("sub-agents and tools of MCP servers", () => {
    const files = {
      "flows.yml": flow(
        "      - call: guide\n        exit_if:\n          - slots.tour is not null\n          - slots.seats > 0\n" +
          "      - id: pay\n        call: reserve\n        mcp_server: office\n        mapping:\n" +
          "          input: [{ param: walk, slot: tour }]\n          output: [{ slot: code, value: result.structuredContent.code }]\n" +
          "        next:\n          - if: slots.code is not null\n            then: [{ action: utter_done, next: END }]\n" +
          "          - else: [{ action: utter_none, next: END }]\n"
      ) + "  b:\n    description: Talks.\n    steps: [{ call: talker }]\n",
      "domain.yml":
        "slots: { tour: { type: categorical, values: [old, new] }, seats: { type: float }, code: { type: text } }\n" +
        "responses: { utter_done: [{ text: \"Seat {code} on {tour}.\" }], utter_none: [{ text: Full. }] }\n",
      "guide.yml":
        "agent: { name: guide, description: Finds a walk }\nconnections:\n  mcp_servers: [{ name: office, include_tools: [find] }]\n",
      "talker.yml": "agent: { name: talker, protocol: a2a, description: Talks about walks. }\n",
      "endpoints.yml": "mcp_servers: [{ name: office, url: \"http://localhost:1\" }]\n",
      "e2e.yml":
        "test_cases:\n  - test_case: walk\n    steps:\n      - user: a walk\n        assertions: [{ flow_started: a }, { bot_uttered: { text_matches: Which } }]\n" +
        "      - user: the old one\n        assertions: [{ slot_was_set: [{ name: tour, value: old }] }, { bot_uttered: { utter_name: utter_done } }]\n" +
        "  - test_case: talk\n    steps:\n      - user: talk\n        assertions: [{ flow_started: b }]\n" +
        "      - user: enough\n        assertions: [{ flow_completed: b }]\n"
    }

    it("an agent is a step that speaks until its conditions hold; the model sets their slots by tools", () => {
      const { files: written, notes } = imported(files)
      const steps = written.get("flows/a.yaml")!
      expect(steps).toContain("Your task now: Finds a walk. When the user has settled it, call set_tour, set_seats.")
      expect(steps).toMatch(/until: \(has\(data\.tour\) && .*data\.seats > 0\.0/)
      expect(steps).toMatch(/id: guide_done\n {4}auto: true\n {4}branches:\n[^]*- then: guide\n/)
      expect(written.get("agent.yaml")).toMatch(/tour:\n[^]*?extract: never\n {4}scope: flow/)
      expect(written.get("registry.ts")).toContain("value: Schema.Literal(\"old\", \"new\")")
      expect(written.get("flows/b.yaml")).toContain("call talker_completed.")
      const said = notes.map(({ fix, what }) => `${what}: ${fix}`).join("\n")
      expect(said).toContain("tools of the MCP server office (http://localhost:1), only find")
      expect(said).toContain("A2A protocol, which has no counterpart")
      expect(said).not.toContain("refused")
    })

    it("a tool of an MCP server is a stub that gets the parameters of the mapping and sets its slots", () => {
      const { files: written, notes } = imported(files)
      expect(written.get("flows/a.yaml")).toContain("tool: reserve\n      arguments:\n        walk: data.tour")
      expect(written.get("registry.ts")).toMatch(/reserve: \{ reads: [^\n]*\{ walk: .*sets: [^\n]*\{ code: /)
      expect(notes.map(({ fix }) => fix)).toContain(
        "Call it in its stub in registry.ts; code is result.structuredContent.code"
      )
    })

    it("tests let the model call the tools where the test says that the slots are set, and leave out an agent's words", () => {
      const { files: written, notes } = imported(files)
      const tests = written.get("test/imported.test.ts")!
      expect(tests).toContain(`calls: [call("set_tour", { value: "old" }), call("set_seats", { value: 1 })]`)
      expect(tests).toContain(`calls: [call("talker_completed", {})]`)
      expect(tests).not.toContain("Which")
      expect(notes.map(({ what }) => what)).toContain("test: words of an agent")
    })
  })

  it("a step that is only a condition is read, and a flow that nothing calls is left out", () => {
    const { files, notes } = imported({
      "f.yml": flow(
        "      - if: slots.open\n        then: [{ action: utter_a }]\n        else: [{ if: slots.soon, then: [{ action: utter_b }] }]\n" +
          "      - action: utter_c\n"
      ) + "  lost:\n    if: false\n    steps: [{ collect: y }]\n" +
        "slots: { open: { type: bool }, soon: { type: bool }, y: { type: text } }\n" +
        "responses: { utter_a: [{ text: One. }], utter_b: [{ text: Two. }], utter_c: [{ text: Three. }] }\n"
    })
    const steps = files.get("flows/a.yaml")!
    expect(steps).toContain("One.\n\n      Three.")
    expect(steps).toContain("Two.\n\n      Three.")
    expect(notes.map(({ what }) => what)).toEqual(["flow lost"])
    expect(files.get("agent.yaml")).toMatch(/y:\n {4}type: string\n[^]*?extract: never/)
  })

  it("a response that is rephrased is a prompt; one for a channel is left out, and an unknown slot is reported", () => {
    const { files, notes } = imported({
      "f.yml": flow("      - action: utter_a\n") + "  b:\n    description: x\n    steps: [{ action: utter_b }]\n" +
        "responses:\n  utter_a: [{ text: \"Dear {nobody}.\", metadata: { rephrase: true } }]\n" +
        "  utter_b:\n    - { text: Beep., channel: phone }\n    - text: Hello.\n      metadata:\n        rephrase: true\n" +
        "        rephrase_prompt: \"Be brief. {{history}} Say {{ suggested_response }} now\"\n"
    })
    expect(files.get("flows/a.yaml")).toContain("prompt: 'Say in your own words: \"Dear {nobody}.\"'")
    expect(files.get("flows/b.yaml")).toContain("prompt: Be brief. (see the conversation) Say Hello. now")
    expect(notes.map(({ what }) => what)).toEqual([
      "response utter_a: {nobody}",
      "response utter_b: only for the channel phone"
    ])
  })

  it("a response that an action may change is reported, and a check leads back to a question that forgets its value", () => {
    const { files, notes } = imported({
      "f.yml": flow(
        "      - action: count\n      - action: utter_a\n      - action: count\n      - action: utter_a\n"
      ) + "  b:\n    description: x\n    steps: [{ collect: y, ask_before_filling: true }, { collect: z }]\n" +
        "slots: { n: { type: float }, y: { type: text }, z: { type: text } }\nactions: [count, validate_y]\n" +
        "responses: { utter_a: [{ text: \"{n} left.\" }], utter_ask_y: [{ text: Y? }], utter_ask_z: [{ text: Z? }] }\n"
    })
    expect(notes.map(({ what }) => what)).toContain(
      "response utter_a shows n, which is set before the response is said"
    )
    expect(files.get("flows/b.yaml")).toMatch(/if: "!has\(data\.y\)"\n {8}then: ask_y\n/)
  })

  it("the import joins the responses that Rasa sends in one turn into one reply", () => {
    const { files, notes } = imported({
      "flows.yml": flow("      - action: utter_a\n      - action: do_it\n      - action: utter_b\n        next: END\n"),
      "domain.yml": "actions: [do_it]\nresponses:\n  utter_a: [{ text: One. }]\n  utter_b: [{ text: Two. }]\n"
    })
    expect(files.get("flows/a.yaml")).toContain("id: do_it\n    call:")
    expect(files.get("flows/a.yaml")).toContain("One.\n\n      Two.")
    expect(notes).toEqual([])
  })
})
