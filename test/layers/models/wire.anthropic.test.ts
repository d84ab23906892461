import { replay } from "./wire.js"

replay("anthropic", "anthropic")
