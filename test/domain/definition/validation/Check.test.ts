import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, Job, SessionStore } from "coxswain"
import { Effect, Exit, FastCheck as fc, Layer, Schema } from "effect"
import { runs } from "../../../support/Runs.js"
import * as Script from "../../../support/Script.js"

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.NonEmptyString,
    guests: Schema.Int.pipe(Schema.positive()),
    when: Schema.Date,
    agreed: Schema.Boolean
  }),
  context: Schema.Struct({ tier: Schema.String })
})

const services = Layer.merge(Script.make(() => "Hello").layer, SessionStore.layerMemory)

type Services = Layer.Layer.Success<typeof services>

/** `make` without its types. */
const make = (options: unknown) =>
  (kit.make as never as (options: unknown) => Effect.Effect<unknown, Errors.FlowConfigurationError, Services>)(options)
    .pipe(
      Effect.provide(services)
    )

/** The kit without its types. */
const untyped = kit as never as { readonly tool: (options: object) => unknown }

const issuesOf = (options: unknown) =>
  Effect.match(make(options), { onFailure: ({ issues }) => issues, onSuccess: () => [] })

const steps = [{ id: "ask", collect: ["city"] }, { id: "end", prompt: "Say goodbye" }]
const flow = (more: object) => ({ name: "Bot", flows: [{ title: "Booking", steps, ...more }] })
const step = (...given: ReadonlyArray<object>) => flow({ steps: given })
const branches = (...given: ReadonlyArray<unknown>) =>
  flow({ steps: [{ id: "ask", collect: ["city"], branches: given }, { id: "end", prompt: "Say goodbye" }] })
const yes = () => true
const tool = { id: "save", handler: () => "saved" }
const signal = { id: "angry", phase: "pre", handler: () => ({}) }

