/** The hook `useCoxswain`. */
import { useChat, type UseChatHelpers } from "@ai-sdk/react"
import {
  type ChatInit,
  DefaultChatTransport,
  type FileUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage
} from "ai"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { follow } from "./follow.js"
import { type Changed, merge } from "./merge.js"

/** Options of `useCoxswain`, besides those of `useChat`. */
export interface Options<M extends UIMessage = UIMessage> extends Omit<ChatInit<M>, "id" | "messages" | "transport"> {
  /** The chat: the name of the session. */
  readonly id: string
  /** The address of the server, before `/chat`. Default `""`: the origin of the page. */
  readonly server?: string
  /** Headers of every request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Mode for cookies: `include` sends them also to a server of another origin. Default `same-origin`. */
  readonly credentials?: "include" | "omit" | "same-origin"
  /** The context of each turn; the server says which keys a client may send. */
  readonly context?: Readonly<Record<string, unknown>>
  /** The `locale` of the context of each turn, such as `pt-PT`. */
  readonly locale?: string
  /** Number of stored messages that are read at a time: 1 to 200. Default 50. */
  readonly pageSize?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** The result of `useCoxswain`: the result of `useChat`, with additional properties. */
export interface Helpers<M extends UIMessage = UIMessage> extends UseChatHelpers<M> {
  /** True after the stored messages are shown. */
  readonly isLoaded: boolean
  /** Also shows the messages before the shown ones; absent if there are none. */
  readonly loadEarlier?: () => Promise<void>
  /** Uploads files, as parts for `sendMessage({ text, files })`. */
  readonly upload: (files: Iterable<File>) => Promise<Array<FileUIPart>>
  /** Stops the turn, on whichever server it runs. The text that the agent has said until then is kept. */
  readonly stop: () => Promise<void>
}

interface Page<M> {
  readonly items: ReadonlyArray<M>
  readonly next?: number
}

/** Returns the reason why the server refused a request: the detail of its problem document. */
const refusal = async (response: Response): Promise<Error> => {
  const text = await response.text()
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown }
    return new Error(typeof detail === "string" ? detail : text)
  } catch {
    return new Error(text)
  }
}

/** Returns functions for those requests of a chat that `useChat` does not make. */
const requestsOf = <M extends UIMessage>(
  { credentials, fetch = globalThis.fetch, headers = {}, id, pageSize = 50, server = "" }: Options<M>
) => {
  const chat = `${server}/chat/${encodeURIComponent(id)}`
  const session = `${server}/sessions/${encodeURIComponent(id)}`
  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url, { ...init, headers, ...(credentials !== undefined && { credentials }) })
    if (!response.ok) throw await refusal(response)
    return response
  }
  return {
    history: async (before?: number): Promise<Page<M>> => {
      const response = await ask(`${chat}/messages?limit=${pageSize}${before === undefined ? "" : `&before=${before}`}`)
      return await response.json() as Page<M>
    },
    feed: (signal: AbortSignal) =>
      fetch(`${chat}/feed`, { headers, signal, ...(credentials !== undefined && { credentials }) }),
    stop: () => ask(`${session}/turns/current`, { method: "DELETE" }),
    upload: async (files: Iterable<File>): Promise<Array<FileUIPart>> => {
      const body = new FormData()
      for (const file of files) body.append("file", file)
      const { items } = await (await ask(`${session}/files`, { method: "POST", body })).json() as {
        readonly items: ReadonlyArray<{ readonly ref: string; readonly mediaType: string; readonly name: string }>
      }
      return items.map(({ mediaType, name, ref }) => ({
        type: "file",
        mediaType,
        filename: name,
        url: `${session}/files/${encodeURIComponent(ref)}`
      }))
    }
  }
}

