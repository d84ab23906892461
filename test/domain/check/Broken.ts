/** Definitions with one fault each, and the finding that the checker must report. */
import { Agent, Job } from "coxswain"
import type * as Check from "coxswain/check"
import { Effect, Schema } from "effect"

export const Data = Schema.Struct({
  city: Schema.String,
  checkIn: Schema.Date,
  guests: Schema.Int.pipe(Schema.between(1, 10)),
  name: Schema.String,
  breakfast: Schema.Boolean.annotations({ extract: "asked" }),
  code: Schema.String.annotations({ extract: "asked" })
})

export const kit = Agent.define({ data: Data })

export interface Broken {
  readonly name: string
  readonly options: Definition & { readonly name: string }
  readonly code: Check.FindingCode
  readonly path: string
  readonly severity: "error" | "warning"
}

export interface Definition {
  readonly flows: ReadonlyArray<object>
  readonly tools?: ReadonlyArray<object>
  readonly policies?: ReadonlyArray<object>
  readonly on?: object
  readonly branches?: ReadonlyArray<object>
  readonly maxAutoStepsPerTurn?: number
}

export const broken = (
  name: string,
  code: Check.FindingCode,
  path: string,
  options: Definition,
  severity: "error" | "warning" = "error"
): Broken => ({ name, code, path, severity, options: { name: "Bot", ...options } })

const done = { id: "done", prompt: "Say goodbye" }

const calling = (options: object) => kit.tool({ id: "act", handler: () => "done", ...options }).with({})
const other = { title: "Other", when: "something else", steps: [{ id: "hi", prompt: "Say hi" }] }

const report = Job.make("report", { payload: { city: Schema.String }, success: Schema.String })

export const hearing = Agent.define({
  data: Data,
  events: { paid: Schema.Struct({ amount: Schema.Number }) },
  jobs: [report]
})

const ends = { branches: [{ then: { complete: true } }] }
const listens = { paid: { reply: "Thank you." }, "report.completed": { reply: "Here it is." } }

/** Faults in the handling of events and timers. */
export const happening: ReadonlyArray<Broken> = [
  broken("a step that waits for an event whose handler does not leave the step", "no-way-out", "flows[0].steps[0]", {
    on: listens,
    flows: [{
      title: "F",
      steps: [{ id: "a", prompt: "a", until: () => false, on: { paid: { reply: "Thank you." } } }, done]
    }]
  }),
  broken("a timer that enters the waiting step again, for ever", "no-way-out", "flows[0].steps[0]", {
    on: listens,
    flows: [{ title: "F", steps: [{ id: "a", prompt: "a", until: () => false, after: { "1 day": "a" } }, done] }]
  }),
  broken("a step that no event and no other step enters", "unreachable-step", "flows[0].steps[2]", {
    on: listens,
    flows: [{
      title: "F",
      steps: [{ id: "a", prompt: "a", on: { paid: "b" } }, { id: "b", prompt: "b", ...ends }, { id: "c", prompt: "c" }]
    }]
  }),
  broken("an event that enters auto steps which form a circle", "auto-circle", "flows[0].steps[1]", {
    on: { "report.completed": { reply: "Here it is." } },
    flows: [{
      title: "F",
      steps: [
        { id: "a", prompt: "a", ...ends, on: { paid: "b" } },
        { id: "b", auto: true, branches: [{ then: "c" }] },
        { id: "c", auto: true, branches: [{ then: "b" }] }
      ]
    }]
  }),
  broken(
    "a handler of a job's result that names an unknown step",
    "unknown-target",
    "flows[0].steps[0].on.report.completed",
    {
      on: { paid: { reply: "Thank you." } },
      flows: [{ title: "F", steps: [{ id: "a", prompt: "a", on: { "report.completed": "nowhere" } }] }]
    }
  ),
  broken("an event handler that names an unknown flow", "unknown-target", "on.paid", {
    on: { ...listens, paid: "Nowhere" },
    flows: [{ title: "F", steps: [done] }]
  }),
  broken("a timer that names an unknown step", "unknown-target", "flows[0].after.1 day", {
    on: listens,
    flows: [{ title: "F", after: { "1 day": "nowhere" }, steps: [done] }]
  } as Definition),
  broken("a step that never ends, after a step with a timer", "no-way-out", "flows[0].steps[1]", {
    on: listens,
    flows: [{
      title: "F",
      steps: [
        { id: "a", prompt: "a", after: { "1 hour": { abort: "nobody answers" } } },
        { id: "b", prompt: "b", until: () => false },
        done
      ]
    }]
  }),
  broken("an event without a handler", "unheard", "events.paid", {
    on: { "report.completed": { reply: "Here it is." } },
    flows: [{ title: "F", steps: [done] }]
  }, "warning"),
  broken("a job whose result has no handler", "unheard", "jobs.report", {
    on: { paid: { reply: "Thank you." } },
    flows: [{ title: "F", steps: [done] }]
  }, "warning")
]

