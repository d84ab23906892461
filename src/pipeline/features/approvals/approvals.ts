/**
 * Approvals: calls that wait for a decision of the user, who answers a question in the conversation, or of another person,
 * whose decision is an input of its own. The rounds of calls suspend the turn; this feature goes on with it.
 */
import { suspendedKey } from "../../state/parts/SuspendedTurn.js"
import type { Feature } from "../Feature.js"
import { confirm, remind } from "./confirm.js"
import { decided, released } from "./restore.js"

export const approvals: Feature = {
  name: "approvals",
  part: suspendedKey,
  seams: { opened: decided, routed: confirm, spoken: remind, unstored: released }
}