/** One mistake each, with the path and the message of its issue. */
const mistakes: ReadonlyArray<readonly [rule: string, options: unknown, path: string, line: string | RegExp]> = [
  [
    "a duplicate flow id",
    { name: "Bot", flows: [{ id: "b", title: "A", steps }, { id: "b", title: "B", steps }] },
    "flows[1].id",
    "duplicate flow id \"b\": another flow has the same id (ids default to the slug of the title, here \"B\"). Give one of them its own id."
  ],
  [
    "two flow titles that give the same flow id",
    { name: "Bot", flows: [{ title: "Book it!", steps }, { title: "Book it?", steps }] },
    "flows[1].id",
    "duplicate flow id \"book-it\": another flow has the same id (ids default to the slug of the title, here \"Book it?\"). Give one of them its own id."
  ],
  [
    "a duplicate flow title",
    { name: "Bot", flows: [{ title: "Booking", steps }, { title: "Booking", steps }] },
    "flows[1].title",
    "duplicate flow title \"Booking\": a flow may be referred to by its title. Give one of them another title."
  ],
  [
    "a duplicate title of two flows with different ids",
    { name: "Bot", flows: [{ id: "a", title: "Booking", steps }, { id: "b", title: "Booking", steps }] },
    "flows[1].title",
    "duplicate flow title \"Booking\": a flow may be referred to by its title. Give one of them another title."
  ],
  [
    "a duplicate step id",
    step({ id: "a", prompt: "x" }, { description: "A", prompt: "y" }),
    "flows[0].steps[1].id",
    "duplicate step id \"a\": another step of the flow has the same id (ids default to the slug of the description). Give one of them its own id."
  ],
  [
    "a duplicate tool id",
    { name: "Bot", tools: [tool, tool] },
    "tools[1].id",
    "duplicate tool id \"save\": the model calls a tool by its id. Give one of them its own id."
  ],
  [
    "a duplicate tool in a step",
    { ...step({ id: "a", prompt: "x", tools: ["save", "save"] }), tools: [tool] },
    "flows[0].steps[0].tools[1]",
    "duplicate tool id \"save\": the model calls a tool by its id. Give one of them its own id."
  ],
  [
    "a duplicate signal id",
    { name: "Bot", signals: [signal, kit.signal({ id: "angry", phase: "post", handler: () => ({}) })] },
    "signals[1].id",
    "duplicate signal id \"angry\": the session remembers a signal by its id. Give one of them its own id."
  ],
  [
    "a duplicate instruction id, across scopes",
    {
      ...step({ id: "a", prompt: "x", instructions: ["be kind", { id: "i", text: "x" }] }),
      instructions: [{ id: "i", text: "y" }]
    },
    "flows[0].steps[0].instructions[1].id",
    "duplicate instruction id \"i\": the response names applied instructions by id. Give one of them its own id."
  ],
  [
    "an unknown field in `collect`",
    step({ id: "a", collect: ["city", "nope"] }),
    "flows[0].steps[0].collect[1]",
    "unknown field \"nope\": the data schema has \"city\", \"guests\", \"when\", \"agreed\". Correct the name or add the field to the data schema."
  ],
  [
    "an unknown field in `requires`",
    step({ id: "a", prompt: "x", requires: ["nope"] }),
    "flows[0].steps[0].requires[0]",
    "unknown field \"nope\": the data schema has \"city\", \"guests\", \"when\", \"agreed\". Correct the name or add the field to the data schema."
  ],
  [
    "an unknown field in `requiredFields`",
    flow({ requiredFields: ["nope"] }),
    "flows[0].requiredFields[0]",
    "unknown field \"nope\": the data schema has \"city\", \"guests\", \"when\", \"agreed\". Correct the name or add the field to the data schema."
  ],
  [
    "an unknown field in `optionalFields`",
    flow({ optionalFields: ["city", "nope"] }),
    "flows[0].optionalFields[1]",
    "unknown field \"nope\": the data schema has \"city\", \"guests\", \"when\", \"agreed\". Correct the name or add the field to the data schema."
  ],
  [
    "a step with both `auto` and `prompt`",
    step({ id: "a", auto: true, prompt: "x" }),
    "flows[0].steps[0]",
    "step of several shapes: it mixes LLM (prompt, collect, tools, until) and auto. Split it into several steps."
  ],
  [
    "a step with both `reply` and `collect`",
    step({ id: "a", reply: "x", collect: ["city"] }),
    "flows[0].steps[0]",
    "step of several shapes: it mixes LLM (prompt, collect, tools, until) and reply. Split it into several steps."
  ],
  [
    "a step with both `auto` and `reply`",
    step({ id: "a", auto: true, reply: "x" }),
    "flows[0].steps[0]",
    "step of several shapes: it mixes auto and reply. Split it into several steps."
  ],
  [
    "a step without `prompt`, `reply`, `collect` or another action",
    step({ id: "a", description: "says nothing" }),
    "flows[0].steps[0]",
    "step without a shape: it has none of prompt, collect, tools, until, auto, reply and call. Say what the step does."
  ],
  [
    "`finalize` of an auto step",
    step({ id: "a", auto: true, finalize: yes }),
    "flows[0].steps[0].finalize",
    "finalize on an auto step: nothing is said in an auto step, so nothing is finalized. Use prepare."
  ],
  [
    "`finalize` of an auto step, in its hooks",
    step({ id: "a", auto: true, hooks: { finalize: yes } }),
    "flows[0].steps[0].finalize",
    "finalize on an auto step: nothing is said in an auto step, so nothing is finalized. Use prepare."
  ],
  [
    "`finalize` of a call, in its hooks",
    step({ id: "a", call: kit.tool(tool).with({}), hooks: { finalize: yes } }),
    "flows[0].steps[0].finalize",
    "finalize on a call: the step says nothing and does not wait. Use then, or another step."
  ],
  [
    "a function in an instruction's `when`",
    { name: "Bot", instructions: [{ text: "x", when: yes }] },
    "instructions[0].when",
    "a function in when: when is judged by the model and must be words. Move the function to if."
  ],
  [
    "a hook given twice",
    step({ id: "a", prompt: "x", prepare: () => ({}), hooks: { prepare: () => ({}) } }),
    "flows[0].steps[0].prepare",
    "prepare given twice: the step and its hooks both have it. Keep one of them."
  ],
  [
    "a function in a flow's `when`",
    flow({ when: yes }),
    "flows[0].when",
    "a function in when: when is judged by the model and must be words. Move the function to if."
  ],
  [
    "a function in the list `when` of a step",
    step({ id: "a", prompt: "x", when: ["words", yes] }),
    "flows[0].steps[0].when[1]",
    "a function in when: when is judged by the model and must be words. Move the function to if."
  ],
  [
    "a function in a branch's `when`",
    branches({ when: yes, then: "end" }),
    "flows[0].steps[0].branches[0].when",
    "a function in when: when is judged by the model and must be words. Move the function to if."
  ],
  [
    "a function in a signal's `when`",
    { name: "Bot", signals: [{ ...signal, when: yes }] },
    "signals[0].when",
    "a function in when: when is judged by the model and must be words. Move the function to if."
  ],
  [
    "a `when` with an empty list `all`",
    flow({ when: { all: [] } }),
    "flows[0].when.all[0]",
    "flows[0].when.all[0]: is missing. Give at least one."
  ],
  [
    "an async function in the `all` of a branch's `when`",
    branches({ when: { all: ["words", async () => true] }, then: "end" }, { then: "end" }),
    "flows[0].steps[0].branches[0].when.all[1]",
    /async/
  ],
  [
    "an unknown key in `when`",
    step({ id: "a", prompt: "x", when: { all: ["words"], any: ["words"] } }),
    "flows[0].steps[0].when.any",
    /any/
  ],
  [
    "an empty list of branches",
    branches(),
    "flows[0].steps[0].branches",
    "empty branches: a list without branches leads nowhere. Remove it or add a branch."
  ],
  [
    "a fallback branch that is not last",
    branches({ then: "end" }, { if: yes, then: "end" }),
    "flows[0].steps[0].branches[0]",
    "fallback branch that is not last: it always matches, so the branches after it are never taken. Move it to the end."
  ],
  [
    "a branch that names an unknown step",
    branches({ then: "nope" }),
    "flows[0].steps[0].branches[0].then",
    "unknown target \"nope\": this flow's steps are \"ask\", \"end\"; the flows are \"booking\". Name one of them."
  ],
  [
    "a literal `goTo` with an unknown flow",
    branches({ then: { goTo: "nope" } }),
    "flows[0].steps[0].branches[0].then",
    "unknown flow \"nope\": the flows are \"booking\". Name one of them."
  ],
  [
    "a literal `goTo` with a step that the flow does not have",
    branches({ then: { goTo: { flow: "Booking", step: "nope" } } }),
    "flows[0].steps[0].branches[0].then",
    "unknown step \"nope\": the steps of \"booking\" are \"ask\", \"end\". Name one of them."
  ],
  [
    "a literal `goToStep` with an unknown step",
    branches({ then: { goToStep: "nope" } }),
    "flows[0].steps[0].branches[0].then",
    "unknown step \"nope\": the steps of \"booking\" are \"ask\", \"end\". Name one of them."
  ],
  [
    "a literal `reset` with an unknown step",
    branches({ then: { reset: { step: "nope" } } }),
    "flows[0].steps[0].branches[0].then",
    "unknown step \"nope\": the steps of \"booking\" are \"ask\", \"end\". Name one of them."
  ],
  [
    "a literal `complete.next` with an unknown flow",
    branches({ then: { complete: { next: { goTo: "nope" } } } }),
    "flows[0].steps[0].branches[0].then.complete.next",
    "unknown flow \"nope\": the flows are \"booking\". Name one of them."
  ],
  [
    "an `onComplete` with an unknown flow",
    flow({ onComplete: "nope" }),
    "flows[0].onComplete",
    "unknown flow \"nope\": the flows are \"booking\". Correct the name or add the flow."
  ],
  [
    "a literal directive with two position fields",
    branches({ then: { goTo: "Booking", abort: "x" } }),
    "flows[0].steps[0].branches[0].then",
    "several position fields: abort and goTo would move the conversation to two places. Keep one of them."
  ],
  [
    "a literal directive with an unknown key",
    branches({ then: { goto: "Booking" } }),
    "flows[0].steps[0].branches[0].then",
    "unknown directive field: \"goto\" means nothing in a directive; \"goTo\" is near. Remove it or correct its name."
  ],
  [
    "a literal directive with a field of the wrong type",
    branches({ then: { goTo: null } }),
    "flows[0].steps[0].branches[0].then.goTo",
    "wrong goTo: goTo is the name of a flow or { flow?, step?, data?, reason?, carry? }. Correct its value."
  ],
  [
    "an `onComplete` that is also set in `hooks`",
    flow({ onComplete: "Booking", hooks: { onComplete: () => ({}) } }),
    "flows[0].onComplete",
    "onComplete given twice: the flow and its hooks both have it. Keep one of them."
  ],
  ...["maxAutoStepsPerTurn", "maxDirectiveChain", "maxToolRounds", "toolConcurrency", "signalBatchSize", "historyLimit"]
    .map((limit) =>
      [
        `a ${limit} of zero`,
        { name: "Bot", [limit]: 0 },
        limit,
        `${limit}: must be a positive whole number. Correct its value.`
      ] as const
    ),
  ...["flowThreshold", "flowSwitchMargin"].map((limit) =>
    [
      `a negative ${limit}`,
      { name: "Bot", [limit]: -1 },
      limit,
      `${limit}: must be a positive number. Correct its value.`
    ] as const
  ),
  ...["firstToken", "model", "tool", "turn"].map((limit) =>
    [
      `a ${limit} timeout of zero`,
      { name: "Bot", timeouts: { [limit]: 0 } },
      `timeouts.${limit}`,
      "not a positive duration: got 0. Give a duration such as \"30 seconds\"."
    ] as const
  ),
  [
    "a timeout that is no duration",
    { name: "Bot", timeouts: { turn: "soon" } },
    "timeouts.turn",
    "not a positive duration: got \"soon\". Give a duration such as \"30 seconds\"."
  ],
  ...["lock", "store"].map((limit) =>
    [
      `a ${limit} timeout that is no duration`,
      { name: "Bot", timeouts: { [limit]: "soon" } },
      `timeouts.${limit}`,
      "not a positive duration: got \"soon\". Give a duration such as \"30 seconds\"."
    ] as const
  ),
  ...["input", "output", "toolResults"].map((kind) =>
    [
      `a timeout of guardrails.${kind} that is no duration`,
      { name: "Bot", guardrails: { [kind]: [{ id: "g", check: () => undefined, timeout: "soon" }] } },
      `guardrails.${kind}[0].timeout`,
      "not a positive duration: got \"soon\". Give a duration such as \"30 seconds\"."
    ] as const
  ),
  [
    "a tool's timeout that is no duration",
    { name: "Bot", tools: [{ ...tool, timeout: 0n }] },
    "tools[0].timeout",
    "not a positive duration: got 0. Give a duration such as \"30 seconds\"."
  ],
  [
    "a cooldown signal without cooldown",
    { name: "Bot", signals: [{ ...signal, behavior: "cooldown" }] },
    "signals[0].cooldown",
    "signal \"angry\" without cooldown: behavior is \"cooldown\" but no time is given. Add cooldown, for example \"10 minutes\"."
  ],
  ...[{}, { behavior: "once" as const }].map((behavior) =>
    [
      `a cooldown that has no effect, with ${JSON.stringify(behavior)}`,
      { name: "Bot", signals: [{ ...signal, ...behavior, cooldown: "1 hour" as const }] },
      "signals[0].cooldown",
      "cooldown without its behavior: a signal keeps quiet for that long only with behavior: \"cooldown\". Add behavior: \"cooldown\", or remove it."
    ] as const
  ),
  [
    "words in a signal's `if`",
    { name: "Bot", signals: [{ ...signal, if: "is rude" }] },
    "signals[0].if",
    "words in if: if is decided by code and must be a function. Move words for the model to when, or write a function."
  ],
  [
    "a title of a tool for a locale that is none",
    { name: "Bot", tools: [{ ...tool, title: { english: "Book" } }] },
    "tools[0].title.english",
    "text for locale \"english\": that is no locale. Name a language, \"de\", or a language and a region, \"pt-PT\"."
  ],
  [
    "parameters that are null",
    step({ id: "a", call: kit.tool({ ...tool, parameters: null as never }).with({}) }),
    "flows[0].steps[0].call[0].parameters",
    /Expected .*, actual null/
  ],
  [
    "a cooldown of zero",
    { name: "Bot", signals: [{ ...signal, behavior: "cooldown", cooldown: 0 }] },
    "signals[0].cooldown",
    "not a positive duration: got 0. Give a duration such as \"30 seconds\"."
  ],
  [
    "an auto step that leads to itself",
    step({ id: "a", auto: true, branches: [{ then: "a" }] }),
    "flows[0].steps[0]",
    "auto steps in a circle: \"booking/a\" → \"booking/a\" has no condition that could end it. Add an if, when or skip, or lead to a step that speaks."
  ],
  [
    "auto steps that lead to each other",
    step({ id: "a", auto: true }, { id: "b", auto: true, branches: [{ then: { goToStep: "a" } }] }),
    "flows[0].steps[0]",
    "auto steps in a circle: \"booking/a\" → \"booking/b\" → \"booking/a\" has no condition that could end it. Add an if, when or skip, or lead to a step that speaks."
  ],
  [
    "auto steps that lead to each other across flows",
    {
      name: "Bot",
      flows: [
        { title: "A", steps: [{ id: "a", auto: true, branches: [{ then: "B" }] }] },
        { title: "B", steps: [{ id: "b", auto: true, branches: [{ then: { goTo: "a" } }] }] }
      ]
    },
    "flows[0].steps[0]",
    "auto steps in a circle: \"a/a\" → \"b/b\" → \"a/a\" has no condition that could end it. Add an if, when or skip, or lead to a step that speaks."
  ],
  [
    "a field in `requires` that no step and no initial value provides",
    step({ id: "a", prompt: "x", requires: ["guests"] }),
    "flows[0].steps[0].requires[0]",
    "nothing provides \"guests\": no step collects it and no initialData has it. Collect it in a step or provide it in initialData."
  ],
  [
    "an initial value that the data schema refuses",
    { name: "Bot", initialData: { guests: 0 } },
    "initialData.guests",
    "initial value of \"guests\": Expected a positive number, actual 0. Give a value that the data schema accepts."
  ],
  [
    "an initial value of an unknown field, in a flow",
    flow({ initialData: { nope: 1 } }),
    "flows[0].initialData.nope",
    "initial value of \"nope\": is not a field of the schema. Give a value that the data schema accepts."
  ],
  [
    "a tool name that is not defined",
    step({ id: "a", prompt: "x", tools: ["save"] }),
    "flows[0].steps[0].tools[0]",
    "unknown tool \"save\": a name refers to one of the agent's tools. Add it to the agent's tools or toolkits, or pass the tool itself."
  ],
  [
    "a value that is not a tool",
    { name: "Bot", tools: [5] },
    "tools[0]",
    "not a tool: a tool is a literal, a kit.tool or the id of an agent's tool. Pass one of these."
  ],
  [
    "a tool id that no provider accepts",
    { name: "Bot", tools: [{ id: "save it", handler: yes }] },
    "tools[0].id",
    "tools[0].id: a tool id is 1 to 64 letters, digits, \"_\" or \"-\". Correct its value."
  ],
  [
    "a tool without a handler",
    { name: "Bot", tools: [{ id: "save" }] },
    "tools[0].handler",
    "tools[0].handler: is missing. Add it."
  ],
  [
    "tool parameters that are not Schemas",
    { name: "Bot", tools: [{ ...tool, parameters: { city: "string" } }] },
    "tools[0].parameters.city",
    "not a Schema: parameters is a record of Schemas, such as { city: Schema.String }. Pass a Schema; for an object, Schema.Struct({ … })."
  ],
  [
    "an argument in `accepts` that is not a parameter of the tool",
    { name: "Bot", tools: [{ ...tool, parameters: { iban: Schema.String }, accepts: { ibann: ["user"] } }] },
    "tools[0].accepts.ibann",
    "unknown parameter \"ibann\": \"iban\" is near; the parameters are \"iban\". Name one of them."
  ],
  [
    "tool parameters that JSON schema cannot describe",
    { name: "Bot", tools: [{ ...tool, parameters: { when: Schema.DateFromSelf } }] },
    "tools[0].parameters",
    "parameters without a JSON schema: the model is told what a tool takes as JSON schema, and one of these Schemas has none. Use Schemas whose encoded side is JSON, for example Schema.Date instead of Schema.DateFromSelf."
  ],
  [
    "a tool's `success` that is not a Schema",
    { name: "Bot", tools: [{ ...tool, success: "string" }] },
    "tools[0].success",
    "not a Schema: success encodes what the handler returns. Pass a Schema; for an object, Schema.Struct({ … })."
  ],
  [
    "a value that is not a signal",
    { name: "Bot", signals: [null] },
    "signals[0]",
    "not a signal: a signal is a literal or a kit.signal. Pass one of these."
  ],
  [
    "a signal without a phase",
    { name: "Bot", signals: [{ id: "s", handler: yes }] },
    "signals[0].phase",
    "signals[0].phase: is missing. Add it."
  ],
  [
    "a signal's `extract` that is not a Schema",
    { name: "Bot", signals: [{ ...signal, extract: {} }] },
    "signals[0].extract",
    "not a Schema: extract says what to read from the message. Pass a Schema; for an object, Schema.Struct({ … })."
  ],
  [
    "a value that is not a toolkit",
    { name: "Bot", toolkits: [{}] },
    "toolkits[0]",
    "not a toolkit: it is no Effect of a toolkit's tools and handlers. Pass a Toolkit of @effect/ai."
  ],
  [
    "an Effect whose result is not a toolkit",
    { name: "Bot", toolkits: [Effect.succeed({ tools: {} })] },
    "toolkits[0]",
    "not a toolkit: it is no Effect of a toolkit's tools and handlers. Pass a Toolkit of @effect/ai."
  ],
  ["no options", null, "", "definition: Expected AgentOptions, actual null. Correct its value."],
  ["no name", {}, "name", "name: is missing. Add it."],
  [
    "a `contextProvider` that is a function and not an Effect",
    { name: "Bot", contextProvider: () => ({}) },
    "contextProvider",
    "contextProvider: must be an Effect that gives parts of the context, such as Effect.sync(() => ({ locale })). Correct its value."
  ],
  [
    "an unknown option",
    { name: "Bot", flow: [] },
    "flow",
    /flow: there is no option of this name, "flows" is near\. Write "flows", or remove it: docs\/reference\/agent\.md lists the \d+ that there are\.$/
  ],
  [
    "a value of `flows` that is not a list",
    { name: "Bot", flows: "x" },
    "flows",
    "flows: Expected ReadonlyArray<Flow>, actual \"x\". Correct its value."
  ],
  [
    "a flow that is null",
    { name: "Bot", flows: [null] },
    "flows[0]",
    "flows[0]: Expected Flow, actual null. Correct its value."
  ],
  [
    "a flow without a title",
    { name: "Bot", flows: [{ steps }] },
    "flows[0].title",
    "flows[0].title: is missing. Add it."
  ],
  [
    "a flow without steps",
    { name: "Bot", flows: [{ title: "A" }] },
    "flows[0].steps",
    "flows[0].steps: is missing. Add it."
  ],
  [
    "an empty list of steps",
    flow({ steps: [] }),
    "flows[0].steps[0]",
    "flows[0].steps[0]: is missing. Give at least one."
  ],
  [
    "a value of `steps` that is not a list",
    flow({ steps: "x" }),
    "flows[0].steps",
    "flows[0].steps: Expected readonly [Step, ...Step[]], actual \"x\". Correct its value."
  ],
  [
    "an unknown key of a step",
    step({ id: "a", prompt: "x", promt: "x" }),
    "flows[0].steps[0].promt",
    /promt: there is no option of this name, "prompt" is near\. .*docs\/reference\/step\.md lists the \d+ that there are\.$/
  ],
  [
    "an unknown key that is similar to no option",
    { name: "Bot", retries: 3 },
    "retries",
    /retries: there is no option of this name\. Remove it or correct its name: docs\/reference\/agent\.md lists/
  ],
  [
    "an unknown key in `timeouts`",
    { name: "Bot", timeouts: { trun: "1 minute" } },
    "timeouts.trun",
    /trun: there is no option of this name, "turn" is near\. Write "turn", or remove it: the names are .*"tool"/
  ],
  [
    "an unknown option of a tool",
    { name: "Bot", tools: [{ ...tool, needApproval: true }] },
    "tools[0].needApproval",
    /needApproval: there is no option of this name, "needsApproval" is near\. .*docs\/reference\/tool\.md lists/
  ],
  [
    "an unknown option of a `kit.tool` in a step",
    step({ id: "a", prompt: "x", tools: [untyped.tool({ ...tool, needApproval: true })] }),
    "flows[0].steps[0].tools[0].needApproval",
    /there is no option of this name, "needsApproval" is near/
  ],
  [
    "an unknown key in a tool's `needsApproval`",
    { name: "Bot", tools: [{ ...tool, needsApproval: { resaon: "money" } }] },
    "tools[0].needsApproval.resaon",
    /there is no option of this name, "reason" is near/
  ],
  [
    "an unknown option of a signal",
    { name: "Bot", signals: [{ ...signal, behaviour: "once" }] },
    "signals[0].behaviour",
    /there is no option of this name, "behavior" is near/
  ],
  [
    "an unknown option of a guardrail",
    { name: "Bot", guardrails: { input: [{ id: "g", check: () => undefined, timout: "1 second" }] } },
    "guardrails.input[0].timout",
    /there is no option of this name, "timeout" is near/
  ],
  [
    "an unknown key in `guardrails`",
    { name: "Bot", guardrails: { inputs: [] } },
    "guardrails.inputs",
    /there is no option of this name, "input" is near/
  ],
  [
    "an unknown key of a scheduled timer",
    step({ id: "a", prompt: "x", branches: [{ then: { schedule: { id: "t", in: "1 hour", evnt: "late" } } }] }),
    "flows[0].steps[0].branches[0].then.schedule",
    /wrong schedule .*schedule is \{ id, in or at, event, payload\? \}.*; "event" is near\./
  ],
  [
    "an unknown key in `goTo`",
    step({ id: "a", prompt: "x", branches: [{ then: { goTo: { flow: "booking", cary: "reset" } } }] }),
    "flows[0].steps[0].branches[0].then.goTo",
    /; "carry" is near\. Correct its value/
  ],
  [
    "an instruction without text",
    { name: "Bot", instructions: ["be kind", { kind: "must" }] },
    "instructions[1].text",
    "instructions[1].text: is missing. Add it."
  ],
  [
    "an `onlyTools` of a flow that names a step's tool",
    { ...flow({ onlyTools: ["save"], steps: [{ id: "a", prompt: "x", tools: [tool] }] }), tools: [] },
    "flows[0].onlyTools[0]",
    "unknown tool \"save\": the tools here are none. Name one of them, or add the tool."
  ],
  [
    "a `toolChoice` with a tool that `onlyTools` excludes",
    { ...step({ id: "a", prompt: "x", onlyTools: [], toolChoice: { tool: "save" } }), tools: [tool] },
    "flows[0].steps[0].toolChoice.tool",
    "unknown tool \"save\": the tools here are none. Name one of them, or add the tool."
  ],
  [
    "a `toolChoice` of the agent with an unknown tool",
    { name: "Bot", toolChoice: { tool: "nope" }, tools: [tool] },
    "toolChoice.tool",
    "unknown tool \"nope\": the tools here are \"save\". Name one of them, or add the tool."
  ],
  [
    "an invalid value of `toolChoice`",
    { name: "Bot", toolChoice: "always" },
    "toolChoice",
    "toolChoice: must be \"auto\", \"none\", \"required\" or { tool: … }. Correct its value."
  ],
  [
    "a limit of tool rounds in a step that calls no model",
    step({ id: "a", reply: "x", maxToolRounds: 2 }),
    "flows[0].steps[0].maxToolRounds",
    "maxToolRounds where no model speaks: an auto step and a reply step make no model call. Remove it, or give the step a prompt."
  ],
  [
    "a `maxToolCallsPerRound` of zero",
    step({ id: "a", prompt: "x", maxToolCallsPerRound: 0 }),
    "flows[0].steps[0].maxToolCallsPerRound",
    "flows[0].steps[0].maxToolCallsPerRound: must be a positive whole number. Correct its value."
  ],
  [
    "an async hook",
    step({ id: "a", prompt: "x", prepare: async () => {} }),
    "flows[0].steps[0].prepare",
    "flows[0].steps[0].prepare: is an async function; return a value or an Effect: wrap the Promise with Effect.promise or Effect.tryPromise. Correct its value."
  ],
  [
    "a predicate that is a generator function",
    flow({ if: [yes, function*() {}] }),
    "flows[0].if[1]",
    "flows[0].if[1]: is a generator function; return a value or an Effect: wrap the generator function with Effect.gen. Correct its value."
  ],
  [
    "a predicate that is no function",
    flow({ if: [yes, true] }),
    "flows[0].if[1]",
    "flows[0].if[1]: Expected a function, actual true. Correct its value."
  ]
]

