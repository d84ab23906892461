/** The page of an agent: its conversations, and why each thing in them happened. */
import { render } from "preact"
import { listen } from "./state/keys.js"
import "./state/preferences.js"
import "./style.css"
import { App } from "./views/App.js"

listen()
const root = document.getElementById("page")
if (root !== null) render(<App />, root)
