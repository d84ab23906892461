/** Definitions whose faults show only after an event or a timer. */
import { type Broken, broken } from "./Broken.js"

interface Paid {
  readonly event: { readonly amount: number }
  readonly data: { readonly guests?: number }
}

const isPaid = ({ data }: Paid) => data.guests !== undefined
const isUnpaid = ({ data }: Paid) => data.guests === undefined
const pays = { paid: ({ event }: Paid) => ({ dataUpdate: { guests: event.amount } }) }
const report = { "report.completed": { reply: "Here it is." } }
const pay = { id: "pay", prompt: "Ask to pay", until: isPaid, on: pays }
const dead = { id: "dead", prompt: "Wait", until: () => false }
const ends = { branches: [{ then: { complete: true } }] }
const done = { id: "done", prompt: "Say goodbye" }

const alone = (name: string, code: Broken["code"], path: string, ...steps: ReadonlyArray<object>): Broken =>
  broken(name, code, path, { on: report, flows: [{ title: "F", steps }] })

export const outside: ReadonlyArray<Broken> = [
  alone("a dead end behind a step that waits for a payment", "no-way-out", "flows[0].steps[1]", pay, dead, done),
  alone(
    "a dead end that only a large payment reaches",
    "no-way-out",
    "flows[0].steps[2]",
    { ...pay, until: ({ data }: Paid) => (data.guests ?? 0) > 6 },
    {
      id: "r",
      auto: true,
      branches: [{ if: ({ data }: Paid) => (data.guests ?? 0) > 8, then: "dead" }, { then: "done" }]
    },
    dead,
    done
  ),
  alone(
    "auto steps that form a circle once a payment has arrived",
    "auto-circle",
    "flows[0].steps[1]",
    pay,
    { id: "b", auto: true, branches: [{ if: isPaid, then: "c" }] },
    { id: "c", auto: true, branches: [{ if: isPaid, then: "b" }] },
    done
  ),
  alone(
    "an event handler that leads to a dead end after a large payment",
    "no-way-out",
    "flows[0].steps[1]",
    {
      id: "pay",
      prompt: "Ask to pay",
      ...ends,
      on: { paid: ({ event }: Paid) => event.amount > 120 ? { goToStep: "dead" } : { reply: "More." } }
    },
    dead,
    done
  ),
  broken(
    "a step's event handler that hides the flow's handler, which would leave the step",
    "no-way-out",
    "flows[0].steps[0]",
    {
      on: report,
      flows: [{
        title: "F",
        on: { paid: "done" },
        steps: [{ ...dead, on: { paid: { reply: "Thank you." } } }, done]
      }]
    }
  ),
  broken("an event that enters a flow without an end", "no-way-out", "flows[1].steps[0]", {
    on: { ...report, paid: "Thanks" },
    flows: [{ title: "F", when: "f", steps: [done] }, { title: "Thanks", if: () => false, steps: [dead, done] }]
  }),
  alone(
    "a timer that leads to a dead end",
    "no-way-out",
    "flows[0].steps[1]",
    { id: "a", prompt: "a", ...ends, on: { paid: { reply: "Thank you." } }, after: { "1 day": "dead" } },
    dead,
    done
  ),
  broken("auto steps that form a circle and that only a timer enters", "auto-circle", "flows[0].steps[2]", {
    on: { ...report, paid: { reply: "Thank you." } },
    flows: [{
      title: "F",
      after: { "2 hours": "b" },
      steps: [
        { id: "a", prompt: "a", ...ends },
        { id: "b", auto: true, branches: [{ if: isUnpaid, then: "c" }] },
        { id: "c", auto: true, branches: [{ if: isUnpaid, then: "b" }] }
      ]
    }]
  })
]