/** The message with the path after its subject, unless the subject is the path. */
const located = (line: string, path: string): string => {
  const what = path === "" || line.startsWith(`${path}:`) ? "" : ` (${path})`
  return line.replace(/^((?:"[^"]*"|[^":])*):/, `$1${what}:`)
}

describe("`make`, called with a definition", () => {
  for (const [rule, options, path, line] of mistakes) {
    it.effect(`reports ${rule} once, with path, reason and fix`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(make(options))
        expect(error).toBeInstanceOf(Errors.FlowConfigurationError)
        expect(error.issues.map((issue) => issue.path)).toStrictEqual([path])
        if (typeof line === "string") expect(error.message).toBe(`[FlowConfigurationError] ${located(line, path)}`)
        else expect(error.message).toMatch(line)
        expect(error.message).toContain(path)
      }))
  }

  it.effect("reports all mistakes of a definition together, one issue and one line each", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(make({
        name: "Bot",
        maxToolRounds: 0,
        signals: [{ ...signal, behavior: "cooldown" }],
        flows: [
          {
            title: "Booking",
            when: yes,
            onComplete: "nope",
            steps: [
              { id: "ask", collect: ["town"], branches: [] },
              { id: "end", prompt: "x", auto: true },
              { id: "end", reply: "Bye" }
            ]
          }
        ]
      }))
      expect(error.issues.map(({ path }) => path).sort()).toStrictEqual([
        "flows[0].onComplete",
        "flows[0].steps[0].branches",
        "flows[0].steps[0].collect[0]",
        "flows[0].steps[1]",
        "flows[0].steps[2].id",
        "flows[0].when",
        "maxToolRounds",
        "signals[0].cooldown"
      ])
      const lines = error.message.split("\n")
      expect(lines).toHaveLength(error.issues.length)
      for (const line of lines) expect(line).toMatch(/^\[FlowConfigurationError\] .+: .+[^.]\. .+[^.]\.$/)
    }))

  it.effect("reports the index of an element in the original list, also after invalid elements", () =>
    Effect.gen(function*() {
      const found = yield* issuesOf({
        name: "Bot",
        flows: [null, { title: "A", steps: [5, { id: "a", collect: ["nope"] }] }]
      })
      expect(found.map(({ path }) => path)).toStrictEqual([
        "flows[0]",
        "flows[1].steps[0]",
        "flows[1].steps[1].collect[0]"
      ])
    }))

  it.effect("checks the steps of each flow separately when two flows have the same id", () =>
    Effect.gen(function*() {
      const found = yield* issuesOf({
        name: "Bot",
        flows: [
          { id: "x", title: "A", steps: [{ id: "a", prompt: "x" }] },
          { id: "x", title: "B", steps: [{ id: "b", prompt: "x", branches: [{ then: "b" }] }] }
        ]
      })
      expect(found.map(({ path }) => path)).toStrictEqual(["flows[1].id"])
    }))

  const valid: ReadonlyArray<readonly [rule: string, options: unknown]> = [
    ["a definition with only a name", { name: "Bot" }],
    [
      "a circle of auto steps with a predicate on a step",
      step(
        { id: "a", auto: true, skip: yes },
        { id: "b", auto: true, branches: [{ then: "a" }] },
        { id: "c", reply: "x" }
      )
    ],
    [
      "a circle of auto steps with a predicate on a branch",
      step(
        { id: "a", auto: true, branches: [{ if: yes, then: "b" }, { then: "a" }] },
        { id: "b", reply: "x" }
      )
    ],
    [
      "a circle of auto steps and a step that speaks",
      step(
        { id: "a", auto: true },
        { id: "b", prompt: "x", branches: [{ then: "a" }] }
      )
    ],
    ["a field in `requires` that another flow collects", {
      name: "Bot",
      flows: [
        { title: "A", steps: [{ id: "a", collect: ["guests"] }] },
        { title: "B", steps: [{ id: "b", prompt: "x", requires: ["guests"] }] }
      ]
    }],
    ["a field in `requires` that `initialData` provides", {
      ...step({ id: "a", prompt: "x", requires: ["guests"] }),
      initialData: { guests: 2 }
    }],
    [
      "a branch to a step, to a flow by title and by id",
      branches(
        { if: yes, then: "end" },
        { if: yes, then: "Booking" },
        { then: "booking" }
      )
    ],
    ["one tool id in different scopes", {
      ...step({ id: "a", prompt: "x", tools: [tool] }),
      tools: [tool]
    }],
    ["the same step id in different flows", {
      name: "Bot",
      flows: [{ title: "A", steps }, { title: "B", steps }]
    }],
    ["the same text in several instructions", { name: "Bot", instructions: ["be kind", "be kind"] }]
  ]
  for (const [rule, options] of valid) {
    it.effect(`accepts ${rule}`, () => Effect.map(issuesOf(options), (found) => expect(found).toStrictEqual([])))
  }

  it.effect("accepts a definition with options of every kind", () =>
    kit.make({
      name: "BookingBot",
      goal: "Book rooms",
      persona: ({ context }) => `Kind to ${context.tier} guests`,
      instructions: ["Be brief", {
        id: "prices",
        kind: "never",
        text: "Promise prices",
        when: ["asked", "!staff"],
        if: yes
      }],
      terms: [{ name: "suite", description: "two rooms", synonyms: ["apartment"] }],
      knowledge: { opening: [8, 20], pets: false },
      tools: [
        kit.tool({
          id: "price",
          description: "What a night costs",
          parameters: { city: Schema.String, when: Schema.optional(Schema.Date) },
          success: Schema.Number,
          isReadOnly: true,
          timeout: "5 seconds",
          maxResultSizeChars: 100,
          needsApproval: () => ({ reason: "money" }),
          handler: () => 100
        }),
        { id: "plain", handler: () => Effect.succeed(1) }
      ],
      flows: [
        {
          id: "booking",
          title: "Book a room",
          description: "A room for some nights",
          when: ["wants a room", "!complains"],
          if: [yes],
          instructions: [{ id: "dates", text: "Repeat dates" }],
          tools: ["price", { id: "own", handler: () => 1 }],
          requiredFields: ["city", "guests"],
          optionalFields: ["agreed"],
          initialData: { guests: 2 },
          onComplete: "Opening hours",
          reentrant: true,
          onInterrupt: "drop",
          hooks: { onEnter: () => ({ appendPrompt: ["x"] }), onExit: () => {}, onDataUpdate: () => Effect.void },
          steps: [
            {
              id: "ask",
              description: "Where and when",
              prompt: ({ data }) => `Ask, knowing ${data.city}`,
              collect: ["city", "when"],
              tools: ["plain"],
              branches: [
                { id: "b", if: yes, then: { goTo: { flow: "hours", step: "tell" }, dataUpdate: { guests: 1 } } },
                { when: "big group", then: "confirm" },
                { then: { goToStep: "decide" } }
              ],
              hooks: { onEnter: () => ({ halt: false }), onExit: () => {} },
              finalize: () => undefined
            },
            { id: "decide", auto: true, prepare: () => Effect.succeed({ dataUpdate: { guests: 3 } }) },
            {
              id: "confirm",
              prompt: "Confirm",
              requires: ["city"],
              until: ({ data }) => data.agreed === true,
              skip: [yes]
            },
            { reply: "Booked!", when: "it worked" }
          ]
        },
        {
          id: "hours",
          title: "Opening hours",
          onComplete: () => ({ complete: { next: { goTo: "booking" } } }),
          steps: [{ id: "tell", reply: () => Effect.succeed("8 to 20") }]
        }
      ],
      signals: [
        kit.signal({
          id: "angry",
          phase: "both",
          when: "the guest is angry",
          extract: Schema.Struct({ level: Schema.Int }),
          behavior: "cooldown",
          cooldown: "10 minutes",
          priority: 5,
          handler: () => ({ reply: "Sorry", stopOtherSignals: true })
        }),
        { id: "log", phase: "post", enabled: false, handler: () => {} }
      ],
      signalBatchSize: 3,
      initialData: { agreed: false },
      contextProvider: Effect.succeed({ tier: "vip" }),
      hooks: { beforeRespond: () => {}, onContextUpdate: () => {}, onDataUpdate: () => {} },
      flowSwitchMargin: 10,
      flowThreshold: 50,
      maxAutoStepsPerTurn: 3,
      maxDirectiveChain: 3,
      maxToolRounds: 2,
      toolConcurrency: 1,
      idle: { prompt: "Say hello" },
      timeouts: { firstToken: 1000, model: "1 minute", tool: "1 second", turn: "2 minutes" },
      historyLimit: 10,
      onConflict: "fail"
    }).pipe(Effect.map(({ name }) => expect(name).toBe("BookingBot")), Effect.provide(services)))
})

