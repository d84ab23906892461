import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Either, Exit } from "effect"
import * as Eager from "../../../src/domain/base/Eager.js"

/** An effect without an immediate value. */
const later = <A>(value: A): Effect.Effect<A> => Effect.sync(() => value)

describe("Eager, effects that run immediately where possible", () => {
  it("returns an Exit immediately when all effects have immediate values", () => {
    const made = Eager.fn(function*() {
      const one = yield* Effect.succeed(1)
      const two = yield* Either.right(2)
      return one + two + (yield* Eager.map(Effect.succeed(3), (three) => three))
    })()
    assert.deepStrictEqual(made, Exit.succeed(6))
    assert.deepStrictEqual(Eager.flatMap(made, (six) => Effect.succeed(six + 1)), Exit.succeed(7))
    assert.deepStrictEqual(Eager.as(made, "it"), Exit.succeed("it"))
  })

  it.effect("continues in order after an effect without an immediate value, and repeats no earlier effect", () =>
    Effect.gen(function*() {
      const seen: Array<number> = []
      const made = Eager.fn(function*() {
        seen.push(1)
        seen.push(yield* later(2))
        seen.push(yield* Effect.zipRight(Effect.yieldNow(), later(3)))
        return yield* Eager.flatMap(later(4), (four) => Effect.succeed(four))
      })()
      assert.deepStrictEqual(seen, [1])
      assert.strictEqual(yield* made, 4)
      assert.deepStrictEqual(seen, [1, 2, 3])
    }))

  it.effect("ends with the first failure, whether that failure is immediate or not", () =>
    Effect.gen(function*() {
      const failing = (first: Effect.Effect<unknown, string>) =>
        Eager.fn(function*() {
          yield* first
          assert.fail("it went on")
        })()
      assert.deepStrictEqual(failing(Effect.fail("no")), Exit.fail("no"))
      assert.deepStrictEqual(failing(Either.left("no")), Exit.fail("no"))
      assert.deepStrictEqual(yield* Effect.exit(failing(Effect.suspend(() => Effect.fail("no")))), Exit.fail("no"))
      assert.deepStrictEqual(
        Eager.map(Eager.flatMap(Effect.fail("no"), () => assert.fail("it went on")), () => assert.fail("it went on")),
        Exit.fail("no")
      )
    }))

  it.effect("turns an exception into a defect, before and after an effect has run", () =>
    Effect.gen(function*() {
      const broken = new Error("broken")
      const throws = (): Effect.Effect<never> => {
        throw broken
      }
      const died: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        Eager.suspend(throws),
        Eager.map(Effect.succeed(1), throws),
        Eager.flatMap(Effect.succeed(1), throws),
        Eager.fn(function*() {
          return yield* throws()
        })(),
        Eager.fn(function*() {
          yield* later(1)
          return yield* throws()
        })(),
        Eager.some([1], (): Effect.Effect<boolean> => throws())
      ]
      for (const one of died) {
        assert.deepStrictEqual(yield* Effect.exit(one), Exit.failCause(Cause.die(broken)))
      }
    }))

  it.effect("evaluates the elements of a list in order, and stops as soon as the result is certain", () =>
    Effect.gen(function*() {
      for (const made of [Effect.succeed<boolean>, later<boolean>]) {
        const asked: Array<number> = []
        const isEven = (n: number) => {
          asked.push(n)
          return made(n % 2 === 0)
        }
        assert.deepStrictEqual(yield* Eager.filter([1, 2, 3, 4], isEven), [2, 4])
        assert.isTrue(yield* Eager.some([1, 2, 3], isEven))
        assert.isFalse(yield* Eager.every([2, 1, 3], isEven))
        assert.isFalse(yield* Eager.some([], isEven))
        assert.isTrue(yield* Eager.every([], isEven))
        assert.deepStrictEqual(asked, [1, 2, 3, 4, 1, 2, 2, 1])
      }
    }))

  it.effect("`Eager.fn` runs its generator on each call, with the arguments of that call", () =>
    Effect.gen(function*() {
      const begun: Array<string> = []
      const both = Eager.fn(function*(name: string, second: Effect.Effect<number>): Eager.Steps<string> {
        begun.push(name)
        return `${name} ${yield* second}`
      })
      const [one, two] = [both("one", later(1)), both("two", Effect.succeed(2))]
      assert.deepStrictEqual(begun, ["one", "two"])
      assert.deepStrictEqual(two, Exit.succeed("two 2"))
      assert.strictEqual(yield* one, "one 1")
    }))

  it.effect("filters 20,000 elements without a stack overflow", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 20_000 }, (_, i) => i)
      assert.lengthOf(yield* Eager.filter(many, () => Effect.succeed(true)), 20_000)
      assert.lengthOf(yield* Eager.filter(many, () => later(true)), 20_000)
    }))
})
