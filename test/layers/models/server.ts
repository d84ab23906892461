import { Effect } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Dialect, Said } from "./dialects.js"

/** The reaction of the server to a request. */
export type Behaviour =
  | { readonly _tag: "Say"; readonly said: Said }
  | { readonly _tag: "Refuse"; readonly status: number; readonly message?: string; readonly headers?: object }
  | { readonly _tag: "Raw"; readonly body: string }
  | { readonly _tag: "Send"; readonly text: string; readonly status?: number }
  /** Sends the first `events`, then ends the body, resets the connection or hangs. */
  | { readonly _tag: "Break"; readonly said: Said; readonly events: number; readonly how: "end" | "reset" | "hang" }
  | { readonly _tag: "ErrorEvent"; readonly said: Said; readonly events: number; readonly message: string }
  | { readonly _tag: "Hang" }
  | { readonly _tag: "Reset" }

export interface Request {
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: never
  aborted: boolean
}

export interface Server {
  readonly url: string
  readonly requests: Array<Request>
  /** The next behaviours, of which the last one stays; or the behaviour for each request. */
  does: ReadonlyArray<Behaviour> | ((body: object) => Behaviour)
}

/** A server of one dialect, closed with the scope. */
export const serve = (dialect: Dialect) =>
  Effect.acquireRelease(
    Effect.async<Server & { readonly close: () => void }>((resume) => {
      const requests: Array<Request> = []
      const state = { does: [] as Server["does"] }
      const server = http.createServer((request, response) => {
        let text = ""
        request.on("data", (chunk) => text += String(chunk))
        request.on("end", () => {
          const seen: Request = {
            url: request.url!,
            headers: request.headers,
            body: JSON.parse(text) as never,
            aborted: false
          }
          requests.push(seen)
          response.on("close", () => seen.aborted = !response.writableFinished)
          const breach = dialect.breach(seen.body, seen.url)
          if (breach !== undefined && !/embeddings/.test(seen.url)) {
            return answer({ _tag: "Refuse", status: 400, message: breach }, seen, request, response)
          }
          if (typeof state.does === "function") return answer(state.does(seen.body), seen, request, response)
          const [does, ...later] = state.does
          if (later.length > 0) state.does = later
          answer(does!, seen, request, response)
        })
      })
      const answer = (
        does: Behaviour,
        seen: Request,
        request: http.IncomingMessage,
        response: http.ServerResponse
      ) => {
        const stream = dialect.isStream(seen.url, seen.body)
        const begin = () =>
          response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" })
        const write = (events: ReadonlyArray<string>) => events.forEach((event) => response.write(event))
        switch (does._tag) {
          case "Say":
            begin()
            if (stream) write(dialect.events(does.said))
            else response.write(JSON.stringify(dialect.whole(does.said)))
            return response.end()
          case "Refuse":
            response.writeHead(does.status, { "content-type": "application/json", ...does.headers })
            return response.end(JSON.stringify(dialect.refusal(does.status, does.message ?? "refused")))
          case "Raw":
            begin()
            return response.end(stream ? `data: ${does.body}\n\n` : does.body)
          case "Send":
            if (does.status === undefined || does.status === 200) begin()
            else response.writeHead(does.status, { "content-type": "application/json" })
            return response.end(does.text)
          case "Break":
            begin()
            if (stream) write(dialect.events(does.said).slice(0, does.events))
            else response.write(JSON.stringify(dialect.whole(does.said)).slice(0, 40))
            if (does.how === "end") response.end()
            if (does.how === "reset") setTimeout(() => request.socket.destroy(), 20)
            return
          case "ErrorEvent":
            begin()
            write([...dialect.events(does.said).slice(0, does.events), dialect.errorEvent!(does.message)])
            return response.end()
          case "Hang":
            return
          case "Reset":
            return request.socket.destroy()
        }
      }
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          requests,
          get does() {
            return state.does
          },
          set does(does) {
            state.does = does
          },
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        })))
    }),
    (server) => Effect.sync(server.close)
  )
