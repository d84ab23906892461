/** Requests to the server that served the page. */
import { signal } from "@preact/signals"
import type { Problem } from "./wire.js"

/** The bearer token of the person, if the server requires one. The page keeps it only in this variable. */
export const token = signal<string>()

/** True after the server has refused a request because credentials were missing or wrong. */
export const refused = signal(false)

/** False while the server cannot be reached. */
export const online = signal(true)

/** A request that failed, with the problem document of the server. */
export class Failed extends Error {
  constructor(readonly problem: Problem, readonly requestId?: string) {
    super(problem.detail)
  }
}

const unreachable: Problem = {
  type: "urn:coxswain:error:Offline",
  tag: "Offline",
  title: "offline",
  status: 503,
  detail: "offline"
}

/** The base URL of the routes: the page's own address, or the address in its `meta` element `coxswain-api`. */
const root = new URL(
  document.querySelector<HTMLMetaElement>("meta[name=coxswain-api]")?.content ?? "./",
  document.baseURI.split(/[?#]/)[0]
)

const urlOf = (path: string): string => new URL(path, root).href

export const pathOf = (parts: ReadonlyArray<string>): string => parts.map(encodeURIComponent).join("/")

export interface RequestOptions {
  readonly method?: string
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

const isProblem = (u: unknown): u is Problem =>
  typeof u === "object" && u !== null && "tag" in u && "detail" in u && "status" in u

const problemOf = async (response: Response): Promise<Problem> => {
  const told: unknown = await response.json().catch(() => undefined)
  return isProblem(told)
    ? told
    : { ...unreachable, tag: "HttpError", title: String(response.status), detail: response.statusText, status: 500 }
}

const bodyOf = (body: unknown): Pick<RequestInit, "body" | "headers"> =>
  body instanceof FormData
    ? { body }
    : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }

/** A failure that the server has reported in a response. */
export const failedIn = ({ headers }: Response, problem: Problem): Failed =>
  new Failed(problem, headers.get("x-request-id") ?? undefined)

/** Sends the requests. The playground of the site replaces it by a server within the browser. */
export const transport: { send: (address: string, init: RequestInit) => Promise<Response> } = {
  send: (address, init) => fetch(address, init)
}

/** Sends a request. Fails with `Failed` unless the status of the response is 2xx. */
export const send = async (path: string, { body, headers, method, signal }: RequestOptions = {}): Promise<Response> => {
  const sent = body === undefined ? {} : bodyOf(body)
  const response = await transport.send(urlOf(path), {
    method: method ?? (body === undefined ? "GET" : "POST"),
    ...sent,
    ...(signal !== undefined && { signal }),
    headers: {
      ...sent.headers,
      ...headers,
      ...(token.value !== undefined && { authorization: `Bearer ${token.value}` })
    }
  }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause
    online.value = false
    throw new Failed(unreachable)
  })
  online.value = true
  if (response.ok) return response
  if (response.status === 401) refused.value = true
  throw failedIn(response, await problemOf(response))
}

/** Sends a request and returns the JSON of the response. Its shape is that of the server's Schema. */
export const ask = async <A>(path: string, asking?: RequestOptions): Promise<A> => (await send(path, asking)).json()

/** Converts any failure to a `Failed` with a problem. */
export const problem = (cause: unknown): Failed =>
  cause instanceof Failed
    ? cause
    : new Failed({ ...unreachable, tag: "PageError", title: "error", status: 500, detail: String(cause) })
