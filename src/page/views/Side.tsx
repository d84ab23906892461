import { current } from "../state/current.js"
import { linkTo, route, type Tab, tabs } from "../state/pageAddress.js"
import { words } from "../words/words.js"
import { DataView } from "./Data.js"
import { Divider } from "./Divider.js"
import { WhatIfView } from "./WhatIf.js"
import { WhereView } from "./Where.js"
import { WhyView } from "./Why.js"

const views: Readonly<Record<Tab, typeof DataView>> = {
  where: WhereView,
  why: WhyView,
  data: DataView,
  whatif: WhatIfView
}

/**
 * The pane next to the conversation, with four tabs: its position in the flows, the explanation of its turns, its data,
 * and experiments with a fork.
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
