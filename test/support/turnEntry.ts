/** The smallest entry of a turn log. */
import type { TurnLog } from "coxswain"

export const turnEntry = (sessionId: string, reply = ""): typeof TurnLog.TurnEntry.Type => ({
  format: 1,
  agent: "Desk",
  sessionId,
  from: 0,
  input: { _tag: "Message", message: "hi" },
  clock: [0],
  seed: 1,
  ids: [],
  understood: [],
  spoken: [],
  called: [],
  steps: [],
  written: [],
  end: "answered",
  reply
})
