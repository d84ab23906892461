import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Conversation } from "../../src/page/state/conversation.js"

type Sent = ReadableStreamDefaultController<Uint8Array>

/** A server of one session: its routes answer from its state, and a test writes the events of its open streams. */
const server = () => {
  const messages: Array<{ role: string; content: string }> = []
  let version = 0
  const open = { feed: [] as Array<Sent>, own: [] as Array<Sent>, joined: [] as Array<Sent> }
  let isRunning = false
  const events = (streams: Array<Sent>) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => void streams.push(controller),
        cancel: () => void streams.pop()
      })
    )
  let context: object | undefined
  const session = () => ({ id: "s", version, messageCount: messages.length, data: {}, ...(context && { context }) })
  const answer = (path: string): Response => {
    if (path === "sessions/s") return version === 0 ? new Response("{}", { status: 404 }) : Response.json(session())
    if (path === "sessions/s/messages") {
      const items = messages.map((message, i) => ({ seq: i + 1, message, createdAt: "2026-01-01T00:00:00.000Z" }))
      return Response.json({ items })
    }
    if (path === "sessions/s/feed") return events(open.feed)
    if (path === "sessions/s/turns/stream") return events(open.own)
    if (path === "sessions/s/turns/current/stream") {
      return isRunning ? events(open.joined) : new Response(null, { status: 204 })
    }
    throw new Error(`no route ${path}`)
  }
  const requests: Array<{ readonly path: string; readonly messageId?: string; readonly locale?: string }> = []
  return {
    requests,
    open,
    send: async (address: string, { body }: RequestInit): Promise<Response> => {
      const path = new URL(address).pathname.slice(1)
      const { locale, messageId } = JSON.parse(typeof body === "string" ? body : "{}") as Record<string, string>
      requests.push({ path, ...(messageId !== undefined && { messageId }), ...(locale !== undefined && { locale }) })
      return answer(path)
    },
    run: (is: boolean) => void (isRunning = is),
    keep: (kept: object) => void (context = kept),
    tell: (streams: ReadonlyArray<Sent>, ...all: ReadonlyArray<object>) => {
      const text = all.map((event) => `event: message\ndata: ${JSON.stringify(event)}\n\n`).join("")
      streams.forEach((stream) => stream.enqueue(new TextEncoder().encode(text)))
    },
    end: (streams: Array<Sent>) => {
      streams.splice(0).forEach((stream) => stream.close())
    },
    breakOff: (streams: Array<Sent>) => {
      streams.splice(0).forEach((stream) => stream.error(new Error("the connection was lost")))
    },
    /** Stores a turn, and returns its events. */
    turn: (message: string, text: string, messageId?: string) => {
      const started = { _tag: "TurnStarted", sessionId: "s", epoch: "e", version, ...(messageId && { messageId }) }
      const store = () => {
        messages.push({ role: "user", content: message }, { role: "assistant", content: text })
        version++
        const response = { message: text, session: session(), approvals: [], files: [], rejected: [] }
        return { _tag: "TurnCompleted", response }
      }
      return { started, words: { _tag: "TextDelta", text }, store }
    }
  }
}

