/** Definitions that fail once a value is withdrawn, and some that are correct because one can be. */
import { type Broken, broken, type Definition } from "./Broken.js"

interface Turn {
  readonly data: { readonly city?: string; readonly guests?: number; readonly name?: string }
}

const cityIsGone = ({ data }: Turn) => data.city === undefined
const cityIsKnown = ({ data }: Turn) => data.city !== undefined

const ask = { id: "ask", collect: ["city"] }
const talk = { id: "talk", prompt: "Talk about it" }
const done = { id: "done", prompt: "Say goodbye" }

export const lost: ReadonlyArray<Broken> = [
  broken(
    "a flow that requires what it began with, and asks nobody",
    "required-never-collected",
    "flows[0].requiredFields",
    {
      flows: [{ title: "F", requiredFields: ["city"], initialData: { city: "Lisbon" }, steps: [talk, done] }]
    },
    "warning"
  ),
  broken(
    "a step that requires what it began with, and nothing asks",
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
  broken("auto steps in a circle as long as nothing is known", "auto-circle", "flows[0].steps[2]", {
    flows: [{
      title: "F",
      steps: [
        ask,
        talk,
        { id: "r", auto: true, branches: [{ if: cityIsGone, then: "q" }, { then: "done" }] },
        { id: "q", auto: true, branches: [{ if: cityIsGone, then: "r" }] },
        done
      ]
    }]
  }, "warning"),
  broken("a dead end for those who change their mind", "no-way-out", "flows[0].steps[3]", {
    flows: [{
      title: "F",
      steps: [
        ask,
        talk,
        { id: "r", auto: true, branches: [{ if: cityIsGone, then: "dead" }, { then: "done" }] },
        { id: "dead", prompt: "Wait", until: () => false },
        done
      ]
    }]
  }, "warning"),
  broken(
    "a branch that only writes, for those who change their mind",
    "endless-branch",
    "flows[0].steps[2].branches[0].then",
    {
      flows: [{
        title: "F",
        steps: [
          { ...ask, id: "both", collect: ["city", "name"] },
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
  broken("a step that holds whatever is taken back", "no-way-out", "flows[0].steps[1]", {
    flows: [{ title: "F", requiredFields: ["city"], steps: [ask, { id: "b", prompt: "b", until: () => false }, done] }]
  })
]

const right = (
  name: string,
  ...steps: ReadonlyArray<object>
): { readonly name: string; readonly options: Definition } => ({
  name,
  options: { flows: [{ title: "F", steps }] }
})

export const sound = [
  right("a step that asks again for what was taken back", ask, talk, { ...ask, id: "again" }, done),
  right("a step for those who took it back", ask, talk, { id: "gone", prompt: "Pity", if: cityIsGone }, done),
  right("a step that is skipped by all others", ask, talk, { id: "gone", prompt: "Pity", skip: cityIsKnown }, done),
  // `when` is judged by the data before the message, so reaching `gone` takes one more message.
  right(
    "a step in words for those who took it back a message before",
    ask,
    talk,
    { id: "more", prompt: "Talk on" },
    { id: "gone", auto: true, if: cityIsGone, when: "is angry", branches: [{ then: "sorry" }] },
    { ...done, branches: [{ then: { complete: true } }] },
    { id: "sorry", prompt: "Say sorry" }
  ),
  right("a step that waits until it is taken back", ask, { id: "drop", prompt: "Full", until: cityIsGone }, done),
  right(
    "a branch for those who took it back",
    ask,
    { ...talk, branches: [{ if: cityIsGone, then: "ask" }, { then: "done" }] },
    done
  ),
  right("a reply that names what is known unless somebody takes it back", ask, talk, {
    id: "bye",
    reply: ({ data }: Turn) => `Off to ${data.city}`
  }),
  right(
    "a step for those of whom a tool has forgotten it",
    ask,
    {
      ...talk,
      tools: [{ id: "drop", handler: () => ({ ok: true, outputMessage: "Gone", directive: { clear: ["city"] } }) }]
    },
    { id: "gone", prompt: "Pity", if: cityIsGone, branches: [{ then: "done" }] },
    done
  ),
  right(
    "a step for those of whom a hook has forgotten it",
    { ...ask, finalize: () => ({ dataUpdate: { city: undefined } }) },
    { id: "guests", collect: ["guests"], finalize: () => ({ dataUpdate: { city: undefined } }) },
    { id: "gone", prompt: "Pity", if: cityIsGone },
    done
  )
]
