import type { Block, Inline } from "../state/markdown.js"
import { blocks, safe } from "../state/markdown.js"

const Link = ({ inline: { href, inside } }: { readonly inline: Extract<Inline, { readonly kind: "link" }> }) =>
  safe(href) === undefined
    ? <Inlines inside={inside} />
    : (
      <a href={href} rel="noopener noreferrer nofollow" target="_blank">
        <Inlines inside={inside} />
      </a>
    )

const tags = { strong: "strong", em: "em", del: "s" } as const

const Part = ({ inline }: { readonly inline: Inline }) => {
  switch (inline.kind) {
    case "text":
      return <>{inline.text}</>
    case "code":
      return <code>{inline.text}</code>
    case "break":
      return <br />
    case "link":
      return <Link inline={inline} />
    default: {
      const Tag = tags[inline.kind]
      return (
        <Tag>
          <Inlines inside={inline.inside} />
        </Tag>
      )
    }
  }
}

const Inlines = ({ inside }: { readonly inside: ReadonlyArray<Inline> }) => (
  <>{inside.map((one, i) => <Part key={i} inline={one} />)}</>
)

const List = ({ block: { items, ordered } }: { readonly block: Extract<Block, { readonly kind: "list" }> }) => {
  const inside = items.map((item, i) => (
    <li key={i}>
      <Inlines inside={item} />
    </li>
  ))
  return ordered ? <ol>{inside}</ol> : <ul>{inside}</ul>
}

const One = ({ block }: { readonly block: Block }) => {
  switch (block.kind) {
    case "code":
      return <pre tabIndex={0}><code>{block.text}</code></pre>
    case "list":
      return <List block={block} />
    case "rule":
      return <hr />
    case "quote":
      return (
        <blockquote>
          <Inlines inside={block.inside} />
        </blockquote>
      )
    default:
      return (
        <p class={block.kind}>
          <Inlines inside={block.inside} />
        </p>
      )
  }
}

/**
 * Renders Markdown as elements. HTML in a text is shown as text, links open in a new tab without a referrer, and
 * pictures are shown as links: the page loads nothing from other addresses.
 */
export const Markdown = ({ text }: { readonly text: string }) => (
  <>{blocks(text).map((block, i) => <One key={i} block={block} />)}</>
)
