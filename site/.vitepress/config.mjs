import { readFileSync } from "node:fs"
import { defineConfig } from "vitepress"

/** Written by `scripts/site.ts`, with the pages. */
const { base, sidebar, version } = JSON.parse(readFileSync(new URL("../pages/site.json", import.meta.url), "utf8"))

const repository = "https://github.com/coxswain-ts/coxswain"

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
    // The anchors of GitHub, which the links of the pages have.
    anchor: {
      slugify: (heading) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").trim().replaceAll(" ", "-")
    },
    config: ({ renderer }) => {
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
        miniSearch: {
          searchOptions: {
            fuzzy: 0.2,
            prefix: true,
            boost: { title: 4, titles: 2, text: 1 },
            // Guides come before the reference, and before what is for the curious.
            boostDocument: (id) =>
              id.includes("/reference/") ? 0.3 : /\/(?:decisions\/|examples|changelog|numbers)/.test(id) ? 0.5 : 1
          }
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
