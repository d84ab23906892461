/** The page of the API: its OpenAPI document as plain HTML, without scripts. */
import type * as OpenApi from "@effect/platform/OpenApi"
import { recordOf } from "../../../domain/base/Json.js"

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const json = (value: unknown): string => escaped(JSON.stringify(value, undefined, 2) ?? "")

/** Renders JSON, with links to the Schemas that it names. */
const schema = (value: unknown): string =>
  json(value).replace(
    /&#34;#\/components\/schemas\/([\w.-]{1,200})&#34;/g,
    (_, name: string) => `<a href="#${name}">${name}</a>`
  )

const opened = (title: string, content: string): string =>
  content === "" ? "" : `<details><summary>${title}</summary><pre>${content}</pre></details>`

/** Returns the Schema of a body, for the first media type that it has. */
const bodyOf = (content: unknown): string => {
  const [[type, media] = []] = Object.entries(recordOf(content))
  return type === undefined ? "" : `${escaped(type)}\n${schema(recordOf(media).schema)}`
}

const route = (path: string, method: string, given: unknown): string => {
  const { description, parameters, requestBody, responses } = recordOf(given)
  const listed = Array.isArray(parameters) ? parameters.map(recordOf) : []
  const answers = Object.entries(recordOf(responses)).map(([status, answer]) =>
    opened(
      `${escaped(status)} ${escaped(String(recordOf(answer).description ?? ""))}`,
      bodyOf(recordOf(answer).content)
    )
  )
  return `<article><h3><code>${escaped(method.toUpperCase())} ${escaped(path)}</code></h3>
<p>${escaped(typeof description === "string" ? description : "")}</p>
${
    opened(
      "Parameters",
      listed.map(({ in: place, name, required, schema: of }) =>
        `${escaped(String(name))} (${escaped(String(place))}${required === true ? ", required" : ""}) ${schema(of)}`
      ).join("\n")
    )
  }
${opened("Body", bodyOf(recordOf(requestBody).content))}
${answers.join("\n")}</article>`
}

const style =
  `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
pre{overflow:auto;font-size:13px}article{border-top:1px solid #8886;padding:.5rem 0}h3{margin:.5rem 0}summary{cursor:pointer}`

/** Renders the page. `source` is the address of the document as JSON, relative to the page. */
export const docsPage = ({ components, info, paths, tags }: OpenApi.OpenAPISpec, source: string): string => {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(recordOf(methods)).map(([method, given]) => ({
      tag: String([recordOf(given).tags].flat()[0] ?? ""),
      html: route(path, method, given)
    }))
  )
  const groups = [...new Set([...(tags ?? []).map(({ name }) => name), ...routes.map(({ tag }) => tag)])]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(info.title)}</title><style>${style}</style></head><body>
<h1>${escaped(info.title)}</h1><p>${escaped(info.description ?? "")} <a href="${escaped(source)}">OpenAPI ${
    escaped(info.version)
  } as JSON</a></p>
${
    groups.map((group) => {
      const own = routes.filter(({ tag }) => tag === group)
      return own.length === 0 ? "" : `<h2>${escaped(group)}</h2>${own.map(({ html }) => html).join("\n")}`
    }).join("\n")
  }
<h2>Schemas</h2>
${
    Object.entries(components.schemas).map(([name, of]) =>
      `<article id="${escaped(name)}"><h3><code>${escaped(name)}</code></h3><pre>${schema(of)}</pre></article>`
    ).join("\n")
  }
</body></html>
`
}
