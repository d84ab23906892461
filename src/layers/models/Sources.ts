/** Collects the pages that an answer cites. */
import type * as Response from "@effect/ai/Response"
import { text } from "./Loose.js"

/** Adds each cited page once. */
export class Sources {
  private readonly cited = new Set<string>()

  /** `unique` becomes a part of the ids of the sources. */
  constructor(private readonly unique: string) {}

  cite(into: Array<Response.StreamPartEncoded>, address: unknown, title: unknown): void {
    const url = text(address)
    if (url === undefined || !URL.canParse(url) || this.cited.has(url)) return
    this.cited.add(url)
    const id = `${this.unique}_source_${this.cited.size}`
    into.push({ type: "source", sourceType: "url", id, url, title: text(title) ?? url })
  }
}
