/** The arguments of a call in a document, compared with the parameters of its tool. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as CallArguments from "../../../src/domain/document/CallArguments.js"

const { Boolean: Flag, Number: Count, String: Text } = Schema

class Room extends Schema.Class<Room>("Room")({ city: Text, guests: Count }) {}

interface Tree {
  readonly city: string
  readonly guests: number
  readonly below?: Tree | undefined
}
const Tree: Schema.Schema<Tree> = Schema.suspend(() =>
  Schema.Struct({ city: Text, guests: Count, below: Schema.optional(Tree) })
)

/** The faults of `{ city: 1, town: "x" }`, by their place. */
const faultsFor = (parameters: unknown): ReadonlyArray<string> => {
  const faults: Array<string> = []
  CallArguments.read("book", { id: "book", handler: () => "", parameters }, { city: 1, town: "x" }, "args", {
    args: (given) => given,
    fault: (path, what, why) => void faults.push(`${path}: ${what}, ${why}`)
  })
  return faults
}

const wrong = [
  "args.town: argument \"town\", there is no parameter of this name: the tool \"book\" has \"city\", \"guests\"",
  "args.city: argument \"city\", it is a number, and the parameter is a string of \"book\"",
  "args: argument \"guests\", it is missing, and it is a parameter of \"book\""
]

describe("the arguments of a call in a document", () => {
  it.each([
    ["fields", { city: Text, guests: Count }],
    ["a struct", Schema.Struct({ city: Text, guests: Count })],
    ["a struct with a rule", Schema.Struct({ city: Text, guests: Count }).pipe(Schema.filter(() => true))],
    ["a class", Room],
    ["a struct whose encoded form differs", Schema.Struct({ city: Text, guests: Schema.NumberFromString })]
  ])("are compared with the parameters: %s", (_of, parameters) => {
    expect(faultsFor(parameters)).toEqual(wrong)
  })

  it("are compared with a Schema that contains itself", () => {
    expect(faultsFor(Tree)).toEqual([`${wrong[0]}, "below"`, ...wrong.slice(1)])
  })

  it("are compared with what all Schemas of a union have", () => {
    const parameters = Schema.Union(
      Schema.Struct({ city: Text, guests: Count, pets: Flag }),
      Schema.Struct({ city: Text, guests: Schema.optional(Count) })
    )
    // Not every Schema of the union requires the guests.
    expect(faultsFor(parameters)).toEqual(wrong.slice(0, 2))
    expect(faultsFor(Schema.Union(Schema.Struct({ city: Text }), Schema.Struct({ city: Count, town: Text })))).toEqual([
      "args.town: argument \"town\", there is no parameter of this name: the tool \"book\" has \"city\""
    ])
  })

  it("are not compared with a Schema without known properties", () => {
    expect(faultsFor(Schema.Record({ key: Text, value: Schema.Unknown }))).toEqual([])
    expect(faultsFor(Schema.Unknown)).toEqual([])
  })
})