// Values that look like a definition in some places only.
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(undefined, yes, Symbol("x"), 1n, Number.NaN, new Date(0), Effect.void, Promise.resolve())
)
const keys = [
  "name",
  "flows",
  "steps",
  "title",
  "id",
  "description",
  "when",
  "if",
  "prompt",
  "collect",
  "requires",
  "branches",
  "then",
  "goTo",
  "complete",
  "next",
  "tools",
  "parameters",
  "handler",
  "timeout",
  "toolkits",
  "signals",
  "cooldown",
  "extract",
  "phase",
  "instructions",
  "initialData",
  "hooks",
  "onComplete",
  "auto",
  "timeouts",
  "turn",
  "knowledge",
  "model",
  "idle",
  "contextProvider",
  "__proto__",
  "toString"
] as const
const { definition } = fc.letrec((tie) => ({
  definition: fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 8 }),
  value: fc.oneof({ maxDepth: 5 }, junk, fc.array(tie("value"), { maxLength: 3 }), tie("definition"))
}))

const neverDies = (options: unknown) =>
  Effect.map(Effect.exit(make(options)), (exit) => {
    if (Exit.isFailure(exit)) {
      expect(exit.cause).toMatchObject({ _tag: "Fail", error: { _tag: "FlowConfigurationError" } })
    }
  })

