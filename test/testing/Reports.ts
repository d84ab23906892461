/** A desk whose reports are written by a job, after the user has confirmed the city. */
import { Agent, Job } from "coxswain"
import { Schema } from "effect"

export class Report extends Job.make("report", {
  payload: { city: Schema.String },
  success: Schema.Struct({ pages: Schema.Int }),
  error: Schema.Literal("no such city"),
  progress: Schema.Struct({ chapter: Schema.String })
}) {}

export const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, pages: Schema.Int }), jobs: [Report] })

export const make = kit.make({
  name: "Desk",
  flows: [{
    title: "City report",
    reentrant: true,
    on: {
      [Report.completed]: ({ event }) => ({ dataUpdate: { pages: event.pages } }),
      [Report.failed]: ({ event }) => ({ reply: String(event), clear: ["city"], goToStep: "city" }),
      [Report.progress]: ({ event }) => ({ reply: `I am at ${event.chapter}.` })
    },
    steps: [
      { id: "city", prompt: "Ask for the city", collect: ["city"], confirm: true },
      { id: "ask", reply: "I am on it.", onEnter: ({ data }) => ({ run: Report.of({ city: data.city ?? "" }) }) },
      { id: "done", requires: ["pages"], reply: ({ data }) => `It has ${data.pages} pages.` }
    ]
  }]
})
