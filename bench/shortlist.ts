/**
 * The savings of a shortlist with sixty flows and 300 messages: how many flows a message is asked about, how many messages need
 * a second question, and what is sent, beside the same without a shortlist. The judge knows the right flow.
 */
import { SessionStore } from "coxswain"
import * as Shortlist from "coxswain/layers/shortlist"
import { Effect, Logger, LogLevel } from "effect"
import * as Script from "../test/support/Script.js"
import * as SixtyFlows from "../test/support/SixtyFlows.js"

const wanted = new Map(SixtyFlows.messages.map(({ flow, message }) => [message, flow]))

const judge = (one: Script.Asked): Script.Answer => {
  const said = /<message>"(.*)"<\/message>/.exec(one.text)?.[1] ?? ""
  return one.json ? { flowScores: { [wanted.get(said) ?? ""]: 90 }, fields: {} } : "Well"
}

const measure = (count: number, flows: number | undefined) =>
  Effect.gen(function*() {
    const script = Script.make(judge)
    const shortlist = flows === undefined ? {} : { shortlist: Shortlist.byWords({ flows }) }
    const desk = yield* Effect.provide(
      SixtyFlows.kit.make({ name: "Desk", flows: SixtyFlows.flows(count), ...shortlist }),
      [script.layer, SessionStore.layerMemory]
    )
    const messages = SixtyFlows.messages.slice(0, count * 5)
    let right = 0
    for (const [i, { flow, message }] of messages.entries()) {
      const { session } = yield* desk.respond({ sessionId: `s${i}`, message })
      if (session.currentFlow?.id === flow) right++
    }
    const asked = script.asked.filter(({ json }) => json)
    const chars = asked.reduce((sum, one) => sum + Script.chars(one), 0)
    yield* Effect.sync(() =>
      console.log(
        `${count} flows, ${flows === undefined ? "no shortlist" : `shortlist of ${flows}`}: ${right} of ` +
          `${messages.length} right, ${asked.length - messages.length} asked twice, ` +
          `${Math.round(chars / messages.length)} characters a message to understand it`
      )
    )
  })

const main = Effect.gen(function*() {
  for (const count of [15, 30, 60]) {
    yield* measure(count, undefined)
    for (const flows of [4, 8, 12]) yield* measure(count, flows)
  }
}).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})
