/**
 * The search of the site. `config.mjs` gives this to VitePress, and the tests build the same index with it. The functions
 * in `options` and `searchOptions` are sent to the browser as text, so they use nothing from outside of them.
 */
import * as path from "node:path"
import { asked } from "./phrases.js"

/** A part of a page as it is found: from one heading to the next. `titles` has the headings above it, and its own. */
export interface Section {
  readonly anchor: string
  readonly titles: ReadonlyArray<string>
  readonly text: string
}

/** In which words people ask for a page, or for a part of one, by its address: `confirmation#an-example`. */
export type Phrases = Readonly<Record<string, ReadonlyArray<string>>>

/** A page of the site: its file, and its Markdown. */
export interface Written {
  readonly file: string
  readonly markdown: string
}

/** The anchors of GitHub, which the links of the pages have. */
export const slugOf = (heading: string): string =>
  heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").trim().replaceAll(" ", "-")

/** The words of a line of Markdown, without its signs and the addresses of its links. */
const wordsOf = (line: string): string =>
  line.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "").replaceAll("|", " ").replaceAll(/\s+/g, " ")
    .trim()

/** The address of a page, without its ending. */
const addressOf = (file: string): string => file.replace(/\.md$/, "").replace(/(^|\/)index$/, "$1")

/** The parts of a page. A word of a code block counts once, so that long examples do not outweigh what pages say. */
export const sectionsOf = ({ file, markdown }: Written, phrases: Phrases): ReadonlyArray<Section> => {
  const sections: Array<Section> = []
  const titles: Array<string> = []
  let prose: Array<string> = []
  let code = new Set<string>()
  const close = (): void => {
    const title = titles.at(-1)
    if (title === undefined) return
    const slug = slugOf(title)
    const before = sections.filter(({ anchor }) => anchor.replace(/-\d+$/, "") === slug).length
    const anchor = before === 0 ? slug : `${slug}-${before}`
    const page = addressOf(file)
    const said = [`${page}#${anchor}`, ...sections.length === 0 ? [page] : []].flatMap((to) => phrases[to] ?? [])
    sections.push({ anchor, titles: [...titles], text: `${said.join(", ")}\n${[...prose, ...code].join(" ")}` })
    prose = []
    code = new Set()
  }
  let fence: string | undefined
  for (const line of markdown.replace(/^---\n[\s\S]*?\n---\n/, "").split("\n")) {
    const [, signs] = /^\s*(```+)/.exec(line) ?? []
    const [, level, heading = ""] = /^(#{1,6}) (.*)$/.exec(line) ?? []
    if (fence !== undefined) {
      if (signs === fence) fence = undefined
      else for (const word of line.match(/[\p{L}_$][\p{L}\p{N}_$]+/gu) ?? []) code.add(word)
    } else if (signs !== undefined) {
      fence = signs
    } else if (level !== undefined) {
      close()
      titles.splice(level.length - 1, Infinity, wordsOf(heading))
    } else {
      prose.push(wordsOf(line))
    }
  }
  close()
  return sections
}

/** What the tables of a page say about the pages that their rows link to. */
const rowsOf = ({ file, markdown }: Written): ReadonlyArray<readonly [address: string, phrase: string]> =>
  markdown.split("\n").filter((line) => line.startsWith("| ")).flatMap((row) =>
    Array.from(row.matchAll(/\]\(\.\/([^)#:]+\.md)(#[^)]*)?\)/g), ([, to = "", anchor = ""]) => {
      const target = path.posix.join(path.posix.dirname(file), to)
      return [`${addressOf(target)}${anchor}`, wordsOf(row)] as const
    })
  )

/** The phrases for the pages: those of the tables that list pages by what one wants, and those that beginners use. */
export const phrasesOf = (pages: ReadonlyArray<Written>): Phrases => {
  const lists = pages.filter(({ file }) => ["overview.md", "recipes/index.md"].includes(file))
  const phrases = new Map(Object.entries(asked))
  for (const [address, phrase] of lists.flatMap(rowsOf)) {
    phrases.set(address, [...phrases.get(address) ?? [], phrase])
  }
  return Object.fromEntries(phrases)
}

/**
 * The form of a word in the index: in small letters, without its ending, one word for those that mean the same. `null` for
 * a word that says nothing. The parts of a name in code can be found, too.
 */
const processTerm = (term: string): string | Array<string> | null => {
  const stops =
    " a about again all also am an and any are as at be been bot but by can could did do does doing don each for from get gets " +
    "give gives had has have having he her him his how i if in into is it its just let lets like make makes me may my no of on one " +
    "or our out own shall she should so some such than that the their them then there these they thing things this those to too " +
    "us use used using very via want wants was way we were what when where which while who will with without would you your s t "
  const same: Readonly<Record<string, string>> = {
    customer: "user",
    guest: "user",
    client: "user",
    visitor: "user",
    caller: "user",
    human: "person",
    someone: "person",
    somebody: "person",
    operator: "person",
    staff: "person",
    people: "person",
    clerk: "person",
    payment: "pay",
    money: "pay",
    charge: "pay",
    buy: "pay",
    paid: "pay",
    speak: "talk",
    chat: "talk",
    said: "say",
    told: "tell",
    spoke: "talk",
    image: "file",
    picture: "file",
    photo: "file",
    upload: "file",
    attachment: "file",
    begin: "start",
    began: "start",
    begun: "start",
    forgot: "forget",
    forgotten: "forget",
    chosen: "choose",
    chose: "choose",
    database: "store",
    db: "store",
    persist: "store",
    save: "store",
    storage: "store"
  }
  const formOf = (part: string): string | undefined => {
    const word = part.toLowerCase()
    if (stops.includes(` ${word} `)) return undefined
    const stem = word.length < 4 ? word : word
      .replace(/ies$/, "y").replace(/(ss|sh|ch|x)es$/, "$1").replace(/([^su])s$/, "$1")
      .replace(/(?:ation|ations|ing|ment|ed|al|er|or)$/, (ending) => word.length - ending.length < 3 ? ending : "")
      .replace(/([bdgmnprt])\1$/, "$1").replace(/e$/, "")
    return [word, stem, word.replace(/s$/, "")].flatMap((found) =>
      Object.hasOwn(same, found) ? same[found] ?? [] : []
    )[0] ?? stem
  }
  const parts = /[a-z][A-Z]/.test(term) ? [term, ...term.split(/(?=[A-Z])/)] : [term]
  const forms = parts.map(formOf).filter((form) => form !== undefined)
  return forms.length === 0 ? null : forms.length === 1 ? forms[0]! : forms
}

/** Guides come before the reference, and before what is for the curious. */
const boostDocument = (id: string): number =>
  id.includes("reference/")
    ? 0.3
    : /(?:^|\/)(?:decisions\/|examples|changelog|numbers|roadmap|comparison|architecture|skill\/)/.test(id)
    ? 0.5
    : 1

/** The index. The first line of a section's text has its phrases. */
export const options = {
  fields: ["title", "titles", "phrases", "text"],
  storeFields: ["title", "titles"],
  extractField: (section: Readonly<Record<string, string>>, field: string): string | undefined =>
    field === "phrases"
      ? section.text?.split("\n")[0]
      : field === "text"
      ? section.text?.slice(section.text.indexOf("\n"))
      : section[field],
  processTerm
}

/** How a question is looked up: the last word may be unfinished, a longer word may be mistyped. */
export const searchOptions = {
  fuzzy: (term: string) => term.length > 5 ? 0.2 : false,
  prefix: (_: string, at: number, terms: ReadonlyArray<string>) => at === terms.length - 1,
  boost: { title: 3, titles: 1, phrases: 4, text: 1 },
  boostDocument
}