describe("`make`, called with an untyped value", () => {
  it.effect.prop(
    "returns an agent or fails with FlowConfigurationError, for any JSON",
    [fc.jsonValue()],
    ([options]) => neverDies(options),
    runs(300)
  )

  it.effect.prop(
    "returns an agent or fails with FlowConfigurationError, for any value of any option",
    [
      fc.constantFrom<(u: unknown) => unknown>(
        (flows) => ({ name: "Bot", flows }),
        (one) => ({ name: "Bot", flows: [one] }),
        (title) => flow({ title }),
        (id) => flow({ id }),
        (given) => flow({ steps: given }),
        (one) => flow({ steps: [one] }),
        (description) => step({ description, prompt: "x" }),
        (collect) => step({ id: "a", collect }),
        (tools) => step({ id: "a", prompt: "x", tools }),
        (branch) => branches(branch),
        (then) => branches({ then }),
        (goTo) => branches({ then: { goTo } }),
        (complete) => branches({ then: { complete } }),
        (next) => branches({ then: { complete: { next } } }),
        (tools) => ({ name: "Bot", tools }),
        (one) => ({ name: "Bot", tools: [one] }),
        (parameters) => ({ name: "Bot", tools: [{ ...tool, parameters }] }),
        (success) => ({ name: "Bot", tools: [{ ...tool, success }] }),
        (timeout) => ({ name: "Bot", tools: [{ ...tool, timeout }] }),
        (toolkits) => ({ name: "Bot", toolkits }),
        (signals) => ({ name: "Bot", signals }),
        (one) => ({ name: "Bot", signals: [one] }),
        (extract) => ({ name: "Bot", signals: [{ ...signal, extract }] }),
        (cooldown) => ({ name: "Bot", signals: [{ ...signal, cooldown }] }),
        (instructions) => ({ name: "Bot", instructions }),
        (knowledge) => ({ name: "Bot", knowledge }),
        (initialData) => ({ name: "Bot", initialData }),
        (timeouts) => ({ name: "Bot", timeouts }),
        (turn) => ({ name: "Bot", timeouts: { turn } }),
        (idle) => ({ name: "Bot", idle }),
        (model) => ({ name: "Bot", model }),
        (contextProvider) => ({ name: "Bot", contextProvider })
      ),
      junk
    ],
    ([place, value]) => neverDies(place(value)),
    runs(400)
  )

  it.effect.prop(
    "returns an agent or fails with FlowConfigurationError, for any arrangement of known keys",
    [definition],
    ([options]) => neverDies(options),
    runs(300)
  )

  it.effect("fails with FlowConfigurationError for a cyclic value", () =>
    Effect.gen(function*() {
      const circle: Record<string, unknown> = {}
      circle.circle = circle
      const found = yield* issuesOf({ name: "Bot", knowledge: circle })
      expect(found.map(({ path }) => path)).toStrictEqual(["knowledge"])
    }))
})

