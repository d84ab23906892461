import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Conversation } from "../state/conversation.js"
import { current } from "../state/current.js"
import { linkTo, route, type Tab, tabs } from "../state/pageAddress.js"
import { words } from "../words/words.js"
import { DataView } from "./Data.js"
import { Divider } from "./Divider.js"
import { TestView } from "./Test.js"
import { WhatIfView } from "./WhatIf.js"
import { WhyView } from "./Why.js"

/** The graph, whose layout is loaded when it is first shown, because it is a quarter of the page. */
const Where = ({ talk }: { readonly talk: Conversation }) => {
  const loaded = useSignal<typeof DataView>()
  useEffect(() => void import("./Where.js").then(({ WhereView }) => loaded.value = WhereView), [])
  const View = loaded.value
  return View === undefined ? <p class="quiet pad" role="status">{words.loading}</p> : <View talk={talk} />
}

const views: Readonly<Record<Tab, typeof DataView>> = {
  where: Where,
  why: WhyView,
  data: DataView,
  whatif: WhatIfView,
  test: TestView
}

/**
 * The pane next to the conversation, with a tab for each view: its position in the flows, the explanation of its
 * turns, its data, experiments with a fork, and tests.
 */
export const Side = () => {
  const talk = current.value
  const { tab } = route.value
  const View = views[tab]
  return (
    <aside class="side" aria-label={words.side.title}>
      <Divider column="side" />
      <nav class="tabs" aria-label={words.side.title}>
        {tabs.map((one, i) => (
          <a
            key={one}
            href={linkTo({ tab: one, pane: "side" })}
            aria-current={one === tab ? "page" : undefined}
            accessKey={String(i + 1)}
          >
            {words.side[one]}
          </a>
        ))}
      </nav>
      <div class="scrolls" tabIndex={0} role="region" aria-label={words.side[tab]}>
        {talk !== undefined && <View key={talk.id} talk={talk} />}
      </div>
    </aside>
  )
}
