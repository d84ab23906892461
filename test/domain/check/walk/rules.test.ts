/** The rules of `domain/walk` in the checker: the steps that a turn may take, and the code that it runs on the way. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PredicateJudge from "../../../../src/domain/check/knowledge/PredicateJudge.js"
import * as Shape from "../../../../src/domain/check/shape/Shape.js"
import { type Choose, type Path, ways, type World } from "../../../../src/domain/check/walk/Path.js"
import type { Place } from "../../../../src/domain/check/walk/Position.js"
import * as Walk from "../../../../src/domain/check/walk/Walk.js"
import type { ErasedAgent } from "../../../../src/domain/definition/Erase.js"
import * as Fields from "../../../../src/domain/fields/Fields.js"
import * as Foreseen from "../../../support/Foreseen.js"

const declared: Schema.Struct.Fields = { city: Schema.String, name: Schema.String }
const fields = Fields.fromStruct(Schema.Struct(declared))

interface Agent {
  readonly flows: ReadonlyArray<object>
  readonly branches?: ReadonlyArray<object>
  readonly maxDirectiveChain?: number
  readonly maxAutoStepsPerTurn?: number
}

const worldOf = (agent: Agent): World => ({
  shape: Shape.make({ name: "Bot", ...agent } as unknown as ErasedAgent, fields),
  judge: PredicateJudge.make(fields, []),
  obtainable: new Set(fields.keys()),
  tooled: new Set<string>(),
  happening: { events: {}, jobs: [] }
})

/** The conversation waits at a step of the first flow, which has spoken. */
const waitingAt = (step: number, known: ReadonlyArray<string>): Place => ({
  flow: 0,
  step,
  standing: "entered",
  spoken: true,
  known: new Set(known),
  confirmed: new Set(),
  reading: false
})

const nowhere: Place = { ...waitingAt(-1, []), flow: -1, standing: "start", spoken: false }

const codeOf = ({ sights }: Path): ReadonlyArray<string> =>
  sights.flatMap((sight) => sight._tag === "Code" ? [sight.path.replace(/flows\[(\d)\]\.|hooks\./g, "")] : [])

/** The steps of each way, its end, and the code that runs on it. */
const told = (walk: (choose: Choose) => Path) =>
  ways(walk, 100).ways.map((way) => ({
    steps: way.trail.join(" "),
    code: codeOf(way).join(" "),
    known: way.outcome._tag === "Waits" ? Array.from(way.outcome.place.known).toSorted().join(" ") : "",
    end: way.outcome._tag === "Ends" ? way.outcome.how : way.outcome._tag
  }))

/** The ways of a message to a conversation that waits at a step of the first flow. */
const answered = (agent: Agent, step: number, known: ReadonlyArray<string> = [], lost?: string) =>
  told(
    Walk.answer(
      worldOf(agent),
      waitingAt(step, known),
      lost === undefined ? undefined : { _tag: "TakenBack", name: lost }
    )
  )

/** The ways of a message that enters the first flow. */
const entered = (agent: Agent) => told(Walk.eligible(worldOf(agent), nowhere, 0))

/** The ways on which a suspended flow goes on. */
const resumed = (agent: Agent, step: number) => told(Walk.resume(worldOf(agent), waitingAt(step, [])))

const stepsOf = (ways: ReadonlyArray<{ readonly steps: string }>) => new Set(ways.map(({ steps }) => steps))

const one = (...steps: ReadonlyArray<object>): Agent => ({ flows: [{ title: "F", steps }] })
const flow = (more: object, ...steps: ReadonlyArray<object>): Agent => ({ flows: [{ title: "F", steps, ...more }] })
/** With a second flow, in which one step speaks. */
const two = (more: object, ...steps: ReadonlyArray<object>): Agent => ({
  flows: [{ title: "F", when: "f", steps, ...more }, { title: "G", when: "g", steps: [{ id: "hi", prompt: "Hi" }] }]
})

const ask = { id: "ask", collect: ["city"] }
const talk = { id: "talk", prompt: "Talk" }
const done = { id: "done", prompt: "Bye" }
const holds = { until: () => false }
const nothing = () => undefined