describe("`make`, with the schemas of an agent", () => {
  it.effect("refuses a data field that has no JSON form or the name of a member of Object.prototype", () =>
    Effect.gen(function*() {
      const kit = Agent.define({ data: Schema.Struct({ at: Schema.DateFromSelf, constructor: Schema.String }) })
      const { issues } = yield* Effect.flip(Effect.provide(kit.make({ name: "Bot" }), services))
      expect(issues.map(({ path }) => path)).toEqual(["data.at", "data.constructor"])
      expect(issues[0].fix).toContain("Schema.Date instead of Schema.DateFromSelf")
    }))

  for (
    const [annotations, line] of [
      [
        { evidense: "none" },
        "no annotation has this name; did you mean \"evidence\"? Write \"evidence\", or"
      ],
      [{ dependOn: ["guests"] }, "did you mean \"dependsOn\"?"],
      [{ dontcare: "x" }, "did you mean \"dontCare\"?"],
      [{ evidence: "no" }, "it is \"no\". Give one of \"words\", \"none\""],
      [{ scope: "turn" }, "it is \"turn\". Give one of"]
    ] as const
  ) {
    it.effect(`refuses a field annotated with ${JSON.stringify(annotations)}`, () =>
      Effect.gen(function*() {
        const data = Schema.Struct({
          city: Schema.String.annotations({ ...annotations as {} }),
          guests: Schema.Int
        })
        const error = yield* Effect.flip(
          Agent.define({ data }).make({ name: "Bot", flows: [{ title: "Go", steps: [{ id: "a", reply: "b" }] }] }).pipe(
            Effect.provide(services)
          )
        )
        expect(error.message).toContain(line)
      }))
  }

  it.effect("accepts annotations of others, also beside those of the library", () =>
    Effect.gen(function*() {
      const data = Schema.Struct({
        city: Schema.String.annotations({ evidence: "none", column: 3 } as { readonly title?: string })
      })
      yield* Agent.define({ data }).make({ name: "Bot", flows: [{ title: "Go", steps: [{ id: "a", reply: "b" }] }] })
        .pipe(
          Effect.provide(services)
        )
    }))

  it.effect("refuses a signal's `extract` schema that has no JSON form", () =>
    Effect.gen(function*() {
      const found = yield* issuesOf({ name: "Bot", signals: [{ ...signal, extract: Schema.DateFromSelf }] })
      expect(found.map(({ path }) => path)).toEqual(["signals[0].extract"])
    }))
})

