/** The body of a request is read once, even if several parts of the server ask for it in different forms. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Desk from "../../../support/Desk.js"

const hello = { message: "Hi" }
const answer = { status: 200, json: { message: "You said it." } }

it.scoped("the server option `authenticate` may read the body's text, for example to check a signature", () =>
  Effect.gen(function*() {
    const read: Array<string> = []
    const { ask } = yield* Desk.client({
      authenticate: (request) =>
        request.text.pipe(
          Effect.orDie,
          Effect.map((text) => read.push(text)),
          Effect.zipRight(Desk.authenticate(request))
        )
    })
    expect(yield* ask("POST", "/sessions/s1/turns", { as: "ann", body: hello })).toMatchObject(answer)
    expect(read).toEqual([JSON.stringify(hello)])
  }))

it.scoped("the server option `context` may read the body after the route has decoded the body", () =>
  Effect.gen(function*() {
    const read: Array<unknown> = []
    const { ask } = yield* Desk.client({
      context: (_, request) =>
        Effect.orDie(Effect.zipWith(request.text, request.json, (text, json) => {
          read.push(text, json)
          return {}
        }))
    })
    expect(yield* ask("POST", "/sessions/s1/turns", { as: "ann", body: hello })).toMatchObject(answer)
    expect(read).toEqual([JSON.stringify(hello), hello])
  }))

it.scoped("the server refuses a body that is not JSON", () =>
  Effect.gen(function*() {
    const { ask } = yield* Desk.client()
    for (const body of ["", "{", "\uFEFF{}"]) {
      expect(yield* ask("POST", "/sessions/s1/turns", { as: "ann", body })).toMatchObject({ status: 400 })
    }
  }))
