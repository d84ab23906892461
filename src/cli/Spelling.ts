/**
 * Reports unknown commands and options, and options without a value, before parsing, because the parser may read such
 * an option as an argument.
 */
import * as Descriptor from "@effect/cli/CommandDescriptor"
import type { Usage } from "@effect/cli/Usage"
import * as HashMap from "effect/HashMap"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import { nearest } from "../domain/base/error/Nearest.js"
import { Unusable } from "./CommandFailure.js"

/** Options by name; true if the option is followed by a value. */
type Options = ReadonlyMap<string, boolean>

/** The parser's own options, which every command has. */
const everywhere: ReadonlyArray<readonly [string, boolean]> = [
  ["--help", false],
  ["-h", false],
  ["--version", false],
  ["--wizard", false],
  ["--completions", true],
  ["--log-level", true]
]

const named = (usage: Usage): ReadonlyArray<readonly [string, boolean]> => {
  switch (usage._tag) {
    case "Named":
      return usage.names.filter((name) => name.startsWith("-")).map((name) =>
        [name, Option.isSome(usage.acceptedValues)] as const
      )
    case "Optional":
    case "Repeated":
      return named(usage.usage)
    case "Alternation":
    case "Concat":
      return [...named(usage.left), ...named(usage.right)]
    default:
      return []
  }
}

const noOption = (option: string, command: string, options: Options): Unusable => {
  const long = [...options.keys()].filter((name) => name.startsWith("--"))
  const own = long.filter((name) => !everywhere.some(([other]) => other === name))
  const meant = nearest(option, long)
  return new Unusable({
    what: `there is no option ${option}`,
    why: meant === undefined ? `${command} takes ${own.join(", ") || "none"}` : `did you mean ${meant}?`,
    fix: `${command} --help lists the options`
  })
}

const noValue = (option: string, command: string): Unusable =>
  new Unusable({
    what: `${option} has no value`,
    why: "it is followed by one",
    fix: `${command} --help says which`
  })

const checkOptions = (
  args: ReadonlyArray<string>,
  command: string,
  options: Options
): Unusable | undefined => {
  for (let i = 0; i < args.length && args[i] !== "--"; i++) {
    const [name = "", value] = args[i]!.split("=", 2)
    if (!/^--.|^-[a-z]$/i.test(name)) continue
    const takesValue = options.get(name.toLowerCase())
    if (takesValue === undefined) return noOption(name, command, options)
    if (!takesValue || value !== undefined) continue
    const next = args[++i]
    if (next === undefined || options.has(next)) return noValue(name, command)
  }
  return undefined
}

const noCommand = (word: string, command: string, commands: ReadonlyArray<string>): Unusable => {
  const meant = nearest(word, commands)
  const all = commands.join(", ")
  return new Unusable({
    what: `${command} has no command ${word}`,
    why: meant === undefined ? `it has ${all}` : `did you mean ${meant}?`,
    fix: meant === undefined ? `${command} --help says more of each` : `The commands are ${all}`
  })
}

type Commands = HashMap.HashMap<string, Descriptor.Command<unknown>>

const checkAmong = (commands: Commands, command: string, args: ReadonlyArray<string>): Unusable | undefined => {
  const [word, ...rest] = args
  if (word === undefined || word.startsWith("-")) return undefined
  return Option.match(HashMap.get(commands, word), {
    onNone: () => noCommand(word, command, [...HashMap.keys(commands)].sort()),
    onSome: (next) => checkOne(next, `${command} ${word}`, rest)
  })
}

const checkOne = (
  self: Descriptor.Command<unknown>,
  command: string,
  args: ReadonlyArray<string>
): Unusable | undefined => {
  const commands = Descriptor.getSubcommands(self)
  const names = Descriptor.getNames(self)
  // For a command without subcommands, `getSubcommands` returns the command itself.
  return HashMap.every(commands, (_, name) => HashSet.has(names, name))
    ? checkOptions(args, command, new Map([...named(Descriptor.getUsage(self)), ...everywhere]))
    : checkAmong(commands, command, args)
}

/**
 * Checks a command line for unknown commands and options, and for options without a value; undefined if there are none.
 */
export const check = (
  commands: ReadonlyArray<{ readonly descriptor: Descriptor.Command<unknown> }>,
  name: string,
  args: ReadonlyArray<string>
): Unusable | undefined => {
  const named = commands.flatMap(({ descriptor }) =>
    Array.from(Descriptor.getNames(descriptor), (name) => [name, descriptor] as const)
  )
  return checkAmong(HashMap.fromIterable(named), name, args)
}
