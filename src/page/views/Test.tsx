import { useSignal } from "@preact/signals"
import type { Failed } from "../net/api.js"
import { problem } from "../net/api.js"
import { Notice } from "../parts/Notice.js"
import { isOperator } from "../state/agent.js"
import type { Conversation } from "../state/conversation.js"
import { words } from "../words/words.js"
import { Happening } from "./Happening.js"
import { Recorded } from "./Recorded.js"

/**
 * The tab for operators who test the agent: sends events, moves the clock, replays the conversation with the current
 * definition, and generates a test from it.
 */
export const TestView = ({ talk }: { readonly talk: Conversation }) => {
  const failure = useSignal<Failed>()
  const failed = (cause: unknown) => failure.value = problem(cause)
  if (!isOperator.value) return <p class="empty">{words.desk.notOperator}</p>
  if (talk.status.value !== "ready") return <p class="empty">{words.why.empty}</p>
  return (
    <div class="whatif">
      <Happening talk={talk} failed={failed} />
      <Recorded talk={talk} failed={failed} />
      {failure.value !== undefined && <Notice failed={failure.value} />}
    </div>
  )
}
