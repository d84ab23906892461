/** The recognition of messages that only say yes or no. A turn loads it when a field or a part takes no such message. */
import * as Later from "../../domain/base/Later.js"

export const bareAnswers = Later.make(() => import("../../domain/fields/BareAnswer.js"))
