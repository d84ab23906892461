/**
 * Builds the site into `site/dist`: the pages of the repository by VitePress, `llms.txt`, a Markdown twin of each page, and
 * the playground. `npm run site -- --base /` builds it for another path than that of GitHub Pages.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as vite from "vite"
import { alias } from "../vitest.config.js"
import { install, run } from "./install.js"
import type { Page } from "./site/pages.js"
import { llms, pagesOf, sidebarOf, withFrontmatter } from "./site/pages.js"
import { phrasesOf } from "./site/search.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const site = path.join(root, "site")
const sources = path.join(site, "pages")

/** The folder with the built site. */
export const folder = path.join(site, "dist")

/** The path of the site at GitHub Pages. */
export const base = "/coxswain/"

const write = (file: string, text: string): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

/** Writes the input of VitePress. */
const prepare = (pages: ReadonlyArray<Page>, at: string): void => {
  fs.rmSync(sources, { recursive: true, force: true })
  for (const page of pages) {
    write(path.join(sources, page.file), withFrontmatter(page))
  }
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  write(
    path.join(sources, "site.json"),
    JSON.stringify({ base: at, version: `v${version}`, sidebar: sidebarOf(pages), phrases: phrasesOf(pages) })
  )
  fs.cpSync(path.join(root, "docs/pictures"), path.join(sources, "pictures"), { recursive: true })
  fs.copyFileSync(path.join(site, "index.md"), path.join(sources, "index.md"))
}

/** Adds to the built site what language models read: `llms.txt`, and the Markdown of each page beside it. */
const addTwins = (pages: ReadonlyArray<Page>, at: string): void => {
  for (const page of pages) write(path.join(folder, page.file), page.markdown)
  write(path.join(folder, "llms.txt"), llms(pages, at))
  fs.cpSync(path.join(root, "docs/pictures"), path.join(folder, "pictures"), { recursive: true })
  fs.copyFileSync(path.join(root, "src/page/icon.svg"), path.join(folder, "icon.svg"))
}

/** The built playground, before it is copied into the site. */
const played = path.join(site, "playground/dist")

/** Builds the playground, which has the sources of the package in it, with the options of the page. */
const playground = (): Promise<unknown> =>
  vite.build({
    configFile: false,
    root: path.join(site, "playground"),
    base: "./",
    publicDir: false,
    logLevel: "warn",
    resolve: { alias },
    esbuild: { jsx: "automatic", jsxDev: false, jsxImportSource: "preact", legalComments: "none" },
    build: {
      outDir: played,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 4000,
      rollupOptions: { input: ["index", "agent"].map((name) => path.join(site, `playground/${name}.html`)) }
    }
  })

/** Builds the site for a path, and prints what it does, because it takes minutes. Returns the number of its pages. */
const build = async (at = base): Promise<number> => {
  await install("site")
  console.log("> site: writes the reference")
  await run(process.execPath, ["--import", "tsx", "scripts/reference.ts"])
  const pages = pagesOf(root)
  prepare(pages, at)
  console.log(`> site: renders ${pages.length} pages, and bundles the playground`)
  const vitepress = path.join(site, "node_modules/vitepress/bin/vitepress.js")
  await Promise.all([run(process.execPath, [vitepress, "build", "site"]), playground()])
  addTwins(pages, at)
  fs.cpSync(played, path.join(folder, "playground"), { recursive: true })
  return pages.length
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [, given] = /(?:^| )--base[= ](\S+)/.exec(process.argv.slice(2).join(" ")) ?? []
  const pages = await build(given ?? base)
  console.log(`site: ${pages} pages in ${path.relative(root, folder)}`)
}
