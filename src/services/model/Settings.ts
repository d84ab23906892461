/** The default options of model calls, for calls that set no options themselves. */
import * as Context from "effect/Context"
import type { ByPurpose } from "../../domain/authored/ModelOptions.js"

/** The options of an agent's calls, by purpose. A turn sets it. */
export class ModelSettings extends Context.Reference<ModelSettings>()("coxswain/ModelSettings", {
  defaultValue: (): ByPurpose => ({})
}) {}
