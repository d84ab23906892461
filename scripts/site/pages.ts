/**
 * The pages of the site: the Markdown of the repository, with the links between pages as the site has them. Nothing is
 * written here by hand: the sidebar is the lists and tables of `docs/README.md`.
 */
import * as fs from "node:fs"
import * as path from "node:path"

const repository = "https://github.com/coxswain-ts/coxswain"
const published = `${repository}/blob/main/`

/** A page: its file in the repository, and its file in the site. */
export interface Page {
  readonly source: string
  readonly file: string
  readonly title: string
  readonly markdown: string
}

/** An entry of the sidebar, as VitePress has it. */
export interface Entry {
  readonly text: string
  readonly link?: string
  readonly items?: ReadonlyArray<Entry>
}

/** The pages that stand outside of `docs`, or have another name in the site. */
const renamed: Readonly<Record<string, string>> = {
  "README.md": "five-minutes.md",
  "CHANGELOG.md": "changelog.md",
  "bench/README.md": "numbers.md",
  "docs/README.md": "overview.md"
}

const fileOf = (source: string): string =>
  renamed[source] ?? source.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md")

const posix = path.posix

/** A link of a page, as the site has it: to a page of the site, to a picture, or to a file in the repository. */
const linkOf = (pages: ReadonlyMap<string, string>, source: string, link: string): string => {
  const given = link.startsWith(published)
    ? `${posix.relative(posix.dirname(source), ".") || "."}/${link.slice(published.length)}`
    : link
  if (/^(?:[a-z]+:|#)/.test(given)) return link
  const [to = "", anchor] = given.split("#")
  const target = posix.normalize(posix.join(posix.dirname(source), to))
  const file = pages.get(target)
  const own = posix.dirname(pages.get(source) ?? source)
  if (file !== undefined) return `./${posix.relative(own, file)}${anchor === undefined ? "" : `#${anchor}`}`
  if (target.startsWith("docs/pictures/")) return `./${posix.relative(own, target.slice("docs/".length))}`
  return `${published}${target}${anchor === undefined ? "" : `#${anchor}`}`
}

const code = /(^ *```[\s\S]*?^ *```$|`[^`\n]*`)/m

/** The text with the links of its prose replaced; code stays as it is. */
const linked = (markdown: string, replace: (link: string) => string): string =>
  markdown.split(new RegExp(code, "gm")).map((part, at) =>
    at % 2 === 1 ? part : part.replaceAll(/\]\(([^()\s]+)\)/g, (_, link: string) => `](${replace(link)})`)
  ).join("")

const titleOf = (markdown: string): string => /^# (.*)$/m.exec(markdown)?.[1] ?? ""

/** All pages of the site, from a clone of the repository. */
export const pagesOf = (root: string): ReadonlyArray<Page> => {
  const docs = fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md")).map((name) => `docs/${name.replaceAll(path.sep, "/")}`)
  const sources = [...new Set([...Object.keys(renamed), ...docs])].sort()
  const files = new Map(sources.map((source) => [source, fileOf(source)]))
  return sources.map((source) => {
    // A link whose text is code is split at its backticks, so links are replaced around them.
    const text = fs.readFileSync(path.join(root, source), "utf8").replaceAll(/^<!--.*-->\n+/g, "")
    return {
      source,
      file: fileOf(source),
      title: source === "README.md" ? "Five minutes" : titleOf(text),
      markdown: linked(text, (link) => linkOf(files, source, link))
    }
  })
}

/** The page for VitePress: where to edit it, and no edit link for what is generated. */
export const withFrontmatter = ({ markdown, source, title }: Page): string => {
  const isGenerated = source.startsWith("docs/reference/") || ["docs/examples.md", "bench/README.md"].includes(source)
  const lines = [
    `title: ${JSON.stringify(title.replaceAll("`", ""))}`,
    `source: ${source}`,
    ...isGenerated ? ["editLink: false"] : []
  ]
  return `---\n${lines.join("\n")}\n---\n\n${markdown}`
}

const address = (file: string): string => `/${file.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`

/** The part of a page under a heading of the second level. */
const sectionOf = (markdown: string, title: string): string =>
  markdown.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ""

/** The links of a part of `docs/README.md` to pages, each page once. */
const entriesOf = (part: string): ReadonlyArray<Entry> => {
  const seen = new Set<string>()
  return Array.from(
    part.matchAll(/\[([^\]]+)\]\(\.\/([^)#]+\.md)(?:#[^)]*)?\)/g),
    ([, text = "", file = ""]) => ({ text, file })
  )
    .filter(({ file }) => !seen.has(file) && seen.add(file))
    .map(({ file, text }) => ({ text: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`, link: address(file) }))
}

/** The sidebar of the reference: the parts of its first page. */
const referenceOf = (pages: ReadonlyArray<Page>): ReadonlyArray<Entry> => {
  const index = pages.find(({ source }) => source === "docs/reference/README.md")?.markdown ?? ""
  return index.split(/^## /m).slice(1).map((part) => ({
    text: part.split("\n")[0]!,
    items: entriesOf(part).filter(({ link }) => link?.startsWith("/../") !== true)
      .map(({ link, text }) => ({ text: text.replaceAll("`", ""), link: `/reference${link}` }))
  })).filter(({ items }) => items.length > 0)
}

/** The sidebars: the parts of `docs/README.md`, and those of the reference for its pages. */
export const sidebarOf = (pages: ReadonlyArray<Page>) => {
  const overview = pages.find(({ source }) => source === "docs/README.md")?.markdown ?? ""
  const part = (title: string): Entry => ({ text: title, items: entriesOf(sectionOf(overview, title)) })
  const guide = ["The first day", "Concepts", "Topics", "Advanced", "Reference", "Decisions"].map(part)
  return { "/": guide, "/reference/": referenceOf(pages) }
}

const summary =
  "A functional runtime for conversational agents on Effect, in TypeScript: the model understands, your code decides."

/** `llms.txt`: the Markdown twins of all pages, in the order of the sidebar. */
export const llms = (pages: ReadonlyArray<Page>, base: string): string => {
  const fileAt = new Map(pages.map(({ file }) => [address(file), file]))
  const lines = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> =>
    entries.flatMap(({ items, link = "", text }) =>
      items === undefined ? [`- [${text}](${base}${fileAt.get(link) ?? link.slice(1)})`] : lines(items)
    )
  const groups = Object.values(sidebarOf(pages)).flat().flatMap((
    { items = [], text }
  ) => [`## ${text}`, "", ...lines(items), ""])
  const skill = `To write an agent, read [the skill](${base}skill/SKILL.md) first.`
  return [
    "# Coxswain",
    "",
    `> ${summary}`,
    "",
    `Every TypeScript block of these pages compiles. ${skill}`,
    "",
    ...groups
  ].join("\n")
}