const confirmed = { id: "a", collect: ["city"], confirm: true }

const errors: ReadonlyArray<Broken> = [
  broken("a step that never ends, after a step with `confirm`", "no-way-out", "flows[0].steps[1]", {
    flows: [{ title: "F", steps: [confirmed, { id: "b", prompt: "b", until: () => false }, done] }]
  }),
  broken("a step that clears its values whenever the user confirms them", "no-way-out", "flows[0].steps[0]", {
    flows: [{
      title: "F",
      steps: [{ ...confirmed, branches: [{ then: { goToStep: "a", clear: ["city"] } }] }]
    }]
  }),
  broken("auto steps that form a circle, after a step with `confirm`", "auto-circle", "flows[0].steps[1]", {
    flows: [{
      title: "F",
      steps: [
        confirmed,
        { id: "b", auto: true, branches: [{ then: "c" }] },
        { id: "c", auto: true, branches: [{ then: "b" }] }
      ]
    }]
  }),
  broken("a step behind a fallback that jumps over it", "unreachable-step", "flows[0].steps[1]", {
    flows: [{
      title: "F",
      steps: [
        { id: "a", prompt: "a", branches: [{ then: "done" }] },
        { id: "b", prompt: "b" },
        done
      ]
    }]
  }),
  broken("a step whose if is never true", "unreachable-step", "flows[0].steps[0]", {
    flows: [{ title: "F", steps: [{ id: "a", prompt: "a", if: () => false }, done] }]
  }),
  broken("a step whose skip always holds", "unreachable-step", "flows[0].steps[1]", {
    flows: [{ title: "F", steps: [{ id: "a", prompt: "a" }, { id: "b", prompt: "b", skip: [() => true] }, done] }]
  }),
  broken("a step that collects a field which an earlier step collects", "unreachable-step", "flows[0].steps[1]", {
    flows: [{ title: "F", steps: [{ id: "a", collect: ["city"] }, { id: "b", collect: ["city"] }, done] }]
  }),
  broken("two steps after a branch that completes", "unreachable-step", "flows[0].steps[1]", {
    flows: [{
      title: "F",
      steps: [{ id: "a", reply: "Bye", branches: [{ then: { complete: true } }] }, { id: "b", prompt: "b" }, done]
    }]
  }),
  broken("a step for an unknown city, after the step that collects the city", "unreachable-step", "flows[0].steps[1]", {
    flows: [{
      title: "F",
      steps: [
        { id: "a", collect: ["city"] },
        {
          id: "b",
          prompt: "b",
          if: ({ data }: { readonly data: { readonly city?: string } }) => data.city === undefined
        },
        done
      ]
    }]
  }),
  broken("a step behind an auto step that leads to another flow", "unreachable-step", "flows[0].steps[1]", {
    flows: [
      {
        title: "F",
        when: "f",
        steps: [{ id: "a", auto: true, branches: [{ then: "Other" }] }, { id: "b", prompt: "b" }]
      },
      other
    ]
  }),
  broken("a step that collects only a field with an initial value", "unreachable-step", "flows[0].steps[0]", {
    flows: [{ title: "F", initialData: { city: "Lisbon" }, steps: [{ id: "a", collect: ["city"] }, done] }]
  }),
  broken("a step that never ends, before other steps", "no-way-out", "flows[0].steps[0]", {
    flows: [{ title: "F", steps: [{ id: "a", prompt: "a", until: () => false }, done] }]
  }),
  broken("a step whose fallback leads back to it", "no-way-out", "flows[0].steps[1]", {
    flows: [{
      title: "F",
      steps: [{ id: "a", collect: ["city"] }, {
        id: "b",
        prompt: "b",
        branches: [{ when: "yes", then: "b" }, { then: "b" }]
      }, done]
    }]
  }),
  broken(
    "two steps that lead to each other, after a step that may complete the flow",
    "no-way-out",
    "flows[0].steps[1]",
    {
      flows: [{
        title: "F",
        steps: [
          { id: "a", prompt: "a", branches: [{ when: "leave", then: { complete: true } }] },
          { id: "b", prompt: "b", branches: [{ then: "c" }] },
          { id: "c", prompt: "c", branches: [{ then: "b" }] }
        ]
      }]
    }
  ),
  broken(
    "a step that requires a field which only a later step collects",
    "requires-uncollected",
    "flows[0].steps[0].requires",
    {
      flows: [{
        title: "F",
        steps: [{ id: "a", prompt: "a", requires: ["city"] }, { id: "b", collect: ["city"] }, done]
      }]
    }
  ),
  broken(
    "a step that requires a field which no step collects",
    "requires-uncollected",
    "flows[0].steps[0].requires[0]",
    {
      flows: [{ title: "F", steps: [{ id: "a", prompt: "a", requires: ["city"] }, done] }]
    }
  ),
  broken(
    "a step that requires a field which only a later step collects, and that a branch reaches",
    "requires-uncollected",
    "flows[0].steps[2].requires",
    {
      flows: [{
        title: "F",
        steps: [
          { id: "a", prompt: "a", branches: [{ when: "quick", then: "c" }] },
          { id: "b", prompt: "b" },
          { id: "c", prompt: "c", requires: ["guests"] },
          { id: "d", collect: ["guests"] },
          done
        ]
      }]
    }
  ),
  broken("auto steps that lead to each other", "auto-circle", "flows[0].steps[0]", {
    flows: [{
      title: "F",
      steps: [
        { id: "a", auto: true, branches: [{ then: "b" }] },
        { id: "b", auto: true, branches: [{ then: "a" }] }
      ]
    }]
  }),
  broken("auto steps that form a circle for some values of a field", "auto-circle", "flows[0].steps[2]", {
    flows: [{
      title: "F",
      steps: [
        { id: "ask", collect: ["guests"] },
        {
          id: "a",
          auto: true,
          branches: [{
            if: ({ data }: { readonly data: { readonly guests?: number } }) => (data.guests ?? 0) > 4,
            then: "b"
          }]
        },
        {
          id: "b",
          auto: true,
          branches: [{
            if: ({ data }: { readonly data: { readonly guests?: number } }) => (data.guests ?? 0) > 5,
            then: "a"
          }]
        },
        done
      ]
    }]
  }),
  broken("two flows that enter each other without a reply", "auto-circle", "flows[1].steps[0]", {
    flows: [
      { title: "F", when: "f", steps: [{ id: "a", auto: true, branches: [{ when: "yes", then: "G" }] }, done] },
      { title: "G", when: "g", steps: [{ id: "a", auto: true, branches: [{ when: "yes", then: "F" }] }, done] }
    ]
  }),
  broken("an auto step with a branch that only writes", "endless-branch", "flows[0].steps[0].branches[0].then", {
    flows: [{
      title: "F",
      steps: [{ id: "a", auto: true, branches: [{ then: { dataUpdate: { city: "Lisbon" } } }] }, done]
    }]
  }),
  broken("more consecutive auto steps than a turn allows", "too-long-turn", "flows[0].steps[10]", {
    maxAutoStepsPerTurn: 10,
    flows: [{
      title: "F",
      steps: [...Array.from({ length: 12 }, (_, i) => ({ id: `s${i}`, auto: true })), done]
    }]
  }),
  broken("a branch that names an unknown step", "unknown-target", "flows[0].steps[0].branches[0].then", {
    flows: [{ title: "F", steps: [{ id: "a", prompt: "a", branches: [{ then: "nowhere" }] }] }]
  }),
  broken("a `goTo` that names an unknown flow", "unknown-target", "flows[0].steps[0].branches[0].then", {
    flows: [{ title: "F", steps: [{ id: "a", prompt: "a", branches: [{ then: { goTo: "Nowhere" } }] }] }]
  }),
  broken("an `onComplete` that names an unknown flow", "unknown-target", "flows[0].onComplete", {
    flows: [{ title: "F", onComplete: "Nowhere", steps: [done] }]
  }),
  broken("a hook that returns a `goTo` with an unknown flow", "unknown-target", "flows[0].steps[1].prepare", {
    flows: [{
      title: "F",
      steps: [{ id: "a", collect: ["city"] }, { id: "b", prompt: "b", prepare: () => ({ goTo: "Nowhere" }) }, done]
    }]
  }),
  broken(
    "a hook whose Effect returns a `goToStep` with an unknown step",
    "unknown-target",
    "flows[0].steps[0].hooks.finalize",
    {
      flows: [{
        title: "F",
        steps: [{ id: "a", prompt: "a", hooks: { finalize: () => Effect.succeed({ goToStep: "dome" }) } }, done]
      }]
    }
  ),
  broken("steps that lead only to each other", "never-completes", "flows[0]", {
    flows: [{
      title: "F",
      steps: [
        { id: "a", prompt: "a", branches: [{ then: "b" }] },
        { id: "b", prompt: "b", branches: [{ then: "a" }] }
      ]
    }]
  }),
  broken("a flow that requires a field which no step collects", "never-completes", "flows[0].requiredFields", {
    flows: [{ title: "F", requiredFields: ["breakfast"], steps: [{ id: "a", prompt: "a" }, done] }]
  }),
  broken(
    "a flow that requires two fields of which no step collects the second",
    "never-completes",
    "flows[0].requiredFields",
    {
      flows: [{ title: "F", requiredFields: ["city", "breakfast"], steps: [{ id: "a", collect: ["city"] }] }]
    }
  ),
  broken("a flow whose last step resets the flow", "never-completes", "flows[0]", {
    flows: [{
      title: "F",
      steps: [{ id: "a", prompt: "a" }, { id: "b", prompt: "b", branches: [{ then: { reset: true } }] }]
    }]
  })
]

