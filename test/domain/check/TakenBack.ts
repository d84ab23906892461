/** Definitions that fail once a value is withdrawn, and some that are correct because one can be. */
import { Schema } from "effect"
import { type Broken, broken, type Definition, kit } from "./Broken.js"

interface Turn {
  readonly data: { readonly city?: string; readonly guests?: number; readonly name?: string }
}

const cityIsGone = ({ data }: Turn) => data.city === undefined
const cityIsKnown = ({ data }: Turn) => data.city !== undefined

const offTo = ({ data }: Turn) => `Off to ${data.city}`
const book = kit.tool({
  id: "book",
  parameters: { city: Schema.optional(Schema.String) },
  handler: () => "booked"
}).with(({ data }) => ({ city: data.city }))

const ask = { id: "ask", collect: ["city"] }
/** A step that waits for the city and does not collect it, so that the conversation does not go back to it. */
const wait = { id: "ask", prompt: "Ask for the city", until: cityIsKnown }
const talk = { id: "talk", prompt: "Talk about it" }
const done = { id: "done", prompt: "Say goodbye" }

export const lost: ReadonlyArray<Broken> = [
  broken(
    "a flow that requires a field with an initial value, which no step collects",
    "required-never-collected",
    "flows[0].requiredFields",
    {
      flows: [{ title: "F", requiredFields: ["city"], initialData: { city: "Lisbon" }, steps: [talk, done] }]
    },
    "warning"
  ),
  broken(
    "a step that requires a field with an initial value, which no step collects",
    "requires-uncollected",
    "flows[0].steps[1].requires",
    {
      flows: [{
        title: "F",
        optionalFields: ["city"],
        initialData: { city: "Lisbon" },
        steps: [talk, { id: "book", prompt: "Book it", requires: ["city"] }]
      }]
    },
    "warning"
  ),
  broken("auto steps that form a circle after the user has withdrawn a value", "auto-circle", "flows[0].steps[2]", {
    flows: [{
      title: "F",
      optionalFields: ["city"],
      steps: [
        wait,
        talk,
        { id: "r", auto: true, branches: [{ if: cityIsGone, then: "q" }, { then: "done" }] },
        { id: "q", auto: true, branches: [{ if: cityIsGone, then: "r" }] },
        done
      ]
    }]
  }, "warning"),
  broken("a dead end that is reached after the user has withdrawn a value", "no-way-out", "flows[0].steps[3]", {
    flows: [{
      title: "F",
      optionalFields: ["city"],
      steps: [
        wait,
        talk,
        { id: "r", auto: true, branches: [{ if: cityIsGone, then: "dead" }, { then: "done" }] },
        { id: "dead", prompt: "Wait", until: () => false },
        done
      ]
    }]
  }, "warning"),
  broken(
    "a branch that only writes, and that is taken after the user has withdrawn a value",
    "endless-branch",
    "flows[0].steps[2].branches[0].then",
    {
      flows: [{
        title: "F",
        optionalFields: ["city"],
        steps: [
          wait,
          talk,
          {
            id: "r",
            auto: true,
            branches: [{ if: cityIsGone, then: { dataUpdate: { guests: 2 } } }, { then: "done" }]
          },
          done
        ]
      }]
    },
    "warning"
  ),
  broken("a reply that shows a value which the user has withdrawn", "reply-may-lack", "flows[0].steps[2].reply", {
    flows: [{ title: "F", optionalFields: ["city"], steps: [wait, talk, { id: "bye", reply: offTo }] }]
  }, "warning"),
  broken("a prompt that shows a value which the user has withdrawn", "prompt-may-lack", "flows[0].steps[2].prompt", {
    flows: [{ title: "F", optionalFields: ["city"], steps: [wait, talk, { id: "bye", prompt: offTo }, done] }]
  }, "warning"),
  broken(
    "a read-back that shows a value which the user has withdrawn",
    "read-back-may-lack",
    "flows[0].steps[2].confirm",
    {
      flows: [{
        title: "F",
        optionalFields: ["city"],
        steps: [wait, talk, { id: "bye", collect: ["guests"], confirm: offTo }, done]
      }]
    },
    "warning"
  ),
  broken("a call with a value that the user has withdrawn", "call-may-lack", "flows[0].steps[2].call", {
    flows: [{
      title: "F",
      optionalFields: ["city"],
      steps: [wait, talk, { id: "book", call: book }, done]
    }]
  }, "warning"),
  broken("a step that never ends, even if the user withdraws a value", "no-way-out", "flows[0].steps[1]", {
    flows: [{ title: "F", requiredFields: ["city"], steps: [ask, { id: "b", prompt: "b", until: () => false }, done] }]
  })
]

const right = (
  name: string,
  ...steps: ReadonlyArray<object>
): { readonly name: string; readonly options: Definition } => ({
  name,
  options: { flows: [{ title: "F", optionalFields: ["city"], steps }] }
})

export const sound = [
  right("a step that collects a withdrawn value again", wait, talk, { ...ask, id: "again" }, done),
  right("a step that is entered only if the user has withdrawn a value", wait, talk, {
    id: "gone",
    prompt: "Pity",
    if: cityIsGone
  }, done),
  right("a step that is skipped unless the user has withdrawn a value", wait, talk, {
    id: "gone",
    prompt: "Pity",
    skip: cityIsKnown
  }, done),
  // `when` is judged by the data before the message, so reaching `gone` takes one more message.
  right(
    "a step with `when` that is entered only if an earlier message has withdrawn a value",
    wait,
    talk,
    { id: "more", prompt: "Talk on" },
    { id: "gone", auto: true, if: cityIsGone, when: "is angry", branches: [{ then: "sorry" }] },
    { ...done, branches: [{ then: { complete: true } }] },
    { id: "sorry", prompt: "Say sorry" }
  ),
  right(
    "a step that waits until the user withdraws a value",
    wait,
    { id: "drop", prompt: "Full", until: cityIsGone },
    done
  ),
  right(
    "a branch that is taken only if the user has withdrawn a value",
    wait,
    { ...talk, branches: [{ if: cityIsGone, then: "ask" }, { then: "done" }] },
    done
  ),
  right(
    "a step that is entered only if a tool has cleared a field",
    wait,
    {
      ...talk,
      tools: [{ id: "drop", handler: () => ({ ok: true, outputMessage: "Gone", directive: { clear: ["city"] } }) }]
    },
    { id: "gone", prompt: "Pity", if: cityIsGone, branches: [{ then: "done" }] },
    done
  ),
  right(
    "a step that is entered only if a hook has cleared a field",
    { ...wait, finalize: () => ({ dataUpdate: { city: undefined } }) },
    { id: "guests", collect: ["guests"], finalize: () => ({ dataUpdate: { city: undefined } }) },
    { id: "gone", prompt: "Pity", if: cityIsGone },
    done
  )
]
