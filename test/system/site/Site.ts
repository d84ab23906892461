/** The built site behind a plain file server, for the tests of the site. */
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { run } from "../../../scripts/install.js"
import { base, folder } from "../../../scripts/site.js"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".woff2": "font/woff2"
}

const isFile = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true

/** Serves the files under the path of the site, as GitHub Pages does. */
export const serve = (): Promise<{ readonly url: string; readonly close: () => void }> =>
  new Promise((resolve) => {
    const server = http.createServer(({ url = "/" }, response) => {
      const { pathname } = new URL(url, "http://site")
      const asked = path.join(folder, decodeURIComponent(pathname).replace(base, "/"))
      const file = pathname.endsWith("/") ? path.join(asked, "index.html") : asked
      if (pathname.startsWith(base) && isFile(file)) {
        response.writeHead(200, { "content-type": types[path.extname(file)] ?? "application/octet-stream" })
        fs.createReadStream(file).pipe(response)
      } else {
        response.writeHead(404, { "content-type": "text/html; charset=utf-8" })
        fs.createReadStream(path.join(folder, "404.html")).pipe(response)
      }
    })
    server.listen(0, "127.0.0.1", () =>
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
        close: () => void (server.closeAllConnections(), server.close())
      }))
  })

/** Builds the site in a process of its own. Returns false if the generator cannot be installed because the registry is out of reach. */
export const built = (): Promise<boolean> =>
  run(process.execPath, ["--import", "tsx", "scripts/site.ts"]).then(() => true, (cause: unknown) => {
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(String(cause))) return false
    throw cause
  })

/** The Markdown twins of the site's pages. */
export const twins = (): ReadonlyArray<string> =>
  fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"))

export const read = (name: string): string => fs.readFileSync(path.join(folder, name), "utf8")
export const has = (name: string): boolean => isFile(path.join(folder, name))
