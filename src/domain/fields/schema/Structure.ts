/** The properties of a struct's encoded side. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** A property of a struct. */
interface Property {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema.Schema<unknown>
  /** The property's own annotations. */
  readonly annotations: AST.Annotations
  /** The only allowed value, such as that of a tag; it need not be asked for. */
  readonly constant: Option.Option<AST.LiteralValue>
}

/** True if the decoded value is still a struct. The parts of an opaque or wrapped value are not read. */
const isOpen = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "TypeLiteral":
      return true
    case "Refinement":
      return isOpen(ast.from)
    case "Transformation":
      return isOpen(ast.to)
    case "Declaration":
      // The surrogate annotation of a class is its struct.
      return Option.isSome(AST.getSurrogateAnnotation(ast))
    default:
      return false
  }
}

const structOf = (ast: AST.AST): AST.TypeLiteral | undefined => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.indexSignatures.length === 0 && ast.propertySignatures.every(({ name }) => typeof name === "string")
        ? ast
        : undefined
    case "Refinement":
      return structOf(ast.from)
    case "Transformation":
      return isOpen(ast.to) ? structOf(ast.from) : undefined
    default:
      return undefined
  }
}

/** The type without `undefined`, which only marks an optional property. */
const present = (ast: AST.AST): AST.AST =>
  AST.isUnion(ast) ? AST.Union.make(ast.types.filter((one) => !AST.isUndefinedKeyword(one)), ast.annotations) : ast

const isRequired = ({ isOptional, type }: AST.PropertySignature): boolean =>
  !isOptional && !(AST.isUnion(type) && type.types.some(AST.isUndefinedKeyword))

const none: ReadonlyArray<Property> = []

/** Returns the properties of a struct, of a refined or transformed struct, or of a class; empty for other Schemas. */
export const properties = ({ ast }: Schema.Schema.All): ReadonlyArray<Property> =>
  structOf(ast)?.propertySignatures.map((property) => {
    const type = present(property.type)
    return {
      name: String(property.name),
      required: isRequired(property),
      schema: Schema.make<unknown>(type),
      annotations: property.annotations,
      constant: AST.isLiteral(type) ? Option.some(type.literal) : Option.none()
    }
  }) ?? none
