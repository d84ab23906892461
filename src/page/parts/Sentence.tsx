import type { Sentence } from "../../domain/turn/why/Why.js"
import { english, pieces } from "../../domain/turn/why/WhyWording.js"
import { german } from "../words/why.de.js"
import { words, written } from "../words/words.js"

const wording = words.lang === "de" ? german : english

/** Renders a sentence of `Why`. Names are bold, and the words of the user or the agent are in quotation marks. */
export const Words = ({ sentence }: { readonly sentence: Sentence }) => (
  <>
    {pieces(sentence, wording).map((piece, i) =>
      typeof piece === "string"
        ? written(piece)
        : "name" in piece
        ? <b key={i}>{piece.name}</b>
        : words.quote(piece.quote)
    )}
  </>
)
