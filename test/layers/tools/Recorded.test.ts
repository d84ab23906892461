import { FileSystem } from "@effect/platform"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type Tool } from "coxswain"
import * as Recorded from "coxswain/layers/recorded"
import { Effect, Exit, Layer, Logger, Schema, type Scope } from "effect"
import { toolCall } from "../../support/Script.js"
import * as ScriptedLayers from "../../support/ScriptedLayers.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, day: Schema.Date }) })
const talk = { title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }

const tempFile = Effect.flatMap(
  FileSystem.FileSystem,
  (fs) => Effect.map(fs.makeTempDirectoryScoped(), (folder) => `${folder}/calls.json`)
)

/** One round of calls in a new agent, as in another process. */
const round = (
  options: Recorded.Options,
  tools: ReadonlyArray<Tool.Tool<never, never>>,
  calls: ReadonlyArray<readonly [name: string, params: unknown]>
) =>
  Effect.gen(function*() {
    const play = ScriptedLayers.make({
      speak: (_, index) => index === 0 ? calls.map(([name, params], i) => toolCall(name, params, `c${i}`)) : "Done"
    })
    const agent = yield* kit.make({ name: "Bot", flows: [talk], tools: tools as [] }).pipe(
      Effect.provide([play.layer, Recorded.layer(options)])
    )
    return yield* agent.respond({ sessionId: "s", message: "hi" })
  })

const outputs = ({ toolCalls }: { readonly toolCalls: ReadonlyArray<Tool.ToolCallRecord> }) =>
  toolCalls.map(({ output }) => output)

/** Counts its runs, so that no two results are the same. */
const dice = (ran: Array<unknown>) =>
  kit.tool({
    id: "dice",
    parameters: { sides: Schema.Number, colour: Schema.optional(Schema.String) },
    isConcurrencySafe: true,
    handler: (args) => {
      ran.push(args)
      return `run ${ran.length}`
    }
  })

const run = <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem | Scope.Scope>) =>
  Effect.scoped(effect).pipe(Effect.provide(NodeFileSystem.layer))