describe("the next step, in the checker's walk", () => {
  it("is the current step until that step has spoken", () => {
    expect(stepsOf(resumed(one(talk, done), 0))).toEqual(new Set(["f/talk"]))
  })

  it("can stay the current step if its question may be unanswered, although a branch with `if` leads on", () => {
    const agent = one({ ...ask, branches: [{ if: () => true, then: "done" }] }, talk, done)
    expect(stepsOf(answered(agent, 0))).toEqual(new Set(["f/ask", "f/done"]))
    expect(answered(agent, 0).find(({ steps }) => steps === "f/ask")!.known).toBe("")
  })

  it("does not exist once `isComplete` is true: the flow completes", () => {
    const agent = flow({ isComplete: ({ data }: { data: { city?: string } }) => data.city !== undefined }, talk, done)
    expect(answered(agent, 0, ["city"])).toEqual([{ steps: "", code: "", known: "", end: "completed" }])
  })

  it("is the step after a step that is skipped because the message does not match its `when`", () => {
    expect(stepsOf(answered(one(talk, { id: "calm", prompt: "Calm", when: "is angry" }, done), 0)))
      .toEqual(new Set(["f/calm", "f/done"]))
  })

  it("is the step after a step with `confirm` only if the user confirms the values", () => {
    const place = { ...waitingAt(0, ["city"]), reading: true }
    const answers = told(Walk.answer(worldOf(one({ ...ask, confirm: true }, done)), place))
    expect(answers.map(({ steps }) => steps)).toEqual(["f/ask", "f/done"])
  })

  it("can stay the current step if the following step requires a field that no step collects", () => {
    const agent = one(talk, { ...done, requires: ["city"] })
    expect(stepsOf(answered(agent, 0))).toEqual(new Set(["f/talk", "f/done"]))
  })

  it("is the earlier step that collects a required field after the user has withdrawn this field", () => {
    const agent = flow({ requiredFields: ["city"] }, ask, talk, done)
    expect(stepsOf(answered(agent, 1, ["city"], "city"))).toEqual(new Set(["f/ask"]))
  })

  it("is not a later step that collects a required field which the user has withdrawn", () => {
    const agent = flow({ requiredFields: ["city"] }, { ...talk, ...holds }, done, ask)
    expect(stepsOf(answered(agent, 0, ["city"], "city"))).toEqual(new Set(["f/talk"]))
  })

  it("can require a field that only another flow collects, if the message that enters the flow states the value", () => {
    const agent: Agent = {
      flows: [
        {
          title: "F",
          if: ({ data }: { data: { city?: string } }) => data.city === undefined,
          steps: [
            { id: "to", prompt: "To", requires: ["city"] }
          ]
        },
        { title: "G", when: "g", steps: [ask] }
      ]
    }
    expect(stepsOf(entered(agent))).toEqual(new Set(["", "f/to"]))
  })

  it("is the step after a step whose hook writes the field that the step collects", () => {
    const gives = { ...ask, onEnter: () => ({ dataUpdate: { city: "Rome" } }) }
    expect(stepsOf(answered(one(talk, gives, done), 0))).toContain("f/ask f/done")
  })

  it("does not exist after a step with `ends`: the flow completes or is aborted", () => {
    const agent = one({ ...talk, ends: true }, done)
    expect(entered(agent)).toEqual([{ steps: "f/talk", code: "", known: "", end: "completed" }])
    expect(entered(one({ ...talk, ends: "abort" }, done)).map(({ end }) => end)).toEqual(["aborted"])
  })
})