describe("`make`, with events, jobs and tools that were declared before the call", () => {
  const untold = Agent.define as never as (options: object) => {
    readonly make: (options: object) => Effect.Effect<unknown, Errors.FlowConfigurationError, Services>
  }
  const refused = (options: object) =>
    Effect.flip(untold({ data: Schema.Struct({}), ...options }).make({ name: "Bot" })).pipe(Effect.provide(services))

  it.effect("refuses an unknown option of Agent.define", () =>
    Effect.gen(function*() {
      const { message } = yield* refused({ event: { paid: Schema.Struct({}) } })
      expect(message).toContain(
        "event of Agent.define (define.event): there is no option of this name, \"events\" is near"
      )
    }))

  it.effect("refuses a job that was declared with an unknown option", () =>
    Effect.gen(function*() {
      const declare = Job.make as never as (name: string, options: object) => unknown
      const { message } = yield* refused({ jobs: [declare("report", { attempt: 3 })] })
      expect(message).toContain("attempt of job \"report\" (jobs[0].attempt)")
      expect(message).toContain("\"attempts\" is near")
    }))

  it.effect("refuses an unknown event name in `on`, and suggests the most similar event of the agent", () =>
    Effect.gen(function*() {
      const { make } = untold({ data: Schema.Struct({}), events: { "payment.settled": Schema.Struct({}) } })
      const { message } = yield* Effect.flip(make({ name: "Bot", on: { "payment.setled": { reply: "x" } } })).pipe(
        Effect.provide(services)
      )
      expect(message).toContain("\"payment.settled\" is near; the agent's events are")
    }))

  it.effect("refuses a toolkit whose tool was declared with an unknown option", () =>
    Effect.gen(function*() {
      const pay = untyped.tool({ ...tool, id: "pay", isDestructve: true })
      const found = yield* issuesOf({
        name: "Bot",
        toolkits: [Effect.succeed({ tools: { pay }, handle: () => Effect.void })]
      })
      expect(found.map(({ path }) => path)).toEqual(["toolkits[0].pay.isDestructve"])
      expect(found[0]?.why).toContain("\"isDestructive\" is near")
    }))
})
