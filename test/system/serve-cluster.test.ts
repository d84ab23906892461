/** `coxswain serve --cluster`: two processes over a PostgreSQL server, and clients that go to either of them. */
import { expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { afterAll, afterEach, describe } from "vitest"
import * as Servers from "../setup/servers.js"
import { freePort } from "../support/ClusterLoad.js"

const root = path.join(import.meta.dirname, "../..")
const server = await Servers.postgres()
const children = new Set<ReturnType<typeof spawn>>()
// All tests share the database, and so the cluster: a node of another agent would own their sessions.
afterEach(() => {
  for (const child of children) child.kill("SIGKILL")
  children.clear()
})
afterAll(() => server?.close())

const json = { "content-type": "application/json" }

/** Asks again until the response is as wanted. */
const until = async (ask: () => Promise<Response>, wanted: (status: number) => boolean): Promise<number> => {
  for (;;) {
    const status = await ask().then(({ status }) => status, () => 0)
    if (wanted(status)) return status
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const begin = async (agent = "clusterAgent") => {
  const args = ["--import", "tsx", "src/cli/main.ts", "serve", `test/system/fixtures/${agent}.ts`]
  const child = spawn(process.execPath, [...args, "--cluster", "--port", "0"], {
    cwd: root,
    env: {
      ...process.env,
      COXSWAIN_CLUSTER_URL: server?.url,
      COXSWAIN_CLUSTER_HOST: "127.0.0.1",
      COXSWAIN_CLUSTER_PORT: String(await freePort())
    }
  })
  children.add(child)
  const ended = new Promise((resolve) => child.once("close", resolve))
  let out = ""
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (text: Buffer) => {
      out += String(text)
      const found = /is at (http:\S+),/.exec(out)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    void ended.then(() => reject(new Error(`it said only: ${out}`)))
  })
  /** Sends a request, again if all sessions together have asked for more than one user may. */
  const post = async (route: string, body: object, headers: object = {}): Promise<Response> => {
    for (;;) {
      const response = await fetch(`${url}${route}`, {
        method: "POST",
        headers: { ...json, ...headers },
        body: JSON.stringify(body)
      })
      if (response.status !== 429) return response
      await response.text()
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  await until(() => fetch(`${url}/ready`), (status) => status === 200)
  return { url, post, child, ended, out: () => out }
}

/** Reads the events of a stream: `next` waits for the event that has this text in it, and returns its id. */
const reading = (response: Response) => {
  let text = ""
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  const more = async () => {
    const { done, value } = await reader.read()
    text += decoder.decode(value)
    return !done
  }
  return {
    next: async (wanted: string) => {
      for (;;) {
        const event = text.split("\n\n").slice(0, -1).find((one) => one.includes(wanted))
        if (event !== undefined) return /^id: (.*)$/m.exec(event)?.[1]
        if (!await more()) throw new Error(`the stream ended without ${wanted}: ${text}`)
      }
    },
    rest: async () => {
      while (await more()) { /* to the end */ }
      return text.split("\n\n").flatMap((one) => /^id: (.*)$/m.exec(one)?.[1] ?? [])
    }
  }
}

describe.skipIf(server === undefined)("`coxswain serve --cluster`", () => {
  it("lets clients stream, join, stop and decide on any node, and loses no turn when a node leaves", async () => {
    const [a, b] = await Promise.all([begin(), begin()])
    // The owners of the sessions differ.
    for (let i = 0; i < 4; i++) {
      const session = `/sessions/s${i}`
      const said = reading(await a.post(`${session}/turns/stream`, { message: "Wait", messageId: "m-1" }))
      const started = await said.next("TurnStarted")
      const joined = reading(await fetch(`${b.url}${session}/turns/current/stream`))
      expect(await joined.next("TurnStarted")).toBe(started)
      const rejoined = reading(
        await fetch(`${b.url}${session}/turns/current/stream`, { headers: { "last-event-id": String(started) } })
      )
      // While a session moves to a node that has joined, its turn is not found for a moment.
      await until(() => fetch(`${b.url}${session}/turns/current`, { method: "DELETE" }), (status) => status === 204)
      const all = await said.rest()
      expect(await joined.rest()).toEqual(all)
      expect(await rejoined.rest()).toEqual(all.slice(1))

      // What happens in the session is told at the other node, and decided there.
      await a.post(`${session}/turns`, { message: "Cancel it" }).then((response) => response.json()).then((answer) =>
        expect(answer).toMatchObject({ stoppedReason: "needs_approval" })
      )
      const feed = reading(await fetch(`${b.url}${session}/feed`))
      const asked = await fetch(`${a.url}/approvals`).then((response) => response.json()) as {
        readonly items: ReadonlyArray<
          { readonly sessionId: string; readonly waiting: ReadonlyArray<{ readonly id: string }> }
        >
      }
      const call = asked.items.find(({ sessionId }) => sessionId === `s${i}`)?.waiting[0]?.id
      const decided = await b.post(`${session}/approvals/${call}`, { approved: true })
      expect(await decided.json()).toMatchObject({ message: "It is done." })
      await feed.next("It is done.")
      const failed = await b.post(`${session}/turns`, { message: "full" })
      expect([failed.status, await failed.json()]).toMatchObject([500, { tag: "NoRoom" }])
    }

    // A node that leaves says so, stops its turns, and the other one goes on with its sessions.
    const left = reading(await b.post("/sessions/s0/turns/stream", { message: "Wait" }))
    await left.next("TurnStarted")
    b.child.kill("SIGTERM")
    expect(await until(() => fetch(`${b.url}/ready`), (status) => status !== 200)).toBe(503)
    await b.ended
    expect(await until(() => fetch(`${a.url}/ready`), (status) => status === 200)).toBe(200)
    const answers = await Promise.all(
      Array.from(
        { length: 4 },
        (_, i) =>
          a.post(`/sessions/s${i}/turns`, { message: "Cancel it", messageId: "m-2" }).then((response) =>
            response.json()
          )
      )
    )
    expect(answers).toMatchObject(answers.map(() => ({ stoppedReason: "needs_approval" })))
  })

  it(
    "answers a message that is sent again, at once, when the process of its client is killed in the turn",
    async () => {
      const [a, b] = await Promise.all([begin("slowAgent"), begin("slowAgent")])
      const sessions = Array.from({ length: 10 }, (_, i) => ({ at: `/sessions/k${i}`, streams: i % 2 === 0 }))
      const say = { message: "Go", messageId: "m-1" }
      const route = ({ at, streams }: typeof sessions[number]) => `${at}/turns${streams ? "/stream" : ""}`
      for (const session of sessions) {
        void a.post(route(session), say).then((response) => response.text()).catch(() => {})
      }
      for (const { at } of sessions) {
        await until(
          () =>
            fetch(`${b.url}${at}/turns/current/stream`).then((response) => (void response.body?.cancel(), response)),
          (status) => status === 200
        )
      }
      a.child.kill("SIGKILL")
      await a.ended
      const pid = `by ${b.child.pid}.`
      const answers = await Promise.all(sessions.map(async (session) => {
        const response = await b.post(route(session), say)
        const text = await response.text()
        return {
          status: response.status,
          text,
          end: text.split("\n\n").filter((event) => event.includes("id: ")).at(-1)
        }
      }))
      expect(answers.map(({ end, status, text }) => ({ status, text: end ?? text }))).toEqual(
        sessions.map(({ streams }) => ({
          status: 200,
          text: streams
            ? expect.stringMatching(/TurnCompleted.*by \d+\./)
            : expect.stringMatching(/"message":"word 0.*by \d+\./)
        }))
      )
      // The node that lives owned some of the sessions: there it did not wait for the record of the dead one.
      expect(b.out()).toContain("The process that ran a turn is gone. Its message is answered here.")
      expect(answers.some(({ text }) => text.includes(pid))).toBe(true)
      // Each message is in its session once.
      for (const { at } of sessions) {
        const { items } = await fetch(`${b.url}${at}/messages`).then((response) => response.json()) as {
          readonly items: ReadonlyArray<{ readonly message: { readonly role: string } }>
        }
        expect([at, items.map(({ message }) => message.role)]).toEqual([at, ["user", "assistant"]])
      }
    }
  )
})
