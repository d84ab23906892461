/** The conditions of Rasa's flows: their reader, and their translation. */
export { toCel, toTypeScript } from "./condition/ConditionCode.js"
export { type Condition, mistyped, parse, slotsOf, type SlotType, unknownIf } from "./condition/ConditionSyntax.js"
