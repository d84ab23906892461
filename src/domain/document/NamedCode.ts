/** Finds the code that documents and definitions name, and adds the code to a definition. */
import * as Predicate from "effect/Predicate"
import { isSignal } from "../authored/Signal.js"
import { isTool } from "../authored/Tool.js"
import * as ErrorMessage from "../base/error/ErrorMessage.js"
import { ConfigurationIssue } from "../base/error/Errors.js"
import * as Excerpt from "../base/error/Excerpt.js"
import { nearest } from "../base/error/Nearest.js"
import { recordOf } from "../base/Json.js"
import { ownValue } from "../base/ownValue.js"
import * as Erase from "../definition/Erase.js"
import * as PartKinds from "./PartKinds.js"
import { type ErasedRegistry, forms, isSection, keys, type Section, sections } from "./Registry.js"

/** Adds an issue; `at` is the index in a text at which it begins. */
export type Report = (path: string, what: string, why: string, fix: string, at?: number) => void

/**
 * Finds entries of the registry, and reports names that are not there and entries of a wrong form. An entry that is
 * `undefined` is not there. `holder` is the registry in the messages.
 */
export const finding =
  (registry: ErasedRegistry, holder: "registry" | "code", report: Report) =>
  (section: Section, name: string, path: string) => {
    const entries = registry[section] ?? {}
    const entry = ownValue(entries, name)
    const form = forms[section]
    if (entry === undefined) {
      const names = Object.keys(entries).filter((one) => entries[one] !== undefined)
      const meant = nearest(name, names)
      report(
        path,
        `unknown ${keys[section]} "${name}"`,
        `the ${holder} has ${ErrorMessage.names(names)} in ${section}`,
        meant === undefined
          ? `Add it to ${section} of the ${holder}, or correct the name`
          : `Write "${meant}", or add it`
      )
    } else if (form?.is(entry) === false) {
      report(
        holder === "code" ? `code.${section}.${name}` : path,
        `${keys[section]} "${name}" of the ${holder}`,
        `it is ${Excerpt.kind(entry)}`,
        `Write ${form.words}`
      )
    }
    return entry as never
  }

/** Adds the code to a definition that names it. Names without code, and code without a name, are issues. */
export const implemented = (
  definition: object,
  code: unknown
): { readonly options: Erase.ErasedAgent; readonly issues: ReadonlyArray<ConfigurationIssue> } => {
  const issues: Array<ConfigurationIssue> = []
  const report: Report = (path, what, why, fix) => void issues.push(new ConfigurationIssue({ path, what, why, fix }))
  const registry = registryOf(code, report)
  const find = finding(registry, "code", report)
  const used = new Map(sections.map((section) => [section, new Set<string>()]))
  const named = (section: Section, name: string, path: string): unknown => {
    used.get(section)?.add(name)
    return find(section, name, path)
  }
  const noText = (kind: string, path: string, fix: string): void =>
    report(path, `${kind} in a document's form`, "a definition in TypeScript has no expressions", fix)
  const options = PartKinds.agent.read(definition, "", {
    fault: report,
    named,
    has: (section, name) => ownValue(registry[section] ?? {}, name) !== undefined,
    handled: handling(named, report),
    text: (text) => text,
    args: (given) => given,
    condition: (_, path) => {
      noText("a condition", path, "Write a function, or { predicate: name }")
      return () => false
    },
    schema: (shape, path) => {
      noText("a Schema", path, "Write a Schema")
      return recordOf(shape)
    }
  })
  for (const section of sections) {
    const names = Array.from(used.get(section) ?? [])
    for (const name of Object.keys(registry[section] ?? {}).filter((one) => !names.includes(one))) {
      const meant = nearest(name, names)
      report(
        `code.${section}.${name}`,
        `unused ${keys[section]} "${name}"`,
        `the definition names ${ErrorMessage.names(names)}`,
        meant === undefined ? "Remove it, or name it in the definition" : `Write "${meant}", or remove it`
      )
    }
  }
  return { options: Erase.agent(recordOf(options)), issues }
}

/** Returns the sections of the code, and reports what is none. */
const registryOf = (code: unknown, report: Report): ErasedRegistry =>
  Object.fromEntries(
    Object.entries(recordOf(code)).flatMap(([section, entries]) => {
      if (isSection(section) && (entries === undefined || Predicate.isRecord(entries))) return [[section, entries]]
      const [why, fix] = isSection(section)
        ? ["a section is a record of code by name", `Write ${section}: { name: … }`]
        : ["there is no section of this name", `Write one of ${ErrorMessage.names(sections)}`]
      report(`code.${section}`, `section "${section}" of the code`, why, fix)
      return []
    })
  )

const parts = {
  tools: { is: isTool, options: Erase.tool, make: Erase.makeTool },
  signals: { is: isSignal, options: Erase.signal, make: Erase.makeSignal }
}

/** Gives tools and signals that were declared without a handler the handler under their id. */
const handling = (named: (section: Section, name: string, path: string) => unknown, report: Report) => {
  // One part in several places stays one part, because the ids of different parts must differ.
  const made = new Map<object, object>()
  return (section: keyof typeof parts, part: object, path: string): object => {
    const { is, make, options } = parts[section]
    // A part without an id is left to the check of the definition.
    if (!is(part) || !Predicate.isString(part.id) || options(part).handler !== undefined) return part
    const before = made.get(part)
    if (before !== undefined) return before
    const { id } = part
    const handler = named(section, id, `${path}.handler`)
    if (handler !== undefined && !Predicate.isFunction(handler)) {
      report(
        `code.${section}.${id}`,
        `handler of ${keys[section]} "${id}"`,
        `the definition declares the ${keys[section]}, so its code is only the handler`,
        "Write a function"
      )
    }
    const whole = make({ ...options(part), id, ...{ handler: handler ?? noHandler } })
    made.set(part, whole)
    return whole
  }
}

/** Replaces a missing handler, so that no further issues of its part are reported. */
const noHandler = () => undefined
