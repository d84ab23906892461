/** Flows whose second message may be asked about conditions, for the turn and for the checker. */
import type { Place } from "../../src/domain/check/walk/Position.js"

interface Foreseen {
  /** The conditions that the message is asked about. */
  readonly asked: ReadonlyArray<string>
  readonly steps: ReadonlyArray<object>
  /** Where the conversation stands after the first message, if not at the first step, which waits. */
  readonly at?: Pick<Place, "step" | "standing" | "spoken">
  /** The field that the message withdraws. */
  readonly withdrawn?: string
}

interface Ctx {
  readonly data: { readonly city?: string }
  readonly message: string
}

const step = (id: string, more: object = {}) => ({ id, prompt: id, ...more })
const worded = (id: string) => step(id, { when: id })
const talk = step("talk")
const toLate = [{ if: () => true, then: "late" }]
const goToLate = () => ({ goToStep: "late" })

/** By the rule that decides. */
export const cases: Readonly<Record<string, Foreseen>> = {
  "the path leads along the branches of an `auto` step": {
    asked: ["late"],
    steps: [talk, { id: "a", auto: true, branches: toLate }, step("said"), worded("late")]
  },
  "the path leads past a step that collects a field": {
    asked: ["late"],
    steps: [talk, { id: "ask", collect: ["city"] }, worded("late")]
  },
  "the path leads along the branches in code of a step that collects a field": {
    asked: ["late"],
    steps: [talk, { id: "ask", collect: ["city"], branches: toLate }, step("said"), worded("late")]
  },
  "the path ends at a step that always speaks": {
    asked: [],
    steps: [talk, step("said", { onEnter: goToLate }), worded("late")]
  },
  "the path leads past a step that the message may not enter": {
    asked: ["maybe", "late"],
    steps: [talk, worded("maybe"), worded("late")]
  },
  "the path begins at the step to which the conversation was moved": {
    asked: ["late"],
    steps: [step("talk", { finalize: goToLate }), step("said"), worded("late")],
    at: { step: 2, standing: "pending", spoken: false }
  },
  "no path begins at a step that was entered and has not spoken": {
    asked: [],
    steps: [
      step("talk", {
        prepare: ({ message }: Ctx) => message === "one" ? { halt: true } : { goToStep: "late" }
      }),
      worded("late")
    ],
    at: { step: 0, standing: "entered", spoken: false }
  },
  "the path leads along the branches in code of the step that waits": {
    asked: ["late"],
    steps: [step("talk", { branches: toLate }), step("said"), worded("late")]
  },
  "a step asks nothing that was skipped with the data before the message": {
    asked: [],
    steps: [talk, { ...worded("late"), skip: ({ data }: Ctx) => data.city !== undefined }, step("said")],
    withdrawn: "city"
  },
  "the path leads past a skipped step": {
    asked: ["late"],
    steps: [talk, step("said", { skip: () => true }), worded("late")]
  }
}

/** The data before the first message. */
export const initialData = { city: "Rome" }
