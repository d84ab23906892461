/** A proxy between client and server that counts round trips, and can add latency or break connections. */
import * as net from "node:net"

export interface Proxy {
  /** The server's address through the proxy. */
  readonly url: string
  /** The number of round trips. */
  readonly count: () => number
  /** Breaks the open connections; clients can reconnect. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

export interface Way {
  /** The latency of data from the client, in milliseconds. */
  readonly delay?: number
  /**
   * The fate of a client's data: it arrives, or the connection breaks before (`cut`) or after (`unanswered`) the server
   * has processed it. Later data waits for this.
   */
  readonly sent?: (text: string) => Outcome | Promise<Outcome>
}

type Outcome = "cut" | "unanswered" | undefined

export const to = async (server: string, { delay = 0, sent }: Way = {}): Promise<Proxy> => {
  const url = new URL(server)
  const { hostname, port } = url
  const clients = new Set<net.Socket>()
  let count = 0
  const proxy = net.createServer((client) => {
    const upstream = net.connect({ host: hostname, port: Number(port), noDelay: true })
    let isWaiting = false
    let isAnswered = true
    let before = Promise.resolve()
    clients.add(client)
    client.setNoDelay(true)
    const pass = async (data: Buffer) => {
      const outcome = await sent?.(data.toString("latin1"))
      if (outcome === "cut") client.destroy()
      if (outcome === "unanswered") isAnswered = false
      if (!client.destroyed) upstream.write(data)
    }
    client.on("data", (data) => {
      if (!isWaiting) count++
      isWaiting = true
      if (sent !== undefined) before = before.then(() => pass(data))
      else if (delay === 0) upstream.write(data)
      else setTimeout(() => upstream.write(data), delay)
    })
    upstream.on("data", (data) => {
      isWaiting = false
      if (isAnswered) client.write(data)
      else client.destroy()
    })
    client.on("close", () => clients.delete(client))
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      one.on("close", () => other.destroy()).on("error", () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  const address = proxy.address()
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no port")
  url.hostname = "127.0.0.1"
  url.port = String(address.port)
  const cut = () => clients.forEach((client) => client.destroy())
  return {
    url: url.href,
    count: () => count,
    cut,
    close: () => {
      cut()
      return new Promise((resolve) => void proxy.close(() => resolve()))
    }
  }
}
