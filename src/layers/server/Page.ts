/** The page: static files that the package contains, which talk to the routes of the server. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LayerConfigurationError } from "../../domain/base/error/Errors.js"

/** The path of the page, and the origins that may show it in a frame. */
export interface PageOptions {
  /** The path of the page on the server. Default `/`. */
  readonly path?: `/${string}`
  /** The origins whose pages may show it in a frame, such as `https://shop.example`. Default none. */
  readonly frameAncestors?: ReadonlyArray<string>
}

/** The content security policy: no script or style but the page's own files, and no address but the server's. */
const policyOf = (frameAncestors: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(" ")}`
  ].join("; ")

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml"
}

/**
 * Warns that the page is missing: it may not be built yet in a clone of the repository, and a bundled application does
 * not contain it.
 */
const leftOut = Layer.effectDiscard(
  Effect.logWarning("The page is left out: dist/page is not beside the package's code. In a clone, run npm run page")
)

/**
 * Finds the folder of the built page, `dist/page` of this package, both from the sources and from the compiled code.
 */
const folder = Effect.gen(function*() {
  const [files, path] = yield* Effect.all([FileSystem.FileSystem, Path.Path])
  let above = path.dirname(yield* path.fromFileUrl(new URL(import.meta.url)))
  for (let depth = 0; depth < 4; depth++) {
    above = path.dirname(above)
    const found = path.join(above, "dist", "page")
    if (yield* files.exists(path.join(found, "index.html"))) return found
  }
  return undefined
})

const isOrigin = (text: string): boolean => /^https?:\/\/[^\s;,'"/]{1,255}$/.test(text)

/** The headers of all files of the page. */
const headersOf = (frameAncestors: ReadonlyArray<string>) => ({
  "content-security-policy": policyOf(frameAncestors),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  ...(frameAncestors.length === 0 && { "x-frame-options": "DENY" })
})

const withoutSlash = (path: string): string => path.endsWith("/") ? withoutSlash(path.slice(0, -1)) : path

/** The routes of the page. Fails if an origin is malformed. */
export const layer = ({ frameAncestors = [], path: at = "/" }: PageOptions) =>
  Layer.unwrapEffect(
    Effect.gen(function*() {
      const malformed = frameAncestors.find((origin) => !isOrigin(origin))
      if (malformed !== undefined) {
        return yield* new LayerConfigurationError({
          path: "server.page.frameAncestors",
          what: `the origin ${JSON.stringify(malformed)}`,
          why: "it is no origin of http or https",
          fix: "Write scheme and host, such as https://shop.example"
        })
      }
      const [files, path] = yield* Effect.all([FileSystem.FileSystem, Path.Path])
      const found = yield* folder
      if (found === undefined) return leftOut
      const names = yield* files.readDirectory(path.join(found, "assets"))
      const headers = headersOf(frameAncestors)
      const base = withoutSlash(at)
      const root = "../".repeat(base.split("/").length - 1) || "./"
      const html = (yield* files.readFileString(path.join(found, "index.html"))).replace(
        "name=\"coxswain-api\" content=\"./\"",
        `name="coxswain-api" content="${root}"`
      )
      const index = HttpServerResponse.html(html).pipe(
        HttpServerResponse.setHeaders({ ...headers, "cache-control": "no-cache" })
      )
      const assets = yield* Effect.forEach(names, (name) =>
        Effect.map(files.readFile(path.join(found, "assets", name)), (bytes) =>
          HttpLayerRouter.add(
            "GET",
            `${base}/assets/${name}` as `/${string}`,
            HttpServerResponse.uint8Array(bytes, {
              contentType: types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
              // Cached for ever, because the name contains a hash of the content.
              headers: { ...headers, "cache-control": "public, max-age=31536000, immutable" }
            })
          )))
      // Relative addresses need the slash at the end.
      const moved = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) =>
        url.split("?")[0]?.endsWith("/") === true
          ? index
          : HttpServerResponse.redirect(`${base.split("/").at(-1)}/`))
      return Layer.mergeAll(
        // The router takes a path with and without a slash at its end for the same.
        base === ""
          ? HttpLayerRouter.add("GET", "/", index)
          : HttpLayerRouter.add("GET", base as `/${string}`, moved),
        ...assets
      )
    }).pipe(Effect.catchTags({
      SystemError: () =>
        Effect.succeed(leftOut),
      BadArgument: () =>
        Effect.succeed(leftOut)
    }))
  )
