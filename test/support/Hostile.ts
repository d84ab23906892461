/**
 * Hostile values, for properties that hold for any input.
 */
import { FastCheck as fc } from "effect"
import type { Json } from "../../src/domain/base/Json.js"

/** Text that has caused bugs: lone surrogates, NUL, tags, prototype names, very long text. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud83d",
    "\udc00 x",
    "__proto__",
    "constructor",
    "</known>",
    "line\nbreak",
    "\u2028"
  ),
  fc.tuple(fc.string({ minLength: 1 }), fc.constantFrom(1_000, 20_000)).map(([text, times]) => text.repeat(times))
)

const keys = fc.oneof(
  fc.string(),
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "length", "_tag")
)

/** JSON as `JSON.parse` returns it: `__proto__` is an ordinary key. */
export const hostileJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json; text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 1 },
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("\ud83d", "\u0000", "__proto__")
  ),
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    tie("text"),
    fc.constantFrom(null, true, false, 0, -1.5, 1e300),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie("value")), { maxLength: 4 }).map((entries) =>
      JSON.parse(
        `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`
      ) as Json
    )
  )
})).value

/** JSON that is nested so deep that a recursive reader overflows the stack. */
const deep: fc.Arbitrary<unknown> = fc.tuple(fc.constantFrom(65, 5_000, 20_000), fc.boolean()).map(([depth, list]) =>
  JSON.parse(list ? `${"[".repeat(depth)}${"]".repeat(depth)}` : `${"{\"a\":".repeat(depth)}1${"}".repeat(depth)}`)
)

/** Any value: JSON, deep JSON, long text, lists and objects of them, and values that are not JSON. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  hostileJson,
  hostileText,
  deep,
  fc.tuple(keys, fc.oneof(deep, hostileText)).map(([key, value]) =>
    Object.defineProperty({}, key, { value, enumerable: true })
  ),
  deep.map((value) => [value]),
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true })
)
