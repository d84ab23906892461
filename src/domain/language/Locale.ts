/**
 * Dates, numbers and words in the user's locale, for templates: the `locale` of the context says which it is.
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
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"

/**
 * What has a context with a locale in it, as a template's `ctx` does where the agent's context has one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Localized {
  readonly context: object
}

/** Used when no locale is given, or when what is given is not a locale. */
const fallback = "en"

/**
 * The locale of the context, as `Intl` spells it: `pt-PT`. `en` where there is none, or what is there is no locale.
 *
 * @since 0.1.0
 * @category getters
 */
export const of = ({ context }: Localized): string =>
  known(Predicate.hasProperty(context, "locale") ? context.locale : undefined) ?? fallback

/**
 * A locale as `Intl` spells it; `undefined` for what is none.
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

/**
 * A date in words of the locale; by default its day, in UTC. Nothing for what is not known yet.
 *
 * @since 0.1.0
 * @category formatting
 */
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

/**
 * A number in the locale: `{ style: "currency", currency: "EUR" }` for money. Nothing for what is not known yet.
 *
 * @since 0.1.0
 * @category formatting
 */
export const number = (
  ctx: Localized,
  value: number | bigint | undefined,
  options: Intl.NumberFormatOptions = {}
): string => value === undefined ? "" : new Intl.NumberFormat(of(ctx), options).format(value)

/**
 * Texts by locale as one template, which picks the text; a single template as it is.
 *
 * @internal
 */
export const template = <A extends string | ((ctx: never) => unknown)>(given: A | Readonly<Record<string, A>>) =>
  typeof given !== "object" ? given : (ctx: Localized): unknown => {
    const found = pick(ctx, given)
    // It takes the context that it is given here: see `Texts`.
    return typeof found === "function" ? found(ctx as never) : found
  }

/**
 * The text for the locale: for `pt-PT` the one of `pt-PT`, else of `pt`, else the first.
 *
 * @since 0.1.0
 * @category formatting
 */
export const pick = <A>(ctx: Localized, texts: Readonly<Record<string, A>>): A => {
  const locale = of(ctx)
  const [first] = Object.values(texts)
  const found = [locale, locale.split("-")[0]!].find((one) => Object.hasOwn(texts, one))
  // There is at least one text, by the type of who writes them.
  return found === undefined ? first as A : texts[found]!
}
