/** Counts the files of the turn that name a feature, so that the turn learns no more of them. */
import * as fs from "node:fs"
import * as path from "node:path"

const names = {
  approval: /approval/i,
  // One that stops a call is an `AbortSignal`, or a `signal` in the singular.
  signal: /signals\b|Signal[.<]|(?<!Abort)(?<=[a-z])Signals?\b|signals?-/,
  job: /\bjobs?\b|Jobs?(?![a-z])|\bjobs?(?=[A-Z])/,
  guardrail: /guardrail/i,
  origin: /\borigins?\b|Origins?(?![a-z])|\borigins?(?=[A-Z])/,
  policy: /polic(?:y|ies)/i
}

export type Feature = keyof typeof names

/** Number of files in `src/pipeline`, outside of `features`, that name each feature. */
export const count = (root: string): Record<Feature, number> => {
  const pipeline = path.join(root, "src/pipeline")
  const texts = fs.readdirSync(pipeline, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("features"))
    .map((name) => fs.readFileSync(path.join(pipeline, name), "utf8"))
  const naming = (name: RegExp): number => texts.filter((text) => name.test(text)).length
  return {
    approval: naming(names.approval),
    signal: naming(names.signal),
    job: naming(names.job),
    guardrail: naming(names.guardrail),
    origin: naming(names.origin),
    policy: naming(names.policy)
  }
}
