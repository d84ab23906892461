/**
 * A long report is made in the background: the turn that asks for it does not wait, a page that follows the session sees
 * how far it is, and the agent speaks unasked when it is there.
 *
 * The model is the offline one, so that this runs anywhere; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { Agent, Job, JobRunner, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { model } from "./model.js"

class Report extends Job.make("report", {
  payload: { city: Schema.String },
  success: Schema.Struct({ pages: Schema.Number }),
  error: Schema.Literal("no such city"),
  progress: Schema.Struct({ chapter: Schema.String })
}) {}

const chapters = ["history", "food", "weather"]

const ReportLive = Report.toLayer(({ city }, { progress }) =>
  Effect.gen(function*() {
    if (city === "Atlantis") return yield* Effect.fail("no such city" as const)
    yield* Effect.forEach(chapters, (chapter) => Effect.zipRight(Effect.sleep("20 millis"), progress({ chapter })))
    return { pages: chapters.length * 10 }
  })
)

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.Literal("Lisbon", "Porto", "Atlantis"), pages: Schema.Number }),
  jobs: [Report]
})

class Desk extends kit.Service<Desk>()("Desk", {
  name: "Desk",
  flows: [{
    title: "City report",
    on: {
      [Report.completed]: ({ event }) => ({ dataUpdate: { pages: event.pages } }),
      [Report.failed]: ({ event }) => ({
        reply: event === "no such city"
          ? "There is no such city. Which one do you mean?"
          : "The report could not be made, sorry. Shall I try another city?",
        // The report is asked for anew, with another city.
        clear: ["city"],
        goToStep: "city"
      })
    },
    steps: [
      { id: "city", description: "Ask for the city of the report", collect: ["city"] },
      kit.step({
        id: "ask",
        requires: ["city"],
        reply: ({ data }) => `I am writing about ${data.city}; go on as you like.`,
        onEnter: ({ data }) => ({ run: Report.of({ city: data.city }) })
      }),
      {
        id: "done",
        requires: ["pages"],
        reply: ({ data }) => `Your report about ${data.city} has ${data.pages} pages.`
      }
    ]
  }]
}) {}

const program = Effect.gen(function*() {
  const agent = yield* Desk
  const done = yield* Deferred.make<void>()
  const page = yield* agent.session("u1").feed.pipe(
    Stream.runForEach((event) =>
      event._tag === "JobProgress"
        ? Console.log(`page: ${event.seq} of ${chapters.length}, ${JSON.stringify(event.value)}`)
        : event._tag === "TextDelta"
        ? Console.log(`page: ${event.text}`)
        : event._tag === "TurnCompleted" && event.response.isFlowComplete
        ? Deferred.succeed(done, undefined)
        : Effect.void
    ),
    Effect.fork
  )
  yield* Effect.sleep("10 millis")
  const { session } = yield* agent.respond({ sessionId: "u1", message: "A report about Lisbon, please" })
  yield* Console.log(`asked for: ${session.jobs?.map(({ name }) => name).join()}`)
  yield* Deferred.await(done)
  yield* Fiber.interrupt(page)
})

const AppLive = JobRunner.layer([Desk]).pipe(
  Layer.provide(ReportLive),
  Layer.provideMerge(Desk.layer),
  Layer.provideMerge(Layer.merge(model(Offline.layer), SessionStore.layerMemory))
)

program.pipe(Effect.provide(AppLive), Effect.runPromise)
