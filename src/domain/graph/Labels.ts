/** The texts in drawings of a graph. Imports no Schemas, so that a page can load it alone. */
import type { Approval, FlowNode, Graph, StepNode } from "./GraphModel.js"

const decider = ({ always, by }: Approval): string =>
  !always ? "may need approval" : by === "user" ? "the user agrees" : `${by ?? "a person"} approves`

/** The tools, with the roles that approve their calls: `rooms, pay (a person approves)`. */
export const toolNames = (
  tools: ReadonlyArray<string>,
  { approvals = [] }: { readonly approvals?: ReadonlyArray<Approval> | undefined }
): string =>
  tools.map((tool) => {
    const found = approvals.find((one) => one.tool === tool)
    return found === undefined ? tool : `${tool} (${decider(found)})`
  }).join(", ")

const line = (begin: string, said: string): ReadonlyArray<string> => said === "" ? [] : [`${begin} ${said}`]

/** Returns the handlers of a step, with the number of their runs. */
const hearing = ({ heard = [], hears = [] }: StepNode): ReadonlyArray<string> => [
  ...hears.map((one) => {
    const found = heard.find(({ handler }) => handler === one)
    return `${one}: stays${found === undefined ? "" : `, ${times(found.count)}`}`
  }),
  ...heard.filter(({ handler }) => !hears.includes(handler)).map(({ count, handler }) => `${handler}: ${times(count)}`)
]

/** The lines under a step's name. */
export const lines = (step: StepNode): ReadonlyArray<string> => [
  ...step.conditions,
  ...line("collects", step.collect.join(", ")),
  ...(step.confirms === true ? ["reads back, waits for a yes"] : []),
  ...line("requires", step.requires.join(", ")),
  ...line("calls", toolNames(step.calls === undefined ? [] : [step.calls], step)),
  ...line("tools", toolNames(step.tools, step)),
  ...line("of all tools only", toolNames(step.onlyTools ?? [], step)),
  ...(step.stays === true ? ["stays"] : []),
  ...(step.until === undefined ? [] : [`waits until ${step.until}`]),
  ...hearing(step)
]

/** The flows; adds one for the parts outside all flows, if there are any. */
export const clusters = ({ flows, steps }: Pick<Graph, "flows" | "steps">): ReadonlyArray<FlowNode> =>
  steps.some(({ flow }) => flow === "*") && flows.every(({ id }) => id !== "*")
    ? [...flows, { id: "*", title: "Anywhere", when: [], if: [], tools: [] }]
    : flows

/** The line under a flow's title. */
export const subtitle = ({ begins, if: code, when, ...flow }: FlowNode): string =>
  [
    ...(begins === true ? ["the conversation begins here"] : []),
    ...when.slice(0, 1),
    ...(when.length > 1 ? [`and ${when.length - 1} more`] : []),
    ...code.map((one) => `if ${one}`),
    ...line("tools", toolNames(flow.tools, flow))
  ]
    .join(", ")

/** A formatted count. */
export const times = (count: number | undefined): string => count === undefined ? "" : `${count}×`

/** A text on one line, without characters that an output format cannot contain. */
export const oneLine = (text: string): string =>
  text.replace(
    /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufffe\uffff]+/g,
    (found) => /^(?:[\ud800-\udbff][\udc00-\udfff])+$/.test(found) ? found : " "
  ).trim()
