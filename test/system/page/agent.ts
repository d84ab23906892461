/**
 * An agent for the tests of the page, as a file for `coxswain serve`, with the model of `test/support/Desk.ts`. It takes
 * files, keeps snapshots, and has tools that wait for a person, events, a timer and a job. With `COXSWAIN_PAGE_TOKENS` the
 * server wants a token: a name, and roles. `COXSWAIN_PAGE_FRAME` is an origin that may show the page in a frame.
 */
import { Agent, BlobStore, Job, JobRunner, SessionStore } from "coxswain"
import * as Server from "coxswain/layers/server"
import { Effect, Layer, Schema } from "effect"
import * as Desk from "../../support/Desk.js"
import * as ProcessGate from "../../support/ProcessGate.js"
import * as StreamedModel from "../../support/StreamedModel.js"

const authenticate: Server.Authenticate = ({ headers }) => {
  const { authorization = "" } = headers
  const [, userId, ...roles] = /^Bearer [\w ]+$/.test(authorization) ? authorization.split(" ") : []
  return userId === undefined
    ? Effect.fail(new Server.Unauthorized({ why: "no token" }))
    : Effect.succeed({ userId, roles })
}

const { COXSWAIN_PAGE_FRAME: frame, COXSWAIN_PAGE_TOKENS: tokens } = process.env

export const server: Server.Options<{}> = tokens === undefined
  ? { rateLimit: false }
  : { authenticate, page: frame === undefined ? true : { frameAncestors: [frame] }, rateLimit: false }

class Audit extends Job.make("audit", {
  payload: {},
  success: Schema.Struct({ found: Schema.Number }),
  progress: Schema.String
}) {}

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String }),
  events: { paid: Schema.Struct({ amount: Schema.Number }), audit: Schema.Struct({}) },
  jobs: [Audit]
})

const pay = kit.tool({
  id: "pay",
  sends: true,
  parameters: { euros: Schema.Number },
  needsApproval: true,
  handler: ({ euros }, { approval }) => `paid ${euros}, as ${JSON.stringify(approval?.by)} decided`
})

const order = kit.tool({
  id: "order",
  parameters: { item: Schema.Literal("tea", "milk"), count: Schema.Int },
  needsApproval: () => ({ by: "manager", edit: true, reason: "orders are checked" }),
  handler: ({ count, item }) => `ordered ${count} ${item}`
})

const look = kit.tool({ id: "look", parameters: {}, handler: () => "nothing to see" })

const memo = kit.tool({ id: "memo", parameters: {}, handler: () => "noted" })

class Shop extends kit.Service<Shop>()("Shop", {
  name: "Desk",
  tools: [pay, order, look],
  files: { accept: ["text/plain", "image/png"], maxBytes: 20_000, maxFiles: 2 },
  snapshots: { keep: 50 },
  on: {
    paid: ({ event }) => ({ reply: `Thank you for ${event.amount}.` }),
    audit: () => ({ run: Audit.of({}), reply: "I am counting." }),
    [Audit.completed]: ({ event }) => ({ reply: `The count is ${event.found}.` })
  },
  flows: [
    {
      title: "Talk",
      when: "the guest wants to talk",
      optionalFields: ["city"],
      after: { "2 days": () => ({ reply: "Are you still there?" }) },
      steps: [{ id: "talk", prompt: "Talk to the guest", tools: [memo], until: () => false }]
    },
    {
      title: "Delivery",
      when: "the guest asks for a delivery",
      steps: [{ id: "when", reply: "We deliver on Fridays." }]
    }
  ]
}) {}

/** In its answer to `wait:` the model waits, so that a test can do something meanwhile. */
const gate = ProcessGate.pass("page")

/** The answers of the desk, one for each tool of this agent, and one that names a file it has received. */
const lines: ReturnType<typeof Desk.lines> = (n, asked) => {
  const { content } = asked.prompt
  const last = content.findLast(({ role }) => role === "user")
  const file = last?.role === "user" ? last.content.find(({ type }) => type === "file") : undefined
  const told = content.at(-1)?.role === "tool" ? /ordered \d+ \w+/.exec(JSON.stringify(content.at(-1))) : null
  if (told !== null) return { say: [told[0]] }
  if (file?.type === "file") return { say: [`I have your ${file.mediaType}.`] }
  const wanted = /order (\d+) (\w+)/.exec(JSON.stringify(last?.content))
  if (wanted !== null && content.at(-1)?.role === "user") {
    return { say: [{ call: "order", params: { count: Number(wanted[1]), item: wanted[2] } }] }
  }
  return Desk.lines(gate)(n, asked)
}

const AuditLive = Audit.toLayer((_, { progress }) =>
  Effect.as(Effect.forEach([1, 2, 3], (shelf) => progress(`shelf ${shelf}`)), { found: 3 })
)

export default JobRunner.layer([Shop]).pipe(
  Layer.provide(AuditLive),
  Layer.provideMerge(Shop.layer),
  Layer.provide([
    Layer.merge(Desk.services(gate), StreamedModel.make(lines).layer),
    BlobStore.layerMemory,
    SessionStore.layerMemory
  ])
)