describe("a conversation on the web page, which reads several event streams of the server", () => {
  let desk: ReturnType<typeof server>
  let talk: Conversation
  const settle = () => vi.advanceTimersByTimeAsync(100)
  const texts = () => talk.talk.value.items.map((item) => item.kind === "tool" ? item.name : item.text)
  const messageId = () => desk.requests.findLast((one) => one.messageId !== undefined)?.messageId
  /** Begins the turn of a message that the page sends. */
  const say = async (message: string, text: string) => {
    const sent = talk.say({ message })
    await settle()
    return { ...desk.turn(message, text, messageId()), sent }
  }
  /** The page after its first turn, with an open feed. */
  const opened = async () => {
    const { sent, started, store, words } = await say("hi", "Hello.")
    desk.tell(desk.open.own, started, words, store())
    desk.end(desk.open.own)
    await sent
    await settle()
    expect(desk.open.feed.length).toBe(1)
  }

  beforeEach(async () => {
    vi.useFakeTimers()
    vi.stubGlobal("document", { querySelector: () => null, baseURI: "http://desk.test/" })
    vi.stubGlobal("requestAnimationFrame", (run: () => void) => setTimeout(run, 16))
    desk = server()
    const { transport } = await import("../../src/page/net/api.js")
    transport.send = desk.send
    talk = (await import("../../src/page/state/conversation.js")).make("s")
    await talk.open()
  })

  afterEach(() => {
    talk.close()
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  it("shows an answer once, whether the feed or the page's own stream reports the turn first", async () => {
    await opened()
    for (const first of ["feed", "own"] as const) {
      const { sent, started, store, words } = await say(`${first} first`, `Answer to ${first}.`)
      const all = [started, words, store()]
      desk.tell(desk.open[first], ...all)
      await settle()
      desk.tell(desk.open[first === "feed" ? "own" : "feed"], ...all)
      desk.end(desk.open.own)
      await sent
      await settle()
    }
    expect(texts()).toEqual(["hi", "Hello.", "feed first", "Answer to feed.", "own first", "Answer to own."])
  })

  it("sends the locale that the server proposes, until the conversation has one", async () => {
    const { profile } = await import("../../src/page/state/agent.js")
    const locales = () => desk.requests.filter(({ messageId }) => messageId !== undefined).map(({ locale }) => locale)
    const answer = async (message: string) => {
      const { sent, started, store } = await say(message, "Yes.")
      desk.tell(desk.open.own, started, store())
      desk.end(desk.open.own)
      await sent
      await settle()
    }
    await answer("one")
    // Safe: the page reads no other part of the profile here.
    profile.value = { locale: "de-AT" } as NonNullable<typeof profile.value>
    await answer("two")
    desk.keep({ locale: "fr" })
    await answer("three")
    await answer("four")
    profile.value = undefined
    expect(locales()).toEqual([undefined, "de-AT", "de-AT", undefined])
  })

  it("opens only one feed if a message is answered while the feed reconnects", async () => {
    await opened()
    desk.end(desk.open.feed)
    const first = await say("again", "Again.")
    desk.tell(desk.open.own, first.started, first.words, first.store())
    desk.end(desk.open.own)
    await first.sent
    await vi.advanceTimersByTimeAsync(2000)
    expect(desk.open.feed.length).toBe(1)
    const second = await say("more", "More.")
    const all = [second.started, second.words, second.store()]
    desk.tell([...desk.open.own, ...desk.open.feed], ...all)
    desk.end(desk.open.own)
    await second.sent
    await settle()
    expect(texts()).toEqual(["hi", "Hello.", "again", "Again.", "more", "More."])
  })

  it("shows an answer once when the feed reconnects during the turn", async () => {
    await opened()
    const { sent, started, store, words } = await say("more", "More.")
    desk.tell(desk.open.own, started, words)
    desk.run(true)
    desk.breakOff(desk.open.feed)
    await vi.advanceTimersByTimeAsync(2000)
    expect(desk.open.feed.length).toBe(1)
    const completed = store()
    desk.tell(desk.open.own, completed)
    desk.end(desk.open.own)
    await sent
    await settle()
    desk.tell(desk.open.joined, started, words, completed)
    desk.tell(desk.open.feed, completed)
    await settle()
    expect(texts()).toEqual(["hi", "Hello.", "more", "More."])
  })

  it("shows another client's turn once when the feed breaks off during that turn", async () => {
    await opened()
    const { started, store, words } = desk.turn("from my phone", "Hello, phone.")
    desk.tell(desk.open.feed, started, { _tag: "UserSaid", text: "from my phone" }, words)
    await settle()
    expect(talk.busy.value).toBe(true)
    desk.run(true)
    desk.breakOff(desk.open.feed)
    await vi.advanceTimersByTimeAsync(2000)
    desk.tell(desk.open.joined, started, { _tag: "UserSaid", text: "from my phone" }, words)
    await settle()
    const completed = store()
    desk.tell(desk.open.joined, completed)
    desk.tell(desk.open.feed, completed)
    await settle()
    expect(texts()).toEqual(["hi", "Hello.", "from my phone", "Hello, phone."])
    expect(talk.busy.value).toBe(false)
  })

  it("shows a turn that ended while the feed was closed, or before the page could join it", async () => {
    await opened()
    desk.breakOff(desk.open.feed)
    await settle()
    desk.turn("while closed", "Closed.").store()
    await vi.advanceTimersByTimeAsync(2000)
    expect(texts().slice(2)).toEqual(["while closed", "Closed."])
    desk.tell(desk.open.feed, desk.turn("just now", "Now.").store())
    await settle()
    expect(texts().slice(4)).toEqual(["just now", "Now."])
  })

  it("shows the turn that continues after an approval with the same message id", async () => {
    await opened()
    const asked = await say("pay", "I ask a colleague.")
    const all = [asked.started, asked.words, asked.store()]
    desk.tell([...desk.open.own, ...desk.open.feed], ...all)
    desk.end(desk.open.own)
    await asked.sent
    await settle()
    const { started, store, words } = desk.turn("", "Paid.", messageId())
    desk.tell(desk.open.feed, started, words, store())
    await settle()
    expect(texts().slice(2)).toEqual(["pay", "I ask a colleague.", "Paid."])
  })

  it("shows a hand-over once, and shows a message that a person sends during a turn", async () => {
    await opened()
    const { sent, started, store } = await say("a person, please", "Wait.")
    const handed = { _tag: "HandedOver", reason: "asked", by: "Olga" }
    const said = { _tag: "PersonSaid", by: "Olga", text: "I am here." }
    const completed = store()
    desk.tell(desk.open.own, started, handed, completed)
    desk.tell(desk.open.feed, started, handed, said, completed)
    desk.end(desk.open.own)
    await sent
    await settle()
    expect(texts().slice(2).sort()).toEqual(["I am here.", "Olga", "Wait.", "a person, please"])
    // Between turns the session says who has the conversation, as it does after a reload.
    const shown = texts()
    desk.tell(desk.open.feed, { _tag: "Released" }, { _tag: "HandedOver", by: "Olga" })
    await settle()
    expect(texts()).toEqual(shown)
  })

  it("shows messages that follow soon on one another once, each with its own turn and answer", async () => {
    const texted = ["hi", "a room", "for two"]
    const sent: Array<Promise<void>> = []
    const ids: Array<string | undefined> = []
    for (const message of texted) {
      sent.push(talk.say({ message }))
      await settle()
      ids.push(messageId())
    }
    expect(talk.busy.value).toBe(true)
    const own = [...desk.open.own]
    for (const [i, message] of texted.entries()) {
      desk.run(true)
      const { started, store, words } = desk.turn(message, `Answer ${i}.`, ids[i])
      const all = [started, words, store()]
      desk.tell([own[i]!, ...desk.open.feed, ...desk.open.joined], ...all)
      await settle()
      expect(talk.busy.value).toBe(i < 2)
      own[i]!.close()
      await sent[i]
      await settle()
      // The feed opens after the first turn, and joins the turn that runs then.
      desk.tell(desk.open.joined, ...all)
      await settle()
    }
    expect(texts()).toEqual(["hi", "Answer 0.", "a room", "Answer 1.", "for two", "Answer 2."])
    expect(talk.talk.value.items.map(({ turn }) => turn)).toEqual([1, 1, 3, 3, 5, 5])
    expect(talk.seen.value.map(({ message, turn }) => [turn, message])).toEqual([[1, "hi"], [3, "a room"], [
      5,
      "for two"
    ]])
  })
})
