import { replay } from "./wire.js"

replay("openai", "openai")