const handler = () => "ok"

const warnings: ReadonlyArray<Broken> = [
  broken("a branch after a branch that always matches", "branch-never-taken", "flows[0].steps[0].branches[1]", {
    flows: [{
      title: "F",
      steps: [
        { id: "a", prompt: "a", branches: [{ if: () => true, then: "done" }, { when: "more", then: "b" }] },
        done,
        { id: "b", prompt: "b", branches: [{ then: { complete: true } }] }
      ]
    }]
  }, "warning"),
  broken("two branches with the same `when`", "branch-never-taken", "flows[0].steps[0].branches[1]", {
    flows: [{
      title: "F",
      steps: [
        { id: "a", prompt: "a", branches: [{ when: "yes", then: "done" }, { when: "yes", then: "b" }] },
        { id: "b", prompt: "b" },
        done
      ]
    }]
  }, "warning"),
  broken("a branch that clears a field and leads to a dead end", "no-way-out", "flows[0].steps[2]", {
    flows: [{
      title: "F",
      steps: [
        { id: "a", prompt: "a", collect: ["city"] },
        {
          id: "b",
          prompt: "b",
          branches: [{ when: "another one", then: { clear: ["city"], goToStep: "c" } }, { then: { complete: true } }]
        },
        { id: "c", prompt: "c", until: () => false },
        done
      ]
    }]
  }),
  broken(
    "a step's branch with the same `when` as an agent's branch that aborts the whole stack",
    "branch-never-taken",
    "flows[0].steps[0].branches[0]",
    {
      branches: [{ when: "the user is done", then: { abort: { reason: "done", stack: true } } }],
      flows: [
        {
          title: "F",
          when: "f",
          steps: [{
            id: "a",
            prompt: "a",
            branches: [{ when: "the user is done", then: { complete: true } }, { then: { complete: true } }]
          }]
        },
        other
      ]
    },
    "warning"
  ),
  broken("a branch whose if is never true", "branch-never-taken", "flows[0].steps[0].branches[0]", {
    flows: [{
      title: "F",
      steps: [{ id: "a", prompt: "a", branches: [{ if: () => false, then: "done" }] }, { id: "b", prompt: "b" }, done]
    }]
  }, "warning"),
  broken("a field that is collected and never used", "unused-field", "flows[0].steps[0].collect[0]", {
    flows: [{ title: "F", steps: [{ id: "a", collect: ["name"] }, { id: "b", reply: "Thank you." }] }]
  }, "warning"),
  broken("a field that is required and never collected", "required-never-collected", "flows[0].requiredFields", {
    flows: [{ title: "F", requiredFields: ["city"], steps: [{ id: "a", prompt: "a" }, done] }]
  }, "warning"),
  broken("a field that only another flow collects", "requires-uncollected", "flows[0].steps[0].requires", {
    flows: [
      { title: "F", when: "f", steps: [{ id: "a", prompt: "a", requires: ["name"] }, done] },
      { title: "Who", when: "who", steps: [{ id: "who", collect: ["name"] }, done] }
    ]
  }, "warning"),
  broken("a flow whose if is never true", "unreachable-flow", "flows[1]", {
    flows: [{ title: "F", when: "f", steps: [done] }, { ...other, if: () => false }]
  }, "warning"),
  broken("a flow without when next to others", "unreachable-flow", "flows[1]", {
    flows: [{ title: "F", when: "f", steps: [done] }, { title: "Other", steps: [done] }]
  }, "warning"),
  broken("two flows with the same when", "same-when", "flows[1].when", {
    flows: [{ title: "F", when: "the user wants help", steps: [done] }, {
      title: "G",
      when: "The user wants help.",
      steps: [done]
    }]
  }, "warning"),
  ...([
    ["flows[0].steps[0].reply", { reply: "Hi ${data.city}" }],
    ["flows[0].steps[0].reply.de", { reply: { en: "Hi", de: "Nach {{ data.city }}" } }],
    ["flows[0].steps[0].prompt", { prompt: "Greet {{title}}" }],
    ["flows[0].steps[0].branches[0].then.reply", {
      prompt: "Hi",
      branches: [{ then: { reply: "For ${data.guests ?? 1}", goToStep: "done" } }]
    }]
  ] as const).map(([path, step]) =>
    broken(`a template in plain quotes at ${path}`, "unfilled-placeholder", path, {
      flows: [{ title: "F", steps: [{ id: "a", ...step }, done] }]
    }, "warning")
  ),
  broken("a tool of a flow in which no model is called", "tool-never-offered", "flows[0].tools[0]", {
    flows: [{ title: "F", tools: [{ id: "t", handler }], steps: [{ id: "a", reply: "Hi" }] }]
  }, "warning"),
  broken("a tool left out by onlyTools", "tool-never-offered", "flows[0].tools[1]", {
    flows: [{
      title: "F",
      onlyTools: ["t"],
      tools: [{ id: "t", handler }, { id: "u", handler }],
      steps: [{ id: "a", prompt: "Hi" }]
    }]
  }, "warning"),
  broken("a destructive tool without a gate", "unguarded-tool", "tools[0]", {
    tools: [{ id: "wipe", isDestructive: true, handler }],
    flows: [{ title: "F", steps: [done] }]
  }, "warning"),
  ...[
    { checkPermissions: () => true },
    { policies: [{ atMost: 1 }] },
    { accepts: { otherwise: "refuse" } }
  ].map((gate) =>
    broken(
      `a call that ${Object.keys(gate)[0]} can refuse, with a branch for failures only`,
      "denied-unhandled",
      "flows[0].steps[0].then",
      {
        flows: [{
          title: "F",
          steps: [{ id: "a", call: calling(gate), then: { failed: "b" } }, done, {
            id: "b",
            reply: "That did not work."
          }]
        }]
      },
      "warning"
    )
  ),
  broken(
    "a call that a policy of the agent can refuse, whose branch has a condition",
    "denied-unhandled",
    "flows[0].steps[0].then",
    {
      policies: [{ tool: "act", atMost: 1 }],
      flows: [{
        title: "F",
        steps: [
          { id: "a", call: calling({}), then: { denied: [{ if: () => false, then: "done" }], failed: "done" } },
          done
        ]
      }]
    },
    "warning"
  ),
  ...[
    { url: Schema.String },
    { imageUrl: Schema.String },
    { page: Schema.String.annotations({ jsonSchema: { type: "string", format: "uri" } }) },
    { page: Schema.URL },
    { pages: Schema.Array(Schema.String.annotations({ jsonSchema: { type: "string", format: "uri" } })) }
  ].map((parameters) =>
    broken(`a tool that only reads, with an address: ${Object.keys(parameters)[0]}`, "open-channel", "tools[0]", {
      tools: [{ id: "look", isReadOnly: true, parameters, handler }],
      flows: [{ title: "F", steps: [done] }]
    }, "warning")
  ),
  broken("a reply that shows a value which may be unknown", "reply-may-lack", "flows[0].steps[1].reply", {
    flows: [{
      title: "F",
      requiredFields: ["name"],
      steps: [
        { id: "a", collect: ["name"], branches: [{ when: "does not say", then: "b" }] },
        { id: "b", reply: ({ data }: { readonly data: { readonly name?: string } }) => `Hello ${data.name}` }
      ]
    }]
  }, "warning")
]

export const corpus: ReadonlyArray<Broken> = [...errors, ...warnings]
