/** Recognition of messages that say only yes or no, and state no values. */

/** Words of agreement, refusal and politeness in widespread languages. */
const words = new Set(
  `yes yeah yep yup sure ok okay k right correct exactly absolutely definitely certainly agreed please thanks thank you
   of course no nope nah never not really course fine great perfect good alright all
   sí si claro vale correcto por favor gracias no nunca jamás
   sim claro certo correto obrigado obrigada favor não nao
   oui ouais si bien sûr sur d'accord daccord merci s'il te vous plaît plait non
   ja jawohl klar genau richtig gerne gern bitte danke nein nee nö ne
   ja graag prima dank nee hoor jazeker
   sì certo va bene grazie prego esatto no
   ja jo visst tack nej javisst
   tak jasne oczywiście proszę dziękuję nie dobrze
   да ага конечно хорошо верно спасибо пожалуйста нет не неа
   так звичайно дякую будь ласка ні
   evet tamam olur elbette lütfen teşekkürler hayır yok
   ya iya baik oke tolong terima kasih tidak bukan
   vâng dạ có đúng được không cảm ơn
   نعم اجل أجل طبعا حسنا شكرا من فضلك لا كلا
   हाँ हां जी ठीक है धन्यवाद नहीं नही
   是 是的 对 對 好 好的 行 可以 嗯 谢谢 謝謝 不 不是 不要 不用 没有 沒有 否
   はい ええ うん お願いします いいえ いえ 結構です
   네 예 응 그래요 좋아요 감사합니다 아니요 아니오 아니`.split(/\s+/)
)

/** Normalizes a message for comparison with the word lists. */
const heard = (message: string): string => message.normalize("NFC").toLowerCase().replaceAll("’", "'")

const wordsOf = (text: string): ReadonlyArray<string> =>
  text.split(/[^\p{L}\p{M}\p{N}']+/u).filter((word) => word !== "")

/** Largest number of words in a bare answer. */
const longest = 4

/** True if a message says only yes or no. */
export const isBareAnswer = (message: string): boolean => {
  const said = wordsOf(heard(message))
  // A message without words may be an emoji, such as a thumb up.
  if (said.length === 0) return true
  return said.length <= longest && said.every((word) => words.has(word))
}

const agreeing = new Set(
  `yes yeah yep yup sure ok okay right correct exactly absolutely definitely certainly agreed course fine alright ahead
   confirm confirmed sí si claro vale correcto sim certo correto oui ouais sûr d'accord daccord ja jawohl klar genau
   richtig gerne gern graag prima jazeker sì visst javisst jasne oczywiście да ага конечно хорошо верно так звичайно evet
   tamam olur elbette ya iya baik vâng dạ đúng được نعم اجل أجل طبعا حسنا हाँ हां 是 是的 对 對 好 好的 行 可以 嗯 はい ええ
   うん 네 예 응 그래요 좋아요`.split(/\s+/)
)

const refusing = new Set(
  `no nope nah never not don't dont wrong nunca jamás não nao non nein nee nö no nej nie нет не неа ні hayır yok tidak
   bukan không لا كلا नहीं नही 不 不是 不要 不用 没有 沒有 否 いいえ いえ 아니요 아니오 아니`.split(/\s+/)
)

/** Words that may be added to a yes or a no without changing its meaning. */
const beside = new Set(
  `please thanks thank you of that's that is it do go por favor gracias obrigado obrigada merci s'il te vous plaît bien
   danke bitte dank hoor va bene grazie tack proszę dziękuję спасибо пожалуйста lütfen teşekkürler terima kasih cảm ơn
   شكرا من فضلك जी ठीक है धन्यवाद 谢谢 謝謝 お願いします 감사합니다`.split(/\s+/)
)

/** Punctuation that shows that a message is more than an answer: a question, or a quotation. */
const more = /[?？"“”„«»‹›>`]|(?:^|\s)['‘]/u

/**
 * Returns the answer of a message that says only yes or no; `undefined` for any other message, and for one that is
 * ambiguous, or contains a question or a quotation. Words that mean yes in one language and something else in another
 * are left to the model.
 */
export const bareAnswer = (message: string): "yes" | "no" | undefined => {
  const text = heard(message)
  if (more.test(text)) return undefined
  const said = wordsOf(text)
  if (said.length === 0 || said.length > longest) return undefined
  if (!said.every((word) => agreeing.has(word) || refusing.has(word) || beside.has(word))) return undefined
  const refuses = said.some((word) => refusing.has(word))
  const agrees = said.some((word) => agreeing.has(word))
  // "Of course not" is a no; "yes, no" is ambiguous.
  if (refuses) return agrees && !isDenied(said) ? undefined : "no"
  return agrees ? "yes" : undefined
}

/** True if a message contains a word of refusal, in widespread languages. */
export const isRefusal = (message: string): boolean => wordsOf(heard(message)).some((word) => refusing.has(word))

/** A negated word of agreement: "not right", "of course not", "not okay". */
const isDenied = (said: ReadonlyArray<string>): boolean =>
  said.some((word) => word === "not" || word === "don't" || word === "dont" || word === "không") &&
  !said.some((word) => word === "yes" || word === "ok" || word === "okay" || word === "no")
