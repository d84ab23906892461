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
import * as ForeseenConditions from "../../../support/ForeseenConditions.js"

const fieldsOf = (declared: Schema.Struct.Fields) => Fields.fromStruct(Schema.Struct(declared))
const all = fieldsOf({ city: Schema.String, name: Schema.String })

interface Agent {
  readonly flows: ReadonlyArray<object>
  readonly branches?: ReadonlyArray<object>
  readonly maxDirectiveChain?: number
  readonly maxAutoStepsPerTurn?: number
}

/** The city is kept by user. */
const ofUser = fieldsOf({ city: Schema.String.annotations({ scope: "user" }) })

/** The city is a value of one flow only. */
const own = fieldsOf({ city: Schema.String.annotations({ scope: "flow" }) })

const worldOf = (agent: Agent, fields = all): World => ({
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
  skipped: new Set(),
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

/** The ways of a turn of an event, which the first flow waits for at a step. */
const heard = (agent: Agent, step: number, known: ReadonlyArray<string>, then: object) =>
  told(Walk.happen(worldOf(agent), waitingAt(step, known), {
    path: "on.news",
    event: "news",
    after: undefined,
    flow: 0,
    step,
    then,
    code: undefined
  }))

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
const offTo = ({ data }: { readonly data: { readonly city?: string } }) => `Off to ${data.city}`
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

  it("is not a skipped step that collects a required field", () => {
    const agent = flow({ requiredFields: ["city"] }, { ...ask, skip: () => true }, talk)
    expect(stepsOf(answered(agent, 1))).toEqual(new Set(["f/talk", ""]))
  })

  it("is an earlier step if a hook clears a field that the step requires", () => {
    const agent = one(ask, { ...talk, requires: ["city"], prepare: () => ({ clear: ["city"] }) }, done)
    expect(answered(agent, 0, ["city"]).map(({ known, steps }) => `${steps}: ${known}`))
      .toEqual(["f/talk: city", "f/talk f/ask: "])
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

  it("does not exist after a step that has spoken if `isComplete` is true, or if all later steps are skipped", () => {
    const ends = (agent: Agent) => entered(agent).flatMap(({ end, steps }) => steps === "f/talk" ? [end] : [])
    const isKnown = ({ data }: { data: { city?: string } }) => data.city !== undefined
    const gives = { ...talk, finalize: () => ({ dataUpdate: { city: "Rome" } }) }
    expect(ends(flow({ isComplete: isKnown }, gives, done))).toContain("completed")
    expect(ends(one(talk, { ...done, skip: () => true }))).toEqual(["completed"])
  })

  it("exists if the values of a later step with branches are known", () => {
    const agent = one(ask, talk, { id: "later", collect: ["city"], branches: [{ then: "ask" }] })
    expect(answered(agent, 0, ["city"]).map(({ end }) => end)).toEqual(["Waits"])
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

  it("with `reset` or `goTo` leaves a value that is kept by user known", () => {
    for (const directive of [{ reset: { clearData: true } }, { goTo: { flow: "F", carry: "reset" } }]) {
      const agent = one(ask, { ...talk, branches: [{ then: directive }] }, done)
      const steps = (fields: Fields.Fields) =>
        stepsOf(told(Walk.answer(worldOf(agent, fields), waitingAt(1, ["city"]))))
      expect(steps(all)).toEqual(new Set(["f/ask"]))
      expect(steps(ofUser)).toEqual(new Set(["f/talk"]))
    }
  })

  it("writes the data of its move", () => {
    const then = { goTo: { flow: "G", data: { city: "Rome" } } }
    const agent = {
      flows: [{ title: "F", steps: [{ ...talk, branches: [{ then }] }] }, { title: "G", steps: [ask, done] }]
    }
    expect(stepsOf(answered(agent, 0))).toEqual(new Set(["g/done"]))
  })

  it("writes before the hooks of what it leaves run, so that they can clear the value", () => {
    const unknown = ({ data }: { data: { city?: string } }) => data.city === undefined
    const then = { goToStep: "ask", dataUpdate: { city: "Rome" } }
    const agent = one(ask, {
      ...talk,
      hooks: { onExit: () => ({ clear: ["city"] }) },
      branches: [{ if: unknown, then }]
    })
    expect(stepsOf(answered(agent, 1))).toContain("f/ask")
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
    expect(stepsOf(answered(flow({ requiredFields: ["city"] }, ask, clears), 0))).toContain("f/talk f/ask")
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

  it("completes, drops or suspends the flow that it interrupts, as `onInterrupt` says", () => {
    const hooks = { onComplete: nothing, onExit: nothing }
    const interrupted = (onInterrupt: string) =>
      answered(two({ onInterrupt, hooks, branches: [yes("G")] }, { ...talk, ...holds }), 0)
        .find(({ steps }) => steps === "g/hi")
    expect(interrupted("complete")!.code).toBe("onComplete onExit")
    expect(interrupted("drop")!.code).toBe("onExit")
    expect(interrupted("suspend")!.code).toBe("")
  })

  it("clears the flow's own values if it drops the flow, and keeps them if it suspends the flow", () => {
    const interrupted = (onInterrupt: string) => {
      const agent = {
        flows: [{ title: "F", when: "f", onInterrupt, branches: [yes("G")], steps: [{ ...ask, ...holds }] }, {
          title: "G",
          steps: [ask, done]
        }]
      }
      const walk = Walk.answer(worldOf(agent, own), waitingAt(0, ["city"]))
      return stepsOf(told(walk).filter(({ steps }) => steps.startsWith("g/")))
    }
    expect(interrupted("drop")).toEqual(new Set(["g/ask", "g/done"]))
    expect(interrupted("suspend")).toEqual(new Set(["g/done"]))
  })
})

describe("a step that has spoken, in the checker's walk", () => {
  /** The ends of the ways on which the code of the agent moves, or clears a value. */
  const endsOf = (agent: Agent, tag: "Moved" | "Forgotten") =>
    new Set(
      ways(Walk.answer(worldOf(agent), waitingAt(0, [])), 100).ways.flatMap(({ choices, outcome }) =>
        choices.some((choice) => choice._tag === tag && !("to" in choice && choice.to === undefined))
          ? [outcome._tag]
          : []
      )
    )

  it("does not end its flow if `finalize` moves the conversation, also to the step itself", () => {
    const agent = one({ ...ask, finalize: () => ({ dataUpdate: { city: "Rome" }, goToStep: "ask" }) })
    expect(endsOf(agent, "Moved")).toEqual(new Set(["Waits"]))
  })

  it("does not end its flow if `finalize` clears a field for which the conversation goes back", () => {
    const options = { requiredFields: ["city"], isComplete: () => new Date().getHours() > 8 }
    const agent = flow(options, ask, { ...talk, finalize: () => ({ clear: ["city"] }) })
    expect(endsOf(agent, "Forgotten")).toEqual(new Set(["Waits"]))
  })
})

describe("an event, in the checker's walk", () => {
  it("lets the flow continue if it writes a field that the flow requires and no step collects", () => {
    const agent = flow({ requiredFields: ["name"] }, ask, talk)
    expect(heard(agent, 1, ["city"], { dataUpdate: { name: "Ada" } }).map(({ end }) => end)).toContain("completed")
  })

  it("lets the flow continue if the step has `until` and code makes it true, before the event or by it", () => {
    expect(stepsOf(heard(one({ ...talk, until: () => new Date().getHours() > 8 }, done), 0, [], {})))
      .toEqual(new Set(["", "f/done"]))
  })

  it("lets no step speak if it clears a field that the step both collects and requires", () => {
    const agent = one({ ...ask, collect: ["city", "name"], requires: ["city"] })
    expect(stepsOf(heard(agent, 0, ["city"], { clear: ["city"] }))).toEqual(new Set([""]))
  })
})

describe("conditions on the path of a message, which the checker lets a model judge", () => {
  for (const [title, { asked, at, steps, withdrawn: name }] of Object.entries(ForeseenConditions.cases)) {
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

  it("run when a branch aborts the flow: `onExit` of the step, then of the flow", () => {
    const agent = flow({ hooks }, { ...talk, hooks: stepHooks, branches: [{ then: { abort: "enough" } }] })
    expect(answered(agent, 0).map(({ code }) => code)).toEqual(["steps[0].onExit onExit"])
  })

  it("run when the conversation goes back for a withdrawn value: `onExit` of the step that it leaves", () => {
    const agent = flow({ requiredFields: ["city"] }, ask, { ...talk, hooks: stepHooks }, done)
    expect(answered(agent, 1, ["city"], "city").map(({ code }) => code)).toEqual(["steps[1].onExit"])
  })

  it("run without `onExit` of a step that the conversation was moved to and has not entered", () => {
    const leads = { ...talk, branches: [{ then: { goTo: { flow: "G", step: "hi" } } }] }
    const agent = {
      flows: [
        { title: "F", hooks: { onExit: () => ({ goTo: "H" }) }, steps: [leads] },
        { title: "G", steps: [talk, { id: "hi", prompt: "Hi", hooks: { onExit: nothing } }] },
        { title: "H", steps: [talk] }
      ]
    }
    expect(answered(agent, 0).find(({ steps }) => steps === "h/talk")!.code).toBe("onExit")
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

  it("counts as moves the end of a flow, and the transition that `onComplete` names", () => {
    const steps = [{ ...ask, skip: () => true }]
    const end = (maxDirectiveChain: number) =>
      entered({ ...two({ onComplete: "G" }, ...steps), maxDirectiveChain }).map(({ end }) => end)
    expect(end(1)).toEqual(["TooLong"])
    expect(end(2)).toEqual(["completed"])
  })

  it("counts as moves the branches that only write, and not the branches within a flow", () => {
    const branches = [
      {
        if: ({ data }: { data: { city?: string } }) => data.city === undefined,
        then: { dataUpdate: { city: "Rome" } }
      },
      { if: ({ data }: { data: { name?: string } }) => data.name === undefined, then: { dataUpdate: { name: "Ada" } } },
      { then: "talk" }
    ]
    const agent = one({ id: "a", auto: true, branches }, talk)
    const end = (maxDirectiveChain: number) => new Set(entered({ ...agent, maxDirectiveChain }).map(({ end }) => end))
    expect(end(1)).toContain("TooLong")
    expect(end(2)).toEqual(new Set(["completed"]))
  })

  it("is stopped when it has run more `auto` steps than `maxAutoStepsPerTurn`", () => {
    const silent = [1, 2, 3].map((i) => ({ id: `s${i}`, auto: true }))
    const end = (maxAutoStepsPerTurn: number) =>
      entered({ maxAutoStepsPerTurn, flows: [{ title: "F", steps: [...silent, talk] }] }).map(({ end }) => end)
    expect(end(2)).toEqual(["TooLong"])
    expect(end(3)).toEqual(["completed"])
  })

  it("counts with the `auto` steps the branches of speaking steps that have nothing to ask", () => {
    const known = (id: string, then: string) => ({ id, collect: ["city"], branches: [{ then }] })
    const agent = flow({ initialData: { city: "Rome" } }, known("a", "b"), known("b", "talk"), talk)
    const end = (maxAutoStepsPerTurn: number) => entered({ ...agent, maxAutoStepsPerTurn }).map(({ end }) => end)
    expect(end(1)).toEqual(["TooLong"])
    expect(end(2)).toEqual(["completed"])
  })
})

describe("a step that names an unknown field, in the checker's walk", () => {
  it("leads back to an earlier step that gives the field, and speaks if the field is known", () => {
    expect(stepsOf(answered(one(ask, talk, { id: "bye", reply: offTo }), 1)))
      .toEqual(new Set(["f/bye", "f/bye f/ask"]))
  })

  it("does not make its call before an earlier step has given the field", () => {
    const call = {
      tool: { id: "book", handler: () => "ok" },
      args: ({ data }: { data: { city?: string } }) => data.city
    }
    expect(stepsOf(answered(one(ask, talk, { id: "book", call }, done), 1)))
      .toEqual(new Set(["f/book f/done", "f/book", "f/book f/ask"]))
  })

  it("does not lead back to a step that code has moved past", () => {
    const ways = entered(
      one({ ...ask, prepare: () => ({ goToStep: "bye" }) }, talk, { id: "bye", prompt: offTo, ...holds })
    )
    expect(stepsOf(ways)).toEqual(new Set(["f/ask", "f/talk", "f/ask f/talk", "f/ask f/bye"]))
  })

  it("does not have a call made again that has not given the field in this turn", () => {
    const find = { id: "find", call: { tool: { id: "find", handler: () => "ok" }, args: {} }, bind: "city" }
    const ways = entered(one(find, { id: "bye", prompt: offTo, ...holds }))
    expect(stepsOf(ways)).toEqual(new Set(["f/find", "f/find f/bye"]))
  })
})

describe("a step that is led back to, in the checker's walk", () => {
  const endOf = (walk: (choose: Choose) => Path, steps: string) =>
    ways(walk, 100).ways.flatMap(({ outcome, trail }) =>
      outcome._tag === "Waits" && trail.join(" ") === steps ? [outcome.place] : []
    )

  it("is not passed over by code that moves past it while its value is known", () => {
    const move = { id: "move", auto: true, onEnter: () => ({ goToStep: "bye" }) }
    const world = worldOf(one(move, ask, { id: "bye", prompt: "Bye", ...holds }))
    const places = endOf(
      Walk.enter(world, { ...nowhere, known: new Set(["city"]) }, 0),
      "f/move f/bye"
    )
    expect(places.length).toBeGreaterThan(0)
    expect(places.every(({ skipped }) => skipped.size === 0)).toBe(true)
  })

  it("is the first one that gives a field which the flow requires, although a later one gives it, too", () => {
    const agent = flow({ requiredFields: ["city"] }, ask, talk, { ...ask, id: "again" }, done)
    const world = worldOf(agent)
    const clearing = {
      path: "on.news",
      event: "news",
      after: undefined,
      flow: 0,
      step: 1,
      then: { clear: ["city"] },
      code: undefined
    }
    expect(endOf(Walk.happen(world, waitingAt(1, ["city"]), clearing), "").map(({ step }) => step)).toEqual([0])
  })
})
