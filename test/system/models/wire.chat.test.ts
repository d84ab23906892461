import { replay } from "./wire.js"

replay("chat", "openai-compatible")
