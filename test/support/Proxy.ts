/** A proxy between a client and a server: it counts how often the client waits, and may make the way longer, or break it. */
import * as net from "node:net"

export interface Proxy {
  /** The address of the server, by way of the proxy. */
  readonly url: string
  /** How often something was sent after something was received. */
  readonly count: () => number
  /** Breaks the connections that there are; clients may connect again. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

export interface Way {
  /** How long what a client sends is on its way, in milliseconds. */
  readonly delay?: number
  /**
   * What becomes of what a client sends: it arrives, the connection breaks before (`cut`) or after the server has done it
   * (`unanswered`). What a client sends next waits for that.
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
