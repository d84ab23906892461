import { replay } from "./wire.js"

replay("google", "google")
