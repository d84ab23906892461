import { useSignal } from "@preact/signals"
import { expectationOf } from "../../domain/base/error/Expectation.js"
import type { Form, Json, JsonObject, TurnResponse } from "../net/wire.js"
import { fewChoices, Field, hasButtons } from "../parts/Field.js"
import type { Outgoing } from "../state/conversation.js"
import { words } from "../words/words.js"

interface Props {
  readonly form: Form
  readonly rejected: TurnResponse["rejected"]
  readonly send: (said: Outgoing) => void
}

/** Inputs for the fields that the step still needs. The reason for a refused value is next to its input. */
export const FormCard = ({ form, rejected, send }: Props) => {
  const values = useSignal<JsonObject>({})
  const names = Object.keys(form.properties)
  const suggestions = form.suggestions ?? []
  const errorOf = (name: string) => {
    const refused = rejected.find(({ field }) => field === name)
    return refused === undefined ? undefined : expectationOf(refused.message)
  }
  // A choice that answers the whole form is sent by its button.
  const isOneChoice = names.length === 1 && hasButtons(form.properties[names[0]!]!)
  const set = (name: string, value: Json | undefined) => {
    const { [name]: _, ...rest } = values.value
    values.value = value === undefined ? rest : { ...rest, [name]: value }
    if (isOneChoice && value !== undefined) send({ values: values.value })
  }
  const suggest = ({ label, value }: (typeof suggestions)[number]) =>
    send({ message: typeof value === "string" ? value : label })
  const submit = (event: Event) => {
    event.preventDefault()
    if (Object.keys(values.value).length > 0) send({ values: values.value })
  }
  return (
    <form class="card expects" noValidate onSubmit={submit} aria-label={form.title ?? words.form.send}>
      {form.title !== undefined && <h3>{form.title}</h3>}
      {suggestions.length > fewChoices && (
        <select
          aria-label={form.title ?? words.form.choose}
          onChange={({ currentTarget }) => {
            const chosen = suggestions[Number(currentTarget.value)]
            if (chosen !== undefined) suggest(chosen)
          }}
        >
          <option value="">{words.form.choose}</option>
          {suggestions.map(({ label }, i) => <option key={label} value={i}>{label}</option>)}
        </select>
      )}
      {suggestions.length > 0 && suggestions.length <= fewChoices && (
        <div class="row choices">
          {suggestions.map((one) => (
            <button key={one.label} type="button" onClick={() => suggest(one)}>{one.label}</button>
          ))}
        </div>
      )}
      {names.map((name) => (
        <Field
          key={name}
          name={name}
          schema={form.properties[name]!}
          isRequired={form.required.includes(name)}
          value={values.value[name]}
          error={errorOf(name)}
          change={(value) => set(name, value)}
        />
      ))}
      {names.length > 0 && !isOneChoice && (
        <div class="row">
          <button type="submit" class="primary">{words.form.send}</button>
        </div>
      )}
    </form>
  )
}
