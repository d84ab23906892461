import { replay } from "./wire.js"

replay("chat", "openai-compatible", {
  "36d3747daabf": {
    read: { toolCalls: [{ name: "nonUsefulTool", args: {} }, { name: "nonUsefulTool", args: {} }] },
    because: "two ids under one index are two calls"
  },
  "0676c6881fb4": {
    read: { reasoning: "15 * 27 = 405" },
    because: "reasoning_details are reasoning, where it stands nowhere else"
  }
})
