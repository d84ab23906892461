import { useSignal } from "@preact/signals"
import type { Form, Json, JsonObject, TurnResponse } from "../net/wire.js"
import { Field } from "../parts/Field.js"
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
  const set = (name: string, value: Json | undefined) => {
    const { [name]: _, ...rest } = values.value
    values.value = value === undefined ? rest : { ...rest, [name]: value }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (Object.keys(values.value).length > 0) send({ values: values.value })
  }
  return (
    <form class="card expects" noValidate onSubmit={submit} aria-label={form.title ?? words.form.send}>
      {form.title !== undefined && <h3>{form.title}</h3>}
      {(form.suggestions ?? []).length > 0 && (
        <div class="row">
          {form.suggestions?.map(({ label, value }) => (
            <button
              key={label}
              type="button"
              onClick={() => send({ message: typeof value === "string" ? value : label })}
            >
              {label}
            </button>
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
          error={rejected.find(({ field }) => field === name)?.message}
          change={(value) => set(name, value)}
        />
      ))}
      {names.length > 0 && (
        <div class="row">
          <button type="submit" class="primary">{words.form.send}</button>
        </div>
      )}
    </form>
  )
}
