/**
 * A guardrail against numbers of payment cards. The package `card-validator` recognises them by their first digits and
 * their check digit.
 */
import cards from "card-validator"
import type { Words } from "../../domain/authored/Guardrail.js"

/** Digits in groups, as people and machines write them. */
const candidate = /(?<!\d)\d(?:[ \-.]?\d){11,18}(?!\d)/g

/** The package also checks the first digits, because one in ten other numbers has a valid check digit. */
const isCard = (text: string): boolean => cards.number(text.replace(/\D/g, "")).isValid

const last4 = (text: string): string => `[card ending in ${text.replace(/\D/g, "").slice(-4)}]`

/** Blocks texts that contain the number of a card. */
export const block = (options: { readonly reply?: Words } = {}) => ({
  id: "cards",
  ...options,
  check: (text: string): { readonly reason: string } | undefined =>
    (text.match(candidate) ?? []).some(isCard) ? { reason: "the number of a card" } : undefined
})

/**
 * Replaces the numbers of cards in texts, except for their last four digits.
 *
 * @example
 * ```ts
 * import * as Cards from "coxswain/layers/guardrails-cards"
 *
 * console.log(Cards.redact().rewrite("Take 4111 1111 1111 1111, please")) // Take [card ending in 1111], please
 * ```
 */
export const redact = () => ({
  id: "cards",
  rewrite: (text: string): string => text.replace(candidate, (found) => isCard(found) ? last4(found) : found)
})