describe("a directive, in the checker's walk", () => {
  const then = (directive: object, known: ReadonlyArray<string> = []) =>
    answered(one(ask, { ...talk, branches: [{ then: directive }] }, done), 1, known)

  it("with `clear` makes the walk treat the cleared fields as unknown", () => {
    expect(stepsOf(then({ clear: ["city"], goToStep: "ask" }, ["city"]))).toEqual(new Set(["f/ask"]))
    expect(stepsOf(then({ goToStep: "ask" }, ["city"]))).toEqual(new Set(["f/talk"]))
  })

  it("writes its `dataUpdate` after its move, so a `reset` does not clear the written value", () => {
    expect(stepsOf(then({ reset: { clearData: true } }, ["city"]))).toEqual(new Set(["f/ask"]))
    expect(stepsOf(then({ reset: { clearData: true }, dataUpdate: { city: "Rome" } }))).toEqual(new Set(["f/talk"]))
  })

  it("with `clear` in a branch with `when` may keep the value that the matching message states", () => {
    const again = { when: "another one", then: { clear: ["city"], goToStep: "ask" } }
    const agent = one(ask, { ...talk, ...holds, branches: [again] }, done)
    expect(stepsOf(answered(agent, 1))).toEqual(new Set(["f/talk", "f/ask"]))
    const met = answered(one(ask, talk, { id: "later", prompt: "Later", branches: [again] }), 2)
    expect(met.filter(({ steps }) => steps.startsWith("f/talk")).map(({ known }) => known)).toContain("city")
  })

  it("with `complete` also makes the transition that `onComplete` names", () => {
    const agent = two({ onComplete: "G" }, { ...talk, branches: [{ then: { complete: true } }] })
    expect(stepsOf(answered(agent, 0))).toEqual(new Set(["g/hi"]))
  })

  it("of code that completes a flow also makes the transition that `onComplete` names", () => {
    const finished = (onComplete: object) =>
      stepsOf(entered(two(onComplete, { ...talk, prepare: () => ({ complete: true }) })))
    expect(finished({ onComplete: "G" })).toContain("f/talk g/hi")
    expect(finished({})).not.toContain("f/talk g/hi")
  })

  it("of code that clears a required field, which may be known, goes back to the step that asks for it", () => {
    const clears = { ...talk, prepare: () => ({ clear: ["city"] }) }
    const agent = flow({ requiredFields: ["city"] }, { ...ask, skip: () => true }, clears)
    const places = ways(Walk.answer(worldOf(agent), waitingAt(0, [])), 100).ways.flatMap(({ outcome }) =>
      outcome._tag === "Waits" ? [outcome.place] : []
    )
    expect(places).toContainEqual(expect.objectContaining({ step: 0, standing: "pending", spoken: false }))
  })

  it("with `complete.next` completes the flow and then applies the directive `next`", () => {
    const next = { complete: { next: { goTo: "G" } } }
    expect(stepsOf(answered(two({}, { ...talk, branches: [{ then: next }] }), 0))).toEqual(new Set(["g/hi"]))
  })
})

describe("a branch whose condition the message matches, in the checker's walk", () => {
  const yes = (then: string) => ({ when: "yes", then })
  const asksAgain = { id: "auto", auto: true, branches: [yes("no"), { then: "ok" }] }
  const ends = [{ id: "no", prompt: "No", ends: true }, { id: "ok", prompt: "Ok", ends: true }]

  it("consumes the message: the same message matches no later condition", () => {
    const ofStep = one({ ...talk, ...holds, branches: [yes("auto")] }, asksAgain, ...ends)
    expect(stepsOf(answered(ofStep, 0))).toEqual(new Set(["f/auto f/ok", "f/talk"]))
    const ofAgent = {
      branches: [yes("G")],
      flows: [{ title: "F", when: "f", steps: [{ ...talk, ...holds }] }, {
        title: "G",
        when: "g",
        steps: [asksAgain, ...ends]
      }]
    }
    expect(stepsOf(answered(ofAgent, 0))).toEqual(new Set(["g/auto g/ok", "f/talk"]))
  })

  it("is taken only if its `if` holds, with `when` and without", () => {
    const agent = (branch: object) => ({ ...two({}, { ...talk, ...holds }), branches: [{ ...branch, then: "G" }] })
    const [open, shut] = [() => true, () => false]
    expect(stepsOf(answered(agent({ if: open, when: "yes" }), 0))).toEqual(new Set(["g/hi", "f/talk"]))
    expect(stepsOf(answered(agent({ if: shut, when: "yes" }), 0))).toEqual(new Set(["f/talk"]))
    expect(stepsOf(answered(agent({ if: open }), 0))).toEqual(new Set(["g/hi"]))
    expect(stepsOf(answered(agent({ if: shut }), 0))).toEqual(new Set(["f/talk"]))
  })

  it("completes the flow that it interrupts, with `onInterrupt: \"complete\"`", () => {
    const interrupted = (onInterrupt: string) =>
      answered(two({ onInterrupt, hooks: { onComplete: nothing }, branches: [yes("G")] }, { ...talk, ...holds }), 0)
        .find(({ steps }) => steps === "g/hi")
    expect(interrupted("complete")!.code).toBe("onComplete")
    expect(interrupted("suspend")!.code).toBe("")
  })
})

describe("conditions on the path of a message, which the checker lets a model judge", () => {
  for (const [title, { asked, at, steps, withdrawn: name }] of Object.entries(Foreseen.cases)) {
    it(title, () => {
      const place = { ...waitingAt(0, ["city"]), ...at }
      const walk = Walk.answer(
        worldOf(one(...steps)),
        place,
        name === undefined ? undefined : { _tag: "TakenBack", name }
      )
      const judged = ways(walk, 100).ways.flatMap(({ choices }) =>
        choices.flatMap((choice) => choice._tag === "Judged" ? choice.when : [])
      )
      expect(new Set(judged)).toEqual(new Set(asked))
    })
  }
})

