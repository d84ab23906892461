/**
 * Dates, numbers and texts in the user's locale, for templates. The locale is the `locale` of the context.
 *
 * @example
 * ```ts
 * import { Agent, Locale } from "coxswain"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({
 *   data: Schema.Struct({ checkIn: Schema.Date, price: Schema.Number }),
 *   context: Schema.Struct({ locale: Schema.String })
 * })
 *
 * export const confirm = kit.step({
 *   reply: (ctx) =>
 *     Locale.pick(ctx, {
 *       en: `From ${Locale.date(ctx, ctx.data.checkIn)}, for ${Locale.number(ctx, ctx.data.price)}.`,
 *       pt: `A partir de ${Locale.date(ctx, ctx.data.checkIn)}, por ${Locale.number(ctx, ctx.data.price)}.`
 *     })
 * })
 * ```
 */
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"

/** An object with a context that may have a locale, such as a template's `ctx`. */
export interface Localized {
  readonly context: object
}

/** Used if the context has no valid locale. */
const fallback = "en"

/** Returns the locale of the context in canonical form, such as `pt-PT`; `en` if there is none or it is invalid. */
export const of = ({ context }: Localized): string =>
  known(Predicate.hasProperty(context, "locale") ? context.locale : undefined) ?? fallback

/**
 * Returns a locale in canonical form; `undefined` if it is invalid.
 *
 * @internal
 */
export const known = (given: unknown): string | undefined => {
  if (typeof given !== "string") return undefined
  try {
    return Intl.getCanonicalLocales(given)[0]
  } catch {
    return undefined
  }
}

/** Formats a date for the locale; by default the day, in UTC. Returns "" if the date is undefined or invalid. */
export const date = (
  ctx: Localized,
  value: Date | DateTime.DateTime | undefined,
  options: Intl.DateTimeFormatOptions = { dateStyle: "long" }
): string => {
  if (value === undefined) return ""
  const instant = DateTime.isDateTime(value) ? DateTime.toDateUtc(value) : value
  return Number.isNaN(instant.getTime())
    ? ""
    : new Intl.DateTimeFormat(of(ctx), { timeZone: "UTC", ...options }).format(instant)
}

/** Formats a number for the locale; `{ style: "currency", currency: "EUR" }` for money. Returns "" for undefined. */
export const number = (
  ctx: Localized,
  value: number | bigint | undefined,
  options: Intl.NumberFormatOptions = {}
): string => value === undefined ? "" : new Intl.NumberFormat(of(ctx), options).format(value)

/**
 * Turns texts by locale into one template that picks the text; returns a single template unchanged.
 *
 * @internal
 */
export const template = <A extends string | ((ctx: never) => unknown)>(given: A | Readonly<Record<string, A>>) =>
  typeof given !== "object" ? given : (ctx: Localized): unknown => {
    const found = pick(ctx, given)
    // Safe: the type `Texts` guarantees that the function takes this context.
    return typeof found === "function" ? found(ctx as never) : found
  }

/** Picks the text for the locale: for `pt-PT` the text for `pt-PT`, else for `pt`, else the first text. */
export const pick = <A>(ctx: Localized, texts: Readonly<Record<string, A>>): A => {
  const locale = of(ctx)
  const [first] = Object.values(texts)
  const found = [locale, locale.split("-")[0]!].find((one) => Object.hasOwn(texts, one))
  // Safe: the type of the texts requires at least one text.
  return found === undefined ? first as A : texts[found]!
}
