import { replay } from "./wire.js"

replay("google", "google", {
  b65d27743e95: { read: { finish: "tool-calls" }, because: "the call reaches the tool loop, which tells the model" },
  e0b97a631c0b: {
    read: { usage: { input: 785, output: 779, cached: 0 } },
    because: "what a tool of Google's read is input too"
  }
})
