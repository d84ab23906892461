/** The built-in languages but English. A turn loads them when the agent has asked a question. */
import type { Language } from "../ConsentLanguage.js"
import { dutch } from "./Dutch.js"
import { french } from "./French.js"
import { further } from "./Further.js"
import { german } from "./German.js"
import { hebrew } from "./Hebrew.js"
import { italian } from "./Italian.js"
import { polish } from "./Polish.js"
import { portuguese } from "./Portuguese.js"
import { spanish } from "./Spanish.js"

export { dutch, french, german, hebrew, italian, polish, portuguese, spanish }

export const others: ReadonlyArray<Language> = [
  german,
  french,
  spanish,
  dutch,
  portuguese,
  italian,
  polish,
  hebrew,
  further
]