describe("hooks, in the checker's walk", () => {
  const hooks = { onEnter: nothing, onResume: nothing, onExit: nothing, onComplete: nothing }
  const stepHooks = { onEnter: nothing, onResume: nothing, prepare: nothing, finalize: nothing, onExit: nothing }

  it("run when a flow is entered: the hooks of the flow, then the hooks of its first step", () => {
    expect(entered(flow({ hooks }, { ...talk, hooks: stepHooks }, done)).map(({ code }) => code)).toEqual([
      "onEnter steps[0].onEnter steps[0].prepare steps[0].finalize"
    ])
  })

  it("run when the flow continues with its next step: `onExit` of the old step, then those of the next", () => {
    const agent = flow({ hooks }, { ...talk, hooks: stepHooks }, { ...done, ...holds, hooks: stepHooks })
    expect(answered(agent, 0).map(({ code }) => code)).toEqual([
      "steps[0].onExit steps[1].onEnter steps[1].prepare steps[1].finalize"
    ])
  })

  it("run without `onEnter` when the conversation stays at the same step", () => {
    const agent = flow({ hooks }, { ...talk, ...holds, hooks: stepHooks }, done)
    expect(answered(agent, 0).map(({ code }) => code)).toEqual(["steps[0].prepare steps[0].finalize"])
  })

  it("are not called if a field that their step requires is unknown", () => {
    const relies = { ...ask, when: "is willing", requires: ["name"], hooks: stepHooks }
    const ways = entered(flow({ requiredFields: ["city"] }, relies)).filter(({ steps }) => steps === "f/ask")
    expect(new Set(ways.map(({ code, known }) => `${known}: ${code}`))).toEqual(
      new Set([": ", "name: steps[0].onEnter steps[0].prepare steps[0].finalize"])
    )
  })

  it("run when a branch leads to another flow: `onExit` of the step, then of the flow", () => {
    const agent = two({ hooks }, { ...talk, hooks: stepHooks, branches: [{ then: "G" }] })
    expect(answered(agent, 0).map(({ code }) => code)).toEqual(["steps[0].onExit onExit"])
  })

  it("run when the flow completes: `onExit` of the step, `onComplete`, `onExit` of the flow", () => {
    const agent = flow({ hooks }, { ...talk, hooks: stepHooks, branches: [{ then: { complete: true } }] })
    expect(answered(agent, 0).map(({ code }) => code)).toEqual(["steps[0].onExit onComplete onExit"])
  })

  it("run when the flow resumes: `onResume` of the flow, then of the step that speaks again", () => {
    expect(resumed(flow({ hooks }, { ...talk, hooks: stepHooks }, done), 0).map(({ code }) => code)).toEqual([
      "onResume steps[0].onResume steps[0].prepare steps[0].finalize"
    ])
  })
})

describe("a turn that would never end, in the checker's walk", () => {
  const leadsTo = (title: string, to: string) => ({ title, steps: [{ id: "a", auto: true, branches: [{ then: to }] }] })

  it("is stopped when it reaches the same position a second time", () => {
    expect(entered({ flows: [leadsTo("F", "G"), leadsTo("G", "F")] }).map(({ end }) => end)).toEqual(["Circles"])
  })

  it("is stopped when it contains more moves than `maxDirectiveChain`", () => {
    const end = (maxDirectiveChain: number) =>
      entered({ maxDirectiveChain, flows: [leadsTo("F", "G"), leadsTo("G", "H"), { title: "H", steps: [talk] }] })
        .map(({ end }) => end)
    expect(end(1)).toEqual(["TooLong"])
    expect(end(2)).toEqual(["completed"])
  })

  it("is stopped when it has run more `auto` steps than `maxAutoStepsPerTurn`", () => {
    const silent = [1, 2, 3].map((i) => ({ id: `s${i}`, auto: true }))
    const end = (maxAutoStepsPerTurn: number) =>
      entered({ maxAutoStepsPerTurn, flows: [{ title: "F", steps: [...silent, talk] }] }).map(({ end }) => end)
    expect(end(2)).toEqual(["TooLong"])
    expect(end(3)).toEqual(["completed"])
  })
})
