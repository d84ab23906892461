/** Encodes and decodes the input of a turn for the log. */
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { isJson, isJsonObject, type Json, JsonObject } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { Fields } from "../../domain/fields/Fields.js"
import * as TurnEntry from "../../domain/turn/TurnEntry.js"
import { beginning, type Input, isDecision, type Message, type UncheckedInput } from "../state/Input.js"
import { suspendedKey } from "../state/parts/SuspendedTurn.js"
import type { Runtime } from "../state/TurnState.js"

/** Values encoded by their Schemas; `withheld` are the names of secrets and of values that are not JSON. */
export const EncodedValues = Schema.Struct({ values: JsonObject, withheld: Schema.Array(Schema.String) })

export const encodeValues = (fields: Fields, values: Partial<Values>): typeof EncodedValues.Type => {
  const withheld: Array<string> = []
  const encoded = Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    const one: unknown = field === undefined
      ? value
      : Either.getOrElse(Schema.encodeEither(field.schema)(value), () => undefined)
    if (!Redacted.isRedacted(value) && isJson(one)) return [[name, one] as const]
    withheld.push(name)
    return []
  })
  return { values: Object.fromEntries<Json>(encoded), withheld }
}

/** The text that replaces a secret in the log and in a replay. */
const withheldWord = "withheld"

const isSecret = ({ ast }: Schema.Schema.All): boolean => {
  const of = AST.typeAST(ast)
  return of.annotations[AST.TypeConstructorAnnotationId] !== undefined &&
    (of.annotations[AST.TypeConstructorAnnotationId] as AST.TypeConstructorAnnotation)._tag === "effect/Redacted"
}

/** Returns the names of the fields that are declared with a `Redacted` Schema. */
const secretsOf = Memo.weak((fields: Fields): ReadonlyArray<string> =>
  Array.from(fields.values()).filter(({ schema }) => isSecret(schema)).map(({ name }) => name)
)

const masked = (names: ReadonlyArray<string>, context: Json | undefined): { readonly context?: Json } =>
  !isJsonObject(context) ? {} : {
    context: {
      ...context,
      ...Object.fromEntries(names.filter((name) => name in context).map((name) => [name, withheldWord]))
    }
  }

/** Returns the stored session with the secrets of its context replaced by a placeholder. */
export const withoutSecrets = ({ definition: { contextFields } }: Runtime, session: JsonObject): JsonObject => {
  const names = secretsOf(contextFields)
  if (names.length === 0) return session
  const { context, [suspendedKey]: suspended } = session
  return {
    ...session,
    ...masked(names, context),
    ...(isJsonObject(suspended) && { [suspendedKey]: { ...suspended, ...masked(names, suspended.context) } })
  }
}

/** Decodes values. A value that no longer decodes is left out; a secret becomes a placeholder. */
export const decodeValues = (
  fields: Fields,
  values: JsonObject,
  withheld: ReadonlyArray<string> = []
): Values => ({
  ...Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const decoded = fields.get(name)?.decode(value)
      return decoded === undefined || Either.isLeft(decoded) ? [] : [[name, decoded.right]]
    })
  ),
  ...Object.fromEntries(withheld.map((name) => [name, Redacted.make(withheldWord)]))
})

type Provider = NonNullable<Runtime["definition"]["contextProvider"]>

/** Replaces the `contextProvider` of the definition and of its earlier versions. */
export const withProvider = (
  runtime: Runtime,
  replace: (definition: Runtime["definition"], provider: Provider) => Provider
): Runtime => {
  const replaced = <A extends Pick<Runtime, "definition">>(version: A): A => {
    const { definition } = version
    const { contextProvider } = definition
    return contextProvider === undefined
      ? version
      : { ...version, definition: { ...definition, contextProvider: replace(definition, contextProvider) } }
  }
  return { ...replaced(runtime), earlier: runtime.earlier.map(replaced) }
}

const around = ({ definition }: Runtime, { context, messageId, metadata, principal }: Input) => {
  const kept = context === undefined ? undefined : encodeValues(definition.contextFields, context)
  return {
    ...(messageId !== undefined && { messageId }),
    ...(kept !== undefined && { context: kept.values }),
    ...(kept !== undefined && kept.withheld.length > 0 && { withheld: kept.withheld }),
    ...(metadata !== undefined && { metadata }),
    ...(principal !== undefined && { principal })
  }
}

const saidIn = ({ isForm, message, unattended, understood, values }: Message) => ({
  _tag: "Message" as const,
  message,
  ...(values !== undefined && { values }),
  ...(isForm !== undefined && { isForm }),
  ...(understood !== undefined && { understood }),
  ...(unattended !== undefined && { unattended })
})

/** Encodes an input for the log. */
export const encode = (runtime: Runtime, input: Input): TurnEntry.Input => {
  if (isDecision(input)) {
    return { _tag: input._tag, request: input.request, decision: input.decision, ...around(runtime, input) }
  }
  switch (input._tag) {
    case "Message":
      return { ...saidIn(input), ...around(runtime, input) }
    case "Begin":
      return { _tag: "Begin", ...(input.flow !== undefined && { flow: input.flow }), ...around(runtime, input) }
    case "Event":
      return { _tag: "Event", event: input.event, payload: input.payload, ...around(runtime, input) }
    case "Internal":
      return input.logged
  }
}

/** Omits the text of a message that consists only of a form: the text is generated again from the values. */
const said = ({ isForm, message, ...rest }: Extract<TurnEntry.Input, { readonly _tag: "Message" }>) =>
  isForm === true ? rest : { ...rest, message }

const begun = (input: Extract<TurnEntry.Input, { readonly _tag: "Begin" }>) => ({
  ...input,
  messageId: input.messageId ?? beginning
})

/** Decodes an input, with the current definition. */
export const decode = (
  { definition, features }: Runtime,
  { input, sessionId }: Pick<TurnEntry.TurnEntry, "input" | "sessionId">
): UncheckedInput => {
  if (TurnEntry.isInternal(input)) return features.inputOf(input, sessionId)
  const { context, withheld, ...kept } = input
  const rest = kept._tag === "Message" ? said(kept) : kept._tag === "Begin" ? begun(kept) : kept
  return {
    ...rest,
    sessionId,
    ...((context !== undefined || withheld !== undefined) && {
      context: decodeValues(definition.contextFields, context ?? {}, withheld)
    })
  }
}
