/** The Schemas of the inputs and outputs of an agent. */
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import type { Values } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import * as Fields from "../../domain/fields/Fields.js"
import * as Session from "../../domain/session/Session.js"
import * as TurnEvent from "../../domain/turn/TurnEvent.js"
import * as TurnResponse from "../../domain/turn/TurnResponse.js"
import type { KitBinding } from "../state/agentInternals.js"
import type { Runtime } from "../state/TurnState.js"

/**
 * Returns the Schemas of a kit's agents. They are made with the first agent and shared by all, because making them is
 * the most expensive part of making an agent.
 */
export const of = Memo.weak(({ context: contextStruct, data: dataStruct }: KitBinding) => {
  const data = Fields.partial(dataStruct)
  const context = Fields.partial(contextStruct)
  return {
    given: {
      session: Session.schema<Values, Values, Values, Values>(data, context),
      response: TurnResponse.schema<Values, Values, Values, Values>(data, context),
      event: TurnEvent.schema<Values, Values, Values, Values>(data, context),
      context: context as never as Schema.Schema<Values, JsonObject>
    },
    directive: Directive.schema(data, context) as never as Runtime["directive"],
    context: Schema.typeSchema(contextStruct) as never as Schema.Schema<Values, Values>
  }
})
