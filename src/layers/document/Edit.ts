/** Writes documents as YAML, and changes a text to another document without losing its comments and its order. */
import * as Predicate from "effect/Predicate"
import * as Yaml from "yaml"
import { canonical, isJson, type Json } from "../../domain/base/Json.js"

const style = { lineWidth: 110, flowCollectionPadding: true } as const

/** Writes a document as YAML. */
export const write = (document: object): string => Yaml.stringify(document, { ...style, aliasDuplicateObjects: false })

const isSame = (document: Yaml.Document, node: unknown, value: Json): boolean => {
  const held: unknown = Yaml.isNode(node) ? node.toJS(document) : node
  return isJson(held) && canonical(held) === canonical(value)
}

/** Returns the name that identifies an item of a list, both in the old and in the new document. */
const nameOf = (item: unknown): unknown => {
  if (!Predicate.isRecord(item)) return undefined
  return item.id ?? item.title ?? item.name
}

/**
 * Returns a YAML node for the value: the given node with the parts that differ changed, or a new node if the kinds
 * differ.
 */
const changed = (document: Yaml.Document, node: unknown, value: Json): unknown => {
  if (isSame(document, node, value)) return node
  if (Yaml.isMap<Yaml.Node, unknown>(node) && Predicate.isRecord(value)) {
    changeMap(document, node, value)
    return node
  }
  if (Yaml.isSeq(node) && Array.isArray(value)) {
    changeList(document, node, value)
    return node
  }
  if (Yaml.isScalar(node) && !Predicate.isObject(value)) {
    node.value = value
    return node
  }
  return document.createNode(value)
}

const changeMap = (
  document: Yaml.Document,
  map: Yaml.YAMLMap<Yaml.Node, unknown>,
  value: Readonly<Record<string, unknown>>
): void => {
  const nameOfPair = ({ key }: { readonly key: unknown }) => String(Yaml.isScalar(key) ? key.value : key)
  map.items = map.items.filter((pair) => Object.hasOwn(value, nameOfPair(pair)))
  for (const [name, one] of Object.entries(value)) {
    if (!isJson(one)) continue
    const pair = map.items.find((pair) => nameOfPair(pair) === name)
    if (pair === undefined) map.items.push(document.createPair(name, one))
    else pair.value = changed(document, pair.value, one)
  }
}

/**
 * Changes a list. An item keeps its YAML node: the node is found by an equal value, by id, title or name, or by
 * position.
 */
const changeList = (document: Yaml.Document, list: Yaml.YAMLSeq, value: ReadonlyArray<Json>): void => {
  const left = new Set(list.items)
  const before = [...list.items]
  const take = (found: unknown): unknown => {
    left.delete(found)
    return found
  }
  const same = value.map((one) => {
    const found = before.find((item) => left.has(item) && isSame(document, item, one))
    return found === undefined ? undefined : take(found)
  })
  list.items = value.map((one, i) => {
    if (same[i] !== undefined) return same[i]
    const name = nameOf(one)
    const known = before.find((item) =>
      left.has(item) && name !== undefined && Yaml.isMap(item) && nameOf(item.toJS(document)) === name
    )
    const here = known ?? (name === undefined && left.has(before[i]) ? before[i] : undefined)
    return changed(document, here === undefined ? undefined : take(here), one)
  })
}

/**
 * Changes a YAML text so that it contains another document. Comments stay, and so do the order of names and the style
 * of all parts that do not change. A text that is not YAML is replaced as a whole.
 */
export const edit = (text: string, document: object): string => {
  const parsed = Yaml.parseDocument(text, { stringKeys: true })
  if (parsed.errors.length > 0 || !isJson(document)) return write(document)
  if (isSame(parsed, parsed.contents, document)) return text
  const contents = changed(parsed, parsed.contents, document)
  const made = Yaml.isNode(contents) ? contents : parsed.createNode(document)
  return made === parsed.contents ? parsed.toString(style) : write(document)
}
