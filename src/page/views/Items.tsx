import type { ComponentChildren } from "preact"
import { Component } from "preact"
import { Copy } from "../parts/Copy.js"
import { Denied } from "../parts/Denied.js"
import { Markdown } from "../parts/Markdown.js"
import { Origins } from "../parts/Origins.js"
import { StoredFile } from "../parts/StoredFile.js"
import type { Happened, Item, MessageItem, ToolItem } from "../state/items.js"
import { isEmbedded, linkTo, route } from "../state/pageAddress.js"
import { clock, words } from "../words/words.js"

const who = ({ by, kind }: MessageItem): string => by ?? (kind === "user" ? words.talk.you : words.talk.agent)

const Bubble = ({ item, path }: { readonly item: MessageItem; readonly path: string }) => (
  <article class={`said ${item.kind}`} aria-label={who(item)}>
    {item.kind === "person" && <span class="by">{item.by}</span>}
    {item.kind === "user" ? <p class="words">{item.text}</p> : (
      <div class="words">
        <Markdown text={item.text} />
      </div>
    )}
    {item.files.map((file) => <StoredFile key={file.ref ?? file.name} file={file} path={path} />)}
    {item.replaced !== undefined && item.replaced.length > 0 && (
      <details class="replaced">
        <summary>{words.talk.replaced}</summary>
        {item.replaced.map((text, i) => <s key={i}>{text}</s>)}
      </details>
    )}
    <footer>
      {item.at !== undefined && <time dateTime={item.at}>{clock(item.at)}</time>}
      {item.kind === "agent" && item.streaming === undefined && !isEmbedded.value && (
        <a class="whylink" href={linkTo({ turn: item.turn, tab: "why", pane: "side" })}>{words.talk.why}</a>
      )}
    </footer>
  </article>
)

const stateOf = ({ outcome, progress }: ToolItem): string =>
  outcome ??
    (progress === undefined ? words.talk.running : typeof progress === "string" ? progress : JSON.stringify(progress))

const json = (u: unknown): string => JSON.stringify(u, undefined, 2) ?? ""

const Tool = ({ item }: { readonly item: ToolItem }) => (
  <details class={`tool ${item.isFailure === true && item.outcome !== "denied" ? "bad" : ""}`}>
    <summary>
      <code>{item.name}</code> <span class="state">{stateOf(item)}</span>
    </summary>
    <h3 class="small">{words.talk.arguments}</h3>
    <pre tabIndex={0}>{json(item.params)}</pre>
    <Origins origins={item.origins} />
    <Denied output={item.output} />
    {item.output !== undefined && (
      <>
        <h3 class="small">{words.talk.result}</h3>
        <pre tabIndex={0}>{typeof item.output === "string" ? item.output : json(item.output)}</pre>
      </>
    )}
  </details>
)

const texts: Readonly<Record<Happened["what"], (text: string) => ComponentChildren>> = {
  event: (name) => words.talk.event(name),
  handedOver: (name) => words.talk.handedOver(name),
  released: () => words.talk.released,
  stopped: () => words.talk.stopped,
  job: (text) => `${words.talk.job} ${text}`,
  rewound: () => words.talk.rewound,
  failed: (text) => (
    <>
      <strong>{words.talk.failed}</strong> {text}
    </>
  )
}

const Note = ({ item: { requestId, text, what } }: { readonly item: Happened }) => (
  <p class={`happened ${what === "failed" ? "bad" : ""}`}>
    {texts[what](text)}
    {requestId !== undefined && <Copy text={requestId} label={words.problem.id(requestId)} />}
  </p>
)

interface Props {
  readonly item: Item
  readonly path: string
  readonly chosen: boolean
}

/** One item. It is drawn again only if it has changed, because a conversation may have a thousand items. */
export class Row extends Component<Props> {
  override shouldComponentUpdate({ chosen, item }: Props): boolean {
    return item !== this.props.item || chosen !== this.props.chosen
  }
  override render({ chosen, item, path }: Props) {
    const inside = item.kind === "tool"
      ? <Tool item={item} />
      : item.kind === "note"
      ? <Note item={item} />
      : <Bubble item={item} path={path} />
    return <li class={`item ${item.kind} ${chosen ? "chosen" : ""}`} data-turn={item.turn}>{inside}</li>
  }
}

export const isChosen = ({ kind, turn }: Item): boolean => kind === "user" && route.value.turn === turn
