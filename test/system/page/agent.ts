/**
 * The agent of `test/support/Desk.ts` as a file for `coxswain serve`. With `COXSWAIN_PAGE_TOKENS` the server wants a token:
 * a name, or a name and a role.
 */
import * as Server from "coxswain/layers/server"
import { Effect } from "effect"
import * as Desk from "../../support/Desk.js"

const authenticate: Server.Authenticate = ({ headers }) => {
  const [, userId, role] = /^Bearer (\w+)(?: (\w+))?$/.exec(headers.authorization ?? "") ?? []
  return userId === undefined
    ? Effect.fail(new Server.Unauthorized({ why: "no token" }))
    : Effect.succeed({ userId, roles: role === undefined ? [] : [role, "manager"] })
}

export const server: Server.Options<{}> = process.env.COXSWAIN_PAGE_TOKENS === undefined
  ? { rateLimit: false }
  : { authenticate, page: true, rateLimit: false }

/** How long the model pauses in its answer to `wait:`, so that a test can do something meanwhile. */
export default Desk.layer(Effect.sleep("3 seconds"))
