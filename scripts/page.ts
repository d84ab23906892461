/**
 * Builds the page (`src/page`) into `dist/page`: static files with relative addresses, so that they work under any path.
 * `npm run page` does it alone.
 */
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "vite"

const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

export const page = (): Promise<unknown> =>
  build({
    configFile: false,
    root: file("src/page"),
    base: "./",
    publicDir: false,
    logLevel: "warn",
    // Without `jsxDev: false`, a build within a test run holds the path of every source file.
    esbuild: { jsx: "automatic", jsxDev: false, jsxImportSource: "preact", legalComments: "none" },
    build: {
      outDir: file("dist/page"),
      emptyOutDir: true,
      target: "es2022",
      // The policy of the document forbids scripts and pictures within it.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false
    }
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await page()
