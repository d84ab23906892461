import { readFileSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitepress"
import * as Search from "../../scripts/site/search.js"

const pages = fileURLToPath(new URL("../pages", import.meta.url))

/** Written by `scripts/site.ts`, with the pages. */
const { base, phrases, sidebar, version } = JSON.parse(
  readFileSync(new URL("../pages/site.json", import.meta.url), "utf8")
)

const repository = "https://github.com/coxswain-ts/coxswain"

/** Names the column of each cell of tables with many columns: on a phone the cells of a row stand below each other. */
const nameColumns = ({ tokens }) => {
  let columns = []
  let at = 0
  for (const [index, { type }] of tokens.entries()) {
    if (type === "table_open") columns = []
    if (type === "tr_open") at = 0
    if (type === "th_open") columns.push(tokens[index + 1].children.map(({ content }) => content).join(""))
    if (type === "td_open" && columns.length > 4) tokens[index].attrSet("data-column", columns[at++])
  }
}

export default defineConfig({
  base,
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "node_modules/.cache",
  lang: "en",
  title: "Coxswain",
  description: "A functional runtime for conversational agents on Effect: the model understands, your code decides.",
  head: [["link", { rel: "icon", href: `${base}icon.svg` }]],
  lastUpdated: false,
  // The playground is no page of the generator.
  ignoreDeadLinks: [/^\/playground\//],
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  markdown: {
    // The pages are plain Markdown: what looks like an element in them is text.
    html: false,
    anchor: { slugify: Search.slugOf },
    config: ({ core, renderer }) => {
      core.ruler.push("name_columns", nameColumns)
      const render = renderer.render.bind(renderer)
      renderer.render = (...given) =>
        render(...given)
          // Two braces are text as well, and no expression of Vue.
          .replaceAll("{{", "&#123;&#123;")
          // Markdown has no table without a header; an empty one is none.
          .replaceAll(/<thead>\s*<tr>\s*(?:<th[^>]*><\/th>\s*)+<\/tr>\s*<\/thead>/g, "")
          .replaceAll(/<th([^>]*)><\/th>/g, "<td$1></td>")
    },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" }
  },
  themeConfig: {
    nav: [
      { text: "Guide", link: "/overview" },
      { text: "Recipes", link: "/recipes/" },
      { text: "Reference", link: "/reference/" },
      { text: "Playground", link: "/playground/", target: "_self" },
      {
        text: version,
        items: [
          { text: "Changes", link: "/changelog" },
          { text: "Versions", link: `${repository}/releases` },
          { text: "Roadmap", link: "/roadmap" }
        ]
      }
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        // Results show what they found.
        detailedView: true,
        // What is searched is the Markdown.
        _render: (markdown) => markdown,
        miniSearch: {
          options: Search.options,
          searchOptions: Search.searchOptions,
          _splitIntoSections: (file, markdown) =>
            Search.sectionsOf({ file: relative(pages, file).replaceAll("\\", "/"), markdown }, phrases)
        }
      }
    },
    editLink: {
      pattern: ({ frontmatter }) => `https://github.com/coxswain-ts/coxswain/edit/main/${frontmatter.source}`,
      text: "Edit this page"
    },
    socialLinks: [{ icon: "github", link: repository }],
    notFound: { linkText: "To the start", linkLabel: "To the start" },
    footer: { message: "MIT license" }
  }
})
