/**
 * A guardrail against numbers of payment cards, as `card-validator` knows them: by their digits and their check digit.
 *
 * @since 0.1.0
 */
import cards from "card-validator"
import type { Words } from "../../domain/authored/Guardrail.js"

/** Digits in groups, as people and machines write them. */
const candidate = /(?<!\d)\d(?:[ \-.]?\d){11,18}(?!\d)/g

/** One in ten other numbers has a valid check digit, so the first digits must be those of a card as well. */
const isCard = (text: string): boolean => cards.number(text.replace(/\D/g, "")).isValid

const last4 = (text: string): string => `[card ending in ${text.replace(/\D/g, "").slice(-4)}]`

/**
 * Blocks texts with the number of a card in them.
 *
 * @since 0.1.0
 * @category guardrails
 */
export const block = (options: { readonly reply?: Words } = {}) => ({
  id: "cards",
  ...options,
  check: (text: string): { readonly reason: string } | undefined =>
    (text.match(candidate) ?? []).some(isCard) ? { reason: "the number of a card" } : undefined
})

/**
 * Takes the numbers of cards out of texts, but for their last four digits, and lets the rest through.
 *
 * @example
 * ```ts
 * import * as Cards from "coxswain/layers/guardrails-cards"
 *
 * console.log(Cards.redact().rewrite("Take 4111 1111 1111 1111, please")) // Take [card ending in 1111], please
 * ```
 *
 * @since 0.1.0
 * @category guardrails
 */
export const redact = () => ({
  id: "cards",
  rewrite: (text: string): string => text.replace(candidate, (found) => isCard(found) ? last4(found) : found)
})
