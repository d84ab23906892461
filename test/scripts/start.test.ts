/** The first page of the site: the conversation on it is what its agent says, for the reasons that the library gives. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore, type TurnEvent } from "coxswain"
import * as Document from "coxswain/layers/document"
import * as Offline from "coxswain/layers/offline"
import { Chunk, Effect, Logger, LogLevel, Stream } from "effect"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { agent } from "../../site/start.js"
import * as Why from "../../src/domain/turn/why/Why.js"
import * as WhyWording from "../../src/domain/turn/why/WhyWording.js"

const read = (name: string) => fs.readFileSync(fileURLToPath(new URL(`../../site/${name}`, import.meta.url)), "utf8")
const page = read("index.md")
const messages = Array.from(page.matchAll(/^> (.*)$/gm), ([, message = ""]) => message)

/** The sentences that the page has of each turn. */
const shown: ReadonlyArray<Why.Sentence["_tag"]> = ["Took", "Refused", "Entered", "Completed"]

/** The conversation as the page has it: a message, the answer, why. */
const talk = <E>(send: (message: string) => Stream.Stream<TurnEvent.TurnEvent, E>) =>
  Effect.gen(function*() {
    let before: Why.Told["before"] = {}
    const turns: Array<string> = []
    for (const message of messages) {
      const facts = Chunk.toReadonlyArray(yield* Stream.runCollect(send(message)))
      const last = facts.at(-1)
      if (last?._tag !== "TurnCompleted") return yield* Effect.dieMessage("the turn was not completed")
      const why = Why.sentences({ message, before, facts }).filter(({ _tag }) => shown.includes(_tag))
      before = last.response.session.data
      const reasons = why.map((sentence) => `- ${WhyWording.render(sentence)}`).join("\n")
      turns.push([`> ${message}`, last.response.message, reasons].join("\n\n"))
    }
    return turns.join("\n\n")
  })

describe("the first page of the site", () => {
  it.effect("shows what its twenty lines do, in TypeScript and in YAML", () =>
    Effect.gen(function*() {
      const written = yield* agent
      const document = yield* Document.agent(yield* Document.parse(read("playground/samples/room.yaml"), "room.yaml"))
      const said = yield* talk((message) => written.stream({ sessionId: "typescript", message }))
      expect(page).toContain(said)
      expect(yield* talk((message) => document.stream({ sessionId: "yaml", message }))).toBe(said)
      expect(messages.length).toBeGreaterThanOrEqual(4)
      expect(read("start.ts").trimEnd().split("\n").length).toBeLessThanOrEqual(25)
    }).pipe(Effect.provide([Offline.layer, SessionStore.layerMemory]), Logger.withMinimumLogLevel(LogLevel.None)))
})
