/** A proxy between a client and a server: it counts how often the client waits, and may make the way longer. */
import * as net from "node:net"

export interface Proxy {
  /** The address of the server, by way of the proxy. */
  readonly url: string
  /** How often something was sent after something was received. */
  readonly count: () => number
  readonly close: () => Promise<void>
}

/** `delay`: how long what a client sends is on its way, in milliseconds. */
export const to = async (server: string, delay = 0): Promise<Proxy> => {
  const url = new URL(server)
  const { hostname, port } = url
  let count = 0
  const proxy = net.createServer((client) => {
    const upstream = net.connect({ host: hostname, port: Number(port), noDelay: true })
    let isWaiting = false
    client.setNoDelay(true)
    client.on("data", (data) => {
      if (!isWaiting) count++
      isWaiting = true
      if (delay === 0) upstream.write(data)
      else setTimeout(() => upstream.write(data), delay)
    })
    upstream.on("data", (data) => {
      isWaiting = false
      client.write(data)
    })
    for (const [one, other] of [[client, upstream], [upstream, client]] as const) {
      one.on("close", () => other.destroy()).on("error", () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  const address = proxy.address()
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no port")
  url.hostname = "127.0.0.1"
  url.port = String(address.port)
  return {
    url: url.href,
    count: () => count,
    close: () => new Promise((resolve) => void proxy.close(() => resolve()))
  }
}
