import { useSignal } from "@preact/signals"
import { token } from "../net/api.js"
import * as Agent from "../state/agent.js"
import { words } from "../words/words.js"

/** The login form, which the page shows until the server accepts the person's credentials. */
export const Login = () => {
  const given = useSignal("")
  const submit = (event: Event) => {
    event.preventDefault()
    if (given.value !== "") void Agent.logIn(given.value)
  }
  return (
    <main class="login">
      <form onSubmit={submit}>
        <h1>{words.login.title}</h1>
        <p id="login-hint">{words.login.hint}</p>
        {token.value !== undefined && <p role="alert" class="error">{words.login.wrong}</p>}
        <label for="token">{words.login.token}</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          aria-describedby="login-hint"
          value={given}
          onInput={({ currentTarget }) => given.value = currentTarget.value}
        />
        <button class="primary" type="submit">{words.login.send}</button>
      </form>
    </main>
  )
}
