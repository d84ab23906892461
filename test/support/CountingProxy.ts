/**
 * How often a client waits for a server: a proxy between the two that counts what is sent after something was received.
 */
import * as net from "node:net"

export interface CountingProxy {
  /** The address of the server, by way of the proxy. */
  readonly url: string
  readonly count: () => number
  readonly close: () => Promise<void>
}

export const to = async (server: string): Promise<CountingProxy> => {
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
      upstream.write(data)
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
