/** The check of calls against policies. It is loaded when it is first needed, because most agents have no policies. */
import * as Later from "../../../domain/base/Later.js"

export const checking = Later.make(() => import("../../../domain/policy/checkCall.js"))