const transportOf = <M extends UIMessage>(latest: { readonly current: Options<M> }) => {
  const { credentials, fetch, server = "" } = latest.current
  return new DefaultChatTransport<M>({
    api: `${server}/chat`,
    headers: () => ({ ...latest.current.headers }),
    ...(credentials !== undefined && { credentials }),
    ...(fetch !== undefined && { fetch }),
    // Only the last message is sent, because the server has stored the others.
    prepareSendMessagesRequest: ({ body, id, messageId, messages, trigger }) => {
      const { context, locale } = latest.current
      return {
        body: {
          ...body,
          id,
          messages: messages.slice(-1),
          trigger,
          ...(messageId !== undefined && { messageId }),
          ...(context !== undefined && { context }),
          ...(locale !== undefined && { locale })
        }
      }
    }
  })
}

/**
 * Extends `useChat` with the stored conversation: shows the messages of the chat immediately, continues an answer that
 * is still being streamed, and shows changes that other clients cause, such as the decision of an operator.
 */
export const useCoxswain = <M extends UIMessage = UIMessage>(options: Options<M>): Helpers<M> => {
  const { context: _, credentials: _c, fetch: _f, headers: _h, id, locale: _l, pageSize: _p, server, ...rest } = options
  const latest = useRef(options)
  latest.current = options
  const transport = useMemo(() => transportOf(latest), [id, server])
  const chat = useChat<M>({
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    ...rest as ChatInit<M>,
    id,
    transport
  })
  const { resumeStream, setMessages, status, stop: close } = chat
  const [isLoaded, setLoaded] = useState(false)
  const [next, setNext] = useState<number>()
  /** Changes from the feed, to be applied after the page's current stream has ended. */
  const waiting = useRef<Array<Changed<M>>>([])
  /**
   * True while the page reads a turn that another client has started. When this turn ends, the page loads the stored
   * messages again.
   */
  const joined = useRef(false)
  const resuming = useRef(false)
  if (resuming.current && status === "streaming") joined.current = true
  const isIdle = status === "ready" || status === "error"
  const idle = useRef(isIdle)
  idle.current = isIdle

  const load = useCallback(async () => {
    const page = await requestsOf(latest.current).history()
    if (!idle.current) return
    setMessages([...page.items])
    setNext(page.next)
    setLoaded(true)
  }, [setMessages])

  const apply = useCallback(async () => {
    const changes = waiting.current.splice(0)
    if (changes.length === 0 && !joined.current) return
    if (joined.current || changes.some(({ removed = [] }) => removed.length > 0)) {
      joined.current = false
      return load()
    }
    setMessages((shown) => [...changes.reduce<ReadonlyArray<M>>(merge, shown)])
  }, [load, setMessages])

  useEffect(() => {
    if (isIdle && isLoaded) void apply().catch(() => {})
  }, [isIdle, isLoaded, apply])

  useEffect(() => {
    const leaving = new AbortController()
    let opened = false
    setLoaded(false)
    void follow({
      signal: leaving.signal,
      open: (signal) => {
        opened = false
        return requestsOf(latest.current).feed(signal)
      },
      refused: () => setLoaded(true),
      next: async (data) => {
        const change = data as Changed<M>
        if (opened) {
          waiting.current.push(change)
          if (idle.current) await apply()
          return
        }
        // After its first event, the feed delivers every change. So the page now loads the stored messages, and applies
        // later changes to them.
        opened = true
        await load()
        if (!idle.current) return
        resuming.current = true
        await resumeStream().finally(() => resuming.current = false)
      }
    })
    return () => leaving.abort()
  }, [id, server, apply, load, resumeStream])

  const stop = useCallback(async () => {
    await requestsOf(latest.current).stop().catch(() => {})
    await close()
  }, [close])
  const upload = useCallback((files: Iterable<File>) => requestsOf(latest.current).upload(files), [])
  const loadEarlier = useCallback(async () => {
    if (next === undefined) return
    const page = await requestsOf(latest.current).history(next)
    setMessages((shown) => [...page.items, ...shown])
    setNext(page.next)
  }, [next, setMessages])

  return { ...chat, isLoaded, stop, upload, ...(next !== undefined && { loadEarlier }) }
}
