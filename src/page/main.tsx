/** The page of an agent. It shows the agent's conversations, and explains the events in them. */
import { render } from "preact"
import { listen } from "./state/keys.js"
import "./state/preferences.js"
import "./style.css"
import { App } from "./views/App.js"

listen()
const root = document.getElementById("page")
if (root !== null) render(<App />, root)
