import { areCopiesShown, nameOf } from "../state/whatif.js"
import { words } from "../words/words.js"
import { Checkbox } from "./Checkbox.js"

/** Marks a what-if copy, with the name of its original. */
export const CopyOf = ({ id }: { readonly id: string }) => <span class="copy">{words.copies.of(nameOf(id))}</span>

/** The switch that shows what-if copies in lists; nothing if there are none. */
export const CopiesSwitch = ({ count }: { readonly count: number }) =>
  count === 0 ? null : <Checkbox label={words.copies.show(count)} on={areCopiesShown} />