describe("recorded tools", () => {
  it.effect("`record` runs and saves every call; `replay` returns the same results without running tools", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      const ran: Array<unknown> = []
      const calls = [["dice", { sides: 6 }], ["dice", { sides: 8 }], ["dice", { sides: 6 }]] as const
      const recorded = yield* round({ path, mode: "record" }, [dice(ran)], calls)
      expect(outputs(recorded)).toEqual(["run 1", "run 2", "run 3"])
      const replayed = yield* round({ path, mode: "replay" }, [dice(ran)], calls)
      expect(replayed.toolCalls).toEqual(recorded.toolCalls)
      expect(replayed.message).toBe("Done")
      expect(ran).toHaveLength(3)
    })))

  it.effect("a recorded call is found by tool, arguments (in any key order) and occurrence", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      yield* round({ path, mode: "record" }, [dice([])], [
        ["dice", { sides: 6, colour: "red" }],
        ["dice", { sides: 6 }],
        ["dice", { colour: "red", sides: 6 }]
      ])
      const replayed = yield* round({ path, mode: "replay" }, [dice([])], [
        ["dice", { sides: 6 }],
        ["dice", { colour: "red", sides: 6 }],
        ["dice", { sides: 6, colour: "red" }]
      ])
      expect(outputs(replayed)).toEqual(["run 2", "run 1", "run 3"])
    })))

  it.effect("in `replay`, an unrecorded call fails with `not_recorded`, and the turn continues", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      const ran: Array<unknown> = []
      yield* round({ path, mode: "record" }, [dice(ran)], [["dice", { sides: 6 }]])
      const replayed = yield* round({ path, mode: "replay" }, [dice(ran)], [
        ["dice", { sides: 6 }],
        ["dice", { sides: 6 }],
        ["dice", { sides: 20 }]
      ])
      expect(replayed.message).toBe("Done")
      expect(replayed.toolCalls.map(({ isFailure, outcome, output }) => [outcome, isFailure, output])).toEqual([
        ["ok", false, "run 1"],
        ["not_recorded", true, {
          error: "not_recorded",
          message: `call 2 of tool "dice" with {"sides":6} is not recorded in "${path}"`
        }],
        ["not_recorded", true, {
          error: "not_recorded",
          message: `call 1 of tool "dice" with {"sides":20} is not recorded in "${path}"`
        }]
      ])
      expect(ran).toHaveLength(1)
      const nothing = yield* round({ path: `${path}.none`, mode: "replay" }, [dice(ran)], [["dice", { sides: 6 }]])
      expect(nothing.toolCalls).toMatchObject([{ outcome: "not_recorded" }])
    })))

  it.effect("reads a file of version 0.1", () =>
    run(Effect.gen(function*() {
      const ran: Array<unknown> = []
      const path = "test/fixtures/recordings/v1/tools.json"
      const replayed = yield* round({ path, mode: "replay" }, [dice(ran)], [
        ["dice", { sides: 6 }],
        ["dice", { sides: 6 }]
      ])
      expect(outputs(replayed)).toEqual(["run 7", "run 8"])
      expect(replayed).toMatchObject({ message: "Seven.", collected: { city: "Rome" } })
      expect(ran).toEqual([])
    })))

  it.effect("refuses a file with the key __proto__, and names its path", () =>
    run(Effect.gen(function*() {
      const [fs, path] = [yield* FileSystem.FileSystem, yield* tempFile]
      const forged = { tool: "dice", args: {}, nth: 0, outcome: "ok", output: 1 }
      yield* fs.writeFileString(
        path,
        JSON.stringify({ version: 1, calls: [forged] }).replace(`"args":{}`, `"args":{"__proto__":{"sides":6}}`)
      )
      const error = yield* Effect.flip(round({ path, mode: "replay" }, [dice([])], [["dice", { sides: 6 }]]))
      expect(String(error)).toMatch(/\["calls"\]\["0"\]\["args"\]\["__proto__"\].*this key is refused/s)
    })))

  it.effect("`auto`, the default, runs and records only the calls that are not recorded yet", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      const ran: Array<unknown> = []
      expect(outputs(yield* round({ path }, [dice(ran)], [["dice", { sides: 6 }]]))).toEqual(["run 1"])
      const both = [["dice", { sides: 6 }], ["dice", { sides: 8 }]] as const
      expect(outputs(yield* round({ path }, [dice(ran)], both))).toEqual(["run 1", "run 2"])
      expect(outputs(yield* round({ path }, [dice(ran)], both))).toEqual(["run 1", "run 2"])
      expect(ran).toHaveLength(2)
    })))

  it.effect("`record` overwrites the file", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      yield* round({ path, mode: "record" }, [dice([])], [["dice", { sides: 6 }], ["dice", { sides: 8 }]])
      yield* round({ path, mode: "record" }, [dice([])], [["dice", { sides: 20 }]])
      const fs = yield* FileSystem.FileSystem
      const file = yield* Schema.decode(Schema.parseJson(Recorded.Recordings))(yield* fs.readFileString(path))
      expect(file).toEqual({
        version: 1,
        calls: [{
          tool: "dice",
          params: { sides: 20 },
          call: 1,
          result: { outcome: "ok", output: "run 1", isFailure: false },
          dispatched: []
        }]
      })
      expect(yield* fs.readDirectory(path.slice(0, path.lastIndexOf("/")))).toEqual(["calls.json"])
    })))

  it.effect("`replay` repeats failures, details and the handler's writes", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      const tools = (handlers: boolean) => [
        kit.tool({ id: "fails", handler: () => handlers ? Effect.fail("down") : "ran" }),
        kit.tool({
          id: "writes",
          handler: (_, { dispatch, updateData }) =>
            handlers
              ? Effect.zipRight(
                updateData({ city: "Rome" }),
                Effect.as(dispatch({ dataUpdate: { city: "Oslo" } }), {
                  ok: true,
                  outputMessage: "written",
                  details: { rows: 1 },
                  directive: { reply: "Written." }
                })
              )
              : Effect.succeed("ran")
        })
      ]
      const calls = [["fails", {}], ["writes", {}]] as const
      const recorded = yield* round({ path, mode: "record" }, tools(true), calls)
      const replayed = yield* round({ path, mode: "replay" }, tools(false), calls)
      expect(recorded).toMatchObject({ message: "Written.", collected: { city: "Oslo" } })
      for (const key of ["message", "toolCalls", "collected", "directiveChain", "stoppedReason"] as const) {
        expect(replayed[key], key).toEqual(recorded[key])
      }
    })))

  it.effect("`replay` repeats a call whose handler continued after one of its writes was refused", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      const tool = kit.tool({
        id: "writes",
        handler: (_, { updateData }) =>
          Effect.ignore(updateData({ city: 5 as never })).pipe(
            Effect.zipRight(updateData({ city: "Rome" })),
            Effect.as("written")
          )
      })
      const recorded = yield* round({ path, mode: "record" }, [tool], [["writes", {}]])
      const replayed = yield* round({ path, mode: "replay" }, [tool], [["writes", {}]])
      expect(recorded).toMatchObject({ toolCalls: [{ outcome: "ok", output: "written" }], collected: { city: "Rome" } })
      expect(replayed.toolCalls).toEqual(recorded.toolCalls)
      expect(replayed.collected).toEqual(recorded.collected)
    })))

  it.effect("`replay` also checks arguments, permissions and approval", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      const tool = (allowed: boolean, needsApproval = false) =>
        kit.tool({
          id: "pay",
          parameters: { euros: Schema.Number },
          checkPermissions: () => allowed,
          needsApproval,
          handler: () => "paid"
        })
      const calls = [["pay", { euros: 5 }], ["pay", { euros: "x" }]] as const
      yield* round({ path, mode: "record" }, [tool(true)], calls)
      const denied = yield* round({ path, mode: "replay" }, [tool(false)], calls)
      expect(denied.toolCalls.map(({ outcome }) => outcome)).toEqual(["denied", "invalid"])
      const asked = yield* round({ path, mode: "replay" }, [tool(true, true)], calls)
      expect(asked).toMatchObject({ stoppedReason: "needs_approval", approvals: [{ toolId: "pay" }] })
    })))

  it.effect("a call that writes a non-JSON value is run but not recorded, and a warning is logged", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      const logs: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void logs.push(`${logLevel.label} ${String(message)}`))
      const tool = kit.tool({ id: "day", handler: (_, { updateData }) => updateData({ day: new Date(0) }) })
      const response = yield* round({ path, mode: "record" }, [tool], [["day", {}]]).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      expect(response.collected).toEqual({ day: new Date(0) })
      expect(logs.filter((log) => !log.includes("no flow declares"))).toEqual([
        "WARN A call of tool \"day\" was not recorded: what it wrote is not JSON"
      ])
      expect(yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.exists(path))).toBe(false)
    })))

  it.effect("an invalid file fails the layer; a file that cannot be written fails the turn", () =>
    run(Effect.gen(function*() {
      const path = yield* tempFile
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(path, "{\"version\":2}")
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(Recorded.layer({ path }))))
      expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("ParseError")
      const error = yield* Effect.flip(
        round({ path: `${path}/no/such/folder.json`, mode: "record" }, [dice([])], [["dice", { sides: 6 }]])
      )
      expect(error).toMatchObject({ _tag: "ToolExecutionError", toolId: "dice" })
    })))
})
