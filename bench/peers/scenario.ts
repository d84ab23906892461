/** The work of all contenders. Each operation is one turn, with a model that answers at once. */
export interface Contender {
  /** One call that speaks, in a new conversation. */
  readonly s1: () => Promise<() => Promise<unknown>>
  /** One call that sorts a message into five topics, one that speaks, in a new conversation. */
  readonly s4: () => Promise<() => Promise<unknown>>
  /** The model calls two of three tools, then speaks. */
  readonly s6: () => Promise<() => Promise<unknown>>
  /** One call that speaks, with so many tools offered. */
  readonly tools: (count: number) => Promise<() => Promise<unknown>>
  /** S4 in a conversation of so many messages. */
  readonly s7: (messages: number) => Promise<() => Promise<unknown>>
  /** One answer of 500 deltas, as the application gets it. */
  readonly stream: () => Promise<() => AsyncIterable<unknown>>
}

export const topics = ["Billing", "Delivery", "Returns", "Warranty", "Opening hours"] as const
export const words: ReadonlyArray<string> = Array.from({ length: 500 }, (_, i) => `word${i} `)
export const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
